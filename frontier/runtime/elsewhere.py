"""Kernels for CPUs that other processes compile for this one, into the cache on disk that they share."""

from __future__ import annotations

import threading

PATIENCE = 60.0
"""Seconds to wait for a kernel that another process began to compile; a big one takes two."""

_changed = threading.Condition()
_done: dict[str, bool] = {}
"""Whether what was begun is done, by the name of its file in the cache."""


def begun(file: str) -> None:
    """Another process compiles this kernel now."""
    with _changed:
        _done.setdefault(file, False)


def ended(file: str) -> None:
    """Another process has compiled this kernel, or will not."""
    with _changed:
        _done[file] = True
        _changed.notify_all()


def wait_for(file: str) -> bool:
    """Whether another process was to compile this kernel; if so, it is waited for until it has, or gave up."""
    with _changed:
        if file not in _done:
            return False
        _changed.wait_for(lambda: _done[file], PATIENCE)
        return True
