"""The protobuf wire format: the fields of a message with their offsets; what is not asked for is skipped."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.errors import FormatError

# Wire types, as protobuf numbers them (protobuf.dev, "Encoding").
VARINT, FIXED64, LEN, FIXED32 = 0, 1, 2, 5

CUT_HINT = "the file looks cut short or damaged; compare its size with the original"
DAMAGE_HINT = "these bytes are not the message they should be; the file looks damaged"


def varint(buffer: memoryview, at: int, end: int) -> tuple[int, int]:
    """Return the unsigned number at a place, and the place behind it.

    Raises
    ------
    FormatError
        When it runs past `end`, or does not fit 64 bits.
    """
    value = shift = 0
    for place in range(at, min(at + 10, end)):
        byte = buffer[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                break
            return value, place + 1
        shift += 7
    if end - at < 10:
        raise FormatError("a number runs past the end of its message", offset=at, hint=CUT_HINT)
    raise FormatError("a number does not fit 64 bits", offset=at)


def walk(buffer: memoryview, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the fields of a message: ``(number, wire type, value, offset)``.

    Parameters
    ----------
    buffer : memoryview of bytes
    start, end : int
        Where the message lies in `buffer`.

    Yields
    ------
    number, wire : int
    value : int
        The number itself for a varint. For the others the place behind the field's last byte.
    offset : int
        Where the field's value starts; what lies between `offset` and `value` is its bytes.

    Raises
    ------
    FormatError
        With the offset from the buffer's start, at the first byte that cannot be a field.
    """
    at = start
    while at < end:
        tag_at, tag = at, buffer[at]
        if tag < 0x80:
            at += 1
        else:
            tag, at = varint(buffer, at, end)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise FormatError(f"no field can have the number {number}", offset=tag_at, hint=DAMAGE_HINT)
        offset = at
        if wire == VARINT:
            value, at = varint(buffer, at, end)
            yield number, wire, value, offset
            continue
        if wire == LEN:
            size, offset = varint(buffer, at, end)
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
        else:
            raise FormatError(f"field {number} has wire type {wire}", offset=tag_at, hint=DAMAGE_HINT)
        at = offset + size
        if at > end:
            raise FormatError(
                f"field {number} wants {size} bytes, {end - offset} are left", offset=offset, hint=CUT_HINT
            )
        yield number, wire, at, offset
