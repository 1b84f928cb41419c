"""The gallery: static algorithms on public operators, compared with igraph, NetworKit and, on a GPU, cuGraph.

On RMAT graphs, by structure. Peers run on the same graph in the same run, each in a process of its own; igraph and
NetworKit on the CPU, wherever ours runs.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from algorithms.comparators import edges_of
from dynfrontier.peers import is_installed

from .calls import ROUNDING, Call, calls_of
from .context import Context, choose_structures
from .defaults import EDGE_FACTOR, GALLERY_LIMIT_S, GALLERY_PEERS, GALLERY_STRUCTURES, GRAPH_SEED
from .graphs import BenchmarkGraph, hub_of
from .peers.process import PeerRun
from .results import Results, describe_run, table
from .timing import measure

NAME = "gallery"
COLUMNS = ("count", "iterations", "num_edges")
"""Numbers of results that go into a row."""


def run(context: Context) -> Results:
    """Measure structures and peers on all RMAT graphs."""
    header = describe_run(context.device, seeds={"graph": GRAPH_SEED}, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    named = context.structures.keys() < choose_structures(None).keys()
    for name in context.graphs.names():
        graph = context.graph(name)
        if graph.scale is None:
            continue
        if not context.budget.fits(NAME, graph.num_edges):
            context.skip(results, f"{NAME}: {name} left out: it would not fit the time budget")
            continue
        begin = time.perf_counter()
        digests: dict[str, Any] = {}
        for structure, kind in context.structures.items():
            if named or structure in GALLERY_STRUCTURES:
                context.say(f"{NAME}: {name}, {structure}")
                for weighted in (False, True):
                    built = graph.undirected(kind, weighted=weighted)
                    source = hub_of(built)
                    for label, call in calls_of(gallery=True).items():
                        if call.weighted == weighted:
                            work = partial(_measure, context, results, name, structure, built, call, source, digests)
                            context.attempt(results, f"{NAME}: {name}, {structure}, {label}", work)
                    del built
        _measure_peers(context, results, graph, source, digests)
        context.budget.took(NAME, graph.num_edges, time.perf_counter() - begin)
    _compare(results)
    return results


def _measure(
    context: Context, results: Results, graph: str, structure: str, built: Any, call: Call, source: int,
    digests: dict[str, Any],
) -> None:  # fmt: skip
    """One algorithm on one structure."""
    axes, device = context.axes, context.device
    samples, found = measure(
        device, partial(call.analytic.compute, built, source=source, **call.settings), repeat=axes.repeat,
        warm_up=axes.warm_up, limit=axes.seconds_per_call,
    )  # fmt: skip
    comparator = call.comparator
    edges = edges_of(built) if comparator.needs_edges else None
    digest = comparator.digest(call.analytic.fetch(device, found), edges=edges)
    agrees = comparator.same_digests(digests.setdefault(call.label, digest), digest)
    more = {name: getattr(found, name) for name in COLUMNS if hasattr(found, name)}
    results.add(graph=graph, system=structure, algorithm=call.label, agrees=agrees, **more, **samples.numbers())


def _measure_peers(
    context: Context, results: Results, graph: BenchmarkGraph, source: int, digests: dict[str, Any]
) -> None:
    """The peers on one graph."""
    calls = calls_of(gallery=True)
    others = [name for name in GALLERY_PEERS if context.peers and is_installed(name)]
    for peer in dict.fromkeys([*(name for name in context.peers if name in ("cugraph", *others)), *others]):
        seconds = min(GALLERY_LIMIT_S, context.budget.left())
        context.say(f"{NAME}: {graph.name}, {peer}")
        with PeerRun(peer, graph) as process:
            answers, note = process.ask(
                ["build", *calls], timeout=seconds, source=source, repeat=min(context.axes.repeat, 3),
                task_limit=seconds / len(calls) / 2,
            )  # fmt: skip
        if note:
            context.skip(results, f"{NAME}: {peer} on {graph.name}: {note}")
        for answer in answers:
            label, digest = answer.pop("task"), answer.pop("digest", None)
            agrees = None
            if digest is not None and label in digests:
                agrees = calls[label].comparator.same_digests(digest, digests[label], rounding=ROUNDING)
            results.add(graph=graph.name, system=peer, algorithm=label, agrees=agrees, **answer)


def _compare(results: Results) -> None:
    """Add to our rows how many times as fast they are as each peer."""
    peers = {
        (row["graph"], row["algorithm"], row["system"]): row["median_ms"] for row in results.rows if "version" in row
    }
    for row in results.rows:
        if "version" not in row:
            row["times_peers"] = {
                peer: milliseconds / row["median_ms"]
                for (graph, algorithm, peer), milliseconds in peers.items()
                if (graph, algorithm) == (row["graph"], row["algorithm"])
            }


def tables(results: Results) -> list[str]:
    """Milliseconds by algorithm and system, and how many times as fast as peers the structures are."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = results.where(graph=graph)
        systems = list(dict.fromkeys(row["system"] for row in rows))
        ours = [row for row in rows if "version" not in row]
        cells: list[list[Any]] = []
        for algorithm in dict.fromkeys(row["algorithm"] for row in ours):
            mine = {row["system"]: row for row in rows if row["algorithm"] == algorithm}
            best = min((row for row in ours if row["algorithm"] == algorithm), key=lambda row: row["median_ms"])
            times = [mine[system]["median_ms"] if system in mine else None for system in systems]
            fastest = min(best["times_peers"].values(), default=None)
            agrees = "NO" if any(row["agrees"] is False for row in mine.values()) else "yes"
            cells.append([algorithm, *times, fastest, agrees])
        columns = ["algorithm", *systems, "times as fast as the fastest peer", "results agree"]
        found.append(table(f"{graph}: ms (median)", columns, cells))
    return found
