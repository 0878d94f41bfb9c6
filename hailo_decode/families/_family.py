"""Family: what a kind of head must say of itself. It is data; kernels know how to run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sizes:
    """The counts that a head's channels follow from.

    Attributes
    ----------
    classes : int
    bins : int
        Bins of each side's distribution, where distances are distributions; else 0.
    anchors : int
        Anchors in each cell.
    extra : int
        Channels of the extra role (mask coefficients, keypoints, angle); else 0.
    """

    classes: int
    bins: int = 0
    anchors: int = 1
    extra: int = 0

    def __str__(self) -> str:
        parts = [f"{self.classes} class" + ("es" if self.classes != 1 else "")]
        parts += [f"{self.bins} bins"] if self.bins else []
        parts += [f"{self.anchors} anchors"] if self.anchors > 1 else []
        parts += [f"{self.extra} extra channels"] if self.extra else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Part:
    """Where in a tensor the channels of one field stand.

    Attributes
    ----------
    role : str
        Which tensor of the level.
    first : int
        First channel of the field.
    step : int
        Channels from one anchor to the next.
    count : int
        Channels of the field for each anchor.
    """

    role: str
    first: int
    step: int
    count: int


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of head.

    Attributes
    ----------
    name : str
        Its own name; also the name of its file.
    title : str
        What it is, for people.
    archs : tuple of str
        Every other spelling under which files and people name it.
    task : str
        ``"detect"``, ``"segment"``, ``"pose"``, ``"obb"`` or ``"classify"``.
    roles : tuple of str
        Tensors of each level, in the order in which layer numbers usually rise.
    sizes : callable
        Channel counts by role to `Sizes`, or None where such channels cannot be this family.
    fields : callable
        `Sizes` to the place of each field: ``"cls"``, ``"box"`` and so on.
    box_code : str
        Name of the code that turns box channels into a box: ``"dfl"``, ``"distances"``, ...
    words : mapping of str to tuple of str
        Pieces of a layer's name that tell its role, such as ``"cv2"`` for the box.
    usual : callable or None
        Tells whether sizes are those of every published model; settles it where channels alone fit two ways.
    source : str
        Where the maths is written down.
    """

    name: str
    title: str
    archs: tuple[str, ...]
    task: str
    roles: tuple[str, ...]
    sizes: Callable[[Mapping[str, int]], Sizes | None]
    fields: Callable[[Sizes], Mapping[str, Part]]
    box_code: str
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    usual: Callable[[Sizes], bool] | None = None
    source: str = ""


# Names that Ultralytics' exports and the Hailo Model Zoo give to the layers of box and class branches.
ULTRALYTICS_WORDS = {
    "box": ("cv2", "reg", "bbox", "box", "dfl"),
    "cls": ("cv3", "cls", "class", "score", "conf"),
}
