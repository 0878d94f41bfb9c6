"""Recordings: all that decoding needs, in one file; what cannot be kept or found is named."""

import json
from dataclasses import replace
from pathlib import Path

import frames
import numpy as np
import pytest

from hailo_decode import Decoder, Letterbox, NetworkInfo, Quant, Recording, read_network
from hailo_decode.errors import FormatError, OptionError
from hailo_decode.npz import write_npz
from hailo_decode.recording import load_outputs
from hailo_decode.values.network import NmsInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

SHARED = Path(__file__).parents[2] / "shared"
PAIRS = sorted(p.parent for room in ("goldens", "demo") for p in (SHARED / room).glob("*/network.json"))


def test_a_recording_decodes_alike_before_and_behind_a_file(tmp_path):
    made = frames.recording()
    read = Recording.load(made.save(tmp_path / "dump.npz"))
    assert read.network == made.network
    detections = Decoder.from_network(read.network)(read.outputs)
    assert detections.xyxy.tolist() == [frames.box_of()]
    assert detections.confidence.tolist() == [np.float32(230 / 255)]
    assert [detections.name_of(int(c)) for c in detections.class_id] == ["dog"]


def test_a_file_is_named_as_asked_for(tmp_path):
    path = frames.recording().save(tmp_path / "dump")
    assert path == tmp_path / "dump"
    assert Recording.load(path).network.name == "net"


def test_numpy_alone_can_read_a_recording(tmp_path):
    frames.recording().save(tmp_path / "dump.npz")
    with np.load(tmp_path / "dump.npz", allow_pickle=False) as members:
        assert set(members) == {frames.BOX, frames.CLS, "network"}
        assert json.loads(members["network"].item())["input"] == [64, 64]


def test_the_letterbox_comes_back_exact(tmp_path):
    placed = Letterbox((100, 300), frames.INPUT, (64 / 300, 0.2), (0.1, 1 / 3))
    stated = {
        "scale_x": placed.scale[0],
        "scale_y": placed.scale[1],
        "pad_x": placed.pad[0],
        "pad_y": placed.pad[1],
    }
    made = frames.recording(image_size=(100, 300), letterbox=stated)
    assert Recording.load(made.save(tmp_path / "dump.npz")).letterbox == placed


def test_without_a_photo_there_is_no_letterbox():
    assert frames.recording().letterbox is None


def test_an_output_that_is_a_list_comes_back_as_one(tmp_path):
    info = OutputInfo("nms", order=FormatOrder.NMS_BY_CLASS, nms=NmsInfo(classes=12))
    rows = [np.full((i % 3, 5), i, np.float32) for i in range(12)]
    path = Recording(NetworkInfo("net", "json", outputs=(info,)), {"nms": rows}).save(tmp_path / "dump.npz")
    assert "nms/class00" in load_outputs(path)
    read = Recording.load(path)
    assert read.network.output("nms").arrays[-1] == "nms/class11"
    assert [array.tolist() for array in read.outputs["nms"]] == [array.tolist() for array in rows]


def test_a_list_with_a_missing_class_is_named(tmp_path):
    info = OutputInfo("nms", order=FormatOrder.NMS_BY_CLASS, arrays=("a", "b"))
    write_npz(tmp_path / "dump.npz", {"a": np.zeros((1, 5), np.float32)})
    with pytest.raises(FormatError, match="lacks 1 of the 2 arrays of output 'nms'") as caught:
        Recording.load(tmp_path / "dump.npz", NetworkInfo("net", "json", outputs=(info,)))
    assert caught.value.wanted == "b"


def test_bare_arrays_want_a_network(tmp_path):
    np.savez(tmp_path / "bare.npz", **frames.one_object())
    with pytest.raises(FormatError, match="nothing that describes their network") as caught:
        Recording.load(tmp_path / "bare.npz")
    assert "--network" in caught.value.hint
    assert set(Recording.load(tmp_path / "bare.npz", frames.network()).outputs) == {frames.BOX, frames.CLS}


def test_bare_floats_want_an_input_size_alone(tmp_path):
    quants = {frames.BOX: frames.BOX_QUANT, frames.CLS: frames.CLS_QUANT}
    real = {n: (a - quants[n].zero_point[0]) * quants[n].scale[0] for n, a in frames.one_object().items()}
    np.savez(tmp_path / "bare.npz", **{name: array.astype(np.float32) for name, array in real.items()})
    read = Recording.load(tmp_path / "bare.npz", input_size=64)
    assert Decoder.from_network(read.network)(read.outputs).xyxy.tolist() == [frames.box_of()]


def test_an_output_may_be_named_network_in_bare_arrays(tmp_path):
    np.savez(tmp_path / "bare.npz", network=np.zeros(4, np.uint8))
    assert load_outputs(tmp_path / "bare.npz")["network"].tolist() == [0, 0, 0, 0]


def test_a_model_file_overrules_what_a_recording_says_but_not_how_its_buffers_are_held(tmp_path):
    path = frames.recording(image_size=(10, 20), letterbox={"mode": "stretch"}).save(tmp_path / "dump.npz")
    other = Quant.of(0.5, 100.0)
    told = tuple(replace(o, quant=other, dtype="float32", layout=None) for o in frames.network().outputs)
    read = Recording.load(path, NetworkInfo("other", "hef", input_size=frames.INPUT, outputs=told))
    held = read.network.output(frames.BOX)
    assert (read.network.name, held.quant) == ("other", other)
    assert (held.dtype, held.layout) == ("uint8", "host")
    assert read.letterbox == Letterbox.stretch((10, 20), frames.INPUT)


def test_a_description_that_is_no_json_is_named(tmp_path):
    write_npz(tmp_path / "dump.npz", {"network": np.array('{"outputs": [')})
    with pytest.raises(FormatError, match=r"the description in .* is not JSON"):
        Recording.load(tmp_path / "dump.npz")


def test_an_output_cannot_take_the_name_of_the_description(tmp_path):
    with pytest.raises(OptionError, match="an output is named 'network'"):
        Recording(frames.network(), {"network": np.zeros(3)}).save(tmp_path / "dump.npz")


def test_a_description_that_json_cannot_tell_is_refused(tmp_path):
    with pytest.raises(OptionError, match="cannot be told in JSON"):
        Recording(frames.network(facts={"x": object()}), {}).save(tmp_path / "dump.npz")


@pytest.mark.skipif(not PAIRS, reason="the shared recordings are not beside this project")
def test_pairs_of_arrays_and_description_are_the_same_behind_a_file(tmp_path):
    for folder in PAIRS:
        made = Recording.load(folder / "outputs.npz", read_network(folder / "network.json"))
        read = Recording.load(made.save(tmp_path / "dump.npz"))
        assert read.network == made.network, folder.name
        assert list(read.outputs) == list(made.outputs), folder.name
        for name, buffer in made.outputs.items():
            pairs = (
                zip(buffer, read.outputs[name], strict=True)
                if isinstance(buffer, list)
                else [(buffer, read.outputs[name])]
            )
            assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs), folder.name
