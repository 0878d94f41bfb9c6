"""Draw the buffers of layouts.md from the readers: ``python docs/draw_layouts.py``.

A comment ``<!-- drawn: LAYOUT ORDER HxWxC in HxWxC -->`` before a block says what it shows.
"""

import re
import sys
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "layouts.md"
MARK = re.compile(
    r"<!-- drawn: (?P<layout>host|device) (?P<order>\w+) (?P<shape>[\dx]+)(?: in (?P<padded>[\dx]+))? -->\n"
    r"```text\n(?P<drawing>.*?)```\n",
    re.DOTALL,
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PADDING, ROUNDING = "...", "___"
ALIGNMENT = 8  # bytes that a raw read is rounded up to


def drawing(layout: str, order: str, shape: tuple, padded: tuple) -> str:
    """Return the bytes of a buffer, one line a run of its innermost axis, its elements named row, column, channel."""
    from hailo_decode.readers import reader_of
    from hailo_decode.values.order import FormatOrder

    geometry = reader_of(FormatOrder.parse(order)).geometry(layout, shape, padded)
    axes = list(geometry.axes)
    while axes[-1][1] == 1:  # a line a cell would say little
        axes.pop()
    *outer, (_, run) = axes
    lines = []
    for indices in product(*(range(extent) for _, extent in outer)):
        start = len(lines) * run
        names = [_element(geometry, start + k) for k in range(run)]
        label = ", ".join(_named(axis, i, order) for (axis, _), i in zip(outer, indices, strict=True))
        lines.append(f"{start:4}  {' '.join(names)}   {label}".rstrip())
    rest = -geometry.elements % ALIGNMENT if layout == "device" else 0
    if rest:
        lines.append(f"{geometry.elements:4}  {' '.join([ROUNDING] * rest)}   rounded up to 8 bytes")
    return "\n".join(["byte", *lines]) + "\n"


def _element(geometry, offset: int) -> str:
    """Return the name of the element at an offset, or that of padding."""
    height, width, channels = geometry.shape
    place = {}
    for axis, extent in reversed(geometry.axes):
        offset, place[axis] = divmod(offset, extent)
    channel = place["c"] * 8 + place["c8"] if "c8" in place else place["c"]
    if place["h"] >= height or place["w"] >= width or channel >= channels:
        return PADDING
    return f"{place['h']}{place['w']}{LETTERS[channel]}"


def _named(axis: str, i: int, order: str) -> str:
    if axis == "c" and order == "F8CR":
        return f"channels {LETTERS[8 * i]} to {LETTERS[8 * i + 7]}"
    return {"h": f"row {i}", "w": f"column {i}", "c": f"channel {LETTERS[i]}"}[axis]


def drawn(text: str) -> str:
    """Return the page's text with every drawing made anew."""

    def redraw(match: re.Match) -> str:
        shape = _sizes(match["shape"])
        padded = _sizes(match["padded"]) if match["padded"] else shape
        new = drawing(match["layout"], match["order"], shape, padded)
        start, end = match.span("drawing")
        return match[0][: start - match.start()] + new + match[0][end - match.start() :]

    return MARK.sub(redraw, text)


def _sizes(text: str) -> tuple:
    return tuple(int(n) for n in text.split("x"))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
