"""Zou, Zhang, Lin, Yu: An Efficient Data Structure for Dynamic Graph on GPUs. TKDE 2023. Figures 1, 6, 8 to 20."""

from __future__ import annotations

from functools import partial

from .analytics import breadth_first, export, exports, queries, ranks, triangles
from .check import Check
from .experiment import Earlier, Experiment, Paper, Variant, only
from .growth import at_growth, by_density, churn, growth, mean_rate, mean_time, redundancy, transfer
from .mixed import mixed_batches

SHAPES = ("scale-free", "dense", "road")
BATCHES = (10**4, 10**5)
BOTTOM_UP = Variant("lpma, bottom-up", "lpma", {"strategy": "bottom-up"})
TOP_DOWN = Variant("lpma, top-down", "lpma", {"strategy": "top-down"})
FULL = {"root_density": (0.4, 0.95), "leaf_density": (0.08, 1.0)}
FULL_BOTTOM_UP = Variant("lpma, bottom-up", "lpma", {"strategy": "bottom-up", **FULL})
FULL_TOP_DOWN = Variant("lpma, top-down", "lpma", {"strategy": "top-down", **FULL})
STRATEGIES = (*only("lpma"), BOTTOM_UP, TOP_DOWN)

MINE, GPMA, HORNET = {"system": "lpma"}, {"system": "gpma"}, {"system": "hornet"}
FAIMGRAPH, SLAB = {"system": "faimgraph"}, {"system": "slab"}
STREAM = "The arcs of each graph arrive in random order, in a fixed number of batches, and the graph grows eightfold"
ONE_MOVE = "0 by construction"


def _compared(what: str, hornet: str, faimgraph: str, slab: str, **where: str) -> tuple[Check, ...]:
    """LPMA compared with the other three."""
    return tuple(
        Check(f"{what} on LPMA is faster than on {name}", paper, MINE, other, where)
        for name, paper, other in (
            ("Hornet", hornet, HORNET), ("faimGraph", faimgraph, FAIMGRAPH), ("the hash graph", slab, SLAB)
        )
    )  # fmt: skip


LPMA = Paper(
    "lpma",
    "Zou et al., An Efficient Data Structure for Dynamic Graph on GPUs (TKDE 2023)",
    "Tesla P100",
    "The paper compares with the authors' programs; its faimGraph keeps its lists sorted, ours does not, and its "
    "Hornet's lists are unsorted, where ours are sorted. Its arrays grow at density 1, ours at 0.8, except in figure "
    "6. Its graphs are real and up to four times larger.",
    "the appendix on updates of vertices.",
    (
        Experiment(
            "figure 1", "time of every batch, as the graph grows",
            "LPMA is ten times as fast as GPMA+ on average. Its worst batch takes 15 times the mean, that of GPMA+ 20 "
            "times.",
            f"{STREAM}.",
            SHAPES, partial(growth, sizes=BATCHES, summary=churn), rows=("graph", "x"), axis="batch",
            systems=only("gpma", "lpma"),
            checks=(
                Check("LPMA's mean is lower than GPMA+'s", "about 10", MINE, GPMA, {"quantity": "mean"}),
                Check("LPMA's worst batch is faster than GPMA+'s", "", MINE, GPMA, {"quantity": "worst"}),
                Check(
                    "LPMA's worst batch is at most 15 times its mean", "up to 15", MINE,
                    where={"quantity": "worst over mean"}, most=15.0,
                ),
            ),
            why="The paper's GPMA+ allocates a new array and redistributes all arcs when it grows, and moves entries "
            "again at each level. Ours finds all windows in one kernel and moves each entry once, also when it grows. "
            "What LPMA saves there is then little more than what its address mapping costs in every look-up and move.",
        ),
        Experiment(
            "figure 6", "latency by density, bottom-up and top-down",
            "At low density bottom-up is faster; when the density reaches a certain point, top-down starts to be.",
            f"{STREAM}. Its array may be filled to a density of 0.95 before it grows. Batches are put in the row of "
            "the array's density before them, in steps of 0.1; the table has their median time. Batches at which the "
            "array grew are left out.",
            ("scale-free",), partial(growth, sizes=BATCHES[:1], summary=by_density), rows=("x",), axis="density",
            systems=(FULL_BOTTOM_UP, FULL_TOP_DOWN),
            checks=(
                *(
                    Check(
                        f"at a density of {low:g} to {low + 0.1:g} bottom-up is faster", "",
                        {"system": FULL_BOTTOM_UP.label, "x": low}, {"system": FULL_TOP_DOWN.label, "x": low},
                    )
                    for low in (0.5, 0.6)
                ),
                *(
                    Check(
                        f"at a density of {low:g} to {low + 0.1:g} top-down is faster", "",
                        {"system": FULL_TOP_DOWN.label, "x": low}, {"system": FULL_BOTTOM_UP.label, "x": low},
                    )
                    for low in (0.8, 0.9)
                ),
            ),
            why="Both ways find all windows before anything moves, and move each entry at most once, so that redundant "
            "moves, by which bottom-up falls behind in the paper, do not occur (figure 10).",
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
            why="As in figure 1: leaves that are not moved are saved as in the paper, except where a batch touches "
            "most leaves of a small graph, but moving them is fast.",
        ),
        Experiment(
            "figure 9", "time of every batch, by strategy",
            "Bottom-up is fast at low density and has latency spikes of up to 83 times at high density; top-down is "
            "flat; the hybrid follows the better of the two.",
            f"{STREAM}.",
            ("scale-free",), partial(growth, sizes=BATCHES, summary=churn), rows=("graph", "x"), axis="batch",
            systems=STRATEGIES,
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
            why="All strategies find all windows first and move every entry at most once (figure 10), also where "
            "windows are large.",
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
            why="Neither strategy moves an entry twice, so that there is less to save than in the paper. The paper's "
            "arrays are also fuller when they grow.",
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
            why="Small batches are bound by launches, which take the same time for ten times the edges; the largest by "
            "their work.",
        ),
        Experiment(
            "figure 12", "transfer to the device",
            "The transfer to the device and the synchronization take 22 - 38 % of an update.",
            "Random batches in host memory, compared with the same batches in device memory.",
            SHAPES, partial(transfer, sizes=BATCHES), rows=("graph", "x"), axis="batch", gpu_only=True,
            checks=(Check("the transfer takes 22 - 38 % of the time", "22 - 38", MINE, least=22.0, most=38.0),),
            why="The link between the host and the GPU is not the paper's. (`Pipeline` hides transfers: see figure "
            "11 of Sha et al.)",
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
            why="For GPMA+ see figure 1. Batches of these sizes are bound by launches. Hornet's batches that open "
            "block-arrays (figure 5 of Busato et al.) take longer than others, and so do those of the hash graph that "
            "rehash tables or enlarge the pool, which counts in the mean.",
        ),
        Experiment(
            "figure 14", "conversion to CSR",
            "GPMA+ and LPMA, whose entries are sorted, are converted 7 - 30 times as fast as Hornet, and 1.5 times as "
            "fast as faimGraph except on roads.",
            "`to_csr`, a sorted copy. It copies the lists of structures that keep them sorted, as the packed memory "
            "arrays and our Hornet do, and sorts all arcs of the others, faimGraph among them.",
            ("scale-free", "dense", "mesh", "road"), export, checks=_compared("conversion", "7 - 30", "1.5", ""),
            earlier=Earlier("2026-11-23", "lists of Hornet were sorted again"),
            why="Our Hornet's lists are sorted, so that they are copied as those of LPMA are; our faimGraph's are not, "
            "so that they are sorted, in one sort of all arcs.",
        ),
        Experiment(
            "figure 15", "conversion to CSR, sorted and not",
            "An unsorted copy of the hash graph is the fastest. Sorted copies of LPMA are 3 - 8.5 times as fast, and "
            "11 - 20 times where the host sorts the hash graph's.",
            "Copies with lists unsorted, sorted by the device, and sorted by the host and transferred back, of graphs "
            "with a quarter of the vertices.",
            ("scale-free", "dense", "mesh", "road"), exports, systems=only("lpma", "slab"),
            smaller=2, earlier=Earlier("2026-11-23", ""),
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
            "figure 16", "mixed batches of updates and queries",
            "With Opera, batches of 10^4 operations are 2 - 6 times as fast as if runs of updates and queries were "
            "processed one after another, and those of 10^5 4 - 11 times. 3 % of the operations are queries.",
            "Insertions into a graph of half the arcs, and 3 % queries at random places among them, half of them for "
            "edges and half for the sorted neighbors of a vertex. `graph.apply` answers all of them as if each "
            "operation had run in its order; without it, each run of operations of one kind is a call.",
            SHAPES, partial(mixed_batches, sizes=BATCHES), rows=("graph", "x"), axis="operations", systems=only("lpma"),
            checks=tuple(
                Check(
                    f"a batch of {text} is faster with Opera", paper, {**MINE, "x": size, "quantity": "Opera"},
                    {**MINE, "x": size, "quantity": "one group after another"},
                )
                for size, text, paper in ((10**4, "10^4", "2 - 6"), (10**5, "10^5", "4 - 11"))
            ),
            why="A run has about 30 operations, and its call takes as long as the launches of its kernels: with ten "
            "times the operations there are ten times as many runs. Opera launches as many kernels for a batch of any "
            "size.",
        ),
        Experiment(
            "figure 17", "edge and neighbor queries",
            "Edge queries: LPMA is 6 - 12 times as fast as faimGraph and 5 times as fast as Hornet; the hash graph is "
            "10 times as fast as LPMA. Sorted neighbors: LPMA is 1.2 - 1.5 times as fast as faimGraph, 3 times as "
            "fast as Hornet, and 5 - 10 times as fast as the hash graph.",
            "Edges, half of which are present, and random vertices. The neighbors are sorted afterwards where a "
            "structure's lists are not.",
            SHAPES, partial(queries, sizes=BATCHES), rows=("graph", "x"), axis="queries",
            earlier=Earlier("2026-11-23", "lists of all structures were sorted", quantities=("sorted neighbors",)),
            checks=(
                Check("LPMA finds edges faster than faimGraph", "6 - 12", MINE, FAIMGRAPH, {"quantity": "edge"}),
                Check("LPMA finds edges faster than Hornet", "5", MINE, HORNET, {"quantity": "edge"}),
                Check("the hash graph finds edges faster than LPMA", "10", SLAB, MINE, {"quantity": "edge"}),
                *_compared("a query for sorted neighbors", "3", "1.2 - 1.5", "5 - 10", quantity="sorted neighbors"),
            ),
            why="In the hash graph, Hornet and LPMA so few edge queries take as long as their launches. faimGraph's "
            "lists are unsorted and are walked. Our Hornet's lists are sorted, so that its neighbors are not sorted "
            "again.",
        ),
        Experiment(
            "figure 18", "triangle counting",
            "LPMA is 2.4 - 5 times as fast as Hornet and 4 - 7 times as fast as the hash graph, since its lists are "
            "sorted.",
            "`fr.intersect` of the ends of every edge: queries for the members of the shorter list in the longer, in "
            "the structure's own way. The graphs have a quarter of the vertices.",
            SHAPES, triangles, smaller=2, earlier=Earlier("2026-11-23", "counted in a snapshot"),
            checks=_compared("triangle counting", "2.4 - 5", "", "4 - 7"),
            why="A query is a binary search in LPMA and Hornet, whose lists are sorted here, reads a slab or two in "
            "the hash graph, and walks the list in faimGraph, whose lists are sorted in the paper and not here.",
        ),
        Experiment(
            "figure 19", "PageRank",
            "LPMA is 1.1 - 1.3 times as fast as Hornet, 0.9 - 1.1 times as fast as faimGraph, 0.88 - 1.2 times as "
            "fast as the hash graph.",
            "Twenty iterations of `pagerank`, from the lists as each structure stores them.",
            SHAPES, ranks, checks=_compared("PageRank", "1.1 - 1.3", "0.9 - 1.1", "0.88 - 1.2"),
            earlier=Earlier("2026-11-23", "multiplied in a snapshot"),
            why="The engine shares pieces of lists out evenly, whatever the structure.",
        ),
        Experiment(
            "figure 20", "BFS",
            "LPMA is 1.1 - 1.2 times as fast as Hornet and the hash graph, and 0.9 - 0.92 times as fast as faimGraph.",
            "`bfs` from the vertex with most neighbors.",
            SHAPES, breadth_first, checks=_compared("BFS", "1.1 - 1.2", "0.9 - 0.92", "1.1 - 1.2"),
            why="The engine balances load over segments for every structure, which leaves little of what distinguishes "
            "layouts.",
        ),
    ),
)  # fmt: skip
