"""`PartSpMV`: products with the adjacency matrix of a distributed graph. Owners of vertices have their rows."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.arguments import check_array, check_output, flag, integer
from frontier.operators import SpMV
from frontier.operators.copies import copy_bytes
from frontier.operators.extract import collect_arcs
from frontier.operators.layout import ReadLayout, choose_layout
from frontier.operators.spmv import GATHER_DTYPES, costs_of, deal_rows, most_hubs, multiply_rows
from frontier.runtime.memory import elementwise

from .frontiers import PartFrontier
from .product_order import PartOrder, VectorGraph

if TYPE_CHECKING:
    from ..base import BasePart

SUMS = (np.dtype(np.float64),)


class PartSpMV(SpMV):
    """`frontier.SpMV` of a distributed graph.

    If products are prepared on GPUs, each partition's vectors have their own order (`PartOrder`), with the entries of
    its own vertices and its ghosts. Partitions agree on whether to prepare. Elsewhere vectors are by vertex id: a
    partition reads and writes the entries of its own vertices, and decides by itself whether to make a copy.

    In both cases a partition receives the entries of its ghosts (`Ghosts`), or all if it has nearly as many. A product
    writes them to its vector.
    """

    def __init__(
        self, graph: BasePart, *, transpose: bool = False, weighted: bool | None = None, layout: str = "auto",
        products: int = 100,
    ):  # fmt: skip
        self.graph = graph  # type: ignore[assignment]
        gathers = flag(transpose, "transpose") and graph.directed and graph.has_in_edges
        self._scatters = transpose and graph.directed and not gathers
        self._positions: PartOrder | None = None
        self._route = None
        self._source, self._version, self._size = weakref.ref(graph), graph.version, graph.num_vertices
        local, name = (graph.inward, "inward") if gathers else (graph.local, "local")
        chosen = None
        if not self._scatters and graph.device.is_gpu:
            weighted = graph.is_weighted if weighted is None else flag(weighted, "weighted")
            products = integer(products, "products", 1)
            chosen = choose_layout(local, layout, lambda: costs_of(local, False, products), copy_bytes(local, weighted))
        if not self._scatters:
            wanting = graph.ghosts[name].bring_up(int(chosen is not None and chosen.is_copy))
            if chosen is not None and wanting == graph.comm.size:
                self._prepare_part(graph, local, name, weighted and graph.is_weighted, chosen)
                return
            if chosen is not None:
                if chosen.is_copy:
                    chosen = ReadLayout("native", "another part of the graph reads it as it is stored")
                layout = "native"
            self._route = graph.ghosts[name].route()
        self._local = SpMV(local, transpose=self._scatters, weighted=weighted, layout=layout, products=products)
        # On a CPU, rows without arcs cost a fifth of the time of a product.
        if not self._scatters and self._local.order is None and not graph.device.is_gpu:
            self._local.rows_of(PartFrontier.all(graph).local._members())
        self.weighted = self._local.weighted
        self.layout = self._local.layout if chosen is None else chosen

    def _prepare_part(self, graph: BasePart, local: Any, name: str, weighted: Any, chosen: ReadLayout) -> None:
        """Make the static copy of this partition's rows, in the order of its vectors."""
        self.weighted, self.layout = bool(weighted), chosen
        self._positions = made = PartOrder(graph, local, graph.ghosts[name])
        # Shared memory fits twice as many entries of float32, which weighted products rarely have.
        self._hubs = made.hubs(most_hubs(8 if weighted else 4))
        names = made.names(graph.num_vertices, self._hubs)
        offsets, columns, slots = collect_arcs(local, made.order[: made.own], relabel=names, slots=self.weighted)
        self._matrix = offsets, columns, local.payload.weights_at(local, slots) if self.weighted else None
        self._shares = deal_rows(local, offsets)
        self._owners = graph.arrays
        self.graph = VectorGraph(graph, made)  # type: ignore[assignment]

    @property
    def order(self) -> Any:
        """The vertex at each position of this partition's vectors, or None for the order of ids."""
        return None if self._positions is None else self.graph.device.read_only(self._positions.order)

    def arrange(self, x: Any) -> Any:
        self._check_version()
        if self._positions is None:
            check_array(self.graph, x, "x", self.graph.num_vertices)
            return x
        check_array(self.graph, x, "x", self._size)
        return elementwise.take(self.graph.device, x, self._positions.order)

    def restore(self, y: Any) -> Any:
        if self._positions is None:
            check_array(self.graph, y, "y", self.graph.num_vertices)
            return y
        made = self._positions
        check_array(self.graph, y, "y", made.size)
        restored = self.graph.xp.empty(self._size, y.dtype)
        elementwise.put(self.graph.device, restored, made.order[: made.own], y[: made.own])
        self._owners.copy_from_owners(restored)
        return restored

    def __call__(self, x: Any, out: Any = None) -> Any:
        graph: Any = self.graph
        size = graph.num_vertices
        self._check_version()
        if self._positions is not None:
            check_array(graph, x, "x", size, GATHER_DTYPES)
        if out is not None:
            check_output(graph, out, "out", size, SUMS)
            if out is x:
                raise ValueError("out must be another array than x")
        if self._positions is None:
            return self._multiply_by_id(x, out)
        self._positions.exchange(x)
        out = graph.xp.zeros(size) if out is None else out
        multiply_rows(graph, self._matrix, self._shares, x, out, self._hubs)
        return out

    def _multiply_by_id(self, x: Any, out: Any) -> Any:
        graph: Any = self.graph
        if not self._scatters:  # x is gathered from all vertices
            if self._route is None:
                graph.arrays.copy_from_owners(x)
            else:
                self._route.copy(x)
        else:  # scatter from owned vertices to all
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
                graph.arrays.sync([out])
        return out
