"""SpMV: products of a graph's adjacency matrix with vectors, prepared once and computed many times.

A single vector has a separate kernel on a GPU if products are prepared. Several, the columns of an array, are reduced
by `neighbor_reduce` in either form.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np

from frontier.core.arguments import check_array, check_graph, check_output, flag, integer
from frontier.core.base import BaseGraph, specialize
from frontier.core.locking import reads, workspace_of
from frontier.core.registry import csr_structure
from frontier.core.sort import arc_keys, row_ids, sort_keys, sort_pairs, split_keys
from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime.compile.kernels import C_TYPES
from frontier.runtime.memory import elementwise

from ..copies import copy_as_stored, copy_bytes, passes_of_copy
from ..degree_order import classes_of_rows, places_by_degree
from ..degrees import degrees_of
from ..extract import collect_arcs
from ..frontiers.frontier import Frontier
from ..layout import choose_layout
from ..neighbor_reduce import clear, neighbor_reduce

HEADER = "frontier/operators/spmv/spmv.cuh"
GATHER_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
SUMS = (np.dtype(np.float64),)
PIECE_ARCS = 1024  # as in spmv.cuh
LONG_ROW, TILE_ROW, THREAD_ROW = 1024, 64, 8  # longer rows get several warps, a warp, eight lanes
CACHE_BYTES = 32 * 1024
"""The part of a block's possible shared memory that is left to the first-level cache, through which misses also pass.
An H200 divides its memory in fixed steps: with a kibibyte less here the cache has half the size, fewer gathers are in
flight, and products last a quarter longer."""

PREPARED = {"cpu": 1.0, "gpu": 0.65}
"""The cost of a prepared product, in products of a graph that is walked as fast as CSR."""
TRANSPOSITION, SCATTER = 8.0, 4.0  # of sorting the arcs by destination, and of a product that adds to destinations


@specialize
class SpMV:
    """The products ``y[v] = sum of weight(v, w) * x[w] over the neighbors w of v``, of one state of a graph.

    Equivalent to `neighbor_reduce` with this sum. The graph is read as it is stored, or the products are prepared at
    the cost of about four. Preparation makes a static copy of the arcs, on a GPU with high-degree vertices first, whose
    values are cached in shared memory. Vectors are in that order: `arrange` permutes them, and `restore` permutes back.

    It is bound to one version of the graph: after an update (or compaction), products raise. To continue with the old
    version, construct it from a static copy, ``SpMV(graph.to_csr())``.

    Parameters
    ----------
    graph : Graph
    transpose : bool
        Sum over the predecessors of v instead of its successors. Makes no difference in undirected graphs. In directed
        ones without in-edges, the prepared form sorts the arcs, and the unprepared form adds to destinations
        atomically.
    weighted : bool, optional
        Whether to use weights, by default if the graph has them. Otherwise all are 1.
    layout : {"auto", "native", "csr"}
        ``"csr"`` prepares products, ``"native"`` reads the graph as it is stored. ``"auto"`` expects which is faster.
    products : int
        The expected number of products, by which ``"auto"`` decides.

    Attributes
    ----------
    layout : ReadLayout
        Whether there is a static copy, and why.
    graph : Graph
        The graph with its vertices in the order of the vectors: a static copy, or the graph itself (or its reverse).
    order : array of vertex ids, shape (num_vertices,), or None
        The vertex at each position, read-only (a copy), or None for the order of ids.

    See Also
    --------
    neighbor_reduce : Any value per edge, and exact sums of integers.

    Notes
    -----
    Products are computed in float64: integer weights beyond 2**53 are rounded. For exact sums use `neighbor_reduce`
    with ``dtype=np.int64``.

    Preparation costs O(V log V + E) work, O(V + E) memory. Without, O(V) memory. A product reads the index of each arc
    once, and is bound by the gathers from x.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 2], [0.5, 2.0, 1.0], device="cpu")
    >>> multiply = fr.SpMV(graph, layout="native")
    >>> multiply(graph.xp.asarray([1.0, 10.0, 100.0]))
    array([205. , 100.5,  12. ])
    """

    def __init__(
        self, graph: BaseGraph, *, transpose: bool = False, weighted: bool | None = None, layout: str = "auto",
        products: int = 100,
    ):  # fmt: skip
        check_graph(graph)
        transpose = flag(transpose, "transpose") and graph.directed
        products = integer(products, "products", 1)
        weighted = graph.is_weighted if weighted is None else flag(weighted, "weighted")
        self.weighted = weighted and graph.is_weighted
        self._order: Any = None
        self._shares: Any = None  # on a GPU, of a static copy
        self._source = weakref.ref(graph)  # a weak reference, so a graph with a static copy can be freed
        self._version = graph.version
        self._size = graph.num_vertices
        if transpose and graph.has_in_edges:
            graph, transpose = graph.reverse, False
        self.graph = graph
        self.layout = choose_layout(
            graph, layout, lambda: costs_of(graph, transpose, products), copy_bytes(graph, self.weighted)
        )  # fmt: skip
        self._scatters = transpose and not self.layout.is_copy
        if self.layout.is_copy:
            self._prepare(graph, transpose)
        self._everyone = Frontier.all(self.graph)

    @reads
    def _prepare(self, graph: BaseGraph, transpose: bool) -> None:
        """Make a static copy of the graph, in the order of the products."""
        if graph.device.is_gpu:
            self._sort_by_degree(transpose)
        elif transpose:
            self.graph = _copy_of(graph, *_transposed(graph, self.weighted))
        elif not isinstance(graph, csr_structure()):
            self.graph = copy_as_stored(graph, self.weighted)

    def rows_of(self, members: Any) -> None:
        """Restrict products to some vertices. Entries of all other vertices are 0. Requires `order` None.

        See Also
        --------
        arrange : Bring a vector into the order of the products.
        """
        self._everyone = Frontier._of(self.graph, members)

    def __getstate__(self) -> dict[str, Any]:
        """The state of a pickle or a copy: of the graphs, only the graph of the products."""
        self._check_version()
        return {**self.__dict__, "_source": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._source = weakref.ref(self.graph)
        self._version = self.graph.version

    def __copy__(self) -> SpMV:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _check_version(self) -> None:
        """Raise RuntimeError if the graph has been updated."""
        source = self._source()
        if source is not None and source.version != self._version:
            raise RuntimeError(
                "this SpMV is of the graph before an update: make a new one; or make it of graph.to_csr(), to go on "
                "with the products of the graph as it was"
            )

    @property
    def order(self) -> Any:
        """The vertex at each position, or None for the order of ids."""
        return None if self._order is None else self.graph.device.read_only(self._order)

    def arrange(self, x: Any) -> Any:
        """A vector by vertex id, or several as columns, in the order of the products.

        See Also
        --------
        restore : The inverse.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 2], device="cpu")
        >>> multiply = fr.SpMV(graph, layout="csr")
        >>> x = multiply.arrange(graph.xp.asarray([1.0, 10.0, 100.0]))
        >>> multiply.restore(multiply(x))
        array([110., 101.,  11.])
        """
        self._check_version()
        check_array(self.graph, x, "x", self._size, columns=_columns_of(x))
        return x if self._order is None else elementwise.take(self.graph.device, x, self._order)

    def restore(self, y: Any) -> Any:
        """A vector in the order of the products, or several as columns, by vertex id.

        See Also
        --------
        arrange : The inverse, with an example.
        """
        check_array(self.graph, y, "y", self._size, columns=_columns_of(y))
        if self._order is None:
            return y
        restored = self.graph.xp.empty_like(y)
        elementwise.put(self.graph.device, restored, self._order, y)
        return restored

    @reads
    def __call__(self, x: Any, out: Any = None) -> Any:
        """The product.

        Parameters
        ----------
        x : array of float32 or float64, shape (num_vertices,) or (num_vertices, k)
            On the graph's device, contiguous. Several vectors are the columns of an array.
        out : array of float64, of the shape of `x`, optional

        Returns
        -------
        array of float64, of the shape of `x`
            `out`, or a new array.

        Raises
        ------
        TypeError, ValueError
            `x` or `out` is not such an array.
        RuntimeError
            The graph has been updated since.
        """
        self._check_version()
        graph, xp = self.graph, self.graph.xp
        columns = _columns_of(x)
        check_array(graph, x, "x", graph.num_vertices, GATHER_DTYPES, columns)
        if out is None:
            out = xp.empty(x.shape, np.float64)
        else:
            check_output(graph, out, "out", graph.num_vertices, SUMS, columns)
            if out is x:
                raise ValueError("out must be another array than x")
        if columns is not None:
            self._multiply_columns(x, out)
        elif self.layout.is_copy and graph.device.is_gpu:
            self._multiply(x, out)
        elif self._scatters:
            clear(graph, out)
            op = _weighted_scatter if self.weighted else _scatter
            nothing = workspace_of(graph).scratch.get("scattered", graph.num_vertices, np.int32)
            neighbor_reduce(graph, self._everyone, op, x, out, out=nothing)
        else:
            if len(self._everyone) < graph.num_vertices:
                clear(graph, out)
            neighbor_reduce(graph, self._everyone, _weighted_value if self.weighted else _value, x, out=out)
        return out

    def _multiply_columns(self, x: Any, out: Any) -> None:
        """The product with several vectors."""
        graph, columns = self.graph, x.shape[1]
        if not columns:
            return
        if self._scatters:
            clear(graph, out)
            op = _weighted_column_scatter if self.weighted else _column_scatter
            nothing = workspace_of(graph).scratch.get("scattered", out.size, np.int32).reshape(out.shape)
            neighbor_reduce(graph, self._everyone, op, x, out, out=nothing, columns=columns)
            return
        if len(self._everyone) < graph.num_vertices:
            clear(graph, out)
        op = _weighted_column if self.weighted else _column
        neighbor_reduce(graph, self._everyone, op, x, out=out, columns=columns)

    def _sort_by_degree(self, transpose: bool) -> None:
        """Make the static copy, and choose the number of threads for each row."""
        graph = self.graph
        if transpose:
            graph = _copy_of(graph, *_transposed(graph, self.weighted))
        order, position = places_by_degree(graph, degrees_of(graph), 0)
        offsets, dst, slots = collect_arcs(graph, order, relabel=position, slots=self.weighted)
        self.graph = _copy_of(graph, offsets, dst, graph.payload.weights_at(graph, slots) if self.weighted else None)
        self._order = order
        self._shares = deal_rows(graph, offsets)

    def _multiply(self, x: Any, out: Any) -> None:
        """The product, by the kernel for rows sorted by length."""
        graph: Any = self.graph
        multiply_rows(graph, (graph.offsets, graph.indices, graph.weights), self._shares, x, out)


class RowShares(NamedTuple):
    """The threads for rows sorted by length.

    `bounds` count the rows longer than `LONG_ROW`, `TILE_ROW` and `THREAD_ROW`. `first_piece` (int64) has the first
    piece of each long row, and their number. `piece_rows` (int32) has the row of each piece.
    """

    bounds: tuple[int, ...]
    first_piece: Any
    piece_rows: Any


def deal_rows(graph: BaseGraph, offsets: Any) -> RowShares:
    """Distribute the rows of CSR arrays on a GPU, longest rows first, for `multiply_rows`. `graph` gives types."""
    bounds, first_piece = classes_of_rows(graph, offsets, (LONG_ROW, TILE_ROW, THREAD_ROW), PIECE_ARCS)
    return RowShares(bounds, first_piece, row_ids(graph.device, first_piece, np.dtype(np.int32)))


def most_hubs(itemsize: int) -> int:
    """The number of entries of a vector that fit in the memory of a block for hubs."""
    from frontier.runtime.compile.cuda import shared_memory

    return (shared_memory() - CACHE_BYTES) // itemsize


def multiply_rows(
    graph: BaseGraph, matrix: tuple[Any, Any, Any], shares: RowShares, x: Any, out: Any, hubs: Any = None
) -> None:  # fmt: skip
    """A product on a GPU, by the kernel for rows sorted by length. The graph gives types.

    The matrix is its offsets, columns, and weights or None. Its first columns are hubs, at the positions `hubs` of `x`
    (see ``spmv.cuh``), by default the first ones. Then columns are positions.
    """
    from frontier.runtime.compile.cuda import load_kernel, multiprocessors

    offsets, columns, weights = matrix
    weight = np.dtype(np.float32) if weights is None else weights.dtype
    defines = (("GATHER", C_TYPES[x.dtype]), ("VID", C_TYPES[columns.dtype]), ("WEIGHT", C_TYPES[weight]))
    fit = most_hubs(x.dtype.itemsize)
    listed: tuple = ()
    if hubs is None:
        held = min(int(x.size), fit)
    else:
        held, listed = min(int(hubs.size), fit), (hubs, np.int64(hubs.size))
        defines = (*defines, ("LISTED_HUBS", "1"))
    kernel = load_kernel(HEADER, "spmv", defines)  # before shares are read, which rehearsals lack
    long_rows, warp_rows, tile_rows = shares.bounds
    if long_rows:
        clear(graph, out[:long_rows])  # pieces are added there
    kernel(
        int(offsets.size) - 1, offsets, columns, weights, x, out, np.int64(held), np.int64(shares.piece_rows.size),
        shares.piece_rows, shares.first_piece, np.int64(long_rows), np.int64(warp_rows), np.int64(tile_rows), *listed,
        blocks=multiprocessors(), threads=1024, shared=held * x.dtype.itemsize,
    )  # fmt: skip


def _value(src, dst, edge, weight, x):
    return x[dst]


def _weighted_value(src, dst, edge, weight, x):
    return weight * np.float64(x[dst])


def _scatter(src, dst, edge, weight, x, y):
    if x[src] != 0:
        atomic_add(y, dst, np.float64(x[src]))
    return 0


def _weighted_scatter(src, dst, edge, weight, x, y):
    if x[src] != 0:
        atomic_add(y, dst, weight * np.float64(x[src]))
    return 0


def _columns_of(x: Any) -> int | None:
    """The number of vectors in an array of two dimensions, or None for one vector."""
    return x.shape[1] if getattr(x, "ndim", 1) == 2 else None


def _column(src, dst, edge, weight, column, x):
    return x[dst, column]


def _weighted_column(src, dst, edge, weight, column, x):
    return weight * np.float64(x[dst, column])


def _column_scatter(src, dst, edge, weight, column, x, y):
    if x[src, column] != 0:
        atomic_add(y, (dst, column), np.float64(x[src, column]))
    return 0


def _weighted_column_scatter(src, dst, edge, weight, column, x, y):
    if x[src, column] != 0:
        atomic_add(y, (dst, column), weight * np.float64(x[src, column]))
    return 0


def costs_of(graph: BaseGraph, transpose: bool, products: int) -> tuple[float, float]:
    """The expected costs of products of the graph as it is stored, and of prepared ones."""
    kind = graph.device.kind
    if not transpose and kind == "cpu" and isinstance(graph, csr_structure()):
        return products, products  # there is nothing to prepare
    preparation = passes_of_copy(graph) + (TRANSPOSITION if transpose else 0)
    walk = graph.walk_cost[kind] * (SCATTER if transpose else 1)
    return products * walk, preparation + products * PREPARED[kind]


def _copy_of(graph: BaseGraph, offsets: Any, dst: Any, weights: Any) -> BaseGraph:
    made: Any = csr_structure().from_csr(offsets, dst, weights, directed=True, device=graph.device)  # type: ignore[attr-defined]
    made.store.has_sorted_lists = False
    return made


def _transposed(graph: BaseGraph, weighted: bool) -> tuple[Any, Any, Any]:
    """The arcs reversed, as CSR: offsets, sources and weights."""
    device, xp, n = graph.device, graph.xp, graph.num_vertices
    offsets, dst, slots = collect_arcs(graph, None, slots=weighted)
    keys = arc_keys(device, dst, row_ids(device, offsets, graph.vertex_dtype), n)
    weights = graph.payload.weights_at(graph, slots) if weighted else None
    if weighted:
        keys, weights = sort_pairs(device, keys, weights)
    else:
        sort_keys(device, keys)
    rows, columns = split_keys(device, keys, n, graph.vertex_dtype)
    offsets = xp.searchsorted(rows, xp.arange(n + 1, dtype=rows.dtype)).astype(np.int64)
    return offsets, xp.ascontiguousarray(columns), weights
