"""Folders that Ultralytics exports for Hailo: a HEF, and the metadata that a HEF has no place for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks._format import Format
from hailo_decode.networks._metadata import Metadata, metadata_of
from hailo_decode.networks._yaml import read_yaml
from hailo_decode.values.network import NetworkInfo

_METADATA = "metadata.yaml"
_MOST_BYTES = 1 << 20


def _read(path: Path) -> NetworkInfo:
    """Read the HEF of the folder, and add what the metadata says.

    The metadata's own words are in ``facts["ultralytics"]``; where they contradict the HEF, the HEF counts for
    what it holds, and ``facts["disagreements"]`` names both (keys: ultralytics 8.4, engine/exporter.py).
    """
    from hailo_decode.networks.hef import FORMAT as HEF

    values = _metadata(path / _METADATA)
    metadata = metadata_of(values, values)
    network = HEF.read(_hef(path))
    end_to_end = values.get("end2end")
    arch = values.get("hailo_arch")
    devices = dict.fromkeys(
        [*([arch] if isinstance(arch, str) and not network.devices else ()), *network.devices]
    )
    facts: dict[str, Any] = {**network.facts, "ultralytics": dict(metadata.props)}
    if odd := _disagreements(network, metadata, values):
        facts["disagreements"] = odd
    return replace(
        network,
        source="ultralytics",
        input_size=network.input_size or metadata.size,
        task=metadata.task or network.task,
        classes=metadata.classes,
        nms_free=end_to_end if isinstance(end_to_end, bool) else network.nms_free,
        keypoints=metadata.keypoints,
        devices=tuple(devices),
        facts=facts,
    )


def _metadata(path: Path) -> dict[Any, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    if len(data) > _MOST_BYTES:
        raise FormatError(f"{str(path)!r} is larger than {_MOST_BYTES >> 20} MiB")
    try:
        return read_yaml(data.decode(), path.name)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path.name} is not UTF-8 text", offset=error.start) from error


def _hef(folder: Path) -> Path:
    found = sorted(folder.glob("*.hef"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise FormatError(f"the folder {str(folder)!r} holds no HEF", wanted="one file that ends with .hef")
    raise FormatError(
        f"the folder {str(folder)!r} holds {len(found)} HEFs, and its metadata fits one",
        got=", ".join(p.name for p in found[:6]),
        hint="name the HEF itself, and its class names apart",
    )


def _disagreements(network: NetworkInfo, metadata: Metadata, values: Mapping[Any, Any]) -> list[str]:
    """Return what the metadata says otherwise than the HEF."""
    odd = []
    if network.input_size and metadata.size and network.input_size != metadata.size:
        said, is_ = ("x".join(map(str, size)) for size in (metadata.size, network.input_size))
        odd.append(f"imgsz is {said}, the HEF's input is {is_}")
    if isinstance(values.get("nms"), bool) and values["nms"] != network.nms_done:
        does = "suppresses boxes" if network.nms_done else "does not suppress boxes"
        odd.append(f"nms is {str(values['nms']).lower()}, the HEF {does}")
    for output in network.outputs:
        count = output.nms.classes if output.nms else None
        if count and metadata.classes and count != len(metadata.classes):
            odd.append(f"{len(metadata.classes)} names, the result {output.name!r} has {count} classes")
    arch = values.get("hailo_arch")
    if isinstance(arch, str) and network.devices and arch not in network.devices:
        odd.append(f"hailo_arch is {arch}, the HEF is for {', '.join(network.devices)}")
    return odd


def _sniff(head: bytes, path: Path) -> bool:
    try:
        return not head and path.is_dir() and (path / _METADATA).is_file()
    except OSError:
        return False


FORMAT = Format("Ultralytics folder", _sniff, _read)
