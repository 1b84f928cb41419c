"""`IncrementalAlgorithm`: what all analytics share that are maintained incrementally."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

import frontier as fr


class AnalyticFailedError(RuntimeError):
    """An incremental analytic failed at an update, so that it has no results for the graph as it is."""


class IncrementalAlgorithm(fr.UpdateObserver):
    """A result that is computed once and maintained incrementally: it is that of the graph after every batch.

    It is maintained for as long as it lives, until it is closed, at the latest by the end of a ``with`` block. What it
    holds then stays as it was. If it fails at an update (for want of memory, say), the update is made all the same and
    the caller gets a `frontier.ObserverError`; from then on, to ask for a result raises `AnalyticFailedError`, which
    names the cause. Make a new one then.

    A subclass calls ``super().__init__(graph)``, computes its result, and then calls `_attach`. It overrides the
    methods of `UpdateObserver` it needs, and hands out its results with `maintained` instead of ``property``.

    Parameters
    ----------
    graph : DynamicGraph

    Raises
    ------
    TypeError
        `graph` is none.
    """

    def __init__(self, graph: fr.DynamicGraph):
        fr.arguments.check_dynamic_graph(graph)
        self.graph = graph
        self._closed = False
        self._cause: BaseException | None = None
        self._failed_in = ""

    @property
    def closed(self) -> bool:
        """Whether it is maintained no more: it was closed, or it failed."""
        return self._closed or self._cause is not None

    def close(self) -> None:
        """Maintain it no more; results stay as they are now. Does nothing the second time."""
        self.graph.detach(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self.close()
        else:  # another error of the last moment must not hide the first
            with suppress(Exception):
                self.close()

    def __repr__(self) -> str:
        state = ", failed" if self._cause is not None else ", closed" if self._closed else ""
        return f"{type(self).__name__}({self.graph!r}{state})"

    # ---- for subclasses ---------------------------------------------------------------------------------------------

    def _attach(self) -> None:
        """Be notified of updates from now on."""
        self.graph.attach(self)

    def _bring_up(self) -> None:
        """Do what updates have deferred. Called before results are read, and when it is closed.

        If it raises, it must do the whole work the next time.
        """

    def _check(self) -> None:
        """Make sure that results are those of the graph as it is, or was when this was closed."""
        if self._cause is not None:
            raise AnalyticFailedError(
                f"this {type(self).__name__} is maintained no more, since {self._failed_in} raised "
                f"{type(self._cause).__name__}: {self._cause}; make a new one"
            ) from self._cause
        if not self._closed:
            self._bring_up()

    # ---- what the graph says ----------------------------------------------------------------------------------------

    def attaching(self, graph: fr.DynamicGraph) -> None:
        """Refuse another graph than that of the results, and to go on where updates may have been missed."""
        if graph is not self.graph:
            raise ValueError(f"observer is a {type(self).__name__} of another graph: make a new one of this graph")
        if self.closed:
            raise ValueError(f"observer is a {type(self).__name__} that was closed: make a new one")

    def detached(self) -> None:
        """Finish the results of the last update."""
        if self.closed:
            return
        try:
            self._bring_up()
        except BaseException as error:
            self.failed("close", error)
            raise
        self._closed = True

    def failed(self, method: str, error: BaseException) -> None:
        """Remember why there are no results."""
        self._cause = error
        self._failed_in = method


def maintained(read: Callable[[Any], Any]) -> Any:
    """A property of an `IncrementalAlgorithm` that is a result: up to date, or an error."""

    def checked(self: IncrementalAlgorithm) -> Any:
        self._check()
        return read(self)

    return property(checked, doc=read.__doc__)
