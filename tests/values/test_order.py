"""Format orders: read in every spelling, with HailoRT's own numbers."""

from enum import Enum

import pytest

from hailo_decode import FormatOrder
from hailo_decode.errors import UnknownName

# hailo_format_order_t of hailort.h.
CODES = {"NHWC": 1, "NHCW": 2, "FCR": 3, "F8CR": 4, "NHW": 5, "NC": 6, "NCHW": 11}
CODES |= {
    "HAILO NMS WITH BYTE MASK": 20,
    "HAILO NMS ON CHIP": 21,
    "HAILO NMS BY CLASS": 22,
    "HAILO NMS BY SCORE": 23,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_orders_have_the_numbers_of_hailort(name, code):
    assert FormatOrder(name).code == code


@pytest.mark.parametrize("order", list(FormatOrder), ids=lambda order: order.name)
def test_every_spelling_of_an_order_is_read(order):
    member = Enum("FormatOrder", {order.value.replace(" ", "_"): 1})[order.value.replace(" ", "_")]
    for spelling in (
        order,
        order.value,
        order.value.lower(),
        order.value.replace(" ", "_"),
        f"FormatOrder.{member.name}",
        member,
    ):
        assert FormatOrder.parse(spelling) is order


def test_old_names_of_the_by_class_buffer_are_read():
    assert FormatOrder.parse("HAILO NMS") is FormatOrder.NMS_BY_CLASS
    assert FormatOrder.parse("HAILO_NMS") is FormatOrder.NMS_BY_CLASS


@pytest.mark.parametrize("name", ["FRC", "", "nhwcx", 3, None])
def test_what_names_no_order_is_refused_with_the_known_ones(name):
    with pytest.raises(UnknownName) as caught:
        FormatOrder.parse(name)
    assert "FCR" in caught.value.wanted
