"""NMS on the chip: words of 64 bits, counted by HailoRT's reader or as they come off the wire."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nms import write_nms as write
from nms.write_nms import CLASS_END, FILLING, IMAGE_END, word

from hailo_decode import NetworkInfo, Quant, decode_nms
from hailo_decode.errors import AmbiguousError, OptionError, QuantError, SizeError, ValuesError
from hailo_decode.values.network import NmsInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

SIZE = (64, 128)
QUANT = (1 / 4096, 0.0)
A, B, C = word(1024, 2048, 2048, 3072, 3072), word(0, 0, 2048, 2048, 2048), word(0, 1024, 1024, 4095, 1024)
RUNS = [[A], [], [B, C]]  # three classes
KNOWN = {"classes": 3, "image_size": SIZE, "quant": QUANT}


def hold(dets):
    """Hold a result to the boxes of `RUNS`."""
    assert dets.class_id.tolist() == [0, 2, 2]
    assert dets.confidence.tolist() == [0.75, 0.5, 0.25]
    assert dets.xyxy[:2].tolist() == [[64, 16, 96, 32], [0, 0, 64, 32]]


WIRES = {
    "counted": lambda runs: write.on_chip(runs, 200),
    "counted, bytes": lambda runs: write.on_chip(runs).tobytes(),
    "bursts of Hailo-8": lambda runs: write.bursts_h8(runs, 4),
    "bursts of Hailo-8, bytes": lambda runs: write.bursts_h8(runs, 4).tobytes(),
    "bursts of Hailo-15": lambda runs: write.bursts_h15(runs, 4),
    "bursts of Hailo-15 that classes cross": lambda runs: write.bursts_h15(runs, 1),
    "Hailo-15 without bursts": lambda runs: np.array(
        [w for run in runs for w in (*run, CLASS_END)] + [IMAGE_END], np.uint64
    ),
    "Hailo-8 without bursts": lambda runs: np.array(
        [w for run in runs for w in (*run, CLASS_END)], np.uint64
    ),
    "Hailo-15, one burst a frame": lambda runs: np.array(
        [w for run in runs for w in (*run, CLASS_END)] + [IMAGE_END, FILLING, FILLING], np.uint64
    ),
}


@pytest.mark.parametrize("wire", WIRES)
def test_every_wire_gives_the_same_boxes(wire):
    hold(decode_nms(WIRES[wire](RUNS), **KNOWN))


@pytest.mark.parametrize("wire", WIRES)
@given(st.lists(st.lists(st.integers(1, 60), max_size=3), min_size=2, max_size=4))
def test_classes_come_out_with_their_boxes(wire, drawn):
    runs = [[word(0, 0, 64 * k, 64 * k, 64 * k) for k in run] for run in drawn]
    dets = decode_nms(WIRES[wire](runs), classes=len(runs), image_size=SIZE, quant=QUANT)
    wanted = sorted(
        ((64 * k / 4096, c) for c, run in enumerate(drawn) for k in run), key=lambda one: (-one[0], one[1])
    )
    assert list(zip(dets.confidence.tolist(), dets.class_id.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("wire", [w for w in WIRES if "crosses" not in w])
def test_chunks_of_a_class_are_joined_in_their_order(wire):
    low = word(0, 0, 100, 100, 2048)
    dets = decode_nms(WIRES[wire]([[B], [A], [low], []]), classes=2, chunks=2, image_size=SIZE, quant=QUANT)
    assert dets.class_id.tolist() == [1, 0, 0]
    assert dets.xyxy[1].tolist() == [0, 0, 64, 32]  # of the first chunk, where scores are equal


def test_a_class_may_go_on_in_the_next_burst():
    words = write.bursts_h8([[A, B, C], [B]], 2)
    assert words.tolist() == [A, B, C, CLASS_END, B, CLASS_END]
    dets = decode_nms(words, classes=2, image_size=SIZE, quant=QUANT, burst=2)
    assert dets.class_id.tolist() == [0, 0, 1, 0]


def test_bursts_that_do_not_tell_their_length_ask_for_it():
    words = write.bursts_h8([[A, B, C], [], [B]], 2)
    with pytest.raises(AmbiguousError, match="do not tell how long a burst is") as caught:
        decode_nms(words, classes=3, image_size=SIZE, quant=QUANT, form="bursts")
    assert "burst=" in caught.value.hint
    assert len(decode_nms(words, classes=3, image_size=SIZE, quant=QUANT, form="bursts", burst=2)) == 4
    with pytest.raises(SizeError, match="8 words are no bursts of 3"):
        decode_nms(words, classes=3, image_size=SIZE, quant=QUANT, form="bursts", burst=3)


def test_what_lies_in_a_burst_behind_its_end_means_nothing():
    words = write.bursts_h8(RUNS, 4)
    words[2:4] = [A, B]
    hold(decode_nms(words, **KNOWN, burst=4))


def test_a_model_file_tells_scale_chunks_and_bursts():
    output = OutputInfo(
        "net/nms",
        order=FormatOrder.NMS_ON_CHIP,
        quant=Quant.of(*QUANT),
        nms=NmsInfo(classes=3, max_per_class=4),
        facts={"chip_nms": {"chunks": 1, "burst_size": 4}},
    )
    network = NetworkInfo("net", "hef", input_size=SIZE, outputs=(output,), nms_done=True)
    hold(decode_nms(write.bursts_h8(RUNS, 4), network=network))
    hold(decode_nms(write.on_chip(RUNS, 96), network=network))


@pytest.mark.parametrize(
    ("held", "options", "error", "text"),
    [
        (write.on_chip(RUNS), {"quant": None}, QuantError, "stored as integers"),
        (write.on_chip(RUNS)[:-1], {}, SizeError, "boxes of class 2 of 3, chunk 0 reach past the end"),
        (write.on_chip(RUNS)[:11], {}, SizeError, "ends before class 1 of 3"),
        (write.on_chip(RUNS), {"max_per_class": 1}, ValuesError, "class 2 of 3, chunk 0 counts 2 boxes"),
        (write.on_chip(RUNS), {"classes": None}, OptionError, "does not tell its number of classes"),
    ],
)
def test_counts_that_cannot_be_are_told(held, options, error, text):
    with pytest.raises(error, match=text):
        decode_nms(held, **{**KNOWN, "form": "on_chip", **options})


@pytest.mark.parametrize(
    ("held", "options", "error", "text"),
    [
        (write.bursts_h15(RUNS, 4)[:-4], {}, SizeError, "hold 2 ends of classes"),
        (write.bursts_h15(RUNS, 4), {"max_per_class": 1}, ValuesError, "class 2 holds 2 boxes"),
        (write.bursts_h15(RUNS, 4), {"quant": None}, QuantError, "stored as integers"),
        (write.bursts_h15(RUNS, 4), {"classes": None}, OptionError, "does not tell its number of classes"),
        (bytes(13), {}, SizeError, "13 bytes are no words of 64 bits"),
    ],
)
def test_bursts_that_cannot_be_are_told(held, options, error, text):
    with pytest.raises(error, match=text):
        decode_nms(held, **{**KNOWN, "form": "bursts", **options})
