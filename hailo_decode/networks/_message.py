"""Message: typed access to one protobuf message in a buffer, walked when first asked for a field."""

from __future__ import annotations

import struct

from hailo_decode.errors import FormatError
from hailo_decode.networks._wire import DAMAGE_HINT, FIXED32, FIXED64, LEN, VARINT, varint, walk

# No real HEF or ONNX file comes near these; they keep a hostile one from eating time and memory.
MAX_DEPTH = 64
MAX_FIELDS = 500_000
MAX_TEXT = 65_536

_NAMES = {VARINT: "varint", FIXED64: "64-bit", LEN: "bytes", FIXED32: "32-bit"}


class _Budget:
    """Fields that may still be walked in one file."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int, at: int) -> None:
        self.left -= count
        if self.left < 0:
            raise FormatError("the file holds more fields than any real one", offset=at, hint=DAMAGE_HINT)


class Message:
    """One message in a buffer, walked when first asked for a field; messages inside it likewise.

    Absent fields read as protobuf's defaults: 0, ``""``, an empty message, nothing. Where a field that
    is not repeated comes twice, the last one counts, as in protobuf; repeated ones are read packed and
    unpacked.

    Parameters
    ----------
    buffer : bytes-like
        The whole file, such as a memory map, so that offsets count from the file's start.
    start, end : int, optional
        Where the message lies; all of it by default.
    name : str
        What the message is, for errors.
    max_fields : int
        How many fields may be walked in all, this message and every one inside it.

    Raises
    ------
    FormatError
        By every accessor, with the offset, where bytes are not what was asked for.
    """

    __slots__ = ("_budget", "_buffer", "_depth", "_fields", "end", "name", "start")

    def __init__(
        self,
        buffer: memoryview,
        start: int = 0,
        end: int | None = None,
        name: str = "message",
        max_fields: int = MAX_FIELDS,
    ) -> None:
        self._buffer = memoryview(buffer)
        self._budget = _Budget(max_fields)
        self._depth = 0
        self._fields: dict[int, list[tuple[int, int, int]]] | None = None
        self.start = start
        self.end = len(self._buffer) if end is None else end
        self.name = name

    def _child(self, start: int, end: int, number: int) -> Message:
        if self._depth >= MAX_DEPTH:
            raise FormatError(f"messages lie in each other more than {MAX_DEPTH} deep", offset=start)
        child = Message.__new__(Message)
        child._buffer, child._budget, child._depth = self._buffer, self._budget, self._depth + 1
        child._fields, child.start, child.end = None, start, end
        child.name = f"{self.name}.{number}"
        return child

    def _all(self, number: int) -> list[tuple[int, int, int]]:
        if self._fields is None:
            fields: dict[int, list[tuple[int, int, int]]] = {}
            spend = self._budget.spend
            for found, wire, value, offset in walk(self._buffer, self.start, self.end):
                spend(1, offset)
                fields.setdefault(found, []).append((wire, value, offset))
            self._fields = fields
        return self._fields.get(number, [])

    def _last(self, number: int, wire: int) -> tuple[int, int] | None:
        found = self._all(number)
        if not found:
            return None
        got, value, offset = found[-1]
        if got != wire:
            raise self._wrong(number, got, wire, offset)
        return value, offset

    def _wrong(self, number: int, got: int, wanted: int, offset: int) -> FormatError:
        return FormatError(
            f"field {number} of {self.name} has the wrong wire type",
            offset=offset,
            got=_NAMES[got],
            wanted=_NAMES[wanted],
            hint=DAMAGE_HINT,
        )

    def __contains__(self, number: int) -> bool:
        """Whether the field is present, be it empty or 0."""
        return bool(self._all(number))

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the fields that are present, in order of first appearance."""
        self._all(0)
        return tuple(self._fields or ())

    def offset(self, number: int) -> int:
        """Return where the field's (last) value starts; the message's own start when it is absent."""
        found = self._all(number)
        return found[-1][2] if found else self.start

    def u64(self, number: int) -> int:
        """Read a whole number, 0 when absent."""
        found = self._last(number, VARINT)
        return found[0] if found else 0

    def u32(self, number: int) -> int:
        """Read a whole number that has to fit 32 bits, 0 when absent."""
        found = self._last(number, VARINT)
        if found and found[0] >> 32:
            raise FormatError(
                f"field {number} of {self.name} is {found[0]}, too big for 32 bits", offset=found[1]
            )
        return found[0] if found else 0

    def i64(self, number: int) -> int:
        """Read a signed whole number (``int32``, ``int64``), 0 when absent."""
        value = self.u64(number)
        return value - (1 << 64) if value >> 63 else value

    def flag(self, number: int) -> bool:
        """Read a bool, False when absent."""
        return bool(self.u64(number))

    def double(self, number: int) -> float:
        """Read a 64-bit float, 0 when absent."""
        found = self._last(number, FIXED64)
        return float(struct.unpack_from("<d", self._buffer, found[1])[0]) if found else 0.0

    def single(self, number: int) -> float:
        """Read a 32-bit float, 0 when absent."""
        found = self._last(number, FIXED32)
        return float(struct.unpack_from("<f", self._buffer, found[1])[0]) if found else 0.0

    def span(self, number: int) -> tuple[int, int] | None:
        """Return where the bytes of a field start and end, without reading them; None when absent."""
        found = self._last(number, LEN)
        return (found[1], found[0]) if found else None

    def data(self, number: int) -> memoryview:
        """Return a view of the bytes of a field, empty when absent; nothing is copied."""
        start, end = self.span(number) or (self.start, self.start)
        return self._buffer[start:end]

    def text(self, number: int, limit: int = MAX_TEXT) -> str:
        """Read a string, empty when absent."""
        found = self.span(number)
        return self._decoded(number, *found, limit) if found else ""

    def texts(self, number: int, limit: int = MAX_TEXT) -> tuple[str, ...]:
        """Read a repeated string."""
        return tuple(self._decoded(number, start, end, limit) for start, end in self._spans(number))

    def message(self, number: int) -> Message:
        """Return the message in a field, an empty one when absent."""
        start, end = self.span(number) or (self.start, self.start)
        return self._child(start, end, number)

    def messages(self, number: int) -> list[Message]:
        """Return every message of a repeated field."""
        return [self._child(start, end, number) for start, end in self._spans(number)]

    def u64s(self, number: int) -> tuple[int, ...]:
        """Read repeated whole numbers, packed or not."""
        values: list[int] = []
        for wire, value, offset in self._all(number):
            if wire == VARINT:
                values.append(value)
            elif wire == LEN:
                at = offset
                while at < value:
                    self._budget.spend(1, at)
                    one, at = varint(self._buffer, at, value)
                    values.append(one)
            else:
                raise self._wrong(number, wire, LEN, offset)
        return tuple(values)

    def i64s(self, number: int) -> tuple[int, ...]:
        """Read repeated signed whole numbers, packed or not."""
        return tuple(v - (1 << 64) if v >> 63 else v for v in self.u64s(number))

    def floats(self, number: int) -> tuple[float, ...]:
        """Read repeated 32-bit floats, packed or not."""
        return self._reals(number, "f", FIXED32, 4)

    def doubles(self, number: int) -> tuple[float, ...]:
        """Read repeated 64-bit floats, packed or not."""
        return self._reals(number, "d", FIXED64, 8)

    def _reals(self, number: int, code: str, single: int, size: int) -> tuple[float, ...]:
        values: list[float] = []
        for wire, end, start in self._all(number):
            count, rest = divmod(end - start, size)
            if wire not in (single, LEN) or rest:
                raise self._wrong(number, wire, single, start)
            self._budget.spend(count, start)
            values.extend(struct.unpack_from(f"<{count}{code}", self._buffer, start))
        return tuple(values)

    def _spans(self, number: int) -> list[tuple[int, int]]:
        found = self._all(number)
        for wire, _, offset in found:
            if wire != LEN:
                raise self._wrong(number, wire, LEN, offset)
        return [(start, end) for _, end, start in found]

    def _decoded(self, number: int, start: int, end: int, limit: int) -> str:
        if end - start > limit:
            raise FormatError(
                f"the text in field {number} of {self.name} is {end - start} bytes long",
                offset=start,
                wanted=f"at most {limit}",
            )
        try:
            return str(self._buffer[start:end], "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"the text in field {number} of {self.name} is not UTF-8", offset=start + error.start
            ) from error
