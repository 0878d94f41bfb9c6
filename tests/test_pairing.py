"""Which output is which: told by grid, channels, names and values, never by position; asked where nothing tells."""

from itertools import permutations

import heads
import numpy as np
import pytest

from hailo_decode import Decoder, decode_yolov8
from hailo_decode.errors import AmbiguousError, PairingError, UnknownName
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.quant import Quant

NUMBERS = {8: (41, 42), 16: (52, 53), 32: (62, 63)}


def conv(role, stride):
    return f"snail_net/conv{NUMBERS[stride][role == 'cls']}"


def roles_of(outputs, size=64, **told):
    """Return {output: (role, stride)} as the plan has it, and the plan's meta."""
    plan = Decoder.from_outputs(outputs, size, **told).plan(outputs)
    roles = {
        o.name: (role, level.stride[0]) for level in plan.reading.levels for role, o in level.outputs.items()
    }
    return roles, plan.meta


def rows(dets):
    return dets.xyxy.tolist(), dets.confidence.tolist(), dets.class_id.tolist()


def test_all_720_orders_of_six_outputs_give_the_same():
    objects = [(8, 1, 2, 0, 0.9), (16, 2, 1, 4, 0.8), (32, 0, 1, 2, 0.7)]
    outputs, quant = heads.dfl_frame(classes=5, objects=objects, names=conv)
    wanted = rows(decode_yolov8(outputs, 64, quant=quant))
    assert wanted[0] == [heads.box_of(8, 1, 2), heads.box_of(16, 2, 1), heads.box_of(32, 0, 1)]
    assert wanted[2] == [0, 4, 2]
    for order in permutations(outputs):
        assert rows(decode_yolov8({name: outputs[name] for name in order}, 64, quant=quant)) == wanted


def test_all_720_orders_of_a_list_without_names_give_the_same():
    outputs, _ = heads.dfl_frame(classes=5, names=conv)
    real = [
        (array * (0.125 if array.shape[2] == 64 else 1 / 255)).astype(np.float32)
        for array in outputs.values()
    ]
    wanted = rows(decode_yolov8(real, 64))
    assert wanted[2] == [2]
    for order in permutations(real):
        assert rows(decode_yolov8(list(order), 64)) == wanted


def test_mixed_orders_of_one_network_pair_as_one():
    outputs, quant = heads.dfl_frame(classes=5, names=conv)
    formats = dict.fromkeys(outputs, "FCR") | {conv("box", 32): "NHWC"}
    roles, meta = roles_of(outputs, quant=quant, formats=formats)
    assert roles == {conv(role, s): (role, s) for role in ("box", "cls") for s in (8, 16, 32)}
    assert "5 classes, 16 bins, strides 8/16/32" in meta["head"]


def test_64_classes_are_told_from_64_box_channels_by_the_range_of_quantisation():
    outputs, quant = heads.dfl_frame(classes=64, names=lambda role, s: f"net/{'ab'[role == 'box']}{s}")
    roles, meta = roles_of(outputs, quant=quant, family="yolov8")
    assert all(role == {"a": "cls", "b": "box"}[name[4]] for name, (role, _) in roles.items())
    assert "by the ranges of values" in meta["roles"]


def test_64_classes_are_told_from_64_box_channels_by_names():
    outputs, _ = heads.dfl_frame(
        classes=64, names=lambda role, s: f"m/{'cv3' if role == 'cls' else 'cv2'}.{s}"
    )
    same = dict.fromkeys(outputs, (0.1, 150))
    roles, meta = roles_of(outputs, quant=same, family="yolov8")
    assert all(role == ("cls" if "cv3" in name else "box") for name, (role, _) in roles.items())
    assert "by the outputs' names" in meta["roles"]


def test_64_classes_are_told_from_64_box_channels_by_layer_numbers_last():
    outputs, _ = heads.dfl_frame(classes=64, names=conv)
    same = dict.fromkeys(outputs, (0.1, 150))
    roles, meta = roles_of(outputs, quant=same, family="yolov8")
    assert roles == {conv(role, s): (role, s) for role in ("box", "cls") for s in (8, 16, 32)}
    assert "layer numbers" in meta["roles"]


@pytest.mark.parametrize("form", ["dict", "list"])
def test_64_classes_that_nothing_tells_from_64_box_channels_are_asked_about(form):
    outputs, _ = heads.dfl_frame(classes=64, names=lambda role, s: f"{role[0]}{s}")
    outputs = {name: np.full(array.shape, 100, np.uint8) for name, array in outputs.items()}
    with pytest.raises(AmbiguousError) as caught:
        roles_of(outputs if form == "dict" else list(outputs.values()), quant=(0.1, 150), family="yolov8")
    error = caught.value
    assert len(error.readings) >= 2
    first, second = ("b8", "c8") if form == "dict" else ("output0", "output1")
    assert any(f"box={first}" in reading for reading in error.readings)
    assert any(f"box={second}" in reading for reading in error.readings)
    assert "roles=" in error.hint


def test_roles_settle_what_nothing_else_tells():
    outputs, _ = heads.dfl_frame(classes=64, names=lambda role, s: f"{role[0]}{s}")
    outputs = {name: np.full(array.shape, 100, np.uint8) for name, array in outputs.items()}
    told = {name: "box" if name[0] == "c" else "cls" for name in outputs}
    roles, _ = roles_of(outputs, quant=(0.1, 150), roles=told, family="yolov8")
    assert {name: role for name, (role, _) in roles.items()} == told


def test_a_role_that_no_head_has_is_refused_by_name():
    outputs, quant = heads.dfl_frame()
    with pytest.raises(UnknownName, match="'bbox'") as caught:
        decode_yolov8(outputs, 64, quant=quant, roles={"net/box8": "bbox"})
    assert "box" in caught.value.wanted


def test_4_classes_on_a_head_of_4_box_channels_are_told_apart_by_range():
    box = np.ones((4, 4, 4), np.float32) * 1.5
    cls = np.zeros((4, 4, 4), np.float32)
    cls[1, 2, 3] = 0.9
    for outputs in ([box, cls], [cls, box]):
        dets = decode_yolov8(outputs, 32)
        assert rows(dets) == ([[8.0, 0.0, 32.0, 24.0]], [np.float32(0.9)], [3])


def test_4_classes_on_a_head_of_64_box_channels_are_one_reading_of_two_and_the_published_one_is_said():
    box, cls = np.zeros((4, 4, 64), np.float32), np.full((4, 4, 4), -6, np.float32)
    box[0, 0, 0] = 3
    cls[1, 1, 1] = 2
    roles, meta = roles_of({"a": box, "b": cls}, 32, family=("yolov8", "yolo26"))
    assert roles == {"a": ("box", 8), "b": ("cls", 8)}
    assert "4 classes, 16 bins" in meta["head"]


@pytest.mark.parametrize("shape", [(4, 4, 1), (4, 4), (1, 4, 4, 1)])
def test_one_class_may_come_without_its_axis(shape):
    cls = np.zeros(16, np.float32)
    cls[6] = 0.75
    box = np.ones((4, 4, 4), np.float32)
    dets = decode_yolov8({"box": box, "cls": cls.reshape(shape)}, 32)
    assert rows(dets) == ([[12.0, 4.0, 28.0, 20.0]], [0.75], [0])


def test_two_networks_in_one_dict_are_named_and_the_cure_works():
    left, quant = heads.dfl_frame(names=lambda role, s: f"left/{role}{s}")
    right, more = heads.dfl_frame(names=lambda role, s: f"right/{role}{s}")
    both = left | right
    with pytest.raises(PairingError, match="2 networks: left, right") as caught:
        decode_yolov8(both, 64, quant=quant | more)
    assert 'n.startswith("left/")' in caught.value.hint
    one = {n: a for n, a in both.items() if n.startswith("left/")}
    assert decode_yolov8(one, 64, quant=quant).class_id.tolist() == [2]


@pytest.mark.parametrize("lost", ["net/box8", "net/cls16", "net/box32"])
def test_a_missing_output_is_told_by_its_stride(lost):
    outputs, quant = heads.dfl_frame()
    del outputs[lost], quant[lost]
    stride = lost[7:]
    with pytest.raises(PairingError) as caught:
        decode_yolov8(outputs, 64, quant=quant)
    assert f"stride {stride} has 1 output" in caught.value.hint
    assert "missing" in caught.value.hint


def test_a_doubled_output_is_told_by_its_stride():
    outputs, quant = heads.dfl_frame()
    outputs["net/cls16_again"], quant["net/cls16_again"] = outputs["net/cls16"], quant["net/cls16"]
    with pytest.raises(PairingError) as caught:
        decode_yolov8(outputs, 64, quant=quant)
    assert "stride 16 has 3" in caught.value.hint
    assert "twice" in caught.value.hint
    assert "net/cls16_again 4x4x3" in caught.value.got


def test_levels_that_differ_in_classes_fit_no_head():
    outputs, quant = heads.dfl_frame()
    outputs["net/cls16"] = np.zeros((4, 4, 7), np.uint8)
    with pytest.raises(PairingError, match="fit no head") as caught:
        decode_yolov8(outputs, 64, quant=quant)
    assert "net/cls16 4x4x7" in caught.value.got


def test_64_and_80_channels_are_16_bins_and_80_classes_and_the_other_reading_is_told():
    outputs = {"a": np.full((4, 4, 64), 0.5, np.float32), "b": np.full((4, 4, 80), -1.0, np.float32)}
    outputs["a"][0] = -2
    outputs["b"][0] = 2
    roles, meta = roles_of(outputs, 32, family="yolov8")
    assert roles == {"a": ("box", 8), "b": ("cls", 8)}
    assert "64 classes, 20 bins would fit the channels too" in meta["roles"]


def test_the_number_of_names_settles_64_against_80_the_other_way():
    outputs = {"a": np.full((4, 4, 64), 0.5, np.float32), "b": np.full((4, 4, 80), -1.0, np.float32)}
    outputs["a"][0] = -2
    outputs["b"][0] = 2
    roles, _ = roles_of(outputs, 32, family="yolov8", names=[f"c{k}" for k in range(64)])
    assert roles == {"b": ("box", 8), "a": ("cls", 8)}


@pytest.mark.parametrize(
    ("size", "grid"), [((640, 480), (60, 80)), (300, (40, 40)), ((480, 640), (60, 40))], ids=str
)
def test_a_grid_that_does_not_divide_the_input_is_told_with_both(size, grid):
    outputs = {"box": np.ones((*grid, 4), np.float32), "cls": np.zeros((*grid, 3), np.float32)}
    with pytest.raises(PairingError) as caught:
        decode_yolov8(outputs, size)
    text = str(caught.value)
    height, width = (size, size) if isinstance(size, int) else size
    assert f"{grid[0]}x{grid[1]}" in text
    assert f"{height}x{width}" in text
    assert "input_size is (height, width)" in caught.value.hint


def test_outputs_that_the_description_names_and_the_frame_lacks_are_told():
    outputs, quant = heads.dfl_frame()
    described = tuple(OutputInfo(n, shape=a.shape, quant=Quant.of(*quant[n])) for n, a in outputs.items())
    network = NetworkInfo("net", "json", input_size=(64, 64), outputs=described)
    whole_level_lost = {name: array for name, array in outputs.items() if not name.endswith("8")}
    with pytest.raises(PairingError) as caught:
        Decoder.from_network(network)(whole_level_lost)
    assert "net/box8" in str(caught.value)
    assert "net/cls8" in str(caught.value)
