"""warmup: afterwards no kernel is left to compile, and it says where the machine code is."""

import json
import os
import subprocess
import sys
from pathlib import Path

from hailo_decode.cli import main
from hailo_decode.warm import idle_kernels

ROOT = Path(__file__).parents[2]


def test_no_kernel_is_left_to_compile(capsys):
    assert main(["warmup", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert idle_kernels() == []
    assert Path(told["folder"]).is_dir()
    assert told["bytes"] > 100_000
    assert any("NMS" in step["kind"] for step in told["steps"])


def test_the_text_tells_each_step_and_the_folder(capsys):
    assert main(["warmup"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    assert lines[-1].startswith("all kernels ready in")
    assert "kernels-" in lines[-1]


def test_another_process_takes_the_kernels_from_the_folder(tmp_path):
    """The second run of a new process is done long before anything could have been compiled."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "hailo_decode", "warmup", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    code = "import sys, hailo_decode.warm as w; [f() for _, f in w.frames()]; from hailo_decode.kernels import frame"
    code += "; s = frame.frame_ranked.stats; print(sum(s.cache_hits.values()), sum(s.cache_misses.values()))"
    again = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert json.loads(done.stdout)["folder"]
    assert again.stdout.split() == ["1", "0"]
