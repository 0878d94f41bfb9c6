"""Recording: the outputs of one frame and all that is needed to decode them elsewhere, in one file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hailo_decode.errors import FormatError, OptionError
from hailo_decode.networks.description import description_of, network_from_description
from hailo_decode.npz import read_npz, write_npz
from hailo_decode.values.arrays import AnyArray
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.network import NetworkInfo, OutputInfo

MEMBER = "network"


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """The outputs of one frame, and the network they came from.

    Attributes
    ----------
    network : NetworkInfo
        Its `outputs` describe the buffers; `image_size` and `letterbox` tell of the photo, where they are
        known.
    outputs : mapping of str to array, or to list of arrays
        As HailoRT gave them; a list holds one (n, 5) array for each class of an NMS result.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from hailo_decode import NetworkInfo
    >>> network = NetworkInfo("net", "json", input_size=(64, 64))
    >>> made = Recording(network, {"cls": np.zeros((2, 2, 3), np.float32)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read = Recording.load(made.save(f"{folder}/dump.npz"))
    >>> read.network.input_size, read.outputs["cls"].shape
    ((64, 64), (2, 2, 3))
    """

    network: NetworkInfo
    outputs: Mapping[str, Any]

    @classmethod
    def from_hailort(
        cls,
        infos: Iterable[Any],
        outputs: Mapping[str, Any],
        *,
        input_size: int | tuple[int, int] | None = None,
        name: str = "network",
        classes: Iterable[str] = (),
        letterbox: Letterbox | None = None,
    ) -> Recording:
        """Make a recording from what pyhailort hands out.

        Parameters
        ----------
        infos : iterable of object
            ``hef.get_output_vstream_infos()``, best together with ``hef.get_input_vstream_infos()``, or an
            InferModel's ``outputs``. Only their attributes are read; HailoRT is not imported.
        outputs : mapping of str to array
            What ``infer()``, ``recv()`` or ``get_buffer()`` returned for one frame.
        input_size : int or (int, int), optional
            Where the infos of the inputs are not among `infos`.
        name : str
        classes : iterable of str
            Class names.
        letterbox : Letterbox, optional
            How the photo was placed in the input.

        Raises
        ------
        HailoDecodeError
            One of its kinds: an output without info, several frames, buffers that are no arrays.
        """
        from hailo_decode.hailort import one_frame, output_infos
        from hailo_decode.options import size_pair

        inputs, known = output_infos(infos)
        frame, described = one_frame(outputs, known)
        size = size_pair(input_size) if input_size is not None else None
        if size is None and len(inputs) == 1 and inputs[0].shape:
            size = inputs[0].shape[:2]
        if size is None and letterbox is not None:
            size = letterbox.input_size
        network = NetworkInfo(
            name=name,
            source="pyhailort",
            input_size=size,
            inputs=inputs,
            outputs=described,
            classes=tuple(classes),
            nms_done=any(o.order is not None and o.order.is_nms for o in described),
        )
        if letterbox is not None:
            network = replace(network, image_size=letterbox.image_size, letterbox=_stated(letterbox))
        return cls(network, frame)

    @property
    def letterbox(self) -> Letterbox | None:
        """How the photo was placed in the input; None where the recording does not say.

        Raises
        ------
        OptionError
            When what it says cannot be.
        """
        network = self.network
        if network.letterbox is None or network.image_size is None or network.input_size is None:
            return None
        return Letterbox.read(network.letterbox, network.image_size, network.input_size)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the recording as one ``.npz``, without pickle, and return its path.

        Raises
        ------
        OptionError
            When an output has the name that the description takes, or the description cannot be told in JSON.
        DtypeError
            When a buffer holds anything but numbers.
        """
        if MEMBER in self.outputs:
            raise OptionError(
                f"an output is named {MEMBER!r}", hint="this name is taken by the description; rename it"
            )
        members: dict[str, AnyArray] = {}
        lists: dict[str, tuple[str, ...]] = {}
        for name, buffer in self.outputs.items():
            parts = list(buffer) if isinstance(buffer, (list, tuple)) else None
            if parts is None:
                members[name] = np.asarray(buffer)
                continue
            digits = len(str(max(len(parts) - 1, 0)))
            lists[name] = tuple(f"{name}/class{i:0{digits}}" for i in range(len(parts)))
            members |= zip(lists[name], map(np.asarray, parts), strict=True)
        description = description_of(_with_lists(self.network, lists))
        try:
            text = json.dumps(description, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise OptionError("the network's description cannot be told in JSON", got=str(error)) from error
        write_npz(path, {**members, MEMBER: np.array(text)})
        return Path(path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        network: NetworkInfo | None = None,
        *,
        input_size: int | tuple[int, int] | None = None,
    ) -> Recording:
        """Read a recording, or a bare ``.npz`` of outputs together with its network.

        Parameters
        ----------
        path : str or path
        network : NetworkInfo, optional
            From `read_network`. Its word counts, but for what only the recording can know: how the buffers
            are held, and where the photo was.
        input_size : int or (int, int), optional
            Size of the network's input, or (height, width), pixels; where nothing else describes the network,
            it does, which is enough for float outputs.

        Raises
        ------
        FormatError
            When the file cannot be read, or nothing describes the network.
        """
        arrays = read_npz(path)
        own = _described(arrays, str(path))
        if own is None and network is None and input_size is not None:
            from hailo_decode.options import size_pair

            network = NetworkInfo(Path(path).stem, "outputs", input_size=size_pair(input_size))
        if own is None and network is None:
            raise FormatError(
                f"{str(path)!r} holds arrays, and nothing that describes their network",
                got=", ".join(list(arrays)[:8]) or "no array",
                hint="name the model file or its description: network=read_network(...), or --network FILE",
            )
        told = own if network is None else network if own is None else _joined(network, own)
        assert told is not None
        return cls(told, _grouped(arrays, told.outputs, str(path)))


def load_outputs(path: str | os.PathLike[str]) -> dict[str, AnyArray]:
    """Read the arrays of an ``.npz``, whether or not it describes their network.

    Raises
    ------
    FormatError
        When the file cannot be read.
    """
    arrays = read_npz(path)
    if _is_text(arrays.get(MEMBER)):
        del arrays[MEMBER]
    return arrays


def _is_text(array: AnyArray | None) -> bool:
    return array is not None and array.dtype.kind == "U" and array.ndim == 0


def _described(arrays: dict[str, AnyArray], what: str) -> NetworkInfo | None:
    """Take the description out of the members; None where there is none."""
    from hailo_decode.networks._document import read_json

    if not _is_text(arrays.get(MEMBER)):
        return None
    text = str(arrays.pop(MEMBER))
    return network_from_description(
        read_json(text.encode("utf-8", "surrogatepass"), f"description in {what!r}")
    )


def _stated(letterbox: Letterbox) -> dict[str, float]:
    return {
        "scale_x": letterbox.scale[0],
        "scale_y": letterbox.scale[1],
        "pad_x": letterbox.pad[0],
        "pad_y": letterbox.pad[1],
    }


def _with_lists(network: NetworkInfo, lists: Mapping[str, tuple[str, ...]]) -> NetworkInfo:
    """Note which members hold an output that is a list."""
    outputs = tuple(replace(o, arrays=lists.get(o.name, ())) for o in network.outputs)
    missing = tuple(OutputInfo(n, arrays=a) for n, a in lists.items() if n not in {o.name for o in outputs})
    return replace(network, outputs=outputs + missing)


def _joined(network: NetworkInfo, own: NetworkInfo) -> NetworkInfo:
    """Put what a recording knows of its buffers and its photo into what a model file says."""

    def held(info: OutputInfo) -> OutputInfo:
        here = own.output(info.name)
        if here is None:
            return info
        return replace(
            info,
            order=here.order or info.order,
            dtype=here.dtype or info.dtype,
            layout=here.layout or info.layout,
            arrays=here.arrays or info.arrays,
        )

    return replace(
        network,
        outputs=tuple(map(held, network.outputs)),
        heads=tuple(map(held, network.heads)),
        image_size=own.image_size or network.image_size,
        letterbox=own.letterbox or network.letterbox,
    )


def _grouped(arrays: dict[str, AnyArray], outputs: Iterable[OutputInfo], what: str) -> dict[str, Any]:
    """Gather the members of each output that is a list."""
    grouped: dict[str, Any] = dict(arrays)
    for output in outputs:
        missing = [name for name in output.arrays if name not in arrays]
        if missing:
            raise FormatError(
                f"{what!r} lacks {len(missing)} of the {len(output.arrays)} arrays of output {output.name!r}",
                got=", ".join(list(arrays)[:8]),
                wanted=", ".join(missing[:8]),
            )
        if output.arrays:
            grouped[output.name] = [grouped.pop(name) for name in output.arrays]
    return grouped
