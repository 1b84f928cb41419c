"""Algorithms on a graph as it stands, by structure, beside CSR and peers.

BFS, triangle counting, SpMV, connected components, PageRank, k-truss, and shortest paths on weights from 1 to 255.
Peers run on the same graph in the same run, each in a process of its own. The time in which they build their graph is
apart. Where a peer returns the same thing, it is compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import frontier as fr
from algorithms import UNREACHED, bfs, connected_components, k_truss, pagerank, sssp, triangle_count

from .context import Context
from .defaults import (
    BASELINE,
    COPY_BANDWIDTH,
    EDGE_FACTOR,
    GRAPH_SEED,
    PAGERANK_ALPHA,
    PAGERANK_STEPS,
    PAGERANK_TOL,
    PEER_LIMIT_S,
    TRUSSES,
    VECTOR_SEED,
    WEIGHT_SEED,
)
from .digests import (
    digest_components,
    digest_distances,
    digest_edges,
    digest_lengths,
    digest_ranks,
    digest_triangles,
    digest_vector,
    same_digests,
)
from .graphs import BenchmarkGraph, baseline, hub_of
from .peers.process import PeerRun
from .results import Results, describe_run, pivot, table
from .timing import measure

NAME = "algorithms"
GROWN_PARTS = 16  # batches in which half of a grown graph arrives
PAGERANK_MOST_STEPS = 1000
PEER_TASKS = [
    "build", "bfs", "bfs direction-optimizing", "components", "spmv", "sssp", "pagerank", "pagerank steps", "triangles",
    *(f"k-truss {k}" for k in TRUSSES),
]  # fmt: skip
"""In the order of what they cost, so that a peer that runs out of time leaves out the least."""


def run(context: Context) -> Results:
    """Measure all structures and peers on all graphs."""
    seeds = {"graph": GRAPH_SEED, "vector": VECTOR_SEED, "weights": WEIGHT_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for name in context.graphs.names():
        graph = context.graph(name)
        if not context.clock.fits(NAME, graph.num_edges):
            context.skip(results, f"{NAME}: {name} left out: it would not fit the time budget")
            continue
        begin = time.perf_counter()
        expected: dict[str, Any] = {}
        source = hub_of(graph.undirected(baseline()))
        for structure, kind in context.structures.items():
            context.say(f"{NAME}: {name}, {structure}")
            states = {"built": partial(graph.undirected, kind)}
            if context.axes.grown and structure != BASELINE and graph.scale == context.axes.scales[0]:
                states["grown"] = partial(_grow, graph, kind)
            for state, make in states.items():
                work = partial(_measure_structure, context, results, graph, structure, make, state, source, expected)
                context.attempt(results, f"{NAME}: {name}, {structure}, {state}", work)
        _measure_peers(context, results, graph, source, expected)
        context.clock.took(NAME, graph.num_edges, time.perf_counter() - begin)
    _compare(results)
    return results


def _grow(graph: BenchmarkGraph, kind: type[fr.DynamicGraph], *, weighted: bool = False) -> Any:
    """The graph after half of its edges came in batches, so that it lies in memory as updates leave it."""
    xp = graph.device.xp
    order = xp.asarray(np.random.default_rng(GRAPH_SEED).permutation(graph.num_edges))
    src, dst = graph.src[order], graph.dst[order]
    weights = graph.weights[order] if weighted else None

    def part(begin: int, end: int) -> tuple[Any, Any, Any]:
        return src[begin:end], dst[begin:end], None if weights is None else weights[begin:end]

    half = graph.num_edges // 2
    grown = kind.from_edges(*part(0, half), graph.num_vertices, device=graph.device)
    ends = np.linspace(half, graph.num_edges, GROWN_PARTS + 1).astype(int).tolist()
    for begin, end in pairwise(ends):
        grown.insert_edges(*part(begin, end))
    return grown


def _measure_structure(
    context: Context, results: Results, graph: BenchmarkGraph, structure: str, make: Callable[..., Any], state: str,
    source: int, expected: dict[str, Any],
) -> None:  # fmt: skip
    """All algorithms on one graph in one structure."""
    axes, device = context.axes, context.device
    built = make()
    labels = {"graph": graph.name, "system": structure, "state": state}
    repeat = partial(measure, device, repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call)

    def keep(algorithm: str, samples: Any, digest: dict[str, Any] | None = None, **more: Any) -> None:
        agrees = None if digest is None else same_digests(expected.setdefault(algorithm, digest), digest)
        results.add(**labels, algorithm=algorithm, agrees=agrees, **more, **samples.numbers())

    samples, found = repeat(lambda: bfs(built, source))
    distance = device.to_host(found.distance)
    digest = digest_distances(np.where(distance == UNREACHED, -1, distance))
    levels = found.levels
    keep("bfs", samples, digest, levels=levels, us_per_level=1e6 * samples.median / max(levels, 1))

    samples, found = repeat(lambda: triangle_count(built, per_vertex=False))
    keep("triangles", samples, {"total": found.total}, triangles=found.total)
    samples, found = repeat(lambda: triangle_count(built))
    keep("triangles per vertex", samples, digest_triangles(device.to_host(found.per_vertex)))
    degrees = built.degrees()
    samples, _ = repeat(lambda: fr.extract_subgraph(built, _goes_up, degrees))
    keep("orient", samples)

    vector = device.xp.asarray(np.random.default_rng(VECTOR_SEED).random(graph.num_vertices))
    samples, found = repeat(lambda: fr.neighbor_reduce(built, None, _times, vector))
    keep("spmv", samples, digest_vector(device.to_host(found)), edges=built.num_arcs)

    samples, found = repeat(lambda: connected_components(built))
    keep("components", samples, digest_components(device.to_host(found.labels)), components=found.count)

    rank: Callable[..., Any] = partial(pagerank, built, PAGERANK_ALPHA, tol=PAGERANK_TOL, fail_on_nonconvergence=False)
    samples, found = repeat(lambda: rank(max_iter=PAGERANK_MOST_STEPS))
    ranks = digest_ranks(device.to_host(found.pagerank))
    keep("pagerank", samples, ranks, iterations=found.iterations, error=found.error)
    # Where ranks converge before, there are fewer steps.
    samples, found = repeat(lambda: rank(max_iter=PAGERANK_STEPS))
    each = 1e3 * samples.median / max(found.iterations, 1)
    ranks = digest_ranks(device.to_host(found.pagerank))
    floor = _pagerank_floor_ms(built)
    keep("pagerank steps", samples, ranks, iterations=found.iterations, ms_per_step=each, floor_ms=floor)

    for k in TRUSSES:
        samples, found = measure(
            device, partial(k_truss, built, k), repeat=axes.repeat, warm_up=1, limit=axes.seconds_per_call / 5
        )
        truss = digest_edges((device.to_host(found.src), device.to_host(found.dst)))
        keep(f"k-truss {k}", samples, truss, edges=found.num_edges)

    del built
    built = make(weighted=True)
    samples, found = repeat(lambda: sssp(built, source))
    keep("sssp", samples, digest_lengths(device.to_host(found.distance)))


def _pagerank_floor_ms(graph: fr.Graph) -> float | None:
    """The time in which a GPU's memory moves what a step must: each neighbor once, three doubles for each vertex."""
    if not graph.device.is_gpu:
        return None
    return 1e3 * (graph.num_arcs * graph.vertex_dtype.itemsize + graph.num_vertices * 3 * 8) / COPY_BANDWIDTH


def _goes_up(src, dst, edge, weight, degrees):  # type: ignore[no-untyped-def]
    return degrees[src] < degrees[dst] or (degrees[src] == degrees[dst] and src < dst)


def _times(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return weight * x[dst]


def _measure_peers(
    context: Context, results: Results, graph: BenchmarkGraph, source: int, expected: dict[str, Any]
) -> None:
    """All peers on one graph."""
    limit = PEER_LIMIT_S[context.device.kind]
    for peer in context.peers:
        seconds = min(limit, context.clock.left())
        if seconds < 5:
            context.skip(results, f"{NAME}: {peer} on {graph.name} left out: it would not fit the time budget")
            continue
        context.say(f"{NAME}: {graph.name}, {peer}")
        with PeerRun(peer, graph) as process:
            answers, note = process.ask(
                PEER_TASKS, timeout=seconds, source=source, repeat=min(context.axes.repeat, 3),
                task_limit=seconds / len(PEER_TASKS),
            )  # fmt: skip
        if note:
            context.skip(results, f"{NAME}: {peer} on {graph.name}: {note}")
        for answer in answers:
            task = answer.pop("task")
            digest = answer.pop("digest", None)
            agrees = None
            if digest is not None:
                if "per_vertex" in digest:
                    task = "triangles per vertex"
                other = expected.get("bfs" if task.startswith("bfs") else task)
                agrees = None if other is None else same_digests(digest, other)
                if agrees is False:
                    context.skip(results, f"{NAME}: {peer} on {graph.name}: {task} gives {digest}, not {other}")
            results.add(graph=graph.name, system=peer, state="peer", algorithm=task, agrees=agrees, **answer)


def _compare(results: Results) -> None:
    """Add to rows their times over those of CSR, and to those of structures the times of peers over theirs."""
    base = {(row["graph"], row["algorithm"]): row["median_ms"] for row in results.where(system=BASELINE)}
    peers: dict[tuple[str, str], dict[str, float]] = {}
    for row in results.rows:
        key = row["graph"], "bfs" if row["algorithm"].startswith("bfs") else row["algorithm"]
        if key in base:
            row["over_csr"] = row["median_ms"] / base[key]
        if row["state"] == "peer":  # which may have several ways
            best = peers.setdefault(key, {})
            best[row["system"]] = min(row["median_ms"], best.get(row["system"], row["median_ms"]))
    for row in results.rows:
        if row["state"] != "peer":
            found = peers.get((row["graph"], row["algorithm"]), {})
            mine = row["ms_per_step"] * PAGERANK_STEPS if "ms_per_step" in row else row["median_ms"]
            row["times_peers"] = {peer: milliseconds / mine for peer, milliseconds in found.items()}


def tables(results: Results) -> list[str]:
    """What a reader wants to see first."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = results.where(graph=graph)
        algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
        systems = list(dict.fromkeys((row["system"], row["state"]) for row in rows))
        cells: list[list[Any]] = []
        for system, state in systems:
            mine = {row["algorithm"]: row for row in rows if (row["system"], row["state"]) == (system, state)}
            wrong = any(row["agrees"] is False for row in mine.values())
            times = [mine[a]["median_ms"] if a in mine else None for a in algorithms]
            cells.append([system, state, *times, "NO" if wrong else "yes"])
        found.append(table(f"{graph}: ms (median)", ["system", "state", *algorithms, "results agree"], cells))
        cells = [
            [row["system"], row["state"], row["levels"], row["us_per_level"]] for row in rows if "us_per_level" in row
        ]
        found.append(table(f"{graph}: BFS from the hub", ["system", "state", "levels", "µs/level"], cells))
        cells = [
            [row["system"], row["state"], row["ms_per_step"], row["floor_ms"]] for row in rows if "ms_per_step" in row
        ]
        found.append(table(f"{graph}: PageRank", ["system", "state", "ms/step", "floor, ms"], cells))
        ratios = {(row["system"], row["state"], row["algorithm"]): row.get("over_csr") for row in rows}
        cells = [
            [system, state, *(ratios.get((system, state, algorithm)) for algorithm in algorithms)]
            for system, state in systems
            if system != BASELINE
        ]
        found.append(table(f"{graph}: time over that of CSR", ["system", "state", *algorithms], cells))
        found += _beside_peers(graph, [row for row in rows if row["state"] != "peer"])
    return [text for text in found if text]


def _beside_peers(graph: str, rows: list[dict[str, Any]]) -> list[str]:
    """For each peer, how many times as fast structures are."""
    found = []
    for peer in dict.fromkeys(peer for row in rows for peer in row["times_peers"]):
        mine = [{**row, "times": row["times_peers"][peer]} for row in rows if peer in row["times_peers"]]
        columns, cells = pivot(mine, ("system", "state"), "algorithm", lambda row: row["times"])
        found.append(table(f"{graph}: times as fast as {peer}", columns, cells))
    return found
