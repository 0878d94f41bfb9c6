"""What holds for any head: every file of the room is picked up, and none is named here."""

from collections import Counter
from dataclasses import fields

import numpy as np
import pytest
import synthesise

from hailo_decode import Decoder
from hailo_decode.errors import HailoDecodeError, PairingError, ValuesError
from hailo_decode.families import families, families_named
from hailo_decode.kernels.layout import BOX_CODES
from hailo_decode.options import Options

NAMES = sorted(families())
HEADS = {name: synthesise.heads_of(families()[name]) for name in NAMES}
ON_A_GRID = [name for name in NAMES if synthesise.strided(families()[name])]
LOW, HIGH = -6.0, 3.0

every_family = pytest.mark.parametrize("name", NAMES)


def sample(name):
    """Return a few heads of a family, the smallest and the largest among them."""
    heads = sorted(HEADS[name], key=lambda head: sum(head.all_channels.values()))
    return list(dict.fromkeys([heads[0], heads[len(heads) // 2], heads[-1]]))


def empty_scene(head, rng):
    """Return outputs in which no cell holds anything, with boxes that are sane."""

    def fill(part, shape):
        if part in ("cls", "obj"):
            return np.full(shape, 0.001 if head.bounded else LOW, np.float32)
        if part == "box" and head.parts[part].role in head.family.unit and not head.bounded:
            return rng.uniform(-2, 2, shape)  # logits, as the scores are
        if (
            part == "box"
        ):  # the same number in all channels of a cell: positive distances, sizes, and corners in order
            return np.broadcast_to(rng.uniform(0.1, 0.9, (*shape[:3], 1)), shape)
        return rng.uniform(-1, 1, shape)

    return head.outputs(fill)


def put(head, outputs, level, row, column, anchor=0, class_id=0):
    """Put an object into one cell."""
    high = 0.9 if head.bounded else HIGH
    for field in ("cls", "obj"):
        part = head.parts.get(field)
        if part is not None:
            first = part.first + anchor * part.step
            outputs[f"{part.role}_{level}"][row, column, first + (class_id if field == "cls" else 0)] = high
    return outputs


def decode(head, outputs, size=synthesise.INPUT, **options):
    """Decode with every class of every anchor that reaches the threshold, and nothing suppressed."""
    given = {"conf": 0.3, "suppress": False, "max_det": 10_000, "multi_label": True, **head.told, **options}
    return Decoder.from_outputs(outputs, size, **given)(outputs)


@every_family
def test_channels_follow_from_sizes_and_sizes_from_channels(name):
    assert HEADS[name], "no sizes are read back from the channels that follow from them"


@every_family
def test_fields_of_a_role_do_not_overlap_and_lie_inside_its_tensor(name):
    for head in HEADS[name]:
        taken = {}
        for field, part in head.parts.items():
            assert part.role in (*head.family.roles, *head.family.once)
            assert part.count >= 1
            spans = {
                channel
                for a in range(head.sizes.anchors)
                for channel in range(part.first + a * part.step, part.first + a * part.step + part.count)
            }
            assert len(spans) == head.sizes.anchors * part.count, f"anchors of {field} overlap"
            assert min(spans) >= 0
            assert max(spans) < head.channels(part.role)
            for other, (role, others) in taken.items():
                same = head.parts[other] == part
                assert same or role != part.role or spans.isdisjoint(others), f"{field} and {other}"
            taken[field] = (part.role, spans)


@every_family
def test_every_family_says_what_it_is(name):
    family = families()[name]
    assert family.name == name
    assert family.task in ("detect", "segment", "pose", "obb", "classify")
    assert 0 < len(family.title) <= 100
    assert family.source
    assert family.box_code in BOX_CODES
    assert family.grid in ("exact", "ceil", "fraction", "list", "unit list", "whole")
    assert len(set(family.roles)) == len(family.roles) > 0
    assert set(family.words) <= {*family.roles, *family.once}
    assert {"cls", "box"} <= set(HEADS[name][0].parts)
    assert set(family.defaults) <= {f.name for f in fields(Options)}
    assert (family.extra is not None) == ("extra" in HEADS[name][0].parts)


@every_family
def test_no_family_has_the_same_spelling_twice(name):
    family = families()[name]
    spellings = Counter([family.name, *family.archs])
    assert not [spelling for spelling, count in spellings.items() if count > 1]
    assert all(spelling == spelling.lower().replace("-", "_") for spelling in spellings)


@every_family
def test_every_spelling_finds_its_family(name):
    family = families()[name]
    for spelling in (family.name, *family.archs, family.name.upper(), family.name.replace("_", "-")):
        assert family in families_named(spelling, family.task)


@every_family
def test_nothing_in_sight_gives_columns_of_length_zero(name, rng):
    for head in sample(name):
        dets = decode(head, empty_scene(head, rng), conf=0.999)
        assert len(dets) == 0
        assert dets.xyxy.shape == (0, 4)
        assert dets.confidence.shape == dets.class_id.shape == (0,)
        task = head.family.task
        assert dets.mask is None if task != "segment" else dets.mask.shape == (0, *synthesise.INPUT)
        assert dets.keypoints is None if task != "pose" else dets.keypoints.shape == (0, head.points, 3)
        assert dets.corners is None if task != "obb" else dets.corners.shape == (0, 4, 2)


@every_family
def test_results_have_their_shapes_and_dtypes_and_are_sane(name, rng):
    for head in sample(name):
        outputs = empty_scene(head, rng)
        for level, (_, h, w) in enumerate(head.grids):
            for class_id in range(head.sizes.classes):
                put(
                    head,
                    outputs,
                    level,
                    min(1, h - 1),
                    min(2 + class_id, w - 1),
                    head.sizes.anchors - 1,
                    class_id,
                )
        dets = decode(head, outputs, conf=0.3 if head.family.task != "classify" else 0.0)
        n = len(dets)
        assert n >= len(head.grids)
        assert set(dets.class_id.tolist()) == set(range(head.sizes.classes))
        assert (dets.xyxy.dtype, dets.confidence.dtype, dets.class_id.dtype) == (
            np.float32,
            np.float32,
            np.int32,
        )
        assert dets.xyxy.shape == (n, 4)
        assert np.isfinite(dets.xyxy).all()
        assert (dets.xyxy[:, 0] <= dets.xyxy[:, 2]).all()
        assert (dets.xyxy[:, 1] <= dets.xyxy[:, 3]).all()
        assert (np.diff(dets.confidence) <= 0).all()
        assert ((dets.confidence >= 0) & (dets.confidence <= 1)).all()
        task = head.family.task
        if task == "segment":
            assert (dets.mask.shape, dets.mask.dtype) == ((n, *synthesise.INPUT), np.bool_)
        if task == "pose":
            assert (dets.keypoints.shape, dets.keypoints.dtype) == ((n, head.points, 3), np.float32)
            assert ((dets.keypoints[:, :, 2] >= 0) & (dets.keypoints[:, :, 2] <= 1)).all()
            assert np.isfinite(dets.keypoints).all()
        if task == "obb":
            assert (dets.corners.shape, dets.corners.dtype) == ((n, 4, 2), np.float32)
            np.testing.assert_allclose(dets.corners.min(axis=1), dets.xyxy[:, :2], atol=1e-3)
            np.testing.assert_allclose(dets.corners.max(axis=1), dets.xyxy[:, 2:], atol=1e-3)


@pytest.mark.parametrize("name", ON_A_GRID)
@pytest.mark.parametrize("across", [True, False], ids=["to the right", "down"])
def test_one_cell_further_is_one_stride_further(name, across, rng):
    for head in sample(name):
        flat = np.random.default_rng(3).uniform(0.1, 0.9, 2000)

        def fill(part, shape, head=head, flat=flat):
            if part in ("cls", "obj"):
                return np.full(shape, 0.001 if head.bounded else LOW)
            each = flat[:1].repeat(shape[3]) if part == "box" else flat[: shape[3]]
            return np.broadcast_to(each, shape)

        for level, (_, h, w) in enumerate(head.grids):
            anchor = head.sizes.anchors - 1
            here = decode(head, put(head, head.outputs(fill), level, 1, 2, anchor))
            there = decode(head, put(head, head.outputs(fill), level, 1 + (not across), 2 + across, anchor))
            assert len(here) == len(there) == 1
            stride = np.array([synthesise.INPUT[1] / w, synthesise.INPUT[0] / h], np.float64) * [
                across,
                not across,
            ]
            np.testing.assert_allclose(there.xyxy - here.xyxy, [[*stride, *stride]], atol=1e-3)
            if here.keypoints is not None:
                np.testing.assert_allclose(
                    (there.keypoints - here.keypoints)[0, :, :2],
                    np.tile(stride, (here.keypoints.shape[1], 1)),
                    atol=1e-3,
                )
            if here.corners is not None:
                np.testing.assert_allclose(
                    (there.corners - here.corners)[0], np.tile(stride, (4, 1)), atol=1e-3
                )
            assert there.confidence.tolist() == here.confidence.tolist()


@pytest.mark.parametrize("name", ON_A_GRID)
def test_a_grid_that_does_not_divide_the_input_is_read_where_the_family_says_how(name, rng):
    for head in sample(name):
        outputs = put(head, empty_scene(head, rng), 0, 1, 2)
        high, wide = synthesise.INPUT
        if head.family.grid == "exact":
            with pytest.raises(PairingError):
                decode(head, outputs, size=(high - 3, wide - 1))
        elif head.family.grid == "ceil":
            assert (
                decode(head, outputs, size=(high - 3, wide - 1)).xyxy.tolist()
                == decode(head, outputs).xyxy.tolist()
            )
        else:
            sizes = {
                f"{role}_{k}": [(9, 6)] * head.sizes.anchors for k in range(2) for role in head.family.roles
            }
            assert len(decode(head, outputs, size=(high - 3, wide - 1), anchors=sizes)) == 1


@pytest.mark.parametrize("name", [name for name in NAMES if "anchors" in HEADS[name][0].told])
def test_a_head_of_anchors_asks_for_them_where_none_are_known(name, rng):
    # Strides 8 and 16 alone are those of no published model.
    head = next(h for h in HEADS[name] if h.family.sizes(h.all_channels, None) == h.sizes)
    with pytest.raises(HailoDecodeError) as caught:
        decode(head, empty_scene(head, rng), anchors=None)
    assert "anchors={" in str(caught.value)


def decoded_or_refused(head, outputs):
    """Return the detections, or None where the values are refused."""
    try:
        return decode(head, outputs)
    except ValuesError:
        return None


@every_family
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_in_any_field_never_become_a_result(name, bad, rng):
    for head in sample(name):
        _, h, w = head.grids[0]
        for field, part in head.parts.items():
            outputs = put(head, empty_scene(head, rng), 0, h - 1, w - 1)
            outputs[f"{part.role}_0"][h - 1, w - 1, part.first] = bad
            dets = decoded_or_refused(head, outputs)
            # A score of minus infinity is that of an empty cell; all else has to be refused.
            assert dets is None or (bad == -np.inf and field in ("cls", "obj") and len(dets) == 0), field


@pytest.mark.parametrize("name", [name for name in NAMES if families()[name].once])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_in_what_the_network_has_once_never_become_a_result(name, bad, rng):
    for head in sample(name):
        outputs = put(head, empty_scene(head, rng), 1, 1, 2)
        for role in head.family.once:
            broken = outputs | {role: np.full_like(outputs[role], bad)}
            with pytest.raises(ValuesError, match=role):
                decode(head, broken)


@every_family
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_stored_numbers_decode_as_the_real_ones_they_stand_for(name, dtype, rng):
    top = np.iinfo(dtype).max
    for head in sample(name):
        outputs = empty_scene(head, rng)
        for level, (_, h, w) in enumerate(head.grids):
            put(head, outputs, level, h - 1, w - 1, 0, head.sizes.classes - 1)
            put(head, outputs, level, 0, 0, head.sizes.anchors - 1, 0)
        quant, raw, real = {}, {}, {}
        for output, array in outputs.items():
            scores = head.bounded and head.parts["cls"].role == output.rpartition("_")[0]
            own = (1 / top, 0.0) if scores else (10 / top, float(round(top * 0.65)))
            raw[output] = np.clip(np.round(array / own[0] + own[1]), 0, top).astype(dtype)
            real[output] = ((raw[output].astype(np.float64) - own[1]) * own[0]).astype(np.float32)
            quant[output] = own
        conf = 0.0 if head.family.task == "classify" else 0.3
        stored = decode(head, raw, quant=quant, conf=conf)
        plain = decode(head, real, conf=conf)
        assert len(stored) == len(plain) >= len(head.grids)
        order = [np.lexsort((*d.xyxy.T.round(2), d.class_id)) for d in (stored, plain)]
        for column in ("xyxy", "confidence", "class_id", "keypoints", "corners"):
            one, other = getattr(stored, column), getattr(plain, column)
            if one is not None:
                np.testing.assert_allclose(
                    one[order[0]], other[order[1]], rtol=1e-4, atol=2e-3, err_msg=column
                )
        if stored.mask is not None:
            assert (stored.mask[order[0]] == plain.mask[order[1]]).mean() > 0.999
