"""The gallery: static algorithms on public operators, compared with igraph, NetworKit and, on a GPU, cuGraph.

On RMAT graphs, by structure. Peers run on the same graph in the same run, each in a separate process, igraph and
NetworKit on the CPU, whatever the device. A peer that exceeds its time has at least that time.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.comparators import edges_of
from dynfrontier.machine import describe_run
from dynfrontier.peers import is_installed

from .calls import ROUNDING, Call, calls_of
from .context import Context
from .defaults import (
    EDGE_FACTOR,
    GALLERY_LIMIT_S,
    GALLERY_PEERS,
    GALLERY_STRUCTURES,
    GALLERY_TARGETS,
    GALLERY_TASK_LIMIT_S,
    GRAPH_SEED,
)
from .graphs import BenchmarkGraph, hub_of
from .peers.process import PeerRun
from .results import Results, table
from .timing import measure

NAME = "gallery"
COLUMNS = ("count", "iterations", "num_edges")
"""Numbers of results that go into a row."""


def run(context: Context) -> Results:
    """Measure structures and peers on all RMAT graphs."""
    header = describe_run(context.device, seeds={"graph": GRAPH_SEED}, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for graph in context.fitting(results, NAME, context.rmat_graphs()):
        digests: dict[str, Any] = {}
        for structure, kind in context.structures_or(GALLERY_STRUCTURES).items():
            context.say(f"{NAME}: {graph.name}, {structure}")
            for weighted in (False, True):
                built = graph.undirected(kind, weighted=weighted)
                source = hub_of(built)
                for label, call in _calls(context).items():
                    if call.weighted == weighted:
                        work = partial(_measure, context, results, graph.name, structure, built, call, source, digests)
                        context.attempt(results, f"{NAME}: {graph.name}, {structure}, {label}", work)
                del built
        _measure_peers(context, results, graph, source, digests)
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


def _calls(context: Context) -> dict[str, Call]:
    """The measured calls: calls with a target first, and all pairs last, for which some peers need minutes."""
    calls = {label: call for label, call in calls_of(gallery=True).items() if label in (context.algorithms or (label,))}
    return dict(
        sorted(calls.items(), key=lambda item: (item[0].startswith("all_pairs_"), item[0] not in GALLERY_TARGETS))
    )


def _peers(context: Context) -> list[str]:
    """The peers of the run. The gallery's peers join them unless one of them is named."""
    found = [name for name in context.peers if name in ("cugraph", *GALLERY_PEERS)]
    if context.peers and not set(found) & set(GALLERY_PEERS):
        found += [name for name in GALLERY_PEERS if is_installed(name)]
    return found


def _measure_peers(
    context: Context, results: Results, graph: BenchmarkGraph, source: int, digests: dict[str, Any]
) -> None:
    """The peers on one graph."""
    calls = _calls(context)
    for peer in _peers(context):
        seconds = min(GALLERY_LIMIT_S, context.budget.left())
        context.say(f"{NAME}: {graph.name}, {peer}")
        with PeerRun(peer, graph) as process:
            answers, note = process.ask(
                ["build", *calls], timeout=seconds, source=source, repeat=min(context.axes.repeat, 3),
                task_limit=GALLERY_TASK_LIMIT_S / 8, task_timeout=GALLERY_TASK_LIMIT_S,
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
    """Add to our rows their speedups over each peer."""
    theirs = [row for row in results.rows if _is_peer(row)]
    for row in results.rows:
        if not _is_peer(row):
            same = [peer for peer in theirs if (peer["graph"], peer["algorithm"]) == (row["graph"], row["algorithm"])]
            row["times_peers"] = {
                peer["system"]: peer["median_ms"] / row["median_ms"] for peer in same if "median_ms" in peer
            }
            row["times_peers_at_least"] = {
                peer["system"]: 1e3 * peer["late_s"] / row["median_ms"] for peer in same if "late_s" in peer
            }


def _is_peer(row: dict[str, Any]) -> bool:
    return "version" in row or "late_s" in row


def tables(results: Results) -> list[str]:
    """Milliseconds by algorithm and system, and the structures' speedups over peers."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = results.where(graph=graph)
        systems = list(dict.fromkeys(row["system"] for row in rows))
        ours = [row for row in rows if not _is_peer(row)]
        peers = [system for system in systems if system not in {row["system"] for row in ours}]
        cells: list[list[Any]] = []
        for algorithm in dict.fromkeys(row["algorithm"] for row in ours):
            mine = {row["system"]: row for row in rows if row["algorithm"] == algorithm}
            best = min((row for row in ours if row["algorithm"] == algorithm), key=lambda row: row["median_ms"])
            times = [_time(mine[system]) if system in mine else None for system in systems]
            agrees = "NO" if any(row.get("agrees") is False for row in mine.values()) else "yes"
            cells.append([algorithm, *times, *(_ratio(best, peer) for peer in peers), agrees])
        columns = ["algorithm", *systems, *(f"times as fast as {peer}" for peer in peers), "results agree"]
        found.append(table(f"{graph}: ms (median)", columns, cells))
    return found


def _time(row: dict[str, Any]) -> float | str:
    return row["median_ms"] if "median_ms" in row else f"> {1e3 * row['late_s']:,.0f}"


def _ratio(best: dict[str, Any], peer: str) -> float | str | None:
    if peer in best["times_peers_at_least"]:
        return f"> {best['times_peers_at_least'][peer]:,.1f}"
    return best["times_peers"].get(peer)
