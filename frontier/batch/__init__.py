"""Batches of edges: checked, brought to the graph's types, and turned into arcs.

An *arc* is one direction of an edge, which is what structures store: an edge of a directed graph is one arc, of an
undirected graph two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import as_ids, as_weights, same_length
from ..runtime import Alarm, Device, load_kernels
from ..values import integer

OUT_OF_RANGE, ABSENT, NAN_WEIGHT = 0, 1, 2  # what the counters count


class Arcs:
    """A batch of arcs on the graph's device, in the batch's order.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        An arc with ``src < 0`` came from a self-loop or a bad id and is to be ignored.
    weights : array, shape (m,), or None
    problems : array of int64, shape (3,), or None
        On the device. Until the batch has been checked, they are nonzero once something bad was found in it: kernels
        that look at them may be queued before the host knows.
    """

    def __init__(self, src: Any, dst: Any, weights: Any, check: Any = None, problems: Any = None):
        self.src = src
        self.dst = dst
        self.weights = weights
        self.problems = problems
        self._check = check

    def __len__(self) -> int:
        return int(self.src.size)

    def check(self, *, waited: bool = False) -> Arcs:
        """Wait for the batch to be examined, and raise if anything in it is bad. Costs nothing the second time.

        Parameters
        ----------
        waited : bool
            The host has waited for the device since the batch was made, so that it need not do so again.
        """
        if self._check is not None:
            check, self._check, self.problems = self._check, None, None
            check(waited)
        return self

    def valid(self, xp: Any) -> Arcs:
        """The checked batch without the arcs that are to be ignored."""
        self.check()
        keep = self.src >= 0
        if bool(keep.all()):
            return self
        keep = xp.flatnonzero(keep)
        return Arcs(self.src[keep], self.dst[keep], None if self.weights is None else self.weights[keep])


class ArcMaker:
    """Checks a graph's batches and turns their edges into arcs, in one pass on the device.

    Parameters
    ----------
    device : Device
    vertex_dtype : dtype
        Of the graph's ids.
    weight_dtype : dtype or None
        Of the graph's weights; None where the graph has none.
    """

    def __init__(self, device: Device, vertex_dtype: np.dtype, weight_dtype: np.dtype | None):
        self.device = device
        self.vertex_dtype = vertex_dtype
        self.weight_dtype = weight_dtype
        # All zero except between a bad batch and its error, so that no batch has to clear them.
        self._problems = device.xp.zeros(3, np.int64)
        self._alarm = Alarm(device)
        self._unchecked = False  # whether the last batch may have left something there
        self._kernels: dict[np.dtype, Any] = {}

    def arcs(
        self, src: Any, dst: Any, weights: Any = None, *, num_vertices: int, directed: bool, absent: Any,
        weighted: bool = False, drop_loops: bool = True,
    ) -> Arcs:  # fmt: skip
        """A batch as arcs.

        Parameters
        ----------
        weighted : bool
            Give the arcs weights, 1 if there are none, in a graph that has them.
        absent : array of bool, shape (num_vertices,), or None
            Which ids name no vertex.
        drop_loops : bool
            Mark self-loops to be ignored.

        Raises
        ------
        TypeError, ValueError
            At once for what the host can see (types, shapes); from `Arcs.check` for what only a look at the values
            shows: an id that is out of range or names a deleted vertex, a NaN weight. A batch that has not been checked
            when the next one is made, because something else failed before, is forgotten.
        """
        device, xp = self.device, self.device.xp
        src, dst = as_ids(device, src, "src"), as_ids(device, dst, "dst")
        if src.dtype != dst.dtype:
            src, dst = src.astype(np.int64), dst.astype(np.int64)
        if weights is not None:
            if self.weight_dtype is None:
                raise ValueError("weights were given, but this graph has none: make it with weights to keep them")
            weights = as_weights(device, weights, "weights", self.weight_dtype)
        same_length(src=src, dst=dst, weights=weights)
        count = int(src.size)
        total = count if directed else 2 * count
        out_src, out_dst = xp.empty(total, self.vertex_dtype), xp.empty(total, self.vertex_dtype)
        out_weights = None
        if self.weight_dtype is not None and weighted:
            out_weights = xp.empty(total, self.weight_dtype)
            if weights is None:
                out_weights.fill(1)
        problems, alarm = self._problems, self._alarm
        if self._unchecked:  # something failed before the last batch was
            device.synchronize()
            if alarm.raised():
                problems.fill(0)
        self._unchecked = count > 0
        self._kernels_for(src.dtype).prepare(
            count, src, dst, weights, num_vertices, absent, directed, drop_loops, out_src, out_dst,
            out_weights if weights is not None else None, problems, alarm.pointer,
        )  # fmt: skip

        def check(waited: bool) -> None:
            if not waited:
                device.synchronize()
            self._unchecked = False
            if alarm.raised():
                found = problems.tolist()
                problems.fill(0)
                _explain(device, found, src, dst, weights, num_vertices, absent)

        return Arcs(out_src, out_dst, out_weights, check, problems)

    def _kernels_for(self, id_dtype: np.dtype) -> Any:
        """The kernels for users' ids of a type."""
        found = self._kernels.get(id_dtype)
        if found is None:
            weight = self.weight_dtype or np.dtype(np.float32)
            defines = {"ID": id_dtype, "VID": self.vertex_dtype, "WEIGHT": weight}
            found = self._kernels[id_dtype] = load_kernels("frontier.batch", self.device, defines)
        return found


def check_ids(device: Device, ids: Any, name: str, num_vertices: int, absent: Any = None) -> Any:
    """`ids` as a device array, each within the graph.

    Raises
    ------
    ValueError
        An id is outside ``[0, num_vertices)`` or names a deleted vertex.
    """
    ids = as_ids(device, ids, name)
    if ids.size:
        _range_error(device, ids, name, num_vertices)
        if absent is not None:
            _absent_error(device, ids, name, absent)
    return ids


def check_id(vertex: Any, name: str, num_vertices: int, absent: Any = None) -> int:
    """`vertex` as an int, an id within the graph.

    Raises
    ------
    TypeError
        It is no integer.
    ValueError
        It is outside ``[0, num_vertices)`` or names a deleted vertex.
    """
    vertex = integer(vertex, name)
    if not 0 <= vertex < num_vertices:
        raise ValueError(f"{name} is {vertex}, {_outside(num_vertices)}; insert_vertices() extends them")
    if absent is not None and bool(absent[vertex]):
        raise ValueError(f"{name} is {vertex}, a vertex that was deleted; insert_vertices([{vertex}]) brings it back")
    return vertex


def _outside(num_vertices: int) -> str:
    if not num_vertices:
        return "outside the graph, which has no vertices"
    return f"outside the graph's vertices 0..{num_vertices - 1}"


def _explain(device: Device, problems: list[int], src: Any, dst: Any, weights: Any, n: int, absent: Any) -> None:
    """Raise the error that names what is wrong with a batch."""
    if problems[OUT_OF_RANGE]:
        _range_error(device, src, "src", n)
        _range_error(device, dst, "dst", n)
    if problems[ABSENT]:
        _absent_error(device, src, "src", absent)
        _absent_error(device, dst, "dst", absent)
    if problems[NAN_WEIGHT]:
        where = int(device.xp.flatnonzero(device.xp.isnan(weights))[0])
        raise ValueError(f"weights[{where}] is NaN; {problems[NAN_WEIGHT]} in the batch are")


def _range_error(device: Device, ids: Any, name: str, num_vertices: int) -> None:
    bad = device.xp.flatnonzero((ids < 0) | (ids >= num_vertices))
    if bad.size:
        where = int(bad[0])
        raise ValueError(
            f"{name}[{where}] is {int(ids[where])}, {_outside(num_vertices)} ({bad.size} such ids); "
            "insert_vertices() extends them"
        )


def _absent_error(device: Device, ids: Any, name: str, absent: Any) -> None:
    bad = device.xp.flatnonzero(absent[ids])
    if bad.size:
        where = int(bad[0])
        raise ValueError(
            f"{name}[{where}] is {int(ids[where])}, a vertex that was deleted ({bad.size} such ids); "
            "insert_vertices([ids]) brings it back"
        )
