"""The messages of an ONNX model for the protobuf package: a second reading of the format, to build files with.

The numbers are written down here on their own, from ``onnx.proto``, and share nothing with the package's.
"""

from __future__ import annotations

import re

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# One message a block. A line is "number name type": * repeated, + repeated and packed.
SCHEMA = """
Model
  1 ir_version int64
  2 producer_name string
  3 producer_version string
  7 graph Graph
  8 opset_import Opset*
  14 metadata_props Entry*
Opset
  1 domain string
  2 version int64
Entry
  1 key string
  2 value string
Graph
  1 node Node*
  2 name string
  5 initializer Tensor*
  11 input Value*
  12 output Value*
  13 value_info Value*
Node
  1 input string*
  2 output string*
  3 name string
  4 op_type string
  5 attribute Attribute*
Attribute
  1 name string
  2 f float
  3 i int64
  4 s bytes
  5 t Tensor
  7 floats float*
  8 ints int64*
  20 type int32
Tensor
  1 dims int64*
  2 data_type int32
  4 float_data float+
  5 int32_data int32+
  7 int64_data int64+
  8 name string
  9 raw_data bytes
  13 external_data Entry*
  14 data_location int32
Value
  1 name string
  2 type Type
Type
  1 tensor_type TensorType
TensorType
  1 elem_type int32
  2 shape Shape
Shape
  1 dim Dim*
Dim
  1 dim_value int64
  2 dim_param string
"""

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "int32": _FIELD.TYPE_INT32,
    "int64": _FIELD.TYPE_INT64,
    "float": _FIELD.TYPE_FLOAT,
    "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
}


def _classes():
    file = descriptor_pb2.FileDescriptorProto(name="onnx_oracle.proto", package="oracle", syntax="proto2")
    for block in re.split(r"\n(?=\w)", SCHEMA.strip()):
        name, *lines = block.splitlines()
        message = file.message_type.add(name=name)
        for line in lines:
            number, field_name, kind = line.split()
            field = message.field.add(name=field_name, number=int(number), label=_FIELD.LABEL_OPTIONAL)
            if kind[-1] in "*+":
                field.label = _FIELD.LABEL_REPEATED
                field.options.packed = kind[-1] == "+"
            kind = kind.rstrip("*+")
            field.type = _SCALARS.get(kind, _FIELD.TYPE_MESSAGE)
            if kind not in _SCALARS:
                field.type_name = f".oracle.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindFileByName("onnx_oracle.proto").message_types_by_name
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in found.items()}


MESSAGES = _classes()
