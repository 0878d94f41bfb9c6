"""Recordings from HailoRT's own objects: stand-ins with the attributes that pyhailort's classes have."""

from dataclasses import replace
from types import SimpleNamespace

import frames
import numpy as np
import pytest

from hailo_decode import Decoder, Letterbox, Quant, Recording
from hailo_decode.errors import DtypeError, QuantError, SizeError, UnknownName
from hailo_decode.hailort import output_info
from hailo_decode.values.order import FormatOrder


class NmsOnly:
    """A vstream info of NMS by score, whose shape raises (pyhailort 5.2, pyhailort.cpp)."""

    name = "nms"
    format = SimpleNamespace(
        order=SimpleNamespace(name="HAILO_NMS_BY_SCORE"), type=SimpleNamespace(name="UINT8")
    )
    quant_info = SimpleNamespace(qp_zp=0.0, qp_scale=1.0)
    nms_shape = SimpleNamespace(number_of_classes=80, max_bboxes_per_class=0, max_bboxes_total=300)

    @property
    def shape(self):
        """Raise, as pyhailort does."""
        raise RuntimeError("not for this order")


def info(name, shape, quant, order="NHWC", dtype="UINT8", direction="D2H", **more):
    return SimpleNamespace(
        name=name,
        shape=shape,
        direction=SimpleNamespace(name=direction),
        format=SimpleNamespace(order=SimpleNamespace(name=order), type=SimpleNamespace(name=dtype)),
        quant_info=SimpleNamespace(qp_zp=quant[1], qp_scale=quant[0], limvals_min=0.0, limvals_max=1.0),
        **more,
    )


def infos():
    grid = frames.GRID
    return [
        info("net/input", (*frames.INPUT, 3), (1.0, 0.0), direction="H2D"),
        info(frames.BOX, (grid, grid, 4 * frames.BINS), (0.25, 128.0), order="FCR"),
        info(frames.CLS, (grid, grid, frames.CLASSES), (1 / 255, 0.0)),
    ]


def test_vstreams_become_a_recording_that_decodes(tmp_path):
    batch = {name: array[None] for name, array in frames.one_object().items()}
    letterbox = Letterbox.fit((32, 64), frames.INPUT)
    made = Recording.from_hailort(infos(), batch, name="net", classes=frames.NAMES, letterbox=letterbox)
    read = Recording.load(made.save(tmp_path / "dump.npz"))
    assert read.network.input_size == frames.INPUT
    assert read.letterbox == letterbox
    detections = Decoder.from_network(read.network)(read.outputs)
    assert detections.xyxy.tolist() == [frames.box_of()]
    assert detections.names == frames.NAMES


def test_order_shape_quantisation_and_type_are_kept():
    box = Recording.from_hailort(infos(), frames.one_object()).network.output(frames.BOX)
    assert box.order is FormatOrder.FCR
    assert box.shape == (4, 4, 64)
    assert box.quant == Quant.of(0.25, 128.0)
    assert (box.dtype, box.layout) == ("uint8", "host")


def test_the_type_is_that_of_the_buffer():
    outputs = {name: array.astype(np.float32) for name, array in frames.one_object().items()}
    made = Recording.from_hailort(infos(), outputs)
    assert [o.dtype for o in made.network.outputs] == ["float32", "float32"]


def test_raw_bytes_of_a_stream_keep_its_type_and_padding():
    stream = info("raw", (4, 8, 3), (0.1, 5.0), order="NHCW", dtype="UINT16", hw_shape=(4, 8, 3))
    made = Recording.from_hailort([stream], {"raw": np.zeros(192, np.uint8)}, input_size=32)
    raw = made.network.output("raw")
    assert (raw.dtype, raw.hw_shape, raw.order, raw.layout) == ("uint16", (4, 8, 3), FormatOrder.NHCW, None)


def test_an_infer_models_streams_have_a_list_of_quantisations():
    stream = info("a", (2, 2, 3), (0.0, 0.0))
    stream.quant_infos = [SimpleNamespace(qp_scale=0.5, qp_zp=3.0)]
    assert output_info(stream).quant == Quant.of(0.5, 3.0)


def test_four_zeros_are_no_quantisation():
    assert output_info(info("a", (2, 2, 3), (0.0, 0.0))).quant is None


def test_an_impossible_scale_names_its_output():
    with pytest.raises(QuantError, match="output 'a': a scale must be a positive number"):
        output_info(info("a", (2, 2, 3), (-1.0, 0.0)))


@pytest.mark.parametrize(("shape", "read"), [((7,), (1, 1, 7)), ((4, 5), (4, 5, 1)), ((4, 5, 6), (4, 5, 6))])
def test_shapes_of_fewer_axes_are_filled_up(shape, read):
    assert output_info(info("a", shape, (1.0, 0.0))).shape == read


def test_auto_is_no_order():
    assert output_info(info("a", (2, 2, 3), (1.0, 0.0), order="AUTO")).order is None


def test_an_nms_infos_counts_are_read_and_its_shape_is_not():
    read = output_info(NmsOnly())
    assert read.order is FormatOrder.NMS_BY_SCORE
    assert (read.nms.classes, read.nms.max_per_class, read.nms.max_total) == (80, None, 300)


def test_nms_lists_are_unwrapped_from_their_batch_and_become_float32():
    nms = info("nms", (2, 5, 100), (1.0, 0.0), order="HAILO_NMS_BY_CLASS", dtype="FLOAT32")
    rows = [np.ones((3, 5), np.float32), np.empty((0, 5))]  # no box: float64, as pyhailort has it
    for held in (rows, [rows]):
        made = Recording.from_hailort([nms], {"nms": held}, input_size=32)
        assert [(a.shape, a.dtype) for a in made.outputs["nms"]] == [
            ((3, 5), np.float32),
            ((0, 5), np.float32),
        ]
        assert made.network.nms_done


def test_several_frames_are_refused():
    batch = {name: np.repeat(array[None], 4, axis=0) for name, array in frames.one_object().items()}
    with pytest.raises(SizeError, match="holds 4 frames"):
        Recording.from_hailort(infos(), batch)
    nms = info("nms", (2, 5, 100), (1.0, 0.0), order="HAILO_NMS_BY_CLASS")
    with pytest.raises(SizeError, match="holds 2 frames"):
        Recording.from_hailort([nms], {"nms": [[np.ones((1, 5))], [np.ones((1, 5))]]})


def test_objects_in_place_of_arrays_are_refused():
    nms = info("nms", (2, 5, 100), (1.0, 0.0), order="HAILO_NMS_BY_CLASS")
    with pytest.raises(DtypeError, match="output 'nms' is no array") as caught:
        Recording.from_hailort([nms], {"nms": [SimpleNamespace(score=1.0)]})
    assert caught.value.got == "list of SimpleNamespace"


def test_an_output_without_info_is_named():
    with pytest.raises(UnknownName, match="'net/conv43'"):
        Recording.from_hailort(infos(), {"net/conv43": np.zeros((4, 4, 3), np.uint8)})


def test_an_input_size_overrules_that_of_the_infos():
    assert Recording.from_hailort(infos(), frames.one_object(), input_size=(32, 96)).network.input_size == (
        32,
        96,
    )


def test_the_letterbox_tells_the_input_size_where_nothing_else_does():
    letterbox = Letterbox.fit((32, 64), frames.INPUT)
    made = Recording.from_hailort(infos()[1:], frames.one_object(), letterbox=letterbox)
    assert made.network.input_size == frames.INPUT
    assert replace(made.network, letterbox=None).image_size == (32, 64)
