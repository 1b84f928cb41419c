"""PriorityFrontier: a set of vertices that is returned bucket by bucket, lowest priorities first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import check_array, check_graph, flag, integer, number
from frontier.core.base import BaseGraph
from frontier.core.locking import reads, workspace_of
from frontier.functor.intrinsics.atomics import atomic_add, atomic_exch
from frontier.runtime import threads_for
from frontier.runtime.compile import warm_up
from frontier.runtime.compile.cpu import interpreting
from frontier.runtime.compile.kernels import C_TYPES

from ..advance import Functors, push
from ..compute import compute
from ..dispatch.kernels import A_TRUTH, check_op, cpu_kernel_for, cuda_kernels_for, functor_args, read_view, run_cpu
from ..dispatch.reductions import DTYPES, identity_of
from ..dispatch.signatures import OP_PARAMETERS
from ..frontiers.frontier import Frontier, check_frontier
from ..traverse import traverse
from .cpu import STATES, Buckets, empty_buckets, make_visit_by_priority

HEADER = "frontier/operators/priority_frontier/priority_frontier.cuh"
MANY = 4096
"""Members of a bucket that several threads of a CPU visit."""
VISITS = 8
"""A CPU visits about so many times as many arcs as there are before buckets become as narrow as can be."""


class PriorityFrontier:
    """A priority queue of vertices, in buckets: lower priorities first, similar ones together.

    A bucket is all members with priorities from the lowest up to `delta` more. `pop` removes and returns the next one.
    Priorities are the caller's array and may change at any time: `pop` reads their current values. `push` inserts
    vertices, as does `fr.defer` in functors, without a host synchronization.

    `push` and `pop` cost O(members) work, for any number of vertices.

    Parameters
    ----------
    graph : Graph
    priority : array of int32, int64, float32 or float64, shape (num_vertices,)
        On the graph's device. NaN is in every bucket.
    delta : number
        Width of a bucket: an integer for integer priorities. With 0, members of a bucket have equal priorities.
    monotone : bool
        Whether `pop` may drop members whose priority falls into a popped bucket, since the loop advances within a
        bucket until nothing in it changes.

    Attributes
    ----------
    limit : array, shape (1,)
        The highest priority of the last bucket, on the graph's device, for functors that decide whether a vertex
        belongs to it. Before the first bucket, the lowest value of the type.
    deferred : array
        The argument of `fr.defer`.

    Raises
    ------
    TypeError, ValueError
        An argument is invalid.

    See Also
    --------
    defer : Insert a vertex in a functor.
    Frontier : A set without priorities.

    Notes
    -----
    On a GPU, a truth test, ``len`` and `pop` are one host synchronization each. A loop needs only `pop`, which returns
    an empty frontier at the end. Members that `pop` will drop are counted.

    Edges of the graph may change between calls, but not its vertices.

    The near and far piles of Davidson, Baxter, Garland and Owens (IPDPS 2014), and buckets of Dhulipala, Blelloch and
    Shun, "Julienne", SPAA 2017, one of which is open.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> from structures import CSR
    >>> g = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> queue = fr.PriorityFrontier(g, np.array([5, 1, 2, 9]), delta=1)
    >>> queue.push(fr.Frontier.all(g))
    >>> while bucket := queue.pop():
    ...     print(list(bucket), queue.limit)
    [1, 2] [2]
    [0] [6]
    [3] [10]
    """

    def __init__(self, graph: BaseGraph, priority: Any, delta: Any = 0, *, monotone: bool = False):
        check_graph(graph)
        check_array(graph, priority, "priority", graph.num_vertices, DTYPES)
        kind = priority.dtype
        self.graph = graph
        self.priority = priority
        self._delta = _width(delta, kind)
        self._is_monotone = flag(monotone, "monotone")
        xp, n = graph.xp, graph.num_vertices
        room = STATES + 3 * n
        self.deferred = xp.zeros(room, np.int32 if room < 2**31 else np.int64)
        self.deferred[1] = STATES + n
        self._none = identity_of("min", kind)  # which no priority is above
        self.limit = xp.full(1, identity_of("max", kind), kind)
        self._low = xp.full(1, self._none, kind)
        self._has_limit = False  # whether a bucket was popped
        self._vertex_version = graph.vertex_version
        self._buckets: Buckets | None = None  # on a CPU, all of them empty
        self._near: tuple[Any, Any] = None, None  # the functors of the latest visits on a GPU, and their calls

    def __len__(self) -> int:
        return int(self.deferred[0])

    def __bool__(self) -> bool:
        return len(self) > 0

    def __repr__(self) -> str:
        return f"PriorityFrontier({len(self):,} of {self.graph.num_vertices:,} vertices)"

    @reads
    def push(self, frontier: Frontier) -> None:
        """Insert vertices. Members stay members.

        Raises
        ------
        TypeError, ValueError
            `frontier` is no frontier of the graph, or vertices of the graph were deleted or inserted.

        See Also
        --------
        defer : Insert a vertex in a functor.
        pop : Remove the next bucket.
        """
        self._check_vertices()
        compute(check_frontier(self.graph, frontier), _join, self.deferred)

    def clear(self) -> None:
        """Remove all members, and forget which bucket was popped last: O(members) work.

        See Also
        --------
        pop : Remove the next bucket.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, device="cpu")
        >>> queue = fr.PriorityFrontier(graph, graph.xp.asarray([7, 1, 2, 9]), delta=1)
        >>> queue.push(fr.Frontier.all(graph))
        >>> queue.clear()
        >>> len(queue)
        0
        """
        self._has_limit = False
        if len(self):
            width, self._delta = self._delta, self._none  # a bucket of all
            try:
                with np.errstate(invalid="ignore"):  # infinity less infinity
                    self.pop()
            finally:
                self._delta = width
        self.limit.fill(identity_of("max", self.priority.dtype))
        self._has_limit = False

    @reads
    def pop(self) -> Frontier:
        """Remove and return the nearest bucket that is not empty, or an empty frontier if the set has no members.

        Raises
        ------
        ValueError
            Vertices of the graph were deleted or inserted.

        See Also
        --------
        push : Insert vertices.
        traverse : Pop and advance until no member is left.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, device="cpu")
        >>> queue = fr.PriorityFrontier(graph, graph.xp.asarray([7, 1, 2, 9]), delta=1)
        >>> queue.push(fr.Frontier.all(graph))
        >>> sorted(queue.pop()), sorted(queue.pop())
        ([1, 2], [0])
        """
        self._check_vertices()
        graph = self.graph
        drop = self._is_monotone and self._has_limit
        if not graph.device.is_gpu:
            out = self._pop_on_cpu(drop)
            self._has_limit |= out.size > 0
            return Frontier._of(graph, out, arcs=None)
        from frontier.runtime.compile.cuda import cooperative_blocks

        counters = workspace_of(graph).counters
        counters.reset()
        out = graph.xp.empty(graph.num_vertices, graph.vertex_dtype)
        priority_kernels(graph, self.priority.dtype, self.deferred.dtype).pop(
            graph.num_vertices, graph.view(), self.deferred, self.priority, self._none, self._delta, np.int32(drop),
            self._low, self.limit, out, counters.array, blocks=cooperative_blocks(), cooperative=True,
        )  # fmt: skip
        size, arcs = counters.read()[:2]
        self._has_limit |= size > 0
        return Frontier._of(graph, out[:size], arcs=arcs)

    @reads
    def traverse(self, op: Callable[..., Any], *args: Any) -> bool:
        """Visit members by priority, and vertices whose priority decreases, until there are no members.

        Equivalent to a loop in which `pop` returns a bucket, `traverse` advances within it, and the functor defers
        vertices beyond `limit`, with less overhead. Leaves `limit` and the members as `clear` does.

        Parameters
        ----------
        op : function ``op(src, dst, edge, weight, *args)``
            Returns whether it has lowered the priority of `dst`.
        *args : arrays and numbers
            As in `advance`.

        Returns
        -------
        bool
            Whether no calls of `op` ran concurrently. Values that a call wrote to several arrays are then consistent.

        Raises
        ------
        FunctorError, ValueError
            As `advance`, or vertices of the graph were deleted or inserted.

        See Also
        --------
        pop : Remove the next bucket.
        traverse : Advance without priorities.

        Notes
        -----
        On a CPU one thread has a list for each bucket, and several threads share a large bucket. An integer `delta` is
        rounded down to a power of 2 there. Repeated visits make buckets narrower: O(V + E) work if no visit lowers a
        priority below the priority of the visited vertex.

        Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe and Shun, "Optimizing Ordered Graph Algorithms with
        GraphIt", CGO 2020 (small buckets one after another, without a synchronization between them).

        Examples
        --------
        >>> import numpy as np
        >>> import frontier as fr
        >>> from structures import CSR
        >>> g = CSR.from_edges(
        ...     [0, 0, 1], [1, 2, 2], [1, 4, 2], weight_dtype="int64", device="cpu"
        ... )
        >>> distance = np.array([0, 99, 99])
        >>> queue = fr.PriorityFrontier(g, distance, delta=2)
        >>> queue.push(fr.Frontier(g, [0]))
        >>> def relax(src, dst, edge, weight, distance):
        ...     through = distance[src] + weight
        ...     return fr.atomic_min(distance, dst, through) > through
        >>> queue.traverse(relax, distance)
        True
        >>> distance
        array([0, 1, 3])
        """
        self._check_vertices()
        check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
        alone = False
        if self._is_one_kernel():
            alone = self._visit_on_cpu(op, functor_args(self.graph, op, args))
        else:
            if self._near[0] is not op:
                self._near = op, visit_near(op)
            while near := self.pop():
                traverse(self.graph, near, self._near[1], self.priority, self.limit, self.deferred, *args)
        self.clear()
        return alone

    def _is_one_kernel(self) -> bool:
        """Whether `traverse` is one kernel, and not a loop of the host. A rehearsal calls this for both devices, and
        `traverse`, which leaves no members, only once."""
        return not (self.graph.device.is_gpu or interpreting.get())

    def _visit_on_cpu(self, op: Callable[..., Any], args: tuple) -> bool:
        graph, n = self.graph, self.graph.num_vertices
        vertices = self._members().astype(graph.vertex_dtype)
        self.deferred[STATES + vertices] = 0
        self.deferred[0] = 0
        low = np.fmin.reduce(self.priority[vertices], keepdims=True, initial=self._none)
        buckets, self._buckets = self._buckets, None  # which are of no use once a functor has raised an error
        buckets = buckets or empty_buckets(n, graph.vertex_dtype)
        several = threads_for(2**62, 1) > 1
        # Several threads have a separate kernel, which must not be compiled when a bucket has grown.
        many = (1 if warm_up.takes_alternative((PriorityFrontier.traverse, op)) else MANY) if several else 0
        out = np.empty(n if several else 0, graph.vertex_dtype)
        state = np.array([0, VISITS * (graph.num_arcs + n), 0])
        is_float = self.priority.dtype.kind == "f"
        kernel = cpu_kernel_for(graph.package, make_visit_by_priority, (op,), is_float, alone=True)
        view, alone = read_view(graph, op), True
        while True:
            run_cpu(kernel, (op,), *view, vertices, buckets, self.priority, low, self._scales(), np.int64(many), out,
                    state, args)  # fmt: skip
            if not state[2]:
                self._buckets = buckets
                return alone
            bucket = Frontier._of(graph, out[: state[2]].copy(), arcs=None)
            vertices, alone = push(graph, bucket, Functors(op), args).vertices, False

    def _scales(self) -> Any:
        """The steps of `delta`, as kernels for CPUs count them, and the finest."""
        delta = self._delta
        if self.priority.dtype.kind == "i":
            finest = int(self.priority.dtype.itemsize == 8)  # the difference of two steps is an int64
            return np.array([max(int(delta).bit_length() - 1, finest), finest])
        with np.errstate(all="ignore"):
            scale = 1 / np.float64(delta)
        return np.array([scale if scale < np.inf else -1.0, -1.0])

    def _pop_on_cpu(self, drop: bool) -> Any:
        """The same as one kernel on a GPU."""
        members = self._members()
        values = self.priority[members]
        waits = ~(values <= self.limit[0]) if drop else np.full(members.size, True)
        low = np.fmin.reduce(values[waits], initial=self._none)
        limit = low + self._delta if low <= self._none - self._delta else self._none
        stays = waits & (values > limit)
        popped, rest = members[waits & ~stays], members[stays]
        self.deferred[STATES + members[~stays]] = 0
        self.deferred[0] = rest.size
        members[: rest.size] = rest
        if popped.size:
            self.limit[0] = limit
        return popped.astype(self.graph.vertex_dtype)

    def _members(self) -> Any:
        """The list of members in `deferred`, on a CPU."""
        begin, size = int(self.deferred[1]), int(self.deferred[0])
        return self.deferred[begin : begin + size]

    def _check_vertices(self) -> None:
        if self._vertex_version != self.graph.vertex_version:
            raise ValueError("vertices of the graph have changed since this PriorityFrontier was made; make a new one")


def defer(deferred: Any, v: int) -> None:
    """Insert a vertex into a `PriorityFrontier`, for use in functors.

    Parameters
    ----------
    deferred : array
        `PriorityFrontier.deferred`.
    v : int
        A member stays one.

    See Also
    --------
    PriorityFrontier.push : Insert the members of a frontier.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph(3, device="cpu")
    >>> queue = fr.PriorityFrontier(graph, graph.xp.asarray([5, 1, 3]), delta=1)
    >>> def later(v, deferred):
    ...     fr.defer(deferred, v)
    >>> fr.compute(fr.Frontier(graph, [0, 2]), later, queue.deferred)
    >>> queue.pop().vertices
    array([2], dtype=int32)
    """
    if deferred[STATES + v] == 0 and atomic_exch(deferred, STATES + v, 1) == 0:
        deferred[deferred[1] + atomic_add(deferred, 0, 1)] = v


def _join(v: int, deferred: Any) -> None:
    defer(deferred, v)


def visit_near(op: Callable[..., Any]) -> Callable[..., Any]:
    """The functor that defers vertices whose priority `op` has lowered, but not to the priority of the open bucket."""

    def visit(src, dst, edge, weight, priority, limit, deferred, *args):  # type: ignore[no-untyped-def]
        if not op(src, dst, edge, weight, *args):
            return False
        if priority[dst] <= limit[0]:
            return True
        defer(deferred, dst)
        return False

    return visit


def priority_kernels(graph: BaseGraph, priority: np.dtype, slots: np.dtype) -> Any:
    """The CUDA kernels for priorities of a type and a `deferred` of another."""
    return cuda_kernels_for(graph, HEADER, (), (), priority_options(priority, slots))


def priority_options(priority: np.dtype, slots: np.dtype) -> tuple[tuple[str, str], ...]:
    """Their macros."""
    return ("PRIORITY", C_TYPES[priority]), ("SLOT", C_TYPES[slots])


def _width(delta: Any, kind: np.dtype) -> Any:
    """The width of a bucket, in the type of priorities."""
    if kind.kind == "i":
        return kind.type(min(integer(delta, "delta", 0), np.iinfo(kind).max))
    width = number(delta, "delta")
    if math.isnan(width) or width < 0:
        raise ValueError(f"delta must be at least 0, got {width}")
    return kind.type(min(width, np.finfo(kind).max))
