"""HD501 to HD505: why a model file cannot be taken as it is. Examples are whole files, as text or in hexadecimal."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.errors import (
    CutShort,
    FormatError,
    MissingFile,
    UnknownFormat,
    UnknownVersion,
    WrongChecksum,
)
from hailo_decode.lint._registry import Finding, rule


def _told(failure: FormatError) -> Finding:
    numbers = (("got", failure.got), ("wanted", failure.wanted))
    said = "; ".join(f"{word} {text}" for word, text in numbers if text)
    return Finding((), failure.message + (f": {said}" if said else ""), failure.hint)


@rule("HD501")
def file_is_no_model(failure: FormatError) -> Iterator[Finding]:
    """The file is none of the model files that are known here.

    Its bytes decide, its name does not. What lies in the place of a model most often is Git LFS's note of where
    the file is (`git lfs pull` fetches it), a web page or an error of the server that was saved as the file, or
    an archive that holds it.

    ```bad
    version https://git-lfs.github.com/spec/v1
    oid sha256:8f0c1d9bd7f1d8be1ab2d2c9a8a4de1c65d3d2d2c1a3f5a6d7e8f90a1b2c3d4e
    size 10485760
    ```
    ```good
    Network group name: net, Single Context
        Network name: net/net
            VStream infos:
                Input  net/input_layer1 UINT8, NHWC(640x640x3)
                Output net/conv41 UINT8, FCR(80x80x64)
    ```
    """
    if isinstance(failure, UnknownFormat):
        yield _told(failure)


@rule("HD502")
def file_is_cut_short(failure: FormatError) -> Iterator[Finding]:
    """The file ends before what it says it holds.

    A download or a copy broke off. In a HEF the description of the network comes first, so `inspect` may still
    show it; the weights behind it are missing, and HailoRT can't load the file (HAILO_HEF_FILE_CORRUPTED). A HEF
    of header version 3 is the exception that looks whole for longest: HailoRT 5.2 compares the checksum of the
    description alone, and fails when it comes to the weights.

    The last byte of a small HEF is missing:

    ```bad
    01 48 45 46 00 00 00 00 00 00 00 4a 00 00 00 00 4d a3 2d c5 20 12 e5 a1 5c 07 64 6a 64 1b 88 2c
    0a 02 20 01 12 40 0a 05 0a 03 6e 65 74 1a 2c 1a 2a 12 28 08 01 1a 24 0a 09 6e 65 74 2f 63 6f 6e
    76 31 12 10 08 08 10 08 18 08 20 08 28 04 30 08 38 03 60 01 1a 05 15 00 00 00 3f 22 09 6e 65 74
    2f 63 6f 6e 76 31 2a 02 08
    ```
    ```good
    01 48 45 46 00 00 00 00 00 00 00 4a 00 00 00 00 4d a3 2d c5 20 12 e5 a1 5c 07 64 6a 64 1b 88 2c
    0a 02 20 01 12 40 0a 05 0a 03 6e 65 74 1a 2c 1a 2a 12 28 08 01 1a 24 0a 09 6e 65 74 2f 63 6f 6e
    76 31 12 10 08 08 10 08 18 08 20 08 28 04 30 08 38 03 60 01 1a 05 15 00 00 00 3f 22 09 6e 65 74
    2f 63 6f 6e 76 31 2a 02 08 1a
    ```
    """
    if isinstance(failure, CutShort):
        yield _told(failure)


@rule("HD503")
def checksum_is_wrong(failure: FormatError) -> Iterator[Finding]:
    """The file's bytes are not those that its checksum was made of.

    A HEF carries MD5, CRC32 or XXH3 of what is behind its header. Where the sum is wrong the file was damaged on
    its way, or changed by hand; HailoRT refuses it (HAILO_HEF_FILE_CORRUPTED). What `inspect` shows of it may be
    wrong in any number. A sum over more than a megabyte is compared only with `--verify`.

    A bit of the layer's name is flipped:

    ```bad
    01 48 45 46 00 00 00 00 00 00 00 4a 00 00 00 00 4d a3 2d c5 20 12 e5 a1 5c 07 64 6a 64 1b 88 2c
    0a 02 20 01 12 40 0a 05 0a 03 6e 65 74 1a 2c 1a 2a 12 28 08 01 1a 24 0a 09 6e 65 74 2f 62 6f 6e
    76 31 12 10 08 08 10 08 18 08 20 08 28 04 30 08 38 03 60 01 1a 05 15 00 00 00 3f 22 09 6e 65 74
    2f 63 6f 6e 76 31 2a 02 08 1a
    ```
    ```good
    01 48 45 46 00 00 00 00 00 00 00 4a 00 00 00 00 4d a3 2d c5 20 12 e5 a1 5c 07 64 6a 64 1b 88 2c
    0a 02 20 01 12 40 0a 05 0a 03 6e 65 74 1a 2c 1a 2a 12 28 08 01 1a 24 0a 09 6e 65 74 2f 63 6f 6e
    76 31 12 10 08 08 10 08 18 08 20 08 28 04 30 08 38 03 60 01 1a 05 15 00 00 00 3f 22 09 6e 65 74
    2f 63 6f 6e 76 31 2a 02 08 1a
    ```
    """
    if isinstance(failure, WrongChecksum):
        yield _told(failure)


@rule("HD504")
def version_is_not_known(failure: FormatError) -> Iterator[Finding]:
    """The file is a HEF of a version that is not known here.

    HailoRT takes version 1 since 4.18, 2 since 4.20, 3 since 4.21, and refuses what it does not know
    (HAILO_HEF_NOT_SUPPORTED): the compiler is newer than the runtime, or than this package.

    Version 9:

    ```bad
    01 48 45 46 00 00 00 09 00 00 00 4a 00 00 00 00 4d a3 2d c5 20 12 e5 a1 5c 07 64 6a 64 1b 88 2c
    ```
    ```good
    01 48 45 46 00 00 00 00 00 00 00 4a 00 00 00 00 4d a3 2d c5 20 12 e5 a1 5c 07 64 6a 64 1b 88 2c
    0a 02 20 01 12 40 0a 05 0a 03 6e 65 74 1a 2c 1a 2a 12 28 08 01 1a 24 0a 09 6e 65 74 2f 63 6f 6e
    76 31 12 10 08 08 10 08 18 08 20 08 28 04 30 08 38 03 60 01 1a 05 15 00 00 00 3f 22 09 6e 65 74
    2f 63 6f 6e 76 31 2a 02 08 1a
    ```
    """
    if isinstance(failure, UnknownVersion):
        yield _told(failure)


@rule("HD505")
def file_is_damaged(failure: FormatError) -> Iterator[Finding]:
    """The file begins as a model file does, and goes on as none.

    Its bytes are not what its format asks for: it was damaged, written by another program, or changed by hand.
    The message names the byte, the line or the key where reading stopped.

    ```bad
    {"outputs": [{"name": "net/conv41", "shape": [80, 64]}]}
    ```
    ```good
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64]}]}
    ```
    """
    named = (UnknownFormat, UnknownVersion, CutShort, WrongChecksum, MissingFile)
    if not isinstance(failure, named):
        yield _told(failure)
