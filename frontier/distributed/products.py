"""`PartSpMV`: products with the adjacency matrix of a graph in parts, each of which has the rows that it owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import check_array, check_output, flag
from ..operators import SpMV
from .frontiers import PartFrontier

if TYPE_CHECKING:
    from .part import GraphPart

SUMS = (np.dtype(np.float64),)


class PartSpMV(SpMV):
    """`frontier.SpMV` of a graph in parts.

    Vectors are by vertex id. Of a product's vector the entries of the vertices that a part owns are read there, and of
    its result written. Each part decides on its own whether to take a snapshot. It gets the entries of its ghosts
    (`Ghosts`), or all if it has nearly as many.
    """

    def __init__(
        self, graph: GraphPart, *, transpose: bool = False, weighted: bool | None = None, snapshot: bool | str = "auto",
        products: int = 100,
    ):  # fmt: skip
        self.graph = graph  # type: ignore[assignment]
        gathers = flag(transpose, "transpose") and graph.directed and graph.has_in_edges
        self._scatters = transpose and graph.directed and not gathers
        self._local = SpMV(
            graph.inward if gathers else graph.local, transpose=self._scatters, weighted=weighted, snapshot=snapshot,
            products=products,
        )
        self._route = None
        if not self._scatters:
            ghosts = graph.ghosts["inward" if gathers else "local"]
            ghosts.bring_up()
            self._route = ghosts.route()
        # On a CPU, rows without arcs take a fifth of the time of a product.
        if not self._scatters and self._local.order is None and not graph.device.is_gpu:
            self._local.rows_of(PartFrontier.all(graph).local._members())
        self.weighted = self._local.weighted
        self.form = self._local.form

    @property
    def order(self) -> Any:
        return None

    def arrange(self, x: Any) -> Any:
        check_array(self.graph, x, "x", self.graph.num_vertices)
        return x

    def restore(self, y: Any) -> Any:
        check_array(self.graph, y, "y", self.graph.num_vertices)
        return y

    def __call__(self, x: Any, out: Any = None) -> Any:
        graph: Any = self.graph
        if out is not None:
            check_output(graph, out, "out", graph.num_vertices, SUMS)
            if out is x:
                raise ValueError("out must be another array than x")
        if not self._scatters:  # x is gathered from all vertices
            if self._route is None:
                graph.arrays.copy_from_owners(x)
            else:
                self._route.copy(x)
        else:  # and here a part adds to all vertices, for those that it owns
            x = graph.xp.where(graph.partition.owners == graph.comm.rank, x, x.dtype.type(0))
        product = self._local
        found = product.restore(product(product.arrange(x)))
        if self._scatters:
            found = graph.comm.allreduce(found)
        if out is None:
            out = found
        else:
            out[...] = found
        if not self._scatters:
            graph.arrays.written([out])
            if out is found:
                graph.arrays.complete([out])
        return out
