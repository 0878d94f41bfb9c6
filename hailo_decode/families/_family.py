"""Family: what a kind of head must say of itself. It is data; kernels know how to run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Anchors = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The counts that a head's channels follow from.

    Attributes
    ----------
    classes : int
    bins : int
        Bins of each side's distribution, where distances are distributions; else 0.
    anchors : int
        Anchors in each cell; may differ from level to level.
    extra : int
        Channels of the extra role (mask coefficients, keypoints, angle) for each anchor; else 0.
    bare : bool
        True where the one class has no channel of its own: the objectness is its score.
    """

    classes: int
    bins: int = 0
    anchors: int = field(default=1, compare=False)
    extra: int = 0
    bare: bool = False

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
class Extra:
    """What a head says of each box beyond the box.

    Attributes
    ----------
    kind : {"masks", "keypoints", "angle"}
    constants : tuple of float
        Keypoints: ``x = (raw * constants[0] + cell + constants[1]) * stride``.
        Angle: ``(sigmoid(raw) - constants[0]) * constants[1]``, or the raw number where there are none; radians.
    role : str
        The tensor that holds it, where it is one of its own.
    """

    kind: str
    constants: tuple[float, ...] = ()
    role: str = ""


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
        Every other spelling under which files and people name it; families of other tasks may share it.
    task : {"detect", "segment", "pose", "obb", "classify"}
    roles : tuple of str
        Tensors of each level, in the order in which layer numbers usually rise.
    sizes : callable
        Channel counts by role, and the number of anchors where it is known, to `Sizes`; None where such channels cannot be
        this family.
    fields : callable
        `Sizes` to the place of each field: ``"cls"``, ``"box"``, and where there are any ``"obj"`` and ``"extra"``;
        ``"size"`` where a tensor of its own holds the width and height of boxes.
    box_code : str
        Name of the code that turns box channels into a box: ``"dfl"``, ``"distances"``, ``"anchors"``, ...
    constants : tuple of float
        Of the box code; for distances and centres the first is where in its cell a point lies.
    swings : mapping of int to float
        For centres that reach beyond their cells, how many cells wide, by stride: of networks of just these strides.
        Others have what the constants say.
    once : tuple of str
        Tensors that the whole network has once, such as the mask prototypes.
    softmax : bool
        Classes are a softmax of their channels where these are logits.
    unit : tuple of str
        Roles beside classes and objectness whose values lie in 0..1 where those of the classes do.
    squashable : bool
        False where a tensor whose values all lie in 0..1 cannot be its: sizes are exponentials of the raw numbers.
    grid : {"exact", "ceil", "fraction", "list", "unit list", "whole"}
        How a grid follows from the input: size / stride; rounded up; cells of any fraction; no grid but a list of
        rows, in pixels or in fractions of the input; one cell for the whole picture.
    scores_ready : bool
        Scores are probabilities, whatever their values may look like.
    anchors : tuple of mapping of int to Anchors
        Anchors of published models by stride, input pixels; used where the caller gives none, and told.
    extra : Extra or None
    channels : mapping of str to str
        How many channels a role has, in words: ``{"box": "4 x bins"}``.
    words : mapping of str to tuple of str
        Pieces of a layer's name that tell its role, such as ``"cv2"`` for the box.
    usual : callable or None
        Tells whether sizes are those of every published model; settles it where channels alone fit two ways.
    suppress : bool
        Whether its boxes want suppression.
    defaults : mapping
        Options that differ from the usual ones where the caller gives none.
    source : str
        Where the maths is written down.
    """

    name: str
    title: str
    archs: tuple[str, ...]
    task: str
    roles: tuple[str, ...]
    sizes: Callable[[Mapping[str, int], int | None], Sizes | None]
    fields: Callable[[Sizes], Mapping[str, Part]]
    box_code: str
    constants: tuple[float, ...] = (0.5,)
    swings: Mapping[int, float] = field(default_factory=dict)
    once: tuple[str, ...] = ()
    softmax: bool = False
    unit: tuple[str, ...] = ()
    squashable: bool = True
    scores_ready: bool = False
    grid: str = "exact"
    anchors: tuple[Mapping[int, Anchors], ...] = ()
    extra: Extra | None = None
    channels: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    usual: Callable[[Sizes], bool] | None = None
    suppress: bool = True
    defaults: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""

    def answers_to(self, name: str, task: str | None = None) -> bool:
        """Tell whether this is a family of that name, own or other spelling, and that task, if one is given."""
        return name in (self.name, *self.archs) and task in (None, self.task)

    @property
    def anchored(self) -> bool:
        """Whether its boxes are told by anchors."""
        return self.box_code in ("anchors", "cells", "cells_apart", "ssd")

    def lets_play(self, role: str, told: str | None) -> bool:
        """Tell whether an output may play a role, given what a model file says; files call every extra branch "extra"."""
        return told in (None, role) or (
            told == "extra" and self.extra is not None and role == self.extra.role
        )

    def signature(self) -> tuple[Any, ...]:
        """Return what decides how numbers become boxes: families that agree in it decode alike, anchors apart."""
        numbers = (self.constants, tuple(self.swings.items()))
        return self.task, self.roles, self.box_code, numbers, self.softmax, self.grid, self.extra


def pairs(*numbers: float) -> Anchors:
    """Group numbers by two, as configuration files list anchors: width, height, width, height."""
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
