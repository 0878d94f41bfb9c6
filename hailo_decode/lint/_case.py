"""The files of one check, read: what the rules ask for, and the texts that remarks point into."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hailo_decode.errors import FormatError

if TYPE_CHECKING:
    from hailo_decode.config.alls import Script
    from hailo_decode.values.network import NetworkInfo

# Scripts reach 200,000 characters, configurations a few thousand; the bound only stops what is neither.
MAX_BYTES = 8_000_000
# What a compiler writes in a day; of more, the end is read, where its last words are.
MAX_LOG = 64_000_000


@dataclass(frozen=True)
class Case:
    """One set of files that belong together.

    Attributes
    ----------
    given : mapping
        Inputs of the rules by name.
    files : mapping
        ``"config"``, ``"script"``, ``"network"``, ``"log"`` to the file's name as the user gave it.
    texts : mapping
        The text of each of these files that is one.
    """

    given: Mapping[str, Any]
    files: Mapping[str, str | None]
    texts: Mapping[str, str]


def read_case(
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    script: str | os.PathLike[str] | None = None,
    network: NetworkInfo | str | os.PathLike[str] | None = None,
    device: str | None = None,
    names: Sequence[str] | None = None,
) -> Case:
    """Read the files of one check.

    Parameters
    ----------
    config : path or mapping, optional
        The NMS configuration. Left out, the file that the script names is read where it is there.
    script : path, optional
    network : NetworkInfo or path, optional
    device : str, optional
    names : sequence of str, optional
        Class names.

    Raises
    ------
    FormatError
        For a file that cannot be read.
    """
    given: dict[str, Any] = {"device": device, "names": tuple(names) if names is not None else None}
    files: dict[str, str | None] = {"config": None, "script": None, "network": None}
    texts: dict[str, str] = {}
    if script is not None:
        files["script"] = os.fspath(script)
        texts["script"] = read_text(script)
        given |= _script_inputs(texts["script"], Path(script))
        config = config if config is not None else _named_config(given["script"], Path(script))
    if network is not None:
        given["network"], files["network"] = _network(network)
    if config is not None:
        if isinstance(config, Mapping):
            texts["config"] = json.dumps(config, indent=4)
        else:
            files["config"] = os.fspath(config)
            texts["config"] = read_text(config)
            given["config_path"] = Path(config)
        given |= config_inputs(texts["config"], given.get("script"))
    return Case(given, files, texts)


def config_inputs(text: str, script: Script | None = None) -> dict[str, Any]:
    """Return what the rules ask for of a configuration's text."""
    from hailo_decode.config.json_text import read_json
    from hailo_decode.config.reading import read_config
    from hailo_decode.lint._derived import meta_arch_name, nms

    statement = nms(script) if script is not None else None
    reading = read_config(read_json(text), meta_arch_name(statement) if statement else None)
    return {"document": reading.document, "schema": reading.faults, "config": reading.config}


def _script_inputs(text: str, path: Path) -> dict[str, Any]:
    from hailo_decode.config.alls import read_script

    return {"script": read_script(text), "script_path": path}


def _named_config(script: Script, path: Path) -> Path | None:
    """Return the file that a script's NMS command names, where it is there."""
    from hailo_decode.lint._derived import config_value, nms

    statement = nms(script)
    value = config_value(statement) if statement else None
    if value is None or not value.text or "\0" in value.text:
        return None
    named = path.parent / os.path.expandvars(value.text)
    return named if named.is_file() else None


def _network(network: NetworkInfo | str | os.PathLike[str]) -> tuple[NetworkInfo, str]:
    from hailo_decode.values.network import NetworkInfo

    if isinstance(network, NetworkInfo):
        return network, network.name
    from hailo_decode.networks import read_network

    return read_network(network), os.fspath(network)


def read_log(path: str | os.PathLike[str]) -> str:
    """Read a log; bytes that are no text are shown as such, and of a very long one the end is read.

    Raises
    ------
    FormatError
        When it is not there, or not readable.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            file.seek(max(0, Path(path).stat().st_size - MAX_LOG))
            return file.read(MAX_LOG).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{name!r} cannot be read: {reason}", hint="a code has the form HD401") from error


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file in UTF-8, or in UTF-16 where it begins with that byte order mark.

    Raises
    ------
    FormatError
        When it is not there, not readable, not a text, or too long to be a configuration or a script.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{name!r} cannot be read: {reason}") from error
    if len(data) > MAX_BYTES:
        raise FormatError(f"{name!r} is longer than {MAX_BYTES} bytes", wanted="a configuration or a script")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    hint = "save it as UTF-8; a model file goes behind --network"
    if encoding != "utf-16" and (at := data.find(b"\0")) >= 0:
        raise FormatError(f"{name!r} is no text", offset=at, got="a zero byte", hint=hint)
    try:
        return data.decode(encoding).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{name!r} is no text in {encoding[:6]}", offset=error.start, hint=hint) from error
