"""Streams in time: ``python -m benchmarks temporal``.

*window*: a sliding window that moves by a batch, compared with the same insertions and deletions made without one, on a
graph of the same structure without times. *expiry*: the cost of `expire` by the number of edges that leave, and by the
number of edges that stay. *mixed*: a batch of mixed operations, compared with the same operations sorted into pure
batches, and with one call for each. *algorithm*: the algorithms for graphs with times, and the timeless ones that they
extend. Temporal triangles also incrementally. *motifs*: temporal motifs of a window of the events of MathOverflow that
moves by a batch, maintained and recomputed (`DYNFRONTIER_DATA` names the folder of the events). *sample*: temporal
sampling, by method. *parallel edges*: the insertion of a batch of rows that add up, compared with one in which the
last counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

import algorithms
import frontier as fr
from dynfrontier.machine import describe_run

from .context import choose_structures
from .graphs import published, published_events
from .results import Results, command_line, table
from .timing import Samples, measure_each, timed

SEED = 7
EVENTS, DELTA = "sx-mathoverflow.txt.gz", "1h"
MOVES = (1, 64, 1024, 16384)
"""Events by which a window of motifs moves."""
MIXES = {
    "updates and look-ups": {"INSERT": 0.35, "DELETE": 0.25, "HAS_EDGE": 0.2, "WEIGHT": 0.1, "DEGREE": 0.1},
    "3 % queries (LPMA)": {"INSERT": 0.65, "DELETE": 0.32, "HAS_EDGE": 0.015, "NEIGHBORS": 0.015},
}
SINGLE = 200  # operations that run one by one, from which the rest is extrapolated
SIZES = {  # base-2 logarithms: vertices, live edges, rows of a pushed batch, operations of a mixed batch
    ("gpu", False): (21, 24, 16, 20), ("gpu", True): (19, 22, 16, 18),
    ("cpu", False): (16, 20, 14, 17), ("cpu", True): (13, 16, 11, 13),
}  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Measure, write a results file, and print tables."""
    line = command_line("temporal", __doc__)
    line.add_argument("--structures", default="csr,slab,hornet,lpma", help="names, separated by commas")
    line.add_argument("--quick", action="store_true", help="smaller graphs and batches")
    line.add_argument("--parts", default=",".join(PARTS), help="names, separated by commas (default: all)")
    line.add_argument("--repeat", type=int, default=10, help="timed calls")
    line.add_argument("--scale", type=int, help="base-2 logarithm of the live edges. Other sizes follow.")
    options = line.parse_args(arguments)
    parts = options.parts.split(",")
    if not set(parts) <= set(PARTS):
        line.error(f"--parts must be of {', '.join(PARTS)}, not {options.parts}")
    device = fr.advanced.resolve_device(options.device)
    sizes = SIZES[device.kind, options.quick]
    if options.scale:
        sizes = tuple(max(bits + options.scale - sizes[1], 4) for bits in sizes)
    vertices, edges, batch, mixed = (1 << bits for bits in sizes)
    shape = {"vertices": vertices, "edges": edges, "batch": batch, "mixed": mixed}
    results = Results("temporal", device.kind, "quick" if options.quick else "full",
                      header=describe_run(device, seed=SEED, **shape))  # fmt: skip
    for name, kind in choose_structures(options.structures.split(",")).items():
        if kind.can_store_weights:
            for part in parts:
                measure, counts, most = PARTS[part]
                measure(results, device, kind, vertices, *map(shape.get, counts), min(options.repeat, most))
            print(f"{name}: done", flush=True)
    path = results.save(options.out)
    print(f"written to {path}\n\n" + "\n".join(tables(results)))
    return 0


@lru_cache(maxsize=1)
def records(device: fr.advanced.Device, vertices: int, count: int) -> tuple[Any, Any]:
    """Random edges on the device, each once."""
    rng = np.random.default_rng(SEED)
    keys = np.empty(0, np.int64)
    while keys.size < count:
        ends = np.sort(rng.integers(0, vertices, (2, 2 * count)), axis=0)
        keys = np.unique(np.concatenate([keys, (ends[0] * vertices + ends[1])[ends[0] < ends[1]]]))
    src, dst = np.divmod(rng.permutation(keys)[:count], vertices)
    return device.xp.asarray(src.astype(np.int32)), device.xp.asarray(dst.astype(np.int32))


def window(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, edges: int, batch: int, repeat: int
) -> None:  # fmt: skip
    """A window of `edges` rows that moves by `batch`, and plain updates."""
    warm_up = 2
    src, dst = records(device, vertices, edges + (repeat + warm_up) * batch)
    times = device.xp.arange(src.size, dtype=np.int64)
    begins = [edges + i * batch for i in range(repeat + warm_up)]
    timed_graph = partial(kind.from_edges, src[:edges], dst[:edges], num_vertices=vertices, device=device)

    graph = timed_graph(time=times[:edges])
    sliding = fr.SlidingWindow(graph, span=edges)
    samples: dict[str, Samples] = {}
    samples["window"], done = measure_each(device, [
        partial(sliding.push, src[i : i + batch], dst[i : i + batch], time=times[i : i + batch]) for i in begins
    ], warm_up=warm_up)  # fmt: skip
    assert done.inserted == done.expired == batch and graph.num_edges == edges

    def update(graph: Any, at: int, **data: Any) -> None:
        data = {name: values[at : at + batch] for name, values in data.items()}
        graph.insert_edges(src[at : at + batch], dst[at : at + batch], **data)
        graph.delete_edges(src[at - edges : at - edges + batch], dst[at - edges : at - edges + batch])

    for name, graph, data in (
        ("plain", timed_graph(), {}), ("plain, with times", timed_graph(time=times[:edges]), {"time": times})
    ):  # fmt: skip
        samples[name], _ = measure_each(device, [partial(update, graph, i, **data) for i in begins], warm_up=warm_up)
    for name, found in samples.items():
        results.add(
            what="window", structure=kind.name, form=name, edges=edges, batch=batch,
            over_plain=found.median / samples["plain"].median, **found.numbers(),
        )  # fmt: skip


def expiry(results: Results, device: fr.advanced.Device, kind: Any, vertices: int, edges: int, repeat: int) -> None:
    """Edges that expire, in growing numbers, from graphs of two sizes."""
    for size in (edges, edges // 4):
        src, dst = records(device, vertices, size)
        times = device.xp.arange(size, dtype=np.int64)
        graph = kind.from_edges(src, dst, num_vertices=vertices, device=device, time=times)
        graph.expire(0)  # makes the log
        leave = 1 << 8
        while leave <= edges // 8:
            found = Samples()
            for turn in range(repeat + 1):
                graph.expire(0)
                _, done = timed(device, partial(graph.expire, leave), found if turn else None)
                assert done.deleted == leave
                graph.insert_edges(src[:leave], dst[:leave], time=times[:leave])
            results.add(
                what="expiry", structure=kind.name, edges=size, expired=leave,
                ns_per_edge=1e9 * found.median / leave, **found.numbers(),
            )  # fmt: skip
            leave *= 4


def apply(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, edges: int, size: int, repeat: int
) -> None:  # fmt: skip
    """Mixed batches, half of whose operations name existing edges."""
    xp = device.xp
    rng = np.random.default_rng(SEED)
    src, dst = records(device, vertices, edges)
    built = kind.from_edges(src, dst, xp.ones(edges, np.float32), num_vertices=vertices, device=device)
    for mix, parts in MIXES.items():
        ops = rng.choice([int(fr.Operation[name]) for name in parts], size, p=list(parts.values()))
        place = xp.asarray(rng.integers(0, edges, size))
        there = xp.asarray(rng.random(size) < 0.5)
        other = xp.asarray(rng.integers(0, vertices, size).astype(np.int32))
        u, v, weights = src[place], xp.where(there, dst[place], other), xp.ones(size, np.float32)
        on_device = xp.asarray(ops)
        samples: dict[str, Samples] = {"mixed": Samples(), "pure": Samples()}
        for turn in range(repeat + 1):
            graph = built.copy()
            timed(device, partial(graph.apply, on_device, u, v, weights), samples["mixed"] if turn else None)
            graph = built.copy()
            chosen = {name: xp.asarray(np.flatnonzero(ops == int(fr.Operation[name]))) for name in parts}
            batches = {name: (u[at], v[at], weights[at]) for name, at in chosen.items()}
            timed(device, partial(_pure, graph, batches), samples["pure"] if turn else None)
        graph = built.copy()
        few = list(zip(ops[:SINGLE].tolist(), u[:SINGLE].tolist(), v[:SINGLE].tolist(), strict=True))
        single, _ = measure_each(device, [partial(_one_by_one, graph, few)] * 3, warm_up=1)
        one_by_one = single.median * size / SINGLE
        mixed = samples["mixed"].median
        results.add(
            what="mixed", structure=kind.name, mix=mix, operations=size, edges=edges,
            m_operations_per_s=size / mixed / 1e6, pure_ms=1e3 * samples["pure"].median,
            of_pure_rate=samples["pure"].median / mixed, one_by_one_ms=1e3 * one_by_one,
            over_one_by_one=one_by_one / mixed, **samples["mixed"].numbers(),
        )  # fmt: skip


def _pure(graph: Any, batches: dict[str, tuple[Any, Any, Any]]) -> None:
    """The same operations, a call for each kind, except loops, which look-ups do not include here."""
    calls = {
        "INSERT": lambda u, v, w: graph.insert_edges(u, v, w), "DELETE": lambda u, v, w: graph.delete_edges(u, v),
        "HAS_EDGE": lambda u, v, w: graph.has_edges(u, v), "WEIGHT": lambda u, v, w: _weights(graph, u, v),
        "DEGREE": lambda u, v, w: graph.degrees()[u], "NEIGHBORS": lambda u, v, w: graph.successors(u),
    }  # fmt: skip
    for name, arrays in batches.items():
        calls[name](*arrays)


def _weights(graph: Any, u: Any, v: Any) -> Any:
    """The weights of edges, of which some are not there."""
    slots = graph.find_edges(u, v)
    return graph.slot_weights[graph.xp.maximum(slots, 0)]


def _one_by_one(graph: Any, operations: list[tuple[int, int, int]]) -> None:
    for op, u, v in operations:
        _pure(graph, {fr.Operation(op).name: (np.array([u]), np.array([v]), np.ones(1, np.float32))})


def analytics(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, edges: int, batch: int, repeat: int
) -> None:  # fmt: skip
    """The algorithms for graphs with times, each over its counterpart, and triangles also by batch."""
    src, dst = records(device, vertices, edges)
    delta = edges // 8
    graph = kind.from_edges(
        src, dst, num_vertices=vertices, device=device, time=device.xp.arange(edges, dtype=np.int64)
    )
    source = int(graph.degrees().argmax())
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "earliest_arrival": (
            partial(algorithms.earliest_arrival, graph, source), partial(algorithms.bfs, graph, source)
        ),
        "temporal_pagerank": (
            partial(algorithms.temporal_pagerank, graph, half_life=delta), partial(algorithms.pagerank, graph)
        ),
        "temporal_triangle_count": (
            partial(algorithms.temporal_triangle_count, graph, delta), partial(algorithms.triangle_count, graph)
        ),
        "temporal_motifs": (
            partial(algorithms.temporal_motifs, graph, delta), partial(algorithms.triangle_count, graph)
        ),
        "temporal_cycle_count": (
            partial(algorithms.temporal_cycle_count, graph, delta // 64, 3), partial(algorithms.triangle_count, graph)
        ),
        "temporal_random_walks": (
            partial(algorithms.temporal_random_walks, graph), partial(algorithms.random_walks, graph)
        ),
    }  # fmt: skip
    for name, calls in pairs.items():
        found, plain = (measure_each(device, [call] * (repeat + 1), warm_up=1)[0] for call in calls)
        results.add(
            what="algorithm", structure=kind.name, algorithm=name, edges=edges, over_plain=found.median / plain.median,
            **found.numbers(),
        )  # fmt: skip
    counter = algorithms.DynamicTemporalTriangleCount(graph, delta)
    samples = Samples()
    for turn in range(repeat + 1):
        part = slice(turn * batch, (turn + 1) * batch)
        times = device.xp.arange(edges, edges + batch, dtype=np.int64)

        def again(part: slice = part, times: Any = times) -> int:
            graph.delete_edges(src[part], dst[part])
            graph.insert_edges(src[part], dst[part], time=times)
            return counter.total

        timed(device, again, samples if turn else None)
    results.add(
        what="algorithm", structure=kind.name, algorithm="DynamicTemporalTriangleCount, a batch out and in",
        edges=edges, batch=batch, over_plain=samples.median / found.median, **samples.numbers(),
    )  # fmt: skip


def motif_windows(results: Results, device: fr.advanced.Device, kind: Any, vertices: int, repeat: int) -> None:
    """Motifs of a window of events that moves by a batch: maintained, without the update itself, and recomputed."""
    path = published(EVENTS)
    if path is None:
        results.notes.append(f"motifs are left out: DYNFRONTIER_DATA has no {EVENTS}")
        return
    *columns, vertices = published_events(path)
    size = columns[2].size // 2
    src, dst, times = map(device.xp.asarray, columns)
    options = {"num_vertices": vertices, "directed": True, "multi_edges": "all", "time_unit": "s", "device": device}
    started = kind.from_edges(src[:size], dst[:size], time=times[:size], **options)

    def move(graph: Any, at: int, batch: int, motifs: Any = None) -> Any:
        part = slice(at, at + batch)
        graph.insert_edges(src[part], dst[part], time=times[part])
        graph.expire(before=columns[2][at + batch - size])
        return motifs and motifs.counts

    for batch in MOVES:
        alone, watched = started.copy(), started.copy()
        motifs = algorithms.DynamicTemporalMotifs(watched, DELTA)
        update, both, again = Samples(), Samples(), Samples()
        for turn in range(repeat + 1):
            at = size + turn * batch
            timed(device, partial(move, alone, at, batch), update if turn else None)
            _, counts = timed(device, partial(move, watched, at, batch, motifs), both if turn else None)
            _, found = timed(device, partial(algorithms.temporal_motifs, alone, DELTA), again if turn else None)
            assert (counts == found.counts).all()
        motifs.close()
        rows: dict[str, Any] = {}
        for clock in ("wall", "cpu"):
            alone_s, both_s, again_s = (np.array(getattr(each, clock)) for each in (update, both, again))
            for name, seconds in {"update": alone_s, "maintain": both_s - alone_s, "recompute": again_s}.items():
                rows[f"{name}_{clock}_ms"] = (1e3 * seconds).round(4).tolist()
                rows[f"{name}_{clock}_median_ms"] = 1e3 * float(np.median(seconds))
        results.add(what="motifs", structure=kind.name, events=size, batch=batch, **rows)


def samples_of(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, edges: int, batch: int, repeat: int
) -> None:  # fmt: skip
    """Ten neighbors of each vertex of a batch, before its own time, from lists that stay sorted by time."""
    xp = device.xp
    src, dst = records(device, vertices, edges)
    graph = kind.from_edges(src, dst, num_vertices=vertices, device=device, time=xp.arange(edges, dtype=np.int64))
    rng = np.random.default_rng(SEED)
    asked, before = xp.asarray(rng.integers(0, vertices, batch)), xp.asarray(rng.integers(0, edges, batch))
    fr.latest_neighbors(graph, xp.arange(vertices), 1)  # sorts all lists
    for method, options in {
        "uniform": {"seed": 1}, "latest": {}, "decay": {"seed": 1, "half_life": edges // 8},
    }.items():  # fmt: skip
        call = partial(fr.sample_temporal_neighbors, graph, asked, 10, before=before, method=method, **options)
        found, parts = measure_each(device, [call] * (repeat + 1), warm_up=1)
        results.add(
            what="sample", structure=kind.name, method=method, queries=batch, edges=edges,
            m_neighbors_per_s=int(parts[0][-1]) / found.median / 1e6, **found.numbers(),
        )  # fmt: skip


def parallel_edges(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, edges: int, batch: int, repeat: int
) -> None:  # fmt: skip
    """A batch of rows, of existing edges and of new ones, half of them listed twice."""
    xp = device.xp
    src, dst = records(device, vertices, edges + batch)
    rng = np.random.default_rng(SEED)
    place = xp.asarray(rng.integers(edges - batch, edges + batch, batch))
    place[batch // 2 :] = place[: batch - batch // 2]
    samples = {}
    for multi_edges in ("last", "sum", "all"):
        built = kind.from_edges(
            src[:edges], dst[:edges], xp.ones(edges, np.float32), num_vertices=vertices, device=device, edge_data={},
            multi_edges=multi_edges,
        )  # fmt: skip
        samples[multi_edges] = Samples()
        weights = xp.ones(batch, np.float32)
        for turn in range(repeat + 1):
            graph = built.copy()
            graph.insert_edges(src[:1], dst[:1], weights[:1])  # allocates spare capacity, which a copy lacks
            call = partial(graph.insert_edges, src[place], dst[place], weights)
            timed(device, call, samples[multi_edges] if turn else None)
        results.add(
            what="parallel edges", structure=kind.name, multi_edges=multi_edges, batch=batch, edges=edges,
            over_last=samples[multi_edges].median / samples["last"].median, **samples[multi_edges].numbers(),
        )  # fmt: skip


PARTS: dict[str, tuple[Callable[..., None], tuple[str, ...], int]] = {
    "window": (window, ("edges", "batch"), 100),
    "expiry": (expiry, ("edges",), 5),
    "mixed": (apply, ("edges", "mixed"), 5),
    "algorithm": (analytics, ("edges", "batch"), 5),
    "motifs": (motif_windows, (), 10),
    "sample": (samples_of, ("edges", "batch"), 5),
    "parallel": (parallel_edges, ("edges", "batch"), 5),
}
"""The function of each part, its counts, and its maximal number of repeated calls."""


def tables(results: Results) -> list[str]:
    """Markdown tables."""
    return [
        table("A push of a sliding window", ["structure", "form", "batch", "ms", "over plain"],
              results.cells("structure", "form", "batch", "median_ms", "over_plain", what="window")),
        table("Expiry", ["structure", "live edges", "expire", "ms", "ns an edge"],
              results.cells("structure", "edges", "expired", "median_ms", "ns_per_edge", what="expiry")),
        table("Mixed batches", ["structure", "mix", "ms", "M operations/s", "rate of pure batches", "times one by one"],
              results.cells("structure", "mix", "median_ms", "m_operations_per_s", "of_pure_rate", "over_one_by_one",
                            what="mixed")),
        table("Algorithms", ["structure", "algorithm", "ms", "over the one without times"],
              results.cells("structure", "algorithm", "median_ms", "over_plain", what="algorithm")),
        table("Motifs of a moving window", ["structure", "events", "moved by", "ms", "recomputed, ms"],
              results.cells("structure", "events", "batch", "maintain_wall_median_ms", "recompute_wall_median_ms",
                            what="motifs")),
        table("Temporal sampling", ["structure", "method", "queries", "ms", "M neighbors/s"],
              results.cells("structure", "method", "queries", "median_ms", "m_neighbors_per_s", what="sample")),
        table("Parallel edges", ["structure", "records", "batch", "ms", "over the last counts"],
              results.cells("structure", "multi_edges", "batch", "median_ms", "over_last", what="parallel edges")),
    ]  # fmt: skip
