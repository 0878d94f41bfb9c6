"""One entry of a configuration's decoder list: the layers of one scale, whatever the shape."""

# Annotations are evaluated as they stand, as they are read at run time.

from typing import ClassVar

from hailo_decode.config.fields import Part, Size


class Decoder(Part):
    """One entry of ``bbox_decoders``: the layers of one scale.

    Attributes
    ----------
    name : str or None
        Free text; only logs show it.
    stride : int or None
        Input pixels per cell.
    """

    roles: ClassVar[tuple[str, ...]] = ()
    name: str | None = None
    stride: Size | None = None

    @property
    def layers(self) -> dict[str, str]:
        """The layer that each role names, where it names one."""
        return {role: name for role in self.roles if (name := getattr(self, role)) is not None}
