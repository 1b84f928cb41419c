"""Importing ``cuda.core``, with which all use of the CUDA toolchain from Python begins."""

from __future__ import annotations

from threading import Lock

_importing = Lock()


def import_toolchain() -> None:
    """Import ``cuda.core`` before the functors' compiler: concurrent imports would see it in parts."""
    with _importing:
        import cuda.core  # noqa: F401
