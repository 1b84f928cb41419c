"""`PipelineBatch`, the results of one batch, `Totals` over all batches so far, and `PipelineError`."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from frontier.runtime.memory.transfer import HostCopy, copy_to_host_async

_settling = threading.Lock()  # locked while waiting for copies: a log and a callback may wait at the same time


@dataclass(slots=True)
class PipelineBatch:
    """The results of one batch.

    Attributes
    ----------
    number : int
        From 0. After `Pipeline.resume`, from the number in the checkpoint.
    begin, end : int
        Its rows in the source: from number `begin` up to `end` - 1.
    operation : {"insert", "delete"}
    inserted, replaced, deleted : int
        Edges, as in `UpdateResult`. Deletions include edges that left a window.
    late : int
        Rows that came too late for the window.
    num_edges : int
        The number of edges of the graph afterwards.
    update_seconds, analytics_seconds : float
        On a GPU, until the host was done: kernels of analytics may still run, unless the pipeline is `synchronous`.
    waited_seconds : float
        The preceding wait for the source.
    lag_seconds : float
        From the time at which the source had yielded its first row to the results.

    See Also
    --------
    Pipeline : Delivers batches.
    """

    number: int
    begin: int
    end: int
    operation: str
    inserted: int
    replaced: int
    deleted: int
    late: int
    num_edges: int
    update_seconds: float
    analytics_seconds: float = 0.0
    waited_seconds: float = 0.0
    lag_seconds: float = 0.0
    held: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def records(self) -> int:
        """The number of its rows."""
        return self.end - self.begin

    @property
    def seconds(self) -> float:
        """The seconds of the update and the analytics."""
        return self.update_seconds + self.analytics_seconds

    @property
    def results(self) -> dict[str, Any]:
        """The result of each analytic, with arrays of NumPy. Blocks until copies to the host are complete."""
        with _settling:
            self.held = {name: _settled(value) for name, value in self.held.items()}
        return self.held

    def to_dict(self) -> dict[str, Any]:
        """All fields in plain values, with the results that are numbers, strings or None."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "held"}
        plain = {name: _plain(value) for name, value in self.results.items()}
        return found | {"results": {name: value for name, value in plain.items() if value is not _NOT_PLAIN}}


_NOT_PLAIN = object()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else _NOT_PLAIN


def begin_to_fetch(value: Any) -> Any:
    """A result that later batches do not change: its arrays are copied to the host asynchronously."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "flags"):
        import cupy

        return copy_to_host_async(cupy.ascontiguousarray(value))
    return _parts(begin_to_fetch, value)


def _settled(value: Any) -> Any:
    return value.result() if isinstance(value, HostCopy) else _parts(_settled, value)


def _parts(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to the elements of a container or of a result of an algorithm."""
    if isinstance(value, dict):
        return {name: function(each) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(function, value))
    if type(value) in (tuple, list):
        return type(value)(map(function, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: function(getattr(value, name)) for name in names})
    return value


@dataclass
class Totals:
    """Sums over all batches, those before a resumed checkpoint included."""

    batches: int = 0
    records: int = 0
    inserted: int = 0
    replaced: int = 0
    deleted: int = 0
    late: int = 0
    update_seconds: float = 0.0
    analytics_seconds: float = 0.0
    waited_seconds: float = 0.0

    def add(self, batch: PipelineBatch) -> None:
        """Count a batch, but not the time of its analytics."""
        self.batches += 1
        self.records += batch.end - batch.begin
        self.inserted += batch.inserted
        self.replaced += batch.replaced
        self.deleted += batch.deleted
        self.late += batch.late
        self.update_seconds += batch.update_seconds
        self.waited_seconds += batch.waited_seconds

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class PipelineError(RuntimeError):
    """A stage of a pipeline has failed. ``__cause__`` is its exception.

    The pipeline has ended its threads. The graph contains all batches before `batch`, and also this batch unless
    `stage` is ``"source"`` or ``"update"``. If it is ``"callback"``, the graph may be ahead by further batches.

    Attributes
    ----------
    stage : {"source", "update", "analytic", "callback"}
    batch : int
        Number of the batch.
    record : int
        Number of its first row in the source.
    """

    def __init__(self, message: str, stage: str, batch: int, record: int):
        super().__init__(message)
        self.stage = stage
        self.batch = batch
        self.record = record

    @classmethod
    def of(
        cls, stage: str, batch: int, record: int, cause: BaseException, end: int | None = None, name: str = ""
    ) -> PipelineError:  # fmt: skip
        """The error for an exception."""
        where = f"at record {record:,}" if end is None else f"on the records from {record:,} to before {end:,}"
        what = f"the {stage}{f' {name!r}' if name else ''}"
        error = cls(f"{what} failed {where} (batch {batch:,}): {type(cause).__name__}: {cause}", stage, batch, record)
        error.__cause__ = cause
        return error

    def __reduce__(self) -> tuple:
        return type(self), (str(self), self.stage, self.batch, self.record)
