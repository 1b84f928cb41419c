"""Machine code that comes with the package, so the first batch on a new machine needs no compiler.

``python -m dynfrontier.prebuilt`` makes it, without a GPU. A source checkout has none until then. Each architecture has
an archive, whose entries are named after the text of their inputs: the header, its macros, and the meanings
(`Identity.portable`) and types of linked functors. So a look-up compiles nothing, and edited sources have no entry.

An archive is a zip file of an index and of groups: machine code of kernels that are used together, which halves its
size. Each member carries a digest (`disk_cache.framed`). Archives for a newer major version of CUDA than the driver's
are not used.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

from ..log import logger
from .disk_cache import PROJECT_ROOT, cuda_fingerprint, framed, unframed

CHOICE = "DYNFRONTIER_SHIPPED_CODE"
"""The environment variable that names another folder with archives. An empty folder disables them."""

FOLDER = PROJECT_ROOT / "frontier" / "runtime" / "shipped_code"
INDEX = "index"
COMMON = "common"
"""The group of code that groups have whose names have nothing in common."""

Defines = tuple[tuple[str, str], ...]


class Functor(Protocol):
    """The attributes of a functor that matter here."""

    @property
    def name(self) -> str | None:
        """A name that identifies it in any process and version of Python, or None."""


class Shipped(NamedTuple):
    """Machine code of kernels, with their functors."""

    code: bytes


class Entry(NamedTuple):
    """Machine code for an archive, by the name that `code_name` makes, with the group of kernels used together.

    Code of several groups goes to the group named by the parts, between hyphens, with which all their names start.
    """

    name: str
    group: str
    code: bytes


def code_name(header: str, defines: Defines, functors: tuple[Functor, ...] = ()) -> str | None:
    """The name of machine code in archives, or None if a functor has none."""
    names = [functor.name for functor in functors]
    if None in names:
        return None
    return hashlib.sha256(repr((header, repr(defines), cuda_fingerprint(), *names)).encode()).hexdigest()[:32]


def shipped_cubin(header: str, defines: Defines, arch: str, functors: tuple[Functor, ...] = ()) -> Shipped | None:
    """A header's machine code for `arch`, linked with functors, from the package's archives. None if they lack it."""
    candidates = [candidate for candidate in compatible(arch) if _index(folder(), candidate)]
    name = code_name(header, defines, functors) if candidates else None
    if name is None:
        return None
    for candidate in candidates:
        place = _index(folder(), candidate).get(name)
        if place is not None:
            group, begin, size = place
            code = _group(folder(), candidate, group)[begin : begin + size]
            if len(code) == size:  # otherwise the archive is broken, which was reported
                return Shipped(code)
    return None


def compatible(arch: str) -> list[str]:
    """The architectures whose machine code runs on this one: of its generation and not newer, newest first."""
    match = re.fullmatch(r"sm_(\d+)(\d)", arch)
    if match is None:  # such as sm_90a, whose code runs nowhere else
        return [arch]
    major, minor = match.groups()
    return [f"sm_{major}{number}" for number in range(int(minor), -1, -1)]


def folder() -> Path:
    """The folder of the archives."""
    chosen = os.environ.get(CHOICE)
    return Path(chosen) if chosen else FOLDER


def write_archive(arch: str, entries: Iterable[Entry], into: Path | None = None, cuda: int = 0) -> Path:
    """Replace the archive for `arch`, by default in the package's folder. `cuda` is the compiler's major version."""
    path = (FOLDER if into is None else into) / f"{arch}.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = sorted(entries, key=lambda entry: (len(entry.code), entry.code))  # similar code becomes adjacent
    groups_of = defaultdict(set)
    for entry in entries:
        groups_of[entry.code].add(entry.group)
    groups: dict[str, bytearray] = defaultdict(bytearray)
    places: dict[bytes, int] = {}
    lines = []
    for name, _, code in entries:
        group = shared_group(groups_of[code])
        if code not in places:
            places[code] = len(groups[group])
            groups[group] += code
        lines.append(f"{name} {group} {places[code]} {len(code)}\n")
    temporary = path.with_suffix(".new")
    with zipfile.ZipFile(temporary, "w") as archive:
        _write(archive, arch, INDEX, "".join([f"cuda {cuda}\n", *sorted(lines)]).encode())
        for group in sorted(groups):
            _write(archive, arch, group, bytes(groups[group]))
    temporary.replace(path)
    clear_caches()
    return path


def shared_group(groups: Iterable[str]) -> str:
    """The group of code of several groups. See `Entry`."""
    places = zip(*(group.split("-") for group in groups), strict=False)
    return "-".join(parts[0] for parts in itertools.takewhile(lambda parts: len(set(parts)) == 1, places)) or COMMON


def _write(archive: zipfile.ZipFile, arch: str, member: str, data: bytes) -> None:
    data = framed(_key(arch, member), data)
    archive.writestr(zipfile.ZipInfo(member), data, zipfile.ZIP_LZMA)  # with a constant date


def _key(arch: str, member: str) -> str:
    """A key that distinguishes a member from the members of other architectures' archives."""
    return f"{arch} {member}"


def clear_caches() -> None:
    """Clear the cached contents of archives."""
    _index.cache_clear()
    _group.cache_clear()


@functools.cache
def _index(place: Path, arch: str) -> dict[str, tuple[str, int, int]]:
    """Group, offset and size of each code in an archive. Empty if it is absent, broken, or too new for the driver."""
    first, *lines = _read(place, arch, INDEX).decode(errors="replace").splitlines() or ["cuda 0"]
    found = {}
    try:
        word, made_for = first.split()
        if word != "cuda":
            raise ValueError(f"it begins with {word!r}")
        needed, there = int(made_for), _driver()
        for line in lines:
            name, group, begin, size = line.split()
            found[name] = group, int(begin), int(size)
    except ValueError as error:  # not what we write
        _complain(place, arch, error)
        return {}
    if there and there < needed:
        _complain(place, arch, f"it is for drivers of CUDA {needed} and newer, and this one is of CUDA {there}")
        return {}
    return found


def _driver() -> int:
    """The major version of CUDA that the driver supports. 0 without a driver, as on machines that only compile code."""
    cupy = sys.modules.get("cupy")
    return 0 if cupy is None else cupy.cuda.runtime.driverGetVersion() // 1000


@functools.lru_cache(8)
def _group(place: Path, arch: str, group: str) -> bytes:
    return _read(place, arch, group)


def _read(place: Path, arch: str, member: str) -> bytes:
    """A member of an archive. Empty if the archive is missing or broken."""
    try:
        with zipfile.ZipFile(_path(place, arch)) as archive:
            return unframed(_key(arch, member), archive.read(member))
    except FileNotFoundError:
        return b""
    except Exception as error:  # of zipfile, zlib, lzma or the system: the contents are arbitrary
        _complain(place, arch, error)
        return b""


def _complain(place: Path, arch: str, error: Exception | str) -> None:
    logger.warning("machine code in %s is not used, and compiled instead: %s", _path(place, arch), error)


def _path(place: Path, arch: str) -> Path:
    return place / f"{arch}.zip"
