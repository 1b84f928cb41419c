"""The application that puts frontier, structures and algorithms together: the command line, and `compare`."""

from __future__ import annotations

from typing import Any

__all__ = ["compare"]


def __getattr__(name: str) -> Any:
    # Imported when it is asked for, so that the command line answers at once.
    if name == "compare":
        from .comparison import compare

        return compare
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
