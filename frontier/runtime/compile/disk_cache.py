"""The on-disk cache of compiled code, and the fingerprints that key it.

Compiled code is keyed by the text of its inputs, never by file times: a changed header or helper anywhere in the
project leads to new code. Each file carries a digest of its key and its contents, which is verified before use. A
damaged or misplaced file is made again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ..atomic_file import write_atomically
from ..log import logger

PROJECT_ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("frontier", "structures", "algorithms")

MAGIC = b"dynfrontier compiled code 1\n"
"""The first bytes of all framed data. The number is the version of the format."""

T = TypeVar("T")


@functools.cache
def cache_directory() -> Path:
    """Return the folder of compiled code, ``$DYNFRONTIER_CACHE_DIR`` or in the user's cache directory. It may be
    missing or read-only."""
    chosen = os.environ.get("DYNFRONTIER_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dynfrontier"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dynfrontier"


@functools.cache
def cuda_fingerprint() -> str:
    """A hash over every ``.cuh`` file in the project's packages."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((PROJECT_ROOT / package).rglob("*.cuh")):
            digest.update(str(path.relative_to(PROJECT_ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def text_fingerprint(*files: str) -> str:
    """A hash over some of the project's files, which are named from its root."""
    digest = hashlib.sha256()
    for file in files:
        digest.update((PROJECT_ROOT / file).read_bytes())
    return digest.hexdigest()


class DamagedError(ValueError):
    """Bytes differ from the data framed under this key."""


def framed(key: str, data: bytes) -> bytes:
    """Return `data` with a digest of it and of its key in front."""
    return MAGIC + _digest(key, data) + data


def unframed(key: str, data: bytes) -> bytes:
    """Return the `data` given to `framed` with this key. DamagedError if it was changed or belongs to another key."""
    begin = len(MAGIC) + hashlib.sha256().digest_size
    contents = data[begin:]
    if data[:begin] != MAGIC + _digest(key, contents):
        raise DamagedError("it is damaged, or belongs elsewhere")
    return contents


def _digest(key: str, data: bytes) -> bytes:
    digest = hashlib.sha256(hashlib.sha256(key.encode()).digest())  # of a fixed length: the data start behind it
    digest.update(data)
    return digest.digest()


class CachedFile:
    """A file of the cache. A hash of the key replaces ``{}`` in its name. The key's ``repr`` decides the contents."""

    def __init__(self, folder: str, name: str, key: tuple):
        self._key = repr((folder, name, key))
        digest = hashlib.sha256(MAGIC + self._key.encode()).hexdigest()
        self.path = cache_directory() / folder / name.format(digest[:32])

    def load(self, decode: Callable[[bytes], T]) -> T | None:
        """Return `decode` of the contents, or None if there are no usable ones."""
        try:
            if not os.path.lexists(self.path):
                return None
            if not self.path.is_file():  # to read from a pipe would block
                raise DamagedError("it is no file")
            return decode(unframed(self._key, self.path.read_bytes()))
        except Exception as error:  # of the file system, or anything that unpickling raises
            logger.warning("compiled code in %s is compiled again: %s: %s", self.path, type(error).__name__, error)
            return None

    def store(self, data: bytes) -> None:
        """Write the contents, replacing existing ones. Fails silently on a full or read-only disk."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # it may be a folder, or not allow to be written
                self.path.rmdir() if self.path.is_dir() else self.path.unlink()
            write_atomically(self.path, framed(self._key, data))
        except OSError as error:
            _report_unkept(self.path.parent, error.strerror or str(error))


@functools.cache
def _report_unkept(folder: Path, why: str) -> None:
    """Warn once, not for each kernel, that a folder does not accept compiled code."""
    logger.warning("compiled code is not kept in %s, and compiled again by each process: %s", folder, why)


def cached(folder: str, suffix: str, parts: tuple[str, ...], build: Callable[[], bytes]) -> bytes:
    """Return the result of `build`, cached on disk by `parts`, which are all of its inputs."""
    file = CachedFile(folder, f"{{}}.{suffix}", parts)
    data = file.load(bytes)
    if data is None:
        data = build()
        file.store(data)
    return data
