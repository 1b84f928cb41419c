"""The application that puts frontier, structures and algorithms together: the command line, `compare`, `recommend` and
`run_workload`."""

from __future__ import annotations

from typing import Any

__all__ = ["compare", "recommend", "run_workload"]


def __getattr__(name: str) -> Any:
    # Imported when it is asked for, so that the command line answers at once.
    if name == "compare":
        from .comparison import compare

        return compare
    if name in ("recommend", "run_workload"):
        from . import workload

        return getattr(workload, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
