"""HD220 to HD229: what the list of decoders shows by itself, without the network."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hailo_decode.config.meta_archs import Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


@rule("HD220")
def layer_used_twice(config: NmsConfig) -> Iterator[Finding]:
    """One layer is named in two places.

    Every layer of a head has one role at one scale. Where a name stands twice, one of the two is a slip of
    copying, and the layer that was meant is not read at all.

    ```bad
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 16, "reg_layer": "conv41", "cls_layer": "conv53"}]}
    ```
    ```good
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    """
    first: dict[str, str] = {}
    for i, decoder in enumerate(config.decoders):
        for role, name in decoder.layers.items():
            bare = name if name.startswith("/") else name.rpartition("/")[2]
            if bare in first:
                what = f"{name!r} is named here and as {first[bare]}"
                yield Finding(("bbox_decoders", i, role), what, "give each role of each scale its own layer")
            elif bare:
                first[bare] = f"{role} of decoder {i}"


@rule("HD221", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def stride_used_twice(config: NmsConfig) -> Iterator[Finding]:
    """Two decoders have one stride.

    A head has one scale for each stride; every public configuration has rising strides, each twice the one
    before it.

    ```bad
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 8, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    ```good
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    """
    counts = Counter(d.stride for d in config.decoders if d.stride)
    for i, decoder in enumerate(config.decoders):
        if decoder.stride and counts[decoder.stride] > 1:
            counts[decoder.stride] = 0
            yield Finding(("bbox_decoders", i, "stride"), f"stride {decoder.stride} stands in two decoders")


@rule("HD222", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def stride_is_unusual(config: NmsConfig) -> Iterator[Finding]:
    """A stride is no power of two, or one is left out between two others.

    Networks halve their grid step by step, so strides are 8, 16, 32, or begin at 4 or end at 64. A gap mostly
    means that a decoder is missing.

    ```bad
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 32, "reg_layer": "conv62", "cls_layer": "conv63"}]}
    ```
    ```bad
    {"bbox_decoders": [{"stride": 10, "reg_layer": "conv41", "cls_layer": "conv42"}]}
    ```
    ```good
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    """
    found = sorted((d.stride, i) for i, d in enumerate(config.decoders) if d.stride)
    for stride, i in found:
        if stride & (stride - 1):
            yield Finding(("bbox_decoders", i, "stride"), f"stride {stride} is no power of two")
    for (low, _), (high, i) in itertools.pairwise(found):
        if high > 2 * low:
            what = f"no decoder stands between stride {low} and stride {high}"
            yield Finding(("bbox_decoders", i, "stride"), what, f"add the one of stride {2 * low}")


def layer_number(name: str) -> int | None:
    """Return the number at the end of a layer's name, or None."""
    found = re.search(r"(\d+)$", name)
    return int(found[1]) if found else None


@rule("HD223", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def layer_numbers_fall(config: NmsConfig, network: NetworkInfo | None = None) -> Iterator[Finding]:
    """Layer numbers fall while strides rise.

    The compiler numbers layers in the order in which they are computed, and necks of this kind finish the
    finest grid first: in every public configuration but one, numbers rise with the stride. Where they fall,
    the strides are most likely in reverse order, and every box comes out at the wrong place and size with a
    healthy score. The exception would be a neck that only goes downwards, as in YOLOv3. The maps' sizes in
    a parsed HAR settle it.

    ```bad
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv138", "cls_layer": "conv139"},
                       {"stride": 16, "reg_layer": "conv110", "cls_layer": "conv111"},
                       {"stride": 32, "reg_layer": "conv81", "cls_layer": "conv83"}]}
    ```
    ```good
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv81", "cls_layer": "conv83"},
                       {"stride": 16, "reg_layer": "conv110", "cls_layer": "conv111"},
                       {"stride": 32, "reg_layer": "conv138", "cls_layer": "conv139"}]}
    ```
    """
    if network is not None and (network.layers or network.outputs):
        return
    by_stride = sorted((d.stride, i) for i, d in enumerate(config.decoders) if d.stride)
    strides = [stride for stride, _ in by_stride]
    for role in config.decoders[0].roles if config.decoders else ():
        names = [config.decoders[i].layers.get(role, "") for _, i in by_stride]
        numbers = [n for n in map(layer_number, names) if n is not None]
        if len(numbers) < len(names) or numbers == sorted(numbers):
            continue
        order = "fall" if numbers == sorted(numbers, reverse=True) else "do not rise"
        rising = sorted(names, key=lambda name: layer_number(name) or 0)
        what = f"layer numbers {order} while strides rise: {_by_stride(strides, names)}"
        hint = f"most likely {_by_stride(strides, rising)}; the maps in a parsed HAR (--network) settle it"
        yield Finding(("bbox_decoders", by_stride[0][1], "stride"), what, hint)
        return


def _by_stride(strides: list[int], names: list[str]) -> str:
    return ", ".join(f"{stride} -> {name}" for stride, name in zip(strides, names, strict=True))


@rule("HD224", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def class_layer_before_box_layer(config: NmsConfig, network: NetworkInfo | None = None) -> Iterator[Finding]:
    """A class layer has a lower number than the box layer of its scale.

    In heads whose boxes have bins, the box layer is numbered before the class layer in every public
    configuration (by one to three). The other way round, the two are most likely exchanged.

    ```bad
    {"stride": 8, "reg_layer": "conv42", "cls_layer": "conv41"}
    ```
    ```good
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if config.shape is not Shape.BINS or (network is not None and (network.layers or network.outputs)):
        return
    for i, decoder in enumerate(config.decoders):
        reg, cls = (layer_number(decoder.layers.get(role, "")) for role in ("reg_layer", "cls_layer"))
        if reg is not None and cls is not None and cls < reg:
            names = decoder.layers
            what = f"class layer {names['cls_layer']!r} stands before box layer {names['reg_layer']!r}"
            hint = "most likely the two are exchanged; `--network parsed.har` tells"
            yield Finding(("bbox_decoders", i, "cls_layer"), what, hint)


@rule("HD225", severity=Severity.NOTE)
def decoder_name_of_another_layer(config: NmsConfig) -> Iterator[Finding]:
    """A decoder is named after a layer that it does not read.

    The name is free text, so nothing depends on it. It tells that the file was made from another network's,
    and that its layer names deserve a look.

    ```bad
    {"name": "bbox_decoder41", "stride": 8, "reg_layer": "conv57", "cls_layer": "conv58"}
    ```
    ```good
    {"name": "bbox_decoder57", "stride": 8, "reg_layer": "conv57", "cls_layer": "conv58"}
    ```
    """
    for i, decoder in enumerate(config.decoders):
        number = layer_number(decoder.name or "")
        own = {layer_number(name) for name in decoder.layers.values()} - {None}
        counts = number is None or number <= len(config.decoders) or number == decoder.stride
        if own and not counts and number not in own:
            what = f"the decoder is called {decoder.name!r} and reads {', '.join(decoder.layers.values())}"
            yield Finding(("bbox_decoders", i, "name"), what, "nothing depends on the name; check the layers")


@rule("HD226", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def names_of_two_networks(config: NmsConfig) -> Iterator[Finding]:
    """Layer names begin with the names of two networks, or only some have one in front.

    A name is `conv41`, or `network/conv41`; both work, and a file has one or the other throughout. Two
    different networks in one file mean that parts of it were copied from elsewhere.

    ```bad
    {"stride": 8, "reg_layer": "best/conv41", "cls_layer": "yolov8n/conv42"}
    ```
    ```good
    {"stride": 8, "reg_layer": "best/conv41", "cls_layer": "best/conv42"}
    ```
    """
    seen: dict[str, str] = {}
    for i, decoder in enumerate(config.decoders):
        for role, name in decoder.layers.items():
            if not name:
                continue
            seen.setdefault(name.rpartition("/")[0], name)
            if len(seen) > 1:
                (_, one), (_, other) = list(seen.items())[:2]
                what = f"{other!r} and {one!r} do not belong to one network"
                yield Finding(
                    ("bbox_decoders", i, role), what, "write all names with or without the network's"
                )
                return


@rule("HD229", severity=Severity.NOTE)
def not_compared_with_a_network(config: NmsConfig, network: NetworkInfo | None = None) -> Iterator[Finding]:
    """No network file was given, so strides, channels, roles and names were not compared.

    Text alone cannot tell whether `conv41` exists, which grid it has, and what its channels are. A parsed HAR
    (`hailo parser` writes it in a minute) holds all of that; an optimized HAR also shows which layers feed
    the NMS step, where each sigmoid is, and whether the input is normalised.

    ```bad
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    With a network beside it:

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x80
    ```
    ```good
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if network is None and config.decoders:
        what = "strides, channels, roles and names were not compared with the network"
        yield Finding(
            ("bbox_decoders",), what, "--network model.har settles them, before 20 minutes of compiling"
        )
