"""What the anchor-free heads of Ultralytics share: names of layers, spellings, and the extra branch of other tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Extra, Family, Part, Sizes

# Pieces of layer names: branches cv2, cv3 and cv4 of the exported graph, and the words that people use.
WORDS = {
    "box": ("cv2", "reg", "bbox", "box", "boxes", "dfl"),
    "cls": ("cv3", "cls", "class", "classes", "score", "scores", "conf"),
}
DFL_SPELLINGS = (
    "yolov8",
    "yolov9",
    "yolov10",
    "yolov11",
    "yolo11",
    "yolov12",
    "yolo12",
    "yolov3u",
    "yolov5u",
    "yolov6u",
    "yolov6",
    "yolo_world",
)
PLAIN_SPELLINGS = ("yolo26", "yolov26")
_EXTRA_CHANNELS = {"masks": "as many as proto has", "keypoints": "points x 2 or 3", "angle": "1"}
_EXTRA_WORDS = ("cv4", "mask", "masks", "coef", "coefs", "kpt", "kpts", "keypoint", "keypoints", "angle")


def with_extra(
    base: Family,
    name: str,
    title: str,
    task: str,
    role: str,
    kind: Extra,
    order: tuple[str, ...],
    once: tuple[str, ...] = (),
) -> Family:
    """Return a family that adds one tensor to each level of another.

    Parameters
    ----------
    base : Family
    role : str
        Role of the added tensor.
    kind : Extra
    order : tuple of str
        All roles of a level, in the order in which layer numbers usually rise.
    once : tuple of str
        Tensors that the network has once.
    """

    def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
        found = base.sizes(channels, anchors)
        if found is None or not _fits(kind.kind, channels[role], channels.get("proto")):
            return None
        return replace(found, extra=channels[role])

    def fields(s: Sizes) -> dict[str, Part]:
        return {**base.fields(s), "extra": Part(role, 0, s.extra, s.extra)}

    words = {**base.words, role: _EXTRA_WORDS} | {r: (r, "protos", "prototypes") for r in once}
    return replace(
        base,
        name=name,
        title=title,
        archs=tuple(dict.fromkeys((*base.archs, base.name))),
        task=task,
        roles=order,
        sizes=sizes,
        fields=fields,
        extra=replace(kind, role=role),
        channels={**base.channels, role: _EXTRA_CHANNELS[kind.kind]},
        once=once,
        words=words,
    )


def _fits(kind: str, channels: int, prototypes: int | None) -> bool:
    """Tell whether an extra branch can have that many channels."""
    if kind == "masks":
        return channels == prototypes
    if kind == "angle":
        return channels == 1
    return channels >= 4 and (
        channels % 3 == 0 or channels % 2 == 0
    )  # two points of two numbers are the least
