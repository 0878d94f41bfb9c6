"""What property tests draw of any head: one frame in every layout, few distinct numbers, thresholds where they hurt."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import layouts
import numpy as np
import strategies
from families.naive_heads import Counts
from families.naive_result import Level, every_row
from families.naive_table import HEADS
from hypothesis import strategies as st

# (scale, zero point) by what a tensor holds and by dtype, and the numbers of float tensors.
QUANTS = strategies.QUANTS | {
    "probabilities": {
        "uint8": [(1 / 255, 0.0), (1 / 256, 0.0), (0.003921568859368563, 0.0), (0.00395, 0.0)],
        "uint16": [(1 / 65_535, 0.0), (1.5259021893143654e-05, 0.0)],
    },
    "exponents": {
        "uint8": [(0.03125, 128.0), (0.015625, 200.5), (0.02, 100.0)],
        "uint16": [(0.0001, 30_000.0), (0.00006103515625, 32_768.0)],
    },
    "any": {
        "uint8": [(0.0625, 128.0), (0.125, 96.5), (0.03, 0.0)],
        "uint16": [(0.0005, 30_000.0), (0.001, 20_000.5)],
    },
    "pixels": {"uint8": [(1 / 255, 0.0)], "uint16": [(1 / 65_535, 0.0)]},
    "fractions": {"uint8": [(1 / 255, 0.0)], "uint16": [(1 / 65_535, 0.0)]},
}
REALS = strategies.REALS | {
    "exponents": [-3.0, -1.25, 0.0, 0.5, 1.0, 2.5],
    "any": [-5.0, -1.0, -0.5, 0.0, 0.25, 1.5, 4.0],
    "pixels": [0.0, 0.0625, 0.25, 0.3, 0.5, 0.75, 1.0],
    "fractions": [0.0, 0.0625, 0.25, 0.3, 0.5, 0.75, 1.0],
}
# What the first number of a tensor is: it tells logits from probabilities, as background does in a real one.
LOWEST = {"logits": -9.0, "probabilities": 0.0, "exponents": -3.0}
DARKNET = ("yolov2", "yolov3", "yolov4")  # their tensors hold logits, whatever else
MOST_SCORES = 1200


@dataclass(frozen=True)
class Frame:
    """One frame of a head.

    Attributes
    ----------
    family : str
    levels : tuple of Level
        What is stored, before any layout.
    logits : bool
    input_size : (int, int)
    outputs : dict of str to array
        The same numbers as a caller holds them.
    told : dict
        What the caller says of them.
    proto : ((h, w, channels) array, quant) or None
    """

    family: str
    levels: tuple[Level, ...]
    logits: bool
    input_size: tuple[int, int]
    outputs: dict[str, np.ndarray]
    told: dict[str, Any]
    proto: tuple | None = None

    @cached_property
    def rows(self):
        """What every anchor says, in order."""
        return list(every_row(self.family, self.levels, self.logits))

    @property
    def scores(self):
        """The distinct scores, as float32, rising."""
        return sorted({float(np.float32(score)) for row in self.rows for score in row.scores})

    def _repr_pretty_(
        self, printer, cycle
    ) -> None:  # what hypothesis prints; all the arrays would be too much
        shapes = {name: f"{array.dtype}{array.shape}" for name, array in self.outputs.items()}
        counts = self.levels[0].counts
        printer.text(
            f"{self.family} {counts} in {self.input_size}, logits={self.logits}, {shapes}, {self.told}"
        )


@st.composite
def stored(draw, kind, dtype, shape, lowest=None):
    """Draw an (H, W, C) array of few distinct numbers, most of them `lowest` where one is given."""
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    if dtype == "float32":
        palette = np.array(draw(st.lists(st.sampled_from(REALS[kind]), min_size=1, max_size=5)), np.float32)
    else:
        top = int(np.iinfo(strategies.DTYPES[dtype]).max)
        usual = st.sampled_from([0, 1, top // 2, top // 2 + 1, top - 1, top])
        numbers = draw(st.lists(st.integers(0, top) | usual, min_size=1, max_size=5))
        palette = np.array(numbers, strategies.DTYPES[dtype])
        lowest = None if lowest is None else 0
    out = palette[rng.integers(0, len(palette), size=shape)]
    if lowest is not None:
        out[rng.random(shape) >= draw(st.sampled_from([0.2, 0.5, 1.0]))] = lowest
        out.flat[0] = lowest  # a real map always holds background, and its values tell its activation
    return out


@st.composite
def quants(draw, kind, dtype, channels, per_channel):
    """Draw (scale, zero point), one for all channels or one for each; None for floats."""
    if dtype == "float32":
        return None
    choices = QUANTS[kind][dtype]
    if per_channel and channels > 1 and draw(st.booleans()):
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        picked = [choices[i] for i in rng.integers(0, len(choices), size=channels)]
        return [scale for scale, _ in picked], [zero for _, zero in picked]
    return draw(st.sampled_from(choices))


@st.composite
def grids(draw, kind):
    """Draw the input's size and each level's (stride, rows, columns)."""
    if kind == "whole":
        size = draw(st.tuples(st.integers(2, 300), st.integers(2, 300)))
        return size, [((float(size[1]), float(size[0])), 1, 1)]
    if "list" in kind:
        size = draw(st.tuples(st.integers(2, 300), st.integers(2, 300)))
        stride = (float(size[1]), float(size[0])) if kind == "unit list" else (1.0, 1.0)
        return size, [(stride, 1, draw(st.integers(2, 40)))]
    if kind == "exact":
        count, rows, columns = draw(st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2)))
        first = draw(st.sampled_from([1, 4, 8, 10]))
        places = [(first << k, rows << (count - 1 - k), columns << (count - 1 - k)) for k in range(count)]
        size = places[0][0] * places[0][1], places[0][0] * places[0][2]
        return size, [((float(s), float(s)), h, w) for s, h, w in places]
    if kind == "ceil":
        size = draw(st.tuples(st.integers(17, 50), st.integers(17, 50)))
        return size, [
            ((float(s), float(s)), math.ceil(size[0] / s), math.ceil(size[1] / s)) for s in (8, 16, 32)
        ]
    size = draw(st.tuples(st.integers(9, 70), st.integers(9, 70)))
    shapes = draw(
        st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=3, unique=True)
    )
    shapes.sort(key=lambda one: -one[0] * one[1])
    areas = [h * w for h, w in shapes]
    shapes = [
        s for i, s in enumerate(shapes) if areas.index(areas[i]) == i
    ]  # levels of one area have no order
    return size, [((size[1] / w, size[0] / h), h, w) for h, w in shapes]


@st.composite
def counts_of(draw, family, cells):
    """Draw how many classes, bins and extra channels a head has."""
    head = HEADS[family]
    classes = draw(st.sampled_from([1, 2, 3, 4, 5, 16, 17, 80]))
    classes = max(head.classes, min(classes, max(1, MOST_SCORES // cells)))
    extra = {
        None: st.just(0),
        "masks": st.sampled_from([1, 5, 8, 11, 32]),
        "keypoints": st.sampled_from([4, 8, 9, 10, 15, 51]),
        "angle": st.just(1),
    }
    return Counts(
        classes=classes,
        bins=draw(st.sampled_from(head.bins)) if head.bins else 0,
        extra=draw(extra[head.extra]),
        bare=family == "yolov2" and classes == 1 and draw(st.booleans()),
    )


@st.composite
def frames(draw, families=tuple(HEADS), dtypes=("uint8", "uint16", "float32"), per_channel=False):
    """Draw a frame of any of some families."""
    family = draw(st.sampled_from(families))
    head = HEADS[family]
    size, places = draw(grids(head.grid))
    counts = draw(counts_of(family, sum(h * w for _, h, w in places)))
    logits = (
        family in DARKNET or "joint" in head.holds or (draw(st.booleans()) and not family.startswith("rows"))
    )
    told = {"family": family, "quant": {}, "formats": {}, "roles": {}}
    if draw(st.booleans()):
        told["logits"] = logits
    names = draw(st.booleans())
    make = _Maker(draw, head, logits, dtypes, told, names, per_channel)
    levels = tuple(make.level(k, *place, counts) for k, place in enumerate(places))
    if head.priors:
        key = draw(st.sampled_from(["output", "stride"])) if head.grid == "exact" else "output"
        keys = [f"{make.name(next(iter(head.holds)), k)}" for k in range(len(levels))]
        told["anchors"] = {
            keys[k] if key == "output" else level.stride[0]: list(level.priors)
            for k, level in enumerate(levels)
        }
    proto = None
    if head.extra == "masks":
        stride = draw(st.sampled_from([d for d in range(1, 41) if size[0] % d == size[1] % d == 0]))
        grid = size[0] // stride, size[1] // stride
        proto = make.tensor("proto", "proto", "any", (*grid, counts.extra))
    order = draw(st.permutations(list(make.outputs)))
    return Frame(family, levels, logits, size, {name: make.outputs[name] for name in order}, told, proto)


class _Maker:
    """Draws a frame's tensors one by one, and notes what a caller says of each."""

    def __init__(self, draw, head, logits, dtypes, told, by_word, per_channel):
        self.per_channel = per_channel
        self.draw, self.head, self.logits, self.told, self.by_word = draw, head, logits, told, by_word
        mixed = draw(st.booleans())
        self.dtypes = list(dtypes) if mixed else [draw(st.sampled_from(list(dtypes)))]
        self.outputs = {}

    def name(self, role, k):
        return f"net/{role}_{k}" if self.by_word else f"net/{'abcdef'[list(self.head.holds).index(role)]}{k}"

    def tensor(self, role, name, kind, shape):
        """Draw one output, and note what has to be said of it."""
        lowest = LOWEST.get(kind)
        dtype = self.draw(st.sampled_from(self.dtypes))
        source = self.draw(stored(kind, dtype, shape, lowest))
        quant = self.draw(quants(kind, dtype, shape[2], self.per_channel))
        self.outputs[name], form = self.draw(self._buffer(source, name, dtype))
        if form is not None:
            self.told["formats"][name] = form
        if quant is not None:
            self.told["quant"][name] = quant
        if not self.by_word or role not in name:
            self.told["roles"][name] = role
        return source, quant

    def _buffer(self, source, name, dtype):
        if "list" in self.head.grid:
            return st.sampled_from([(source, {"order": "NHWC", "shape": source.shape}), *_rows(source)])
        told = {"order": "NHWC", "shape": source.shape, "layout": "host"}
        if self.head.grid == "exact":
            return strategies.buffers(source, name, dtype)
        # Nothing but a label tells (H, W, C) from (C, H, W) where grids do not divide the input.
        return strategies.buffers(source, name, dtype).map(lambda one: (one[0], one[1] or told))

    def level(self, k, stride, rows, columns, counts):
        """Draw one level."""
        if self.head.priors:
            anchors = self.draw(st.integers(self.head.fewest, 4))
            sizes = st.tuples(st.sampled_from([1.0, 6.0, 13.5, 40.0]), st.sampled_from([2.0, 9.0, 30.0]))
            priors = tuple(self.draw(st.lists(sizes, min_size=anchors, max_size=anchors)))
            counts = Counts(counts.classes, counts.bins, anchors, counts.extra, counts.bare)
        drawn, scale = {}, {}
        channels = self.head.channels(counts)
        for role, kind in self.head.holds.items():
            kind = ("logits" if self.logits else "probabilities") if kind == "scores" else kind
            shape = (rows, columns, channels[role])
            drawn[role], scale[role] = self.tensor(role, self.name(role, k), kind, shape)
        return Level(stride, drawn, scale, counts, priors if self.head.priors else ())


def _rows(source):
    """Return the forms of decoded rows that need no word: the longer side counts the rows."""
    _, count, channels = source.shape
    if count <= channels:
        return []
    flat = source[0]
    return [
        (flat[None], None),
        (np.ascontiguousarray(flat.T)[None], None),
        (layouts.host(source, "NHWC")[None], None),
    ]


@st.composite
def thresholds(draw, frame):
    """Draw a least score: 1, one that an anchor has as float32, one between two, or a usual one."""
    seen = [score for score in frame.scores if 0 < score <= 1]
    places = st.integers(0, max(len(seen) - 1, 0))
    here, there = draw(places), draw(places)
    usual = st.sampled_from([0.01, 0.25, 1.0])
    return draw(usual | st.sampled_from([seen[here], (seen[here] + seen[there]) / 2]) if seen else usual)


@st.composite
def options(draw, frame):
    """Draw how candidates are chosen and suppressed."""
    return {
        "conf": draw(thresholds(frame)),
        "iou": draw(st.sampled_from([0.0, 0.25, 0.45, 0.7, 1.0])),
        "max_det": draw(st.sampled_from([300, 300, 1, 7])),
        "max_per_class": draw(st.sampled_from([None, None, 1, 3])),
        "max_nms": draw(st.sampled_from([30_000, 30_000, 5])),
        "agnostic": draw(st.booleans()),
        "multi_label": draw(st.booleans()),
        "suppress": draw(st.sampled_from([None, None, True, False])),
    }
