"""Zou, Zhang, Lin, Yu: An Efficient Data Structure for Dynamic Graph on GPUs. TKDE 2023. Figures 1, 8-15, 17-20."""

from __future__ import annotations

from functools import partial

from .analytics import breadth_first, export, exports, queries, ranks, triangles
from .check import Check
from .experiment import Experiment, Paper, Variant, only
from .growth import at_growth, churn, growth, mean_rate, mean_time, redundancy, transfer

SHAPES = ("scale-free", "dense", "road")
BATCHES = (10**4, 10**5)
BOTTOM_UP = Variant("lpma, bottom-up", "lpma", {"strategy": "bottom-up"})
TOP_DOWN = Variant("lpma, top-down", "lpma", {"strategy": "top-down"})
STRATEGIES = (*only("lpma"), BOTTOM_UP, TOP_DOWN)

MINE, GPMA, HORNET = {"system": "lpma"}, {"system": "gpma"}, {"system": "hornet"}
FAIMGRAPH, SLAB = {"system": "faimgraph"}, {"system": "slab"}
STREAM = "The arcs of each graph in random order; the graph grows eightfold, by as many batches as the mode has"


def _beside(what: str, hornet: str, faimgraph: str, slab: str, **where: str) -> tuple[Check, ...]:
    """LPMA beside the other three."""
    return (
        Check(f"{what} on LPMA is faster than on Hornet", hornet, MINE, HORNET, where),
        Check(f"{what} on LPMA is faster than on faimGraph", faimgraph, MINE, FAIMGRAPH, where),
        Check(f"{what} on LPMA is faster than on the hash graph", slab, MINE, SLAB, where),
    )


LPMA = Paper(
    "lpma",
    "Zou et al., An Efficient Data Structure for Dynamic Graph on GPUs (TKDE 2023)",
    "Tesla P100",
    (
        Experiment(
            "figure 1", "time of every batch, as the graph grows",
            "LPMA is ten times as fast as GPMA+ on average, and its worst batch is 15 times the mean, that of GPMA+ "
            "20 times.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=BATCHES, summary=churn), rows=("graph", "x"), axis="batch", curve=True,
            systems=only("gpma", "lpma"),
            checks=(
                Check("LPMA's mean is better than GPMA+'s", "about 10", MINE, GPMA, {"quantity": "mean"}),
                Check("LPMA's worst batch is better than GPMA+'s", "", MINE, GPMA, {"quantity": "worst"}),
                Check(
                    "LPMA's worst batch is at most 15 times its mean", "up to 15", MINE,
                    where={"quantity": "worst over mean"}, most=15.0,
                ),
            ),
        ),
        Experiment(
            "figure 8", "batches at which the array grows",
            "At growth LPMA, bottom-up, is 37 - 69 times as fast as GPMA+ at batches of 10^4, 27 - 46 at 10^5, since "
            "it re-balances only where entries arrive: more than 80 % of re-balancing is saved.",
            f"{STREAM}; the batches after which the array is larger.",
            SHAPES, partial(growth, sizes=BATCHES, summary=at_growth), rows=("graph", "x"), axis="batch",
            systems=(*only("gpma"), BOTTOM_UP),
            checks=(
                Check(
                    "LPMA is faster than GPMA+ at growth", "27 - 69", {"system": BOTTOM_UP.label}, GPMA,
                    {"quantity": "batches of growth"},
                ),
                Check(
                    "more than 80 % of the leaves are not moved", "over 80", {"system": BOTTOM_UP.label},
                    where={"quantity": "leaves not moved at growth"}, least=80.0,
                ),
            ),
        ),
        Experiment(
            "figure 9", "time of every batch, by strategy",
            "Bottom-up is fast at low density and spikes up to 83 times at high density; top-down is flat; the hybrid "
            "follows the better.",
            f"{STREAM}.",
            ("scale-free",), partial(growth, sizes=BATCHES, summary=churn), rows=("graph", "x"), axis="batch",
            curve=True, systems=STRATEGIES,
            checks=(
                Check(
                    "the hybrid's worst batch is no worse than bottom-up's", "", MINE, {"system": BOTTOM_UP.label},
                    {"quantity": "worst"}, least=0.9,
                ),
                Check(
                    "bottom-up's worst batch is further above the mean than top-down's", "",
                    {"system": BOTTOM_UP.label}, {"system": TOP_DOWN.label}, {"quantity": "worst over mean"},
                ),
            ),
        ),
        Experiment(
            "figure 10", "mean time by strategy, and what is re-balanced",
            "The hybrid is 1.4 times as fast as bottom-up and 2 times as top-down at batches of 10^4, 2.5 times as "
            "bottom-up at 10^5. Top-down saves 21 - 27 % of re-balancing at 10^4 and 33 - 37 % at 10^5, the hybrid 15 "
            "- 20 % and 24 - 29 %.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=BATCHES, summary=redundancy), rows=("graph", "x"), axis="batch",
            systems=STRATEGIES,
            checks=(
                Check(
                    "the hybrid is at least as fast as bottom-up", "1.4 - 2.5", MINE, {"system": BOTTOM_UP.label},
                    {"quantity": "mean"}, least=0.95,
                ),
                Check(
                    "the hybrid is at least as fast as top-down", "2", MINE, {"system": TOP_DOWN.label},
                    {"quantity": "mean"}, least=0.95,
                ),
                Check(
                    "top-down spares a fifth of the moves or more", "21 - 37", {"system": TOP_DOWN.label},
                    where={"quantity": "moves spared"}, least=20.0,
                ),
                Check(
                    "the hybrid spares a seventh of the moves or more", "15 - 29", MINE,
                    where={"quantity": "moves spared"}, least=15.0,
                ),
            ),
        ),
        Experiment(
            "figure 11", "rate by batch size",
            "Ten times the batch gives 5 - 9 times the rate, from 10^3 to 10^6 edges.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=(10**3, 10**4, 10**5, 10**6), summary=mean_rate), rows=("graph", "x"),
            axis="batch", systems=only("lpma"),
            checks=tuple(
                Check(
                    f"batches of 10^{power} edges, ten times as many, give 5 times the rate or more", "5 - 9",
                    {"x": 10**power}, {"x": 10 ** (power - 1)}, least=5.0,
                )
                for power in (4, 5, 6)
            ),
        ),
        Experiment(
            "figure 12", "transfer to the device",
            "The way to the device and the wait for it take 22 - 38 % of an update.",
            "Random batches that lie on the host, beside the same on the device.",
            SHAPES, partial(transfer, sizes=BATCHES), rows=("graph", "x"), axis="batch", gpu_only=True,
            checks=(Check("the way takes 22 - 38 % of the time", "22 - 38", MINE, least=22.0, most=38.0),),
        ),
        Experiment(
            "figure 13", "mean time of all batches",
            "LPMA is 6 - 20 times as fast as GPMA+; beside faimGraph 1.3 - 1.7 times on uneven graphs and slower on "
            "roads; slower than Hornet at 10^4 and faster at 10^5; the hash graph is the fastest.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=BATCHES, summary=mean_time), rows=("graph", "x"), axis="batch",
            checks=(
                Check("LPMA is faster than GPMA+", "6 - 20", MINE, GPMA),
                Check(
                    "on a scale-free graph it is faster than faimGraph", "1.3 - 1.7", MINE, FAIMGRAPH,
                    {"graph": "scale-free"},
                ),
                Check("on a dense graph it is faster than faimGraph", "1.3 - 1.7", MINE, FAIMGRAPH, {"graph": "dense"}),
                Check(
                    "on roads it is slower than faimGraph", "0.6 - 0.9", MINE, FAIMGRAPH, {"graph": "road"}, least=0.0,
                    most=1.0,
                ),
                Check(
                    "it is slower than Hornet at 10^4", "", {**MINE, "x": 10**4}, {**HORNET, "x": 10**4}, least=0.0,
                    most=1.0,
                ),
                Check("it is faster than Hornet at 10^5", "", {**MINE, "x": 10**5}, {**HORNET, "x": 10**5}),
                Check("it is slower than the hash graph", "", MINE, SLAB, least=0.0, most=1.0),
            ),
        ),
        Experiment(
            "figure 14", "conversion to CSR",
            "GPMA+ and LPMA, whose entries are in order, are converted 7 - 30 times as fast as Hornet, and 1.5 times "
            "as fast as faimGraph except on roads.",
            "`to_csr`, a sorted copy. (Here Hornet's lists are in order too.)",
            ("scale-free", "dense", "mesh", "road"), export, checks=_beside("conversion", "7 - 30", "1.5", ""),
        ),
        Experiment(
            "figure 15", "conversion to CSR, sorted and not",
            "The hash graph is copied fastest as it lies; sorted, LPMA is 3 - 8.5 times as fast, 11 - 20 times where "
            "the host sorts.",
            "Lists as they lie, sorted by the device, and sorted by the host and brought back.",
            ("scale-free", "dense", "mesh", "road"), exports, systems=only("lpma", "slab"),
            checks=(
                Check(
                    "as it lies, the hash graph is copied faster", "", SLAB, MINE, {"quantity": "as it lies"},
                ),
                Check("sorted, LPMA is copied faster", "3 - 8.5", MINE, SLAB, {"quantity": "sorted"}),
                Check(
                    "LPMA is copied faster than the hash graph is sorted by the host", "11 - 20",
                    {**MINE, "quantity": "sorted"}, {**SLAB, "quantity": "sorted on the host"},
                ),
            ),
        ),
        Experiment(
            "figure 17", "edge and neighbor queries",
            "Edge queries: LPMA is 6 - 12 times as fast as faimGraph, 5 times as Hornet, and the hash graph 10 times "
            "as LPMA. Sorted neighbors: LPMA is 1.2 - 1.5 times as fast as faimGraph, 3 times as Hornet, 5 - 10 times "
            "as the hash graph.",
            "Edges of which half are there, and random vertices.",
            SHAPES, partial(queries, sizes=BATCHES), rows=("graph", "x"), axis="queries",
            checks=(
                Check("an edge is found faster than in faimGraph", "6 - 12", MINE, FAIMGRAPH, {"quantity": "edge"}),
                Check("an edge is found faster than in Hornet", "5", MINE, HORNET, {"quantity": "edge"}),
                Check("the hash graph finds edges faster", "10", SLAB, MINE, {"quantity": "edge"}),
                *_beside("a query for sorted neighbors", "3", "1.2 - 1.5", "5 - 10", quantity="sorted neighbors"),
            ),
        ),
        Experiment(
            "figure 18", "triangle counting",
            "LPMA is 2.4 - 5 times as fast as Hornet and 4 - 7 times as the hash graph, since its lists are sorted.",
            "`triangle_count`, which orients the graph into a snapshot in every structure.",
            SHAPES, triangles, checks=_beside("triangle counting", "2.4 - 5", "", "4 - 7"),
        ),
        Experiment(
            "figure 19", "PageRank",
            "LPMA is 1.1 - 1.3 times as fast as Hornet, 0.9 - 1.1 as faimGraph, 0.88 - 1.2 as the hash graph.",
            "Twenty steps of `pagerank`.",
            SHAPES, ranks, checks=_beside("PageRank", "1.1 - 1.3", "0.9 - 1.1", "0.88 - 1.2"),
        ),
        Experiment(
            "figure 20", "BFS",
            "LPMA is 1.1 - 1.2 times as fast as Hornet and the hash graph, 0.9 - 0.92 as faimGraph.",
            "`bfs` from the vertex with most neighbors.",
            SHAPES, breadth_first, checks=_beside("BFS", "1.1 - 1.2", "0.9 - 0.92", "1.1 - 1.2"),
        ),
    ),
)  # fmt: skip
