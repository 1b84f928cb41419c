"""Claims: what one process makes for the cache of compiled code, others wait for instead of making it, too.

A claim is a lock on one byte of a file, at an offset that is a hash of what is made. The system ends it with the
process, however that ends. Where there are no such locks, each process makes what it needs.
"""

from __future__ import annotations

import functools
import os
import time
from pathlib import Path

from .disk_cache import cache_directory

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MAX_WAIT_SECONDS = 20.0
"""For another process, which may have been stopped. No kernel takes as long to compile."""
LOOK_SECONDS = 0.002


def claim(path: Path) -> bool:
    """Claim a file of the cache, after waiting for the process that makes it now, if there is one.

    Returns whether it has waited: then the file is there, unless that process failed.
    """
    waited, end = False, time.monotonic() + MAX_WAIT_SECONDS
    while not _lock(path) and time.monotonic() < end:
        waited = True
        time.sleep(LOOK_SECONDS)
    return waited


def release(path: Path) -> None:
    """Give a claim up, if this process has it."""
    file = _file()
    if file is not None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, _offset(path))


def release_all() -> None:
    """Give up all claims of this process."""
    file = _file()
    if file is not None:
        fcntl.lockf(file, fcntl.LOCK_UN)


def _lock(path: Path) -> bool:
    """Whether this process has the claim now, or there can be none."""
    file = _file()
    if file is None:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _offset(path))
    except (BlockingIOError, PermissionError):  # which of them, POSIX leaves to the system
        return False
    except OSError:  # of a file system without locks
        return True
    return True


@functools.cache
def _file() -> int | None:
    """The file with the locks: open as long as the process, which would lose all its locks with any other handle."""
    if fcntl is None:
        return None
    try:
        cache_directory().mkdir(parents=True, exist_ok=True)
        return os.open(cache_directory() / "claims", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _offset(path: Path) -> int:
    """Of the byte for a file, whose name ends with a hash."""
    return int(path.name[-15:], 16)
