"""Both ways to read a configuration agree: key by key for a check, and as strict pydantic models."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lint.texts import SNAIL, with_changes
from pydantic import ValidationError

from hailo_decode.config import BinsModel, read_config, read_json
from hailo_decode.config.meta_archs import META_ARCHS, Shape
from hailo_decode.config.models import model_of
from hailo_decode.config.reading import Misfit, shape_of
from hailo_decode.config.shapes import config_of

LAYERS = (
    "reg_layer",
    "cls_layer",
    "objectness_layer",
    "encoded_layer",
    "combined_layer",
    "reg_layer_h",
    "reg_layer_w",
)
ODD = st.sampled_from(
    [None, True, 0, 1, 2.5, -3, 70_000, "x", [], [1, 2], [1.5, -2.0], [1, 2, 3], {}, [{}], [None]]
)
# A complete file of each shape.
COMPLETE = {
    shape: {
        **{key: value for key, value in SNAIL.items() if key not in ("regression_length", "bbox_decoders")},
        **{key: 1 for key in config_of(shape).required if key not in SNAIL and key != "proto"},
        **({"regression_length": 16} if "regression_length" in config_of(shape).fields else {}),
        **({"proto": [{"number": 32, "stride": 4}]} if "proto" in config_of(shape).fields else {}),
    }
    for shape in Shape
}
for _shape, _file in COMPLETE.items():
    entry = config_of(_shape).fields["bbox_decoders"].__args__[0].__args__[0]
    values = {"stride": 8, "w": [10, 16], "h": [13, 30], "name": "a"}
    _file["bbox_decoders"] = [
        {key: values.get(key, f"conv{i}") for i, key in enumerate(entry.fields) if key in (*values, *LAYERS)}
    ]


@pytest.mark.parametrize("shape", Shape)
def test_a_complete_file_of_each_shape_is_read_both_ways(shape):
    file = COMPLETE[shape]
    assert shape_of(file, _arch(shape)) is shape
    reading = read_config(read_json(json.dumps(file)), _arch(shape))
    assert [fault for fault in reading.faults if fault.kind is not Misfit.UNKNOWN] == []
    model = model_of(shape).model_validate(file)
    assert (reading.config.shape, model.classes) == (shape, 3)
    assert [d.layers for d in reading.config.decoders] == [
        {role: getattr(d, role) for role in reading.config.decoders[0].roles} for d in model.bbox_decoders
    ]


@pytest.mark.parametrize("shape", Shape)
@settings(max_examples=40)
@given(data=st.data())
def test_a_value_that_one_refuses_the_other_refuses_too(shape, data):
    file = json.loads(json.dumps(COMPLETE[shape]))
    inner = data.draw(st.booleans())
    target = file["bbox_decoders"][0] if inner else file
    keys = sorted(target) if inner else sorted(set(target) - {"bbox_decoders"})
    key = data.draw(st.sampled_from(keys))
    target[key] = data.draw(ODD)
    reading = read_config(read_json(json.dumps(file)), _arch(shape))
    if shape_of(file, _arch(shape)) is not shape:
        return
    faults = [f for f in reading.faults if f.kind in (Misfit.TYPE, Misfit.MISSING, Misfit.DECODERS)]
    try:
        model_of(shape).model_validate(file)
    except ValidationError:
        assert faults
    else:
        assert not faults


def _arch(shape: Shape) -> str:
    return next(arch.name for arch in META_ARCHS if shape in arch.shapes)


def test_a_model_is_strict_frozen_and_complete():
    model = BinsModel.model_validate(SNAIL)
    assert model.image_dims == (480, 640)
    assert [d.stride for d in model.bbox_decoders] == [8, 16, 32]
    with pytest.raises(ValidationError, match="frozen"):
        model.classes = 4
    with pytest.raises(ValidationError, match="missing: nms_scores_th"):
        BinsModel.model_validate({k: v for k, v in SNAIL.items() if k != "nms_scores_th"})
    with pytest.raises(ValidationError, match="valid integer"):
        BinsModel.model_validate(with_changes(SNAIL, classes="3"))


def test_a_model_keeps_keys_that_it_does_not_know_and_writes_the_file_again():
    model = BinsModel.model_validate({**SNAIL, "odd": 1})
    assert model.model_extra == {"odd": 1}
    assert json.loads(model.model_dump_json(exclude_none=True)) == {**SNAIL, "odd": 1}


def test_a_model_gives_a_schema_for_editors():
    schema = BinsModel.model_json_schema()
    assert schema["title"] == "BinsModel"
    assert {"nms_scores_th", "regression_length", "bbox_decoders"} <= schema["properties"].keys()


def test_there_is_no_model_of_another_name():
    import hailo_decode.config as config

    with pytest.raises(AttributeError, match="no attribute 'OddModel'"):
        config.OddModel  # noqa: B018
