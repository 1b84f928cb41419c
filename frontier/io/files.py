"""Bytes of plain, compressed and archived files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zlib
from pathlib import Path

from frontier.io.errors import ParseError

_CODECS = (
    (b"\x1f\x8b", "gzip", gzip.decompress),
    (b"\xfd7zXZ\x00", "xz", lzma.decompress),
    (b"BZh", "bzip2", bz2.decompress),
)
COMPRESSED_SUFFIXES = (".gz", ".xz", ".bz2")


def read_bytes(path: str | os.PathLike) -> bytes:
    """Read a whole file and decompress it.

    Parameters
    ----------
    path : str or path-like
        A plain, gzip, xz or bzip2 file; recognised by its first bytes, not by its name.

    Returns
    -------
    bytes
        The decompressed content.

    Raises
    ------
    ParseError
        If the compressed data is truncated or damaged, or if a file named ``.gz``, ``.xz`` or ``.bz2`` is not
        compressed.
    OSError
        If the file cannot be read.
    """
    raw = Path(path).read_bytes()
    for magic, name, decompress in _CODECS:
        if raw.startswith(magic):
            try:
                return decompress(raw)
            except (EOFError, lzma.LZMAError, zlib.error, ValueError, OSError) as error:
                truncated = isinstance(error, EOFError) or "ended before" in str(error)
                reason = "is truncated" if truncated else f"is damaged ({error})"
                raise ParseError(f"the {name} data {reason}", str(path)) from error
    if Path(path).suffix.lower() in COMPRESSED_SUFFIXES:
        if not raw:
            raise ParseError("the file is empty, so its compressed data is truncated", str(path))
        raise ParseError(f"the name ends in {Path(path).suffix} but the content is not compressed that way", str(path))
    return raw


def bare_name(path: str | os.PathLike) -> str:
    """Lower-case file name without its compression suffix.

    Parameters
    ----------
    path : str or path-like
        Any path; it need not exist.

    Returns
    -------
    str
        For example ``"graph.mtx"`` for ``"/data/Graph.mtx.gz"``.
    """
    name = Path(path).name.lower()
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def is_tar(data: bytes, name: str) -> bool:
    """Whether decompressed `data` is a tar archive, by its content or by its bare name."""
    return data[257:262] == b"ustar" or name.endswith((".tar", ".tgz", ".txz"))


def read_tar(data: bytes, source: str) -> dict[str, bytes]:
    """Unpack the regular files of a tar archive in memory.

    Parameters
    ----------
    data : bytes
        The decompressed archive.
    source : str
        Name of the archive, for errors.

    Returns
    -------
    dict of str to bytes
        Content by member name, in archive order.

    Raises
    ------
    ParseError
        If the archive is damaged.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {
                m.name: file.read()
                for m in archive.getmembers()
                if m.isfile() and (file := archive.extractfile(m)) is not None
            }
    except (tarfile.TarError, EOFError) as error:
        raise ParseError(f"the tar archive is damaged ({error})", source) from error
