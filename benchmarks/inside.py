"""The cost of walking a graph inside functors: ``python -m benchmarks inside``.

*sum*: a number for each vertex, from all of its neighbors: by a loop over ``fr.neighbors`` in a functor of `compute`,
and by `neighbor_reduce`, which shares long lists among threads. *early*: whether a vertex has a neighbor among a 16th
of all vertices, by a loop that ends with the first, and by `advance`, which walks whole lists. *look-up*: an edge for
each of many random pairs, by ``fr.find_edge`` in a functor, and by ``graph.find_edges``.

RMAT graphs, whose hubs one thread walks in the loop, and uniform ones of the same size, which have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .context import choose_structures
from .results import Results, command_line
from .timing import measure_each

SEED = 1
ONE_IN = 16


def main(arguments: Sequence[str]) -> int:
    """Measure each structure. Returns 0."""
    line = command_line("inside", __doc__)
    line.add_argument("--structures", help="names, separated by commas (default: all)")
    line.add_argument("--scale", type=int, default=16, help="of the graphs, which have 16 edges to a vertex")
    line.add_argument("--repeat", type=int, default=10, help="timed calls")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    results = Results("inside", device.kind, "full", header=describe_run(device, scale=options.scale))
    names = options.structures.split(",") if options.structures else None
    for shape, (src, dst) in shapes(options.scale).items():
        for name, kind in choose_structures(names).items():
            graph = kind.from_edges(src, dst, num_vertices=1 << options.scale, device=device)
            for task, calls in tasks(graph).items():
                medians = []
                for way, call in calls.items():
                    samples, _ = measure_each(device, [call] * (options.repeat + 1), warm_up=1)
                    results.add(graph=shape, structure=name, task=task, way=way, **samples.numbers())
                    medians.append(1e3 * samples.median)
                inside, outside = medians
                print(f"{shape:8} {name:10} {task:8} {inside:9.3f} ms inside, {outside:9.3f} by operators, "
                      f"{inside / outside:.2f}", flush=True)  # fmt: skip
            del graph, calls
    print(f"written to {results.save(options.out)}")
    return 0


def shapes(scale: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sources and destinations of an RMAT graph, and of a uniform one."""
    edges = fr.io.rmat(scale=scale, edge_factor=16, seed=SEED)
    src, dst = np.random.default_rng(SEED).integers(0, 1 << scale, (2, 16 << scale), dtype=np.int32)
    return {"rmat": (edges.src, edges.dst), "uniform": (src, dst)}


def tasks(graph: fr.Graph) -> dict[str, dict[str, Any]]:
    """Each task, inside a functor and by operators."""
    xp, n = graph.xp, graph.num_vertices
    rng = np.random.default_rng(SEED)
    everyone = fr.Frontier.all(graph)
    x, sums = xp.asarray(rng.random(n)), xp.zeros(n)
    marked = xp.asarray((rng.integers(0, ONE_IN, n) == 0).astype(np.int8))
    found = xp.zeros(n, np.int8)
    pairs = [xp.asarray(part) for part in rng.integers(0, n, (2, n)).astype(graph.vertex_dtype)]
    edges = xp.zeros(n, np.int64)
    return {
        "sum": {
            "inside": partial(fr.compute, everyone, sum_neighbors, graph, x, sums),
            "operator": partial(fr.neighbor_reduce, graph, None, value, x, out=sums),
        },
        "early": {
            "inside": partial(fr.compute, everyone, find_marked, graph, marked, found),
            "operator": partial(fr.advance, graph, everyone, note_marked, marked, found, output=None),
        },
        "look-up": {
            "inside": partial(fr.compute, everyone, look_up, graph, *pairs, edges),
            "operator": partial(graph.find_edges, *pairs, checked=False),
        },
    }


def sum_neighbors(v, graph, x, sums):
    """The sum of the neighbors' values."""
    total = 0.0
    for u, _, _ in fr.neighbors(graph, v):
        total += x[u]
    sums[v] = total


def value(src, dst, edge, weight, x):
    """The neighbor's value."""
    return x[dst]


def find_marked(v, graph, marked, found):
    """Whether a neighbor is marked."""
    for u, _, _ in fr.neighbors(graph, v):
        if marked[u]:
            found[v] = 1
            break


def note_marked(src, dst, edge, weight, marked, found):
    """The same, of one edge."""
    if marked[dst]:
        found[src] = 1
    return False


def look_up(v, graph, src, dst, edges):
    """The edge of pair v."""
    edges[v] = fr.find_edge(graph, src[v], dst[v])
