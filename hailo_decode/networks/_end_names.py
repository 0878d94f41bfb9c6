"""What name and grid of a head's last node say: its role, its place among the scales, its stride.

Names are those of the exporters, read off real exports: Ultralytics 8.4 (v3u, v5u, v6u, v8 to v12, 26; plain
and one-to-one heads), the anchor-based v3, v5 and v7, YOLOX, YOLOv6 (Meituan), DAMO-YOLO and YOLO-NAS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndName:
    """What a node's name proves.

    Attributes
    ----------
    head : str
        What all nodes of one head have in common, such as ``"/model.22"``.
    role : str or None
        ``"box"``, ``"cls"``, ``"obj"``, ``"extra"`` or ``"proto"``; None where one tensor holds all.
    scale : int or None
        Place in the head's list of scales, counted from 0; None for a prototype.
    one_to_one : bool
        Whether it is of the head that needs no suppression.
    branch : str
        The branch's own name, such as ``"cv3"``.
    """

    head: str
    role: str | None
    scale: int | None
    one_to_one: bool
    branch: str


# The index in "model.22" differs by network and is never looked at.
_MODULE = re.compile(r"model\.\d{1,4}")
_BRANCH = re.compile(r"(one2one_)?(cv[2345](?:_kpts)?)\.(\d{1,2})")
_ANCHORS = re.compile(r"m\.(\d{1,2})")
_PREDS = re.compile(r"(reg|cls|obj|gfl_reg|gfl_cls)(?:_preds)?(?:_dist)?\.(\d{1,2})")
_NAS_HEAD, _NAS = re.compile(r"head([1-9])"), re.compile(r"(reg|cls)_pred")

_ROLES = {
    "cv2": "box", "cv3": "cls", "cv4": "extra", "cv4_kpts": "extra",
    "reg": "box", "cls": "cls", "obj": "obj", "gfl_reg": "box", "gfl_cls": "cls",
}  # fmt: skip
_PROTOTYPES = (["proto", "cv3", "conv", "Conv"], ["proto", "cv3", "act", "Mul"])


def end_name(name: str) -> EndName | None:
    """Return what a node's name proves, or None for a name of no known head.

    Examples
    --------
    >>> end_name("/model.22/cv3.1/cv3.1.2/Conv").role
    'cls'
    >>> end_name("/model.10/m/cv2/conv/Conv") is None
    True
    """
    parts = name.split("/")
    if parts[-4:] in _PROTOTYPES and _MODULE.fullmatch(parts[-5] if len(parts) > 4 else ""):
        return EndName("/".join(parts[:-4]), "proto", None, False, "proto")
    if parts.pop() != "Conv" or len(parts) < 2:
        return None
    return _of_branch(parts) or _of_module(parts) or _of_nas(parts)


def _of_branch(parts: list[str]) -> EndName | None:
    """``model.22/cv2.0/cv2.0.2``, and ``model.23/cv4_kpts.0`` whose one convolution has no number."""
    last = parts[-1]
    deep = (
        last.endswith(".2")
        and len(parts) > 2
        and last.removeprefix("one2one_") == (parts[-2].removeprefix("one2one_") + ".2")
    )
    owner = parts[-2] if deep else last
    found = _BRANCH.fullmatch(owner)
    head = parts[: -2 if deep else -1]
    if not found or deep == found[2].endswith("_kpts") or not _MODULE.fullmatch(head[-1]):
        return None
    return EndName("/".join(head), _ROLES.get(found[2]), int(found[3]), bool(found[1]), found[2])


def _of_module(parts: list[str]) -> EndName | None:
    """``model.24/m.0`` of an anchor head, and ``head/reg_preds.0``."""
    head = "/".join(parts[:-1])
    if (found := _ANCHORS.fullmatch(parts[-1])) and _MODULE.fullmatch(parts[-2]):
        return EndName(head, None, int(found[1]), False, "m")
    if (found := _PREDS.fullmatch(parts[-1])) and parts[-2] in ("head", "detect"):
        return EndName(head, _ROLES[found[1]], int(found[2]), False, found[1])
    return None


def _of_nas(parts: list[str]) -> EndName | None:
    """``heads/head1/cls_pred``."""
    found, scale = _NAS.fullmatch(parts[-1]), _NAS_HEAD.fullmatch(parts[-2])
    if not found or not scale or len(parts) < 3 or parts[-3] != "heads":
        return None
    return EndName("/".join(parts[:-2]), _ROLES[found[1]], int(scale[1]) - 1, False, found[1])


def stride_of(size: tuple[int, int] | None, grid: tuple[int, int] | None) -> int | None:
    """Return input pixels per cell, None unless they are whole and the same across and down.

    Parameters
    ----------
    size, grid : (int, int) or None
        Height and width of the input, pixels, and of the map, cells.
    """
    if grid is None or size is None or size[0] % grid[0] or size[1] % grid[1]:
        return None
    return size[0] // grid[0] if size[0] // grid[0] == size[1] // grid[1] else None


def first_end_name(names: Iterable[str]) -> EndName | None:
    """Return what the first of several names proves, that proves anything."""
    return next((found for found in map(end_name, names) if found), None)
