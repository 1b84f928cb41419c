"""`IncrementalAlgorithm`: the base class of incremental analytics."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, ClassVar, Self

import frontier as fr

from .requests import requests_of


class AnalyticFailedError(RuntimeError):
    """An incremental analytic failed during an update, and has no results for the current graph.

    See Also
    --------
    IncrementalAlgorithm : Its results raise it.
    """


class IncrementalAlgorithm(fr.UpdateObserver):
    """A result that is computed once, and then maintained incrementally after every batch.

    It is maintained until it is closed, explicitly or by the end of a ``with`` block. The last result remains readable.
    If it fails during an update (out of memory, for example), the update itself completes, and the caller gets a
    `frontier.ObserverError`. From then on, reading a result raises `AnalyticFailedError`, which names the cause. Create
    a new instance then.

    A subclass calls ``super().__init__(graph)``, computes its result, and then calls `_attach`. It overrides the
    methods of `UpdateObserver` that it needs, and exposes its results with `maintained` instead of ``property``.

    Parameters
    ----------
    graph : DynamicGraph

    Attributes
    ----------
    over_parts : bool
        Whether it supports a distributed graph (`frontier.distributed`). Its arrays by vertex are then made by
        `Graph.vertex_array`, and completed before they are read as a whole.
    form_over_parts : type or None
        A subclass that is made instead of it then.

    Raises
    ------
    TypeError
        `graph` is not a `DynamicGraph`.
    NotImplementedError
        The graph is distributed, which this analytic does not support yet.

    See Also
    --------
    maintained : Marks its results.
    """

    over_parts: ClassVar[bool] = False
    form_over_parts: ClassVar[type | None] = None

    def __new__(cls, graph: Any = None, *args: Any, **kwargs: Any) -> Self:
        make: Any = getattr(graph, "make_over_parts", None)
        made = None if make is None else make(cls, args, kwargs)
        if made is not None:
            return made
        return object.__new__((getattr(graph, "in_parts", False) and cls.form_over_parts) or cls)

    def __init__(self, graph: fr.DynamicGraph):
        fr.advanced.arguments.check_dynamic_graph(graph)
        if not self.over_parts:
            fr.advanced.arguments.check_one_device(graph, type(self).__name__)
        self.graph = graph
        self._closed = False
        self._cause: BaseException | None = None
        self._failed_in = ""
        self._working = threading.RLock()
        self._compiled = fr.advanced.compile_listed(graph, type(self).__name__, requests_of)

    @property
    def closed(self) -> bool:
        """Whether it is no longer maintained, since it was closed or has failed."""
        return self._closed or self._cause is not None

    def close(self) -> None:
        """Stop maintaining it. Results stay as they are. Idempotent."""
        self.graph.detach(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        with nullcontext() if kind is None else suppress(Exception):  # an error on closing must not hide the first
            self.close()

    def __repr__(self) -> str:
        state = ", failed" if self._cause is not None else ", closed" if self._closed else ""
        return f"{type(self).__name__}({self.graph!r}{state})"

    def _repr_html_(self) -> str:
        state = "failed" if self._cause is not None else "closed" if self._closed else "maintained"
        return fr.advanced.display.html_table(type(self).__name__, {"state": state, "graph": repr(self.graph)})

    # ---- for subclasses ---------------------------------------------------------------------------------------------

    def _attach(self) -> None:
        """Start receiving updates, none of which then synchronizes with a compiler."""
        self._compiled()
        self.graph.attach(self)

    def _repairs(self, update: str, edges: int) -> bool:
        """Whether to repair the changes of a batch of this number of edges. If not, the result is `outdated`."""
        if not edges:
            return False
        recomputes = self.recomputes(update, edges)
        if recomputes:
            self.outdated(edges)
        return not recomputes

    def _bring_up(self) -> None:
        """Do the work that updates have deferred, before results are read and on close.

        After an error, the next call must do all of it.
        """

    def _finish(self) -> None:
        """Make the results final, before it is closed."""
        self._bring_up()

    def _check(self) -> None:
        """Ensure that results belong to the current graph, or to the graph at the time of closing."""
        if self._cause is not None:
            raise AnalyticFailedError(
                f"this {type(self).__name__} is maintained no more, since {self._failed_in} raised "
                f"{type(self._cause).__name__}: {self._cause}; make a new one"
            ) from self._cause
        if not self._closed:
            self._bring_up()

    # ---- notifications ----------------------------------------------------------------------------------------------

    def attaching(self, graph: fr.DynamicGraph) -> None:
        """Reject a graph other than the maintained one, and reattachment, since updates may have been missed."""
        if graph is not self.graph:
            raise ValueError(f"observer is a {type(self).__name__} of another graph: make a new one of this graph")
        if self.closed:
            raise ValueError(f"observer is a {type(self).__name__} that was closed: make a new one")

    def detached(self) -> None:
        """Finish the results of the last update."""
        if self.closed:
            return
        try:
            self._finish()
        except BaseException as error:
            self.failed("close", error)
            raise
        self._closed = True

    def failed(self, method: str, error: BaseException) -> None:
        """Store the reason why no results exist."""
        self._cause = error
        self._failed_in = method


def _maintained(read: Callable[[Any], Any]) -> Any:
    """A property for results of an `IncrementalAlgorithm`: reading it returns a current result or raises."""

    def checked(self: IncrementalAlgorithm) -> Any:
        if self.closed:
            self._check()
            return read(self)
        # Reading may do work that updates have deferred. The graph must not change meanwhile. Its lock comes first,
        # since an update, which holds it, may do such work, too.
        with self.graph.reading(), self._working:
            self._check()
            return read(self)

    return property(checked, doc=read.__doc__)


if TYPE_CHECKING:
    maintained = property  # type checkers then know the types of results
else:
    maintained = _maintained


def extended(graph: fr.Graph, array: Any, value: Any) -> Any:
    """The array with entries for new vertices."""
    fresh = graph.num_vertices - len(array)
    if not fresh:
        return array
    return graph.xp.concatenate([array, graph.xp.full((fresh, *array.shape[1:]), value, array.dtype)])
