"""A model file and the device's own buffers give the boxes that the plain tensors give."""

import json

import layouts
import numpy as np
import pytest
from networks.build_archives import qparams
from networks.build_har import har, yolov8_hn
from networks.build_hef import CHANNEL_SCALE, hef, layer, yolov8
from networks.build_onnx import network as onnx_network

from hailo_decode import Decoder
from hailo_decode.errors import AmbiguousError, OptionError, QuantError, UnknownName

SIZE = (64, 96)
CLASSES, BINS = 5, 16
STRIDES = (8, 16, 32)
NAMES = {
    (8, "box"): "net/conv41",
    (8, "cls"): "net/conv42",
    (16, "box"): "net/conv52",
    (16, "cls"): "net/conv53",
    (32, "box"): "net/conv62",
    (32, "cls"): "net/conv63",
}
# Scales as a HEF can hold them: in single precision.
QUANT = {"box": (0.0625, 128.0), "cls": (float(np.float32(1 / 255)), 0.0)}
QUANT_16 = {"box": (0.0625 / 256, 32_768.0), "cls": (float(np.float32(1 / 65_535)), 0.0)}
BY_CHANNEL = {"box": 4 * BINS, "cls": CLASSES}


def stored(rng, dtype="uint8"):
    """Return (H, W, C) tensors by name: few high scores among many low ones."""
    top = np.iinfo(dtype).max
    tensors = {}
    for (stride, role), name in NAMES.items():
        shape = (SIZE[0] // stride, SIZE[1] // stride, BY_CHANNEL[role])
        array = rng.integers(0, top + 1, size=shape).astype(dtype)
        if role == "cls":
            array[rng.random(shape) < 0.9] = 0
        tensors[name] = array
    return tensors


def quants(dtype="uint8", per_channel=False, rng=None):
    """Return (scale, zero point) by name; one for each channel where asked."""
    table = QUANT if dtype == "uint8" else QUANT_16
    found = {name: table[role] for (_, role), name in NAMES.items()}
    if not per_channel:
        return found
    spread = {
        name: rng.uniform(0.5, 1.0, size=BY_CHANNEL[role]).astype(np.float32)
        for (_, role), name in NAMES.items()
    }
    return {
        name: ([float(np.float32(scale * s)) for s in spread[name]], [zero] * len(spread[name]))
        for name, (scale, zero) in found.items()
    }


def written(path, tensors, quant, order="NHCW", padding=(0, 0, 0), extensions=()):
    """Write a HEF whose outputs are these tensors; return its path and the padded shapes."""
    outputs, padded = [], {}
    for name, array in tensors.items():
        scale, zero = quant[name]
        many = isinstance(scale, list)
        h, w, c = (n + more for n, more in zip(array.shape, padding, strict=True))
        padded[name] = (h, w, -(-c // 8) * 8 if order == "F8CR" else c)
        outputs.append(
            layer(
                name,
                array.shape,
                hw_shape=padded[name],
                order=order,
                dtype=str(array.dtype),
                scale=0.0 if many else scale,
                zero_point=0.0 if many else zero,
                limits=(0.0, 1.0) if name in [NAMES[s, "cls"] for s in STRIDES] else None,
                scales=scale if many else (),
                zero_points=zero if many else (),
            )
        )
    ins = [layer("net/input_layer1", (*SIZE, 3), order="NHWC", scale=1.0, zero_point=0.0)]
    path.write_bytes(hef(outputs, inputs=ins, extensions=extensions))
    return path, padded


def same(found, wanted):
    assert len(wanted) > 3
    assert found.confidence.tolist() == wanted.confidence.tolist()
    assert found.class_id.tolist() == wanted.class_id.tolist()
    assert found.xyxy.tolist() == wanted.xyxy.tolist()


def plain(tensors, quant, **options):
    return Decoder.from_outputs(tensors, SIZE, quant=quant, **options)(tensors)


PADDINGS = [(0, 4, 0), (0, 0, 3), (0, 5, 3), (1, 2, 8)]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("order", ["NHCW", "FCR", "NHWC", "F8CR"])
@pytest.mark.parametrize("padding", PADDINGS, ids=str)
def test_raw_device_buffers_read_as_their_hef_says(tmp_path, rng, order, padding, dtype):
    tensors, quant = stored(rng, dtype), quants(dtype)
    path, padded = written(tmp_path / "net.hef", tensors, quant, order, padding)
    raw = {name: layouts.device(array, order, padded[name], rng) for name, array in tensors.items()}
    assert all(buffer.dtype == np.uint8 and buffer.size % 8 == 0 for buffer in raw.values())
    same(Decoder.from_file(path)(raw), plain(tensors, quant))


@pytest.mark.parametrize("order", ["NHCW", "FCR", "NHWC", "F8CR"])
@pytest.mark.parametrize("flat", [False, True], ids=["shaped", "flat"])
def test_vstream_buffers_of_padded_layers_are_dense_whatever_the_device_order(tmp_path, rng, order, flat):
    tensors, quant = stored(rng), quants()
    path, _ = written(tmp_path / "net.hef", tensors, quant, order, (0, 4, 8))
    given = {name: array.reshape(-1) if flat else array[None] for name, array in tensors.items()}
    same(Decoder.from_file(path)(given), plain(tensors, quant))


@pytest.mark.parametrize("order", ["NHCW", "FCR", "F8CR"])
def test_floats_have_been_through_hailorts_transform(tmp_path, rng, order):
    tensors, quant = stored(rng), quants()
    path, _ = written(tmp_path / "net.hef", tensors, quant, order, (0, 4, 8))
    real = {
        name: (array.astype(np.float32) - np.float32(quant[name][1])) * np.float32(quant[name][0])
        for name, array in tensors.items()
    }
    same(Decoder.from_file(path)(real), plain(real, None))


@pytest.mark.parametrize("order", ["NHCW", "FCR"])
def test_one_scale_for_each_channel_is_read_from_the_file(tmp_path, rng, order):
    tensors, quant = stored(rng), quants(per_channel=True, rng=rng)
    path, padded = written(tmp_path / "net.hef", tensors, quant, order, (0, 4, 8), [CHANNEL_SCALE])
    raw = {name: layouts.device(array, order, padded[name], rng) for name, array in tensors.items()}
    wanted = plain(tensors, quant)
    same(Decoder.from_file(path)(raw), wanted)
    same(Decoder.from_file(path)(tensors), wanted)


def test_layers_of_one_network_may_differ_in_order_and_type(tmp_path, rng):
    orders = ["NHCW", "FCR", "F8CR", "NHWC", "FCR", "NHCW"]
    narrow, wide = stored(rng), stored(rng, "uint16")
    tensors = {name: (wide if i % 3 == 1 else narrow)[name] for i, name in enumerate(NAMES.values())}
    both = {"uint8": quants(), "uint16": quants("uint16")}
    quant = {name: both[str(array.dtype)][name] for name, array in tensors.items()}
    outputs, raw = [], {}
    for (name, array), order in zip(tensors.items(), orders, strict=True):
        h, w, c = array.shape
        hw_shape = (h, w + 3, -(-c // 8) * 8)
        scale, zero = quant[name]
        outputs.append(
            layer(
                name,
                array.shape,
                hw_shape=hw_shape,
                order=order,
                dtype=str(array.dtype),
                scale=scale,
                zero_point=zero,
            )
        )
        raw[name] = layouts.device(array, order, hw_shape, rng)
    ins = [layer("net/input_layer1", (*SIZE, 3), order="NHWC", scale=1.0, zero_point=0.0)]
    path = tmp_path / "net.hef"
    path.write_bytes(hef(outputs, inputs=ins))
    same(Decoder.from_file(path)(raw), plain(tensors, quant))


def test_flat_bytes_of_an_unpadded_layer_in_channel_rows_are_asked_about(tmp_path, rng):
    """NHCW and dense NHWC have one size there: only the caller knows which API gave the bytes."""
    tensors, quant = stored(rng), quants()
    path, padded = written(tmp_path / "net.hef", tensors, quant, "NHCW")
    raw = {name: layouts.device(array, "NHCW", padded[name], rng) for name, array in tensors.items()}
    with pytest.raises(AmbiguousError, match="can be read in 2 ways"):
        Decoder.from_file(path)(raw)
    told = {name: {"layout": "device"} for name in tensors}
    same(Decoder.from_file(path, formats=told)(raw), plain(tensors, quant))


@pytest.mark.parametrize("order", ["NHCW", "FCR", "NHWC", "F8CR"])
def test_arrays_of_an_unpadded_layers_shape_are_those_of_a_vstream(tmp_path, rng, order):
    tensors, quant = stored(rng), quants()
    path, _ = written(tmp_path / "net.hef", tensors, quant, order)
    same(Decoder.from_file(path)(tensors), plain(tensors, quant))


def test_names_match_without_the_networks_prefix_and_in_any_order(tmp_path, rng):
    tensors, quant = stored(rng), quants()
    path, _ = written(tmp_path / "net.hef", tensors, quant, "FCR", (0, 4, 0))
    short = {name.rpartition("/")[2]: array for name, array in reversed(tensors.items())}
    same(Decoder.from_file(path)(short), plain(tensors, quant))


PARSED = """\
Network group name: net, Single Context
    Network name: net/net
        Stream infos:
            Input  net/input_layer1 UINT8, NHWC(64x96x3)
{streams}
        VStream infos:
            Input  net/input_layer1 UINT8, NHWC(64x96x3)
{vstreams}
"""


def parsed(tensors, padding):
    lines = {"streams": [], "vstreams": []}
    for name, (h, w, c) in ((name, array.shape) for name, array in tensors.items()):
        lines["streams"].append(f"            Output {name} UINT8, NHCW({h}x{w + padding}x{c})")
        lines["vstreams"].append(f"            Output {name} UINT8, NHWC({h}x{w}x{c})")
    return PARSED.format(**{key: "\n".join(value) for key, value in lines.items()})


def test_the_text_of_parse_hef_serves_as_a_model_file_once_scales_are_told(tmp_path, rng):
    tensors, quant = stored(rng), quants()
    path = tmp_path / "parsed.txt"
    path.write_text(parsed(tensors, 4))
    same(Decoder.from_file(path, quant=quant)(tensors), plain(tensors, quant))
    raw = {
        name: layouts.device(array, "NHCW", (array.shape[0], array.shape[1] + 4, array.shape[2]), rng)
        for name, array in tensors.items()
    }
    same(Decoder.from_file(path, quant=quant)(raw), plain(tensors, quant))
    with pytest.raises(QuantError, match="nothing says what they stand for"):
        Decoder.from_file(path)(tensors)


def test_an_ultralytics_folder_adds_the_names_to_its_hef(tmp_path, rng):
    tensors, quant = stored(rng), quants()
    _, padded = written(tmp_path / "net.hef", tensors, quant, "FCR", (0, 4, 0))
    (tmp_path / "metadata.yaml").write_text(
        "task: detect\nimgsz:\n- 64\n- 96\nnames:\n  0: ant\n  1: bee\n  2: cat\n  3: dog\n  4: eel\n"
    )
    raw = {name: layouts.device(array, "FCR", padded[name], rng) for name, array in tensors.items()}
    found = Decoder.from_file(tmp_path)(raw)
    same(found, plain(tensors, quant))
    assert found.names == ("ant", "bee", "cat", "dog", "eel")


def test_a_quantised_har_gives_names_roles_and_scales(tmp_path, rng):
    tensors, quant = stored(rng), quants()
    graph = yolov8_hn("net", SIZE, CLASSES, sigmoid=True)
    path = tmp_path / "net.har"
    path.write_bytes(har(graph, state="compiled_model", quant=qparams("net", quant)))
    same(Decoder.from_file(path)(tensors), plain(tensors, quant))


def test_float_outputs_of_onnx_are_channel_first(tmp_path, rng):
    ends = [
        (f"/model.22/cv{2 + k}.{i}/cv{2 + k}.{i}.2/Conv", BY_CHANNEL[role], stride)
        for i, stride in enumerate(STRIDES)
        for k, role in enumerate(("box", "cls"))
    ]
    path = tmp_path / "net.onnx"
    path.write_bytes(onnx_network(ends, SIZE))
    tensors = {}
    for name, channels, stride in ends:
        shape = (SIZE[0] // stride, SIZE[1] // stride, channels)
        tensors[name] = rng.normal(-3 if channels == CLASSES else 0, 2, shape).astype(np.float32)
    first = {name: array.transpose(2, 0, 1)[None] for name, array in tensors.items()}
    same(Decoder.from_file(path)(first), plain(tensors, None))


def test_a_description_by_hand_does_the_same_as_the_hef_that_it_came_from(tmp_path, rng):
    from hailo_decode.networks import read_network
    from hailo_decode.networks.description import description_of

    tensors, quant = stored(rng), quants()
    path, padded = written(tmp_path / "net.hef", tensors, quant, "F8CR", (0, 4, 8))
    copy = tmp_path / "net.json"
    copy.write_text(json.dumps(description_of(read_network(path))))
    raw = {name: layouts.device(array, "F8CR", padded[name], rng) for name, array in tensors.items()}
    same(Decoder.from_file(copy)(raw), Decoder.from_file(path)(raw))


def pair_of_networks(path, rng):
    """Write a HEF with two networks of other sizes; return its path and the tensors of each."""
    tensors, outputs, ins = {}, [], []
    for number, (name, size, classes) in enumerate([("left", (32, 32), 3), ("right", (64, 64), 5)]):
        ins.append(layer(f"{name}/input_layer1", (*size, 3), order="NHWC", scale=1.0, network=number))
        box = rng.integers(0, 256, (size[0] // 8, size[1] // 8, 64), np.uint8)
        cls = rng.integers(0, 256, (size[0] // 8, size[1] // 8, classes), np.uint8)
        tensors[name] = {f"{name}/conv1": box, f"{name}/conv2": cls}
        outputs.append(layer(f"{name}/conv1", box.shape, order="FCR", scale=0.0625, network=number))
        outputs.append(
            layer(f"{name}/conv2", cls.shape, order="FCR", scale=1 / 255, zero_point=0.0, network=number)
        )
    path.write_bytes(hef(outputs, inputs=ins, name="pair", networks=["left", "right"]))
    return path, tensors


def test_one_of_several_networks_is_chosen_by_its_name(tmp_path, rng):
    path, tensors = pair_of_networks(tmp_path / "pair.hef", rng)
    quant = {"left": (0.0625, 128.0), "right": (float(np.float32(1 / 255)), 0.0)}
    for name, size in (("left", (32, 32)), ("right", (64, 64))):
        told = dict(zip(tensors[name], quant.values(), strict=True))
        wanted = Decoder.from_outputs(tensors[name], size, quant=told)(tensors[name])
        same(Decoder.from_file(path, network_name=name)(tensors[name]), wanted)
        same(Decoder.from_file(path, network_name=f"pair/{name}")(tensors[name]), wanted)


def test_several_networks_and_none_chosen_is_an_error_that_lists_them(tmp_path, rng):
    path, _ = pair_of_networks(tmp_path / "pair.hef", rng)
    with pytest.raises(AmbiguousError, match="'pair' holds 2 networks") as caught:
        Decoder.from_file(path)
    assert caught.value.readings == ("pair/left", "pair/right")
    assert caught.value.hint == 'network_name="pair/left", or another of them'
    with pytest.raises(UnknownName, match="no network named 'lefd'") as unknown:
        Decoder.from_file(path, network_name="lefd")
    assert "pair/right" in unknown.value.wanted
    with pytest.raises(OptionError, match="network_name is 3"):
        Decoder.from_file(path, network_name=3)


def test_the_boxes_of_a_step_with_the_wrong_image_size_are_put_right(tmp_path):
    """The step divides by the size that it was told: multiplied by the same, boxes are where they were."""
    heads = [
        layer("net/reg", (40, 40, 64)),
        layer("net/cls", (40, 40, 2), scale=1 / 255, zero_point=0.0, limits=(0.0, 1.0)),
    ]
    op = yolov8([(8, "net/reg", "net/cls")], (640, 640), classes=2, most=5, output="net/nms")
    ins = [layer("net/input_layer1", (320, 320, 3), order="NHWC", scale=1.0)]
    path = tmp_path / "net.hef"
    path.write_bytes(hef(heads, op=op, inputs=ins))
    in_pixels = np.array([20.0, 10.0, 120.0, 90.0], np.float32)  # top, left, bottom, right of a 320x320 input
    buffer = np.zeros(2 * (1 + 5 * 5), np.float32)
    buffer[:6] = [1, *(in_pixels / 640), 0.9]
    found = Decoder.from_file(path)({"net/nms": buffer})
    assert found.xyxy.tolist() == [[10.0, 20.0, 90.0, 120.0]]
