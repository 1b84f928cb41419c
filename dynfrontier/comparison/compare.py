"""`compare`: results and run times of our algorithms and another library's on the same graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr

from ..interrupted import Interrupted
from ..names import SHORT_NAMES
from ..peers import PEERS, BasePeer, load_peer, usable_peers
from ..peers.clock import timed_calls
from .cases import CASES, Case, Setting
from .result import Comparison, Row
from .snapshot import Snapshot

ALGORITHMS = tuple(CASES)
DEFAULT_STRUCTURE = "slab"
SECONDS = 10.0
"""Time after which a call is not repeated."""
SLOW = {"networkx": 2**17}
"""Peers that are asked on larger graphs, by edges, only if they are named."""


def compare(
    graph: fr.Graph | str | Path,
    algorithms: str | Iterable[str] | None = None,
    against: str | Sequence[str] | None = None,
    *,
    structure: str | type[fr.Graph] | None = None,
    device: str | fr.Device = "auto",
    source: int | None = None,
    ks: Sequence[int] = (4,),
    alpha: float = 0.85,
    tol: float = 1e-6,
    repeat: int = 3,
) -> Comparison:
    """Run our algorithms and another library's on the current graph, and compare results and times.

    Parameters
    ----------
    graph : Graph, str or Path
        A graph of any structure, or a graph file.
    algorithms : str or iterable of str, optional
        Names out of `ALGORITHMS`; all by default.
    against : str or sequence of str, optional
        ``"cugraph"``, ``"igraph"``, ``"networkit"``, ``"scipy"``, ``"networkx"``. Of several, each algorithm is
        compared with the first that has it. By default those that are installed, cuGraph first for a graph on a GPU.
    structure : str or type, optional
        Of the graph that a file is read into.
    device : {"auto", "cpu", "gpu"} or Device
        Where a file is read to.
    source : int, optional
        Where searches start; by default the vertex with most neighbors.
    ks : sequence of int
        Of k-truss.
    alpha, tol : float
        Of PageRank: both sides stop at an iteration that changes ranks by less than `tol` in total.
    repeat : int
        Timed calls of each algorithm, after one that is not.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        There is no such algorithm, peer or structure, `source` is no vertex, or `alpha` is not below 1.
    ImportError
        No other library is installed, or not one that was named.
    Interrupted
        A KeyboardInterrupt, whose `found` is the comparison of the algorithms until then.

    Notes
    -----
    PageRank's results agree if they are no further apart than their tolerance lets both be from the exact ranks: in all
    ``2 tol alpha / (1 - alpha)``, and rounding.
    """
    if not isinstance(graph, fr.Graph):
        graph = load_graph(fr.io.read_edges(graph, compact=True), structure, device)
    elif structure is not None:
        raise ValueError("structure is for files; a graph is compared as it is")
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha must be at least 0 and less than 1, got {alpha}")
    names = chosen_algorithms(algorithms)
    peers = _peers(against, graph)
    if source is not None and not bool(graph.has_vertices([source]).all()):
        raise ValueError(f"source {source} is no vertex of the graph")
    snapshot = Snapshot(graph)
    if source is None:
        source = int(graph.degrees().argmax()) if graph.num_vertices else 0
    setting = Setting(snapshot, source, tuple(ks), alpha, tol)
    graphs: dict[tuple, tuple[Any, float]] = {}
    notes, rows, interrupted = [], [], False
    deleted = graph.num_vertices - snapshot.num_vertices
    if deleted:
        notes.append(f"{deleted:,} deleted vertices are left out on both sides")
    try:
        for name in names:
            for case in CASES[name](setting):
                rows.append(_answer(case, snapshot, peers, graphs, repeat))
    except KeyboardInterrupt:
        interrupted = True
        notes.append("interrupted: the algorithms after these were not compared")
    found = Comparison(f"{graph!r}, structure {graph.name}", tuple(rows), tuple(notes), interrupted)
    if interrupted:
        raise Interrupted(found)
    return found


def load_graph(
    edges: fr.io.EdgeList, structure: str | type[fr.Graph] | None = None, device: str | fr.Device = "auto",
    directed: bool | None = None,
) -> fr.Graph:  # fmt: skip
    """The graph of a file, with its weights.

    Parameters
    ----------
    directed : bool, optional
        By default what the file says, else false.
    """
    if structure is None or isinstance(structure, str):
        known = fr.structures()
        name = structure or DEFAULT_STRUCTURE
        if name not in known:
            raise ValueError(f"there is no structure {name!r}; choose one of {', '.join(known)}")
        structure = known[name]
    return structure.from_edges(
        edges.src, edges.dst, edges.weights, edges.num_vertices,
        directed=bool(edges.directed) if directed is None else directed, device=fr.resolve_device(device),
    )  # fmt: skip


def chosen_algorithms(algorithms: str | Iterable[str] | None) -> list[str]:
    """The names out of `ALGORITHMS` that are meant; those that a workload uses are good, too.

    Raises
    ------
    ValueError
        There is no such algorithm.
    """
    given = [algorithms] if isinstance(algorithms, str) else list(ALGORITHMS if algorithms is None else algorithms)
    names = list(dict.fromkeys(SHORT_NAMES.get(name, name) for name in given))
    for name in names:
        if name not in ALGORITHMS:
            raise ValueError(f"algorithms: there is no {name!r}; choose from {', '.join(ALGORITHMS)}")
    return names


def _peers(against: str | Sequence[str] | None, graph: fr.Graph) -> dict[str, BasePeer]:
    """The peers to be asked, in this order."""
    if against is None:
        found = [name for name in usable_peers(graph.device.is_gpu) if graph.num_edges <= SLOW.get(name, np.inf)]
        if not found:
            raise ImportError(f"there is nothing to compare with; install one of {', '.join(PEERS)}")
        return {name: load_peer(name) for name in found}
    return {name: load_peer(name) for name in ([against] if isinstance(against, str) else against)}


def _answer(
    case: Case, snapshot: Snapshot, peers: dict[str, BasePeer], graphs: dict[tuple, tuple[Any, float]],
    repeat: int,
) -> Row:  # fmt: skip
    """Ask both sides; peers' graphs are kept for the next case."""
    if case.obstacle or not snapshot.num_vertices:
        return Row(case.label, agreement=f"left out: {case.obstacle or 'the graph has no vertices'}")
    try:
        case.ours()  # kernels are compiled on the way
    except (ValueError, RuntimeError) as error:
        return Row(case.label, agrees=False, agreement=f"ours: {type(error).__name__}: {error}"[:200])
    our_seconds, ours = timed_calls(case.ours, snapshot.graph.device.synchronize, repeat, SECONDS)
    our_ms = 1e3 * float(np.median(our_seconds))
    form = case.weighted and snapshot.graph.is_weighted, case.directed
    for name, peer in peers.items():
        against = f"{name} {peer.version}"
        try:
            if (name, *form) not in graphs:
                graphs[name, *form] = snapshot.convert(peer, weighted=form[0], directed=form[1])
            theirs, conversion = graphs[name, *form]
            task = case.theirs(peer, theirs)
            if task is None:
                continue
            their_seconds, result = timed_calls(task.run, peer.synchronize, repeat, SECONDS)
            found = task.read(result)
        except Exception as error:  # a peer's failure is a finding
            return Row(case.label, against, None, f"{type(error).__name__}: {error}"[:200], our_ms)
        verdict = case.compare(peer, ours, found)
        notes = (*case.notes, *filter(None, [peer.notes.get(case.task)]))
        their_ms = 1e3 * float(np.median(their_seconds))
        return Row(case.label, against, *verdict, our_ms, their_ms, 1e3 * conversion, notes)
    return Row(case.label, agreement=f"left out: not offered by {', '.join(peers)}", ours_ms=our_ms)
