"""Every format of the model-file room holds out against a fuzzer for some seconds."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzz.seeds import SEEDS

import hailo_decode.networks
from hailo_decode.plugins import collect

FORMATS = sorted(collect(hailo_decode.networks.__name__, "FORMAT"))
SECONDS = 2


def test_every_format_has_seeds():
    assert sorted(SEEDS) == FORMATS


@pytest.mark.skipif(
    find_spec("atheris") is None, reason="atheris is not installed: pip install atheris (Linux only)"
)
@pytest.mark.parametrize("name", FORMATS)
def test_a_reader_gives_a_network_or_its_own_error(name: str, tmp_path: Path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for i, data in enumerate(SEEDS[name]()):
        (corpus / f"{i}").write_bytes(data)
    options = [f"-max_total_time={SECONDS}", "-timeout=10", "-rss_limit_mb=1500", "-max_len=40000", "-seed=1"]
    script = Path(__file__).with_name("fuzz_format.py")
    done = subprocess.run(
        [sys.executable, str(script), name, str(corpus), *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(script.parents[2]), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Done " in done.stderr
