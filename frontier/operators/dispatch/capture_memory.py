"""Memory of operators while launches are captured (`CapturedBatchStep`), with device counters for the host's decisions.

A capture is replayed without the host's Python code. So its own launches set counters to zero, and the device counts
the epochs that distinguish the members of outputs (`Workspace.next_epochs`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.base import BaseGraph, BaseStore
from frontier.runtime import Scratch, Workspace, fill_with
from frontier.runtime.launch.arguments import ByValue
from frontier.runtime.launch.recorder import recorder

from ..frontiers.deferred import DeferredFrontier

COUNTERS = 256  # int64 numbers, which one launch zeroes: at most the capacity of the smallest batches
MAX_LOWERED = 2**30  # visits after which stamps are cleared, if there was no traversal that would have done it


class CaptureSpace:
    """Memory of a workspace that all of its captures share, since they are replayed one after another.

    `lists`, of shape (2, num_vertices), is for the frontiers of a traversal. `stamps` has the number, negative, of the
    latest output with each vertex. `latest`, of one entry, has the lowest so far. Both are int32. `outputs` are outputs
    of operators, the k-th of every capture at the same address, and arrays of traversals.
    """

    def __init__(self, graph: BaseGraph):
        xp, n = graph.xp, graph.num_vertices
        self.num_vertices = n
        self.lists = xp.empty((2, n), graph.vertex_dtype)
        self.stamps = xp.zeros(n, np.int32)
        self.latest = xp.zeros(1, np.int32)
        self.outputs = Scratch(graph.device)
        self._lowered = 0
        self._trailing = 0  # visits of the last replay, after its last traversal

    def arrays(self) -> list[Any]:
        """All arrays."""
        return [self.lists, self.stamps, self.latest, *self.outputs.arrays()]

    def next_run(self, visits: int, trailing: int) -> int:
        """The number by which `latest` is lowered before a replay with `visits` outputs, `trailing` of them after its
        last traversal."""
        self._lowered += visits
        if self._lowered > MAX_LOWERED:
            fill_with(self.stamps, 0)
            fill_with(self.latest, 0)
            self._lowered = self._trailing = 0
        lower, self._trailing = self._trailing, trailing
        return lower


class CaptureArena:
    """The memory of one capture, as operators request it in their order.

    `views` are the graph, and its reverse if it stores in-edges, with their views. `visits` outputs have a number each,
    `trailing` of them after the last traversal. The first launch of the capture zeroes `zeros`.
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
        """The view of a store for this thread during its capture: of the captured graph, or of its reverse."""
        return next((view for each, view in self._views if each is store), None)

    def counters(self, count: int) -> Any:
        """Numbers that are zero at the start of each replay."""
        if self._used + count > COUNTERS:
            self._counters = fill_with(self.graph.xp.empty(COUNTERS, np.int64), 0)  # which is captured
            self._used = 0
        self._used += count
        return self._counters[self._used - count : self._used]

    def output(self, size: int) -> Any:
        """A list for the output vertices of an operator."""
        self._outputs += 1
        return self._shared().outputs.get(f"output {self._outputs}", size, self.graph.vertex_dtype)

    def frontier(self, graph: BaseGraph, vertices: Any, number: Any) -> DeferredFrontier:
        """`Frontier.listed`."""
        return DeferredFrontier(graph, vertices, number)

    def visit_epoch(self) -> tuple[Any, np.int32, Any]:
        """Stamps, the difference between the latest number and the number of an output, and the array `latest`."""
        space = self._shared()
        self.visits += 1
        self.trailing += 1
        return space.stamps, np.int32(self.trailing), space.latest

    def traversal(self) -> tuple[Any, Any, np.int32, Any]:
        """Two lists, stamps, the difference between the latest number and the numbers of earlier outputs, and the array
        `latest`."""
        space = self._shared()
        trailing, self.trailing = self.trailing, 0
        return space.lists, space.stamps, np.int32(trailing), space.latest

    def scratch(self, name: str, size: int, dtype: Any) -> Any:
        """Memory of a traversal, which the next one may reuse, by `name`."""
        return self._shared().outputs.get(f"traversal {name}", size, dtype)

    def _shared(self) -> CaptureSpace:
        if self.space is None:
            held = self._work.record_space
            if held is None or held.num_vertices != self.graph.num_vertices:
                held = self._work.record_space = CaptureSpace(self.graph)
            self.space = held
        return self.space


def recording() -> CaptureArena | None:
    """The memory of the present capture, or None."""
    launches = recorder.launches
    return None if launches is None else launches.memory


def refuse_to_convert(graph: BaseGraph, *ids: Any) -> None:
    """Raise RuntimeError during a capture if kernels cannot read arrays without conversion: copies would be made once,
    and not in each replay."""
    if recorder.launches is not None and not all(
        isinstance(part, graph.xp.ndarray) and part.dtype == graph.vertex_dtype and part.flags.c_contiguous
        for part in ids
    ):
        raise RuntimeError(
            "launches are being captured, and replays repeat no conversions: pass contiguous arrays of "
            f"{graph.vertex_dtype}"
        )
