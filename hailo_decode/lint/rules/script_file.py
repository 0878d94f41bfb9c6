"""HD314 to HD321: the file that the NMS command of a script names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from hailo_decode.config.alls import Script, Statement
from hailo_decode.config.alls_commands import NMS_KEYS
from hailo_decode.config.meta_archs import MetaArch, Shape, find_meta_arch
from hailo_decode.lint._derived import config_value, meta_arch_name, meta_arch_value
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


@rule("HD314")
def file_and_arguments(script: Script, nms: Statement) -> Iterator[Finding]:
    """`nms_postprocess` is given a file and, beside it, what belongs into the file.

    The compiler ends with "Both config path and config arguments were given".

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu, classes=3)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    doubled = [a for a in nms.arguments if a.key in NMS_KEYS]
    if config_value(nms) is not None and doubled:
        keys = ", ".join(str(a.key) for a in doubled)
        what = f"a file is named, and {keys} beside it"
        yield Finding(script.span(doubled[0]), what, "put it into the file")


@rule("HD316")
def config_file_not_found(script: Script, nms: Statement, script_path: Path) -> Iterator[Finding]:
    """The file that `nms_postprocess` names is not there.

    A path in a script is taken from the script's own folder. The compiler ends with "Post-process config file
    isn't found in ...". A script that is handed over as text has no folder: write the whole path there.

    ```bad
    nms_postprocess("no-such-folder/nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess(meta_arch=ssd, engine=nn_core)
    ```
    """
    value = config_value(nms)
    named = os.path.expandvars(value.text) if value is not None else ""
    if value is None or not named or "\0" in named or "$" in named:
        return  # Where a variable of the environment leads on another machine cannot be told.
    folder = script_path.parent
    if (folder / named).is_file():
        return
    absolute = PurePosixPath(named).is_absolute() or PureWindowsPath(named).is_absolute()
    near = _nearby(folder, named)
    hint = f"{near!r} is there" if near else f"it is looked for from {str(folder)!r}"
    what = f"there is no file {named!r}"
    if absolute:
        what += " on this machine"
    severity = Severity.WARNING if absolute else Severity.ERROR
    yield Finding(script.span(value), what, hint, severity=severity)


def _nearby(folder: Path, named: str) -> str | None:
    """Return a path by which a file of that name is found: from higher up, deeper, or with a folder less."""
    parts = [part for part in re.split(r"[/\\]+", named) if part and part != "."]
    down = [part for part in parts if part != ".."]
    ways = [down, down[-2:], down[-1:], *(down[:i] + down[i + 1 :] for i in range(len(down) - 1))]
    for up in range(5):
        for way in ways:
            path = "/".join([".."] * up + way)
            if (folder / path).is_file():
                return path
    return None


@rule("HD317", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def other_file_than_checked(
    script: Script, nms: Statement, config_path: Path, script_path: Path | None = None
) -> Iterator[Finding]:
    """The script names another file than the one that is checked beside it.

    What is checked here is then not what the compiler reads.

    ```bad
    nms_postprocess("another_nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    value = config_value(nms)
    if value is None or not value.text or "\0" in value.text:
        return
    named = re.split(r"[/\\]", value.text)[-1]
    if not config_path.name.endswith(named):
        what = f"the script reads {value.text!r}, and {config_path.name!r} is checked here"
        yield Finding(script.span(value), what, "check the two files that go together")


@rule("HD318")
def file_for_another_meta_arch(script: Script, nms: Statement, config: NmsConfig) -> Iterator[Finding]:
    """The file's entries are not those that the named step reads.

    A step looks its layers up by their keys: `reg_layer` and `cls_layer`, `encoded_layer`, `objectness_layer`
    and so on. What a file is for is told by its keys, not by its name: some files of the model zoo are named
    after one family and have the keys of another.

    ```config
    {"stride": 8, "w": [10, 16, 33], "h": [13, 30, 23], "encoded_layer": "conv74"}
    ```
    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov5, engine=cpu)
    ```
    """
    arch, value = find_meta_arch(meta_arch_name(nms)), meta_arch_value(nms)
    if arch is None or value is None or not arch.shapes or config.shape in arch.shapes:
        return
    shipped = config.shape is Shape.DISTANCES and Shape.OBJECTNESS in arch.shapes
    what = f"{arch.name} reads files with {_words(arch)}; this one has {config.shape.value}"
    hint = f"such a file is for meta_arch={config.arch.name}"
    yield Finding(script.span(value), what, hint, severity=Severity.WARNING if shipped else None)


def _words(arch: MetaArch) -> str:
    return " or ".join(shape.value for shape in arch.shapes)


@rule("HD319", severity=Severity.WARNING)
def configuration_not_used(script: Script, config: NmsConfig) -> Iterator[Finding]:
    """The script has no command that reads the configuration.

    The compiled network then has raw outputs, and no NMS step: nothing is wrong with that, unless NMS was
    wanted. The command must be in the script that is loaded before optimization; loaded afterwards, it has no
    effect, and no message tells.

    ```config
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    # nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if any(script.calls("nms_postprocess")):
        return
    for start, end in script.comments:
        if "nms_postprocess" in script.text[start:end]:
            what, hint = "the NMS command stands in a comment, so there is no NMS step", "remove the '#'"
            yield Finding(script.place(start, end), what, hint)
            return
    hint = f'add nms_postprocess("nms.json", meta_arch={config.arch.name}, engine={config.arch.engines[0]})'
    yield Finding(script.place(0, 0), "no command of the script puts an NMS step in", hint)


@rule("HD321", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def defaults_instead_of_a_file(script: Script, nms: Statement) -> Iterator[Finding]:
    """No file is named, so the compiler takes the one that it ships for this step.

    That one holds the layer names, the classes and the anchors of a stock network, or empty names that it
    fills in when it recognises the head. With another number of classes it has failed to.

    ```bad
    nms_postprocess(meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if (
        config_value(nms) is None
        and meta_arch_name(nms)
        and not any(a.key == "bbox_decoders" for a in nms.arguments)
    ):
        hint = "name a file; `hailo-decode generate-nms FILE` writes it"
        yield Finding(script.span(nms), "the compiler's default layers and anchors are used", hint)
