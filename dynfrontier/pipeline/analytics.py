"""Analytics of a pipeline: functions of the graph, or attributes of incremental analytics. `Delivery` hands results to
callbacks in a separate thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frontier.core.results import UpdateObserver
from frontier.runtime.values import kind_of

from .batch import PipelineBatch, PipelineError
from .channel import Channel, ChannelClosed

Analytic = Callable[[Any], Any]


def check_analytics(analytics: Any) -> dict[str, Any]:
    """A dictionary of analytics by name. TypeError, which names the entry, if one is invalid."""
    if analytics is None:
        return {}
    if not isinstance(analytics, Mapping):
        raise TypeError(f"analytics must be a dictionary of names to functions, not {kind_of(analytics)}")
    for name, analytic in analytics.items():
        _check(name, analytic)
    return dict(analytics)


def _check(name: str, analytic: Any) -> None:
    if _is_observer(analytic):
        raise TypeError(f"analytics[{name!r}] must name what to read: ({analytic.__name__}, 'attribute')")
    if isinstance(analytic, tuple):
        if len(analytic) != 2 or not _is_observer(analytic[0]) or not isinstance(analytic[1], str):
            raise TypeError(f"analytics[{name!r}] must be a pair of an incremental analytic and an attribute's name")
    elif not callable(analytic):
        raise TypeError(f"analytics[{name!r}] must be a function of the graph, not {kind_of(analytic)}")


def _is_observer(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, UpdateObserver)


class Analytics:
    """The analytics of a pipeline: functions of the graph, or pairs of an incremental analytic's class and attribute.

    All pairs with the same class share one object, which is made and maintained here.
    """

    def __init__(self, graph: Any, chosen: dict[str, Any]):
        self._graph = graph
        self._made: dict[type, Any] = {}
        self.functions: dict[str, Analytic] = {}
        for name, analytic in chosen.items():
            self.functions[name] = self._reader(*analytic) if isinstance(analytic, tuple) else analytic

    def _reader(self, kind: type, attribute: str) -> Analytic:
        if kind not in self._made:
            self._made[kind] = kind(self._graph)
        made = self._made[kind]
        return lambda graph: getattr(made, attribute)

    def close(self) -> None:
        """Detach the incremental analytics."""
        for made in self._made.values():
            self._graph.detach(made)


Callback = Callable[[PipelineBatch], object]


class Delivery:
    """Calls callbacks with one batch after another. `put` blocks while `depth` batches are queued."""

    def __init__(self, callbacks: Sequence[Callback], depth: int):
        self.callbacks = callbacks
        self._channel = Channel(depth)
        self._open = 0  # batches that were put and not delivered
        self._changed = threading.Condition()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="dynfrontier-deliver", daemon=True)
        self._thread.start()

    def put(self, batch: PipelineBatch) -> None:
        """Queue a batch. Raises the exception of a callback for an earlier batch."""
        with self._changed:
            self._open += 1
        try:
            self._channel.put(batch)
        except ChannelClosed:
            self._raise()

    def drain(self) -> None:
        """Block until all batches are delivered. Raises the exception of a callback."""
        with self._changed:
            while self._open and self._error is None:
                self._changed.wait()
        self._raise()

    def close(self) -> None:
        """End the thread after the running callback, and drop queued batches. Idempotent."""
        self._channel.close()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self) -> None:
        while True:
            try:
                batch = self._channel.get()
            except ChannelClosed:
                return
            error = self._deliver(batch)
            with self._changed:
                self._open -= 1
                self._error = error
                self._changed.notify_all()
            if error is not None:
                self._channel.close()
                return

    def _deliver(self, batch: PipelineBatch) -> BaseException | None:
        try:
            batch.results  # noqa: B018  (waits for the copies)
            for callback in self.callbacks:
                callback(batch)
        except Exception as error:
            return PipelineError.of("callback", batch.number, batch.begin, error, batch.end)
        except BaseException as error:
            return error
        return None
