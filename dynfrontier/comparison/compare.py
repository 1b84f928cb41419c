"""`compare`: results and run times of our algorithms and another library's on the same graph."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic, analytics, find_analytic
from algorithms.comparators import on_host

from ..console import Interrupted
from ..peers import PEERS, SLOW, BasePeer, load_peer, usable_peers, with_sources
from ..times import with_integer_times
from ..timing import timed_calls
from .inputs import both_once
from .result import Comparison, Row

DEFAULT_STRUCTURE = "slab"
SECONDS = 10.0  # time after which a call is not repeated


def compare(
    graph: fr.Graph | str | Path,
    algorithms: str | Iterable[str] | None = None,
    against: str | Sequence[str] | None = None,
    *,
    structure: str | type[fr.Graph] | None = None,
    device: str | fr.advanced.Device = "auto",
    source: int | str | None = None,
    ks: Sequence[int] = (),
    alpha: float | None = None,
    tol: float | None = None,
    repeat: int = 3,
) -> Comparison:
    """Run our algorithms and another library's on the current graph, and compare results and times.

    Parameters
    ----------
    graph : Graph, str or Path
        A graph of any structure, or a graph file.
    algorithms : str or iterable of str, optional
        Names of the catalogue, `algorithms.analytics`. All by default.
    against : str or sequence of str, optional
        ``"cugraph"``, ``"igraph"``, ``"networkit"``, ``"scipy"``, ``"networkx"``. Each algorithm is compared with the
        first library that has it. By default the installed ones, cuGraph first for a graph on a GPU.
    structure : str or type, optional
        The structure of the graph that a file is read into.
    device : {"auto", "cpu", "gpu"} or Device
        The device of that graph.
    source : int or str, optional
        The start of searches: a vertex of the graph, or its name in the file. By default the vertex with most
        neighbors.
    ks : sequence of int, optional
        The parameter of k-truss, by default the catalogue's.
    alpha, tol : float, optional
        For PageRank: both sides stop at an iteration that changes ranks by less than `tol` in total.
    repeat : int
        Timed calls of each algorithm, after one that is not timed.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        No such algorithm, peer or structure exists, `source` is no vertex, or `alpha` is not below 1.
    ImportError
        No other library is installed, or not a requested one.
    Interrupted
        A KeyboardInterrupt, whose `found` is the comparison of the algorithms until then.

    See Also
    --------
    run_workload : Measure structures on a stream.

    Notes
    -----
    Ranks of PageRank agree if their distance is at most the sum that both tolerances allow, ``2 tol alpha / (1 -
    alpha)`` in total, and rounding.
    """
    if not isinstance(graph, fr.Graph):
        edges = fr.io.read_edges(graph, compact=True)
        if source is not None:
            try:
                source = edges.vertex_of(source)
            except KeyError:
                raise ValueError(f"source {source} is no vertex of {graph}") from None
        graph = load_graph(edges, structure, device)
    elif structure is not None:
        raise ValueError("structure is for files; a graph is compared as it is")
    if alpha is not None and not 0 <= alpha < 1:
        raise ValueError(f"alpha must be at least 0 and less than 1, got {alpha}")
    chosen = chosen_algorithms(algorithms)
    peers = _peers(against, graph)
    if source is not None and not bool(graph.has_vertices([source]).all()):
        raise ValueError(f"source {source} is no vertex of the graph")
    snapshot = Snapshot(graph)
    if source is None:
        source = int(graph.degrees().argmax()) if graph.num_vertices else 0
    given = {"source": source, "alpha": alpha, "tol": tol}
    graphs: dict[tuple, tuple[Any, float]] = {}
    notes, rows, interrupted = [], [], False
    deleted = graph.num_vertices - snapshot.num_vertices
    if deleted:
        notes.append(f"{deleted:,} deleted vertices are left out on both sides")
    try:
        for analytic in chosen:
            for settings in _calls(analytic, given, {"k": ks}):
                rows.append(_answer(analytic, settings, snapshot, peers, graphs, repeat))
    except KeyboardInterrupt:
        interrupted = True
        notes.append("interrupted: the algorithms after these were not compared")
    found = Comparison(f"{graph!r}, structure {graph.name}", tuple(rows), tuple(notes), interrupted)
    if interrupted:
        raise Interrupted(found)
    return found


def load_graph(
    edges: fr.io.EdgeList, structure: str | type[fr.Graph] | None = None, device: str | fr.advanced.Device = "auto",
    directed: bool | None = None, *, times: bool = False,
) -> fr.Graph:  # fmt: skip
    """Make the graph of a file, with its weights, directed by default if the file specifies so.

    With `times` it has the file's times and stores every record of an edge as a separate event.
    """
    kind = fr.advanced.structure_class(structure or DEFAULT_STRUCTURE)
    options: dict[str, Any] = {}
    if times:
        edges = with_integer_times(edges)
        options = {"time": edges.times, "time_unit": edges.time_unit, "multi_edges": "all"}
    return kind.from_edges(
        edges.src, edges.dst, edges.weights, edges.num_vertices,
        directed=bool(edges.directed) if directed is None else directed, device=fr.advanced.resolve_device(device),
        **options,
    )  # fmt: skip


def chosen_algorithms(algorithms: str | Iterable[str] | None) -> list[Analytic]:
    """Find analytics with a static form in the catalogue. ValueError if one does not exist."""
    if algorithms is None:
        return [analytic for analytic in analytics().values() if analytic.static is not None]
    try:
        found = [find_analytic(name) for name in ([algorithms] if isinstance(algorithms, str) else algorithms)]
    except ValueError as error:
        raise ValueError(f"algorithms: {error}") from None
    for analytic in found:
        if analytic.static is None:
            raise ValueError(f"algorithms: {analytic.name} has an incremental form only")
    return list(dict.fromkeys(found))


def _calls(analytic: Analytic, given: dict[str, Any], several: dict[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The parameters of each call: one for each value of the varied parameter."""
    for value in several.get(analytic.varied) or (None,):
        varied = {analytic.varied: value} if analytic.varied else {}
        yield analytic.settings(**given | varied)


def _peers(against: str | Sequence[str] | None, graph: fr.Graph) -> dict[str, BasePeer]:
    """The peers to ask, in this order."""
    if against is None:
        found = [name for name in usable_peers(graph.device.is_gpu) if graph.num_edges <= SLOW.get(name, np.inf)]
        if not found:
            raise ImportError(f"there is nothing to compare with; install one of {', '.join(PEERS)}")
        return {name: load_peer(name) for name in found}
    return {name: load_peer(name) for name in ([against] if isinstance(against, str) else against)}


def _answer(
    analytic: Analytic, settings: dict[str, Any], snapshot: Snapshot, peers: dict[str, BasePeer],
    graphs: dict[tuple, tuple[Any, float]], repeat: int,
) -> Row:  # fmt: skip
    """Ask both sides. `graphs` caches the peers' graphs for the next algorithm."""
    label, graph = analytic.label(**settings), snapshot.graph
    settings = with_sources(settings, snapshot.vertices())
    if why := _obstacle(analytic, snapshot):
        return Row(label, agreement=f"left out: {why}")
    ours = partial(analytic.compute, graph, **settings)
    try:
        ours()  # kernels are compiled on the way
    except (ValueError, RuntimeError) as error:
        return Row(label, agrees=False, agreement=f"ours: {type(error).__name__}: {error}"[:200])
    our_seconds, our_result = timed_calls(ours, graph.device.synchronize, repeat, SECONDS)
    our_ms = 1e3 * float(np.median(our_seconds))
    weighted = analytic.weights != "ignored" and graph.is_weighted
    directed = analytic.directions == "followed" and graph.directed
    theirs = dict(settings)
    if "source" in settings:
        theirs["source"] = snapshot.number(settings["source"])
    if settings.get("sources") is not None:
        theirs["sources"] = [snapshot.number(source) for source in settings["sources"]]
    for name, peer in peers.items():
        against = f"{name} {peer.version}"
        form = name, weighted, directed
        try:
            if form not in graphs:
                graphs[form] = snapshot.convert(peer, weighted=weighted, directed=directed)
            their_graph, conversion = graphs[form]
            task = peer.task(analytic.name, their_graph, theirs)
            if task is None:
                continue
            their_seconds, result = timed_calls(task.run, peer.synchronize, repeat, SECONDS)
            found = task.read(result)
        except Exception as error:  # a peer's failure is a finding
            return Row(label, against, None, f"{type(error).__name__}: {error}"[:200], our_ms)
        comparator = analytic.comparator_for(**settings)
        verdict = comparator.compare(
            snapshot.values(analytic, our_result), found if isinstance(found, tuple) else (found,),
            edges=snapshot.edge_list() if comparator.needs_edges else None, rounding=peer.rank_rounding,
        )  # fmt: skip
        notes = (*_notes(analytic, settings, graph), *filter(None, [peer.notes.get(analytic.name)]))
        return Row(label, against, *verdict, our_ms, 1e3 * float(np.median(their_seconds)), 1e3 * conversion, notes)
    return Row(label, agreement=f"left out: not offered by {', '.join(peers)}", ours_ms=our_ms)


def _obstacle(analytic: Analytic, snapshot: Snapshot) -> str:
    """Why an algorithm is left out, or ""."""
    if not snapshot.num_vertices:
        return "the graph has no vertices"
    uses_weights = analytic.weights != "ignored"
    if uses_weights and not analytic.negative_weights and not snapshot.has_good_weights():
        return "weights must be finite and not negative"
    return analytic.obstacle(snapshot.graph)


def _notes(analytic: Analytic, settings: dict[str, Any], graph: fr.Graph) -> Iterator[str]:
    """Differences in definitions, and how the comparison accounts for them."""
    if graph.directed:
        yield "edges are followed forward" if analytic.directions == "followed" else "edge directions are ignored"
    if analytic.note:
        yield analytic.note.format(**settings)


class Snapshot:
    """The edges of a graph without deleted vertices, numbered without gaps. `seconds` is its cost."""

    def __init__(self, graph: fr.Graph):
        xp = graph.xp
        graph.to_coo()  # kernels are compiled before the clock runs
        graph.device.synchronize()
        begin = time.perf_counter()
        self.graph = graph
        self._src, self._dst, self._weights = graph.to_coo()
        present = graph.has_vertices(xp.arange(graph.num_vertices))
        self.num_vertices = int(present.sum())
        self._vertices: Any = None
        if self.num_vertices < graph.num_vertices:
            self._vertices = xp.flatnonzero(present)
            self._numbers = (xp.cumsum(present) - 1).astype(graph.vertex_dtype)
            self._src, self._dst = self._numbers[self._src], self._numbers[self._dst]
        graph.device.synchronize()
        self.seconds = time.perf_counter() - begin

    def edge_list(self) -> fr.io.EdgeList:
        src, dst, weights = (
            None if part is None else self.graph.device.to_host(part) for part in (self._src, self._dst, self._weights)
        )
        return fr.io.EdgeList(src, dst, weights, num_vertices=self.num_vertices, directed=self.graph.directed)

    def has_good_weights(self) -> bool:
        """Whether all weights are finite and not negative."""
        weights = self._weights
        return weights is None or bool(((weights >= 0) & (weights < np.inf)).all())

    def vertices(self) -> np.ndarray:
        """The vertices of the snapshot, in the graph's numbers, on the host."""
        return np.arange(self.num_vertices) if self._vertices is None else self.graph.device.to_host(self._vertices)

    def number(self, vertex: int) -> int:
        return vertex if self._vertices is None else int(self._numbers[vertex])

    def values(self, analytic: Analytic, result: Any) -> tuple[Any, ...]:
        """The compared values of a result, for the vertices of the snapshot and in their numbers, on the host."""
        found = analytic.read(result)
        if self._vertices is not None and analytic.per == "vertex":
            found = tuple(values[self._vertices] if np.ndim(values) else values for values in found)
            names = analytic.values or ("",) * len(found)
            found = tuple(
                self.graph.xp.where(values >= 0, self._numbers[values], -1)
                if name in analytic.vertex_values
                else values
                for name, values in zip(names, found, strict=True)
            )
        elif self._vertices is not None and analytic.per == "edge":
            src, dst, *rest = found
            found = (self._numbers[src], self._numbers[dst], *rest)
        return on_host(self.graph.device, found)

    def convert(self, peer: BasePeer, *, weighted: bool, directed: bool) -> tuple[Any, float]:
        """Return a peer's graph, and the seconds of its construction, this snapshot included.

        It has weights only if `weighted`. Unless `directed`, a directed graph loses its directions and its weights.
        """
        begin = time.perf_counter()
        src, dst, weights = self._src, self._dst, self._weights if weighted else None
        if self.graph.directed and not directed:
            src, dst = both_once(self.graph.xp, src, dst, self.num_vertices)
            weights = None
        if not peer.on_gpu:
            to_host = self.graph.device.to_host
            src, dst, weights = to_host(src), to_host(dst), None if weights is None else to_host(weights)
        built = peer.build(peer.prepare(self.num_vertices, src, dst, weights, directed=directed))
        peer.synchronize()
        return built, self.seconds + time.perf_counter() - begin
