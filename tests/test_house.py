"""The house keeps its rules: small files, nothing loaded before its time, every name in its room."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import hailo_decode
from hailo_decode.families import families

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hailo_decode"
SOURCES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 300
NO_NAMES = {"utils", "util", "core", "helpers", "helper", "common", "misc"}
HEAVY = ("numpy", "numba", "cv2", "pydantic", "supervision", "torch")
# Two tables keep the spellings of Hailo's files: a HEF's field numbers, the meta architectures of NMS files.
OWN_WORDS = ("families/", "networks/_hef_numbers.py", "config/meta_archs.py")


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def where(path, node=None):
    return path.relative_to(PACKAGE).as_posix() + (f":{node.lineno}" if node else "")


def test_no_file_is_longer_than_a_reader_holds_in_mind():
    lines = {where(path): path.read_text(encoding="utf-8").count("\n") for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_every_file_says_on_top_what_lives_in_it():
    tops = {where(path): (ast.get_docstring(tree(path)) or "").partition("\n")[0] for path in SOURCES}
    assert [name for name, top in tops.items() if not top.endswith((".", ":"))] == []


def test_every_file_has_a_name_that_means_something():
    assert [where(path) for path in SOURCES if path.stem.strip("_") in NO_NAMES] == []


def test_no_bare_error_is_raised():
    bare = {"Exception", "RuntimeError", "TypeError", "KeyError", "NotImplementedError"}
    raised = [
        where(path, node)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id in bare
    ]
    assert raised == []


def loaded(words):
    """Return which heavy packages a new process has loaded behind some code."""
    code = f"{words}\nimport sys\nprint(*sorted({set(HEAVY)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.splitlines()[-1].split()


def test_importing_the_package_loads_nothing_heavy():
    assert loaded("import hailo_decode") == []


def test_the_help_of_all_commands_loads_nothing_heavy():
    assert loaded("from hailo_decode.cli import main\nmain(['--help'])") == []


def test_decoding_loads_neither_opencv_nor_pydantic():
    words = "from hailo_decode import Decoder, Recording\nimport hailo_decode.workspace"
    assert loaded(words) == ["numpy"]


def test_reading_a_model_file_loads_no_compiler_and_no_numpy():
    assert loaded("from hailo_decode import read_network, NetworkInfo, Quant, FormatOrder") == []


@pytest.mark.parametrize("name", hailo_decode.__all__)
def test_a_public_name_is_there_documented_and_no_folder(name):
    value = getattr(hailo_decode, name)
    assert name == "__version__" or value.__doc__
    assert not (PACKAGE / name).exists()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="decode_everything"):
        hailo_decode.decode_everything  # noqa: B018


def test_public_names_are_the_ones_that_are_listed():
    assert set(hailo_decode.__all__) <= set(dir(hailo_decode))


def test_a_family_is_named_in_its_own_room_only():
    known = families().values()
    names = {name for family in known for name in (family.name, *family.archs)}
    names -= {family.box_code for family in known} | {family.task for family in known}  # words of all rooms
    said = []
    for path in SOURCES:
        module = tree(path)
        prose = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
        said += [
            f"{where(path, node)} {node.value}"
            for node in ast.walk(module)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if node.value in names and id(node) not in prose and not where(path).startswith(OWN_WORDS)
        ]
    assert said == []


def test_every_module_can_be_imported():
    for module in pkgutil.walk_packages(hailo_decode.__path__, "hailo_decode."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
