"""Logits or probabilities: what the class tensors hold, decided once and said aloud."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hailo_decode.errors import AmbiguousError, ValuesError
from hailo_decode.values.tensor import Tensor

# Quantised probabilities reach one step beyond 1: 255 * 0.0039216 = 1.000008.
_SLACK = 1.0 / 64.0
SIGMOID_OF_ZERO = 0.5
SIGMOID_OF_ONE = 0.7310585786300049  # 1 / (1 + exp(-1))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a score tensor holds.

    Attributes
    ----------
    name : str
        Of the tensor.
    logits : bool
        Whether it still wants its sigmoid.
    why : str
        What tells so, without the numbers that are this tensor's own.
    numbers : str
        These; empty where there are none.
    settled : bool
        False where this frame's values prove nothing, as those of an empty warm-up frame: the next must be looked at
        anew.
    """

    name: str
    logits: bool
    why: str
    numbers: str = ""
    settled: bool = True


def holds_logits(tensor: Tensor, said: bool | None, scores_alone: bool = True) -> Verdict:
    """Tell whether a score tensor still wants its sigmoid, and why.

    Parameters
    ----------
    tensor : Tensor
    said : bool or None
        What the caller says.
    scores_alone : bool
        Whether the tensor holds scores and nothing else, so that where all its values lie says something of them.

    Raises
    ------
    ValuesError
        When the values cannot be what they are said to be.
    AmbiguousError
        When neither the limits nor the values tell.
    """
    name = tensor.name
    low, high = value_range(tensor)
    check_finite(tensor, low, high)
    settled, numbers = True, ""
    if said is None and tensor.activation is not None:
        said = tensor.activation == "linear"
        logits, why = said, f"its description says {tensor.activation}"
    elif said is not None:
        logits, why = said, f"the caller says logits={said}"
    else:
        logits, why, numbers = _from_range(tensor, low, high)
        settled = tensor.limits is not None or low < high
    reason = f"{why} {numbers}".strip()
    if logits and _in_unit_range(tensor, low, high):
        raise ValuesError(
            f"{name!r} is said to hold logits, but its values lie in 0..1: a second sigmoid would put every score "
            f"into {SIGMOID_OF_ZERO}..{SIGMOID_OF_ONE:.4f}",
            got=f"{low:.4g} to {high:.4g} ({reason})",
            hint="these are probabilities already: logits=False",
        )
    if not logits:
        if scores_alone:
            check_not_twice(name, low, high)
        if low < -_SLACK or high > 1 + _SLACK:
            raise ValuesError(
                f"{name!r} is said to hold probabilities, but its values do not lie in 0..1",
                got=f"{low:.4g} to {high:.4g} ({reason})",
                hint="these are logits: the model script lacks the sigmoid on this layer; logits=True applies it here",
            )
    return Verdict(name, logits, why, numbers, settled)


def told_of(verdicts: Sequence[Verdict], group: str, squash: str = "sigmoid") -> list[str]:
    """Return what is told of outputs that play one role: one sentence where they agree, else one for each.

    Parameters
    ----------
    verdicts : sequence of Verdict
    group : str
        What they are called together, such as ``"class outputs"``.
    squash : str
        What logits are put through.

    Examples
    --------
    >>> limits = [Verdict(name, False, "quantisation limits", "0 to 1") for name in "ab"]
    >>> told_of(limits, "class outputs")
    ['all 2 class outputs: probabilities, no sigmoid applied (quantisation limits 0 to 1)']
    """
    if len({verdict.logits for verdict in verdicts}) > 1:
        return [one for verdict in verdicts for one in told_of([verdict], group, squash)]
    if not verdicts:
        return []
    who = verdicts[0].name if len(verdicts) == 1 else f"all {len(verdicts)} {group}"
    what = f"logits, {squash} applied here" if verdicts[0].logits else f"probabilities, no {squash} applied"
    return [f"{who}: {what} ({', '.join(_reasons(verdicts))})"]


def _reasons(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the reasons of verdicts that agree; with the names of their tensors where they are not one and the same."""
    names: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        names.setdefault((verdict.why, verdict.numbers), []).append(verdict.name)
    before = ""
    for (why, numbers), whose in names.items():
        said = numbers if why == before else f"{why} {numbers}".strip()
        yield said if len(names) == 1 else f"{said} at {' and '.join(whose)}"
        before = why


def _in_unit_range(tensor: Tensor, low: float, high: float) -> bool:
    """Tell whether a tensor can hold nothing but probabilities: by its limits, or by varied float values."""
    if tensor.limits is not None:
        return tensor.limits[0] >= -_SLACK and tensor.limits[1] <= 1 + _SLACK
    return 0 <= low < high <= 1


def check_finite(tensor: Tensor, low: float, high: float) -> None:
    """Refuse values that are no numbers, and say where the first one is."""
    if np.isfinite(low) and np.isfinite(high):
        return
    stored = tensor.stored()
    bad = ~np.isfinite(stored)
    h, w, c = (int(v) for v in np.argwhere(bad)[0])
    raise ValuesError(
        f"output {tensor.name!r} holds {int(bad.sum())} values that are no numbers",
        got=f"{stored[h, w, c]} at row {h}, column {w}, channel {c}",
        wanted="finite float32 values",
        hint="NaN comes from dequantising with a broken scale, or from memory that was never filled",
    )


def value_range(tensor: Tensor) -> tuple[float, float]:
    """Return the smallest and largest real value in a tensor, padding left out; nan where it holds nan."""
    stored = tensor.stored()
    low, high = float(stored.min()), float(stored.max())
    if tensor.quant is None:
        return low, high
    if tensor.quant.per_channel:
        real = tensor.real()
        return float(real.min()), float(real.max())
    return tensor.quant.real(low), tensor.quant.real(high)


def check_not_twice(name: str, low: float, high: float) -> None:
    """Refuse scores that all lie where a sigmoid of a sigmoid puts them.

    One value everywhere proves nothing: it may be an empty map.
    """
    if SIGMOID_OF_ZERO <= low < high <= SIGMOID_OF_ONE + 1e-4 and high - low > 1e-6:
        raise ValuesError(
            f"every score of {name!r} lies in 0.5..0.7311: a sigmoid was applied twice",
            got=f"{low:.4f} to {high:.4f}",
            wanted="background scores near 0",
            hint="the chip applies the sigmoid already; leave it out where these tensors are made",
        )


def _from_range(tensor: Tensor, low: float, high: float) -> tuple[bool, str, str]:
    limits = tensor.limits
    if limits is None:
        inside = low >= 0 and high <= 1
        return not inside, "values from", f"{low:.4g} to {high:.4g}"
    least, most = limits
    why, numbers = "quantisation limits", f"{least:.4g} to {most:.4g}"
    if least < -_SLACK:
        return True, why, numbers
    if most <= 1 + _SLACK:
        return False, why, numbers
    raise AmbiguousError(
        f"nothing tells whether {tensor.name!r} holds logits or probabilities",
        [
            f"probabilities: no stored number is below {least:.4g}, as logits of empty cells would be",
            f"logits: stored numbers reach {most:.4g}, beyond 1 (values here: {low:.4g} to {high:.4g})",
        ],
        "logits=True or logits=False",
    )
