"""The options that make a `Workload` of a stream, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict


class WorkloadOptions(TypedDict, total=False):
    """Those of `Workload`, which describes them."""

    batch_size: int | Sequence[int]
    deletes: float
    queries: float
    delete_order: str
    preload: float
    batches: int
    analytics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]]
    directed: bool
    weighted: bool | None
    seed: int
    name: str
