"""The pages do what they show: their code runs, and their links lead somewhere."""

import os
import re
import subprocess
import sys

import pytest

import hailo_decode
from docs import desk as files
from docs import devices, pages
from hailo_decode import errors

RUNNABLE = {"python", *pages.SHELLS}
SHOWING = [page for page in pages.pages() if any(b.language in RUNNABLE for b in pages.blocks_of(page))]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that pages speak of, and a chip that has seen one photo."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    files.lay_out(tmp_path)
    for name, module in devices.modules(files.demo()).items():
        monkeypatch.setitem(sys.modules, name, module)
    return tmp_path


@pytest.mark.parametrize("page", SHOWING, ids=pages.name_of)
def test_a_pages_code_does_what_the_page_shows(page, desk):
    if any(block.language == "diff" for block in pages.blocks_of(page)):
        pages.run_in_copy(page, desk)
    else:
        pages.run(page)


@pytest.mark.parametrize("page", pages.pages(), ids=pages.name_of)
def test_a_pages_links_lead_to_a_page_and_a_heading_that_are_there(page):
    for target in pages.links_of(page):
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), target
        assert not anchor or anchor in pages.anchors_of(place), target


def test_the_first_pages_show_code_that_is_run():
    for name in ("start.md", "add-a-family.md", "add-an-order.md"):
        blocks = [b for b in pages.blocks_of(pages.DOCS / name) if b.language in RUNNABLE]
        assert len(blocks) > 2
        assert not any(block.left_alone for block in blocks)


def test_the_made_up_family_passes_the_tests_of_every_family(desk):
    block = next(
        b for b in pages.blocks_of(pages.DOCS / "add-a-family.md") if b.text.startswith("# hailo_decode/")
    )
    room = desk / "rooms"
    room.mkdir()
    (room / "lattice.py").write_text(block.text, encoding="utf-8")
    (desk / "with_lattice.py").write_text(
        f"import hailo_decode.families\nhailo_decode.families.__path__.append({str(room)!r})\n",
        encoding="utf-8",
    )
    tests = pages.ROOT / "tests" / "families" / "test_every_family.py"
    words = ["-q", "-p", "with_lattice", "-k", "lattice", "-p", "no:cacheprovider", str(tests)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=pages.ROOT,
        env={**os.environ, "PYTHONPATH": str(desk)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 10


def test_the_floors_on_the_page_on_design_are_those_that_are_checked():
    settings = (pages.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = re.findall(r'"(.+?)"', re.search(r"^layers = \[(.*?)^\]", settings, re.DOTALL | re.MULTILINE)[1])
    heights = {room: i for i, layer in enumerate(layers) for room in layer.split(" : ")}
    floors = pages.blocks_of(pages.DOCS / "design.md")[0].text.splitlines()
    shown = [{heights[room] for room in floor.split(" : ")} for floor in floors]
    assert all(len(height) == 1 for height in shown)
    assert shown == sorted(shown, key=min)
    assert len(shown) == len(set.union(*shown))


def test_every_figure_on_the_page_on_design_stands_in_the_source_it_names():
    rows = re.findall(
        r"^\| `(\w+\.py)` \| (.+)$", (pages.DOCS / "design.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(rows) > 5
    for name, text in rows:
        source = (pages.ROOT / "hailo_decode" / "kernels" / name).read_text(encoding="utf-8")
        for figure in re.findall(r"[\d.]+ (?:us|ns|GB/s|times)", text):
            assert figure in source, f"{name}: {figure}"


def test_every_error_is_on_the_page_of_errors_and_its_tree_is_that_of_the_source():
    page = (pages.DOCS / "errors.md").read_text(encoding="utf-8")
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    missing = {kind.__name__ for kind in kinds if f"### {kind.__name__}\n" not in page}
    assert missing == {"HailoDecodeError", "TensorError"}
    assert errors.__doc__.partition("\n\n")[2].strip() in page


def test_every_public_name_is_on_the_page_of_names():
    page = (pages.DOCS / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\.\. auto\w+:: (\w+)$", page, re.MULTILINE))
    assert set(hailo_decode.__all__) - {"__version__"} <= listed


def test_every_note_that_a_result_may_carry_is_explained():
    page = (pages.DOCS / "start.md").read_text(encoding="utf-8")
    keys = set()
    for source in (pages.ROOT / "hailo_decode").rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        keys |= {a or b for a, b in re.findall(r'meta\["(\w+)"\] =|_note\(meta, "(\w+)"', text)}
    assert keys
    assert [key for key in sorted(keys) if f"| `{key}` |" not in page] == []
