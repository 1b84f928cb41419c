"""capture: a step that is run many times, replayed by the GPU as one launch."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any, Literal, overload

from frontier.core.arguments import check_graph, flag
from frontier.core.base import BaseGraph
from frontier.core.locking import reads, scratch_of_stream
from frontier.functor.checking import is_checking
from frontier.runtime.compile import caches
from frontier.runtime.launch.plan import Plans

from .captured_batches import SMALL, CapturedBatchStep


class CapturedStep:
    """A step that was passed to `capture`. Call it to run the step.

    Attributes
    ----------
    is_captured : bool
        Whether the next call replays launches.

    See Also
    --------
    capture : Makes it.
    """

    def __init__(self, graph: BaseGraph, step: Callable[[], Any]):
        self.graph = graph
        self._step = step
        self._replays = graph.device.is_gpu and not graph.in_parts  # distributed parts exchange data through the host
        self._plans = Plans()
        self._ran_for: tuple[int, int, int] | None = None  # the state that the step has run in, to be captured next

    def __call__(self) -> None:
        if self._replays:
            _take(self.graph, self)
        else:
            self._step()

    @property
    def is_captured(self) -> bool:
        return self._plans.find(None, self._now()) is not None

    def _now(self) -> tuple[int, int, int]:
        """The state that a captured graph depends on: the graph, its arrays, which a failed batch may replace, and
        loaded kernels."""
        return self.graph.version, self.graph._access.updates, caches.times_cleared

    def _run(self) -> None:
        """Run the step in the capturing stream, which compiles and allocates everything that it needs."""
        with _Recording():
            self._step()

    def _capture(self) -> tuple[Any, list[Any]]:
        """Capture the launches of the step, without running it: a CUDA graph, and the memory that it uses."""
        import cupy

        allocate, held = cupy.cuda.get_allocator(), []

        def keep(size: int) -> Any:
            held.append(allocate(size))
            return held[-1]

        with _Recording() as stream, cupy.cuda.using_allocator(keep):
            held.append(scratch_of_stream())
            stream.begin_capture()
            try:
                self._step()
            except BaseException as error:
                _abandon(stream)
                if isinstance(error, cupy.cuda.runtime.CUDARuntimeError) or "capturing" in str(error):
                    raise RuntimeError(WAITS) from error
                raise
            return stream.end_capture(), held


WAITS = (
    "the step cannot be captured, because it synchronizes with the GPU: leave out of it operators whose result is a "
    "frontier, and reads of results on the host"
)
_local = threading.local()  # `streams`: this thread's capturing streams, by the stream that it works in


class _Recording:
    """A ``with`` block whose work is queued in a separate stream, since the default stream cannot be captured. The work
    is ordered after all earlier work of the current stream and before its later work."""

    def __enter__(self) -> Any:
        import cupy

        if not hasattr(_local, "streams"):
            _local.streams = {}
        self._current = cupy.cuda.get_current_stream()
        self._own = _local.streams.get(self._current.ptr)
        if self._own is None:
            self._own = _local.streams[self._current.ptr] = cupy.cuda.Stream(non_blocking=True)
        self._own.wait_event(self._current.record())
        self._own.__enter__()
        return self._own

    def __exit__(self, *raised: Any) -> None:
        self._own.__exit__(*raised)
        self._current.wait_event(self._own.record())


def _abandon(stream: Any) -> None:
    """End a capture that has failed."""
    import cupy

    with contextlib.suppress(cupy.cuda.runtime.CUDARuntimeError):  # it repeats the error of the capture
        stream.end_capture()


@overload
def capture(graph: BaseGraph, step: Callable[[], Any]) -> CapturedStep: ...
@overload
def capture(
    graph: BaseGraph, step: Callable[..., None], *, batches: Literal[True], max_batch: int = SMALL,
    both_orders: bool = False,
) -> CapturedBatchStep: ...  # fmt: skip


def capture(
    graph: BaseGraph, step: Callable[..., Any], *, batches: bool = False, max_batch: int = SMALL,
    both_orders: bool = False,
) -> CapturedStep | CapturedBatchStep:  # fmt: skip
    """Turn a step that is run many times into a single launch.

    An operator costs the host some ten microseconds, on a small graph more than the GPU. The first call of the result
    runs the step. The second captures its launches as a CUDA graph. That call and all later ones replay the graph. On a
    CPU every call runs the step.

    Parameters
    ----------
    graph : Graph
        The step reads it. After an update, the next two calls run and capture the step again.
    step : function without parameters
        It calls operators and CuPy functions that write their results to the same arrays (`out`) each time. A replay
        repeats the launches with the captured arrays and numbers, and calls no Python. It must not synchronize with the
        GPU: it may not call operators that return a frontier (`advance`, `filter`, `traverse`), or read results. Call
        `copy_to_host_async` between two steps. If vertices were deleted, make the frontier of all vertices outside.
    batches : bool
        The step is a function ``step(graph, src, dst, *args)`` to be called with every batch: different pairs and
        numbers each time, and the graph as it is then. See `CapturedBatchStep` for the calls that it may make.
    max_batch : int
        With `batches`, pairs of the largest batch whose launches are replayed.
    both_orders : bool
        With `batches`, whether the step gets each pair twice: as it is, and with its ends exchanged.

    Returns
    -------
    CapturedStep or CapturedBatchStep
        A function without a result, and without parameters unless `batches` is set.

    Raises
    ------
    RuntimeError
        By the second call, on a GPU: the step synchronizes with the GPU.

    See Also
    --------
    traverse : Advance until a frontier is empty, in few launches.
    reduce : With ``out=``, write the result on the device.
    neighbor_reduce : With ``out=``, write the result to the same array each time.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> x, sums = np.ones(4), np.empty(4)
    >>> def neighbor(src, dst, edge, weight, x):
    ...     return x[dst]
    >>> def step():
    ...     fr.neighbor_reduce(graph, None, neighbor, x, out=sums)
    ...     x[:] = sums
    >>> taken = fr.capture(graph, step)
    >>> for _ in range(3):
    ...     taken()
    >>> x.tolist()
    [3.0, 5.0, 5.0, 3.0]
    """
    if flag(batches, "batches"):
        return CapturedBatchStep(graph, step, max_batch=max_batch, both_orders=both_orders)
    check_graph(graph)
    if not callable(step):
        raise TypeError("step must be a function without parameters")
    return CapturedStep(graph, step)


@reads
def _take(graph: BaseGraph, recorded: CapturedStep) -> None:
    if is_checking():  # which looks at what each launch has found
        recorded._step()
        return
    now = recorded._now()
    plan = recorded._plans.find(None, now)
    if plan is None:
        ran_for, recorded._ran_for = recorded._ran_for, None  # if it fails, it is run again
        if ran_for != now:
            recorded._run()
            recorded._ran_for = now
            return
        plan = recorded._plans.add(None, recorded._capture(), now)
    plan[0].launch()
