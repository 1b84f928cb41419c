"""The options with which a pipeline goes on, for type checkers and editors."""

from __future__ import annotations

import os
from typing import Any, TypedDict


class ResumeOptions(TypedDict, total=False):
    """Those of `Pipeline`, which describes them, without `window`, `names` and `checkpoint`."""

    columns: Any
    batch_size: int | None
    on_existing: str
    objective: str | None
    ahead: int
    synchronous: bool
    every: Any
    log: str | os.PathLike[str] | None
    metrics: str | os.PathLike[str] | None
    progress: bool
