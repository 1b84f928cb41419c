"""Triangles of a graph in parts: each part looks up its own edges, and lists of neighbors go round.

Every edge leads from its end of lower degree to the other, as on one device. The part that owns the upper end of an
edge counts the common upper neighbors of both. It has the list of the upper end; those of lower ends come from the
parts that own them, one part at a time, so that a part holds two parts' lists and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import integer
from ..operators import Orientation, extract_subgraph
from ..operators import intersect_arcs as intersect_local
from ..operators.extract import DOWN, UP, leads
from ..registry import snapshot_structure
from ..sort import row_ids

if TYPE_CHECKING:
    from .part import GraphPart

ALL = np.int64(0)  # edges, whatever the degrees of their ends


class PartOrientation(Orientation):
    """`frontier.Orientation` of a graph in parts; ties of degrees are ordered by id."""

    def __init__(self, graph: GraphPart, degrees: Any = None, least: int = 0):
        if graph.directed:
            raise ValueError("graph must be undirected: the edges of a directed graph have a direction")
        if degrees is not None or integer(least, "least", 0):
            raise NotImplementedError("an Orientation of a graph of several parts takes no degrees and no least")
        self.graph = graph  # type: ignore[assignment]
        self._version = graph.version
        self.degrees = graph.degrees()
        self.up: Any = extract_subgraph(graph.local, leads, self.degrees, ALL, UP)
        self._steps = graph.comm.reduce_numbers([int((self.up.degrees() ** 2).sum())])[0]

    @property
    def steps(self) -> tuple[int, int, int]:
        """The lists that are looked at are always copies, of what goes up."""
        return self._steps, 0, self._steps


def count_triangles(orientation: PartOrientation, tally: Any) -> int:
    """The number of triangles; if there is a `tally`, one is added to the entries of the vertices of each."""
    orientation.check_version()
    graph: Any = orientation.graph
    comm, xp = graph.comm, graph.xp
    up = orientation.up
    found = 0
    local = None if tally is None else xp.zeros(graph.num_vertices, np.int64)
    down: Any = extract_subgraph(graph.local, leads, orientation.degrees, ALL, DOWN)
    owners = graph.partition.owners[down.indices]
    for shift in range(comm.size):
        source = (comm.rank + shift) % comm.size
        lists = up if shift == 0 else _both(up, *_fetch(graph, up, shift))
        found += intersect_local(lists, _chosen(down, owners == source), local)
    if tally is not None:
        tally += comm.allreduce(local)
    return comm.reduce_numbers([found])[0]


def _chosen(arcs: Any, mask: Any) -> Any:
    """A snapshot of some arcs of another."""
    xp = arcs.xp
    before = xp.zeros(mask.size + 1, np.int64)  # chosen arcs before each
    xp.cumsum(mask, out=before[1:])
    offsets, chosen = before[arcs.offsets], xp.flatnonzero(mask)
    made: Any = snapshot_structure().from_csr(offsets, arcs.indices[chosen], directed=True, device=arcs.device)  # type: ignore
    made._rows_in_order = arcs._rows_in_order
    return made


def _fetch(graph: Any, up: Any, shift: int) -> tuple[Any, Any]:
    """The lists of the part `shift` places on, while those of this one go as far back: lengths, and neighbors."""
    comm = graph.comm
    target, source = (comm.rank - shift) % comm.size, (comm.rank + shift) % comm.size

    def pass_on(values: Any) -> Any:
        counts = [0] * comm.size
        counts[target] = int(values.size)
        received = comm.exchange_counts(counts)
        return comm.alltoallv(values, counts, received)[0]

    lengths = graph.xp.zeros(graph.num_vertices, np.int64)
    order, counts = graph.partition.order, graph.partition.counts
    first = sum(counts[:source])
    theirs = order[first : first + counts[source]]
    lengths[theirs] = pass_on(up.degrees()[graph.partition.owned])
    return lengths, pass_on(up.indices)


def _both(up: Any, lengths: Any, neighbors: Any) -> Any:
    """A snapshot of this part's lists and another's, which are of other vertices."""
    device, xp = up.device, up.xp
    n = up.num_vertices
    offsets = [up.offsets, xp.zeros(n + 1, np.int64)]
    offsets[1][1:] = xp.cumsum(lengths)
    both = xp.empty(int(up.indices.size + neighbors.size), up.vertex_dtype)
    for own, other, values in ((offsets[0], offsets[1], up.indices), (offsets[1], offsets[0], neighbors)):
        places = xp.arange(values.size, dtype=np.int64) + other[row_ids(device, own, np.dtype(np.int64))]
        both[places] = values
    made: Any = snapshot_structure().from_csr(offsets[0] + offsets[1], both, directed=True, device=device)  # type: ignore
    made._rows_in_order = False
    return made
