"""The on-disk cache of compiled code, and the fingerprints that key it.

Compiled code is keyed by the text of everything that could have gone into it, never by file times: a changed header
or helper function anywhere in the project leads to new code.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..log import logger
from .atomic import write_atomically

PROJECT_ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("frontier", "structures", "algorithms")


@functools.cache
def cache_directory() -> Path:
    """Where compiled code is kept: ``$DYNFRONTIER_CACHE_DIR``, or a folder in the user's cache directory.

    A directory that cannot be written to is replaced by a temporary one for the life of the process.
    """
    chosen = os.environ.get("DYNFRONTIER_CACHE_DIR")
    if chosen:
        path = Path(chosen)
    elif sys.platform == "darwin":
        path = Path.home() / "Library" / "Caches" / "dynfrontier"
    else:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dynfrontier"
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="dynfrontier-"))
        logger.warning("compiled code is kept in %s, and lost with it: %s cannot be used (%s)", temporary, path, error)
        path = temporary
    return path


@functools.cache
def source_fingerprint(suffix: str) -> str:
    """A hash over every file with this suffix (``".py"``, ``".cuh"``) in the project's packages."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((PROJECT_ROOT / package).rglob(f"*{suffix}")):
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


def cached(folder: str, suffix: str, parts: tuple[str, ...], build: Callable[[], bytes]) -> bytes:
    """What `build` makes, kept on disk by everything that goes into it.

    Parameters
    ----------
    folder, suffix : str
        Of the file, whose name is a hash of `parts`.
    """
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()
    path = cache_directory() / folder / f"{digest}.{suffix}"
    with contextlib.suppress(OSError):
        return path.read_bytes()
    data = build()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except OSError as error:  # a full disk: it will be made again next time
        logger.warning("compiled code is not kept: %s", error)
    return data
