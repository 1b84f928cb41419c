"""Machine code that comes with the package, so that the first batch on a new machine need not wait for a compiler.

``python -m structures.ship`` makes it, for a wheel, of the kernels that no functor is linked to; it needs no GPU. There
is an archive for each architecture, whose members are named after the text of everything that went into them: what was
edited since is not found there, and compiled as if nothing had come with the package. A source checkout has none.
"""

from __future__ import annotations

import functools
import hashlib
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

from .cache import PROJECT_ROOT, source_fingerprint

FOLDER = PROJECT_ROOT / "frontier" / "runtime" / "shipped_code"
Defines = tuple[tuple[str, str], ...]


def shipped_cubin(header: str, defines: Defines, arch: str) -> bytes | None:
    """Machine code of a header that came with the package and runs on `arch`, or None."""
    for candidate in compatible(arch):
        name = _name(header, defines)
        if name in _members(candidate):
            with zipfile.ZipFile(_path(candidate)) as archive:
                return archive.read(name)
    return None


def compatible(arch: str) -> list[str]:
    """The architectures whose machine code runs on this one: of its generation and not newer, newest first."""
    match = re.fullmatch(r"sm_(\d+)(\d)", arch)
    if match is None:  # such as sm_90a, whose code runs nowhere else
        return [arch]
    major, minor = match.groups()
    return [f"sm_{major}{number}" for number in range(int(minor), -1, -1)]


def write_archive(arch: str, codes: Iterable[tuple[str, Defines, bytes]]) -> Path:
    """Put machine code into the package: header, macros and code of each. Replaces what was there for `arch`."""
    path = _path(arch)
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for header, defines, code in codes:
            archive.writestr(zipfile.ZipInfo(_name(header, defines)), code, zipfile.ZIP_DEFLATED)
    _members.cache_clear()
    return path


@functools.cache
def _members(arch: str) -> frozenset[str]:
    """What is in an archive; nothing if there is none, or it cannot be read."""
    try:
        with zipfile.ZipFile(_path(arch)) as archive:
            return frozenset(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return frozenset()


def _path(arch: str) -> Path:
    return FOLDER / f"{arch}.zip"


def _name(header: str, defines: Defines) -> str:
    parts = header, repr(defines), source_fingerprint(".cuh")
    return hashlib.sha256(repr(parts).encode()).hexdigest() + ".cubin"
