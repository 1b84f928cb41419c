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
STREAM = "The arcs of each graph arrive in random order, in a fixed number of batches, and the graph grows eightfold"
ONE_MOVE = "0 by construction"


def _compared(
    what: str, hornet: str, faimgraph: str, slab: str, *, decided_by: str = "", **where: str
) -> tuple[Check, ...]:
    """LPMA compared with the other three."""
    return (
        Check(f"{what} on LPMA is faster than on Hornet", hornet, MINE, HORNET, where, decided_by=decided_by),
        Check(f"{what} on LPMA is faster than on faimGraph", faimgraph, MINE, FAIMGRAPH, where, decided_by=decided_by),
        Check(f"{what} on LPMA is faster than on the hash graph", slab, MINE, SLAB, where, decided_by=decided_by),
    )


LPMA = Paper(
    "lpma",
    "Zou et al., An Efficient Data Structure for Dynamic Graph on GPUs (TKDE 2023)",
    "Tesla P100",
    "The paper compares with the authors' programs; its faimGraph keeps its lists sorted, ours does not, and its "
    "Hornet's lists are unsorted, where ours are sorted. Its arrays grow at density 1, ours at 0.8. Its graphs are "
    "real and up to four times larger.",
    "figure 6, latency by density (see figure 9); figure 16, mixed batches of updates and queries (Opera); the "
    "appendix on updates of vertices. Figure 15 has no results yet.",
    (
        Experiment(
            "figure 1", "time of every batch, as the graph grows",
            "LPMA is ten times as fast as GPMA+ on average. Its worst batch takes 15 times the mean, that of GPMA+ 20 "
            "times.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=BATCHES, summary=churn), rows=("graph", "x"), axis="batch", curve=True,
            systems=only("gpma", "lpma"),
            checks=(
                Check("LPMA's mean is lower than GPMA+'s", "about 10", MINE, GPMA, {"quantity": "mean"}),
                Check("LPMA's worst batch is faster than GPMA+'s", "", MINE, GPMA, {"quantity": "worst"}),
                Check(
                    "LPMA's worst batch is at most 15 times its mean", "up to 15", MINE,
                    where={"quantity": "worst over mean"}, most=15.0,
                ),
            ),
        ),
        Experiment(
            "figure 8", "batches at which the array grows",
            "When the array grows, LPMA (bottom-up) is 37 - 69 times as fast as GPMA+ for batches of 10^4, and 27 - "
            "46 times for 10^5, since it rebalances only where entries arrive: more than 80 % of the rebalancing is "
            "saved.",
            f"{STREAM}. Only batches at which the array grew count.",
            SHAPES, partial(growth, sizes=BATCHES, summary=at_growth), rows=("graph", "x"), axis="batch",
            systems=(*only("gpma"), BOTTOM_UP),
            checks=(
                Check(
                    "LPMA is faster than GPMA+ when the array grows", "27 - 69", {"system": BOTTOM_UP.label}, GPMA,
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
            "Bottom-up is fast at low density and has latency spikes of up to 83 times at high density; top-down is "
            "flat; the hybrid follows the better of the two.",
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
            "figure 10", "mean time by strategy, and rebalancing saved",
            "The hybrid is 1.4 times as fast as bottom-up and 2 times as fast as top-down for batches of 10^4, and 2.5 "
            "times as fast as bottom-up for 10^5. Top-down saves 21 - 27 % of the rebalancing at 10^4 and 33 - 37 % at "
            "10^5, the hybrid 15 - 20 % and 24 - 29 %.",
            f"{STREAM}. Here both strategies first find all windows and then move each entry at most once; the moves "
            "saved are those that rounds from level to level would have repeated. Top-down has no such rounds, so that "
            "its share is 0 by construction, and in the hybrid only bottom-up batches count.",
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
                    "top-down saves a fifth of the moves or more", "21 - 37", {"system": TOP_DOWN.label},
                    where={"quantity": "moves spared"}, least=20.0, decided_by=ONE_MOVE,
                ),
                Check(
                    "the hybrid saves a seventh of the moves or more", "15 - 29", MINE,
                    where={"quantity": "moves spared"}, least=15.0, decided_by="0 by construction in top-down batches",
                ),
            ),
        ),
        Experiment(
            "figure 11", "rate by batch size",
            "Batches ten times as large give 5 - 9 times the rate, from 10^3 to 10^6 edges.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=(10**3, 10**4, 10**5, 10**6), summary=mean_rate), rows=("graph", "x"),
            axis="batch", systems=only("lpma"),
            checks=tuple(
                Check(
                    f"batches of 10^{power} give at least 5 times the rate of 10^{power - 1}", "5 - 9",
                    {"x": 10**power}, {"x": 10 ** (power - 1)}, least=5.0,
                )
                for power in (4, 5, 6)
            ),
        ),
        Experiment(
            "figure 12", "transfer to the device",
            "The transfer to the device and the synchronization take 22 - 38 % of an update.",
            "Random batches in host memory, compared with the same batches in device memory.",
            SHAPES, partial(transfer, sizes=BATCHES), rows=("graph", "x"), axis="batch", gpu_only=True,
            checks=(Check("the transfer takes 22 - 38 % of the time", "22 - 38", MINE, least=22.0, most=38.0),),
        ),
        Experiment(
            "figure 13", "mean time of all batches",
            "LPMA is 6 - 20 times as fast as GPMA+; 1.3 - 1.7 times as fast as faimGraph on graphs of uneven degree, "
            "and slower on roads; slower than Hornet at 10^4 and faster at 10^5; the hash graph is the fastest.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=BATCHES, summary=mean_time), rows=("graph", "x"), axis="batch",
            checks=(
                Check("LPMA is faster than GPMA+", "6 - 20", MINE, GPMA),
                Check(
                    "on a scale-free graph LPMA is faster than faimGraph", "1.3 - 1.7", MINE, FAIMGRAPH,
                    {"graph": "scale-free"},
                ),
                Check(
                    "on a dense graph LPMA is faster than faimGraph", "1.3 - 1.7", MINE, FAIMGRAPH, {"graph": "dense"},
                ),
                Check(
                    "on roads LPMA is slower than faimGraph", "0.6 - 0.9", MINE, FAIMGRAPH, {"graph": "road"},
                    least=0.0, most=1.0,
                ),
                Check(
                    "LPMA is slower than Hornet at 10^4", "", {**MINE, "x": 10**4}, {**HORNET, "x": 10**4}, least=0.0,
                    most=1.0,
                ),
                Check("LPMA is faster than Hornet at 10^5", "", {**MINE, "x": 10**5}, {**HORNET, "x": 10**5}),
                Check("LPMA is slower than the hash graph", "", MINE, SLAB, least=0.0, most=1.0),
            ),
        ),
        Experiment(
            "figure 14", "conversion to CSR",
            "GPMA+ and LPMA, whose entries are sorted, are converted 7 - 30 times as fast as Hornet, and 1.5 times as "
            "fast as faimGraph except on roads.",
            "`to_csr`, a sorted copy. It compacts the packed memory arrays and sorts the arcs of all other structures, "
            "also of Hornet, whose lists are sorted here, and of faimGraph, whose lists are sorted in the paper.",
            ("scale-free", "dense", "mesh", "road"), export, 
            checks=_compared("conversion", "7 - 30", "1.5", "", decided_by="a copy against a sort"),
        ),
        Experiment(
            "figure 15", "conversion to CSR, sorted and not",
            "An unsorted copy of the hash graph is the fastest. Sorted copies of LPMA are 3 - 8.5 times as fast, and "
            "11 - 20 times where the host sorts the hash graph's.",
            "Copies with lists unsorted, sorted by the device, and sorted by the host and transferred back.",
            ("scale-free", "dense", "mesh", "road"), exports, systems=only("lpma", "slab"),
            checks=(
                Check(
                    "unsorted, the hash graph is copied faster", "", SLAB, MINE, {"quantity": "as it lies"},
                ),
                Check("sorted, LPMA is copied faster", "3 - 8.5", MINE, SLAB, {"quantity": "sorted"}),
                Check(
                    "LPMA is copied faster than the host sorts the hash graph", "11 - 20",
                    {**MINE, "quantity": "sorted"}, {**SLAB, "quantity": "sorted on the host"},
                ),
            ),
        ),
        Experiment(
            "figure 17", "edge and neighbor queries",
            "Edge queries: LPMA is 6 - 12 times as fast as faimGraph and 5 times as fast as Hornet; the hash graph is "
            "10 times as fast as LPMA. Sorted neighbors: LPMA is 1.2 - 1.5 times as fast as faimGraph, 3 times as "
            "fast as Hornet, and 5 - 10 times as fast as the hash graph.",
            "Edges, half of which are present, and random vertices. Sorted neighbors are sorted by the engine, whether "
            "a structure's lists are sorted or not.",
            SHAPES, partial(queries, sizes=BATCHES), rows=("graph", "x"), axis="queries",
            checks=(
                Check("LPMA finds edges faster than faimGraph", "6 - 12", MINE, FAIMGRAPH, {"quantity": "edge"}),
                Check("LPMA finds edges faster than Hornet", "5", MINE, HORNET, {"quantity": "edge"}),
                Check("the hash graph finds edges faster than LPMA", "10", SLAB, MINE, {"quantity": "edge"}),
                *_compared(
                    "a query for sorted neighbors", "3", "1.2 - 1.5", "5 - 10", quantity="sorted neighbors",
                    decided_by="sorted by the engine",
                ),
            ),
        ),
        Experiment(
            "figure 18", "triangle counting",
            "LPMA is 2.4 - 5 times as fast as Hornet and 4 - 7 times as fast as the hash graph, since its lists are "
            "sorted.",
            "`triangle_count`, which counts in an oriented snapshot, whatever the structure.",
            SHAPES, triangles,
            checks=_compared("triangle counting", "2.4 - 5", "", "4 - 7", decided_by="counted in a snapshot"),
        ),
        Experiment(
            "figure 19", "PageRank",
            "LPMA is 1.1 - 1.3 times as fast as Hornet, 0.9 - 1.1 times as fast as faimGraph, 0.88 - 1.2 times as "
            "fast as the hash graph.",
            "Twenty iterations of `pagerank`, which multiplies in a snapshot, sorted by degree, whatever the "
            "structure.",
            SHAPES, ranks,
            checks=_compared("PageRank", "1.1 - 1.3", "0.9 - 1.1", "0.88 - 1.2", decided_by="multiplied in a snapshot"),
        ),
        Experiment(
            "figure 20", "BFS",
            "LPMA is 1.1 - 1.2 times as fast as Hornet and the hash graph, and 0.9 - 0.92 times as fast as faimGraph.",
            "`bfs` from the vertex with most neighbors.",
            SHAPES, breadth_first, checks=_compared("BFS", "1.1 - 1.2", "0.9 - 0.92", "1.1 - 1.2"),
        ),
    ),
)  # fmt: skip
