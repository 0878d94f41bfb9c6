"""Labels of boxes: what they say, how big they are, and where they cover each other least."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hailo_decode.values.boxes import Detections

Box = tuple[int, int, int, int]
Colour = tuple[int, int, int]

_LEAST_LETTER = 9  # pixels; smaller ones cannot be read
_MOST_COVERED = 0.25  # of a label by others; where none is covered less, it is left out


@dataclass(frozen=True, slots=True)
class Pen:
    """Widths and letters that suit a picture's size.

    Attributes
    ----------
    line : int
        Width of lines, pixels.
    font, scale, stroke : int, float, int
        As OpenCV's ``putText`` takes them.
    above, below : int
        Pixels that letters reach above and below their base line.
    margin : int
        Pixels around a label's text.
    """

    cv2: Any
    line: int
    font: int
    scale: float
    stroke: int
    above: int
    below: int
    margin: int

    @classmethod
    def fitting(cls, cv2: Any, height: int, width: int) -> Pen:
        """Choose for a picture: in large ones letters are larger, though not in proportion."""
        side = min(height, width)
        letter = max(_LEAST_LETTER, 0.17 * side**0.7)
        font = cv2.FONT_HERSHEY_SIMPLEX
        (_, of_one), _ = cv2.getTextSize("0", font, 1.0, 1)
        scale = letter / of_one
        stroke = max(1, round(letter / 10))
        (_, above), below = cv2.getTextSize("Ag", font, scale, stroke)
        line = max(1, round(0.0125 * side**0.85))
        return cls(cv2, line, font, scale, stroke, above, max(1, below // 2), max(2, round(letter / 4)))

    def size(self, text: str) -> tuple[int, int]:
        """Return width and height of a label, pixels."""
        (width, _), _ = self.cv2.getTextSize(text, self.font, self.scale, self.stroke)
        return width + 2 * self.margin, self.above + self.below + 2 * self.margin

    def strokes(self, colour: Colour) -> Iterator[tuple[int, Colour]]:
        """Yield width and colour of the strokes of one line, lowest first."""
        if self.line > 1:
            yield self.line + 2, (24, 24, 24)
        yield self.line, colour


def label_texts(detections: Detections) -> list[tuple[str, ...]]:
    """Return for each box what its label may say, longest first.

    OpenCV draws ASCII alone: accents are dropped, and where no letter is left the class number stands in.
    """
    texts: list[tuple[str, ...]] = []
    for class_id, confidence in zip(detections.class_id, detections.confidence, strict=True):
        name = unicodedata.normalize("NFKD", detections.name_of(int(class_id)))
        plain = "".join(letter for letter in name if " " <= letter <= "~").strip() or f"class {class_id}"
        short = plain[:6].rstrip() + ".." if len(plain) > 8 else plain
        texts.append((f"{plain} {confidence:.2f}", f"{short} {confidence:.2f}", short, short[:3]))
    return texts


def place_labels(
    pen: Pen, texts: Sequence[Sequence[str]], boxes: Any, picture: tuple[int, int]
) -> dict[int, tuple[str, Box]]:
    """Find a place inside the picture for each label, best box first.

    Parameters
    ----------
    pen : Pen
    texts : sequence of sequence of str
        What each label may say, longest first: the first that fits into the picture is taken.
    boxes : (n, 4) integers, pixels
    picture : (int, int)
        Height and width.

    Returns
    -------
    dict of int to (text, (left, top, right, bottom))
        By row; rows whose label found no room are left out.
    """
    placed: dict[int, tuple[str, Box]] = {}
    for i, (left, top, right, bottom) in enumerate(boxes.tolist()):
        for text in texts[i]:
            width, height = pen.size(text)
            if width <= picture[1] and height <= picture[0]:
                break
        else:
            continue
        half = pen.line // 2
        spots = [
            (left - half, top - half - height),  # on the box's upper edge
            (left - half, top - half),  # inside, at the top
            (right + half + 1 - width, top - half - height),
            (left - half, bottom + half + 1),  # below
            (left - half, bottom + half + 1 - height),  # inside, at the bottom
            (right + half + 1 - width, bottom + half + 1),
        ]
        choices = [_inside(spot, (width, height), picture) for spot in spots]
        taken = [box for _, box in placed.values()]
        covered = [sum(_shared(choice, box) for box in taken) for choice in choices]
        least = min(range(len(choices)), key=covered.__getitem__)
        if covered[least] <= _MOST_COVERED * width * height:
            placed[i] = (text, choices[least])
    return placed


def _inside(spot: tuple[int, int], size: tuple[int, int], picture: tuple[int, int]) -> Box:
    left = min(max(spot[0], 0), picture[1] - size[0])
    top = min(max(spot[1], 0), picture[0] - size[1])
    return left, top, left + size[0], top + size[1]


def _shared(a: Box, b: Box) -> int:
    """Return the area that two boxes share, pixels."""
    return max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)
