"""The application that puts frontier, structures and algorithms together: pipelines of streams, drawings, the command
line, `compare`, `recommend` and `run_workload`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import drawing
    from .comparison import compare
    from .pipeline import Pipeline, PipelineBatch, PipelineError, SocketSource
    from .workload import recommend, run_workload

__all__ = [
    "Pipeline", "PipelineBatch", "PipelineError", "SocketSource", "__version__", "compare", "drawing", "recommend",
    "run_workload",
]  # fmt: skip

_LATER = {
    **dict.fromkeys(("Pipeline", "PipelineBatch", "PipelineError", "SocketSource"), "pipeline"),
    "compare": "comparison", "recommend": "workload", "run_workload": "workload",
}  # fmt: skip
"""The package of each name. It is imported on first use, for a quick start of the command line."""

__version__ = "0.1.0"  # the version of the project, which is written here only


def _check_packages() -> None:
    """Raise ImportError if a file of the user hides one of the packages of this project."""
    root = Path(__file__).resolve().parents[1]
    for name in ("frontier", "structures", "algorithms"):
        spec = find_spec(name)
        found = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if found != root / name / "__init__.py":
            raise ImportError(f"{found} is not the package {name} of dynfrontier, but has its name: rename that file")


_check_packages()


def __getattr__(name: str) -> Any:
    if name == "drawing":
        return import_module(".drawing", __name__)
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
