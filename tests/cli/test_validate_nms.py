"""`validate-nms`: exit codes, forms, many files, fixes, and what a process of it costs."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from lint.texts import NORMALIZED, SNAIL, SNAIL_SCRIPT, with_changes
from networks.build_har import har, yolov8_hn

from hailo_decode.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A right configuration, its script and its parsed network; names without folders in front."""
    monkeypatch.chdir(tmp_path)
    Path("nms.json").write_text(json.dumps(SNAIL, indent=2))
    Path("model.alls").write_text(SNAIL_SCRIPT)
    graph = yolov8_hn("snail", (480, 640), classes=3, normalization=False)
    Path("parsed.har").write_bytes(har(graph))
    return tmp_path


def damage(**changes) -> None:
    Path("nms.json").write_text(json.dumps(with_changes(SNAIL, **changes), indent=2))


def test_what_is_right_is_clean(folder, capsys):
    assert main(["validate-nms", "nms.json", "--script", "model.alls", "--network", "parsed.har"]) == 0
    assert capsys.readouterr().out == "2 files checked: nothing to remark\n"


def test_a_note_alone_is_clean(folder, capsys):
    assert main(["validate-nms", "nms.json"]) == 0
    out = capsys.readouterr().out
    assert "note HD229" in out
    assert out.endswith("1 file checked: 1 note\n")


def test_a_finding_is_shown_with_its_line(folder, capsys):
    damage(classes=80)
    assert main(["validate-nms", "nms.json", "--network", "parsed.har"]) == 1
    out = capsys.readouterr().out
    assert "nms.json:9:14: error HD404 (proved): classes is 80" in out
    assert '9 |   "classes": 80,\n  |              ^^' in out


def test_the_severity_and_the_codes_can_be_chosen(folder, capsys):
    damage(nms_iou_th=1.0)
    assert main(["validate-nms", "nms.json", "--severity", "error"]) == 0
    assert main(["validate-nms", "nms.json", "--ignore", "HD201,HD229"]) == 0
    assert main(["validate-nms", "nms.json", "--select", "suppression-is-off"]) == 1
    capsys.readouterr()
    assert main(["validate-nms", "nms.json", "--select", "HD999"]) == 2
    assert "no rule named 'HD999'" in capsys.readouterr().err


def test_a_script_alone_is_checked_with_the_file_it_names(folder, capsys):
    assert main(["validate-nms", "--script", "model.alls", "--network", "parsed.har"]) == 0
    assert main(["validate-nms", "model.alls", "--network", "parsed.har"]) == 0
    damage(classes=80)
    assert main(["validate-nms", "model.alls", "--network", "parsed.har"]) == 1
    assert "nms.json:9:14: error HD404" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["json", "github", "sarif"])
def test_other_forms_hold_the_same_remarks(folder, capsys, form):
    damage(classes=80)
    assert main(["validate-nms", "nms.json", "--network", "parsed.har", "--format", form]) == 1
    out = capsys.readouterr().out
    assert "HD404" in out
    if form == "json":
        assert [(d["code"], d["line"]) for d in json.loads(out)] == [("HD404", 9)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no.json"], "'no.json' cannot be read: No such file or directory"),
        ([], "there is nothing to check"),
        (["nms.json", "-o", "x.json"], "-o names the corrected copy"),
        (["nms.json", "--network", "nms.json"], "is no model file that is known here"),
        (["parsed.har"], "is no text"),
        (["nms.json", "--script", "no.alls"], "'no.alls' cannot be read"),
    ],
)
def test_what_cannot_run_says_why(folder, capsys, words, message):
    assert main(["validate-nms", *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_one_unreadable_file_does_not_lose_the_others(folder, capsys):
    damage(classes=80)
    assert main(["validate-nms", "no.json", "nms.json", "--network", "parsed.har"]) == 2
    captured = capsys.readouterr()
    assert "'no.json' cannot be read" in captured.err
    assert "error HD404" in captured.out


def test_many_files_are_checked_with_progress(folder, capsys):
    names = [f"copy{i}.json" for i in range(120)]
    for name in names:
        Path(name).write_text(json.dumps(SNAIL))
    assert main(["validate-nms", *names, "--severity", "warning"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "120 files checked: nothing to remark\n"
    assert captured.err.splitlines()[0] == "12 of 120 files"
    assert captured.err.splitlines()[-1] == "120 of 120 files"


def test_fix_writes_a_corrected_copy_and_leaves_the_file(folder, capsys):
    damage(classes=80, image_dims=[640, 480])
    before = Path("nms.json").read_text()
    assert main(["validate-nms", "nms.json", "--network", "parsed.har", "--fix"]) == 0
    captured = capsys.readouterr()
    assert "nms.fixed.json: image_dims = [480, 640]\n" in captured.err
    assert "nms.fixed.json: classes = 3\n" in captured.err
    assert Path("nms.json").read_text() == before
    assert json.loads(Path("nms.fixed.json").read_text()) == SNAIL


def test_fix_writes_in_place_or_under_another_name_when_told_so(folder, capsys):
    damage(classes=80)
    assert main(["validate-nms", "nms.json", "--network", "parsed.har", "--fix", "-o", "out.json"]) == 0
    assert json.loads(Path("out.json").read_text()) == SNAIL
    assert main(["validate-nms", "nms.json", "--network", "parsed.har", "--fix", "--write"]) == 0
    assert json.loads(Path("nms.json").read_text()) == SNAIL


def test_fix_without_a_network_says_that_nothing_is_proved(folder, capsys):
    damage(classes=80)
    assert main(["validate-nms", "nms.json", "--fix"]) == 0
    assert "nms.json: nothing to correct: without --network nothing is proved" in capsys.readouterr().err
    assert not Path("nms.fixed.json").exists()


def test_fix_keeps_the_line_ends_of_the_file(folder, capsys):
    text = json.dumps(with_changes(SNAIL, classes=80), indent=2).replace("\n", "\r\n")
    Path("nms.json").write_bytes(text.encode())
    assert main(["validate-nms", "nms.json", "--network", "parsed.har", "--fix", "--write"]) == 0
    assert Path("nms.json").read_bytes() == text.replace(": 80", ": 3").encode()


def test_a_file_saved_by_a_windows_editor_is_read(folder, capsys):
    Path("nms.json").write_bytes(json.dumps(SNAIL, indent=2).replace("\n", "\r\n").encode("utf-16"))
    assert main(["validate-nms", "nms.json", "--network", "parsed.har"]) == 0


def test_remarks_come_in_the_same_order_every_time(folder, capsys):
    damage(classes=80, image_dims=[640, 480], regression_length=15)
    Path("model.alls").write_text(NORMALIZED + 'nms_postprocess("nms.json", meta_arch=yolov8)\n')
    words = ["validate-nms", "nms.json", "--script", "model.alls", "--network", "parsed.har", "--json"]
    outputs = set()
    for _ in range(3):
        main(words)
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1
    files = [d["file"] for d in json.loads(outputs.pop())]
    assert files == sorted(files, key=["nms.json", "model.alls"].index)


def process(code: str) -> tuple[float, str]:
    """Seconds of CPU that a new process takes, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def test_a_process_loads_neither_compiler_nor_arrays(folder):
    words = ["validate-nms", "nms.json", "--script", "model.alls", "--network", "parsed.har"]
    words = [str(folder / word) if "." in word else word for word in words]
    code = (
        f"from hailo_decode.cli import main\nmain({words!r})\nimport sys\n"
        "print([name for name in ('numba', 'cv2', 'numpy', 'pydantic', 'torch') if name in sys.modules])"
    )
    assert process(code)[1].splitlines()[-1] == "[]"


def test_a_process_costs_less_than_a_few_imports(folder):
    """A seventh of a second on a quiet machine, where importing pydantic takes a tenth."""
    words = ["nms.json", "--script", "model.alls", "--network", "parsed.har"]
    words = [str(folder / word) if "." in word else word for word in words]
    code = f"from hailo_decode.cli import main\nmain(['validate-nms', *{words!r}])"
    other = min(process("import pydantic.main")[0] for _ in range(5))
    whole = min(process(code)[0] for _ in range(5))
    assert whole < 2.5 * other


def test_a_thousand_files_take_a_few_seconds(folder):
    for i in range(1000):
        (folder / f"copy{i}.json").write_text(json.dumps(SNAIL, indent=2))
    code = (
        "import glob\nfrom hailo_decode.cli import main\n"
        f"main(['validate-nms', '--severity', 'error', *glob.glob({str(folder / 'copy*.json')!r})])"
    )
    seconds, out = process(code)
    assert out == "1000 files checked: nothing to remark\n"
    assert seconds < 5
