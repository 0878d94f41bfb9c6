"""HD301 to HD309: the text of a model script, its commands and its words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hailo_decode.config.alls import Script, ScriptKind, Value
from hailo_decode.config.alls_commands import COMMANDS, FEATURES, FLAVOR_ARGUMENTS, nearest
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity


def _of_kind(script: Script, kind: ScriptKind) -> Iterator[Finding]:
    for fault in script.faults:
        if fault.kind is kind:
            yield Finding(script.span(fault), fault.message, fault.hint)


@rule("HD301")
def script_is_broken(script: Script) -> Iterator[Finding]:
    """A statement of the script cannot be read: a comma, a quote or a bracket is missing or misplaced.

    The compiler stops at it with a parser error. Each statement is one command with its arguments in round
    brackets; lists are in square ones, sets of layers in curly ones; every argument is parted by a comma.

    ```bad
    nms_postprocess("nms.json" meta_arch=yolov8, engine=cpu)
    ```
    ```bad
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0]
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    return _of_kind(script, ScriptKind.SYNTAX)


@rule("HD302")
def typographic_quotes_in_script(script: Script) -> Iterator[Finding]:
    """Typographic quotes stand where straight ones must.

    Word processors, chat programs and forums curl quotes when text is pasted into them; the compiler's parser
    knows the straight ones only.

    ```bad
    nms_postprocess(“nms.json”, meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    return _of_kind(script, ScriptKind.QUOTES)


@rule("HD303", severity=Severity.WARNING, confidence=Confidence.POSSIBLE)
def bracket_too_many(script: Script) -> Iterator[Finding]:
    """A closing bracket stands behind a statement that is closed already.

    One script of the model zoo (releases 2.9.1 to 2.11) was shipped like this, so some compilers read over
    it; whether all do is not known.

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu))
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    return _of_kind(script, ScriptKind.EXTRA_BRACKET)


@rule("HD304", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def backslash_in_script(script: Script) -> Iterator[Finding]:
    r"""A backslash stands in the script.

    It was left over from a shell command. Inside brackets a statement may simply go on in the next line.

    ````bad
    model_optimization_flavor(optimization_level=2) \
    performance_param(compiler_optimization_level=max)
    ````
    ```good
    model_optimization_flavor(optimization_level=2)
    ```
    """
    return _of_kind(script, ScriptKind.BACKSLASH)


# A path may begin with a variable of the environment, as in scripts of the model zoo: that is no placeholder.
_TOKEN = re.compile(r"__[A-Z][A-Z_]*__|\{\{.*?\}\}|<[\w /.-]+>")


@rule("HD305")
def template_not_filled(script: Script) -> Iterator[Finding]:
    """A placeholder of a template stands in the script.

    The program that writes the script was to put a value in its place.

    ```bad
    nms_postprocess("nms.json", meta_arch=__META_ARCH__, engine=__ENGINE__)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    for statement in script.statements:
        for argument in statement.arguments:
            for value in argument.value.members:
                if found := _TOKEN.search(value.text):
                    what = f"{found[0]!r} was to be replaced by a value"
                    yield Finding(script.span(value), what, "fill the template in, then check what comes out")


@rule("HD306")
def unknown_command(script: Script) -> Iterator[Finding]:
    """A command is not one of the compiler's.

    Its parser stops at a command that it does not know. A word that is nearly a command is a slip, such as
    the British spelling; one that is like none may be newer than this list, and gets a note only.

    ```bad
    quantisation_param([conv42, conv53, conv63], precision_mode=a16_w16)
    ```
    ```good
    quantization_param([conv42, conv53, conv63], precision_mode=a16_w16)
    ```
    """
    for statement in script.statements:
        command = statement.command.rpartition(".")[2]
        if command in COMMANDS:
            continue
        span = script.span(statement)
        if near := nearest(command, COMMANDS):
            yield Finding(span, f"there is no command {command!r}", f"did you mean {near!r}?")
        else:
            what = f"the command {command!r} is not among those of public scripts"
            yield Finding(span, what, severity=Severity.NOTE, confidence=Confidence.POSSIBLE)


@rule("HD307", confidence=Confidence.LIKELY)
def boolean_in_lower_case(script: Script) -> Iterator[Finding]:
    """`true` or `false` stands in lower case.

    Scripts write `True` and `False`, as Python does. In lower case they occur in scripts that do not work
    only.

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu, bbox_decoding_only=true)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu, bbox_decoding_only=True)
    ```
    """
    for statement in script.statements:
        for argument in statement.arguments:
            for value in argument.value.members:
                if value.kind == "name" and value.text in ("true", "false"):
                    what = f"{value.text!r} is no boolean of model scripts"
                    yield Finding(script.span(value), what, f"write {value.text.capitalize()}")


@rule("HD308")
def feature_word_missing(script: Script) -> Iterator[Finding]:
    """The word that says which feature a command is about is missing.

    `model_optimization_config`, `pre_quantization_optimization` and `post_quantization_optimization` take the
    feature as their first argument: `calibration`, `equalization`, `finetune` and so on. Levels of
    optimization and compression are arguments of `model_optimization_flavor`.

    ```bad
    model_optimization_config(optimization_level=0, batch_size=1)
    ```
    ```good
    model_optimization_config(calibration, batch_size=1, calibset_size=1024)
    ```
    """
    for statement in script.calls(*FEATURES):
        first: Value | None = next(iter(statement.positional), None)
        features = FEATURES[statement.command]
        if first is None or first.kind != "name":
            keys = [a.key for a in statement.arguments if a.key in FLAVOR_ARGUMENTS[:2]]
            hint = f"begin with one of: {', '.join(sorted(features)[:6])}"
            if keys:
                hint = f"{keys[0]} is an argument of model_optimization_flavor"
            yield Finding(
                script.span(statement), f"{statement.command} needs a feature as its first word", hint
            )
        elif first.text not in features and (near := nearest(first.text, features)):
            what = f"{statement.command} has no feature {first.text!r}"
            yield Finding(script.span(first), what, f"did you mean {near!r}?")


# Arguments of these features as public scripts have them; others get no remark unless they are nearly one.
_POLICY = {"quantization", "offline_quantization", "offline"}


@rule("HD309", confidence=Confidence.LIKELY)
def unknown_optimization_argument(script: Script) -> Iterator[Finding]:
    """An argument of an optimization command is one that no script has.

    ```bad
    post_quantization_optimization(finetune, offline_quantization=True)
    ```
    ```good
    post_quantization_optimization(finetune, policy=enabled, epochs=4)
    ```
    """
    for statement in script.calls("post_quantization_optimization"):
        for argument in statement.arguments:
            if argument.key in _POLICY:
                what = f"{statement.command} has no argument {argument.key!r}"
                place = script.place(argument.start, argument.start + len(argument.key or ""))
                yield Finding(
                    place, what, "known: policy, epochs, learning_rate, batch_size, dataset_size, ..."
                )
