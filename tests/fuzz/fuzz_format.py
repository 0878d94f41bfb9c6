"""Fuzzes one format of the model-file room: ``python fuzz_format.py NAME CORPUS [libFuzzer options]``.

Whatever the bytes, a reader gives a NetworkInfo or raises one of the package's own errors.
"""

import importlib
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hailo_decode.networks"]):
    import hailo_decode.networks.description
    import hailo_decode.networks.har
    import hailo_decode.networks.hef
    import hailo_decode.networks.onnx
    import hailo_decode.networks.parse_hef
    import hailo_decode.networks.ultralytics  # noqa: F401

from hailo_decode.errors import HailoDecodeError
from hailo_decode.values.network import NetworkInfo


def main() -> None:
    """Set up the target of the format that the first argument names, and run it."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    name = sys.argv.pop(1)
    target = importlib.import_module(f"hailo_decode.networks.{name}").FORMAT
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        place = file = Path(folder) / "net.bin"
        if name == "ultralytics":
            from fuzz.seeds import SEEDS

            place, file = Path(folder), Path(folder) / "metadata.yaml"
            (place / "net.hef").write_bytes(SEEDS["hef"]()[0])

        def once(data: bytes) -> None:
            file.write_bytes(data)
            target.sniff(b"" if place.is_dir() else data[:65_536], place)
            try:
                network = target.read(place)
            except HailoDecodeError:
                return
            if not isinstance(network, NetworkInfo):
                raise TypeError(type(network))

        atheris.Setup(sys.argv, once)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
