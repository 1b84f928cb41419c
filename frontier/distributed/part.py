"""`GraphPart`: what one worker has of a distributed graph."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..arguments import flag
from ..frontier import Frontier
from ..kinds import AnyDynamicGraph
from ..operators import Orientation, SpMV
from ..registry import structure_class
from ..updates import MemoryUsage, UpdateResult
from ..vertex_arrays import MakesVertexArrays
from . import batches, files, operators
from .communicator import Communicator, PartLostError
from .frontiers import PartFrontier
from .partition import Partition
from .products import PartSpMV
from .triangles import PartOrientation
from .vertex_arrays import VertexArrays


class GraphPart(MakesVertexArrays, AnyDynamicGraph):
    """A dynamic graph of which this process has a part: a program that runs on every worker sees it as one graph.

    Every worker calls the same methods, operators and algorithms in the same order, each with its own part. Results
    are those of one device, complete on every worker. Batches and queries are what each worker adds: those of the
    whole graph are all workers' in order of their ranks, and may be empty on some.

    Ids are those of the whole graph on every part. A part has the arcs that leave the vertices it owns; arrays by
    vertex have an entry for every vertex on every part (`VertexArrays`).

    Parameters
    ----------
    comm : Communicator
    structure : type or str
        What each part is stored in: any dynamic structure, or its name.
    num_vertices : int
    directed : bool
    weight_dtype, vertex_dtype : dtype, optional
    **structure_options
        Of the structure.

    Attributes
    ----------
    local : DynamicGraph
        The part: a directed graph over all ids.
    partition : Partition
    arrays : VertexArrays
    """

    read_only = False
    in_parts = True
    forms: ClassVar[dict[type, type]] = {Frontier: PartFrontier, SpMV: PartSpMV, Orientation: PartOrientation}

    def __init__(
        self, comm: Communicator, structure: Any, num_vertices: int = 0, *, directed: bool = False,
        weight_dtype: Any = None, vertex_dtype: Any = None, **structure_options: Any,
    ):  # fmt: skip
        kind: Any = structure_class(structure)
        if not issubclass(kind, AnyDynamicGraph):
            raise TypeError(f"structure must be one that can be changed, not {kind.__name__}")
        for name in ("in_edges", "edge_data", "time", "keep_time", "multi"):
            if structure_options.pop(name, None) not in (None, False):
                raise NotImplementedError(f"{name} is not available for a graph of several parts yet")
        self.comm = comm
        self.directed = flag(directed, "directed")
        self._make_local = partial(
            kind, num_vertices, directed=True, device=comm.device, weight_dtype=weight_dtype, vertex_dtype=vertex_dtype,
            **structure_options,
        )  # fmt: skip
        self.local: Any = self._make_local()
        self.partition = Partition(comm.device, comm.size, comm.rank)
        self.partition.extend(num_vertices)
        self.arrays = VertexArrays(comm, self.partition)
        self.broken: str | None = None
        self._num_arcs = 0
        self._depth = 0

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a folder that all workers reach, atomically as a whole: see `frontier.distributed.files`.

        Raises
        ------
        OSError
            Naming the file; a graph that was there before is unchanged.
        """
        self.check_parts()
        files.save(self, path)

    @classmethod
    def load(cls, comm: Communicator, path: str | os.PathLike[str]) -> GraphPart:
        """A graph that `save` has written, on any number of workers."""
        return files.load(cls, comm, path)

    # ---- what it is -------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Any:
        return self.local.device

    @property
    def xp(self) -> Any:
        return self.local.xp

    @property
    def num_vertices(self) -> int:
        return self.local.num_vertices

    @property
    def num_arcs(self) -> int:
        """Of all parts."""
        return self._num_arcs

    @property
    def num_edges(self) -> int:
        """Of all parts; an undirected edge counts once."""
        return self._num_arcs if self.directed else self._num_arcs // 2

    @property
    def vertex_dtype(self) -> np.dtype:
        return self.local.vertex_dtype

    @property
    def weight_dtype(self) -> np.dtype | None:
        return self.local.weight_dtype

    @property
    def is_weighted(self) -> bool:
        return self.local.is_weighted

    @property
    def version(self) -> int:
        return self.local.version

    @property
    def vertex_version(self) -> int:
        return self.local.vertex_version

    @property
    def has_in_edges(self) -> bool:
        """Whether the edges that enter a vertex are known: in undirected graphs."""
        return not self.directed

    @property
    def reverse(self) -> GraphPart:
        if self.directed:
            raise ValueError("a directed graph of several parts keeps no in-edges yet")
        return self

    @property
    def walk_cost(self) -> dict[str, float]:
        """That of the structure."""
        return self.local.walk_cost

    edge_data = None
    _edge_data = None

    @property
    def _absent(self) -> Any:
        return self.local._absent

    @property
    def absent_mask(self) -> Any:
        return self.local.absent_mask

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return (
            f"GraphPart({type(self.local).__name__}, part {self.comm.rank} of {self.comm.size}, "
            f"{self.num_vertices:,} vertices, {self.num_edges:,} edges in total, {kind}, {self.device.kind})"
        )

    # ---- arrays and functions ---------------------------------------------------------------------------------------

    def vertex_array(
        self, dtype: Any, fill: Any = 0, *, combine: str | Callable | None = None, follows: Any = None
    ) -> Any:  # fmt: skip
        made = super().vertex_array(dtype, fill)
        return self.arrays.register(made, combine, follows)

    def complete(self, *arrays: Any) -> None:
        self.arrays.complete(arrays)

    def _run_over_parts(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Called in place of what reads a graph, with this one."""
        self.check_parts()
        return operators.run(self, function, args, kwargs)

    def check_parts(self) -> None:
        """Raise if the parts do not agree any more."""
        if self.broken is not None:
            raise PartLostError(self.broken)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace"
    ) -> UpdateResult:  # fmt: skip
        """`DynamicGraph.insert_edges`, of the edges that all parts have."""
        self.check_parts()
        batch = batches.route(self, src, dst, weights, weighted=True)

        def insert() -> UpdateResult:
            if self.local.version == 0 and on_existing in ("replace", "keep"):
                return self._build(batch)
            return self.local.insert_edges(batch.src, batch.dst, batch.weights, on_existing=on_existing)

        return batches.apply(self, batch, insert, sums=on_existing == "add")

    def _build(self, batch: batches.Batch) -> UpdateResult:
        """Insert the first batch, as `from_edges` does: faster than into a graph, and without gaps."""
        local = self.local
        try:
            local._load(local._prepare(batch.src, batch.dst, batch.weights, directed=True, weighted=True))
        except batches.EXPECTED:
            self.local = self._make_local()  # a structure that is being filled promises nothing
            raise
        return UpdateResult(inserted=local.num_arcs)

    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """`DynamicGraph.delete_edges`, of the edges that all parts have."""
        self.check_parts()
        batch = batches.route(self, src, dst)
        return batches.apply(self, batch, lambda: self.local.delete_edges(batch.src, batch.dst))

    def insert_vertices(self, count_or_ids: Any) -> Any:
        """`DynamicGraph.insert_vertices`; all parts give the same argument."""
        self.check_parts()
        before = self.num_vertices
        done, error = batches.attempt(lambda: self.local.insert_vertices(count_or_ids))
        self._agree_on_vertices(error)
        if self.num_vertices > before:
            self.partition.extend(self.num_vertices)
        return done

    def delete_vertices(self, ids: Any) -> UpdateResult:
        """`DynamicGraph.delete_vertices`; all parts give the same argument.

        Each part takes a pass over its arcs for those that enter the vertices.
        """
        self.check_parts()
        done, error = batches.attempt(lambda: self.local.delete_vertices(ids))
        self._agree_on_vertices(error)
        deleted = self.comm.reduce_numbers([done.deleted])[0]
        self.changed(arcs=-deleted)
        return UpdateResult(deleted=deleted if self.directed else deleted // 2)

    def _agree_on_vertices(self, error: Exception | None) -> None:
        """After all parts have changed their vertices: the same argument is good or bad on all of them."""
        failures = self.comm.reduce_numbers([error is not None])[0]
        if 0 < failures < self.comm.size:
            self.broken = "an update of the vertices failed on some parts and not on others: load the graph from a file"
        batches.raise_first(self, error)

    def changed(self, arcs: int) -> None:
        """An update has added so many arcs to all parts together."""
        self._num_arcs += arcs

    # ---- queries ----------------------------------------------------------------------------------------------------

    def has_vertices(self, ids: Any) -> Any:
        """`Graph.has_vertices`."""
        return self.local.has_vertices(ids)

    def has_edges(self, src: Any, dst: Any) -> Any:
        """`Graph.has_edges`, for the pairs of this part."""
        return batches.ask(self, src, dst, self.local.has_edges)

    def edge_weights(self, src: Any, dst: Any) -> Any:
        """`Graph.edge_weights`, for the edges of this part."""
        there = self.has_edges(src, dst)
        xp = self.xp

        def check() -> None:
            missing = xp.flatnonzero(~there)
            if missing.size:
                i = int(missing[0])
                u, v = int(xp.asarray(src)[i]), int(xp.asarray(dst)[i])
                raise ValueError(f"edge {i} of the list, {u} - {v}, is not in the graph ({missing.size} such edges)")

        batches.agree(self, check)
        return batches.ask(self, src, dst, self.local.edge_weights)

    def degrees(self) -> Any:
        """`Graph.degrees`."""
        degrees = self.local.degrees()
        self.arrays.copy_from_owners(degrees)
        return degrees

    def neighbors(self, v: int) -> Any:
        """`Graph.neighbors`."""
        return self.comm.allgather(self.local.neighbors(v))[0]  # parts that do not own v have none

    def to_coo(self) -> tuple[Any, Any, Any]:
        """`Graph.to_coo`: all edges on every part, for graphs that fit; `local.to_coo` has the part's own arcs."""
        src, dst, weights = self.local.to_coo()
        if not self.directed:
            keep = self.xp.flatnonzero(src < dst)
            src, dst, weights = src[keep], dst[keep], None if weights is None else weights[keep]
        src, counts = self.comm.allgather(src)
        dst, _ = self.comm.allgather(dst, counts)
        weights = None if weights is None else self.comm.allgather(weights, counts)[0]
        order = self.xp.argsort(src, kind="stable")  # a vertex is one part's, whose edges are in order
        return src[order], dst[order], None if weights is None else weights[order]

    def memory_usage(self) -> MemoryUsage:
        """Of all parts together; `local.memory_usage` is that of this one."""
        own = self.local.memory_usage()
        numbers = [own.used, own.reserved, own.csr, own.arcs]
        return MemoryUsage(*self.comm.reduce_numbers(numbers))
