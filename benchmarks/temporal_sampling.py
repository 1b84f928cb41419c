"""Temporal neighbor sampling, compared with PyG's samplers: ``python -m benchmarks temporal-sampling``.

Up to k of the edges that each seed had by its own time, on a directed RMAT graph with random times: drawn uniformly
without replacement, or the latest. Seeds are random vertices (*vertices*), or sources of random edges at the times of
these edges (*edges*), as in training on events: most are hubs. *two hops*: 15 neighbors of each seed, and 10 of each of
these by the time of the seed. Ours is two calls.

Peers are the operators that PyG calls, on int64 arrays on the CPU. Each uses one thread for one type of edges: PyG runs
batches in several processes. `neighbor_sample` of pyg-lib expects lists sorted by time, finds the limit in them by
binary search, and relabels the vertices that it returns. Ours caches such lists of a graph until its next update.
Sorting all lists, which peers need again when the graph has changed, is a separate row for each (*sort*). So is a call
after an update of a single edge (*after an update*), which sorts only the lists of its seeds. The predecessor of
pyg-lib in PyG, `hetero_temporal_neighbor_sample` of torch-sparse, knows times of vertices only. Here each edge is a
vertex with its time, and each seed another. It draws k of all edges of a seed and drops those after the limit, and so
returns fewer. Both count edges at the limit itself. Ours gets the limit + 1.

Each sample is checked: its edges are in the graph, are edges of the seed by its time, and differ. Their number is
min(k, eligible) (torch-sparse: at most), and none that ``latest`` left out is later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numba
import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .context import choose_structures
from .graphs import timed_arcs
from .results import Results, command_line, table
from .timing import Samples, measure, timed

SEED = 1
SPAN = 2**30  # of times
HOPS = (15, 10)
RELATION = "edge__of__seed"


@dataclass
class Lists:
    """The graph's edges, sorted by source and time, as peers expect them.

    Attributes
    ----------
    rowptr, col, time : array of int64
    pairs, pair_times : array of int64
        ``source * n + destination`` of each edge, sorted, and the times of these.
    """

    rowptr: Any
    col: Any
    time: Any
    pairs: Any
    pair_times: Any

    @property
    def num_vertices(self) -> int:
        return self.rowptr.size - 1

    @cached_property
    def keys(self) -> Any:
        """``source * SPAN + time`` of each edge, sorted."""
        return np.repeat(np.arange(self.num_vertices), np.diff(self.rowptr)) * SPAN + self.time


@dataclass
class Sample:
    """The result of a sampler: an edge for each entry of `rows`, which is a position in `vertices` and `limits`."""

    vertices: Any
    limits: Any
    counts: Any  # the requested number of each
    rows: Any
    ids: Any
    times: Any


@dataclass
class Case:
    """One question: the seeds, the times by which edges count, their number, and the method."""

    kind: str
    seeds: Any
    limits: Any
    counts: tuple[int, ...]
    method: str


def main(arguments: Sequence[str]) -> int:
    """Measure. Returns 0."""
    line = command_line("temporal-sampling", __doc__, ["cpu"])  # the device of PyG's samplers
    line.add_argument("--structures", default="csr,slab", help="names, separated by commas")
    line.add_argument("--scale", type=int, default=18, help="of the RMAT graph, which has 16 edges to a vertex")
    line.add_argument("--seeds", default="1024,16384,65536", help="numbers of seeds, separated by commas")
    line.add_argument("--counts", default="10,20", help="neighbors of each seed, separated by commas")
    line.add_argument("--threads", default="1,2", help="numbers of threads, separated by commas")
    line.add_argument("--peers", default=",".join(PEERS), help="names, separated by commas, or 'none'")
    line.add_argument("--repeat", type=int, default=9, help="timed calls")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    src, dst, times, num_vertices = timed_arcs(options.scale, SPAN, SEED)
    order = np.argsort(times, kind="stable")  # in which edges arrive
    header = describe_run(device, scale=options.scale, edges=src.size, seed=SEED)
    results = Results("temporal-sampling", device.kind, "full", header=header)
    sort = partial(sorted_lists, src, dst, times, num_vertices)
    samples, (rowptr, col, sorted_times) = measure(device, sort, repeat=3)
    results.add(system="peers", what="sort", **samples.numbers())
    print(f"peers' arrays, sorted by source and time: {1e3 * samples.median:.1f} ms", flush=True)
    lists = Lists(rowptr, col, sorted_times, src.astype(np.int64) * num_vertices + dst, times)

    systems: dict[str, tuple[Callable[[Case], Any], Callable[[Case, Any], Sample]]] = {}
    changing: dict[str, tuple[fr.Graph, Callable[[], Any]]] = {}
    for name, kind in choose_structures(options.structures.split(",")).items():
        graph = kind.from_edges(
            src[order], dst[order], num_vertices=num_vertices, time=times[order], directed=True, device=device
        )
        systems[name] = partial(ours, graph), our_sample
        changing[name] = graph, partial(graph.insert_edges, src[:1], dst[:1], time=times[:1])
    for name in () if options.peers == "none" else options.peers.split(","):
        try:
            systems[name], version = PEERS[name](lists)
            results.header["versions"][name] = version
        except (ImportError, AttributeError, OSError) as error:
            results.notes.append(f"{name} is not measured: {error}")
            print(results.notes[-1], flush=True)

    threads = [int(text) for text in options.threads.split(",")]
    sizes, counts = ([int(text) for text in given.split(",")] for given in (options.seeds, options.counts))
    for name, (own, update) in changing.items():
        for number in threads:
            use_threads(number)
            sort = partial(fr.latest_neighbors, own, np.arange(num_vertices), 1)
            results.add(system=name, what="sort", threads=number, **after(device, update, sort, 3)[0].numbers())
            print(f"{name}, all lists sorted, threads: {number}: {results.rows[-1]['median_ms']:.1f} ms", flush=True)
    for case in cases(lists, sizes, counts):
        for name, (prepare, read) in systems.items():
            call = prepare(case)
            if call is None:
                continue
            for number in threads:
                use_threads(number)
                samples, found = measure(device, call, repeat=options.repeat)
                sample = read(case, found)
                check(lists, case, sample, exact=name != "torch-sparse")
                results.add(**described(name, case, number, sample, samples))
                print(f"{name:12} {describe(results.rows[-1])}", flush=True)
                if name in changing and len(case.counts) == 1 and case.seeds.size == min(sizes):
                    own, update = changing[name]
                    samples, found = after(device, update, call, options.repeat)
                    check(lists, case, read(case, found), exact=True)
                    results.add(**described(name, case, number, sample, samples, " after an update"))
                    print(f"{name:12} {describe(results.rows[-1])}", flush=True)
                    fr.latest_neighbors(own, np.arange(num_vertices), 1)  # sorts all lists
    print("\n".join(["", *tables(results, threads)]))
    print(f"written to {results.save(options.out)}")
    return 0


def after(
    device: fr.advanced.Device, update: Callable[[], Any], call: Callable[[], Any], repeat: int
) -> tuple[Samples, Any]:
    """`measure` of a call after an update each time."""
    samples, found = Samples(), None
    for turn in range(repeat + 1):
        update()
        _, found = timed(device, call, samples if turn else None)
    return samples, found


def described(
    name: str, case: Case, threads: int, sample: Sample, samples: Samples, when: str = ""
) -> dict[str, Any]:  # fmt: skip
    """A row of the results file."""
    return {
        "system": name, "what": case.method + when, "seeds": case.kind, "queries": case.seeds.size,
        "counts": list(case.counts), "threads": threads, "sampled": sample.rows.size,
        "m_neighbors_per_s": sample.rows.size / samples.median / 1e6, **samples.numbers(),
    }  # fmt: skip


# ---- cases ----------------------------------------------------------------------------------------------------------


def sorted_lists(src: Any, dst: Any, times: Any, num_vertices: int) -> tuple[Any, Any, Any]:
    """Row pointers, destinations and times of all edges, sorted by source and time."""
    order = np.lexsort((times, src))
    rowptr = np.zeros(num_vertices + 1, np.int64)
    np.cumsum(np.bincount(src, minlength=num_vertices), out=rowptr[1:])
    return rowptr, dst[order].astype(np.int64), times[order]


def cases(lists: Lists, sizes: Sequence[int], counts: Sequence[int]) -> Iterator[Case]:
    """All of them, with seeds that are drawn from a fixed seed. Each has an edge by its time."""
    for size in sizes:
        rng = np.random.default_rng(SEED + size)
        sources = np.flatnonzero(np.diff(lists.rowptr))
        vertices = rng.choice(sources, size)
        first = lists.time[lists.rowptr[vertices]]
        chosen = rng.integers(0, lists.col.size, size)
        ends = np.searchsorted(lists.rowptr, chosen, side="right") - 1
        seeds = {"vertices": (vertices, rng.integers(first, SPAN)), "edges": (ends, lists.time[chosen])}
        for kind, (vertex, limit) in seeds.items():
            for count in counts:
                for method in ("uniform", "latest"):
                    yield Case(kind, vertex, limit, (count,), method)
            if size == min(sizes):
                yield Case(kind, vertex, limit, HOPS, "uniform")


def use_threads(number: int) -> None:
    """Set the number of threads of samplers, as far as they support it."""
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(number)


def check(lists: Lists, case: Case, sample: Sample, *, exact: bool) -> None:
    """Whether a sample is one.

    Raises
    ------
    AssertionError
    """
    n = lists.num_vertices
    sources, limits = sample.vertices[sample.rows], sample.limits[sample.rows]
    pairs = sources * n + sample.ids
    place = np.searchsorted(lists.pairs, pairs)
    assert np.array_equal(lists.pairs[np.minimum(place, lists.pairs.size - 1)], pairs), "no such edge"
    assert np.array_equal(lists.pair_times[place], sample.times), "another time"
    assert (sample.times <= limits).all(), "a time after the limit"
    assert np.unique(sample.rows * n + sample.ids).size == sample.rows.size, "an edge twice"
    ends = np.searchsorted(lists.keys, sample.vertices * SPAN + sample.limits, side="right")
    eligible = ends - lists.rowptr[sample.vertices]
    wanted = np.minimum(eligible, sample.counts)
    drawn = np.bincount(sample.rows, minlength=sample.vertices.size)
    assert (drawn == wanted).all() if exact else (drawn <= wanted).all(), "another number of edges"
    if case.method == "latest":
        earliest = np.full(drawn.size, SPAN)
        np.minimum.at(earliest, sample.rows, sample.times)
        some = drawn > 0
        assert np.array_equal(earliest[some], lists.time[(ends - drawn)[some]]), "a later edge is left out"


# ---- ours -----------------------------------------------------------------------------------------------------------


def ours(graph: fr.Graph, case: Case) -> Callable[[], Any]:
    """The call for a case: for each hop the limits of its vertices, and what `sample_temporal_neighbors` returned."""

    def hop(vertices: Any, before: Any, count: int) -> Any:
        random = {} if case.method == "latest" else {"seed": count}
        return before, *fr.sample_temporal_neighbors(
            graph, vertices, count, before=before, method=case.method, **random
        )  # fmt: skip

    before = case.limits + 1

    def sample() -> list[Any]:
        found = [hop(case.seeds, before, case.counts[0])]
        for count in case.counts[1:]:
            limits, offsets, ids, *_ = found[-1]
            found.append(hop(ids, np.repeat(limits, np.diff(offsets)), count))
        return found

    return sample


def our_sample(case: Case, found: list[Any]) -> Sample:
    """The result."""
    vertices = [case.seeds, *(hop[2].astype(np.int64) for hop in found[:-1])]
    begins = np.cumsum([0, *(part.size for part in vertices)])
    rows = [
        begin + np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        for begin, (_, offsets, *_) in zip(begins, found, strict=False)
    ]
    asked = [np.full(part.size, count) for part, count in zip(vertices, case.counts, strict=True)]
    limits, ids, times = [hop[0] - 1 for hop in found], [hop[2] for hop in found], [hop[3] for hop in found]
    return Sample(*(np.concatenate(parts) for parts in (vertices, limits, asked, rows, ids, times)))


# ---- peers ----------------------------------------------------------------------------------------------------------


def pyg_lib(lists: Lists) -> tuple[tuple[Callable, Callable], str]:
    """The sampler of pyg-lib."""
    import pyg_lib
    import torch

    operator = torch.ops.pyg.neighbor_sample.default
    rowptr, col, time = (torch.from_numpy(part) for part in (lists.rowptr, lists.col, lists.time))

    def prepare(case: Case) -> Callable[[], Any]:
        seeds, limits = torch.from_numpy(case.seeds), torch.from_numpy(case.limits)
        strategy = "last" if case.method == "latest" else "uniform"
        return partial(
            operator, rowptr, col, seeds, list(case.counts), None, time, limits, None, csc=False, replace=False,
            directed=True, disjoint=True, temporal_strategy=strategy, return_edge_id=True,
        )  # fmt: skip

    def read(case: Case, found: Any) -> Sample:
        rows, _, nodes, edges = (part.numpy() for part in found[:4])
        asked = np.concatenate([np.full(size, count) for size, count in zip(found[4], case.counts, strict=False)])
        roots, vertices = nodes[: asked.size].T
        return Sample(vertices, case.limits[roots], asked, rows, lists.col[edges], lists.time[edges])

    return (prepare, read), pyg_lib.__version__


def torch_sparse(lists: Lists) -> tuple[tuple[Callable, Callable], str]:
    """The sampler of torch-sparse, for one hop and uniform samples."""
    import torch
    import torch_sparse

    operator = torch.ops.torch_sparse.hetero_temporal_neighbor_sample.default
    edges, time = torch.arange(lists.col.size), torch.from_numpy(lists.time)

    def prepare(case: Case) -> Callable[[], Any] | None:
        if len(case.counts) > 1 or case.method != "uniform":
            return None
        # Seed i is vertex 2i of its own kind, whose list is the list of the graph's vertex. Odd ones are not sampled.
        ends = np.stack([lists.rowptr[case.seeds], lists.rowptr[case.seeds + 1]], axis=1).ravel()
        return partial(
            operator, ["edge", "seed"], [("edge", "of", "seed")], {RELATION: torch.from_numpy(ends)}, {RELATION: edges},
            {"seed": torch.arange(0, ends.size, 2)}, {RELATION: list(case.counts)},
            {"edge": time, "seed": torch.from_numpy(np.repeat(case.limits, 2))}, 1, False, True,
        )  # fmt: skip

    def read(case: Case, found: Any) -> Sample:
        rows, edges = (found[part][RELATION].numpy() for part in (2, 3))
        asked = np.full(case.seeds.size, case.counts[0])
        return Sample(case.seeds, case.limits, asked, rows, lists.col[edges], lists.time[edges])

    return (prepare, read), torch_sparse.__version__


PEERS = {"pyg-lib": pyg_lib, "torch-sparse": torch_sparse}


# ---- tables ---------------------------------------------------------------------------------------------------------


def describe(row: dict[str, Any]) -> str:
    """A row in words."""
    counts = " and ".join(map(str, row["counts"]))
    return (
        f"{row['what']:23} {counts:>9} of {row['queries']:>6,} seeds from {row['seeds']:8}, threads: {row['threads']}: "
        f"{row['median_ms']:9.2f} ms, {row['m_neighbors_per_s']:.1f} M neighbors/s"
    )


def tables(results: Results, threads: Sequence[int]) -> list[str]:
    """Medians of each case in milliseconds, in a column for each system."""
    rows = [row for row in results.rows if row["what"] != "sort"]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    found = []
    for number in threads:
        cells: dict[tuple, dict[str, float]] = {}
        for row in rows:
            if row["threads"] == number:
                case = row["seeds"], row["what"], " and ".join(map(str, row["counts"])), row["queries"]
                cells.setdefault(case, {})[row["system"]] = row["median_ms"]
        body = [[*case, *(medians.get(system) for system in systems)] for case, medians in cells.items()]
        found.append(table(f"Milliseconds, threads: {number}", ["seeds", "method", "k", "queries", *systems], body))
    return found
