"""The frames that timings are taken on: the same in every run."""

import numpy as np
import pytest

from bench.agreement import compare, recall
from bench.frames import dfl_scene
from bench.heads import anchor_scene, centre_scene, mask_scene, plain_scene, pose_scene, turned_scene
from bench.layouts import ORDERS, on_device
from bench.objects import Shape
from bench.peers._peer import Choice
from bench.reference import reference
from bench.rows._decoding import our_way
from bench.stored_as import as_dtype, sigmoided

SMALL = Shape(size=128, classes=3, objects=3)
HEADS = {
    "bins": dfl_scene,
    "anchors": anchor_scene,
    "centres": centre_scene,
    "plain": plain_scene,
    "pose": pose_scene,
    "turned": turned_scene,
    "masks": mask_scene,
}


@pytest.mark.parametrize("make", HEADS.values(), ids=HEADS)
def test_the_same_arguments_give_the_same_bytes(make):
    first, again = make(SMALL, 2), make(SMALL, 2)
    for one, other in zip(first.frames, again.frames, strict=True):
        assert {n: a.tobytes() for n, a in one.items()} == {n: a.tobytes() for n, a in other.items()}


def test_frames_of_one_scene_differ():
    one, other = dfl_scene(SMALL, 2).frames
    assert any((one[name] != other[name]).any() for name in one)


def test_a_frame_is_the_same_in_a_longer_stream():
    alone, stream = dfl_scene(SMALL, 1, first=2), dfl_scene(SMALL, 3)
    assert all((alone.frames[0][name] == array).all() for name, array in stream.frames[2].items())


@pytest.mark.parametrize(("objects", "low", "high"), [(5, 40, 80), (20, 180, 280), (300, 2_000, 3_300)])
def test_an_object_fires_about_ten_cells(objects, low, high):
    scene = dfl_scene(Shape(objects=objects), 1)
    cells = 0
    for name in scene.names("cls"):
        scale, zero = scene.quant(name)
        real = (scene.frames[0][name].astype(np.float64) - zero) * scale
        cells += int((real.max(axis=2) >= np.log(0.25 / 0.75)).sum())
    assert low <= cells <= high


@pytest.mark.parametrize("make", HEADS.values(), ids=HEADS)
def test_what_was_put_in_is_found_again(make):
    scene = make(Shape(size=320, classes=3, objects=4), 1)
    found = our_way(scene, Choice())
    share = recall(scene.things[0], found.boxes(found.run(0)), middles=make is turned_scene)
    assert share >= 0.75


@pytest.mark.parametrize("order", ORDERS)
def test_a_device_layout_holds_the_same_frame(order):
    scene = dfl_scene(SMALL, 1)
    way = our_way(on_device(scene, order), Choice())
    assert compare(reference(scene, Choice()), way.boxes(way.run(0))).share == 1


@pytest.mark.parametrize(
    "change", [lambda s: as_dtype(s, "uint16"), lambda s: as_dtype(s, "float32"), sigmoided]
)
def test_another_element_type_holds_the_same_frame(change):
    scene = dfl_scene(SMALL, 1)
    way = our_way(change(scene), Choice())
    assert compare(reference(scene, Choice()), way.boxes(way.run(0))).share == 1
