"""Arguments of a decoder, sorted into what is known of the network and how to choose boxes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from hailo_decode.errors import AmbiguousError, OptionError, UnknownName
from hailo_decode.families import families
from hailo_decode.keypoints import points_of
from hailo_decode.options import Options, name_list, size_pair
from hailo_decode.plan import Known
from hailo_decode.values.network import NetworkInfo
from hailo_decode.values.several import networks_of, one_of

if TYPE_CHECKING:
    from hailo_decode.nms import NmsDecoder


def split(network: NetworkInfo, given: dict[str, Any]) -> tuple[Known, Options]:
    """Sort arguments into what is known and how to choose.

    Raises
    ------
    UnknownName
        When there is no such option.
    OptionError
        When a value cannot be.
    AmbiguousError
        When the file holds several networks, and ``network_name`` does not say which.
    """
    choose = {f.name for f in fields(Options)}
    know = {f.name for f in fields(Known)} - {"network", "given"} | {
        "network_name",
        "names",
        "input_size",
        "task",
    }
    for name in given:
        if name not in choose | know:
            raise UnknownName("option", name, choose | know)
    network = _one_network(network, given.get("network_name"))
    if given.get("names") is not None:
        network = network.with_names(name_list(given["names"]))
    if given.get("input_size") is not None:
        network = replace(network, input_size=size_pair(given["input_size"]))
    if given.get("task") is not None:
        tasks = {f.task for f in families().values()}
        if given["task"] not in tasks:
            raise UnknownName("task", str(given["task"]), tasks)
        network = replace(network, task=given["task"])
    logits = given.get("logits")
    if logits is not None and not isinstance(logits, bool):
        raise OptionError(f"logits is {logits!r}", wanted="True, False or None")
    known = Known(
        network=network,
        quant=given.get("quant"),
        formats=given.get("formats"),
        roles=given.get("roles"),
        logits=logits,
        family=family_names(given.get("family") or network.family),
        anchors=given.get("anchors"),
        keypoints=points_of(given.get("keypoints")),
        given=frozenset(given),
    )
    return known, Options(**{name: value for name, value in given.items() if name in choose})


def _one_network(network: NetworkInfo, name: object) -> NetworkInfo:
    """Return the network that is named; a file with one needs no name."""
    names = networks_of(network)
    if name is not None:
        if not isinstance(name, str):
            raise OptionError(f"network_name is {name!r}", wanted="the name of one of the file's networks")
        return one_of(network, name)
    if len(names) > 1:
        raise AmbiguousError(
            f"{network.name!r} holds {len(names)} networks",
            names,
            f'network_name="{names[0]}", or another of them',
        )
    return network


def family_names(value: object) -> tuple[str, ...]:
    """Read the name of a family, or several, or none.

    Raises
    ------
    OptionError
    """
    if value is None:
        return ()
    names = (value,) if isinstance(value, str) else value
    if isinstance(names, (tuple, list)) and all(isinstance(name, str) for name in names):
        return tuple(names)
    raise OptionError(f"family is {value!r}", wanted="the name of a family, or several")


def nms_reader(network: NetworkInfo, options: Options) -> NmsDecoder | None:
    """Return what reads a network's NMS results; None, and nothing loaded, where its outputs are raw heads."""
    if not network.nms_done and not any(o.order is not None and o.order.is_nms for o in network.outputs):
        return None
    from hailo_decode.nms import nms_decoder

    return nms_decoder(network, options)
