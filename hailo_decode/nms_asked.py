"""What callers of `decode_nms` ask: checked, and joined with what the network says, once for all frames."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError, UnknownName
from hailo_decode.nms_forms import forms_named
from hailo_decode.nms_network import NmsFacts, facts_of
from hailo_decode.nms_task import NmsTask
from hailo_decode.options import size_pair
from hailo_decode.readers._nms_form import Hints
from hailo_decode.step_scale import Scale, scale_of
from hailo_decode.values.network import NetworkInfo, NmsInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

_TASKS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of `decode_nms`.

    Attributes
    ----------
    fallback_size : (int, int) or None
        Size of the letterbox's input, for want of a better one.
    output : str or None
        Name of the buffer, where it came in a dict.
    keep_per_class : int or None
        Most boxes of a class in the result.
    """

    classes: int | None = None
    image_size: Any = None
    conf: float | None = None
    names: Sequence[str] | None = None
    network: NetworkInfo | None = None
    form: str | FormatOrder | None = None
    max_per_class: int | None = None
    max_total: int | None = None
    max_det: int | None = None
    label_offset: int = 0
    quant: Any = None
    box_axis: int | None = None
    chunks: int | None = None
    burst: int | None = None
    fallback_size: tuple[int, int] | None = None
    output: str | None = None
    keep_per_class: int | None = None


_OWN = ("fallback_size", "output", "keep_per_class")  # not for callers of `decode_nms`


class _Same:
    """A network as a key: equal to itself alone, for its content cannot be hashed."""

    __slots__ = ("network",)

    def __init__(self, network: NetworkInfo) -> None:
        self.network = network

    def __hash__(self) -> int:
        return id(self.network)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.network is self.network


def task_of(network: NetworkInfo | None = None, **asked: Any) -> NmsTask:
    """Return the task for what is asked; settled once for all frames that ask alike."""
    if isinstance(asked.get("names"), list):
        asked["names"] = tuple(asked["names"])
    try:
        return _kept(None if network is None else _Same(network), **asked)
    except TypeError:  # something in it cannot be hashed
        return make_task(network=network, **asked)


@lru_cache(_TASKS_KEPT, typed=True)
def _kept(network: _Same | None, **asked: Any) -> NmsTask:
    return make_task(network=None if network is None else network.network, **asked)


def make_task(**given: Any) -> NmsTask:
    """Check what is asked, and join it with what the network says.

    Raises
    ------
    OptionError
        When a value cannot be used, or the size of the image is not known.
    """
    known = Asked.__slots__
    for name in given:
        if name not in known:
            raise UnknownName("option", name, [n for n in known if n not in _OWN])
    asked = Asked(**given)
    _check(asked)
    network = asked.network
    facts = NmsFacts() if network is None else facts_of(network, asked.output)
    sizes = facts.sizes
    names = asked.names if asked.names is not None else network.classes if network is not None else ()
    scale = _scale(asked, facts)
    forms = forms_named(asked.form)
    order = facts.order if asked.form is None else forms[0].orders[0]
    return NmsTask(
        forms=tuple(sorted(forms, key=lambda form: order not in form.orders)),
        hints=Hints(
            image_size=scale.image_size,
            order=order,
            classes=asked.classes or sizes.classes,
            max_per_class=asked.max_per_class or sizes.max_per_class,
            max_total=asked.max_total or sizes.max_total,
            named=len(names) + asked.label_offset if names else None,
            quant=facts.quant if asked.quant is None else Quant.read(asked.quant),
            box_axis=asked.box_axis,
            chunks=asked.chunks or facts.chunks,
            burst=asked.burst or facts.burst,
            class_layers=facts.class_layers,
        ),
        scale=scale,
        size=np.array(scale.middle, np.float32),
        conf=asked.conf,
        max_det=asked.max_det,
        max_per_class=asked.keep_per_class,
        label_offset=asked.label_offset,
        names=tuple(map(str, names)),
        baked=sizes,
        before=_before(sizes),
    )


def _before(sizes: NmsInfo) -> str:
    """Say what the model's own step has done to the boxes."""
    limits = {"score": sizes.score_threshold, "IoU": sizes.iou_threshold}
    told = ", ".join(f"{name} {limit:.3g}" for name, limit in limits.items() if limit is not None)
    return f"; suppressed by the model's own step ({told})" if told else ""


def _scale(asked: Asked, facts: NmsFacts) -> Scale:
    """Return what the boxes are fractions of: the caller's word, or what step and network come to."""
    if asked.image_size is not None:
        return Scale.of(size_pair(asked.image_size))
    input_size = facts.input_size or asked.fallback_size
    found = scale_of(facts.step, facts.sizes.image_size, asked.network, input_size)
    if found is None:
        raise OptionError(
            "the boxes of an NMS result are fractions of an image whose size is not known",
            hint="image_size=640, or (height, width), of the network's input",
        )
    return found


def _check(asked: Asked) -> None:
    for name in ("classes", "max_per_class", "max_total", "max_det", "keep_per_class", "chunks", "burst"):
        value = getattr(asked, name)
        if value is not None and not _is_whole(value, 1):
            raise OptionError(f"{name} is {value!r}", wanted="a whole number of at least 1")
    if not _is_whole(asked.label_offset, 0):
        raise OptionError(f"label_offset is {asked.label_offset!r}", wanted="a whole number of at least 0")
    if isinstance(asked.names, str) or not isinstance(asked.names, (Sequence, type(None))):
        raise OptionError(f"names is {asked.names!r}", wanted="a list of class names")
    if not isinstance(asked.network, (NetworkInfo, type(None))):
        raise OptionError(
            f"network is a {type(asked.network).__name__}",
            wanted="a NetworkInfo",
            hint="read_network(path) makes one",
        )
    if not (isinstance(asked.form, (str, type(None))) or hasattr(asked.form, "name")):
        raise OptionError(f"form is {asked.form!r}", wanted="the name of a form or of a format order")
    if asked.box_axis not in (None, 1, 2):
        raise OptionError(f"box_axis is {asked.box_axis!r}", wanted="1 or 2")
    conf = asked.conf
    if conf is None:
        return
    if not isinstance(conf, numbers.Real) or isinstance(conf, bool) or not 0 <= conf <= 1 or math.isnan(conf):
        hint = f"{conf} per cent is {float(conf) / 100:g}" if _is_whole(conf, 2) else None
        raise OptionError(f"conf is {conf!r}", wanted="a number from 0 to 1", hint=hint)


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= least
