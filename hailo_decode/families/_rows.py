"""What outputs that are decoded already share: one row for each anchor, box first, scores behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hailo_decode.families._family import Family, Part, Sizes

ROWS = ("rows",)
SizesOf = Callable[[Mapping[str, int], "int | None"], "Sizes | None"]


def family(
    name: str, title: str, archs: tuple[str, ...], box_code: str, objectness: bool, unit: bool, source: str
) -> Family:
    """Return a family of rows.

    Parameters
    ----------
    box_code : str
    objectness : bool
        Whether an objectness stands between box and classes.
    unit : bool
        Whether boxes are fractions of the input rather than pixels.
    """
    head = 5 if objectness else 4

    def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
        return Sizes(classes=channels["rows"] - head) if channels["rows"] > head else None

    def fields(s: Sizes) -> dict[str, Part]:
        step = head + s.classes
        parts = {"box": Part("rows", 0, step, 4), "cls": Part("rows", head, step, s.classes)}
        return {**parts, "obj": Part("rows", 4, step, 1)} if objectness else parts

    return Family(
        name=name,
        title=title,
        archs=archs,
        task="detect",
        roles=ROWS,
        sizes=sizes,
        fields=fields,
        box_code=box_code,
        channels={"rows": f"{head} + classes"},
        constants=(0.0,),
        grid="unit list" if unit else "list",
        scores_ready=True,
        source=source,
    )
