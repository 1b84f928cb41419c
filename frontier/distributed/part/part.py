"""`GraphPart`: what one worker has of a distributed graph."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, ClassVar, NoReturn

import numpy as np

from frontier.core.arguments import flag, one_of
from frontier.core.base import BaseDynamicGraph
from frontier.core.batch import Arcs, check_ids
from frontier.core.component import component_of
from frontier.core.forwarding import forwards
from frontier.core.observers import Notification, Observers, observed
from frontier.core.results import UpdateResult
from frontier.core.structures import structure_class
from frontier.core.vertex_arrays import MakesVertexArrays
from frontier.features.edge_data import build_rows, make_rows
from frontier.features.mixed import MixedResult
from frontier.features.snapshots import History
from frontier.features.times import as_time
from frontier.operators import Orientation, SpMV
from frontier.operators.extract import incident_arcs
from frontier.operators.frontiers.edge_frontier import EdgeFrontier
from frontier.operators.frontiers.frontier import Frontier

from ..base import BasePart
from ..exchange import batches
from ..exchange.appends import append
from ..exchange.batch import EXPECTED, Batch, all_or_none, attempt, raise_first
from ..exchange.columns import MULTI, ColumnsOfPart, check_on_existing, column_of, edge_dtypes, own_records
from ..exchange.expiry import expire_edges, latest_time
from ..exchange.ghosts import Ghosts
from ..exchange.mixed import apply_operations, replace_records
from ..exchange.vertex_arrays import FLAGS, RESULTS, SUMS, VertexArrays
from ..operators import operators
from ..operators.edge_frontiers import PartEdgeFrontier
from ..operators.frontiers import PartFrontier
from ..operators.products import PartSpMV
from ..operators.triangles import PartOrientation
from ..partition.partition import Partition
from ..transport.communicator import Communicator, PartLostError
from . import files
from .observing import NotifiedPairs, PartObservers
from .queries import PartQueries
from .snapshots import copy_of, take_snapshot


@forwards(
    "local", "device", "xp", "num_vertices", "vertex_dtype", "weight_dtype", "is_weighted", "vertex_version",
    "edge_capacity", "finds_fast", "walk_cost", "store", "time_unit", "keep_time", "multi_edges", "absent_mask",
)  # fmt: skip
class GraphPart(PartQueries, PartObservers, MakesVertexArrays, BasePart):
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
    edge_data, time, keep_time
        As in `Graph`. A part has the columns of its own arcs, and its own ids for them.
    multi : {"last", "sum"}
        As in `Graph`.
    **structure_options
        Of the structure.

    Attributes
    ----------
    local : DynamicGraph
        The part: a directed graph over all ids.
    inward : DynamicGraph or None
        With in-edges, the arcs that enter the part's vertices, reversed.
    partition : Partition
    arrays : VertexArrays
    ghosts : dict of str to Ghosts
        Of the local graphs, by the names that they have here.
    """

    is_part = True
    read_only = False
    in_parts = True
    forms: ClassVar[dict[type, type]] = {
        Frontier: PartFrontier, EdgeFrontier: PartEdgeFrontier, SpMV: PartSpMV, Orientation: PartOrientation,
    }  # fmt: skip

    def __init__(
        self, comm: Communicator, structure: Any, num_vertices: int = 0, *, directed: bool = False,
        weight_dtype: Any = None, vertex_dtype: Any = None, edge_data: Any = None, time_unit: str | None = None,
        keep_time: str = "latest", multi_edges: str = "last", **structure_options: Any,
    ):  # fmt: skip
        kind: Any = structure_class(structure)
        if not issubclass(kind, BaseDynamicGraph):
            raise TypeError(f"structure must be one that can be changed, not {kind.__name__}")
        if "device" in structure_options:
            raise TypeError(
                "device: a graph in parts has no device of its own; the engine has it: pass, for example, "
                "engine=ThreadEngine(2, device='cpu') or engine=ProcessEngine(2, 'nccl')"
            )
        in_edges = flag(structure_options.pop("in_edges", False), "in_edges")
        one_of(multi_edges, "multi_edges", MULTI)
        self.comm = comm
        self.directed = flag(directed, "directed")
        self.new_local: Callable[[], Any] = partial(
            kind, num_vertices, directed=True, device=comm.device, weight_dtype=weight_dtype, vertex_dtype=vertex_dtype,
            edge_data=edge_data, time_unit=time_unit, keep_time=keep_time, multi_edges=multi_edges, **structure_options,
        )  # fmt: skip
        self.local: Any = self.new_local()
        self.inward: Any = self.new_local() if in_edges and self.directed else None
        self.partition = Partition(comm.device, comm.size, comm.rank)
        self.partition.extend(num_vertices)
        self.arrays = VertexArrays(comm, self.partition, lambda: self.local, self.is_column)
        self._observers = Observers(self)
        self._start()

    def _start(self, num_arcs: int = 0) -> None:
        """Set what every part begins with, a copy, too."""
        self._reverse: GraphPart | None = None
        self._notified_sources: list[weakref.ref] = []
        self._notified_pairs: list[NotifiedPairs] = []
        self._latest_snapshot: Callable[[], Any] = lambda: None
        own = weakref.ref(self)  # a part that nothing refers to is freed at once
        self.ghosts = {
            name: Ghosts(self.comm, self.partition, partial(_local_of, own, name)) for name in ("local", "inward")
        }
        self.broken: str | None = None
        self.spare = batches.MemoryBudget()
        self._version = 0
        self._total_arcs = num_arcs

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a folder that all workers reach, atomically as a whole: see
        `frontier.distributed.part.files`.

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
    def num_arcs(self) -> int:
        """Of all parts."""
        return self._total_arcs

    @property
    def num_edges(self) -> int:
        """Of all parts; an undirected edge counts once."""
        return self._total_arcs if self.directed else self._total_arcs // 2

    @property
    def version(self) -> int:
        """How many updates there were: the same on all parts, whether or not they changed this part."""
        return self._version

    @property
    def has_in_edges(self) -> bool:
        """Whether `reverse` is there: in undirected graphs, and directed ones made with ``in_edges=True``."""
        return not self.directed or self.inward is not None

    @property
    def reverse(self) -> GraphPart:
        """The graph with every edge reversed: a read-only view, as `Graph.reverse` is."""
        if not self.directed:
            return self
        if self.inward is None:
            raise ValueError("this graph keeps no in-edges; make it with in_edges=True")
        if self._reverse is None:
            self._reverse = ReversePart(self)
        return self._reverse

    @property
    def structure(self) -> type:
        """What the parts are stored in."""
        return getattr(self.local, "structure", type(self.local))

    @property
    def edge_data(self) -> Mapping[str, Any] | None:
        """The columns of this part's arcs, by name, as `Graph.edge_data`; None in graphs without edge data.

        They are arrays by the part's own ids, which functors see as `edge`. The arc of an undirected edge that leaves
        the other end has another entry, on the part that owns that end.
        """
        return self.local.edge_data

    @property
    def edge_dtypes(self) -> dict[str, np.dtype]:
        """The type of each column of edge data, by name; those of the weights are not among them."""
        return edge_dtypes(self.local)

    @property
    def payload(self) -> Any:  # type: ignore[override]
        return ColumnsOfPart(self)

    def is_column(self, array: Any) -> bool:
        """Whether an array is a column of this part's edge data, in either direction."""
        return any(column_of(local, array) is not None for local in self.locals())

    def with_own_columns(self, args: tuple) -> tuple:
        """Arguments of a functor, in which columns of the other direction are those of this one.

        On one device both directions share columns, and here each has its own, by other ids.
        """
        if self.inward is None or self.local.edge_data is None:
            return args
        names = [column_of(self.inward, value) for value in args]
        columns = self.local.payload.table.columns
        return tuple(value if name is None else columns[name] for name, value in zip(names, args, strict=True))

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return (
            f"{type(self).__name__}({self.structure.__name__}, part {self.comm.rank} of {self.comm.size}, "
            f"{self.num_vertices:,} vertices, {self.num_edges:,} edges in total, {kind}, {self.device.kind})"
        )

    # ---- arrays and functions ---------------------------------------------------------------------------------------

    def vertex_array(
        self, dtype: Any, fill: Any = 0, *, combine: str | Callable | None = None, follows: Any = None,
        normal: Callable | None = None,
    ) -> Any:  # fmt: skip
        made = super().vertex_array(dtype, fill)
        return self.arrays.register(made, combine, follows, normal)

    def flags(self, count: int = 1) -> Any:
        return self.arrays.register_small(super().flags(count), FLAGS)

    def sums(self, count: int = 1) -> Any:
        return self.arrays.register_small(super().sums(count), SUMS)

    def results(self, count: int = 1, dtype: Any = np.float64) -> Any:
        return self.arrays.register_small(super().results(count, dtype), RESULTS)

    def copy_to_host_async(self, array: Any) -> Any:
        return self.comm.deferred_of(array) or super().copy_to_host_async(array)

    def sync(self, *arrays: Any, of: Any = None) -> None:
        if of is None:
            self.arrays.sync(arrays)
        else:
            self.arrays.publish(arrays, of.local._members())

    def locally(self, *arrays: Any) -> AbstractContextManager[None]:
        return self.arrays.hold_apart(arrays)

    def sum_all(self, array: Any) -> Any:
        if self.arrays.rule_of(array) == SUMS:
            if self.device.is_gpu and self.comm.size > 1:  # the host waits once
                return int(self.comm.gather_rows(array).sum())
            return self.sum_over_parts(int(super().sum_all(array)))
        self.arrays.settle([array])
        return self.device.to_host(self.comm.allreduce(array[self.partition.owned].sum().reshape(1)))[0]

    def sum_over_parts(self, number: int) -> int:
        return self.comm.reduce_numbers([number])[0]

    def listed_over_parts(self, src: Any, dst: Any) -> int:
        routed = None if self.comm.size == 1 else self.routed_of_notified(src, dst)
        return self.sum_over_parts(src.size) if routed is None else routed.total

    def max_over_parts(self, number: int) -> int:
        return self.comm.reduce_numbers([number], "max")[0]

    def reading(self) -> AbstractContextManager[Any]:
        """`Graph.reading`: a part is used by one thread alone."""
        return nullcontext()

    def _run_over_parts(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Called in place of what reads a graph, with this one."""
        self.check_parts()
        self.synchronize()
        return operators.run(self, function, args, kwargs)

    def synchronize(self) -> None:
        """Called by all parts before the graph is read."""

    def check_parts(self) -> None:
        """Raise if the parts do not agree any more."""
        if self.broken is not None:
            raise PartLostError(self.broken)

    def mark_failed(self, text: str) -> NoReturn:
        """Raise, now and whenever the graph is used again: other parts do not answer."""
        self.broken = text
        raise PartLostError(text)

    def _begin_update(self) -> None:
        self.check_parts()
        if self.read_only:
            raise TypeError(self.refusal)

    # ---- updates ----------------------------------------------------------------------------------------------------

    @observed
    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", **edge_data: Any
    ) -> UpdateResult:  # fmt: skip
        """`DynamicGraph.insert_edges`, of the edges that all parts have."""
        self._begin_update()
        check_on_existing(self, on_existing)
        batch = batches.route(self, src, dst, weights, edge_data)
        if on_existing == "add" and self._observers.live():
            return append(self, batch)
        return self._insert_batch(batch, on_existing)

    def _insert_batch(self, batch: Batch, on_existing: str, *, timed: bool = True) -> UpdateResult:
        """Insert arcs of this part, and notify observers. If it is `timed`, times decide what replaces an existing
        record."""

        def find_notifications() -> tuple[list[Notification], list[Notification]]:
            notifications = self._notifications(batch.src, batch.dst, present=False)
            return notifications, [] if on_existing == "keep" else self._notifications_of_changes(batch.src, batch.dst)

        notifications, changes = batches.prepare(self, batch, find_notifications)
        self._observers.notify("edges_changing", changes)
        routed = None if self.inward is None else batches.route_by_target(self, batch)

        def insert() -> UpdateResult:
            done = self._insert("local", batch, on_existing, timed)
            if routed is not None:
                self._insert("inward", routed, on_existing, timed)
            return done

        done = batches.apply(self, batch, insert, routed, sums=on_existing == "add" or self.multi_edges == "sum")
        self._observers.notify("edges_inserted", notifications)
        self._observers.notify("edges_changed", changes)
        return done

    def _insert(self, name: str, batch: Batch, on_existing: str, timed: bool = True) -> Any:
        """Insert arcs into one of the local graphs.

        The first batch is inserted as `from_edges` does it: faster than into a graph, and without gaps.
        """
        self.ghosts[name].mark(batch.dst)
        local = getattr(self, name)
        data = local.payload.table
        adds = on_existing == "add" or local.multi_edges != "last"
        logs = data is not None and data.times is not None and data.times.arrivals is not None
        if not timed and local.time_unit is not None:
            return replace_records(local, batch.src, batch.dst, batch.columns)
        # One that was loaded has version 0. A snapshot of the empty graph has to learn of the update.
        if local.version or local.num_arcs or adds or logs or component_of(local, History) is not None:
            if on_existing == "replace" and _stays_checked(local, batch):
                return local._insert_valid(batch.src, batch.dst, batch.weights)
            return local.insert_edges(batch.src, batch.dst, batch.weights, on_existing=on_existing, **batch.data)
        try:
            if data is None:
                local.store.load(Arcs(batch.src, batch.dst, batch.weights))
            else:
                build_rows(local, make_rows(local, batch.src, batch.dst, batch.weights, batch.data))
        except EXPECTED:
            setattr(self, name, self.new_local())  # a structure that is being filled promises nothing
            raise
        return UpdateResult(inserted=local.num_arcs)

    @observed
    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """`DynamicGraph.delete_edges`, of the edges that all parts have."""
        self._begin_update()
        return self._delete(batches.route(self, src, dst))

    def _delete(self, batch: Batch) -> UpdateResult:
        """Delete arcs of this part, and notify observers."""
        notifications = batches.prepare(self, batch, lambda: self._notifications(batch.src, batch.dst, present=True))
        self._observers.notify("edges_deleting", notifications)
        routed = None if self.inward is None else batches.route_by_target(self, batch)

        def delete() -> UpdateResult:
            done = _delete(self.local, batch)
            if routed is not None:
                _delete(self.inward, routed)
            return done

        done = batches.apply(self, batch, delete, routed)
        self._observers.notify("edges_deleted", notifications)
        return done

    @observed
    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """`DynamicGraph.apply`, of the operations that all parts have; the answers are those to this part's."""
        self._begin_update()
        return apply_operations(self, ops, src, dst, weights, edge_data)

    @observed
    def expire(self, before: Any) -> UpdateResult:
        """`DynamicGraph.expire`; all parts give the same argument."""
        self._begin_update()
        if self.time_unit is None:
            raise ValueError("this graph has no times; make it with time_unit=")
        return expire_edges(self, as_time(before, "before", self.time_unit))

    def latest_time(self) -> int | None:
        """The greatest time of all edges; None if there are none."""
        return latest_time(self)

    @observed
    def insert_vertices(self, count_or_ids: Any) -> Any:
        """`DynamicGraph.insert_vertices`; all parts give the same argument."""
        self._begin_update()
        before = self.num_vertices
        self.changes()
        done, error = attempt(lambda: self._on_locals("insert_vertices", count_or_ids))
        self._agree_on_vertices(error)
        if self.num_vertices > before:
            self.partition.extend(self.num_vertices)
        self._notify_of_vertices()
        return done

    @observed
    def delete_vertices(self, ids: Any) -> UpdateResult:
        """`DynamicGraph.delete_vertices`; all parts give the same argument.

        Each part takes a pass over its arcs for those that enter the vertices.
        """
        self._begin_update()
        before = self._delete_incident(ids)  # while observers can still name the vertices
        self.changes()
        done, error = attempt(lambda: self._on_locals("delete_vertices", ids))
        self._agree_on_vertices(error)
        deleted = self.comm.reduce_numbers([done.deleted])[0]
        self.changed(arcs=-deleted)
        self._notify_of_vertices()
        return UpdateResult(deleted=before + (deleted if self.directed else deleted // 2))

    def _delete_incident(self, ids: Any) -> int:
        """Delete the edges of vertices, if there are observers to be notified of them; returns how many."""
        if not self._observers.live():
            return 0
        found, error = attempt(lambda: check_ids(self.device, ids, "ids", self.num_vertices, self.store.absent))
        self._agree_on_vertices(error)
        marked = self.xp.zeros(self.num_vertices, np.bool_)
        marked[found] = True
        return self._delete(Batch(*incident_arcs(self.local, marked), {}, safe=False)).deleted

    def _notify_of_vertices(self) -> None:
        self._observers.notify("vertices_changed", [(observer, ()) for observer in self._observers.live()])

    def _agree_on_vertices(self, error: Exception | None) -> None:
        """After all parts have changed their vertices: the same argument is good or bad on all of them."""
        failures = self.comm.reduce_numbers([error is not None])[0]
        if 0 < failures < self.comm.size:
            self.broken = "an update of the vertices failed on some parts and not on others: load the graph from a file"
        raise_first(self, error)

    def locals(self) -> list[Any]:
        """The local graphs, that of the part's own arcs first."""
        return [self.local] if self.inward is None else [self.local, self.inward]

    def _on_locals(self, method: str, *args: Any) -> Any:
        """Call a method of the local graphs; returns what the first returns."""
        first, *_ = [getattr(each, method)(*args) for each in self.locals()]
        return first

    def fill_inward(self) -> None:
        """Give a graph that was loaded its in-edges."""
        routed = batches.route_by_target(self, Batch(*own_records(self.local), safe=False))
        all_or_none(self, lambda: self._insert("inward", routed, "replace"))
        if self.store.absent is not None:
            self.inward.delete_vertices(self.xp.flatnonzero(self.store.absent))

    def changes(self) -> None:
        """An update begins, on all parts."""
        self._version += 1

    def changed(self, arcs: int) -> None:
        """An update has added so many arcs to all parts together."""
        self._total_arcs += arcs

    def snapshot(self) -> GraphPart:
        """`DynamicGraph.snapshot`, taken by all parts at the same time: a part of it."""
        return take_snapshot(self, GraphPart)

    def copy(self) -> GraphPart:
        """`Graph.copy`: an independent graph in as many parts, which can be updated, also if this one cannot."""
        return copy_of(self, GraphPart)

    def empty_like(self) -> GraphPart:
        """A graph with the same vertices and no edges, in parts of the same structure, without weights."""
        made = GraphPart(
            self.comm, self.structure, self.num_vertices, directed=self.directed, vertex_dtype=self.vertex_dtype
        )
        if self.store.absent is not None:
            made.delete_vertices(self.xp.flatnonzero(self.store.absent))
        return made


def _delete(local: Any, batch: Batch) -> UpdateResult:
    """Delete arcs of a local graph."""
    if _stays_checked(local, batch):
        return local._delete_valid(batch.src, batch.dst)
    return local.delete_edges(batch.src, batch.dst)


def _stays_checked(local: Any, batch: Batch) -> bool:
    """Whether arcs are not checked again where they arrive: a GPU applies a small batch in one launch, which does."""
    return local.edge_data is None and (batch.src.size > batches.SMALL or not local.device.is_gpu)


def _local_of(part: Callable[[], Any], name: str) -> Any:
    return getattr(part(), name)


@forwards("_reverse", "partition", "spare", "version", "broken", "num_arcs", "num_edges")
class ReversePart(GraphPart):
    """`GraphPart.reverse`: it shares all but the local graph with the graph that it is the reverse of."""

    read_only = True
    refusal = "this graph is the reverse of another, which is read-only: update that one"

    def __init__(self, forward: GraphPart):
        self._reverse = forward
        self.comm = forward.comm
        self.directed = True
        self.arrays = forward.arrays
        self._observers = Observers(self)
        self._notified_sources = []
        self._notified_pairs = []

    @property
    def local(self) -> Any:  # type: ignore[override]
        return self._reverse.inward

    @property
    def inward(self) -> Any:  # type: ignore[override]
        return self._reverse.local

    @property
    def ghosts(self) -> dict[str, Ghosts]:  # type: ignore[override]
        forward = self._reverse.ghosts
        return {"local": forward["inward"], "inward": forward["local"]}

    def mark_failed(self, text: str) -> NoReturn:
        self._reverse.mark_failed(text)

    def synchronize(self) -> None:
        self._reverse.synchronize()

    def snapshot(self) -> GraphPart:
        """The reverse of a snapshot of the graph."""
        return self._reverse.snapshot().reverse
