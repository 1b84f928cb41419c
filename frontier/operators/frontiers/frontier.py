"""`Frontier`: a set of vertices, the input and output of operators."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from frontier.core.arguments import check_array, check_graph, integer
from frontier.core.base import BaseGraph, specialization_of, specialize
from frontier.core.batch import check_ids
from frontier.core.bitmap import AND, MINUS, OR, XOR, combine_bits, combine_lists
from frontier.core.locking import reads
from frontier.runtime import CPU, load_kernels
from frontier.runtime.arrays import as_device_array
from frontier.runtime.display import html_table
from frontier.runtime.launch.recorder import recorder, refuse_to_wait
from frontier.runtime.memory import elementwise
from frontier.runtime.memory.scratch import ArrayPart
from frontier.runtime.values import kind_of

from ..degrees import total_degree

FEW = 1024  # members that a CPU scans to look up one vertex, beyond which a bitmap is made


@specialize
class Frontier:
    """A set of vertices of a graph.

    It is stored sparse (a list), dense (a bitmap), or both. Operators request the form they need, and only this class
    converts. A frontier is true if it is not empty, so ``while frontier:`` loops until it is.

    A frontier stays valid after updates: its members stay the same, and `num_arcs` reflects edge updates. Operators
    reject it once a member was deleted. A directed graph with in-edges and its `reverse` share frontiers.

    A frontier from ``advance(..., unique=False)`` may list a vertex several times. `advance` walks such a list
    unchanged. Any other use, even `len`, removes duplicates first.

    Frontiers of one graph are combined and compared like Python's sets: ``|``, ``&``, ``-``, ``^``, ``==``, ``<=``,
    ``<``, ``v in frontier``, ``for v in frontier``, in ascending order. On a GPU each of these is one host
    synchronization. Like Python's sets, frontiers have no hash.

    Parameters
    ----------
    graph : Graph
    vertices : array-like of int, or of bool with an entry for each vertex; optional
        The members (duplicates are removed), or a mask of them. Empty by default.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a graph, `vertices` contains an invalid id, or a mask has a wrong length.

    See Also
    --------
    EdgeFrontier : A set of edges.
    PriorityFrontier : Vertices in the order of priorities.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import CSR
    >>> g = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> len(fr.Frontier(g, [0, 2, 2]))
    2
    >>> list(fr.Frontier.all(g) - fr.Frontier(g, [0, 2]))
    [1, 3]
    """

    def __init__(self, graph: BaseGraph, vertices: Any = ()):
        check_graph(graph)
        # Vertices of the host become a set there, which does not synchronize with the device.
        on_host = isinstance(vertices, np.ndarray | list | tuple | range) and graph.store.absent is None
        there = CPU if on_host else graph.device
        vertices = as_device_array(there, vertices, "vertices")
        if vertices.dtype == np.bool_:
            if vertices.size != graph.num_vertices:
                raise ValueError(
                    f"vertices is a mask of {vertices.size} entries, but the graph has {graph.num_vertices} vertices"
                )
            vertices = there.xp.flatnonzero(vertices)
        ids = check_ids(there, vertices, "vertices", graph.num_vertices, graph.store.absent)
        ids = elementwise.converted(there, ids, graph.vertex_dtype)
        ids = there.xp.unique(ids) if ids.size > 1 else ids
        self._take(graph, elementwise.from_host(graph.device, ids) if on_host else ids)

    @classmethod
    def all(cls, graph: BaseGraph) -> Frontier:
        """All vertices of `graph` except deleted ones.

        See Also
        --------
        Frontier : The constructor, for listed vertices.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> len(fr.Frontier.all(graph))
        4
        """
        check_graph(graph)
        form = specialization_of(Frontier, graph)
        if form is not Frontier:
            return form.all(graph)  # type: ignore[attr-defined]
        if graph.store.absent is None:
            members = elementwise.arange(graph.device, graph.num_vertices, graph.vertex_dtype)
        else:
            members = graph.xp.flatnonzero(~graph.store.absent).astype(graph.vertex_dtype)
        return cls._of(graph, members)

    @classmethod
    def listed(cls, graph: BaseGraph, vertices: Any, number: Any) -> Frontier:
        """Make a frontier of the first `number` entries of an array, listed by functors.

        A functor lists v by ``vertices[fr.atomic_add(number, 0, 1) % room] = v``, where `room` is the array's size. If
        functors listed more than `room`, all vertices of the graph are members, even deleted ones.

        Parameters
        ----------
        graph : Graph
        vertices : array of the graph's vertex dtype, on its device
            Ids of vertices, maybe with duplicates. The frontier references the array. It is not copied, so later writes
            change the frontier.
        number : array of int64, shape (1,), on the graph's device
            Kernels of a captured `CapturedBatchStep` read it when they use the frontier. Otherwise the host
            synchronizes and reads it now.

        Raises
        ------
        TypeError, ValueError
            An array is of another type, shape or device, or not contiguous.
        """
        check_graph(graph)
        if specialization_of(Frontier, graph) is not Frontier:
            raise NotImplementedError("listed is not available for distributed graphs yet")
        check_array(graph, vertices, "vertices", getattr(vertices, "size", 0), (graph.vertex_dtype,))
        check_array(graph, number, "number", 1, (np.dtype(np.int64),))
        if recorder.launches is not None:
            return recorder.launches.memory.frontier(graph, vertices, number)
        count = int(number[0])
        if count > vertices.size:
            return cls._of(graph, elementwise.arange(graph.device, graph.num_vertices, graph.vertex_dtype))
        return cls._of(graph, vertices[:count])

    @classmethod
    def _of(cls, graph: BaseGraph, members: Any = None, bits: Any = None, size: int | None = None,
            arcs: int | None = None) -> Frontier:  # fmt: skip
        """A frontier over arrays that are known to be valid, without copying them."""
        frontier = object.__new__(cls)
        frontier._take(graph, members, bits, size, arcs)
        return frontier

    @classmethod
    def _listed(cls, graph: BaseGraph, vertices: Any, arcs: int | None = None) -> Frontier:
        """A frontier over a list that may contain vertices several times. `arcs` counts their arcs as often."""
        frontier = object.__new__(cls)
        frontier._take(graph, None, size=0, arcs=arcs)
        frontier._size, frontier._repeated = None, vertices
        return frontier

    @classmethod
    def _put_out(cls, graph: BaseGraph, part: ArrayPart, unique: bool) -> Frontier:
        """A frontier over vertices that a kernel is about to write. `_cut` sets their number."""
        frontier = object.__new__(cls)
        frontier.graph, frontier._part, frontier._bits = graph, part, None
        if unique:
            frontier._size, frontier._repeated = 0, None
        else:
            frontier._size, frontier._list = None, None
        frontier._version, frontier._vertex_version = graph.version, graph.vertex_version
        return frontier

    def _cut_out(self) -> Any:
        """The vertices of `_part` as an array."""
        return self._part.array()  # type: ignore[union-attr]

    _part: ArrayPart | None = None
    """The slice that becomes `_list`, or `_repeated`, at the first access."""
    _list, _repeated = cached_property(_cut_out), cached_property(_cut_out)

    def _on(self, graph: BaseGraph) -> Frontier:
        """The same vertices, as a frontier of another graph that has them, such as the reverse of this one's."""
        if self._size is None:
            return Frontier._listed(graph, self._repeated)
        return Frontier._of(graph, self._list, self._bits, self._size)

    def _take(
        self, graph: BaseGraph, members: Any, bits: Any = None, size: int | None = None, arcs: int | None = None
    ) -> None:
        self.graph = graph
        self._list = members
        self._bits = bits
        self._size: int | None = int(members.size) if size is None else size
        self._repeated = None  # a list with duplicates, of which list or bitmap are made when `_size` is None
        self._arcs = arcs
        self._version = graph.version  # for which `_arcs` is right
        self._vertex_version = graph.vertex_version  # at which all members existed

    def _cut(self, size: int, arcs: int) -> None:
        """Leave the first so many vertices of the list that it was made of, which `arcs` leave."""
        if self._part is not None:
            self._part.size = size
        elif self._size is None:
            self._repeated = self._repeated[:size]
        elif size < self._size:
            self._list = self._list[:size]
        if self._size is not None:
            self._size = size
        self._arcs = arcs

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy the members to the host, and refer to the graph.

        ``copy.copy`` shares the graph. ``copy.deepcopy`` and pickles copy it, once for all objects copied together.
        """
        self.check()
        return _frontier_of, (self.graph, self.graph.device.to_host(self._members()))

    def __len__(self) -> int:
        return self._make_set()

    def __bool__(self) -> bool:
        size = self._size
        return (self._walk_length() if size is None else size) > 0

    def __repr__(self) -> str:
        if self._size is None:
            return f"Frontier(list of {self._walk_length():,} with duplicates, {self.graph.num_vertices:,} vertices)"
        form = "list" if self._bits is None else "bitmap" if self._list is None else "list and bitmap"
        return f"Frontier({self._size:,} of {self.graph.num_vertices:,} vertices, {form})"

    def _repr_html_(self) -> str:
        members: Any = f"{self._walk_length():,}, with duplicates" if self._size is None else self._size
        return html_table(type(self).__name__, {"members": members, "graph": repr(self.graph)})

    def __iter__(self) -> Iterator[int]:
        self.check()
        return iter(np.sort(self.graph.device.to_host(self._members())).tolist())

    @reads
    def __contains__(self, vertex: Any) -> bool:
        self.check()
        v = integer(vertex, "vertex")
        if not 0 <= v < self.graph.num_vertices:
            return False
        if self._make_set() <= FEW and self._bits is None and not self.graph.device.is_gpu:
            return bool((self._list == v).any())
        return bool(int(self._bitmap()[v >> 5]) >> (v & 31) & 1)

    def __or__(self, other: Any) -> Frontier:
        return self._combine(other, OR) if isinstance(other, Frontier) else NotImplemented

    def __and__(self, other: Any) -> Frontier:
        return self._combine(other, AND) if isinstance(other, Frontier) else NotImplemented

    def __sub__(self, other: Any) -> Frontier:
        return self._combine(other, MINUS) if isinstance(other, Frontier) else NotImplemented

    def __xor__(self, other: Any) -> Frontier:
        return self._combine(other, XOR) if isinstance(other, Frontier) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frontier):
            return NotImplemented
        return _same_vertices(other.graph, self.graph) and not self._combine(other, XOR)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> bool:
        return not self._combine(other, MINUS) if isinstance(other, Frontier) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return self <= other and len(self) < len(other) if isinstance(other, Frontier) else NotImplemented

    @reads
    def _combine(self, other: Frontier, operation: int) -> Frontier:
        """The frontier of one of the operations of `bitmap`."""
        graph = self.graph
        self.check()
        other = check_frontier(graph, other)
        few = 32 * (self._make_set() + other._make_set()) < bitmap_words(graph.num_vertices)
        if few and not graph.device.is_gpu:
            return Frontier._of(graph, combine_lists(operation, self._members(), other._members()))
        bits, size = combine_bits(graph.device, operation, self._bitmap(), other._bitmap())
        return Frontier._of(graph, bits=bits, size=size)

    @property
    def mask(self) -> Any:
        """The members as a new array of bool, on the graph's device, with an entry for each of its vertices.

        See Also
        --------
        vertices : The members as a list.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> fr.Frontier(graph, [1, 3]).mask
        array([False,  True, False,  True])
        """
        mask = self.graph.xp.zeros(self.graph.num_vertices, np.bool_)
        mask[self._members()] = True
        return mask

    @property
    def vertices(self) -> Any:
        """The members, in no particular order: a read-only array of the graph's vertex dtype, on its device.

        On a GPU it is a copy, since CuPy has no read-only arrays.

        See Also
        --------
        mask : The members as an array of bool.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> fr.Frontier(graph, [1, 3]).vertices
        array([1, 3], dtype=int32)
        """
        return self.graph.device.read_only(self._members())

    @property
    def bits(self) -> Any:
        """The members as a bitmap: a read-only array of uint32 (on a GPU a copy), in which bit ``v & 31`` of word
        ``v >> 5`` stands for v.

        See Also
        --------
        mask : One bool for each vertex.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> fr.Frontier(graph, [1, 3]).bits
        array([10], dtype=uint32)
        """
        return self.graph.device.read_only(self._bitmap())

    @property
    @reads
    def num_arcs(self) -> int:
        """Number of arcs that leave the members, in the current graph.

        Raises
        ------
        ValueError
            A member was deleted.

        See Also
        --------
        Graph.degrees : The arcs that leave each vertex.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> fr.Frontier(graph, [0, 3]).num_arcs
        3
        """
        self.check()
        self._make_set()
        return self._walk_arcs()

    def check(self) -> None:
        """Raise ValueError if a member was deleted meanwhile. Reinserted ids are valid again.

        See Also
        --------
        vertices : The members.
        """
        if self._vertex_version != self.graph.vertex_version:
            self._check_members()

    def _check_members(self) -> None:
        graph, absent = self.graph, self.graph.store.absent
        if absent is not None and self:
            members = self._walk()
            gone = members[absent[members]]
            if gone.size:
                count = graph.xp.unique(gone).size
                raise ValueError(
                    f"frontier contains {count} vertices that were deleted since it was made, {int(gone[0])} is one; "
                    "make a new frontier of existing vertices"
                )
        self._vertex_version = graph.vertex_version

    def _make_set(self) -> int:
        """The number of members, which are separated from duplicates the first time."""
        if self._size is None:
            graph, listed = self.graph, self._repeated
            self._version = -1  # `_arcs` was of the list
            if not graph.device.is_gpu and 32 * listed.size < bitmap_words(graph.num_vertices):
                self._list = np.unique(listed)
                self._size = int(self._list.size)
            else:
                bits = self._bits_of(listed)
                self._bits, size = combine_bits(graph.device, OR, bits, bits)
                self._size = size
            self._part = None  # was of the list
        return self._size

    def _walk(self) -> Any:
        """The members as `advance` walks them: a list, with duplicates if there are any."""
        if self._size is None:
            return self._repeated
        return self._members() if self._list is None else self._list

    def _walk_length(self) -> int:
        """Length of that list."""
        if self._size is not None:
            return self._size
        return int(self._repeated.size) if self._part is None else self._part.size

    def _walk_address(self) -> int:
        """The address of that list on a GPU."""
        return self._walk().data.ptr if self._part is None else self._part.address

    def _walk_costs(self) -> tuple[int, int | None]:
        """Length of that list, and `_walk_arcs` if it is known without counting."""
        length = self._walk_length() if self._size is None else self._size
        return length, self._arcs if self._version == self.graph.version else None

    def _walk_arcs(self) -> int:
        """Number of arcs that leave the vertices of that list, each counted as often as it is listed."""
        if self._arcs is None or self._version != self.graph.version:
            self._arcs, self._version = total_degree(self.graph, self._walk()), self.graph.version
        return self._arcs

    def _bits_of(self, vertices: Any) -> Any:
        """A list's vertices as a bitmap over all current ids."""
        bits = self.graph.xp.zeros(bitmap_words(self.graph.num_vertices), np.uint32)
        kernels = load_kernels("frontier.core.bitmap", self.graph.device, {"VID": self.graph.vertex_dtype})
        kernels.from_list(int(vertices.size), vertices, bits)
        return bits

    def _members(self) -> Any:
        """The members as a list, for kernels, which must not change it."""
        self._make_set()
        if self._list is None:
            refuse_to_wait()  # until a replay, which would append to the list each time
            kernels = load_kernels("frontier.core.bitmap", self.graph.device, {"VID": self.graph.vertex_dtype})
            out = self.graph.xp.empty(self._size, self.graph.vertex_dtype)
            kernels.to_list(self._bits.size, self._bits, out, self.graph.xp.zeros(1, np.int64))
            self._list = out
        return self._list

    def _bitmap(self) -> Any:
        """The members as a bitmap over all current ids, for kernels, which must not change it."""
        self._make_set()
        if self._bits is None or self._bits.size != bitmap_words(self.graph.num_vertices):
            self._bits = self._bits_of(self._members())
        return self._bits

    def _known_arcs(self) -> int | None:
        """`_walk_arcs` if it is known without counting."""
        return self._arcs if self._version == self.graph.version else None


def check_frontier(graph: BaseGraph, frontier: Any) -> Frontier:
    """Return `frontier` as one of `graph`'s. Raises unless it is a frontier of the graph or of its reverse, and all its
    members exist."""
    if isinstance(frontier, Frontier) and frontier.graph is graph:
        frontier.check()
        return frontier
    check_graph(graph)
    if not _same_vertices(graph_of(frontier), graph):
        raise ValueError("frontier belongs to another graph")
    return frontier._on(graph)


def _same_vertices(one: BaseGraph, other: BaseGraph) -> bool:
    return one is other or (one.directed and one.has_in_edges and one.reverse is other)


def graph_of(frontier: Any) -> BaseGraph:
    """The graph of `frontier`. Raises unless that is a `Frontier`, whose members all exist."""
    if not isinstance(frontier, Frontier):
        raise TypeError(f"frontier must be a Frontier, not {kind_of(frontier)}")
    frontier.check()
    return frontier.graph


def _frontier_of(graph: BaseGraph, members: np.ndarray) -> Frontier:
    return Frontier._of(graph, graph.xp.array(members))


def bitmap_words(num_vertices: int) -> int:
    """Words of a bitmap over this many vertices."""
    return (num_vertices + 31) // 32
