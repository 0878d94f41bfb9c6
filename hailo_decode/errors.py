"""The exception tree: every error says what was got, what was wanted, and what to do.

HailoDecodeError
├── OptionError        an argument's value cannot be used
│   └── UnknownName    a name that is not in the list, with the nearest ones
├── TensorError        an output array is not what the network's description says
│   ├── DtypeError     its element type cannot be read
│   ├── SizeError      its size fits no layout
│   ├── QuantError     its scale or zero point is missing or impossible
│   └── ValuesError    its numbers cannot be what they are said to be (NaN, twice a sigmoid, ...)
├── PairingError       outputs are missing, doubled, or fit no head
├── AmbiguousError     two readings stay possible, and an argument settles it
├── FormatError        a file's bytes are not what its format asks for
│   ├── MissingFile    it is not there, or cannot be opened
│   ├── UnknownFormat  its bytes are of no format that is known here
│   ├── UnknownVersion its format is known, this version of it is not
│   ├── CutShort       it ends before what it says it holds
│   └── WrongChecksum  its bytes are not those that its checksum was made of
└── MissingPackage     an optional package is wanted for this and is not there
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class HailoDecodeError(Exception):
    """Base of all errors of this package.

    Parameters
    ----------
    message : str
        One sentence that says what is wrong, with the user's own numbers.
    got, wanted, hint : str, optional
        What was found, what would have been right, and what to do about it.
    """

    def __init__(
        self, message: str, *, got: str | None = None, wanted: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.got = got
        self.wanted = wanted
        self.hint = hint

    def __str__(self) -> str:
        parts = (("got", self.got), ("wanted", self.wanted), ("hint", self.hint))
        return "\n".join([self.message, *(f"  {label}: {text}" for label, text in parts if text)])


class OptionError(HailoDecodeError):
    """An argument's value cannot be used."""


class UnknownName(OptionError):
    """A name that is not in the list of known ones; the nearest are offered.

    Parameters
    ----------
    kind : str
        What the name should have named, such as ``"family"``.
    name : str
    known : iterable of str
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        import difflib

        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else None
        listed = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
        super().__init__(f"no {kind} named {name!r}", wanted=listed or f"there is no {kind}", hint=hint)
        self.kind = kind
        self.name = name


class TensorError(HailoDecodeError):
    """An output array is not what the network's description says."""


class DtypeError(TensorError):
    """An output's element type cannot be read."""


class SizeError(TensorError):
    """An output's size fits no layout."""


class QuantError(TensorError):
    """An output's scale or zero point is missing or impossible."""


class ValuesError(TensorError):
    """An output's numbers cannot be what they are said to be."""


class PairingError(HailoDecodeError):
    """Outputs are missing, doubled, or fit no head."""


class AmbiguousError(HailoDecodeError):
    """More than one reading stays possible.

    Parameters
    ----------
    message : str
    readings : sequence of str
        Each possible reading in words.
    settle : str
        The argument that settles it.
    """

    def __init__(self, message: str, readings: Sequence[str], settle: str) -> None:
        super().__init__(message, got="; or ".join(readings), hint=settle)
        self.readings = tuple(readings)


class FormatError(HailoDecodeError):
    """A file's bytes are not what its format asks for.

    Attributes
    ----------
    offset : int or None
        The byte at which reading stopped, counted from the file's start.
    partial : object or None
        What could be read of the file all the same, as reading would have returned it; None where that is nothing.
    """

    partial: Any = None

    def __init__(
        self,
        message: str,
        *,
        offset: int | None = None,
        got: str | None = None,
        wanted: str | None = None,
        hint: str | None = None,
    ) -> None:
        at = "" if offset is None else f" (at byte {offset})"
        super().__init__(message + at, got=got, wanted=wanted, hint=hint)
        self.offset = offset


class MissingFile(FormatError):
    """A file is not there, or cannot be opened."""


class UnknownFormat(FormatError):
    """A file's bytes are of no format that is known here."""


class UnknownVersion(FormatError):
    """A file's format is known, this version of it is not."""


class CutShort(FormatError):
    """A file ends before what it says it holds."""


class WrongChecksum(FormatError):
    """A file's bytes are not those that its checksum was made of."""


class MissingPackage(HailoDecodeError):
    """An optional package is wanted for this and is not installed."""

    def __init__(self, package: str, purpose: str, install: str) -> None:
        super().__init__(f"{purpose} needs the package {package!r}", hint=f"pip install {install}")
        self.package = package
