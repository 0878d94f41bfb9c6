"""HD510 to HD513: whether the file runs on the device and its HailoRT, and with the class names given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo


@rule("HD510")
def device_does_not_fit(network: NetworkInfo, device: str) -> Iterator[Finding]:
    """The file is made for another device.

    HailoRT refuses it (HAILO_HEF_NOT_COMPATIBLE_WITH_DEVICE). A file for the Hailo-8L runs on the Hailo-8, at
    the speed of the 8L; one for the Hailo-8 does not run on the 8L. Files for the Hailo-10H and the Hailo-15H
    run on both. Nothing helps but to compile again, with `--hw-arch` of the device.

    ```device
    hailo8l
    ```
    ```bad
    {"devices": ["hailo8"], "outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}]}
    ```
    ```good
    {"devices": ["hailo8l", "hailo8"], "outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}]}
    ```
    """
    if network.devices and device not in network.devices:
        compiled = (
            network.source != "har"
        )  # an archive is compiled later, and can still be for another device
        what = f"it is compiled for {', '.join(network.devices)}, and does not run on {device}"
        yield Finding(
            ("devices",),
            what if compiled else f"it was made with {', '.join(network.devices)} in mind, not {device}",
            f"compile it again, with --hw-arch {device}",
            severity=None if compiled else Severity.WARNING,
            confidence=None if compiled else Confidence.LIKELY,
        )


@rule("HD511")
def hailort_refuses_it(network: NetworkInfo) -> Iterator[Finding]:
    """HailoRT 5.2 refuses the file, or a part of it.

    The file can be read, and breaks a rule that HailoRT checks when it loads it: a pad of a step that no layer
    feeds, two layers of one name, more scales than channels, an extension that this HailoRT does not have. What
    older or newer releases check differs; a file that lacks `PERIPH_CALCULATION_IN_HAILORT` was made by a
    compiler before 2024 and runs with the HailoRT of its time.

    ```bad
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}],
     "facts": {"hailort_refuses": ["two layers have the name 'net/conv41'"]}}
    ```
    ```good
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}], "facts": {"hailort_refuses": []}}
    ```
    """
    refused = network.facts.get("hailort_refuses")
    for text in refused if isinstance(refused, list) else ():
        of_its_time = str(text).startswith(("it lacks the extension", "it needs the extension"))
        yield Finding(
            (),
            f"HailoRT 5.2 refuses the file: {text}",
            "the HailoRT of the compiler's release may take it"
            if of_its_time
            else "compile it again; a file of the compiler's that comes so is worth a report to Hailo",
            severity=Severity.WARNING if of_its_time else None,
        )


@rule("HD512")
def names_do_not_fit(
    network: NetworkInfo, names: Sequence[str] | None = None, classes: int | None = None
) -> Iterator[Finding]:
    """There are more or fewer class names than classes.

    Names are given by number, so one that is missing or too many mostly means that all behind it are shifted,
    or that the list is that of another model. Hailo's own applications count a background as class 0 in their
    files of labels; here it is no class, and a first `unlabeled` or `background` is left out as such.

    ```names
    person
    bicycle
    ```
    ```bad
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS", "nms": {"number_of_classes": 80}}]}
    ```
    ```good
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS", "nms": {"number_of_classes": 2}}]}
    ```
    """
    given = network.classes if names is None else names
    if names is None and (not given or network.nms_done):
        return  # what a file says of its own result, HD513 compares
    counts = {one.nms.classes: repr(one.name) for one in network.outputs if one.nms and one.nms.classes}
    if not counts and classes:
        counts = {classes: "the outputs"}
    for count, owner in counts.items():
        if count != len(given):
            what = f"{len(given)} class names do not go with the {count} classes of {owner}"
            yield Finding(("outputs",), what, "the list is that of another model, or counts the background")


@rule("HD513", severity=Severity.WARNING)
def metadata_contradicts_the_network(network: NetworkInfo) -> Iterator[Finding]:
    """What lies beside the network says otherwise than the network itself.

    Such as a `metadata.yaml` of another export in the folder of a HEF. Where the HEF says something, it counts;
    class names, task and keypoints come from the metadata, and may be those of another model.

    ```bad
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}],
     "facts": {"disagreements": ["imgsz is 640x640, the HEF's input is 320x320"]}}
    ```
    ```good
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}], "facts": {}}
    ```
    """
    told = network.facts.get("disagreements")
    for text in told if isinstance(told, list) else ():
        yield Finding((), str(text), "put the metadata of the same export beside it")
