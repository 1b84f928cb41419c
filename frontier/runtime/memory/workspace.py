"""What calls work with and leave behind for the next call: scratch memory, counters, marks of vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Device
from .scratch import Counters, OutputArena, Scratch


class Workspace:
    """The memory with which one thread (on a GPU: in one stream) works on a graph."""

    def __init__(self, device: Device, stream: int = 0):
        self.stream = stream  # its address, on a GPU
        self.scratch = Scratch(device)
        self.counters = Counters(device, 4)  # output vertices, arcs that leave them, and two more of an operator
        self.number = Counters(device, 1)  # that a kernel hands to the host, and is not added up
        self.outcome = Counters(device, 4)  # of a series of advances in one launch, likewise
        self.arc_maker: Any = None  # an `ArcMaker` of the graph, as are the next two
        self.staging: Any = None  # a `Staging` for small batches from the host
        self.pushes: Any = None  # `Pushes` of batches with edge data on a GPU
        self.record_space: Any = None  # a `CaptureSpace` of operators
        self.room: OutputArena | None = None  # output of `advance` from few vertices on a GPU
        self.graph_argument: Any = None  # the view for functors that walk the graph, and its copy on a GPU
        self.epoch = 0  # of the latest push; ``stamps[v] == epoch`` marks v as a member of its output
        self._stamps: Any = None
        self._stamps_address = 0  # on a GPU
        self._open = False  # whether epochs were handed out and it is not known how many of them were used

    def arrays(self) -> list[Any]:
        """All that is held."""
        own = self.counters, self.number, self.outcome, self._stamps, self.arc_maker, self.staging, self.graph_argument
        return [*self.scratch.arrays(), *self._kept_arrays(), *own]

    def nbytes(self) -> int:
        """Bytes that operators keep between calls."""
        return self.scratch.nbytes() + sum(int(array.nbytes) for array in self._kept_arrays())

    def _kept_arrays(self) -> list[Any]:
        """Those of what is kept for its launches."""
        arrays = [array for kept in (self.record_space, self.pushes) if kept is not None for array in kept.arrays()]
        return arrays if self.room is None else [*arrays, self.room.array]

    def next_stamps(self, graph: Any) -> tuple[Any, Any]:
        """The stamp array and a number that it does not hold yet."""
        stamps = self._stamps_for(graph, 1)
        self.epoch += 1
        return stamps, np.int32(self.epoch)

    def next_stamp(self, graph: Any) -> int:
        """`next_stamps` as a GPU has it: the address of the array; the number is `epoch`."""
        self._stamps_for(graph, 1)
        self.epoch += 1
        return self._stamps_address

    def next_epochs(self, graph: Any, count: int) -> tuple[Any, Any]:
        """The stamp array and the first of `count` numbers that it does not hold yet."""
        stamps = self._stamps_for(graph, count)
        self._open = True
        return stamps, np.int32(self.epoch + 1)

    def used_epochs(self, count: int) -> None:
        """Say that so many numbers from `next_epochs` were used."""
        self.epoch += count
        self._open = False

    def _stamps_for(self, graph: Any, count: int) -> Any:
        """The stamp array, which holds none of the `count` numbers after `epoch`."""
        stamps = self._stamps
        if stamps is None or stamps.size < graph.num_vertices or self.epoch + count >= 2**31 or self._open:
            self._stamps = stamps = graph.xp.zeros(graph.num_vertices, np.int32)
            self._stamps_address = stamps.data.ptr if graph.device.is_gpu else 0
            self.epoch = 0
            self._open = False
        return stamps
