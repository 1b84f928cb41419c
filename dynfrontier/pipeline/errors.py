"""`PipelineError`: what a pipeline raises when a part of it has failed."""

from __future__ import annotations


class PipelineError(RuntimeError):
    """A part of a pipeline has failed. ``__cause__`` is its exception.

    The pipeline has ended its threads then. The graph holds all batches before `batch`; also that one, unless `stage`
    is ``"source"`` or ``"update"``. If it is ``"callback"``, the graph may be ahead by further batches.

    Attributes
    ----------
    stage : {"source", "update", "analytic", "callback"}
    batch : int
        Number of the batch.
    record : int
        Number of its first record in the source.
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
