"""Frames for any family, made from what the family says of itself: its fields, its grid, its anchors."""

from dataclasses import dataclass, replace
from itertools import product
from math import ceil

import numpy as np

from hailo_decode.families._family import Family, Sizes

INPUT = (64, 96)
STRIDES = (8, 16)
CHANNELS_OF_EXTRA = (0, 1, 5, 9, 32)


@dataclass(frozen=True, eq=False)
class Head:
    """One family with sizes that it can have, and the outputs that follow."""

    family: Family
    sizes: Sizes

    @property
    def parts(self):
        """Return where each field stands."""
        return self.family.fields(self.sizes)

    @property
    def grids(self):
        """Return (stride, rows, columns) of each level."""
        high, wide = INPUT
        if self.family.grid == "whole":
            return [(None, 1, 1)]
        if "list" in self.family.grid:
            return [(None, 1, 30)]
        return [(s, ceil(high / s), ceil(wide / s)) for s in STRIDES]

    def channels(self, role):
        """Return how many channels an output has, all of its fields taken together."""
        if role in self.family.once:
            return self.sizes.extra
        most = 0
        for part in self.parts.values():
            if part.role == role:
                last = part.first + (self.sizes.anchors - 1) * part.step + part.count
                most = max(most, last, self.sizes.anchors * part.step)
        return most

    @property
    def all_channels(self):
        """Return the channels of every output of a level, and of those that the network has once."""
        return {role: self.channels(role) for role in (*self.family.roles, *self.family.once)}

    @property
    def told(self):
        """Return what a caller says of such outputs: which is which, and what no tensor tells."""
        roles = {f"{role}_{k}": role for k, _ in enumerate(self.grids) for role in self.family.roles}
        roles |= {role: role for role in self.family.once}
        told = {
            "family": self.family.name,
            "task": self.family.task,
            "roles": roles,
            "logits": not self.bounded,
        }
        told["names"] = [f"class {c}" for c in range(self.sizes.classes)]
        if self.family.anchors or self.family.grid == "fraction":
            each = [(6.0 + 5 * a, 9.0 + 2 * a) for a in range(self.sizes.anchors)]
            told["anchors"] = {stride: each for stride, _, _ in self.grids}
        if self.family.extra is not None and self.family.extra.kind == "keypoints":
            told["keypoints"] = (self.points, self.sizes.extra // self.points)
        return told

    @property
    def points(self):
        """How many keypoints the extra channels make up."""
        return self.sizes.extra // (3 if self.sizes.extra % 3 == 0 else 2)

    @property
    def bounded(self):
        """Whether its scores leave the network as probabilities, whatever the caller thinks."""
        return self.family.scores_ready

    def outputs(self, fill):
        """Return float outputs; `fill(part name, shape)` gives each field's numbers, anchors first."""
        out = {}
        for k, (_, h, w) in enumerate(self.grids):
            for role in self.family.roles:
                tensor = np.zeros((h, w, self.channels(role)), np.float32)
                for name, part in self.parts.items():
                    if part.role != role:
                        continue
                    numbers = fill(name, (self.sizes.anchors, h, w, part.count))
                    for a in range(self.sizes.anchors):
                        first = part.first + a * part.step
                        tensor[:, :, first : first + part.count] = numbers[a]
                out[f"{role}_{k}"] = tensor
        for role in self.family.once:
            out[role] = fill(role, (1, INPUT[0] // 4, INPUT[1] // 4, self.sizes.extra))[0].astype(np.float32)
        return out


def strided(family):
    """Tell whether a family's cells stand on a grid."""
    return "list" not in family.grid and family.grid != "whole"


def heads_of(family):
    """Return heads of all sizes that a family can read back from the channels which follow from them."""
    found = []
    for classes, bins, anchors, extra, bare in product(
        (1, 2, 5), (0, 2, 8, 11, 16, 17), (1, 2, 3, 5), CHANNELS_OF_EXTRA, (False, True)
    ):
        head = Head(family, Sizes(classes, bins, anchors, extra, bare))
        try:
            channels = head.all_channels
            back = family.sizes(channels, anchors)
        except (KeyError, ZeroDivisionError):
            continue
        if back is not None and back == head.sizes and back.anchors == anchors and 0 not in channels.values():
            found.append(replace(head, sizes=back))
    return found
