"""A JSON document to the model of its shape, as far as it goes, and what is wrong with its keys and types."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Part, read_part
from hailo_decode.config.json_text import Document
from hailo_decode.config.meta_archs import Shape, find_meta_arch
from hailo_decode.config.nms_config import NmsConfig, OpenConfig
from hailo_decode.config.shapes import config_of, every_config
from hailo_decode.values.diagnostic import Path

# Arguments of `nms_postprocess` that people put into the file.
_SCRIPT_KEYS = ("meta_arch", "engine", "config_path", "bbox_decoding_only")


class Misfit(str, Enum):
    """What a fault of keys and types is about."""

    OBJECT = "not an object"
    WRAPPED = "wrapped"
    DECODERS = "no decoder list"
    MISSING = "missing key"
    EXPECTED = "key that is nearly always there"
    UNKNOWN = "unknown key"
    TYPE = "wrong type"


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One key or value that the file's shape has no use for, or lacks."""

    kind: Misfit
    path: Path
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read of a configuration.

    Attributes
    ----------
    document : Document
        With paths from the configuration's own root, where it stood inside another object.
    config : NmsConfig or None
        What is missing or broken is None in it; None altogether when no shape can be told.
    faults : tuple of SchemaFault
    """

    document: Document
    config: NmsConfig | None
    faults: tuple[SchemaFault, ...]


def read_config(document: Document, meta_arch: str | None = None) -> Reading:
    """Read a configuration as far as it goes.

    Parameters
    ----------
    document : Document
    meta_arch : str, optional
        The step that shall read it. Only where the content alone leaves two shapes possible does it decide.

    Returns
    -------
    Reading
    """
    faults: list[SchemaFault] = []
    root = _root(document.value)
    if root:
        keys = ".".join(map(str, root))
        what, hint = f"the configuration stands inside {keys!r}", "move its keys to the top of the file"
        faults.append(SchemaFault(Misfit.WRAPPED, (), what, hint))
        document = document.within(root)
    if not isinstance(document.value, dict):
        if document.value is not None:
            kind = type(document.value).__name__
            what = f"the file holds a {kind}, a configuration is an object"
            faults.append(SchemaFault(Misfit.OBJECT, (), what, "begin it with { and end it with }"))
        return Reading(document, None, tuple(faults))
    shape = shape_of(document.value, meta_arch)
    model = config_of(shape) if shape else OpenConfig

    def complain(path: Path, message: str) -> None:
        faults.append(SchemaFault(Misfit.TYPE, path, message))

    config = read_part(model, document.value, (), complain)
    faults += _keys(config, document.value)
    return Reading(document, config if shape and isinstance(config, NmsConfig) else None, tuple(faults))


def shape_of(value: Mapping[str, Any], meta_arch: str | None = None) -> Shape | None:
    """Tell the shape of a configuration from its keys, or None.

    Examples
    --------
    >>> shape_of({"bbox_decoders": [{"encoded_layer": "conv1"}]}).name
    'ANCHORS'
    >>> shape_of({}) is None
    True
    """
    listed = value.get("bbox_decoders")
    entries = [e for e in listed if isinstance(e, dict)] if isinstance(listed, list) else []
    keys = {key for entry in entries for key in entry}
    for key, shape in _TELLING:
        if key in keys:
            return Shape.ANCHOR_MASKS if shape is Shape.ANCHORS and "proto" in value else shape
    if {"w", "h"} & keys or "centers_scale_factor" in value:
        return Shape.DEFAULT_BOXES
    if "regression_length" in value:
        return Shape.BINS
    arch = find_meta_arch(meta_arch or "")
    named = arch.shapes[0] if arch and arch.shapes else None
    if {"reg_layer", "cls_layer"} & keys:
        if named in (Shape.BINS, Shape.DISTANCES):
            return named
        # The zoo's files for plain distances are also those without a word about the background.
        return Shape.BINS if "background_removal" in value else Shape.DISTANCES
    if "proto" in value:
        return Shape.ANCHOR_MASKS
    return Shape.OBJECTNESS if "number_of_detection_heads" in value else named


# Keys of an entry that only one shape has.
_TELLING = (
    ("combined_layer", Shape.COMBINED),
    ("objectness_layer", Shape.OBJECTNESS),
    ("encoded_layer", Shape.ANCHORS),
    ("reg_layer_h", Shape.CENTRE),
    ("reg_layer_w", Shape.CENTRE),
)


def _root(value: Any, depth: int = 3) -> Path:
    """Where the object with the decoder list stands, when it is not the outermost one."""
    if not isinstance(value, dict) or "bbox_decoders" in value or not depth:
        return ()
    for key, inner in value.items():
        if isinstance(inner, dict):
            if "bbox_decoders" in inner:
                return (key,)
            if deeper := _root(inner, depth - 1):
                return (key, *deeper)
    return ()


def _keys(config: Part, value: dict[str, Any]) -> Iterator[SchemaFault]:
    """Name missing and unknown keys of the whole file and of each entry."""
    # Without a decoder list nothing is known of the other keys that belong to its shape.
    if value.get("bbox_decoders") is None:
        yield _no_decoders(value)
    elif value["bbox_decoders"] == []:
        what, hint = "the list of decoders is empty", "give one entry for each scale"
        yield SchemaFault(Misfit.DECODERS, ("bbox_decoders",), what, hint)
    yield from _part_keys(config, value, ())
    for key in ("bbox_decoders", "proto"):
        entries, texts = config.field(key), value.get(key)
        if not entries or not isinstance(texts, list):
            continue
        for i, (entry, text) in enumerate(zip(entries, texts, strict=False)):
            if isinstance(text, dict):
                yield from _part_keys(entry, text, (key, i))


def _part_keys(part: Part, value: dict[str, Any], at: Path) -> Iterator[SchemaFault]:
    known = _known_keys(part)
    unknown = [key for key in value if key not in known]
    for kind, keys in ((Misfit.MISSING, part.required), (Misfit.EXPECTED, getattr(part, "expected", ()))):
        lacking = [key for key in keys if value.get(key) is None and (at or key != "bbox_decoders")]
        if lacking:
            what = f"{_listed(lacking)} {'is' if len(lacking) == 1 else 'are'} missing"
            path = (*at, lacking[0]) if len(lacking) == 1 else at
            yield SchemaFault(kind, path, what, _meant(lacking, unknown))
    for key in unknown:
        hint = _unknown_hint(key, value[key], known, at)
        yield SchemaFault(Misfit.UNKNOWN, (*at, key), f"the key {key!r} is not known", hint)


def _known_keys(part: Part) -> list[str]:
    """Return the keys of a part; of one whose shape cannot be told, those of every shape."""
    models = [type(part)]
    if type(part) is Decoder and every_config():
        models += Decoder.__subclasses__()
    return list(dict.fromkeys(key for model in models for key in model.fields))


def _unknown_hint(key: str, value: Any, known: list[str], at: Path) -> str:
    if key in _SCRIPT_KEYS and not at:
        return "it is an argument of nms_postprocess, in the model script"
    if near := _nearest(key, known):
        return f"did you mean {near!r}?"
    if not at and "layer" in key and isinstance(value, list):
        return "layers are named in the entries of 'bbox_decoders', one entry for each scale"
    return f"known keys here: {', '.join(known)}"


def _meant(lacking: list[str], unknown: list[str]) -> str | None:
    pairs = [(key, near) for key in lacking if (near := _nearest(key, unknown))]
    return "; ".join(f"the file has {other!r} where {key!r} is meant" for key, other in pairs) or None


def _nearest(key: str, keys: list[str]) -> str | None:
    """Return the key that is most like another: one that is its beginning, or the nearest by letters."""
    for other in keys:
        if min(len(key), len(other)) > 4 and (key.startswith(other) or other.startswith(key)):
            return other
    near = difflib.get_close_matches(key, keys, n=1, cutoff=0.7)
    return near[0] if near else None


def _listed(names: list[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _no_decoders(value: dict[str, Any]) -> SchemaFault:
    hint = (
        "give one entry for each scale, such as {'stride': 8, 'reg_layer': 'conv41', 'cls_layer': 'conv42'}"
    )
    names = [str(n) for v in value.values() if isinstance(v, list) for n in v if isinstance(n, str)]
    if outputs := [n for n in names if "output_layer" in n]:
        hint += f"; name the layer before {outputs[0]}, never the output layer itself"
    return SchemaFault(Misfit.DECODERS, ("bbox_decoders",), "'bbox_decoders' is missing", hint)
