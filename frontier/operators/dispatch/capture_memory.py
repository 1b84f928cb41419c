"""Memory of operators while launches are captured (`CapturedBatchStep`), in place of what the host would choose.

A record is repeated without the host's part in it. So counters are set to zero by the record itself, and the epochs
that tell members of an output apart (`Workspace.next_epochs`) are counted on the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.base import BaseGraph, BaseStore
from frontier.runtime import Scratch, Workspace, fill_with
from frontier.runtime.launch.arguments import ByValue
from frontier.runtime.launch.recorder import recorder

from ..frontiers.deferred import DeferredFrontier

COUNTERS = 256  # int64 numbers, which one launch sets to zero: as many as the smallest batches have room for
MAX_LOWERED = 2**30  # visits after which stamps are cleared, if there was no traversal that would have done it


class CaptureSpace:
    """Memory of a workspace that all of its records share, since they run one after another.

    `lists`, of shape (2, num_vertices), is for the frontiers of a traversal. `stamps` has the number, negative, of the
    latest output with each vertex; `latest`, of one entry, the lowest so far; both are int32. `outputs` are outputs of
    operators, the k-th of any record at the same place, and arrays of traversals.
    """

    def __init__(self, graph: BaseGraph):
        xp, n = graph.xp, graph.num_vertices
        self.num_vertices = n
        self.lists = xp.empty((2, n), graph.vertex_dtype)
        self.stamps = xp.zeros(n, np.int32)
        self.latest = xp.zeros(1, np.int32)
        self.outputs = Scratch(graph.device)
        self._lowered = 0
        self._trailing = 0  # visits of the last record that ran which came after its last traversal

    def arrays(self) -> list[Any]:
        """All that is held."""
        return [self.lists, self.stamps, self.latest, *self.outputs.arrays()]

    def next_run(self, visits: int, trailing: int) -> int:
        """How far `latest` is to be lowered before a record runs, in which so many visits put out, the last ones after
        its last traversal."""
        self._lowered += visits
        if self._lowered > MAX_LOWERED:
            fill_with(self.stamps, 0)
            fill_with(self.latest, 0)
            self._lowered = self._trailing = 0
        lower, self._trailing = self._trailing, trailing
        return lower


class CaptureArena:
    """The memory of one record, as operators ask for it in their order.

    `views` are the graph, and its reverse if it keeps in-edges, with their views. `visits` outputs have a number each,
    `trailing` of them after the last traversal. The first launch of the record zeroes `zeros`.
    """

    def __init__(self, graph: BaseGraph, views: list[tuple[BaseStore, ByValue]], work: Workspace):
        self.graph = graph
        self._views = views
        self._work = work
        self.zeros = self._counters = graph.xp.empty(COUNTERS, np.int64)
        self._used = 0
        self._outputs = 0
        self.space: CaptureSpace | None = None
        self.visits = self.trailing = 0

    def view_of(self, store: BaseStore) -> ByValue | None:
        """The view of a store for this thread while it records: of the record's graph, or of its reverse."""
        return next((view for each, view in self._views if each is store), None)

    def counters(self, count: int) -> Any:
        """Numbers that are zero whenever the record runs."""
        if self._used + count > COUNTERS:
            self._counters = fill_with(self.graph.xp.empty(COUNTERS, np.int64), 0)  # which is recorded
            self._used = 0
        self._used += count
        return self._counters[self._used - count : self._used]

    def output(self, size: int) -> Any:
        """A list for the vertices that an operator puts out."""
        self._outputs += 1
        return self._shared().outputs.get(f"output {self._outputs}", size, self.graph.vertex_dtype)

    def frontier(self, graph: BaseGraph, vertices: Any, number: Any) -> DeferredFrontier:
        """`Frontier.listed`."""
        return DeferredFrontier(graph, vertices, number)

    def visit_epoch(self) -> tuple[Any, np.int32, Any]:
        """Stamps; how far the number of an output is below the latest one; and that."""
        space = self._shared()
        self.visits += 1
        self.trailing += 1
        return space.stamps, np.int32(self.trailing), space.latest

    def traversal(self) -> tuple[Any, Any, np.int32, Any]:
        """Two lists; stamps; how far the numbers of the outputs before are below the latest one; and that."""
        space = self._shared()
        trailing, self.trailing = self.trailing, 0
        return space.lists, space.stamps, np.int32(trailing), space.latest

    def scratch(self, name: str, size: int, dtype: Any) -> Any:
        """Memory of a traversal's, which the next one may use: `name` says for what."""
        return self._shared().outputs.get(f"traversal {name}", size, dtype)

    def _shared(self) -> CaptureSpace:
        if self.space is None:
            held = self._work.record_space
            if held is None or held.num_vertices != self.graph.num_vertices:
                held = self._work.record_space = CaptureSpace(self.graph)
            self.space = held
        return self.space


def recording() -> CaptureArena | None:
    """The memory of the record that is being made, if there is one."""
    launches = recorder.launches
    return None if launches is None else launches.memory


def refuse_to_convert(graph: BaseGraph, *ids: Any) -> None:
    """Raise RuntimeError while launches are recorded if kernels cannot read arrays as they are: copies of them would be
    made once, and not when the launches are repeated."""
    if recorder.launches is not None and not all(
        isinstance(part, graph.xp.ndarray) and part.dtype == graph.vertex_dtype and part.flags.c_contiguous
        for part in ids
    ):
        raise RuntimeError(
            f"launches are being recorded, which repeat no conversions: take contiguous arrays of {graph.vertex_dtype}"
        )
