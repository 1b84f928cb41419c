"""Importing ``cuda.core``, with which all use of the CUDA toolchain from Python begins."""

from __future__ import annotations

from threading import Lock

_importing = Lock()


def import_toolchain() -> None:
    """Import ``cuda.core``, before it is used and before the functors' compiler is imported.

    Of threads that import it at the same time, also by way of a compiler, some would see it in parts.
    """
    with _importing:
        import cuda.core  # noqa: F401
