"""Bytes of plain and compressed files."""

from __future__ import annotations

import bz2
import io
import lzma
import math
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from .errors import ParseError

try:
    from isal import isal_zlib as deflate  # ISA-L, which is faster than zlib
except ImportError:
    deflate = zlib

_CODECS: tuple[tuple[bytes, str, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", "gzip", lambda: deflate.decompressobj(wbits=31)),
    (b"\xfd7zXZ\x00", "xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
)
_UNREADABLE = (
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\x04\x22\x4d\x18", "lz4 data"),
)
COMPRESSED_SUFFIXES = (".gz", ".xz", ".bz2")
_LONGEST_MAGIC = 8  # bytes, or less

BOMB_BYTES = 1 << 28
BOMB_RATIO = 200
"""Data that unpacks to more than `BOMB_BYTES`, and to more than `BOMB_RATIO` times the file, is refused."""
_STEP = 1 << 24  # bytes decompressed at a time
_PIECE = 1 << 20  # bytes of a file that is not compressed
_CHUNK = 1 << 18  # bytes given to the decompressor at a time. After a stream that ends within them, the rest is copied


def read_raw(path: str | os.PathLike | BinaryIO) -> tuple[bytes, bool]:
    """Return a file's bytes, or the rest of an open one, and whether they came through a pipe. TypeError for text."""
    if isinstance(path, str | os.PathLike):
        with open(path, "rb") as file:
            return file.read(), not file.seekable()
    raw = path.read()
    if not isinstance(raw, bytes):
        raise TypeError(f"path: an open file must give bytes, not {type(raw).__name__}; open it in binary mode")
    return raw, not getattr(path, "seekable", lambda: True)()


def unpacked_limit(raw: bytes) -> int:
    """Return the most bytes that a file with these bytes may unpack to."""
    return max(BOMB_BYTES, BOMB_RATIO * len(raw))


def decompress(raw: bytes, source: str, limit: int) -> bytes:
    """Decompress gzip, xz or bzip2, identified by the first bytes, also in several streams.

    ParseError if data are truncated, damaged, of an unsupported compression, larger than `limit`, or plain in a file
    named ``.gz``, ``.xz`` or ``.bz2``.
    """
    for magic, name, new in _CODECS:
        if raw.startswith(magic):
            return b"".join(_pieces(io.BytesIO(raw), magic, name, new, source, limit))
    _check_plain(raw, source)
    return raw


def decompressed_pieces(file: BinaryIO, source: str) -> Iterator[bytes]:
    """Yield the content of an open file, decompressed if it is compressed, in pieces of bounded size.

    The file is at its start, and seekable. Raises ParseError, as `decompress`, when the faulty piece is requested.
    """
    begin = file.read(_LONGEST_MAGIC)
    file.seek(-len(begin), os.SEEK_CUR)
    for magic, name, new in _CODECS:
        if begin.startswith(magic):
            yield from _pieces(file, magic, name, new, source, math.inf)
            return
    _check_plain(begin, source)
    while piece := file.read(_PIECE):
        yield piece


def _check_plain(raw: bytes, source: str) -> None:
    """Raise if a file that starts with these bytes, and with none of `_CODECS`, is or should be compressed."""
    for magic, name in _UNREADABLE:
        if raw.startswith(magic):
            raise ParseError(f"this is {name}, which is not supported; unpack it first", source)
    suffix = Path(source).suffix
    if suffix.lower() in COMPRESSED_SUFFIXES:
        if not raw:
            raise ParseError("the file is empty, so its compressed data is truncated", source)
        raise ParseError(f"the name ends in {suffix} but the content is not compressed that way", source)


def _pieces(
    file: BinaryIO, magic: bytes, name: str, new: Callable[[], Any], source: str, limit: float
) -> Iterator[bytes]:  # fmt: skip
    """Yield decompressed pieces of all streams in turn. The standard library drops a later stream that is damaged."""
    held, made, first = file.read(_CHUNK), 0, True
    while held or (held := file.read(_CHUNK)):
        if not first and not held.strip(b"\0"):  # padding, if nothing else follows
            held = b""
            continue
        if len(held) < len(magic):
            held += file.read(len(magic))
        if not held.startswith(magic):
            raise ParseError(f"the {name} data is damaged (other data follows it)", source)
        first, stream = False, new()
        while not stream.eof:
            if not held and not (held := file.read(_CHUNK)):
                raise ParseError(f"the {name} data is truncated", source)
            chunk, held = held, b""
            while True:
                try:
                    piece = stream.decompress(chunk, _STEP)
                except (lzma.LZMAError, deflate.error, ValueError, OSError) as error:
                    raise ParseError(f"the {name} data is damaged ({error})", source) from error
                except MemoryError as error:
                    raise ParseError(f"the {name} data asks for too much memory to unpack it", source) from error
                made += len(piece)
                if made > limit:
                    raise ParseError(
                        f"the {name} data unpacks to more than {BOMB_RATIO} times its size; "
                        "unpack it first if that is right", source,
                    )  # fmt: skip
                yield piece
                chunk = getattr(stream, "unconsumed_tail", b"")  # the rest after a full piece of zlib
                if stream.eof or not (chunk or len(piece) == _STEP or not getattr(stream, "needs_input", True)):
                    break
        held = stream.unused_data


def bare_name(path: str | os.PathLike) -> str:
    """Return the lower-case file name without compression suffix: ``"graph.mtx"`` for ``"/data/Graph.mtx.gz"``."""
    name = Path(path).name.lower()
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def without_suffixes(name: str) -> str:
    """Return the name without ``.gz`` and the like, and without the suffix before that."""
    path = PurePosixPath(name)
    while path.suffix.lower() in COMPRESSED_SUFFIXES:
        path = path.with_suffix("")
    return str(path.with_suffix(""))
