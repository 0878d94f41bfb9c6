"""The settings of a frame: thresholds in raw units, limits, and how a candidate's bits are shared out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.families._family import Family, Sizes
from hailo_decode.kernels import layout as at
from hailo_decode.lookup import Ranks, rank_bytes, raw_floor, scores_of
from hailo_decode.options import Options
from hailo_decode.pairing import Reading
from hailo_decode.values.arrays import F8, I8
from hailo_decode.values.quant import Quant
from hailo_decode.values.tensor import Tensor

TURNED = {"exact": 1, "gaussian": 2}
IDENTITY = Quant((1.0,), (0.0,))
RANK_BITS_COMPUTED = 31  # of the pattern of a positive float32


def count_anchors(fields: I8) -> int:
    """Return the number of anchors over all levels."""
    last = fields[-1, at.CLASS]
    return int(last[at.BASE] + last[at.HEIGHT] * last[at.WIDTH] * last[at.ANCHORS])


def by_product(family: Family, sizes: Sizes, softmax: bool) -> bool:
    """Tell whether a score takes more than one number: objectness times class, or a softmax."""
    return "obj" in family.fields(sizes) or softmax


def uses_softmax(reading: Reading, logits: Mapping[tuple[str, str], bool]) -> bool:
    """Tell whether classes are still to go through a softmax."""
    return (
        reading.family.softmax
        and not reading.sizes.bare
        and any(value for (field, _), value in logits.items() if field == "cls")
    )


def thresholds(
    reading: Reading,
    tensors: Mapping[str, Tensor],
    logits: Mapping[tuple[str, str], bool],
    options: Options,
    fields: I8,
    rows: int,
) -> tuple[Ranks | None, F8 | None]:
    """Carry the threshold into raw units: by rank where all scores are bytes, else by the smallest raw value."""
    parts = reading.family.fields(reading.sizes)
    scores = [tensors[level.outputs[parts["cls"].role].name] for level in reading.levels]
    if by_product(reading.family, reading.sizes, uses_softmax(reading, logits)):
        return None, _product_floors(reading, tensors, logits, options)
    if all(t.data.itemsize == 1 for t in scores):
        return rank_bytes([(t.quant or IDENTITY, logits["cls", t.name]) for t in scores], options.conf), None
    floors = np.zeros(rows)
    for row, tensor in zip(fields[:, at.CLASS], scores, strict=True):
        found = raw_floor(tensor.quant, logits["cls", tensor.name], options.conf, _top(tensor))
        start = row[at.QUANT] - (parts["cls"].first if row[at.QUANT_STEP] else 0)
        floors[start : start + len(found)] = found
    return None, floors


def _top(tensor: Tensor) -> int | None:
    return None if tensor.quant is None else int(np.iinfo(tensor.data.dtype).max)


def _product_floors(
    reading: Reading,
    tensors: Mapping[str, Tensor],
    logits: Mapping[tuple[str, str], bool],
    options: Options,
) -> F8:
    """Return the smallest raw objectness of each level that can reach the threshold, and the threshold itself."""
    parts = reading.family.fields(reading.sizes)
    floor = float(np.float32(options.conf))
    floors = []
    for level in reading.levels:
        if "obj" not in parts:
            floors.append(-np.inf)
            continue
        things = tensors[level.outputs[parts["obj"].role].name]
        classes = tensors[level.outputs[parts["cls"].role].name]
        most = 1.0  # the highest class score there can be: one step beyond 1 for quantised probabilities
        if classes.limits is not None and not logits["cls", classes.name]:
            most = max(1.0, float(scores_of(np.asarray([classes.limits[1]]), False)[0]))
        found = raw_floor(
            things.quant, logits["obj", things.name], min(floor / most, 1.0) * (1 - 1e-7), _top(things)
        )
        floors.append(float(found.min()))
    return np.array([*floors, floor])


def frame_settings(
    reading: Reading, fields: I8, options: Options, suppress: bool, ranked: Ranks | None, softmax: bool
) -> I8:
    """Return the kernels' settings, (SETTINGS,) i8.

    Raises
    ------
    OptionError
        When anchors and classes are more than a candidate's bits can number.
    """
    settings = np.zeros(at.SETTINGS, np.int64)
    anchors, classes = count_anchors(fields), reading.sizes.classes
    anchor_bits = max(anchors - 1, 1).bit_length()
    class_bits = max(classes - 1, 1).bit_length()
    rank_bits = max(ranked.count, 1).bit_length() if ranked else RANK_BITS_COMPUTED
    if anchor_bits + class_bits + rank_bits > 63:
        raise OptionError(
            f"{anchors} anchors of {classes} classes are more than a candidate's 63 bits can number",
            wanted=f"at most {63 - rank_bits} bits for both, not {anchor_bits + class_bits}",
        )
    # Inside a level, keys of one class arrive by rising anchor in every order, but for several anchors in planes.
    in_order = bool(((fields[:, at.CLASS, at.ANCHORS] == 1) | (fields[:, at.CLASS, at.AXIS_C] == 2)).all())
    settings[at.LEVELS] = len(fields)
    settings[at.CLASSES] = classes
    settings[at.RANKS] = ranked.count if ranked else 0
    settings[at.ANCHOR_BITS] = anchor_bits
    settings[at.CLASS_BITS] = class_bits
    settings[at.SORT_FROM] = anchor_bits if in_order else 0
    settings[at.KEY_BITS] = anchor_bits + class_bits + rank_bits
    settings[at.MULTI_LABEL] = options.multi_label
    settings[at.AGNOSTIC] = options.agnostic
    settings[at.SUPPRESS] = suppress
    settings[at.MAX_DET] = min(options.max_det, anchors * classes)
    settings[at.MAX_NMS] = min(options.max_nms, anchors * classes + 1)
    settings[at.MAX_PER_CLASS] = min(options.max_per_class or anchors + 1, anchors + 1)
    settings[at.BOX_CODE] = at.BOX_CODES[reading.family.box_code]
    settings[at.HAS_OBJECT] = "obj" in reading.family.fields(reading.sizes)
    settings[at.SOFTMAX] = softmax
    extra = reading.family.extra
    settings[at.TURNED] = TURNED[options.turned_iou] if extra is not None and extra.kind == "angle" else 0
    return settings
