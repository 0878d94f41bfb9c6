"""Stand-ins for pyhailort and picamera2, as far as the pages use them: a chip that has seen one photo only.

Names, arguments, shapes and dtypes are those of HailoRT 5.2 (``pyhailort.py``) and picamera2 0.3.36
(``devices/hailo/hailo.py``). Whatever picture they are given, they return the tensors of a recording.
"""

import contextlib
import types
from pathlib import Path

import numpy as np


def modules(recording):
    """Return ``hailo_platform`` and ``picamera2`` by module name, over the tensors of a recording."""
    platform = types.ModuleType("hailo_platform")
    chip = _Chip(recording)
    platform.FormatType = types.SimpleNamespace(
        AUTO="AUTO", UINT8="UINT8", UINT16="UINT16", FLOAT32="FLOAT32"
    )
    platform.HailoStreamInterface = types.SimpleNamespace(PCIe="PCIe", INTEGRATED="INTEGRATED")
    platform.ConfigureParams = types.SimpleNamespace(create_from_hef=lambda hef, interface: {})
    platform.InputVStreamParams = platform.OutputVStreamParams = _Params
    platform.HEF = lambda path: _Hef(path, chip)
    platform.VDevice = lambda params=None: _Device(chip)
    platform.InferVStreams = lambda group, inputs, outputs: _Pipeline(chip, outputs)
    camera = types.ModuleType("picamera2")
    camera.devices = types.ModuleType("picamera2.devices")
    camera.devices.Hailo = lambda path, batch_size=None, output_type="FLOAT32": _Camera(path, chip)
    return {"hailo_platform": platform, "picamera2": camera, "picamera2.devices": camera.devices}


class _Chip:
    def __init__(self, recording):
        self.recording = recording
        self.infos = recording.network.outputs

    def results(self, frame, kind):
        """Return one frame's outputs as HailoRT's transform gives them: as stored, or as real numbers."""
        assert frame.shape == (*self.recording.network.input_size, 3)
        assert frame.dtype == np.uint8
        stored = self.recording.outputs
        if kind != "FLOAT32":
            return dict(stored)
        scales = {info.name: (info.quant.scale[0], info.quant.zero_point[0]) for info in self.infos}
        return {n: ((a - np.float32(scales[n][1])) * np.float32(scales[n][0])) for n, a in stored.items()}

    def input_info(self):
        shape = (*self.recording.network.input_size, 3)
        return _info("yolov11n/input_layer1", shape, "NHWC", "H2D", (1.0, 0.0))

    def output_infos(self):
        return [
            _info(o.name, o.shape, o.order.value, "D2H", (o.quant.scale[0], o.quant.zero_point[0]))
            for o in self.infos
        ]


def _info(name, shape, order, direction, quant):
    form = types.SimpleNamespace(
        order=types.SimpleNamespace(name=order), type=types.SimpleNamespace(name="UINT8")
    )
    scale = types.SimpleNamespace(qp_scale=quant[0], qp_zp=quant[1])
    return types.SimpleNamespace(name=name, shape=shape, format=form, direction=direction, quant_info=scale)


class _Hef:
    def __init__(self, path, chip):
        assert Path(path).exists()
        self._chip = chip

    def get_input_vstream_infos(self):
        return [self._chip.input_info()]

    def get_output_vstream_infos(self):
        return self._chip.output_infos()


class _Params:
    """Formats that were asked for."""

    def __init__(self, kind):
        self.kind = kind

    @classmethod
    def make(cls, configured_network, format_type=None):
        return cls(format_type or "AUTO")


class _Pipeline(contextlib.AbstractContextManager):
    def __init__(self, chip, outputs):
        self._chip, self._outputs = chip, outputs

    def __exit__(self, *error):
        return None

    def infer(self, frames):
        (batch,) = frames.values()
        (frame,) = batch
        return {n: a[None] for n, a in self._chip.results(frame, self._outputs.kind).items()}


class _Device(contextlib.AbstractContextManager):
    def __init__(self, chip):
        self._chip = chip

    def __exit__(self, *error):
        return None

    def configure(self, hef, params):
        return [types.SimpleNamespace(create_params=dict, activate=lambda params: contextlib.nullcontext())]

    def create_infer_model(self, path):
        return _Model(path, self._chip)


class _Model:
    def __init__(self, path, chip):
        assert Path(path).exists()
        self._chip = chip
        self.outputs = chip.output_infos()
        self.output_names = [info.name for info in self.outputs]

    def configure(self):
        return contextlib.nullcontext(_Configured(self._chip))


class _Configured:
    def __init__(self, chip):
        self._chip = chip

    def create_bindings(self, input_buffers=None, output_buffers=None):
        return _Bindings(input_buffers or {}, output_buffers or {})

    def run(self, bindings, timeout):
        for one in bindings:
            (frame,) = (stream.get_buffer() for stream in one.inputs.values())
            for name, array in self._chip.results(frame, "AUTO").items():
                one.output(name).get_buffer()[...] = array


class _Bindings:
    def __init__(self, inputs, outputs):
        self.inputs = {name: _Stream(buffer) for name, buffer in inputs.items()}
        self._outputs = {name: _Stream(buffer) for name, buffer in outputs.items()}

    def input(self, name=""):
        return self.inputs.setdefault(name, _Stream(None))

    def output(self, name=""):
        return self._outputs.setdefault(name, _Stream(None))


class _Stream:
    def __init__(self, buffer):
        self._buffer = buffer

    def set_buffer(self, buffer):
        self._buffer = buffer

    def get_buffer(self):
        return self._buffer


class _Camera(contextlib.AbstractContextManager):
    def __init__(self, path, chip):
        assert Path(path).exists()
        self._chip = chip

    def __exit__(self, *error):
        return None

    def get_input_shape(self):
        return self._chip.input_info().shape

    def run(self, frame):
        return self._chip.results(frame, "FLOAT32")
