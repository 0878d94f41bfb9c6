"""warmup: afterwards no kernel is left to compile, and it says where the machine code is."""

import json
import os
import subprocess
import sys
from pathlib import Path

from hailo_decode.cli import main
from hailo_decode.kernels._jit import all_kernels
from hailo_decode.kernels._store import is_kept

ROOT = Path(__file__).parents[2]


def test_no_kernel_is_left_to_compile(capsys):
    assert main(["warmup", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert all(is_kept(name) for name in all_kernels())
    assert sorted(step["kernel"] for step in told["steps"]) == list(all_kernels())
    assert Path(told["folder"]).is_dir()
    assert told["bytes"] > 100_000


def test_the_text_tells_each_kernel_and_the_folder(capsys):
    assert main(["warmup"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(all_kernels()) + 1
    assert lines[-1].startswith("all kernels ready in")
    assert "kernels-" in lines[-1]


def test_another_process_takes_the_kernels_from_the_folder_and_needs_no_numba(tmp_path):
    assert main(["warmup", "--json"]) == 0
    code = """
import sys
from hailo_decode.kernels._jit import all_kernels
from hailo_decode.kernels._store import prepare
prepare(*all_kernels().values())
print(all(kernel.native for kernel in all_kernels().values()), "numba" in sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=tmp_path,
    )
    assert done.stdout.split() == ["True", "False"]
