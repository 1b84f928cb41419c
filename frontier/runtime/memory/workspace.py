"""What calls work with and leave behind for the next call: scratch memory, counters, marks of vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Device
from .scratch import Counters, OutputArena, Scratch


class Workspace:
    """The memory with which one thread (on a GPU: in one stream) works on a graph.

    Attributes
    ----------
    stream : int
        The address of the stream, on a GPU.
    scratch : Scratch
    counters : Counters
        Output vertices, arcs that leave them, and two more numbers an operator may use.
    number : Counters
        A number that a kernel hands to the host, and is not added up.
    outcome : Counters
        Those of a series of advances in one launch, likewise.
    epoch : int
        Number of the latest push; ``stamps[v] == epoch`` marks v as a member of its output.
    arc_maker : ArcMaker or None
        What checks batches; the graph puts it here.
    staging : Staging or None
        What copies small batches of the host to the GPU; likewise.
    pushes : Pushes or None
        What batches with edge data are pushed with on a GPU; likewise.
    record_space : CaptureSpace or None
        What operators work with whose launches were recorded; they put it here.
    room : OutputArena or None
        Memory for the vertices that `advance` from few puts out on a GPU.
    graph_argument : tuple or None
        The graph's view as functors on a GPU have it that walk the graph, and its copy there; operators put it here.
    """

    def __init__(self, device: Device, stream: int = 0):
        self.stream = stream
        self.scratch = Scratch(device)
        self.counters = Counters(device, 4)
        self.number = Counters(device, 1)
        self.outcome = Counters(device, 4)
        self.arc_maker: Any = None
        self.staging: Any = None
        self.pushes: Any = None
        self.record_space: Any = None
        self.room: OutputArena | None = None
        self.graph_argument: Any = None
        self.epoch = 0
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
