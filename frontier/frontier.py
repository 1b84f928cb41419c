"""`Frontier`: a set of vertices that operators read and produce."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .access import reads
from .batch import check_ids
from .runtime import load_kernels

if TYPE_CHECKING:
    from .graph import Graph


class Frontier:
    """A set of vertices of a graph, each once.

    It is held as a list, as a bitmap, or as both; operators ask for the form that suits them, and the form is changed
    here alone. A frontier is true while it has members, so that ``while frontier:`` loops until there are none.

    Parameters
    ----------
    graph : Graph
    vertices : array-like of int, optional
        The members; duplicates count once. By default there are none.

    Raises
    ------
    TypeError, ValueError
        `vertices` holds something else than ids of the graph's vertices.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import CSR
    >>> g = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> len(fr.Frontier(g, [0, 2, 2]))
    2
    """

    def __init__(self, graph: Graph, vertices: Any = ()):
        self.graph = graph
        ids = check_ids(graph.device, vertices, "vertices", graph.num_vertices, graph._absent)
        ids = ids.astype(graph.vertex_dtype)
        self._list: Any = graph.xp.unique(ids) if ids.size > 1 else ids
        self._bits: Any = None
        self._size = int(self._list.size)
        self._arcs: int | None = None

    @classmethod
    def all(cls, graph: Graph) -> Frontier:
        """All vertices of `graph`, deleted ones left out."""
        if graph._absent is None:
            members = graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        else:
            members = graph.xp.flatnonzero(~graph._absent).astype(graph.vertex_dtype)
        return cls._of(graph, members)

    @classmethod
    def _of(cls, graph: Graph, members: Any = None, bits: Any = None, size: int | None = None,
            arcs: int | None = None) -> Frontier:  # fmt: skip
        """A frontier over arrays that are known to be good; they are kept, not copied."""
        frontier = object.__new__(cls)
        frontier.graph = graph
        frontier._list = members
        frontier._bits = bits
        frontier._size = int(members.size) if size is None else size
        frontier._arcs = arcs
        return frontier

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of, and a pickle holds: the graph and the members, which pass through the host.

        ``copy.copy`` is of the same graph; ``copy.deepcopy`` and a pickle have a graph of their own, or share that of
        what is copied or pickled along with them.
        """
        return _frontier_of, (self.graph, self.graph.device.to_host(self.vertices))

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

    def __repr__(self) -> str:
        form = "list" if self._bits is None else "bitmap" if self._list is None else "list and bitmap"
        return f"Frontier({self._size:,} of {self.graph.num_vertices:,} vertices, {form})"

    @property
    def vertices(self) -> Any:
        """The members, in no particular order: an array of the graph's vertex dtype, on its device."""
        if self._list is None:
            kernels = load_kernels("frontier.bitmap", self.graph.device, {"VID": self.graph.vertex_dtype})
            out = self.graph.xp.empty(self._size, self.graph.vertex_dtype)
            counter = self.graph.xp.zeros(1, np.int64)
            kernels.to_list(self._bits.size, self._bits, out, counter)
            self._list = out
        return self._list

    @property
    def bits(self) -> Any:
        """The members as a bitmap: an array of uint32, in which bit ``v & 31`` of word ``v >> 5`` stands for v."""
        if self._bits is None:
            words = bitmap_words(self.graph.num_vertices)
            bits = self.graph.xp.zeros(words, np.uint32)
            kernels = load_kernels("frontier.bitmap", self.graph.device, {"VID": self.graph.vertex_dtype})
            kernels.from_list(self._size, self._list, bits)
            self._bits = bits
        return self._bits

    @property
    @reads
    def num_arcs(self) -> int:
        """Number of arcs that leave the members."""
        if self._arcs is None:
            self._arcs = int(self.graph._degrees()[self.vertices].sum()) if self._size else 0
        return self._arcs


def _frontier_of(graph: Graph, members: np.ndarray) -> Frontier:
    """A frontier with members that were in one."""
    return Frontier._of(graph, graph.xp.array(members))


def bitmap_words(num_vertices: int) -> int:
    """Words of a bitmap over this many vertices."""
    return (num_vertices + 31) // 32
