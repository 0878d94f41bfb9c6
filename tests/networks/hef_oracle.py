"""The messages of a HEF for the protobuf package: a second reading of the format, to build and check files.

The numbers are written down here on their own, from HailoRT's ``hef.proto``, and share nothing with the
package's table: where the two differ, a test fails. Field names are ours; only fields that matter are here.
"""

import re

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# One message a block. A line is "number name type": * repeated, ? with presence, @x in the oneof x.
SCHEMA = """
Hef
  1 header Header
  2 groups Group*
  3 mapping bytes
  4 features Features
  5 extensions Extension*
  6 optional_extensions Extension*
  7 resources Resource*
Resource
  1 offset u64
  2 size u64
  3 name string
  4 xxhash u64
Features
  1 abbale bool
  2 posted_writes bool
  3 ddr bool
  4 multi_context bool
  5 compressed bool
  6 transpose bool
  7 padded_ddr bool
Extension
  1 type u32
  2 name string
Header
  1 arch u32
  2 timestamp u64
  3 sdk_text string
  4 version u64
  5 sdk Sdk
Sdk
  1 major u32
  2 minor u32
  3 revision u32
Group
  1 metadata Metadata
  2 preliminary bytes
  3 contexts Context*
  4 sorted_outputs string*
  5 fused Fused
  6 networks string*
  7 partial PartialGroup*
  8 ops Op*
  9 pad_edges PadEdge*
  10 name string
  11 index u32
PartialGroup
  1 inner Group
  2 layout Layout
PartialCore
  1 inner Core
  2 layout Layout
Layout
  1 bitmap u32
Core
  1 metadata Metadata
  2 preliminary bytes
  3 contexts Context*
  4 sorted_outputs string*
  5 fused Fused
  6 networks string*
  7 partial PartialCore*
Metadata
  1 name string
  2 index u32
  3 transposed bool
  4 bottleneck_fps double
  5 channels u32
  6 latency double
  8 operations u64
PadEdge
  1 source u32
  2 target u32
Op
  1 name string
  2 input_pads Pad*
  3 output_pads Pad*
  4 core Core@op
  5 nms Nms@op
  6 logits Logits@op
Logits
  1 kind u32
Pad
  1 index u32
  2 name string
  3 order u32
  5 numeric Numeric
  6 tensor TensorShape@shape
  7 nms NmsShape@shape
  8 type u32
TensorShape
  1 height u32
  2 padded_height u32
  3 width u32
  4 padded_width u32
  5 features u32
  6 padded_features u32
NmsShape
  1 classes u32
  2 most u32
  3 bbox_size u32
  4 division u32
Nms
  1 score double
  2 iou double
  3 max_per_class u32
  4 classes u32
  5 background_removal bool
  6 background_index u32
  13 bbox_only bool
  7 yolov5 Yolov5@kind
  8 yolox Yolox@kind
  9 ssd Ssd@kind
  10 iou_only Nothing@kind
  11 seg Seg@kind
  12 yolov8 Yolov8@kind
Nothing
AnchorDecoder
  2 h u32*
  3 w u32*
  4 stride u32
  5 pad u32
Yolov5
  1 height double
  2 width double
  3 division u32
  4 decoders AnchorDecoder*
Yolox
  1 height double
  2 width double
  3 decoders YoloxDecoder*
YoloxDecoder
  1 stride u32
  2 reg u32
  3 cls u32
  4 obj u32
Ssd
  1 height double
  2 width double
  3 centres_scale u32
  4 sizes_scale u32
  5 ty u32
  6 tx u32
  7 th u32
  8 tw u32
  9 decoders SsdDecoder*
SsdDecoder
  1 h float*
  2 w float*
  3 reg u32
  4 cls u32
Seg
  1 height double
  2 width double
  3 decoders AnchorDecoder*
  4 proto Proto
  5 mask_threshold double
Proto
  1 number u32
  2 stride u32
  3 layer string
Yolov8
  1 height double
  2 width double
  3 division u32
  4 decoders PairDecoder*
  5 regression_length u32
PairDecoder
  1 stride u32
  2 reg u32
  3 cls u32
Fused
  1 has_fused bool
  2 sorted_outputs string*
  3 layers FusedLayer*
FusedLayer
  1 layer Layer
  2 defused string*
  3 nms ChipNms
Context
  1 index u32
  2 operations bytes*
  3 metadata ContextMetadata
ContextMetadata
  1 name string
  2 edges Edge*
  5 sorted_outputs string*
Edge
  1 direction u32
  2 type u32
  3 info Layer@edge
  4 mux Mux@edge
  5 switch Switch
  6 network_index u32
  7 pad_index u32?
  8 planes Planes@edge
Switch
  1 context u32
  3 connection u32
Layer
  1 name string
  2 base Base
  3 numeric Numeric
  4 hn_name string
  5 original_names string*
  6 transposed bool
Mux
  1 name string
  2 base Base
  3 data MuxData
  4 hn_name string
  5 predecessors AnyLayer*
  6 original_names string*
MuxData
  1 count u32
  2 height_gcd u32
  3 ratio_count u32
  4 ratios u32*
AnyLayer
  1 info Layer@edge
  2 mux Mux@edge
  3 planes Planes@edge
Planes
  1 name string
  2 format u32
  3 parts AnyLayer*
  4 height u32
  5 width u32
  6 features u32
Base
  1 height u32
  2 padded_height u32
  3 width u32
  4 padded_width u32
  5 features u32
  6 padded_features u32
  7 format u32
  8 sys_index u32
  9 bytes_per_buffer u32
  10 buffers_per_frame u32
  11 additional Additional
  12 data_bytes u32
  14 host_argmax bool
  15 shmifo_size u32
  16 engine u32
Additional
  1 nms ChipNms
ChipNms
  1 type u32
  2 classes u64
  3 max_output u64
  4 bbox_size u64
  5 is_defused bool
  6 defuse Defuse
  7 division u64
  8 burst_size u32
  9 burst_type u32
Defuse
  1 group_index u64
  3 original_name string
Numeric
  1 zero_point float
  2 scale float
  3 limit_min float
  4 limit_max float
  5 zero_points double*
  6 scales double*
"""

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "u32": _FIELD.TYPE_UINT32,
    "u64": _FIELD.TYPE_UINT64,
    "bool": _FIELD.TYPE_BOOL,
    "float": _FIELD.TYPE_FLOAT,
    "double": _FIELD.TYPE_DOUBLE,
    "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
}


def _field(message, line):
    number, name, kind = line.split()
    kind, _, oneof = kind.partition("@")
    field = message.field.add(name=name, number=int(number), label=_FIELD.LABEL_OPTIONAL)
    if kind.endswith("*"):
        field.label = _FIELD.LABEL_REPEATED
    if kind.endswith("?"):
        oneof, field.proto3_optional = f"_{name}", True
    kind = kind.rstrip("*?")
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".hef.{kind}"
    if oneof:
        names = [one.name for one in message.oneof_decl]
        if oneof not in names:
            message.oneof_decl.add(name=oneof)
            names.append(oneof)
        field.oneof_index = names.index(oneof)


def _classes():
    file = descriptor_pb2.FileDescriptorProto(name="hef.proto", package="hef", syntax="proto3")
    for block in re.split(r"\n(?=\w)", SCHEMA.strip()):
        name, *lines = block.splitlines()
        message = file.message_type.add(name=name)
        for line in lines:
            _field(message, line)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindFileByName("hef.proto").message_types_by_name
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in found.items()}


MESSAGES = _classes()
Hef = MESSAGES["Hef"]
