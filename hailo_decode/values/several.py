"""Several networks in one model file: which there are, and one of them by itself."""

from __future__ import annotations

from dataclasses import replace

from hailo_decode.errors import UnknownName
from hailo_decode.values.network import NetworkInfo, OutputInfo


def networks_of(network: NetworkInfo) -> tuple[str, ...]:
    """Return the names of the networks that the outputs of a file belong to, in their order.

    Examples
    --------
    >>> networks_of(NetworkInfo("net", "hef", outputs=(OutputInfo("a", network="net/left"),)))
    ('net/left',)
    >>> networks_of(NetworkInfo("net", "onnx"))
    ()
    """
    return tuple(dict.fromkeys(one.network for one in network.outputs if one.network is not None))


def one_of(network: NetworkInfo, name: str) -> NetworkInfo:
    """Return one of several networks, with its own inputs, outputs, heads and steps.

    Parameters
    ----------
    network : NetworkInfo
        Of a file that may hold several.
    name : str
        As `networks_of` lists it, or its last part where that names one alone.

    Raises
    ------
    UnknownName
        When it names none of them, or more than one.
    """
    names = networks_of(network)
    chosen = [one for one in names if one == name] or [one for one in names if _last(one) == name]
    if len(chosen) != 1:
        raise UnknownName("network", name, names)

    def own(infos: tuple[OutputInfo, ...]) -> tuple[OutputInfo, ...]:
        return tuple(one for one in infos if one.network in (None, chosen[0]))

    inputs, outputs = own(network.inputs), own(network.outputs)
    given = {one.name for one in outputs}
    ops = tuple(op for op in network.ops if op.output is None or op.output in given)
    sizes = {one.shape[:2] for one in inputs if one.shape}
    anchors = {d.stride: d.anchors for op in ops for d in op.decoders if d.stride and d.anchors}
    return replace(
        network,
        name=chosen[0],
        input_size=sizes.pop() if len(sizes) == 1 else None,
        inputs=inputs,
        outputs=outputs,
        heads=own(network.heads),
        ops=ops,
        anchors=anchors or network.anchors,
        nms_done=any(one.order is not None and one.order.is_nms for one in outputs),
    )


def _last(name: str) -> str:
    return name.rpartition("/")[2]
