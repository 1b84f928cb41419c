"""`DistributedGraph`: a graph whose partitions are on the workers of an engine, as seen by the program."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import weakref
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import numpy as np

from frontier.core.arguments import flag
from frontier.core.forwarding import forwards
from frontier.core.results import UpdateObserver, UpdateResult
from frontier.core.structures import structure_class
from frontier.features.mixed import MixedResult, Operation
from frontier.features.mixed.apply import as_operations, check_multi
from frontier.interchange import data_frame, to_dataframe
from frontier.operators import intersect
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids, as_weights, is_on_gpu, same_length

from .base import COUNTS, FACTS, QUERIES, UPDATES, BaseDistributedGraph, forwards_calls
from .engines import Engine, engine_of_client
from .exchange.columns import ColumnsOfGraph, GivenData, GivenPayload, check_column, check_present
from .exchange.mixed import joined
from .part import steps
from .part.part import GraphPart
from .part.results import check_dask_library, kept_result
from .transport.communicator import PartLostError


@forwards("_facts", *FACTS)
@forwards("_counts", *COUNTS)
@forwards_calls(GraphPart, QUERIES)
@forwards_calls(GraphPart, UPDATES, whole=True)
class DistributedGraph(BaseDistributedGraph):
    """A distributed dynamic graph: each worker has a partition of it.

    It has the updates and queries of `DynamicGraph`, with the same semantics, errors and results. Algorithms accept it
    like any graph: they run on all workers at the same time, each with its `GraphPart`, and the result is returned.
    `run` calls custom functions.

    Parameters
    ----------
    structure : type or str
        The structure of each partition: any dynamic structure, or its name.
    num_vertices : int
    directed : bool
    weight_dtype, vertex_dtype : dtype, optional
    engine : Engine, optional
        The workers, by default the workers of the current Dask client.
    edge_data, time_unit, keep_time
        As in `Graph`: columns of data on edges, and times. Values are read by `edge_values`.
    multi_edges : {"last", "sum"}
        As in `Graph`.
    **structure_options
        Options of the structure.

    See Also
    --------
    ThreadEngine : Workers in threads.
    ProcessEngine : Workers in processes.
    DaskEngine : Workers of a Dask cluster.

    Examples
    --------
    >>> from frontier.distributed import DistributedGraph, ThreadEngine
    >>> from structures import SlabGraph
    >>> with ThreadEngine(2) as engine:
    ...     graph = DistributedGraph(SlabGraph, num_vertices=4, engine=engine)
    ...     graph.insert_edges([0, 1, 2], [1, 2, 3])
    ...     graph.degrees()
    UpdateResult(inserted=3, replaced=0, deleted=0)
    array([1, 2, 2, 1])
    """

    read_only = False
    in_parts = True

    def __init__(
        self, structure: Any, num_vertices: int = 0, *, directed: bool = False, weight_dtype: Any = None,
        vertex_dtype: Any = None, engine: Engine | None = None, edge_data: Any = None, time_unit: str | None = None,
        keep_time: str = "latest", multi_edges: str = "last", **structure_options: Any,
    ):  # fmt: skip
        structure_class(structure)
        settings = {
            "num_vertices": num_vertices, "directed": directed, "weight_dtype": weight_dtype,
            "vertex_dtype": vertex_dtype, "edge_data": edge_data, "time_unit": time_unit, "keep_time": keep_time,
            "multi_edges": multi_edges, **structure_options,
        }  # fmt: skip
        self._start(engine, steps.make, structure, settings)

    def _start(self, engine: Engine | None, step: Callable, *args: Any) -> None:
        self.engine = engine = engine_of_client() if engine is None else engine
        with engine.making() as self._key:
            self._facts, self._known_counts = engine.run_alike(step, self._key, *args)[0]

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, engine: Engine | None = None) -> DistributedGraph:
        """Load a graph that `save` has written, on the current number of workers.

        Raises
        ------
        OSError, ValueError
            Naming the file and the error.
        """
        graph = object.__new__(cls)
        graph._start(engine, steps.load, os.fspath(path))
        return graph

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a folder that all workers reach, a file for each partition.

        Atomically as a whole: if anything fails, or a worker is killed, the folder retains its previous contents.

        Raises
        ------
        OSError
            Naming the file.
        """
        self._on_all("save", os.fspath(path))

    # ---- properties -------------------------------------------------------------------------------------------------

    @property
    def _counts(self) -> SimpleNamespace:
        """The counts of the workers' last answer. They are asked if it did not arrive."""
        if self._known_counts is None:
            self._known_counts = self.engine.run_alike(steps.counts_of, self._key)[0]
        return self._known_counts

    @property
    def edge_data(self) -> Mapping[str, Any] | None:
        """The names of the columns of edge data, or None in graphs without.

        The columns are arrays on the partitions: `edge_values` returns values. A function that `run` calls reads its
        partition's columns from ``part.edge_data``.
        """
        if not self._facts.has_edge_data:
            return None
        return ColumnsOfGraph((("weight",) if self.is_weighted else ()) + tuple(self.edge_dtypes))

    @property
    def device(self) -> Device:
        """The device of results: the host memory of this program."""
        return resolve_device("cpu")

    @property
    def xp(self) -> Any:
        """The array module of `device`."""
        return self.device.xp

    @property
    def payload(self) -> GivenPayload:  # type: ignore[override]
        """The types of the columns, by which users' arrays are read."""
        return GivenPayload(self._given_data(self.device))

    @functools.cached_property
    def _read_by(self) -> dict[str, GivenData]:
        return {}  # by kind of device

    def _given_data(self, device: Device) -> GivenData | None:
        if self.edge_data is None:
            return None
        if device.kind not in self._read_by:
            self._read_by[device.kind] = GivenData(device, self)
        return self._read_by[device.kind]

    @property
    def num_parts(self) -> int:
        """Number of partitions, one on each worker."""
        return self.engine.size

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return (
            f"DistributedGraph({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}, "
            f"{self.num_parts} parts)"
        )

    # ---- running on the partitions ----------------------------------------------------------------------------------

    def run(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        """Call ``function(part, *args, **kwargs)`` on all workers at the same time, and return the first one's result.

        Parameters
        ----------
        function : function
            Gets the worker's `GraphPart`, and must make the same calls of operators on every worker.
        """
        return self._keeping(steps.run, function, args, kwargs)

    def _keeping(self, step: Callable, *given: Any) -> Any:
        """Return the first worker's result, or the `KeptResult` of a result that all workers store."""
        if not self.engine.keeps_results:
            return self._call(step, [(None, *given)] * self.num_parts)[0]
        with self.engine.making() as key:
            return kept_result(self.engine, key, self._call(step, [(key, *given)] * self.num_parts)[0])

    def _run_over_parts(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a function that reads a graph with this one, which is its first argument."""
        form = DISTRIBUTED_FORMS.get(inspect.unwrap(function))
        if form is not None:
            kwargs.pop("graph", None)
            return form(self, *(value for value in args if value is not self), **kwargs)
        if args and args[0] is self:
            args = args[1:]
        else:
            kwargs = {name: value for name, value in kwargs.items() if value is not self}
        return self.run(function, *args, **kwargs)

    def _intersect(self, us: Any = None, vs: Any = None, op: Any = None, *args: Any, checked: bool = True) -> Any:
        """`frontier.intersect`: each worker gets a share of the pairs."""
        if op is not None:
            raise NotImplementedError("intersect with an op needs arrays of the workers: call it by graph.run(...)")
        return np.concatenate(self._share_out(steps.intersect, us, vs))

    def _to_dataframe(self, library: Any = None, *, records: bool | None = None) -> Any:
        """`frontier.interchange.to_dataframe`: on a Dask cluster, a frame of Dask with a partition of each worker."""
        if records is not None and flag(records, "records"):
            raise ValueError("records: this graph stores none; make it with multi_edges='all'")
        if not self.engine.keeps_results:
            return _edge_frame(self._call(steps.edge_columns, [()] * self.num_parts), library)
        check_dask_library(library)
        with self.engine.making() as key:
            return self.engine.frame(key, *self._call(steps.keep_edges, [(key,)] * self.num_parts)[0])

    # ---- copies -----------------------------------------------------------------------------------------------------

    def snapshot(self) -> DistributedGraph:
        """`DynamicGraph.snapshot`: the graph between two updates, on the same workers.

        Workers run one call after the other: a thread that reads the snapshot waits for updates, and does not see them.
        """
        return self._another(DistributedSnapshot, steps.take_snapshot)

    def copy(self) -> DistributedGraph:
        """`Graph.copy`: an independent graph on the same workers, which can be updated."""
        return self._another(DistributedGraph, steps.copy)

    def _another(self, kind: type[DistributedGraph], step: Callable) -> Any:
        """Return a graph whose partitions the workers make from this one's, or know already."""
        made = object.__new__(kind)
        made.engine = self.engine
        with self.engine.making() as key:
            found = self._call(step, [(key,)] * self.num_parts)[0]
        known = self._snapshots.get(found) if kind is DistributedSnapshot else None
        if known is not None:
            return known
        made._key, made._facts, made._known_counts = found, self._facts, self._known_counts
        if kind is DistributedSnapshot:
            self._snapshots[found] = made
            weakref.finalize(made, self.engine.abandoned.append, found).atexit = False
        return made

    @functools.cached_property
    def _snapshots(self) -> weakref.WeakValueDictionary[int, DistributedSnapshot]:
        return weakref.WeakValueDictionary()  # by the keys of their partitions

    def make_over_parts(self, cls: type, args: tuple, kwargs: dict) -> PartsObject:
        """Make an object of a class on every worker, from the worker's partition."""
        return PartsObject(self, cls, args, kwargs)

    def _call(self, step: Callable, shares: list[tuple], *, whole: bool = False) -> list[Any]:
        """Run a step on all workers. With `whole`, Ctrl-C is delayed until it is done."""
        with suppress(IndexError):  # other threads do the same
            while self.engine.abandoned:
                self.engine.run_alike(steps.drop, self.engine.abandoned.pop())
        try:
            answers = self.engine.run(step, [(self._key, *share) for share in shares], whole=whole)
            self._known_counts = answers[0][1]
        except PartLostError:
            raise
        except BaseException:  # the graph may have changed
            self._known_counts = None
            raise
        return [answer for answer, _ in answers]

    def _share_out(
        self, method: str | Callable, src: Any, dst: Any, weights: Any = None, data: Mapping[str, Any] | None = None, *,
        ops: Any = None, whole: bool = False, **options: Any,
    ) -> list[Any]:  # fmt: skip
        """Cut the arrays of a batch into one piece per partition, and call a method of each partition with its piece.

        The graph is unchanged after an error, which names the position in the whole arrays. `data` is the edge data of
        an insertion, `ops` are the operations (uint8) of a mixed batch.
        """
        device = _place_of((src, dst, weights, *(data or {}).values()))
        reads = self._given_data(device)
        function = "insert_edges" if ops is None else "apply"
        columns = dict(data or {}) if data is None or reads is None else reads.rows(data, function)
        batch = {"src": as_ids(device, src, "src"), "dst": as_ids(device, dst, "dst")}
        if weights is not None:
            batch["weights"] = as_weights(device, weights, "weights")
        same_length(**batch)
        if reads is None:
            options |= columns  # partitions refuse them
            columns = {}
        else:
            same_length(src=batch["src"], **columns)
        count = int(batch["src"].size)
        ends = [count * rank // self.num_parts for rank in range(self.num_parts + 1)]
        cut = columns | batch | ({} if ops is None else {"ops": ops})
        shares = [
            (method, options | {name: values[a:b] for name, values in cut.items()}) for a, b in itertools.pairwise(ends)
        ]
        try:
            return self._call(steps.on_share, shares, whole=whole)
        except ValueError:
            self._call(steps.check, [(tuple(batch.values()),), *[((),)] * (self.num_parts - 1)])
            raise

    # ---- updates ----------------------------------------------------------------------------------------------------

    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", **edge_data: Any
    ) -> UpdateResult:  # fmt: skip
        """`DynamicGraph.insert_edges`."""
        return self._share_out("insert_edges", src, dst, weights, edge_data, whole=True, on_existing=on_existing)[0]

    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """`DynamicGraph.delete_edges`."""
        return self._share_out("delete_edges", src, dst, whole=True)[0]

    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """`DynamicGraph.apply`."""
        check_multi(self.multi_edges)
        device = _place_of((ops, src, dst, weights, *edge_data.values()))
        xp = device.xp
        ops, src, dst = as_operations(device, ops), as_ids(device, src, "src"), as_ids(device, dst, "dst")
        same_length(ops=ops, src=src, dst=dst)
        dst = xp.where(ops >= Operation.DEGREE, src, dst)
        inserting = ops == Operation.INSERT
        if weights is not None and self.is_weighted:  # weights of other operations are ignored
            weights = as_weights(device, weights, "weights", self.weight_dtype)
            same_length(ops=ops, weights=weights)
            weights = xp.where(inserting, weights, weights.dtype.type(1))
        has_data = bool(edge_data) or bool(inserting.any())
        return joined(self._share_out("apply", src, dst, weights, edge_data if has_data else None, ops=ops, whole=True))

    # ---- queries ----------------------------------------------------------------------------------------------------

    def has_edges(self, src: Any, dst: Any) -> Any:
        """`Graph.has_edges`."""
        return np.concatenate(self._share_out("has_edges", src, dst))

    def edge_weights(self, src: Any, dst: Any) -> Any:
        """`Graph.edge_weights`."""
        return self._of_present("edge_weights", src, dst)

    def edge_values(self, name: str, src: Any, dst: Any) -> Any:
        """Return the values of edges in a column of edge data, like ``graph.edge_data[name]`` on one device.

        Parameters
        ----------
        name : str
            The dtype of the column. ``"weight"`` returns the weights.
        src, dst : array-like of int, shape (m,)
            An undirected edge has the value at its end `src`: functors may have written another one at its end `dst`.

        Returns
        -------
        array of the column's type, shape (m,)

        Raises
        ------
        ValueError
            No such column exists, an id is invalid, or an edge is not in the graph.
        """
        check_column(self, name)
        return self._of_present("edge_values", src, dst, name=name)

    def _of_present(self, method: str, src: Any, dst: Any, **options: Any) -> Any:
        """Query edges that must be in the graph. An error names the position in the whole list."""
        try:
            return np.concatenate(self._share_out(method, src, dst, **options))
        except ValueError:
            check_present(self.has_edges(src, dst), src, dst)
            raise

    def _on_all(self, method: str, *args: Any, whole: bool = False, **kwargs: Any) -> Any:
        """Call a method of all partitions with the same arguments, and return the first one's result."""
        return self._call(steps.on_part, [(method, args, kwargs)] * self.num_parts, whole=whole)[0]

    def detach(self, observer: UpdateObserver) -> None:
        """Close an incremental analytic of this graph, as `DynamicGraph.detach` does."""
        observer.close()  # type: ignore[attr-defined]

    def close(self) -> None:
        """Free the partitions."""
        self.engine.run_alike(steps.drop, self._key)


class DistributedSnapshot(DistributedGraph):
    """`DistributedGraph.snapshot`: it is read-only, and freed with the last reference to it."""

    read_only = True

    def snapshot(self) -> DistributedGraph:
        """Return itself."""
        return self

    def __repr__(self) -> str:
        return f"<snapshot of {super().__repr__()}>"


class PartsObject:
    """A program's handle of an object on every worker, such as an incremental analytic of its partition.

    Reading a property or calling a method does so on all workers, and returns the first one's result. The objects are
    closed at the end of a ``with`` block, and when nothing refers to the handle any more.
    """

    def __init__(self, graph: DistributedGraph, cls: type, args: tuple, kwargs: dict[str, Any]):
        self.graph = graph
        self._class = cls
        with graph.engine.making() as self._key:
            graph._call(steps.make_object, [(self._key, cls, args, kwargs)] * graph.num_parts)
        weakref.finalize(self, graph.engine.abandoned.append, self._key).atexit = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if callable(getattr(self._class, name, None)):
            return lambda *args, **kwargs: self._ask(name, args, kwargs)
        return self._ask(name)

    def _ask(self, name: str, *given: Any) -> Any:
        return self.graph._keeping(steps.ask_object, self._key, name, *given)

    def __enter__(self) -> PartsObject:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        with nullcontext() if kind is None else suppress(Exception):  # an error on closing must not hide the first
            self.close()

    def __repr__(self) -> str:
        return f"{self._class.__name__}({self.graph!r})"


def _place_of(given: tuple) -> Device:
    """Return the device on which arrays are read: the GPU if any array is on it."""
    return resolve_device("gpu" if any(array is not None and is_on_gpu(array) for array in given) else "cpu")


DISTRIBUTED_FORMS = {
    inspect.unwrap(intersect): DistributedGraph._intersect,
    inspect.unwrap(to_dataframe): DistributedGraph._to_dataframe,
}
"""Methods for functions that the workers cannot run unchanged."""


def _edge_frame(parts: list[dict[str, np.ndarray]], library: Any) -> Any:
    """A frame of the columns of all partitions, sorted as on one device."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(columns["src"], kind="stable")  # the edges of each vertex are in order
    return data_frame({name: column[order] for name, column in columns.items()}, library)
