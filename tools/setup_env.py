#!/usr/bin/env python3
"""Makes the environment that `make` works in; a second call finds it made and does nothing.

Needs python3 with its venv module, and an index of packages. Where the desktop libraries are missing that
opencv-python wants (a slim container without libGL.so.1), opencv-python-headless is taken in its place.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 10)
DESKTOP, HEADLESS = "opencv-python", "opencv-python-headless"
STAMP = "hailo-decode.json"


def main() -> int:
    """Make the environment if it is not there as asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("extra", nargs="*", help="extras of the package, such as test or dev")
    parser.add_argument("--venv", default=".venv", help="where to make it (.venv)")
    parser.add_argument("--wheel", help="install this wheel, in place of the working tree")
    parser.add_argument(
        "--pin", action="append", default=[], metavar="NAME==VERSION", help="a version to hold to"
    )
    args = parser.parse_args()
    if sys.version_info < OLDEST:
        return complain(
            f"Python {'.'.join(map(str, OLDEST))} or newer is wanted; this is {sys.version.split()[0]}"
        )
    folder = ROOT / args.venv
    python = folder / "bin" / "python"
    if Path(sys.prefix).resolve() == folder.resolve():
        return install(folder, args)
    stamp = read_stamp(folder)
    if ready(stamp, args) and works(python):
        return 0
    if not works(python):
        made = make_venv(folder)
        if made:
            return made
    # The packages are read and installed by the Python inside, whatever the one outside has.
    return subprocess.call([str(python), str(Path(__file__).resolve()), *sys.argv[1:]])


def make_venv(folder: Path) -> int:
    """Make an empty environment, and say what is missing where that fails."""
    print(f"making {folder.name} with Python {sys.version.split()[0]}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return 0
    shutil.rmtree(folder, ignore_errors=True)
    hint = "on Debian: apt install python3-venv" if "ensurepip" in done.stdout + done.stderr else ""
    return complain("no environment could be made", (done.stdout + done.stderr).strip(), hint)


def install(folder: Path, args: argparse.Namespace) -> int:
    """Install the package and what it wants; runs inside the environment."""
    before = read_stamp(folder)
    extras = sorted({*args.extra, *(before.get("extras", []) if before.get("wheel") == args.wheel else [])})
    headless = before.get("opencv") == HEADLESS or not has_desktop_libraries()
    for opencv in [HEADLESS] if headless else [DESKTOP, HEADLESS]:
        wanted = [as_chosen(r, opencv) for r in [*requirements(extras), *args.pin]]
        print(
            f"installing {len(wanted)} packages and what they want into {folder.name} ({opencv})", flush=True
        )
        package = [args.wheel] if args.wheel else ["--editable", str(ROOT)]
        for words in (wanted, ["--no-deps", *package]):
            failed = pip("install", *words)
            if failed:
                return complain(
                    "the packages could not be installed",
                    failed,
                    "is there a way to pypi.org, or an index in pip.conf?",
                )
        fault = import_fault("cv2")
        if fault is None:
            write_stamp(folder, args, extras, opencv)
            return 0
        print(f"{opencv} cannot be loaded here: {fault}", flush=True)
        pip("uninstall", "--yes", opencv)
    return complain("OpenCV cannot be loaded in any of its builds", fault or "")


def requirements(extras: list[str]) -> list[str]:
    """Return what the package and its extras ask for, by pyproject.toml."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        from pip._vendor import tomli as tomllib  # type: ignore[no-redef]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    left, seen = list(extras), set()
    while left:
        extra = left.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for requirement in project["optional-dependencies"][extra]:
            own, _, inner = requirement.partition("[")
            if own == project["name"]:
                left += inner.rstrip("]").split(",")
            else:
                wanted.append(requirement)
    return wanted


def as_chosen(requirement: str, opencv: str) -> str:
    """Put the chosen build of OpenCV in place of the one that is asked for."""
    rest = requirement.removeprefix(DESKTOP)
    return opencv + rest if rest != requirement and not rest.startswith("-") else requirement


def has_desktop_libraries() -> bool:
    """Tell whether the library that is missing most often can be loaded."""
    try:
        ctypes.CDLL("libGL.so.1")
    except OSError:
        return not sys.platform.startswith("linux")
    return True


def import_fault(module: str) -> str | None:
    """Return why a module cannot be imported, None where it can."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}"], capture_output=True, text=True, check=False
    )
    return None if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def pip(*words: str) -> str | None:
    """Run pip quietly; return what it said where it failed."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return None if done.returncode == 0 else done.stderr.strip()[-2000:]


def works(python: Path) -> bool:
    """Tell whether an environment's Python starts; after an upgrade of the system's it may not."""
    return (
        os.access(python, os.X_OK)
        and subprocess.call([str(python), "-c", ""], stderr=subprocess.DEVNULL) == 0
    )


def asked(args: argparse.Namespace) -> dict[str, Any]:
    """Return all that decides what is installed, but for the extras."""
    text = (ROOT / "pyproject.toml").read_bytes() + Path(__file__).read_bytes()
    return {"sources": hashlib.sha256(text).hexdigest(), "wheel": args.wheel, "pins": sorted(args.pin)}


def ready(stamp: dict[str, Any], args: argparse.Namespace) -> bool:
    """Tell whether an environment holds all that is asked for; a wheel is installed each time."""
    same = all(stamp.get(key) == value for key, value in asked(args).items())
    return same and args.wheel is None and set(args.extra) <= set(stamp["extras"])


def read_stamp(folder: Path) -> dict[str, Any]:
    """Return what an earlier call installed."""
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(folder: Path, args: argparse.Namespace, extras: list[str], opencv: str) -> None:
    """Note what is installed."""
    text = json.dumps({**asked(args), "extras": extras, "opencv": opencv}, indent=1)
    (folder / STAMP).write_text(text + "\n", encoding="utf-8")


def complain(what: str, details: str = "", hint: str = "") -> int:
    """Say what is wrong and what to do."""
    print(
        "\n".join([f"error: {what}", *filter(None, [details, f"hint: {hint}" if hint else ""])]),
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
