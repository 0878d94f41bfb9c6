"""What property tests draw: whole networks in every layout, few distinct numbers, thresholds where they hurt."""

from dataclasses import dataclass
from typing import Any

import layouts
import naive
import numpy as np
from hypothesis import strategies as st

CLASSES = (1, 2, 3, 4, 5, 15, 16, 17, 64, 80, 1011)
MOST_SCORES = 2500  # class scores of a drawn network: the twin is slow
DTYPES = {"uint8": np.uint8, "uint16": np.uint16, "float32": np.float32}

# (scale, zero point) of outputs, by what they hold and by dtype.
QUANTS = {
    "logits": {
        "uint8": [(0.1, 150.0), (0.0625, 128.0), (0.25, 200.5), (2.0, 128.0), (0.01, 255.0)],
        "uint16": [(0.0005, 30_000.0), (0.01, 40_000.0), (0.0000625, 65_535.0)],
    },
    "probabilities": {
        "uint8": [(1 / 255, 0.0), (1 / 256, 0.0), (0.003921568859368563, 0.0), (0.004, 3.0)],
        "uint16": [(1 / 65_535, 0.0), (1.5259021893143654e-05, 0.0)],
    },
    "bins": {
        "uint8": [(0.1189, 154.0), (0.25, 100.0), (0.03125, 0.0), (4.0, 128.0)],
        "uint16": [(0.001, 20_000.0), (0.03125, 128.0)],
    },
    "distances": {
        "uint8": [(0.0625, 0.0), (0.03125, 32.0), (0.125, 16.0)],
        "uint16": [(0.000244140625, 0.0), (0.001, 4000.0)],
    },
}
REALS = {
    "logits": [-9.0, -2.0, -0.5, 0.0, 0.25, 1.0, 3.0, 17.5, 40.0],
    "probabilities": [0.0, -0.0, 0.0625, 0.25, 0.3, 0.5, 0.7, 0.9375, 1.0],
    "bins": [-8.0, -1.5, 0.0, 0.5, 2.0, 7.5],
    "distances": [-0.5, 0.0, 0.25, 0.75, 1.0, 2.0, 3.5],
}
LOWEST = {"logits": -9.0, "probabilities": 0.0}


@dataclass(frozen=True)
class Network:
    """One frame of a head.

    Attributes
    ----------
    levels : tuple of naive.Level
        What is stored, before any layout.
    logits : bool
    input_size : (int, int)
    outputs : dict of str to array
        The same numbers as a caller holds them.
    told : dict
        What the caller says of them: quant, formats, roles, logits.
    """

    levels: tuple[naive.Level, ...]
    logits: bool
    input_size: tuple[int, int]
    outputs: dict[str, np.ndarray]
    told: dict[str, Any]

    @property
    def exact(self) -> bool:
        """Whether boxes follow without exp(), so that two programs must agree in every bit."""
        return self.levels[0].box.shape[2] == 4

    def _repr_pretty_(
        self, printer, cycle
    ) -> None:  # what hypothesis prints; all the arrays would be too much
        shapes = {name: f"{array.dtype}{array.shape}" for name, array in self.outputs.items()}
        printer.text(f"input {self.input_size}, logits={self.logits}, {shapes}, {self.told}")


@st.composite
def quants(draw, kind, dtype, channels, per_channel=True):
    """Draw (scale, zero point), one for all channels or one for each."""
    choices = QUANTS[kind][dtype]
    if per_channel and channels > 1 and draw(st.integers(0, 3)) == 0:
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        picked = [choices[i] for i in rng.integers(0, len(choices), size=channels)]
        return [scale for scale, _ in picked], [zero for _, zero in picked]
    return draw(st.sampled_from(choices))


@st.composite
def stored(draw, kind, dtype, shape):
    """Draw an (H, W, C) array of few distinct numbers, most of them the lowest where scores are wanted."""
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    if dtype == "float32":
        palette = np.array(draw(st.lists(st.sampled_from(REALS[kind]), min_size=1, max_size=5)), np.float32)
        lowest = LOWEST.get(kind)
    else:
        top = int(np.iinfo(DTYPES[dtype]).max)
        common = st.sampled_from([0, 1, top // 2, top // 2 + 1, top - 1, top])
        palette = np.array(
            draw(st.lists(st.integers(0, top) | common, min_size=1, max_size=5)), DTYPES[dtype]
        )
        lowest = 0
    out = palette[rng.integers(0, len(palette), size=shape)]
    if kind in LOWEST:
        out[rng.random(shape) >= draw(st.sampled_from([0.02, 0.2, 1.0]))] = lowest
        if out.size > 1:  # a real map always holds background, and its values are how its activation is told
            out.flat[0] = lowest
    return out


@st.composite
def buffers(draw, source, name, dtype):
    """Draw one of the ways in which a caller may hold (H, W, C), and what has to be said of it."""
    h, w, c = source.shape
    ways = ["plain", "batch", "loose", "FCR", "F8CR", "NCHW"]
    if c == 1:
        ways += ["flat grid", "NHW"]
    if dtype != "float32":
        ways += [f"device {order}" for order in layouts.DEVICE] * 2
    way = draw(st.sampled_from(ways))
    if way == "plain":
        return source, None
    if way == "batch":
        return source[None], None
    if way == "loose":
        return np.asfortranarray(source), None
    if way == "flat grid":
        return source[:, :, 0], None
    if way == "NHW":
        return source[:, :, 0], "NHW"
    if not way.startswith("device"):
        return layouts.host(source, way), {"order": way, "layout": "host"} if way == "F8CR" else way
    order = way.removeprefix("device ")
    extra = draw(st.tuples(st.integers(0, 1), st.integers(0, 7), st.integers(0, 9)))
    hp, wp, cp = h + extra[0], w + extra[1], c + extra[2]
    if order == "F8CR":
        cp = -(-cp // 8) * 8
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    flat = layouts.device(source, order, (hp, wp, cp), rng)
    if dtype == "uint16" and draw(st.booleans()):
        flat = flat.view(np.uint16)
    told = {"order": order, "shape": (h, w, c), "hw_shape": (hp, wp, cp), "layout": "device", "dtype": dtype}
    return flat, told


@st.composite
def grids(draw):
    """Draw two to four (stride, rows, columns), finest first."""
    count = draw(st.integers(2, 4))
    rows, columns = draw(st.tuples(st.integers(1, 2), st.integers(1, 3)))
    first = draw(st.sampled_from([1, 4, 8, 10]))
    return [(first << k, rows << (count - 1 - k), columns << (count - 1 - k)) for k in range(count)]


@st.composite
def networks(draw, dtypes=("uint8", "uint16", "float32"), bins=None, classes=None, per_channel=True):
    """Draw a network and one frame of it."""
    levels_at = draw(grids())
    cells = sum(h * w for _, h, w in levels_at)
    if classes is None:
        classes = draw(
            st.sampled_from([c for c in CLASSES if c <= 5 or c * cells <= MOST_SCORES or cells <= 5])
        )
    if bins is None:
        bins = draw(st.just(1) | st.integers(2, 32) | st.just(16))
    logits = draw(st.booleans())
    dtype_of = st.sampled_from(list(dtypes))
    mixed = draw(st.booleans())
    same = draw(dtype_of), draw(dtype_of)
    by_word = draw(st.booleans())
    outputs, levels = {}, []
    told = {"quant": {}, "formats": {}, "roles": {}}
    for stride, h, w in levels_at:
        holds = {
            "box": ("distances" if bins == 1 else "bins", 4 * bins),
            "cls": ("logits" if logits else "probabilities", classes),
        }
        drawn = {}
        for place, (role, (kind, channels)) in enumerate(holds.items()):
            dtype = draw(dtype_of) if mixed else same[place]
            source = draw(stored(kind, dtype, (h, w, channels)))
            quant = None if dtype == "float32" else draw(quants(kind, dtype, channels, per_channel))
            name = f"net/{role}_{stride}" if by_word else f"net/{'ab'[place]}{stride}"
            outputs[name], form = draw(buffers(source, name, dtype))
            if form is not None:
                told["formats"][name] = form
            if quant is not None:
                told["quant"][name] = quant
            if not by_word:
                told["roles"][name] = role
            drawn[role] = (source, quant)
        levels.append(naive.Level(stride, drawn["box"][0], drawn["cls"][0], drawn["box"][1], drawn["cls"][1]))
    if draw(st.booleans()) or any(level.cls.dtype == np.float32 and level.cls.size == 1 for level in levels):
        told["logits"] = logits
    order = draw(st.permutations(list(outputs)))
    size = (levels_at[0][0] * levels_at[0][1], levels_at[0][0] * levels_at[0][2])
    return Network(tuple(levels), logits, size, {name: outputs[name] for name in order}, told)


@st.composite
def thresholds(draw, network):
    """Draw a least score: 0, 1, one that a stored number has exactly, one between two of them, or one a hair off."""
    level = draw(st.sampled_from(network.levels))
    scores = np.unique(naive.scores_of(level, network.logits))
    here = draw(st.integers(0, len(scores) - 1))
    score = float(np.clip(scores[here], 0, 1))
    above = float(np.clip(scores[min(here + 1, len(scores) - 1)], 0, 1))
    single = np.float32(score)
    return draw(
        st.sampled_from(
            [
                0.0,
                1.0,
                0.25,
                score,
                float(single),
                float(np.clip(np.nextafter(single, np.float32(2)), 0, 1)),
                float(np.clip(np.nextafter(single, np.float32(-1)), 0, 1)),
                (score + above) / 2,
            ]
        )
    )


@st.composite
def options(draw, network):
    """Draw how candidates are chosen and suppressed."""
    return {
        "conf": draw(thresholds(network)),
        "iou": draw(st.sampled_from([0.0, 0.25, 0.45, 0.5, 0.7, 1.0])),
        "max_det": draw(st.sampled_from([300, 300, 1, 2, 7])),
        "max_per_class": draw(st.sampled_from([None, None, 1, 3])),
        "max_nms": draw(st.sampled_from([30_000, 30_000, 1, 5, 40])),
        "agnostic": draw(st.booleans()),
        "multi_label": draw(st.booleans()),
        "suppress": draw(st.sampled_from([None, None, True, False])),
    }
