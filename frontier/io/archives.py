"""Files inside tar and zip archives, and next to a file in its directory. Nothing is written to disk."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from .errors import ParseError
from .files import decompress, read_raw, unpacked_limit

_BLOCK = 512  # bytes, the unit of tar archives
_TAR_SUFFIXES = (".tar", ".tgz", ".txz", ".tbz", ".tbz2")
_SUFFIXES = (*_TAR_SUFFIXES, ".zip")
_DAMAGED = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError, OverflowError, LookupError, OSError, RuntimeError,
    NotImplementedError, MemoryError, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""The errors of the standard library for damaged or encrypted archives."""


class Files(Mapping[str, bytes]):
    """Files by name, read and decompressed on request.

    `readers` return the stored bytes of each file, and `source` is the name of the archive in errors. A file may unpack
    to at most `limit` bytes. `links` are the names of links, which are not followed.
    """

    def __init__(
        self, readers: Mapping[str, Callable[[], bytes]], source: str, limit: int, links: frozenset[str] = frozenset()
    ) -> None:
        self._readers, self._source, self._limit, self.links = readers, source, limit, links

    def __getitem__(self, name: str) -> bytes:
        reader, source = self._readers[name], f"{self._source}:{name}"
        try:
            raw = reader()
        except ParseError:
            raise
        except _DAMAGED as error:
            raise ParseError(f"the archive is damaged there ({_words(error)})", source) from error
        return decompress(raw, source, self._limit)

    def __contains__(self, name: object) -> bool:
        return name in self._readers

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


class Directory(Mapping[str, bytes]):
    """The files of one directory, read and decompressed on request."""

    links: frozenset[str] = frozenset()

    def __init__(self, path: Path) -> None:
        self._path = path

    def __getitem__(self, name: str) -> bytes:
        if name not in self:
            raise KeyError(name)
        raw, _ = read_raw(self._path / name)
        return decompress(raw, str(self._path / name), unpacked_limit(raw))

    def __contains__(self, name: object) -> bool:
        return "/" not in str(name) and (self._path / str(name)).is_file()

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in sorted(self._path.iterdir()) if entry.is_file())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def is_archive(begin: bytes, name: str) -> bool:
    """Return whether a file is, or should be, an archive, by its first decompressed bytes and its bare name."""
    return begin.startswith((b"PK\x03\x04", b"PK\x05\x06")) or begin[257:262] == b"ustar" or name.endswith(_SUFFIXES)


def open_archive(data: bytes, name: str, source: str, limit: int) -> Files | None:
    """Return the files of an archive, or None for other data. Only the bare name identifies an old tar archive.

    ParseError if it is damaged or truncated, or a member unpacks to more than `limit` bytes.
    """
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        kind, opener = "zip", _zip
    elif data[257:262] == b"ustar" or name.endswith(_TAR_SUFFIXES):
        kind, opener = "tar", _tar
    elif name.endswith(".zip"):
        raise ParseError("the name ends in .zip but the content is no zip archive", source)
    else:
        return None
    try:
        return opener(data, source, limit)
    except ParseError:
        raise
    except _DAMAGED as error:
        raise ParseError(f"the {kind} archive is damaged ({_words(error)})", source) from error


def _tar(data: bytes, source: str, limit: int) -> Files:
    archive = tarfile.TarFile(fileobj=io.BytesIO(data))
    members = archive.getmembers()
    # `tarfile` treats a damaged header as the end of the archive.
    if data[archive.offset : archive.offset + _BLOCK] != bytes(_BLOCK):
        where = "is truncated: its end mark is missing" if archive.offset >= len(data) else "is damaged"
        raise ParseError(f"the tar archive {where} (after {len(members)} members)", source)

    def read(member: tarfile.TarInfo) -> bytes:
        if member.sparse is not None or member.size > len(data):
            raise ParseError("sparse members are not supported", f"{source}:{member.name}")
        file = archive.extractfile(member)
        return b"" if file is None else file.read()

    readers = {member.name: partial(read, member) for member in members if member.isfile()}
    links = frozenset(member.name for member in members if member.issym() or member.islnk()) - set(readers)
    return Files(readers, source, limit, links)


def _zip(data: bytes, source: str, limit: int) -> Files:
    archive = zipfile.ZipFile(io.BytesIO(data))

    def read(member: zipfile.ZipInfo) -> bytes:
        with archive.open(member) as file:
            content = file.read(limit + 1)
        if len(content) > limit:
            raise ParseError("it unpacks to too many times its size; unpack it first if that is right",
                             f"{source}:{member.filename}")  # fmt: skip
        return content

    members = [member for member in archive.infolist() if not member.is_dir()]
    # Unix stores the type of a file in the upper half of its attributes. 0xA is a symbolic link.
    links = frozenset(member.filename for member in members if member.external_attr >> 28 == 0xA)
    readers = {member.filename: partial(read, member) for member in members if member.filename not in links}
    return Files(readers, source, limit, links)


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
