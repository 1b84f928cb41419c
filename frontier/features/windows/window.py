"""`SlidingWindow`: a graph with the edges of the last hour, or of the last rows of a stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frontier.core.arguments import check_dynamic_graph
from frontier.core.base import BaseDynamicGraph
from frontier.core.results import ObserverError, UpdateResult
from frontier.core.updates import update
from frontier.runtime import Counters
from frontier.runtime.arrays import as_device_array, same_length
from frontier.runtime.values import integer

from ..times.arrivals import COUNTERS, Bounds
from ..times.column import TIME
from ..times.logged import EvenTimes, as_array
from ..times.units import HIGHEST, LOWEST, as_span, as_time
from .pushes import PlainBatch, Window, plain_records, push


@dataclass(frozen=True)
class WindowResult:
    """Effects of a push, in edges (an undirected edge counts once), and its late rows.

    Attributes
    ----------
    inserted : int
        New edges.
    replaced : int
        Existing edges that the batch lists again. None with ``on_existing="keep"``.
    expired : int
        Deleted edges, which have left the window.
    late : int
        Late rows, which were not inserted.
    late_records : array of int64, shape (late,)
        Their positions in the batch, on the graph's device.
    record_ids : array of int64, shape (m,), or None
        With ``multi_edges="all"``: the id of each record of the batch (`Graph.record_data`), on the graph's device, or
        -1 for a late row or a self-loop. The id of a record that left the window in this push is free again.

    See Also
    --------
    SlidingWindow.push : Returns it.
    """

    inserted: int = 0
    replaced: int = 0
    expired: int = 0
    late: int = 0
    late_records: Any = field(default=None, compare=False, repr=False)
    record_ids: Any = field(default=None, compare=False, repr=False)


class SlidingWindow:
    """Inserts batches into a graph with times, and deletes edges that have left the window.

    The *clock* is the greatest time pushed so far. An edge is in the window while its time is greater than the clock
    less `span`. With `count` or `batches`, it is in the window while it is among the last rows, or pushes. An edge
    that arrives several times leaves with its last arrival (with its first, for ``keep_time="first"``). With
    ``multi_edges="all"``, each record leaves separately, and the edge with its last record.

    Rows may come in any order. A row is *late*, and is not inserted, if its time is more than `lateness` before
    the clock when its batch was pushed, or outside the window. `WindowResult` lists late rows.

    Parameters
    ----------
    graph : DynamicGraph
        Made with ``time_unit=``. If it has edges, the clock starts at the greatest of their times, or of their records'
        times (``multi_edges="all"``).
    span : int, timedelta or str, optional
        The length of the window: in the unit of the graph's times, or with a unit, such as ``"10min"``.
    count : int, optional
        The length of the window in rows, dropped ones such as self-loops included.
    batches : int, optional
        The length of the window in pushes. Give one of the three. With `count` and `batches` the window numbers the
        rows and stores the numbers as times, so timestamps need another column.
    lateness : int, timedelta or str, optional
        The allowed lateness, only with `span`, which is also the default.

    Attributes
    ----------
    graph : DynamicGraph
    clock : int or None
        In the unit of the graph's times, or None before the first row.
    late : int
        Late rows of all pushes.

    See Also
    --------
    DynamicGraph.expire : Delete edges before a time.
    DynamicGraph.insert_edges : Insertion without a window.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph(5, time_unit="s", device="cpu")
    >>> window = fr.SlidingWindow(graph, span="1min")
    >>> window.push([0, 1, 2], [1, 2, 3], time=[0, 30, 50])
    WindowResult(inserted=3, replaced=0, expired=0, late=0)
    >>> window.push([1, 3], [2, 4], time=[40, 70])
    WindowResult(inserted=1, replaced=1, expired=1, late=0)
    """

    def __init__(
        self, graph: BaseDynamicGraph, span: Any = None, *, count: int | None = None, batches: int | None = None,
        lateness: Any = None,
    ):  # fmt: skip
        check_dynamic_graph(graph)
        if graph.time_unit is None:
            raise ValueError("graph must have times; make it with time_unit=")
        given = {"span": span, "count": count, "batches": batches}
        named = [name for name, value in given.items() if value is not None]
        if len(named) != 1:
            found = " and ".join(named) or "none"
            raise TypeError(f"a window has one of span, count and batches, and {found} was given")
        self.graph = graph
        self._by = named[0]
        if self._by == "span":
            self._length = as_span(span, "span", graph.time_unit)
            if not self._length:
                raise ValueError("span must be positive, got 0")
            self._lateness = self._length if lateness is None else as_span(lateness, "lateness", graph.time_unit)
        else:
            self._length = integer(given[self._by], self._by, 1)
            if lateness is not None:
                raise TypeError(f"lateness has no meaning in a window of {self._by}, which has no late records")
        graph.expire(LOWEST)  # makes the log, if there is none
        self.clock: int | None = graph.payload.table.latest_time()  # type: ignore[union-attr]
        self.late = 0
        self._counters = Counters(graph.device, COUNTERS)
        self._none = graph.xp.empty(0, np.int64)
        self._advance = 0  # of the clock, by the last batch

    def push(
        self, src: Any, dst: Any, weights: Any = None, *, time: Any = None, on_existing: str = "replace",
        **edge_data: Any,
    ) -> WindowResult:  # fmt: skip
        """Insert a batch, move the clock, and delete edges that have left the window.

        Parameters
        ----------
        src, dst, weights, on_existing, **edge_data
            As in `DynamicGraph.insert_edges`.
        time : array-like of int or of timestamps, shape (m,)
            Only with `span`.

        Raises
        ------
        TypeError, ValueError
            An argument is invalid, and neither the graph nor the clock has changed. The message names the argument.
        MemoryError
            The device's memory is exhausted. If the batch was inserted, the clock has moved, and the next call deletes
            expired edges.
        ObserverError
            The batch was inserted, but an observer failed. The next call deletes expired edges, if this one did not.

        See Also
        --------
        advance : Move the clock without a batch.
        DynamicGraph.insert_edges : Insertion without a window.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, time_unit="s", device="cpu")
        >>> window = fr.SlidingWindow(graph, span="1min")
        >>> window.push([0, 1], [1, 2], time=[0, 30]).inserted
        2
        >>> window.push([2], [3], time=[70]).expired
        1
        >>> graph.to_coo()[:2]
        (array([1, 2], dtype=int32), array([2, 3], dtype=int32))
        """
        pushed = self._push_at_once(src, dst, weights, time, on_existing, edge_data)
        if pushed is not None:
            return pushed
        xp = self.graph.xp
        late_records: Any = self._none
        keep = bounds = even = None
        if self._by == "span":
            if time is None:
                raise TypeError("push() needs time=, the time of each record")
            times = self._times.values(time)
            bounds = self._times.bounds(times, self._counters) if times.size else None
            clock, late_before = self._after(bounds)
            if late_before is not None:
                late_records, keep = xp.flatnonzero(times < late_before), xp.flatnonzero(times >= late_before)
                src, dst, weights, edge_data = self._selected(keep, times, src, dst, weights, edge_data)
                times, bounds = times[keep], None
        else:
            if time is not None:
                raise TypeError(f"a window of {self._by} numbers records itself; store times in another column")
            src = as_device_array(self.graph.device, src, "src")
            even = self._numbers(int(src.size))
            times = as_array(self.graph.device, even, 0)
            clock = even.last if even.size or not even.step else self.clock
            bounds = Bounds(even.first, even.last, ordered=True) if even.size else None
        arrivals = self._times.arrivals
        if clock is not None and arrivals is not None:  # during the insertion, for which the host synchronizes anyway
            arrivals.expect(self._begin(clock))
        version = getattr(self.graph, "version", None)  # distributed graphs have none
        try:
            with self._times.knowing(times, bounds, even):
                done = self.graph.insert_edges(src, dst, weights, on_existing=on_existing, time=times, **edge_data)
        except BaseException as error:  # including Ctrl-C, which is raised after the batch was inserted
            if isinstance(error, ObserverError) or getattr(self.graph, "version", None) != version:
                self.clock = clock
            raise
        self.clock = clock
        self.late += int(late_records.size)
        expired = self._expire().deleted
        record_ids = getattr(done, "record_ids", None)
        if record_ids is not None and keep is not None:
            ids, record_ids = record_ids, xp.full(keep.size + late_records.size, -1, np.int64)
            record_ids[keep] = ids
        return WindowResult(done.inserted, done.replaced, expired, int(late_records.size), late_records, record_ids)

    def advance(self, now: Any) -> WindowResult:
        """Move the clock to `now` without a batch, and delete edges that have left the window.

        Parameters
        ----------
        now : int or timestamp
            The clock never moves back.

        See Also
        --------
        push : Insert a batch.
        DynamicGraph.expire : Delete edges before a time.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, time_unit="s", device="cpu")
        >>> window = fr.SlidingWindow(graph, span="1min")
        >>> window.push([0], [1], time=[0]).inserted
        1
        >>> window.advance(100).expired
        1
        """
        if self._by != "span":
            raise TypeError(f"the clock of a window of {self._by} follows records only: it cannot be moved")
        now = as_time(now, "now", self.graph.time_unit)  # type: ignore[arg-type]
        self.clock = now if self.clock is None else max(self.clock, now)
        return WindowResult(expired=self._expire().deleted, late_records=self._none)

    def state(self) -> dict[str, Any]:
        """The state of the window, without its graph, in plain values, for `from_state`.

        See Also
        --------
        from_state : Continue the window.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, time_unit="s", device="cpu")
        >>> window = fr.SlidingWindow(graph, span="1min")
        >>> window.push([0], [1], time=[20]).inserted
        1
        >>> continued = fr.SlidingWindow.from_state(graph.copy(), window.state())
        >>> continued.advance(90).expired
        1
        """
        return {
            "by": self._by, "length": self._length, "lateness": getattr(self, "_lateness", None), "clock": self.clock,
            "late": self.late,
        }  # fmt: skip

    @classmethod
    def from_state(cls, graph: BaseDynamicGraph, state: dict[str, Any]) -> SlidingWindow:
        """Continue another window on a copy of its graph, or on its graph loaded from a file.

        Parameters
        ----------
        graph : DynamicGraph
            With the contents at the time of the call of `state`.
        state : dict
            The result of `state`.

        See Also
        --------
        state : The state to continue from, with an example.
        """
        lateness = {} if state["lateness"] is None else {"lateness": state["lateness"]}
        window = cls(graph, **{state["by"]: state["length"]}, **lateness)
        window.clock, window.late = state["clock"], state["late"]
        return window

    def __repr__(self) -> str:
        unit = f" {self.graph.time_unit}" if self._by == "span" else ""
        return f"SlidingWindow({self._by}={self._length:,}{unit}, clock={self.clock}, {self.graph!r})"

    @property
    def _times(self) -> Any:
        return self.graph.payload.table.times  # type: ignore[union-attr]

    def _push_at_once(
        self, src: Any, dst: Any, weights: Any, time: Any, on_existing: str, edge_data: dict[str, Any]
    ) -> WindowResult | None:
        """`push` of a batch that kernels accept as it is, on a GPU. Returns None if it needs the general path."""
        graph, clock, numbers = self.graph, self.clock, {}
        if graph.in_parts or not graph.store.makes_update_plans or on_existing not in ("replace", "keep"):
            return None
        lateness = None
        if self._by == "span":
            edge_data = edge_data | {TIME: time}
            lateness = self._lateness
        elif time is None:
            numbers = {"first_time": 0 if clock is None else clock + 1, "time_step": self._by == "count"}
        records = plain_records(graph, src, dst, weights, edge_data, keep=on_existing == "keep", **numbers)
        if records is None:
            return None
        # The expected start of the window, corrected below if it is wrong.
        expected = LOWEST if clock is None else self._begin(min(clock + 2 * self._advance + 1, HIGHEST))
        return _push_plain(graph, self, records, Window(clock, self._length - 1, lateness, expected))

    def _moved(self, clock: int) -> int:
        """Move the clock, delete edges that left the window unexpectedly, and return their number."""
        self._advance = 0 if self.clock is None else clock - self.clock
        self.clock = clock
        arrivals = self._times.arrivals
        if arrivals is None or arrivals.may_begin_before(self._begin(clock)):
            return self._expire().deleted
        return 0

    def _after(self, bounds: Bounds | None) -> tuple[int | None, int | None]:
        """The clock after times with these bounds, and the time before which rows are late, if any are."""
        if bounds is None:
            return self.clock, None
        first, last, _ = bounds
        clock = last if self.clock is None else max(self.clock, last)
        late_before = clock - self._length + 1
        if self.clock is not None:
            late_before = max(late_before, self.clock - self._lateness)
        return clock, min(late_before, HIGHEST) if first < late_before else None

    def _selected(self, keep: Any, times: Any, src: Any, dst: Any, weights: Any, edge_data: dict[str, Any]) -> Any:
        """The rows at some positions of a batch."""
        given = {"src": src, "dst": dst, "weights": weights, **edge_data}
        given = {name: values for name, values in given.items() if values is not None}
        arrays = {name: as_device_array(self.graph.device, values, name) for name, values in given.items()}
        same_length(time=times, **arrays)
        kept = {name: array[keep] for name, array in arrays.items()}
        return kept.pop("src", None), kept.pop("dst", None), kept.pop("weights", None), kept

    def _numbers(self, size: int) -> EvenTimes:
        """The numbers of a batch of so many rows."""
        return EvenTimes(0 if self.clock is None else self.clock + 1, int(self._by == "count"), size)

    def _expire(self) -> UpdateResult:
        if self.clock is None:
            return UpdateResult()
        return self.graph.expire(self._begin(self.clock))

    def _begin(self, clock: int) -> int:
        """The earliest time in the window."""
        return max(clock - self._length + 1, LOWEST)


@update
def _push_plain(
    graph: BaseDynamicGraph, window: SlidingWindow, records: PlainBatch, limits: Window
) -> WindowResult | None:  # fmt: skip
    """Push rows by kernels. Return None if they need the general path."""
    done = push(graph, records, limits)
    if done is None:
        return None
    unexpected = window._moved(done.last if window.clock is None else max(window.clock, done.last))
    copies = 1 if graph.directed else 2
    expired = done.deleted // copies + unexpected
    return WindowResult(done.inserted // copies, done.found // copies, expired, 0, window._none)
