"""The application that puts frontier, structures and algorithms together: the command line, `compare` and
`run_workload`."""

from __future__ import annotations

from typing import Any

__all__ = ["compare", "run_workload"]


def __getattr__(name: str) -> Any:
    # Imported when it is asked for, so that the command line answers at once.
    if name == "compare":
        from .comparison import compare

        return compare
    if name == "run_workload":
        from .workload import run_workload

        return run_workload
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
