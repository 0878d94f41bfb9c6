"""Scales and zero points of a quantised HAR (``NAME.q.npz``).

For each layer the file holds ``<scope>/<layer>/qp_out:0``: the zero point, then the scale, with
``real = (stored - zero_point) * scale``; and ``output_activation_bits:0``. Both are read off public scripts
that use quantised HARs of DFC 3.x, and Netron (source/hailo.js); other forms are left alone and named in the
facts.
"""

from __future__ import annotations

import math
from dataclasses import replace

from hailo_decode.networks._npz import Array, small_arrays
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.quant import Quant

_QP, _BITS = "/qp_out:0", "/output_activation_bits:0"
_DTYPES = {8: "uint8", 16: "uint16"}


def with_quant(network: NetworkInfo, data: memoryview, what: str) -> NetworkInfo:
    """Return the network with quantisation and dtype for outputs and heads, and for inputs where the file has them.

    Raises
    ------
    FormatError
        When the file cannot be read.
    """
    layers = {o.name for o in (*network.inputs, *network.outputs, *network.heads)}
    wanted = {name + end for name in layers for end in (_QP, _BITS)}
    found = small_arrays(data, wanted.__contains__, what)
    odd: dict[str, str] = {}

    def fill(output: OutputInfo) -> OutputInfo:
        if output.nms is not None:
            return output
        quant = _quant(found.get(output.name + _QP), output.name, odd)
        bits = found.get(output.name + _BITS)
        dtype = _DTYPES.get(int(bits.values[0])) if bits and len(bits.values) == 1 else None
        return replace(output, quant=quant, dtype=dtype)

    outputs, heads = tuple(map(fill, network.outputs)), tuple(map(fill, network.heads))
    inputs = tuple(map(fill, network.inputs))
    facts = {**network.facts, "quant_source": what, **({"quant_not_understood": odd} if odd else {})}
    return replace(network, inputs=inputs, outputs=outputs, heads=heads, facts=facts)


def _quant(array: Array | None, name: str, odd: dict[str, str]) -> Quant | None:
    if array is None:
        return None
    usable = array.shape == (2,) and all(map(math.isfinite, array.values)) and array.values[1] > 0
    if not usable:
        odd[name] = f"shape {array.shape}, starts {array.values[:4]}"
        return None
    zero, scale = array.values
    return Quant.of(scale, zero)
