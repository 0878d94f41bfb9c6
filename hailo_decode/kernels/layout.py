"""Columns of the tables that tell kernels where a field's elements lie.

A *field* is one role at one level: the class scores of stride 8, say. Its row of the `fields` table holds
integers only; offsets and pitches count elements. Element (h, w, channel) lies at::

    h * ROW + w * COLUMN + (channel >> 3) * GROUP + (channel & 7) * CHANNEL

with GROUP = 8 * CHANNEL in every order but F8CR, so that one formula serves them all.
"""

TENSOR = 0  # which output: index into the table of addresses
ITEM = 1  # bytes of an element: 1, 2, or 4 for f4
ELEMENTS = 2  # how many elements the buffer holds, padding included
HEIGHT = 3
WIDTH = 4
ROW = 5
COLUMN = 6
CHANNEL = 7
GROUP = 8
OUTER = 9  # pitch of the outermost axis
MIDDLE = 10  # pitch of the middle axis
AXIS_H = 11  # which axis is which: 0 outermost, 1 middle, 2 innermost
AXIS_W = 12
AXIS_C = 13
EIGHTS = 14  # 1 where the innermost axis holds eight channels of each cell (F8CR)
FIRST = 15  # first channel of this field
STEP = 16  # channels from one anchor to the next
COUNT = 17  # channels of this field for each anchor
ANCHORS = 18  # anchors in each cell
BASE = 19  # number of the level's first anchor
TABLE = 20  # row of the look-up tables for the field's first channel
TABLE_STEP = 21  # rows from one channel of the tensor to the next: 0 where all share one
QUANT = 22  # row of the (scale, zero point) of the field's first channel
QUANT_STEP = 23  # 0 where all channels share one
LOGITS = 24  # 1 where the sigmoid is still to be applied
MODE = 25  # how its numbers become exponentials: see `bins.BY_TABLE` and those beside it
PRIORS = 26  # first row of the level's anchor sizes
COLUMNS = 27

# Reciprocals of the pitches and counts that offsets are divided by, f8, one row a field. (f + 0.5) * (1 / pitch) cut to
# a whole number is f // pitch, exactly, for every f below 2**50: two such divisions cost 3 ns, two of 64-bit integers 12.
PER_OUTER = 0
PER_MIDDLE = 1
PER_STEP = 2
PER_WIDTH = 3
PER_ANCHORS = 4
RATES = 5

CLASS = 0  # fields of a level, as places in the table of fields
BOX = 1
OBJECT = 2
EXTRA = 3  # or the sizes of boxes, where the box field holds their centres alone
FIELDS = 4

# Settings of a frame, integers.
LEVELS = 0
CLASSES = 1
RANKS = 2  # how many distinct scores reach the threshold; 0 where scores are computed
ANCHOR_BITS = 3
CLASS_BITS = 4
SORT_FROM = 5  # lowest bit of a key that the sort must look at
KEY_BITS = 6
MULTI_LABEL = 7
AGNOSTIC = 8
SUPPRESS = 9
MAX_DET = 10
MAX_NMS = 11
MAX_PER_CLASS = 12
BOX_CODE = 13
HAS_OBJECT = 14  # 1 where a score is objectness times class
SOFTMAX = 15  # 1 where classes are a softmax of their channels
TURNED = 16  # how turned boxes overlap: 0 no turned boxes, 1 their exact area, 2 as Gaussians
SETTINGS = 17

# What a frame reports beside its boxes.
FOUND = 0  # rows of the result
TRIED = 1  # candidates that went into suppression
CAPPED = 2  # 1: MAX_NMS was reached, weaker candidates were not looked at
FULL = 3  # 1: MAX_DET was reached
CLASS_FULL = 4  # candidates turned away because their class held MAX_PER_CLASS boxes
BAD_VALUES = 5  # class scores that are nan or infinite
BAD_BOXES = 6  # boxes that came out nan or infinite
HELD = 7  # boxes that suppression compares with
SORTED = 8  # candidates that stand sorted and wait for `select_turned`
REPORT = 9

# Box codes: how the numbers of a cell become a box. A family names its code, `boxes.box_of` runs it.
BOX_DFL = 0
BOX_DISTANCES = 1
BOX_ANCHORS = 2
BOX_CELLS = 3
BOX_CENTRE_EXP = 4
BOX_SSD = 5
BOX_CORNERS = 6
BOX_CENTRE_SIZE = 7
BOX_WHOLE = 8
BOX_CORNERS_YX = 9
BOX_CELLS_APART = 10
BOX_CODES = {
    "dfl": BOX_DFL,
    "distances": BOX_DISTANCES,
    "anchors": BOX_ANCHORS,
    "cells": BOX_CELLS,
    "centre_exp": BOX_CENTRE_EXP,
    "ssd": BOX_SSD,
    "corners": BOX_CORNERS,
    "centre_size": BOX_CENTRE_SIZE,
    "whole": BOX_WHOLE,
    "corners_yx": BOX_CORNERS_YX,
    "cells_apart": BOX_CELLS_APART,
}

# Types of the tuples that kernels pass on, as `kernel` takes them: what they hold is said in `frame_ranked` and `select`.
LOOKUP = "(i4** i4** f4* f8** f8** f8** f8* f8*)"
KEYS = "(u8* u8* i4* i8* i8*)"
WORK = "(i4* i4* u8* f4** i4* f4*** u1* f8* f8* f8** f8*** i4* f8* f4**)"
RESULT = "(f4** f4* i4* i4* f8** f8*)"
