"""Batches that are bad for incremental analytics, compared with recomputation: ``python -m benchmarks adverse``.

Each kind of batch is applied and undone again, which is an adverse batch as well:

*random*: random edges are deleted, then inserted.
*light*: the same, of the edges with the smallest weights, which shortest paths use most.
*tree*: of edges of a breadth-first tree of the hub, nearest first.
*hub*: of edges of the vertices with the most neighbors.
*shortcuts*: new edges of the smallest weight from the hub to random vertices are inserted, then deleted.

Three copies of the graph are updated: one with the analytic attached that is queried afterwards, one that is recomputed
afterwards, and one without either. The differences to the last are the costs of the analytic and of the recomputation.
The first should not exceed the second by more than a tenth. Medians of batches of one kind are compared, one after
another, as an analytic may learn that repairs do not pay. On a CPU these are times of the processor, which a busy
machine changes little. A table at the end has all ratios, with an asterisk above 1.1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic, analytics, bfs
from dynfrontier.machine import describe_run

from .context import choose_structures
from .defaults import BATCH_SEED, Axes, axes_for
from .graphs import BenchmarkGraph, GraphSource, hub_of
from .incremental import settings_of
from .results import Results, command_line, pivot, table
from .timing import Samples, timed

LIMIT = 1.1
"""The ratio to recomputation up to which an analytic passes."""
SIZES = (64, 4096, 65536)
Edges = tuple[Any, Any, Any]  # sources, destinations and weights, on the host


def main(arguments: Sequence[str]) -> int:
    """Measure each analytic on each structure. Returns 0."""
    line = command_line("adverse", __doc__)
    line.add_argument("--structures", default="slab", help="names, separated by commas")
    line.add_argument("--graphs", help="names, separated by commas, such as rmat16,grid256")
    line.add_argument("--analytics", help="names, separated by commas (default: all that have both forms)")
    line.add_argument("--sizes", default=",".join(map(str, SIZES)), help="edges of a batch, separated by commas")
    line.add_argument("--repeat", type=int, default=5, help="timed batches of each kind")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    names = (options.graphs or ("rmat18,grid512" if device.is_gpu else "rmat15,grid128")).split(",")
    sizes = [int(text) for text in options.sizes.split(",")]
    results = Results("adverse", device.kind, "full", header=describe_run(device, graphs=names, sizes=sizes))
    chosen = [each for each in analytics().values() if each.incremental is not None and each.static is not None]
    if options.analytics:
        chosen = [analytics()[name] for name in options.analytics.split(",")]
    axes: Axes = axes_for(device.kind, "quick", None)
    for name in names:
        graph = GraphSource(device, axes).get(name)
        for structure, kind in choose_structures(options.structures.split(",")).items():
            for analytic in chosen:
                if structure in options.structures.split(","):
                    measure(results, graph, kind, analytic, sizes, options.repeat)
    print(summary(results.rows))
    print(f"written to {results.save(options.out)}")
    return 0


def summary(rows: list[dict[str, Any]]) -> str:
    """A table of all ratios, by the analytic and the kind of batch, or "-" if the batch determines none."""
    cells = [row | {"size": f"{row['size']:,}", "of": f"{row['batch']} {row['operation']}"} for row in rows]
    columns, lines = pivot(
        cells, ["graph", "structure", "analytic", "size"], "of",
        lambda row: "-" if row["ratio"] is None else f"{row['ratio']:.2f}{'*' if row['ratio'] > LIMIT else ''}",
    )  # fmt: skip
    known = [row["ratio"] for row in rows if row["ratio"] is not None]
    title = f"times as long as recomputation: {sum(ratio > LIMIT for ratio in known)} of {len(known)} above {LIMIT}"
    return table(title, columns, lines)


def time_of(device: fr.advanced.Device, work: Callable[[], Any]) -> float:
    """The seconds of a call: of the processor on a CPU, on a GPU until it has finished."""
    if device.is_gpu:
        return timed(device, work)[0]
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measure(
    results: Results, graph: BenchmarkGraph, kind: type[fr.DynamicGraph], analytic: Analytic, sizes: list[int],
    repeat: int,
) -> None:  # fmt: skip
    """One analytic on one graph in one structure."""
    device = graph.device
    weighted = analytic.weights in ("expected", "required")
    plain = graph.undirected(kind, weighted=weighted)
    watched, other = plain.copy(), plain.copy()
    settings = settings_of(analytic, hub_of(plain))
    follower = analytic.maintain(watched, **settings)
    for size in sizes:
        for name, edges, deletes in batches(graph, size):
            updates = ("delete", "insert") if deletes else ("insert", "delete")
            costs, recomputed = ({update: Samples() for update in updates} for _ in range(2))
            for turn in range(repeat + 1):
                for update in updates:
                    alone = time_of(device, work(plain, update, edges, weighted))
                    both = time_of(device, work(watched, update, edges, weighted, partial(analytic.read, follower)))
                    compute = partial(analytic.compute, other, **settings)
                    scratch = time_of(device, work(other, update, edges, weighted, compute))
                    if turn:  # the first warms up
                        costs[update].wall.append(both - alone)
                        recomputed[update].wall.append(scratch - alone)
            for update, cost in costs.items():
                static = recomputed[update].median
                ratio = cost.median / static if static > 0 else None  # noise, if the plain batch was as slow
                results.add(
                    graph=graph.name, structure=kind.name, analytic=analytic.name, batch=name, operation=update,
                    size=int(edges[0].size), ratio=ratio, static_ms=recomputed[update].numbers()["wall_ms"],
                    **cost.numbers(),
                )  # fmt: skip
                shown = "-" if ratio is None else f"{ratio:6.2f}{'  <--' if ratio > LIMIT else ''}"
                print(f"{graph.name} {kind.name:9} {analytic.name:21} {name:9} {update} {edges[0].size:6}: "
                      f"{1e3 * cost.median:9.3f} ms, from scratch {1e3 * static:9.3f}, {shown}",
                      flush=True)  # fmt: skip
    follower.close()


def work(
    graph: fr.DynamicGraph, update: str, edges: Edges, weighted: bool, ask: Callable[[], Any] = lambda: None
) -> Callable[[], None]:  # fmt: skip
    """Apply a batch, and ask for the result."""
    src, dst, weights = (graph.xp.asarray(each) for each in edges)

    def apply() -> None:
        if update == "insert":
            graph.insert_edges(src, dst, weights if weighted else None)
        else:
            graph.delete_edges(src, dst)
        ask()

    return apply


def batches(graph: BenchmarkGraph, size: int) -> Iterator[tuple[str, Edges, bool]]:
    """Adverse batches: their name, edges, and whether they are deleted first."""
    src, dst, weights = (graph.device.to_host(each) for each in (graph.src, graph.dst, graph.weights))
    size = min(size, src.size // 4)
    rng = np.random.default_rng(BATCH_SEED)
    degrees = np.bincount(np.concatenate([src, dst]), minlength=graph.num_vertices)
    hub = int(degrees.argmax())
    host = graph.undirected(fr.structures()["csr"])
    found = bfs(host, hub)
    distance, predecessor = (graph.device.to_host(each) for each in (found.distance, found.predecessor))
    in_tree = np.flatnonzero((predecessor[src] == dst) | (predecessor[dst] == src))
    depth = np.maximum(distance[src[in_tree]], distance[dst[in_tree]])
    picks = {
        "random": rng.choice(src.size, size, replace=False),
        "light": np.argsort(weights, kind="stable")[:size],
        "tree": in_tree[np.argsort(depth, kind="stable")[:size]],
        "hub": np.argsort(-np.maximum(degrees[src], degrees[dst]), kind="stable")[:size],
    }
    for name, ids in picks.items():
        yield name, (src[ids], dst[ids], weights[ids]), True
    known = np.concatenate([dst[src == hub], src[dst == hub], [hub]])
    far = np.setdiff1d(np.arange(graph.num_vertices, dtype=src.dtype), known)
    far = rng.permutation(far)[:size]
    if far.size:
        yield "shortcuts", (np.full(far.size, hub, src.dtype), far, np.ones(far.size, weights.dtype)), False
