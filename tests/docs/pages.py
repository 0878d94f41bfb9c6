"""Pages of Markdown: their blocks of code, run as a reader would run them, and their links.

A block of ``python`` is run in the page's own namespace; one of ``console`` or ``sh`` has its lines that call
``hailo-decode`` run. A block of ``output`` behind one of these is what it prints, ``...`` standing for anything. A block
whose first line is ``# hailo_decode/ROOM/NAME.py`` is a file of that room, and is put there while the page is run.
``<!-- shown, not run: REASON -->`` before a block leaves it alone.
"""

import contextlib
import doctest
import importlib
import io
import itertools
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hailo_decode.cli import COULD_NOT_RUN, main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROGRAM = "hailo-decode"
SHELLS = ("console", "sh", "bash", "shell")
_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>\S*).*$")
_COMMENT = re.compile(r"^<!-- shown, not run: \S.* -->$")
_FILE = re.compile(r"^# hailo_decode/(?P<room>\w+)/(?P<name>\w+)\.py$")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(?P<title>.+?)\s*$")
_SAME = doctest.OutputChecker()
_LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    language : str
    text : str
    line : int
        Of its first line, counted from 1.
    left_alone : bool
    output : str or None
        What it prints, where the page says so.
    """

    language: str
    text: str
    line: int
    left_alone: bool = False
    output: str | None = None


def pages():
    """Return the page to read first, and all others."""
    first = [ROOT / "README.md"] if (ROOT / "README.md").exists() else []
    return first + sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)


def name_of(page):
    """Return a page's path from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks_of(page):
    """Return the fenced blocks of a page, each with its output."""
    found, fence, before = [], None, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence is not None:
            if line.rstrip() == fence:
                fence = None
            else:
                found[-1].text += line + "\n"
        elif match := _FENCE.match(line):
            fence = match["fence"]
            found.append(Block(match["language"], "", number + 1, bool(_COMMENT.match(before))))
        if line.strip():
            before = line.strip()
    for block, following in itertools.pairwise(found):
        if following.language == "output":
            block.output = following.text
    return found


def without_blocks(page):
    """Return a page's text outside of its fenced blocks."""
    lines, fence = [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        match = _FENCE.match(line)
        if fence is not None:
            fence = None if line.rstrip() == fence else fence
        elif match:
            fence = match["fence"]
        else:
            lines.append(line)
    return "\n".join(lines)


def links_of(page):
    """Return the targets of a page's links to other pages and files."""
    targets = [match["target"] for match in _LINK.finditer(without_blocks(page))]
    return [t for t in targets if not re.match(r"[a-z]+:", t)]


def anchors_of(page):
    """Return the anchors of a page's headings, as GitHub and MyST make them."""
    titles = [match["title"] for line in without_blocks(page).splitlines() if (match := _HEADING.match(line))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def run(page):
    """Run all blocks of a page, in the folder that is the current one.

    Raises
    ------
    AssertionError
        When a block prints something else than the page shows, or a command could not run.
    """
    namespace = {"__name__": "__main__"}
    with contextlib.ExitStack() as stack:
        for block in blocks_of(page):
            where = f"{name_of(page)}:{block.line}"
            if block.left_alone:
                continue
            if block.language == "python":
                if match := _FILE.match(block.text.partition("\n")[0]):
                    stack.enter_context(in_room(match["room"], match["name"], block.text))
                    continue
                code = compile("\n" * (block.line - 1) + block.text, name_of(page), "exec")
                _check(where, _printed(exec, code, namespace), block.output)
            elif block.language in SHELLS:
                _run_commands(where, block)


def _run_commands(where, block):
    for words, shown in _commands(block):
        code = None

        def call(words=words):
            nonlocal code
            code = main(shlex.split(words)[1:])

        printed = _printed(call)
        assert code != COULD_NOT_RUN or shown is not None, f"{where}: {words}\n{printed}"
        _check(where, printed, shown)


def _commands(block):
    """Return the command lines of a block that call the program, each with its output where that is shown."""
    text = re.sub(r"\\\n\s*", "", block.text)
    if block.language == "console":
        lines = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
        pairs = [line.partition("\n")[::2] for line in lines]
    else:
        pairs = [(line, "") for line in text.splitlines()]
    calls = [(words.partition(" #")[0], shown or None) for words, shown in pairs if _calls(words)]
    if calls and block.output is not None:
        calls[-1] = (calls[-1][0], block.output)
    return calls


def _calls(words):
    return words.split(" ", 1)[0] == PROGRAM


def _printed(function, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        function(*arguments)
    return out.getvalue()


def _check(where, printed, shown):
    if shown is not None:
        example = doctest.Example("", shown)
        assert _SAME.check_output(shown, printed, _LOOSELY), (
            f"{where}\n{_SAME.output_difference(example, printed, _LOOSELY)}"
        )


@contextlib.contextmanager
def in_room(room, name, text):
    """Put a file into a room of the package, where its walk finds it, and take it out again."""
    package = importlib.import_module(f"hailo_decode.{room}")
    folder = Path.cwd() / "rooms" / room
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    package.__path__.append(str(folder))
    _forget(package)
    try:
        yield
    finally:
        package.__path__.remove(str(folder))
        sys.modules.pop(f"{package.__name__}.{name}", None)
        if hasattr(package, name):
            delattr(package, name)
        _forget(package)


def _forget(package):
    """Let the next question to a room walk through it anew."""
    importlib.invalidate_caches()
    for function in vars(package).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def run_in_copy(page, folder):
    """Run a page on a copy of the package to which its files and edits were added, in a process of its own.

    The compiled kernels are those of the original, so that nothing is compiled anew.

    Raises
    ------
    AssertionError
        When a block prints something else than the page shows.
    """
    package = folder / "hailo_decode"
    shutil.copytree(ROOT / "hailo_decode", package, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    (package / "kernels" / "__init__.py").write_text(
        f"__path__ = [{str(ROOT / 'hailo_decode' / 'kernels')!r}]\n"
    )
    code, shown = [], []
    for block in blocks_of(page):
        first = block.text.partition("\n")[0]
        if block.language == "diff":
            _edit(folder / first.removeprefix("# "), block.text)
        elif block.language == "python" and _FILE.match(first):
            (folder / first.removeprefix("# ")).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            code += [block.text, "print('-- ', flush=True)"]
            shown.append((block.line, block.output))
    script = folder / "page.py"
    script.write_text("\n".join(code), encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for (line, output), printed in zip(shown, done.stdout.split("-- \n"), strict=False):
        _check(f"{name_of(page)}:{line}", printed, output)


def _edit(file, diff):
    """Put the added lines of a diff behind the lines that they follow."""
    text = file.read_text(encoding="utf-8")
    before = ""
    for line in diff.splitlines()[1:]:
        if line.startswith("+"):
            assert text.count(before) == 1, f"{file.name}: {before!r} is not there once"
            text = text.replace(before, f"{before}{line[1:]}\n")
            before = f"{line[1:]}\n"
        elif not line.startswith("@@"):
            before = f"{line[1:]}\n"
    file.write_text(text, encoding="utf-8")
