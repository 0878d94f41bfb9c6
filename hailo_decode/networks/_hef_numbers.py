"""Field and enumeration numbers of a HEF, as one table (HailoRT 5.2, ``hef.proto``; unchanged since 4.17)."""

from __future__ import annotations

from hailo_decode.values.order import FormatOrder


class TOP:
    """ProtoHEFHef."""

    HEADER, GROUPS, FEATURES, EXTENSIONS, OPTIONAL_EXTENSIONS, RESOURCES = 1, 2, 4, 5, 6, 7


class RESOURCE:
    """ProtoHEFExternalResource."""

    OFFSET, SIZE, NAME, XXHASH = 1, 2, 3, 4


class EXTENSION:
    """ProtoHEFExtension and ProtoHEFOptionalExtension."""

    TYPE, NAME = 1, 2


class HEADER:
    """ProtoHEFHeader; VERSION_TUPLE is there since HailoRT 5.0."""

    ARCH, TIMESTAMP, SDK_TEXT, VERSION, SDK = 1, 2, 3, 4, 5


class SDK:
    """ProtoHEFSdkVersion."""

    MAJOR, MINOR, REVISION = 1, 2, 3


class GROUP:
    """ProtoHEFNetworkGroup."""

    METADATA, CONTEXTS, SORTED_OUTPUTS, FUSED, NETWORKS, PARTIAL, OPS, PAD_EDGES = 1, 3, 4, 5, 6, 7, 8, 9


class CORE:
    """ProtoHEFCoreOp; its numbers are those of a group, as far as it has them."""

    METADATA, CONTEXTS, SORTED_OUTPUTS, FUSED, NETWORKS, PARTIAL = 1, 3, 4, 5, 6, 7


class PARTIAL:
    """ProtoHEFPartialNetworkGroup and ProtoHEFPartialCoreOp."""

    INNER, LAYOUT = 1, 2
    LAYOUT_BITMAP = 1


class PAD_EDGE:
    """ProtoHEFPadEdge."""

    SOURCE, TARGET = 1, 2


class METADATA:
    """ProtoHEFNetworkGroupMetadata."""

    NAME, TRANSPOSED, BOTTLENECK_FPS, LATENCY, OPERATIONS = 1, 3, 4, 6, 8


class CONTEXT:
    """ProtoHEFContext and its ProtoHEFContextMetadata."""

    METADATA = 3
    EDGES, SORTED_OUTPUTS = 2, 5


class EDGE:
    """ProtoHEFEdgeLayer; INFO, MUX and PLANES are a oneof."""

    DIRECTION, INFO, MUX, SWITCH, NETWORK_INDEX, PAD_INDEX, PLANES = 1, 3, 4, 5, 6, 7, 8
    CONNECTION_TYPE = 3  # inside SWITCH
    BOUNDARY = 0  # the connection type that a caller sees


class LAYER:
    """ProtoHEFEdgeLayerInfo."""

    NAME, BASE, NUMERIC, HN_NAME, ORIGINAL_NAMES, TRANSPOSED = 1, 2, 3, 4, 5, 6


class MUX:
    """ProtoHEFEdgeLayerMux and its predecessors, a oneof."""

    NAME, BASE, PREDECESSORS = 1, 2, 5
    INFO, INNER_MUX, PLANES = 1, 2, 3


class PLANES:
    """ProtoHEFEdgeLayerPlanes."""

    NAME, FORMAT, PARTS, HEIGHT, WIDTH, FEATURES = 1, 2, 3, 4, 5, 6


class BASE:
    """ProtoHEFEdgeLayerBase."""

    HEIGHT, PADDED_HEIGHT, WIDTH, PADDED_WIDTH, FEATURES, PADDED_FEATURES, FORMAT = 1, 2, 3, 4, 5, 6, 7
    SYS_INDEX, BYTES_PER_BUFFER, BUFFERS_PER_FRAME, ADDITIONAL, DATA_BYTES = 8, 9, 10, 11, 12
    HOST_ARGMAX, SHMIFO_SIZE, ENGINE = 14, 15, 16
    ADDITIONAL_NMS = 1  # inside ADDITIONAL


class CHIP_NMS:
    """ProtoHEFNmsInfo: NMS on the chip."""

    CLASSES, MAX_OUTPUT, BBOX_SIZE, IS_DEFUSED, DEFUSE, DIVISION, BURST_SIZE, BURST_TYPE = (
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
    )
    GROUP_INDEX, ORIGINAL_NAME = 1, 3  # inside DEFUSE


class NUMERIC:
    """ProtoHEFEdgeLayerNumericInfo."""

    ZERO_POINT, SCALE, LIMIT_MIN, LIMIT_MAX, ZERO_POINTS, SCALES = 1, 2, 3, 4, 5, 6


class FUSED:
    """ProtoHEFFusedLayersMetadata and its ProtoHEFEdgeLayerFused."""

    HAS_FUSED, SORTED_OUTPUTS, LAYERS = 1, 2, 3
    LAYER, DEFUSED_NAMES, NMS = 1, 2, 3


class OP:
    """ProtoHEFOp; CORE, NMS and LOGITS are a oneof."""

    NAME, INPUT_PADS, OUTPUT_PADS, CORE, NMS, LOGITS = 1, 2, 3, 4, 5, 6
    LOGITS_TYPE = 1  # inside LOGITS


class PAD:
    """ProtoHEFPad."""

    INDEX, NAME, ORDER, NUMERIC, TENSOR_SHAPE, NMS_SHAPE, TYPE = 1, 2, 3, 5, 6, 7, 8


class NMS:
    """ProtoHEFNmsOp; the kinds are a oneof, `NMS_KINDS`."""

    SCORE, IOU, MAX_PER_CLASS, CLASSES, BACKGROUND_REMOVAL, BACKGROUND_INDEX, BBOX_ONLY = 1, 2, 3, 4, 5, 6, 13
    YOLOV5, YOLOX, SSD, IOU_ONLY, YOLOV5_SEG, YOLOV8 = 7, 8, 9, 10, 11, 12


class YOLOV5:
    """ProtoHEFYoloNmsOp and its decoders; ProtoHEFYoloSegNmsOp shares the first three."""

    HEIGHT, WIDTH, DIVISION, DECODERS = 1, 2, 3, 4
    ANCHOR_H, ANCHOR_W, STRIDE, PAD = 2, 3, 4, 5


class YOLOX:
    """ProtoHEFYoloxNmsOp and its decoders."""

    HEIGHT, WIDTH, DECODERS = 1, 2, 3
    STRIDE, REG, CLS, OBJ = 1, 2, 3, 4


class SSD:
    """ProtoHEFSSDNmsOp and its decoders."""

    HEIGHT, WIDTH, CENTRES_SCALE, SIZES_SCALE, TY, TX, TH, TW, DECODERS = 1, 2, 3, 4, 5, 6, 7, 8, 9
    ANCHOR_H, ANCHOR_W, REG, CLS = 1, 2, 3, 4


class SEG:
    """ProtoHEFYoloSegNmsOp."""

    HEIGHT, WIDTH, DECODERS, PROTO, MASK_THRESHOLD = 1, 2, 3, 4, 5
    PROTO_NUMBER, PROTO_STRIDE, PROTO_LAYER = 1, 2, 3  # inside PROTO


class YOLOV8:
    """ProtoHEFYolov8NmsOp and its decoders."""

    HEIGHT, WIDTH, DIVISION, DECODERS, REGRESSION_LENGTH = 1, 2, 3, 4, 5
    STRIDE, REG, CLS = 1, 2, 3


# Numbers of ProtoHEFHwArch, and the devices a HEF of it runs on; the one it was compiled for comes first
# (HailoRT 5.2, device_common/device_internal.cpp).
DEVICES: dict[int, tuple[str, ...]] = {
    0: ("hailo8",),
    1: ("hailo8",),
    2: ("hailo8",),
    3: ("hailo8l", "hailo8"),
    4: ("hailo15m", "hailo15h", "hailo10h"),
    5: ("hailo10h",),  # given up since; HailoRT 5.2 calls it unknown
    6: ("hailo15l",),
    100: ("hailo8_a0",),
    101: ("hailo8",),
    102: ("hailo8",),
    103: ("hailo15h", "hailo10h"),
    104: ("hailo15h", "hailo10h"),
    105: ("hailo15h", "hailo10h"),
    106: ("hailo15l",),
    108: ("hailo12l",),
}
# Architectures whose HEF holds one partial network for each layout of the chip's clusters (hef.cpp).
MULTI_LAYOUT = (3, 4)

EXT_NET_FLOW, EXT_HW_PADDING, EXT_MULTI_NETWORK, EXT_CHANNEL_SCALE, EXT_PERIPH = 13, 11, 8, 25, 26
EXTENSIONS: dict[int, str] = {
    0: "ABBALE",
    1: "POSTED_WRITES",
    2: "DDR",
    3: "PADDED_DDR_BUFFERS",
    4: "IS_MULTI_CONTEXTS",
    5: "COMPRESSED_PARAMS",
    6: "TRANSPOSE_COMPONENT",
    8: "MULTI_NETWORK_VARIABLE_BATCH_SIZE",
    9: "IS_NMS_MULTI_CONTEXT",
    10: "OFFLOAD_ARGMAX",
    11: "HW_PADDING",
    12: "KO_RUN_ASAP",
    13: "HAILO_NET_FLOW",
    14: "HAILO_NET_FLOW_YOLOV5_NMS",
    15: "HAILO_NET_FLOW_YOLOX_NMS",
    16: "HAILO_NET_FLOW_SSD_NMS",
    17: "HAILO_NET_FLOW_IOU_NMS",
    18: "WRITE_DATA_BY_TYPE",
    19: "NMS_OUTPUT_BURST",
    20: "DUAL_DIRECTION_STREAM_INDEX",
    21: "HAILO_NET_FLOW_ARGMAX",
    22: "HAILO_NET_FLOW_SOFTMAX",
    23: "ALIGNED_FORMAT_TYPE",
    24: "HAILO_NET_FLOW_YOLOV5_SEG_NMS",
    25: "OUTPUT_SCALE_PER_FEATURE",
    26: "PERIPH_CALCULATION_IN_HAILORT",
    27: "HAILO_NET_FLOW_YOLOV8_NMS",
    28: "BATCH_REGISTER_CONFIG",
    29: "HAILO_NET_FLOW_BBOX_DECODING",
    30: "CCW_PTR_SQUEEZE",
    31: "EXTERNAL_RESOURCES",
    32: "SHARED_CONFIG",
    33: "CSM_CRC",
    34: "ENABLE_CONFIG_CHANNELS",
    35: "STRICT_RUNTIME_VERSIONING",
}
# Files of header version 0 tell the same by flags of ProtoHEFIncludedFeatures: field number to extension.
FEATURE_FLAGS: dict[int, int] = {1: 0, 2: 1, 3: 2, 4: 4, 5: 5, 6: 6, 7: 3}

# Base.format to (device order, the order in which HailoRT hands it to a caller); the former is an
# enumeration of its own (hailort_defaults.cpp). Orders of inputs that are no tensors go by name only.
DEVICE_ORDERS: dict[int, tuple[FormatOrder | str, FormatOrder | str]] = {
    0: (FormatOrder.NHWC, FormatOrder.NHWC),
    1: (FormatOrder.NHCW, FormatOrder.NHWC),
    2: (FormatOrder.NC, FormatOrder.NC),
    3: (FormatOrder.FCR, FormatOrder.FCR),
    4: ("BAYER RGB", "BAYER RGB"),
    5: (FormatOrder.NHW, FormatOrder.NHW),
    6: (FormatOrder.NMS_ON_CHIP, FormatOrder.NMS_BY_CLASS),
    7: (FormatOrder.F8CR, FormatOrder.F8CR),
    8: ("RGB 888", FormatOrder.NHWC),
    11: ("YUY2", "YUY2"),
    13: (FormatOrder.NHWC, FormatOrder.NHWC),
    14: ("YYUV", "NV12"),
    15: ("YYVU", "NV21"),
    16: ("YYYYUV", "I420"),
}
PLANE_ORDERS = ("NV12", "NV21", "I420")
# Orders with the chroma in rows of its own, 12 bits a pixel: HailoRT states half the picture's height with 3 channels,
# which is the same number of bytes; NV12(192x640x3) is 384 x 640 (hailort.h, hailort_common.hpp).
HALF_HEIGHT = frozenset({"NV12", "NV21", "I420", "YYUV", "YYVU", "YYYYUV"})
DTYPES: dict[int, str] = {1: "uint8", 2: "uint16"}  # by data_bytes, and by the type of a pad

# The kind of an NMS step, the family of its heads, and the task of its result.
NMS_KINDS: dict[int, tuple[str, str | None, str]] = {
    NMS.YOLOV5: ("yolov5", "yolov5", "detect"),
    NMS.YOLOX: ("yolox", "yolox", "detect"),
    NMS.SSD: ("ssd", "ssd", "detect"),
    NMS.IOU_ONLY: ("iou", None, "detect"),
    NMS.YOLOV5_SEG: ("yolov5seg", "yolov5", "segment"),
    NMS.YOLOV8: ("yolov8", "yolov8", "detect"),
}
# Steps whose results are fractions of the image's size as the file has it; the others work in fractions of the grid
# and never use that size (HailoRT 5.2, yolox_post_process.cpp, ssd_post_process.cpp).
DIVIDES_BY_IMAGE = frozenset(NMS_KINDS[n][0] for n in (NMS.YOLOV5, NMS.YOLOV5_SEG, NMS.YOLOV8))
LOGITS_KINDS = ("argmax", "softmax")
