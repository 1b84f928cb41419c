"""Batches of edges: validated, converted to the graph's types, and expanded into arcs.

An *arc* is one direction of an edge. Structures store arcs: an edge of a directed graph is one arc, of an undirected
graph two.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from frontier.runtime import CPU, Device, ErrorFlag, Kernels, Scratch, load_kernels
from frontier.runtime.arrays import NAMES_HINT, as_ids, as_weights, same_length
from frontier.runtime.launch.arguments import Field, Struct
from frontier.runtime.memory import elementwise
from frontier.runtime.values import integer

OUT_OF_RANGE, ABSENT, NAN_WEIGHT = 0, 1, 2  # indices of the error counts
MAX_PASSING = 1 << 18
"""Edges of a batch whose arcs may be copied to persistent memory. For larger batches, allocations matter little."""
PREPARED = (
    "src", "dst", "weights", "num_vertices", "absent", "directed", "drop_loops", "out_src", "out_dst", "out_weights",
)  # fmt: skip
"""The arguments of the kernel `prepare` that change from batch to batch."""


class Arcs:
    """A batch of arcs on the graph's device, in the batch's order. `weights` may be None.

    Arcs with ``src < 0`` come from self-loops or invalid ids and are ignored. Arcs of invalid ids have ``dst < 0``,
    too. `error_counts` (int64, shape (3,), on the device. None once checked) are nonzero if the batch is invalid:
    kernels that read them can be enqueued before the host synchronizes.
    """

    def __init__(self, src: Any, dst: Any, weights: Any, check: Any = None, error_counts: Any = None):
        self.src = src
        self.dst = dst
        self.weights = weights
        self.size = src.size
        self.error_counts = error_counts
        self._check = check

    def __len__(self) -> int:
        return self.size

    @property
    def kinds(self) -> tuple[np.dtype, ...]:
        """The types of sources, destinations, and weights if there are any."""
        ends = self.src.dtype, self.dst.dtype
        return ends if self.weights is None else (*ends, self.weights.dtype)

    @property
    def addresses(self) -> tuple[int, int, int]:
        """The addresses of the sources, the destinations and the weights on a GPU. 0 for no weights."""
        weights = self.weights
        return self.src.data.ptr, self.dst.data.ptr, 0 if weights is None else weights.data.ptr

    def check(self, *, waited: bool = False) -> Arcs:
        """Synchronize unless the host has `waited`, and raise if the batch is invalid. Free on later calls."""
        if self._check is not None:
            check, self._check, self.error_counts = self._check, None, None
            check(waited)
        return self

    def valid(self, xp: Any) -> Arcs:
        """The checked batch without ignored arcs."""
        self.check()
        keep = self.src >= 0
        if not keep.size or int(keep.view(np.int8).min()):  # for `all`, CuPy compiles CUB for seconds
            return self
        keep = xp.flatnonzero(keep)
        return Arcs(self.src[keep], self.dst[keep], None if self.weights is None else self.weights[keep])


class TransientArcs(Arcs):
    """Arcs in memory that the next batch reuses, on a GPU.

    Its arrays are sliced on demand: making one costs the host half as long as a launch.
    """

    def __init__(self, room: ArcBuffer, count: int, held: Any, check: Any, error_counts: Any):
        self._room = room
        self.size = count
        self._held = held  # memory of weights, or None
        self.error_counts = error_counts
        self._check = check

    @cached_property
    def src(self) -> Any:  # type: ignore[override]
        return self._room.src[: self.size]

    @cached_property
    def dst(self) -> Any:  # type: ignore[override]
        return self._room.dst[: self.size]

    @cached_property
    def weights(self) -> Any:  # type: ignore[override]
        return None if self._held is None else self._held[: self.size]

    @property
    def kinds(self) -> tuple[np.dtype, ...]:
        room, held = self._room, self._held
        ends = room.src.dtype, room.dst.dtype
        return ends if held is None else (*ends, held.dtype)

    @property
    def addresses(self) -> tuple[int, int, int]:
        room, held = self._room, self._held
        return *room.ends, 0 if held is None else held.data.ptr


class ArcBuffer:
    """Memory for the arcs of one batch after another: `size` of them, with `ones` for batches without weights."""

    __slots__ = ("dst", "ends", "ones", "size", "src", "weights")

    def __init__(self, scratch: Scratch, size: int, vertex_dtype: np.dtype, weight_dtype: np.dtype | None):
        self.size = size
        self.src = scratch.get("arc_src", size, vertex_dtype)
        self.dst = scratch.get("arc_dst", size, vertex_dtype)
        self.ends = self.src.data.ptr, self.dst.data.ptr
        self.weights = self.ones = None
        if weight_dtype is not None:
            self.weights = scratch.get("arc_weights", size, weight_dtype)
            self.ones = scratch.get("arc_ones", size, weight_dtype, fill=1)


class ArcMaker:
    """Validates the batches of a graph and expands their edges into arcs, in one pass on the device."""

    def __init__(
        self, device: Device, vertex_dtype: np.dtype, weight_dtype: np.dtype | None, scratch: Scratch
    ):  # fmt: skip
        self.device = device
        self.vertex_dtype = vertex_dtype
        self.weight_dtype = weight_dtype
        # All zero except between an invalid batch and its error, so batches need not clear them.
        self._error_counts = device.xp.zeros(3, np.int64)
        self._error_flag = ErrorFlag(device)
        self._unchecked = False  # whether the last batch may have left error counts
        self._scratch = scratch
        self._room: ArcBuffer | None = None
        self._values = Struct(PREPARED)
        self._prepare: dict[np.dtype, Any] = {}  # the kernel, by the dtype of the ids, bound on a GPU

    def arcs(
        self, src: Any, dst: Any, weights: Any = None, *, num_vertices: int, directed: bool, absent: Any,
        weighted: bool = False, drop_loops: bool = True, passing: bool = False,
    ) -> Arcs:  # fmt: skip
        """Return a batch as arcs.

        With `weighted`, arcs of a weighted graph get weights, 1 by default. `drop_loops` marks self-loops, which
        are ignored. The arrays of `passing` arcs may be reused by the next batch. Raises TypeError and ValueError
        immediately for types and shapes, and from `Arcs.check` for values: an id that is out of range or names a
        deleted vertex, or a NaN weight. The next batch drops the errors of an unchecked one.
        """
        device, xp = self.device, self.device.xp
        src, dst = as_ids(device, src, "src"), as_ids(device, dst, "dst")
        if src.dtype != dst.dtype:
            src, dst = src.astype(np.int64), dst.astype(np.int64)
        if weights is not None:
            refuse_weights(self.weight_dtype)
            weights = as_weights(device, weights, "weights", self.weight_dtype)
        if src.size != dst.size or weights is not None:
            same_length(src=src, dst=dst, weights=weights)
        count = int(src.size)
        total = count if directed else 2 * count
        weighted = weighted and self.weight_dtype is not None
        error_counts, error_flag = self._error_counts, self._error_flag

        def check(waited: bool) -> None:
            if device.is_gpu and not waited:
                device.synchronize()
            self._unchecked = False
            if error_flag.raised():
                found = error_counts.tolist()
                error_counts.fill(0)
                explain_errors(device, found, src, dst, weights, num_vertices, absent)

        arcs: Arcs
        if passing and device.is_gpu and 0 < count <= MAX_PASSING:
            room = self._room
            if room is None or room.size < total:
                size = 1 << (total - 1).bit_length()
                room = self._room = ArcBuffer(self._scratch, size, self.vertex_dtype, self.weight_dtype)
            held = None if not weighted else room.ones if weights is None else room.weights
            arcs = TransientArcs(room, total, held, check, error_counts)
        else:
            out_src, out_dst = xp.empty(total, self.vertex_dtype), xp.empty(total, self.vertex_dtype)
            out_weights = None
            if weighted:
                if weights is None:
                    out_weights = elementwise.full(device, total, 1, self.weight_dtype)
                else:
                    out_weights = xp.empty(total, self.weight_dtype)
            arcs = Arcs(out_src, out_dst, out_weights, check, error_counts)
        if self._unchecked:  # a failure prevented the check of the last batch
            device.synchronize()
            if error_flag.raised():
                error_counts.fill(0)
        self._unchecked = count > 0
        prepare = self._prepare.get(src.dtype) or self._load(src.dtype)
        if not device.is_gpu:
            prepare(
                count, src, dst, weights, num_vertices, absent, directed, drop_loops, arcs.src, arcs.dst,
                arcs.weights if weights is not None else None, error_counts, error_flag.pointer,
            )  # fmt: skip
        elif count:
            to_src, to_dst, to_weights = arcs.addresses
            from_weights, to_weights = (0, 0) if weights is None else (weights.data.ptr, to_weights)
            self._values.set(
                src.data.ptr, dst.data.ptr, from_weights, num_vertices, 0 if absent is None else absent.data.ptr,
                directed, drop_loops, to_src, to_dst, to_weights,
            )  # fmt: skip
            prepare(count)
        return arcs

    def _load(self, id_dtype: np.dtype) -> Any:
        """Return the kernel for ids of a dtype. On a GPU it is bound to `_values`."""
        prepare: Any = batch_kernels(self.device, id_dtype, self.vertex_dtype, self.weight_dtype).prepare
        if self.device.is_gpu:
            changing = (Field(self._values, name) for name in PREPARED)
            prepare = prepare.bind(*changing, self._error_counts, self._error_flag.pointer)
        self._prepare[id_dtype] = prepare
        return prepare


def batch_kernels(device: Device, id_dtype: np.dtype, vertex_dtype: np.dtype, weight_dtype: np.dtype | None) -> Kernels:
    """The kernels for users' ids of a type, and a graph's."""
    weight = weight_dtype or np.dtype(np.float32)
    return load_kernels("frontier.core.batch", device, {"ID": id_dtype, "VID": vertex_dtype, "WEIGHT": weight})


def check_ids(device: Device, ids: Any, name: str, num_vertices: int, absent: Any = None) -> Any:
    """Return `ids` as a device array. ValueError if one is outside ``[0, num_vertices)`` or names a deleted vertex."""
    # Ids of the host are checked before they are copied to the device, so the host need not synchronize with it.
    there = CPU if isinstance(ids, np.ndarray | list | tuple | range) else device
    ids = as_ids(there, ids, name)
    if ids.size:
        _range_error(there, ids, name, num_vertices)
    ids = ids if there is device else device.xp.asarray(ids)
    if absent is not None and ids.size:
        _absent_error(device, ids, name, absent)
    return ids


def check_id(vertex: Any, name: str, num_vertices: int, absent: Any = None) -> int:
    """Return `vertex` as an int. TypeError if it is no integer, ValueError as `check_ids`."""
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


def explain_errors(
    device: Device, error_counts: list[int], src: Any, dst: Any, weights: Any, n: int, absent: Any
) -> None:  # fmt: skip
    """Raise the error that names the fault of a batch, if it has one."""
    if error_counts[OUT_OF_RANGE]:
        _range_error(device, src, "src", n)
        _range_error(device, dst, "dst", n)
    if error_counts[ABSENT]:
        _absent_error(device, src, "src", absent)
        _absent_error(device, dst, "dst", absent)
    if error_counts[NAN_WEIGHT]:
        where = int(device.xp.flatnonzero(device.xp.isnan(weights))[0])
        count = error_counts[NAN_WEIGHT]
        number = "is one NaN" if count == 1 else f"are {count} NaNs"
        raise ValueError(f"weights[{where}] is NaN; there {number} in the batch, and weights must be numbers")


def refuse_weights(weight_dtype: np.dtype | None) -> None:
    """Raise ValueError in a graph without weights, for which some were given."""
    if weight_dtype is None:
        raise ValueError("weights were given, but this graph has none: make it with weight_dtype= to store them")


SMALL_IDS = 4096
"""Up to this many weights are checked on the host, faster than by kernels that CuPy compiles at first use."""


def _range_error(device: Device, ids: Any, name: str, num_vertices: int) -> None:
    xp, ids = (np, device.to_host(ids)) if device.is_gpu and ids.size <= SMALL_IDS else (device.xp, ids)
    bad = xp.flatnonzero((ids < 0) | (ids >= num_vertices))
    if bad.size:
        where = int(bad[0])
        hint = "insert_vertices() extends them" if ids[where] >= 0 else f"ids count from 0; {NAMES_HINT}"
        raise ValueError(f"{name}[{where}] is {int(ids[where])}, {_outside(num_vertices)} ({_such_ids(bad)}); {hint}")


def _absent_error(device: Device, ids: Any, name: str, absent: Any) -> None:
    bad = device.xp.flatnonzero(absent[ids])
    if bad.size:
        where = int(bad[0])
        raise ValueError(
            f"{name}[{where}] is {int(ids[where])}, a vertex that was deleted ({_such_ids(bad)}); "
            "insert_vertices([ids]) brings it back"
        )


def _such_ids(bad: Any) -> str:
    return f"{bad.size} such id{'s' * (bad.size != 1)}"
