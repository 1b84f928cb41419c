"""Importing ``cuda.core``, the entry point to the CUDA toolchain from Python."""

from __future__ import annotations

from threading import Lock

_importing = Lock()


def import_toolchain() -> None:
    """Import ``cuda.core`` before the functors' compiler: concurrent imports would see it partly initialized."""
    with _importing:
        import cuda.core  # noqa: F401
