"""The text of `hailortcli parse-hef` cut into one block for each network it describes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hailo_decode.errors import FormatError
from hailo_decode.networks._parse_hef_lines import Port, clean_lines, port_of

# Names that HailoRT printed before it settled on today's (4.19 and before, 5.1.1 and before).
_ARCH_NAMES = {"pluto": "hailo15l", "mars": "hailo12l"}

_ARCH = re.compile(
    r"(?:Architecture HEF was compiled for|HEF Compatible for): ?([A-Z0-9_]+(?:, ?[A-Z0-9_]+)*)"
)
_COMPILER = re.compile(r"HEF Compiler Version: ?(\d+\.\d+\.\d+)")
_PARSING = re.compile(r"\bParsing (\S.*\.hef):$")
_OPERATION = re.compile(r"\bOperation:(?: #.*)?$")
_GROUP = re.compile(
    r"Network group name: ?(\S+), (?:Single|Multi) Context(?: - Number of contexts: ?(\d{1,4}))?"
)
_NETWORK = re.compile(r"Network name: ?(\S+)")


# A HEF holds 8 groups of 8 networks at most (HailoRT 5.2, hailort.h); a text may show a folder of them.
_MOST_BLOCKS = 512


@dataclass(slots=True)
class Block:
    """What stands under one ``Network name`` line."""

    file: str | None = None
    devices: tuple[str, ...] = ()
    compiler: str | None = None
    group: str | None = None
    contexts: int | None = None
    name: str | None = None
    streams: dict[str, Port] = field(default_factory=dict)
    vstreams: dict[str, Port] = field(default_factory=dict)
    op_lines: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        return self.name or self.group or scope_of(self.vstreams or self.streams) or "network"


def blocks_of(text: str) -> list[Block]:
    """Return one block for each network that the text describes.

    Raises
    ------
    FormatError
        When lines contradict each other; with the line's number.
    """
    return _merged(_cut(text))


def _cut(text: str) -> list[Block]:
    done: list[Block] = []
    block, section = Block(), ""
    for number, line in clean_lines(text):
        head = _headline(line, block)
        if head is not None:
            done += [block] if block.streams or block.vstreams else []
            block, section = head, ""
            if len(done) > _MOST_BLOCKS:
                raise FormatError(f"the text describes more than {_MOST_BLOCKS} networks")
        elif "VStream infos:" in line:
            section = "vstreams"
        elif "Stream infos:" in line:
            section = "streams"
        elif _OPERATION.search(line):
            section = "op"
            block.op_lines.clear()
        elif port := port_of(line, number):
            section = "" if section == "op" else section
            _add(block, port, section, number)
        elif section == "op":
            block.op_lines.append(line)
    return [*done, block] if block.streams or block.vstreams else done


def _headline(line: str, block: Block) -> Block | None:
    """Return the block that a headline opens, with what it takes over from the one before."""
    if found := _PARSING.search(line):
        return Block(file=found[1])
    if found := _ARCH.search(line):
        names = [n.strip().lower() for n in found[1].split(",")]
        fresh = not (block.devices or block.group or block.streams or block.vstreams)
        return Block(block.file if fresh else None, tuple(_ARCH_NAMES.get(n, n) for n in names))
    if found := _COMPILER.search(line):
        return replace(block, compiler=found[1], streams={}, vstreams={}, op_lines=[])
    if found := _GROUP.search(line):
        contexts = int(found[2]) if found[2] else 1
        return Block(block.file, block.devices, block.compiler, found[1], contexts)
    if found := _NETWORK.search(line):
        return Block(block.file, block.devices, block.compiler, block.group, block.contexts, found[1])
    return None


def _add(block: Block, port: Port, section: str, number: int) -> None:
    """File a line under streams or vstreams; where no title says which, device-only orders tell."""
    title = section or ("streams" if port.order in _DEVICE_ORDERS else "vstreams")
    ports = block.streams if title == "streams" else block.vstreams
    before = ports.setdefault(port.name, port)
    if before != port:
        raise FormatError(
            f"line {number}: {port.name!r} is described twice, differently",
            got=f"{printed(before)}, then {printed(port)}",
            hint="keep the 'Stream infos:' and 'VStream infos:' lines, or give the text of one HEF only",
        )


# Orders that no vstream line shows: HailoRT 5.2 hailort_defaults.cpp turns them into host orders first.
_DEVICE_ORDERS = frozenset({"NHCW", "HAILO NMS ON CHIP", "YYUV", "YYVU", "YYYYUV"})


def _merged(blocks: Sequence[Block]) -> list[Block]:
    """Join blocks that describe the same network, such as one print without streams and one with them."""
    kept: list[Block] = []
    for block in blocks:
        twin = next((k for k in kept if _same(k, block)), None)
        if twin is None:
            kept.append(block)
        else:
            twin.streams = twin.streams or block.streams
            twin.vstreams = twin.vstreams or block.vstreams
            twin.op_lines = twin.op_lines or block.op_lines
    return kept


def _same(a: Block, b: Block) -> bool:
    return (
        (a.group, a.name, a.devices, a.file) == (b.group, b.name, b.devices, b.file)
        and (not a.streams or not b.streams or a.streams == b.streams)
        and (not a.vstreams or not b.vstreams or a.vstreams == b.vstreams)
    )


def labels_of(blocks: Sequence[Block]) -> list[str]:
    """Return a name for each block, made unique by its file, its devices or a count."""
    labels = [b.label for b in blocks]
    if len(set(labels)) < len(labels):
        labels = [f"{b.file or ' '.join(b.devices)}:{b.label}".lstrip(":") for b in blocks]
    return [f"{x} ({labels[:i].count(x) + 1})" if x in labels[:i] else x for i, x in enumerate(labels)]


def printed(port: Port) -> str:
    """Return the right side of a line, as it was printed."""
    sizes = "x".join(map(str, port.sizes)) if port.nms is None else "..."
    return f"{port.dtype}, {port.order}({sizes})"


def scope_of(ports: Iterable[str]) -> str | None:
    """Return what stands before the slash in every name that has one, or None where they differ."""
    scopes = {p.partition("/")[0] for p in ports if "/" in p}
    return scopes.pop() if len(scopes) == 1 else None
