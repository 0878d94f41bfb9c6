"""What the boxes of HailoRT's own steps are fractions of, and how they become pixels of the network's input.

HailoRT 5.2 knows two sizes, and each step has its own way with them. The grid of a head stands for the whole picture. The
size in the step's record is what the configuration had for ``image_dims``, and nobody compares it with anything.

* Boxes with bins (yolov8_post_process.cpp): cells times stride, divided by the record's size; middle, width and height.
* Boxes with anchors (yolov5_post_process.cpp): the middle in cells divided by the grid, whatever the record says; width
  and height in pixels divided by the record's size.
* Boxes with objectness, default boxes (yolox_post_process.cpp, ssd_post_process.cpp): fractions of the grid alone.

A network that scales its picture itself (``resize`` in the model script) has a record that is not its input's size, and
rightly so. Strides times grids tell which of the two it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from hailo_decode.config.meta_archs import DIVIDED, Shape, meta_arch_of_step
from hailo_decode.errors import AmbiguousError
from hailo_decode.values.heads import head_finder
from hailo_decode.values.network import NetworkInfo, OpInfo

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scale:
    """From fractions to pixels of the network's input.

    Attributes
    ----------
    input_size : (int, int)
        Height and width of the network's input, pixels.
    image_size : (int, int)
        Height and width of the picture that the step cuts masks from, pixels.
    middle : (float, float)
        Input pixels that a fraction of 1 stands for in a box's middle, down and across.
    side : (float, float)
        The same for its height and width.
    told : str
        What was odd and what was done about it, in words; empty where nothing was.
    """

    input_size: Size
    image_size: Size
    middle: tuple[float, float]
    side: tuple[float, float]
    told: str = ""

    @classmethod
    def of(cls, size: Size) -> Scale:
        """Return the scale of boxes that are fractions of a picture of that size."""
        whole = (float(size[0]), float(size[1]))
        return cls(size, size, whole, whole)


def inner_size(op: OpInfo, network: NetworkInfo, choices: Sequence[Size]) -> Size | None:
    """Return height and width of the picture that a step's heads look at, from strides and grids.

    Parameters
    ----------
    op : OpInfo
    network : NetworkInfo
    choices : sequence of (int, int)
        Sizes that it may have. Grids that were rounded up tell no size, but do tell one of two.

    Returns
    -------
    (int, int) or None
        None where a stride or a grid is not known, or where they disagree.
    """
    find = head_finder(network.heads)
    reaches: set[tuple[int, Size]] = set()
    for decoder in op.decoders:
        shapes = {
            layer.shape[:2] for name in decoder.layers.values() if (layer := find(name)) and layer.shape
        }
        if not decoder.stride or len(shapes) != 1:
            return None
        reaches.add((decoder.stride, shapes.pop()))
    sizes = {(stride * grid[0], stride * grid[1]) for stride, grid in reaches}
    if len(sizes) == 1:
        return sizes.pop()
    fitting = [
        size
        for size in dict.fromkeys(choices)
        if reaches and all((ceil(size[0] / s), ceil(size[1] / s)) == grid for s, grid in reaches)
    ]
    return fitting[0] if len(fitting) == 1 else None


def scale_of(
    op: OpInfo | None, said: Size | None, network: NetworkInfo | None, input_size: Size | None
) -> Scale | None:
    """Return what the boxes of a step are fractions of; None where no size is known at all.

    Parameters
    ----------
    op : OpInfo or None
        The step, where the file tells of one.
    said : (int, int) or None
        The size that it is said to divide by.
    network : NetworkInfo or None
    input_size : (int, int) or None
        Of the network's input.

    Raises
    ------
    AmbiguousError
        When the two sizes differ, and neither strides nor grids tell which of them the boxes go by.
    """
    arch = None if op is None else meta_arch_of_step(op.kind)
    shape = arch.shapes[0] if arch and arch.shapes else None
    if op is not None and shape not in DIVIDED:
        said = None
    sizes = [size for size in (input_size, said) if size is not None]
    inner = None if op is None or network is None else inner_size(op, network, sizes)
    real = input_size or inner or said
    if real is None or said is None:
        return None if real is None else Scale.of(real)
    whole = Scale.of(real)
    if shape is Shape.BINS and inner is not None:
        # (cell * stride / said) * (said / inner) * real is cell / grid * real, whatever stride and record are.
        back = (said[0] / inner[0] * real[0], said[1] / inner[1] * real[1])
        told = "" if said == inner == real else _told(op, said, inner, real)
        return Scale(real, said, back, back, told)
    if said == real:
        return whole
    if inner not in (said, real):  # a stride that the step itself never uses may be anything
        raise _undecided(op, said, real)
    if inner == said:
        return replace(whole, image_size=said, told=_told(op, said, inner, real))
    side = (float(said[0]), float(said[1]))
    return Scale(real, said, whole.middle, side, _told_of_sides(op, said, real, shape is Shape.ANCHOR_MASKS))


def _undecided(op: OpInfo | None, said: Size, real: Size) -> AmbiguousError:
    return AmbiguousError(
        f"{_named(op)} divides by {_by(said)}, the network's input is {_by(real)}, and no strides tell why",
        [
            f"the network scales its input to {_by(said)} itself: boxes are fractions of its input",
            f"its configuration had a wrong image_dims: what it divides is a fraction of {_by(said)}",
        ],
        f"image_size={real} or image_size={said} takes boxes for fractions of that; a HEF itself holds the strides",
    )


def _told(op: OpInfo | None, said: Size, inner: Size, real: Size) -> str:
    if said == inner:
        return f"{_named(op)} works at {_by(said)}, the network's input is {_by(real)}: boxes are fractions of the input"
    strides = "" if inner == real else f", strides times grids are {_by(inner)}"
    return f"{_named(op)} divides boxes by {_by(said)}, the network's input is {_by(real)}{strides}: put right here"


def _told_of_sides(op: OpInfo | None, said: Size, real: Size, masks: bool) -> str:
    return (
        f"{_named(op)} divides the sizes of boxes by {_by(said)}, and their middles by the network's input, {_by(real)}: "
        f"put right here, but it suppressed by boxes of {times(real, said)} times their size"
        + (", and cut the masks by them" if masks else "")
    )


def _named(op: OpInfo | None) -> str:
    return "the step" if op is None else f"the step {op.name!r}"


def times(one: Size, other: Size) -> str:
    """Return in words how many times the one size goes into the other, down and across."""
    down, right = (f"{a / b:.4g}" for a, b in zip(one, other, strict=True))
    return down if down == right else f"{down} (down) and {right} (across)"


def _by(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
