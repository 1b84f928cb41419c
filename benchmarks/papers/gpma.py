"""Sha, Li, He, Tan: Accelerating Dynamic Graph Analytics on GPUs. PVLDB 11 (1), 2017. Figures 7 to 12, sections "
"6.2-3."""

from __future__ import annotations

from functools import partial

from .analytics import ANALYTICS, after_each_update, random_changes, window_changes
from .check import Check
from .experiment import EVERY, Earlier, Experiment, Paper, Variant, only
from .inputs import in_csr_order
from .overlap import hidden_transfers
from .parts import over_parts
from .updates import window_shifts

SHAPES = ("scale-free", "dense", "uniform")
BATCHES = (1, 2**4, 2**8, 2**12, 2**16, 2**20)
SHARES = (0.01, 0.1, 1.0)  # percent of the edges, of a shift
LOCKS = Variant("gpma, locks", "gpma", {"method": "lock"})
LAZY = Variant("gpma, lazy", "gpma", {"deletion": "lazy"})
HOSTED = SHAPES[:1]  # the graphs that are also measured on the CPU, which is slow
PMA = Variant("gpma, CPU", "gpma", {"deletion": "lazy"}, on_host=True, shapes=HOSTED)
BLOCKS = Variant("graphvine, CPU", "graphvine", on_host=True, shapes=HOSTED)
CPU = (PMA, BLOCKS)

MINE, CSR = {"system": "gpma"}, {"system": "csr"}
WINDOWED = {"system": LAZY.label}
WINDOW = "A window over half the edges in random order slides by 0.01, 0.1 and 1 % of them"
NEAR_CSR = 1 / 1.5
HIDDEN = 1 / 1.05


def _streaming(
    number: str, title: str, analytic: str, claim: str, how: str, *more: Check, why: str = "",
    earlier: Earlier | None = None,
) -> Experiment:  # fmt: skip
    """An analytic after each shift of a window."""
    return Experiment(
        number, title, claim,
        f"{WINDOW}; {how} GPMA+ is judged with lazy deletion, which the paper uses for sliding windows. On the CPU our "
        "GPMA stands for PMA, and GraphVine's lists of blocks for Stinger's; only slides of 1 % are measured there.",
        SHAPES, partial(after_each_update, analytics=(analytic,), shares=SHARES, changes=window_changes),
        rows=("graph", "x"), axis="% of edges", systems=(EVERY, LAZY, *CPU), why=why, earlier=earlier,
        checks=(
            Check("GPMA+ is updated faster than CSR is rebuilt", "", WINDOWED, CSR, {"quantity": "update"}),
            *more,
            Check(
                f"{title} takes at most 1.5 times as long on GPMA+ as on CSR", "about 1", WINDOWED, CSR,
                {"quantity": "analytic"}, least=NEAR_CSR,
            ),
            Check("update and analytic together are faster than with CSR", "", WINDOWED, CSR, {"quantity": "together"}),
            *(
                Check(
                    f"together they are faster than on the CPU, in {name}", "", WINDOWED, {"system": host.label},
                    {"quantity": "together"},
                )
                for name, host in (("a PMA", PMA), ("lists of blocks", BLOCKS))
            ),
        ),
    )  # fmt: skip


GPMA = Paper(
    "gpma",
    "Sha et al., Accelerating Dynamic Graph Analytics on GPUs (PVLDB 2017)",
    "GeForce TITAN X",
    "The paper's Reddit and Pokec are replaced by an R-MAT graph, its Graph500 and random graphs of 200 edges per "
    "vertex by graphs of 64 and 16. Its entries hold a row, a column and a value; ours a column. Its GPMA+ and CSR "
    "rebuild (cuSPARSE) are the authors' programs. Its CPU baselines are a PMA and balanced trees on one thread and "
    "Stinger on 40 cores; here two of our structures on the cores of the machine with the GPU.",
    "AdjLists, the CPU baseline of a balanced tree for each vertex, of which we have no counterpart. Of the sorted "
    "streams and of explicit random updates the paper gives no figures, and refers to its technical report.",
    (
        Experiment(
            "figure 7", "shift of a window by batch size",
            "GPMA+ is up to 20 times as fast as PMA on a CPU and up to 18 times as fast as GPMA, whose lock conflicts "
            "increase with the batch size, and faster than rebuilding CSR at every size; GPMA is faster only on the "
            "smallest batches. Stinger, on 40 cores, is often as fast, but not on Graph500.",
            "A window over half the arcs in random order; a shift inserts the batch that arrives and deletes the one "
            "that leaves. On the CPU our GPMA stands for PMA, and GraphVine's lists of blocks for Stinger's.",
            SHAPES, partial(window_shifts, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            systems=(EVERY, LAZY, LOCKS, *CPU),
            checks=(
                Check("GPMA+ is faster than CSR is rebuilt", "", MINE, CSR),
                Check("GPMA+ with lazy deletion is faster than CSR is rebuilt", "", WINDOWED, CSR),
                Check("GPMA+ is faster than GPMA", "up to 18.3", MINE, {"system": LOCKS.label}),
                Check(
                    "GPMA is faster than GPMA+ on single edges", "slightly", {"system": LOCKS.label}, MINE, {"x": 1},
                ),
                Check("GPMA+ is faster than a PMA on the CPU", "up to 20.4", WINDOWED, {"system": PMA.label}),
                Check("GPMA+ is faster than lists of blocks on the CPU", "", WINDOWED, {"system": BLOCKS.label}),
            ),
            why="A round of the lock method takes several kernels, GPMA+ about as many for a whole batch. Small "
            "batches take as long as the launches of these kernels, which a CPU does not have. Our lock method makes "
            "room for a batch before its first round, and rebalances the windows of a round together at its end, so "
            "that there are fewer conflicts than in the paper.",
        ),
        Experiment(
            "section 6.2", "shift of a window over a sorted stream",
            "Sorted streams were tested as extreme cases; their figures are left to the technical report.",
            "As figure 7, with the arcs in the order of their sources and destinations: all arcs that arrive belong "
            "next to each other, and so do those that leave.",
            ("scale-free", "uniform"), partial(window_shifts, sizes=BATCHES, stream=in_csr_order), rows=("x", "graph"),
            axis="batch", systems=(*only("csr", "gpma"), LAZY, LOCKS),
            checks=(
                Check("GPMA+ is faster than CSR is rebuilt", "", MINE, CSR),
                Check("GPMA+ with lazy deletion is faster than CSR is rebuilt", "", WINDOWED, CSR),
                Check("GPMA+ is faster than GPMA", "", MINE, {"system": LOCKS.label}),
            ),
            why="Arcs that arrive next to each other fill the same leaves: locks conflict, and windows that are "
            "rebalanced are large.",
        ),
        _streaming(
            "figure 8", "BFS", "bfs",
            "BFS is nearly as fast on GPMA+ as on CSR, whose rebuild takes most of the time; so GPMA+ is faster in "
            "total. CPUs take far longer.",
            "`bfs` from an endpoint of a random edge after each slide.",
        ),
        _streaming(
            "figure 9", "components", "components",
            "The same for connected components; gaps slow the analytic a little on Reddit and Pokec.",
            "`connected_components` after each slide.",
        ),
        _streaming(
            "figure 10", "PageRank", "pagerank",
            "PageRank takes longer than any update, so that GPMA+ wins by less, but on every graph.",
            "`pagerank` from the previous ranks, until the ranks change by less than 0.001 in total (L1), from the "
            "lists as each structure stores them.",
            Check(
                "PageRank takes longer than an update of GPMA+", "", {**WINDOWED, "quantity": "update"},
                {**WINDOWED, "quantity": "analytic"},
            ),
            Check(
                "PageRank takes longer than a rebuild of CSR", "", {**CSR, "quantity": "update"},
                {**CSR, "quantity": "analytic"},
            ),
            earlier=Earlier("2026-11-23", "multiplied in a snapshot", quantities=("analytic", "together")),
            why="A slide changes few ranks by much, so that a few iterations from the previous ranks suffice. A "
            "rebuild of CSR sorts all arcs.",
        ),
        Experiment(
            "section 6.3", "explicit random insertions and deletions",
            "All applications were also tested with explicit random insertions and deletions; the results are similar "
            "to those of sliding windows.",
            "Random pairs of vertices, 1 % of the edges, are inserted into a graph of half the edges, then as many "
            "random edges of it are deleted; after that the analytics of figures 8 to 10. GPMA+ is judged with eager "
            "deletion: nothing is known of what will be deleted next.",
            ("scale-free", "uniform"),
            partial(after_each_update, analytics=tuple(ANALYTICS), shares=SHARES[-1:], changes=random_changes),
            rows=("graph", "x"), axis="% of edges", systems=(*only("csr", "gpma"), LAZY),
            checks=tuple(
                check for analytic in ANALYTICS for check in (
                    Check(
                        f"{analytic}: GPMA+ is updated faster than CSR is rebuilt", "", MINE, CSR,
                        {"quantity": f"{analytic}, update"},
                    ),
                    Check(
                        f"{analytic}: at most 1.5 times as long on GPMA+ as on CSR", "", MINE, CSR,
                        {"quantity": f"{analytic}, analytic"}, least=NEAR_CSR,
                    ),
                    Check(
                        f"{analytic}: update and analytic together are faster than with CSR", "", MINE, CSR,
                        {"quantity": f"{analytic}, together"},
                    ),
                )
            ),
        ),
        Experiment(
            "figure 11", "transfers hidden by concurrent streams",
            "Sending updates is overlapped by updates of GPMA+, and fetching the distances by BFS: transfers are "
            "completely hidden, with any batch size.",
            f"{WINDOW}; `bfs` after each slide, and its distances are brought to the host. Batches lie in pinned "
            "memory. They are sent and applied one after another, or by `Pipeline`, with streams of its own. The "
            "share that is hidden is what the overlapped run does not take longer than one whose batches lie on the "
            "device and whose distances stay there, of the time of the transfers alone.",
            ("scale-free", "uniform"), partial(hidden_transfers, shares=SHARES), rows=("graph", "x"), axis="% of edges",
            systems=(LAZY,),
            checks=(
                Check(
                    "at least 90 % of the transfers are hidden", "all of it", WINDOWED, where={"quantity": "hidden"},
                    least=90.0,
                ),
                Check(
                    "overlapped is as fast as without transfers, within 5 %", "",
                    {**WINDOWED, "quantity": "overlapped"}, {**WINDOWED, "quantity": "on the device"}, least=HIDDEN,
                ),
                Check(
                    "overlapped is faster than one after another", "", {**WINDOWED, "quantity": "overlapped"},
                    {**WINDOWED, "quantity": "one after another"},
                ),
            ),
            why="The pipeline's threads cost some time of the host for every batch, which shows where batches are "
            "small and a slide takes less than a millisecond.",
        ),
        Experiment(
            "figure 12", "several GPUs",
            "With 2 and 3 GPUs the throughput of updates and PageRank improves significantly; for BFS and components "
            "it is a tradeoff between more computing power and more communication. Graphs have 600, 1,200 and 1,800 "
            "million edges.",
            "GPMA+ in parts, one on each GPU, by number of parts; R-MAT graphs of one, two and three times the edges; "
            "batches of 1 %. The graphs are far smaller than the paper's, and fit each GPU. The benchmark "
            "`distributed` makes the same measurement, and its results count here, too.",
            ("scale-free",), over_parts, rows=("graph", "x"), axis="parts", systems=only("gpma"),
            checks=tuple(
                Check(text, "", {**MINE, "x": 2}, {**MINE, "x": 1}, {"quantity": quantity})
                for quantity, text in (
                    ("update", "updates are faster on two GPUs than on one"),
                    ("PageRank", "PageRank is faster on two GPUs than on one"),
                )
            ),
            why="Each iteration waits for an exchange between the GPUs, whose latency does not shrink with the graph, "
            "and these graphs are small for several GPUs.",
        ),
    ),
)  # fmt: skip
