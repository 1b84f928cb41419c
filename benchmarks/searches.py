"""Breadth-first searches from single vertices, and the cost of a level: ``python -m benchmarks searches``.

*RMAT graphs*: from the hub, and from random vertices that have neighbors. The time of a search depends on when it meets
the hubs. *grid*: a search with thousands of levels of few vertices each, by `traverse`, and by a user's loop of
`advance`, for which the host synchronizes in every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from algorithms import UNREACHED, bfs
from dynfrontier.machine import describe_run

from .context import choose_structures
from .defaults import EDGE_FACTOR, GRAPH_SEED
from .graphs import hub_of, simplify
from .results import Results, command_line
from .timing import measure

SOURCES = 12
WARM_UP = 3


def main(arguments: Sequence[str]) -> int:
    """Measure each structure. Returns 0."""
    line = command_line("searches", __doc__)
    line.add_argument("--structures", default="csr,slab", help="names, separated by commas")
    line.add_argument("--scales", help="of the RMAT graphs (default: 20,22 on a GPU, 16 on a CPU)")
    line.add_argument("--side", type=int, help="of the grid (default: 1000 on a GPU, 300 on a CPU)")
    line.add_argument("--repeat", type=int, default=11, help="timed calls")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    scales = [int(text) for text in (options.scales or ("20,22" if device.is_gpu else "16")).split(",")]
    side = options.side or (1000 if device.is_gpu else 300)
    results = Results("searches", device.kind, "full", header=describe_run(device, scales=scales, side=side))
    kinds = choose_structures(options.structures.split(","))
    for scale in scales:
        edges = fr.io.rmat(scale, EDGE_FACTOR, seed=GRAPH_SEED)
        src, dst = simplify(device.xp, edges.src, edges.dst, edges.num_vertices)
        for name, kind in kinds.items():
            graph = kind.from_edges(src, dst, None, edges.num_vertices, device=device)
            for source in sources(graph):
                samples, found = measure(device, partial(bfs, graph, source), repeat=options.repeat, warm_up=WARM_UP)
                reached = int((found.distance != UNREACHED).sum())
                results.add(graph=f"rmat{scale}", structure=name, way="bfs", source=source, levels=found.levels,
                            reached=reached, **samples.numbers())  # fmt: skip
            rows = results.where(graph=f"rmat{scale}", structure=name)
            others = sorted(row["median_ms"] for row in rows[1:])
            print(f"rmat{scale} {name:10} hub {rows[0]['median_ms']:8.3f} ms, others "
                  f"{others[0]:.3f} ... {others[-1]:.3f}", flush=True)  # fmt: skip
            del graph
    edges = fr.io.grid(side, side)
    for name, kind in kinds.items():
        graph = kind.from_edges(edges.src, edges.dst, None, edges.num_vertices, device=device)
        for way, search in (("traverse", by_traverse), ("advance", by_advance)):
            samples, levels = measure(device, partial(search, graph), repeat=3, warm_up=1)
            each = 1e6 * samples.median / levels
            results.add(graph=f"grid{side}", structure=name, way=way, source=0, levels=levels, us_per_level=each,
                        **samples.numbers())  # fmt: skip
            print(f"grid{side} {name:10} {way:9} {levels} levels, {each:.1f} us each", flush=True)
    print(f"written to {results.save(options.out)}")
    return 0


def sources(graph: fr.Graph) -> list[int]:
    """The hub, and random vertices that have neighbors."""
    candidates = np.flatnonzero(graph.device.to_host(graph.degrees()))
    chosen = np.random.default_rng(GRAPH_SEED).choice(candidates, min(SOURCES, candidates.size), replace=False)
    return [hub_of(graph), *chosen.tolist()]


def by_traverse(graph: fr.Graph) -> int:
    """The number of levels, from vertex 0."""
    distance = _at_first(graph)
    return fr.traverse(graph, fr.Frontier(graph, [0]), visit, distance, fr.advanced.StepCounter(1), condition=unreached)


def by_advance(graph: fr.Graph) -> int:
    """The same, by a loop that synchronizes in every level."""
    distance, frontier, level = _at_first(graph), fr.Frontier(graph, [0]), 0
    while frontier:
        level += 1
        frontier = fr.advance(graph, frontier, visit, distance, np.int32(level), condition=unreached)
    return level


def _at_first(graph: fr.Graph) -> Any:
    distance = graph.vertex_array(np.int32, UNREACHED, combine="min")
    distance[0] = 0
    return distance


def visit(src, dst, edge, weight, distance, level):
    """Whether `dst` is nearer than it was."""
    return fr.atomic_min(distance, dst, level) > level


def unreached(dst, distance, level):
    """Whether `dst` may still be nearer."""
    return distance[dst] > level
