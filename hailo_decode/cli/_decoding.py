"""One dump after the other: its network, its photo, its boxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hailo_decode.errors import OptionError
from hailo_decode.values.several import one_of

if TYPE_CHECKING:
    from hailo_decode.decoder import Decoder
    from hailo_decode.recording import Recording
    from hailo_decode.values.arrays import U1
    from hailo_decode.values.boxes import Detections
    from hailo_decode.values.letterbox import Letterbox
    from hailo_decode.values.network import NetworkInfo

MODES = ("letterbox", "topleft", "stretch", "crop")
_GREY = 114  # what YOLO's own code pads with


@dataclass(frozen=True, slots=True)
class Decoded:
    """One dump's result.

    Attributes
    ----------
    network : NetworkInfo
    detections : Detections
    size : (int, int) or None
        Height and width of the frame that boxes are in, pixels.
    photo : (H, W, 3) u1 or None
        Where one was given.
    """

    network: NetworkInfo
    detections: Detections
    size: tuple[int, int] | None
    photo: U1 | None

    def picture(self) -> U1:
        """Return the photo, or a grey one of the network's input, with the boxes in it.

        Raises
        ------
        OptionError
            When there is neither photo nor size.
        """
        import numpy as np

        from hailo_decode.draw import annotate

        if self.photo is None and self.size is None:
            raise OptionError("there is no picture to draw on", hint="--image PHOTO, or --input-size")
        ground = self.photo if self.photo is not None else np.full((*(self.size or ()), 3), _GREY, np.uint8)
        return annotate(ground, self.detections)


class Decoding:
    """Decodes dumps, with one decoder as long as their network stays the same.

    Parameters
    ----------
    network : NetworkInfo or None
        From ``--network``.
    options : mapping
        As `Decoder.from_network` takes them.
    mode : str or None
        One of `MODES`: how photos were placed, whatever the recording says.
    """

    def __init__(self, network: NetworkInfo | None, options: Mapping[str, Any], mode: str | None) -> None:
        self._network = network
        self._options = dict(options)
        self._name = self._options.pop("network_name", None)
        self._mode = mode
        self._last: tuple[NetworkInfo, Decoder] | None = None

    def __call__(self, dump: str, photo: str | None) -> Decoded:
        """Decode one dump.

        Raises
        ------
        HailoDecodeError
            One of its kinds.
        """
        from hailo_decode.recording import Recording

        recording = Recording.load(dump, self._network, input_size=self._options.get("input_size"))
        network = recording.network if self._name is None else one_of(recording.network, self._name)
        input_size = self._options.get("input_size") or network.input_size
        decoder = self._decoder(network)
        if photo is None:
            return Decoded(network, decoder(recording.outputs), input_size, None)
        from hailo_decode.pictures import read_image

        image = read_image(photo)
        size = (image.shape[0], image.shape[1])
        letterbox, note = self._placement(recording, size, input_size)
        detections = decoder(recording.outputs, letterbox=letterbox)
        if note:
            detections = replace(detections, meta={**detections.meta, "placement": note})
        return Decoded(network, detections, size, image)

    def _decoder(self, network: NetworkInfo) -> Decoder:
        if self._last is None or self._last[0] != network:
            from hailo_decode.decoder import Decoder

            self._last = (network, Decoder.from_network(network, **self._options))
        return self._last[1]

    def _placement(
        self, recording: Recording, size: tuple[int, int], input_size: tuple[int, int] | None
    ) -> tuple[Letterbox, str]:
        """Return how the photo lies in the input, and what was assumed."""
        from hailo_decode.values.letterbox import Letterbox

        own = recording.letterbox
        if own is not None and self._mode is None:
            if own.image_size != size:
                raise OptionError(
                    "the photo is not the one of the recording, or not in its size",
                    got=f"{size[1]}x{size[0]}",
                    wanted=f"{own.image_size[1]}x{own.image_size[0]}",
                    hint="--mode letterbox places a photo of any size anew",
                )
            return own, ""
        if input_size is None:
            raise OptionError(
                "where the photo lies in the input is not known, for the input's size is not",
                hint="--input-size 640, or HEIGHTxWIDTH",
            )
        mode = self._mode or MODES[0]
        why = "--mode" if self._mode else "assumed, the recording does not say; --mode changes it"
        return Letterbox.read({"mode": mode}, size, input_size), f"{mode} ({why})"
