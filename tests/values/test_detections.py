"""The container of results: rows in step, names that are never lost."""

import numpy as np
import pytest

from hailo_decode import Detections


@pytest.fixture
def dets():
    return Detections(
        np.arange(12, dtype=np.float32).reshape(3, 4),
        np.array([0.9, 0.5, 0.3], np.float32),
        np.array([2, 0, 7], np.int32),
        mask=np.arange(3)[:, None, None] == np.ones((1, 2, 2)),
        keypoints=np.arange(18, dtype=np.float32).reshape(3, 2, 3),
        corners=np.arange(24, dtype=np.float32).reshape(3, 4, 2),
        names=("cat", "dog", "snail"),
        meta={"head": "of a snail"},
    )


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (1, [1]),
        (-1, [2]),
        (np.int64(0), [0]),
        (slice(1, None), [1, 2]),
        (slice(None, None, -1), [2, 1, 0]),
        ([2, 0], [2, 0]),
        (np.array([True, False, True]), [0, 2]),
        (np.array([], int), []),
        (slice(3, None), []),
    ],
    ids=str,
)
def test_rows_are_taken_from_every_column_in_step(dets, rows, left):
    some = dets[rows]
    assert len(some) == len(left)
    for column in ("xyxy", "confidence", "class_id", "mask", "keypoints", "corners"):
        assert getattr(some, column).tolist() == getattr(dets, column)[left].tolist()
    assert some.names == dets.names
    assert some.meta == dets.meta


@pytest.mark.parametrize("row", [3, -4])
def test_a_row_that_is_not_there_is_an_index_error_that_says_how_many_are(dets, row):
    with pytest.raises(IndexError, match=f"row {row} of 3"):
        dets[row]


def test_going_through_them_gives_one_at_a_time(dets):
    assert [one.confidence.tolist() for one in dets] == [[np.float32(0.9)], [0.5], [np.float32(0.3)]]


def test_a_class_without_a_name_keeps_its_box(dets):
    assert [dets.name_of(c) for c in dets.class_id.tolist()] == ["snail", "cat", "class_7"]
    assert Detections.empty().name_of(0) == "class_0"


def test_an_empty_result_has_columns_of_length_zero():
    none = Detections.empty(("cat",), {"head": "x"})
    assert len(none) == 0
    assert (none.xyxy.shape, none.confidence.shape, none.class_id.shape) == ((0, 4), (0,), (0,))
    assert none.names == ("cat",)
    assert len(none[np.zeros(0, bool)]) == 0
    assert list(none) == []
