"""HD310 to HD322: the command that puts the NMS step in: its arguments, its step, its engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hailo_decode.config.alls import Script, Statement
from hailo_decode.config.alls_commands import NMS_ARGUMENTS, NMS_PATH, nearest
from hailo_decode.config.meta_archs import (
    FORMER_NAMES,
    META_ARCHS,
    find_meta_arch,
    guess_meta_arch,
)
from hailo_decode.lint._derived import meta_arch_name, meta_arch_value
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig

_FORM = 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)'


@rule("HD310")
def unknown_nms_argument(script: Script) -> Iterator[Finding]:
    """`nms_postprocess` is given an argument that it does not have.

    The compiler ends with "No argument named ...". The file is the first argument, or `config_path=`.

    ```bad
    nms_postprocess(nms_config_file_path="nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```bad
    nms_postprocess(meta_arch=yolov8, engine=cpu, nms_iou_thresh=0.7)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    for statement in script.calls("nms_postprocess"):
        for argument in statement.arguments:
            key = argument.key
            if key is None or key in NMS_ARGUMENTS:
                continue
            near = NMS_PATH if "config" in key or "path" in key else nearest(key, NMS_ARGUMENTS, 0.6)
            hint = f"did you mean {near!r}?" if near else f"the usual form is {_FORM}"
            place = script.place(argument.start, argument.start + len(key))
            yield Finding(place, f"nms_postprocess has no argument {key!r}", hint)


@rule("HD311")
def meta_arch_missing(script: Script, nms: Statement, config: NmsConfig | None = None) -> Iterator[Finding]:
    """`nms_postprocess` does not say which step it means.

    A file alone is not enough: the compiler wants `meta_arch` with it.

    ```bad
    nms_postprocess("nms.json")
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if not meta_arch_name(nms):
        fits = f"for this file it is meta_arch={config.arch.name}" if config is not None else _FORM
        yield Finding(script.span(nms), "nms_postprocess names no meta_arch", fits)


@rule("HD312")
def meta_arch_unknown(script: Script, nms: Statement) -> Iterator[Finding]:
    """`nms_postprocess` names a step that there is none of.

    One step serves several families of networks: `yolov8` also YOLOv9 to YOLO12, `yolov5` also YOLOv3 to v7.

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov11, engine=cpu)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    name, value = meta_arch_name(nms), meta_arch_value(nms)
    if value is None or not name or find_meta_arch(name) or re.search(r"__|\$|\{", name):
        return
    near = guess_meta_arch(name)
    hint = f"use {near!r}" if near else f"known: {', '.join(arch.name for arch in META_ARCHS)}"
    yield Finding(script.span(value), f"there is no meta_arch {name!r}", hint)


@rule("HD313", severity=Severity.WARNING)
def meta_arch_renamed(script: Script, nms: Statement) -> Iterator[Finding]:
    """`nms_postprocess` names a step by the name it had years ago.

    `yolo` was the name of `yolov5` in the model zoo's releases 2.3 to 2.6. Whether today's compilers still
    know it is not documented.

    ```bad
    nms_postprocess("nms.json", yolo)
    ```
    ```good
    nms_postprocess("nms.json", yolov5, engine=cpu)
    ```
    """
    name, value = meta_arch_name(nms), meta_arch_value(nms)
    if value is not None and name in FORMER_NAMES:
        what = f"{name!r} is what this step was called years ago"
        yield Finding(script.span(value), what, f"write {FORMER_NAMES[name]}")


@rule("HD315")
def engine_cannot_run(script: Script, nms: Statement) -> Iterator[Finding]:
    """The step cannot run on the engine that is named.

    Distances with bins (`meta_arch=yolov8`), objectness heads (`yolox`) and masks run on the host only
    (`engine=cpu`); plain distances (`yolov6`) and centres on the chip only (`engine=nn_core`). With `auto`,
    or without an engine, the compiler tries the chip first, and ends with "The specified meta architecture
    ... cannot be run on chip".

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=nn_core)
    ```
    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=auto)
    ```
    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    arch, value = find_meta_arch(meta_arch_name(nms)), nms.get("engine")
    if arch is None:
        return
    engine = value.text if value is not None else ""
    right = arch.engines[0]
    if value is None:
        if not arch.bare:
            what = f"no engine is named, and {arch.name} does not run on the chip, which is tried first"
            yield Finding(script.span(nms), what, f"add engine={right}", confidence=Confidence.LIKELY)
    elif engine == "auto":
        if not arch.bare:
            what = f"engine=auto tries the chip, and {arch.name} does not run on it"
            yield Finding(script.span(value), what, f"write engine={right}")
    elif engine not in arch.engines and not re.search(r"__|\$|\{", engine):
        where = {"nn_core": "the chip", "cpu": "the host"}.get(engine)
        what = f"{arch.name} does not run on {where}" if where else f"there is no engine {engine!r}"
        yield Finding(script.span(value), what, f"write engine={' or engine='.join(arch.engines)}")


@rule("HD320", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def nms_command_twice(script: Script) -> Iterator[Finding]:
    """`nms_postprocess` stands in the script more than once.

    No public script has it twice. Which of them would be in force is not documented.

    ```bad
    nms_postprocess("a.json", meta_arch=yolov8, engine=cpu)
    nms_postprocess("b.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess("a.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    for statement in list(script.calls("nms_postprocess"))[1:]:
        yield Finding(
            script.span(statement), "nms_postprocess stands here a second time", "remove one of them"
        )


@rule("HD322", severity=Severity.NOTE)
def thresholds_not_used(script: Script, nms: Statement) -> Iterator[Finding]:
    """Boxes are decoded and not suppressed, so the file's thresholds have no effect.

    With `bbox_decoding_only=True` the step hands every box over; score and IoU thresholds are the program's
    business.

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu, bbox_decoding_only=True)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    argument = nms.argument("bbox_decoding_only")
    if argument is not None and argument.value.value is True:
        yield Finding(script.span(argument), "boxes are only decoded: the file's thresholds have no effect")
