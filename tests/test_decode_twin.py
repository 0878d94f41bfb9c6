"""Whole frames against the slow twin: the same boxes, in the same order, with the same scores."""

import contextlib

import naive
import numpy as np
import pytest
import strategies
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hailo_decode import Decoder, decode_yolov8
from hailo_decode.errors import ValuesError
from hailo_decode.families import ANCHOR_FREE

CLOSE = 1e-5  # an overlap this near to the threshold may fall on either side, where boxes follow from exp()


def agrees(network, options):
    """Decode with both and compare all of it."""
    wanted = naive.decode(network.levels, network.logits, **options)
    assume(network.exact or options["suppress"] is False or wanted.closest_call > CLOSE)
    found = decode_yolov8(network.outputs, network.input_size, **network.told, **options)
    assert found.confidence.tolist() == wanted.confidence.tolist()
    assert found.class_id.tolist() == wanted.class_id.tolist()
    if network.exact:
        assert found.xyxy.tolist() == wanted.xyxy.tolist()
    else:
        np.testing.assert_allclose(found.xyxy, wanted.xyxy, rtol=1e-6, atol=1e-3)


@settings(max_examples=250)
@given(st.data())
def test_any_network_in_any_layout_decodes_as_the_twin_does(data):
    network = data.draw(strategies.networks())
    agrees(network, data.draw(strategies.options(network)))


@settings(max_examples=60)
@given(st.data())
def test_a_frame_leaves_nothing_behind_for_the_next(data):
    network = data.draw(strategies.networks())
    options = data.draw(strategies.options(network))
    decoder = Decoder.from_outputs(
        network.outputs, network.input_size, family=ANCHOR_FREE, **network.told, **options
    )
    first = decoder(network.outputs)
    other = {n: np.roll(a.reshape(-1), 1).reshape(a.shape) for n, a in network.outputs.items()}
    with contextlib.suppress(ValuesError):
        decoder(other)
    again = decoder(network.outputs)
    for column in ("xyxy", "confidence", "class_id"):
        assert getattr(again, column).tolist() == getattr(first, column).tolist()
    assert again.meta == first.meta


@settings(max_examples=60)
@given(st.data())
def test_where_meta_says_nothing_of_a_cut_nothing_was_cut(data):
    network = data.draw(strategies.networks(bins=1))
    options = data.draw(strategies.options(network))
    found = decode_yolov8(network.outputs, network.input_size, **network.told, **options)
    unlimited = options | {"max_det": 100_000, "max_per_class": None, "max_nms": 100_000}
    wanted = naive.decode(network.levels, network.logits, **unlimited)
    if "cut" not in found.meta:
        assert found.confidence.tolist() == wanted.confidence.tolist()
        assert found.xyxy.tolist() == wanted.xyxy.tolist()
    if len(found) < len(wanted.confidence):
        assert "was reached" in found.meta["cut"]


@settings(max_examples=60)
@given(st.data())
def test_every_cell_of_any_layout_gives_its_box(data):
    network = data.draw(strategies.networks(classes=1))
    agrees(network, {"conf": 0.0, "suppress": False, "max_det": 10_000})


@settings(max_examples=60)
@given(st.data(), st.sampled_from([1 / 3, 0.25, 0.5, 0.6, 0.75, 1.0]))
def test_overlaps_that_fall_on_the_threshold_suppress(data, iou):
    # Whole distances make whole areas, whose ratios are these thresholds time and again.
    network = data.draw(
        strategies.networks(bins=1, dtypes=["float32"], classes=data.draw(st.sampled_from([1, 2, 16])))
    )
    for level in network.levels:
        np.floor(level.box, out=level.box)
    for name, array in network.outputs.items():
        if name.startswith(("net/box", "net/a")):
            np.floor(array, out=array)
    agrees(network, {"conf": 0.01, "iou": iou, "agnostic": data.draw(st.booleans()), "suppress": True})


def crowd(seed):
    """Return levels of a 640 x 640 input with some thousand low scores, spread over all blocks of the class tensors."""
    rng = np.random.default_rng(seed)
    levels = []
    for stride in (8, 16, 32):
        side = 640 // stride
        cls = np.where(rng.random((side, side, 80)) < 0.005, rng.integers(1, 60, (side, side, 80)), 0)
        box = rng.integers(0, 64, (side, side, 4))
        levels.append(
            naive.Level(stride, box.astype(np.uint8), cls.astype(np.uint8), (0.0625, 0.0), (1 / 255, 0.0))
        )
    return tuple(levels)


def outputs_of(levels):
    """Return outputs and quantisation of levels, by name."""
    outputs, quant = {}, {}
    for level in levels:
        outputs |= {f"box{level.stride}": level.box, f"cls{level.stride}": level.cls}
        quant |= {f"box{level.stride}": level.box_quant, f"cls{level.stride}": level.cls_quant}
    return outputs, {name: numbers for name, numbers in quant.items() if numbers is not None}


CROWDED = [
    {"max_det": 5},
    {"max_det": 300},
    {"max_det": 300, "agnostic": True, "iou": 0.2},
    {"max_det": 5000, "max_per_class": 20},
    {"max_det": 5000, "max_nms": 700, "multi_label": True},
    {"max_det": 5000, "suppress": False, "multi_label": True},
]


@pytest.mark.parametrize("options", CROWDED, ids=str)
def test_a_crowd_that_is_taken_band_by_band_decodes_as_the_twin_does(options):
    levels = crowd(1)
    outputs, quant = outputs_of(levels)
    wanted = naive.decode(levels, False, conf=0.001, **options)
    found = decode_yolov8(outputs, 640, quant=quant, conf=0.001, **options)
    assert found.confidence.tolist() == wanted.confidence.tolist()
    assert found.class_id.tolist() == wanted.class_id.tolist()
    assert found.xyxy.tolist() == wanted.xyxy.tolist()


@pytest.mark.parametrize("dtype", ["uint16", "float32", "uint8, a scale for each class"])
def test_a_crowd_of_computed_scores_decodes_as_the_twin_does(dtype):
    levels = []
    for level in crowd(2):
        cls, quant = level.cls, ([1 / 255] * 40 + [0.5 / 255] * 40, [0.0] * 80)
        if dtype == "uint16":
            cls, quant = cls.astype(np.uint16) * 257, (1 / 65_535, 0.0)
        elif dtype == "float32":
            cls, quant = (cls / 255).astype(np.float32), None
        levels.append(naive.Level(level.stride, level.box, cls, level.box_quant, quant))
    outputs, quant = outputs_of(levels)
    wanted = naive.decode(levels, False, conf=0.01, max_det=5000)
    found = decode_yolov8(outputs, 640, quant=quant, conf=0.01, max_det=5000)
    assert len(found) > 1000
    assert found.confidence.tolist() == wanted.confidence.tolist()
    assert found.class_id.tolist() == wanted.class_id.tolist()
    assert found.xyxy.tolist() == wanted.xyxy.tolist()


def crowded(rng, side, classes):
    """Return a frame of plain distances, quarters of a cell, with a score in every cell and class."""
    sides = rng.integers(1, 16, (side, side, 4)).astype(np.float32) / 4
    cls = rng.integers(1, 40, (side, side, classes)).astype(np.float32) / 64  # few scores: ties
    return naive.Level(8, sides, cls, None, None)


@pytest.mark.parametrize(
    ("classes", "options"),
    [
        (1, {}),
        (1, {"iou": 0.4}),
        (2, {"iou": 0.9, "max_nms": 900, "multi_label": True}),
        (3, {"agnostic": True, "max_per_class": 120}),
        (17, {"multi_label": True, "iou": 0.6}),
        (17, {"multi_label": True, "iou": 0.4, "max_per_class": 70, "max_nms": 5000}),
        (17, {"multi_label": True, "agnostic": True, "max_det": 400}),
        (17, {"multi_label": True, "iou": 0.0}),
    ],
)
def test_a_crowd_of_thousands_decodes_as_the_twin_does(classes, options, rng):
    level = crowded(rng, 24, classes)
    options = {"conf": 0.0, "max_det": 20_000, **options}
    outputs = {"box": level.box, "cls": level.cls}
    found = Decoder.from_outputs(outputs, 192, family=ANCHOR_FREE, logits=False, **options)(outputs)
    wanted = naive.decode([level], False, **options)
    assert found.confidence.tolist() == wanted.confidence.tolist()
    assert found.class_id.tolist() == wanted.class_id.tolist()
    assert found.xyxy.tolist() == wanted.xyxy.tolist()
