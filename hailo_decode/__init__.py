"""From what a Hailo accelerator returns for a YOLO network to boxes a program can trust.

Public names are fetched from their homes when they are first used: ``import hailo_decode`` itself loads nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Decoder": "hailo_decode.decoder",
    "Detections": "hailo_decode.values.boxes",
    "FormatOrder": "hailo_decode.values.order",
    "HailoDecodeError": "hailo_decode.errors",
    "Letterbox": "hailo_decode.values.letterbox",
    "NetworkInfo": "hailo_decode.values.network",
    "Quant": "hailo_decode.values.quant",
    "Recording": "hailo_decode.recording",
    "Room": "hailo_decode.values.boxes",
    "decode": "hailo_decode.decoder",
    "decode_nms": "hailo_decode.nms",
    "decode_nms_batch": "hailo_decode.nms",
    "decode_yolov8": "hailo_decode.decoder",
    "explain_size": "hailo_decode.readers.sizes",
    "read_network": "hailo_decode.networks",
}

__all__ = ["__version__", *sorted(_HOMES)]

if TYPE_CHECKING:
    from hailo_decode.decoder import Decoder as Decoder
    from hailo_decode.decoder import decode as decode
    from hailo_decode.decoder import decode_yolov8 as decode_yolov8
    from hailo_decode.errors import HailoDecodeError as HailoDecodeError
    from hailo_decode.networks import read_network as read_network
    from hailo_decode.nms import decode_nms as decode_nms
    from hailo_decode.nms import decode_nms_batch as decode_nms_batch
    from hailo_decode.readers.sizes import explain_size as explain_size
    from hailo_decode.recording import Recording as Recording
    from hailo_decode.values.boxes import Detections as Detections
    from hailo_decode.values.boxes import Room as Room
    from hailo_decode.values.letterbox import Letterbox as Letterbox
    from hailo_decode.values.network import NetworkInfo as NetworkInfo
    from hailo_decode.values.order import FormatOrder as FormatOrder
    from hailo_decode.values.quant import Quant as Quant


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
