"""Sha, Li, He, Tan: Accelerating Dynamic Graph Analytics on GPUs. PVLDB 11 (1), 2017. Figures 7 to 10."""

from __future__ import annotations

from functools import partial

from .analytics import after_each_shift
from .check import Check
from .experiment import EVERY, Experiment, Paper, Variant
from .updates import window_shifts

SHAPES = ("scale-free", "dense", "uniform")
BATCHES = (1, 2**4, 2**8, 2**12, 2**16, 2**20)
SHARES = (0.01, 0.1, 1.0)  # percent of the edges, of a shift
LOCKS = Variant("gpma, locks", "gpma", {"method": "lock"})
LAZY = Variant("gpma, lazy", "gpma", {"deletion": "lazy"})

MINE, CSR = {"system": "gpma"}, {"system": "csr"}
WINDOWED = {"system": LAZY.label}
WINDOW = "A window over half the edges in random order slides by 0.01, 0.1 and 1 % of them"
NEAR_CSR = 1 / 1.5


def _streaming(
    number: str, title: str, analytic: str, claim: str, how: str, *more: Check, decided_by: str = ""
) -> Experiment:
    """An analytic after each shift of a window."""
    return Experiment(
        number, title, claim,
        f"{WINDOW}; {how} GPMA+ is judged with lazy deletion, which the paper uses for sliding windows.",
        SHAPES, partial(after_each_shift, analytic=analytic, shares=SHARES),
        rows=("graph", "x"), axis="% of edges", systems=(EVERY, LAZY),
        checks=(
            Check("GPMA+ is updated faster than CSR is rebuilt", "", WINDOWED, CSR, {"quantity": "update"}),
            *more,
            Check(
                f"{title} takes at most 1.5 times as long on GPMA+ as on CSR", "about 1", WINDOWED, CSR,
                {"quantity": "analytic"}, least=NEAR_CSR, decided_by=decided_by,
            ),
            Check("update and analytic together are faster than with CSR", "", WINDOWED, CSR, {"quantity": "together"}),
        ),
    )  # fmt: skip


GPMA = Paper(
    "gpma",
    "Sha et al., Accelerating Dynamic Graph Analytics on GPUs (PVLDB 2017)",
    "GeForce TITAN X",
    "The paper's Reddit and Pokec are replaced by an R-MAT graph, its Graph500 and random graphs of 200 edges per "
    "vertex by graphs of 64 and 16. Its GPMA+ and CSR rebuild (cuSPARSE) are the authors' programs.",
    "the CPU baselines in figures 7 to 10 (AdjLists, PMA, Stinger); figure 11, transfers hidden by concurrent "
    "streams; figure 12, several GPUs; the sorted streams and explicit random insertions and deletions, for which the "
    "paper refers to its technical report.",
    (
        Experiment(
            "figure 7", "shift of a window by batch size",
            "GPMA+ is up to 18 times as fast as GPMA, whose lock conflicts increase with the batch size, and faster "
            "than rebuilding CSR at every size; GPMA is faster only on the smallest batches.",
            "A window over half the arcs in random order; a shift inserts the batch that arrives and deletes the one "
            "that leaves.",
            SHAPES, partial(window_shifts, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            systems=(EVERY, LAZY, LOCKS),
            checks=(
                Check("GPMA+ is faster than CSR is rebuilt", "", MINE, CSR),
                Check("GPMA+ with lazy deletion is faster than CSR is rebuilt", "", WINDOWED, CSR),
                Check("GPMA+ is faster than GPMA", "up to 18.3", MINE, {"system": LOCKS.label}),
                Check(
                    "GPMA is faster than GPMA+ on single edges", "slightly", {"system": LOCKS.label}, MINE, {"x": 1},
                ),
            ),
        ),
        _streaming(
            "figure 8", "BFS", "bfs",
            "BFS is nearly as fast on GPMA+ as on CSR, whose rebuild takes most of the time; so GPMA+ is faster in "
            "total.",
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
            "`pagerank` from the previous ranks, until the ranks change by less than 0.001 in total (L1). It "
            "multiplies in a snapshot, sorted by degree, which is the same whatever the structure; making it is part "
            "of the time.",
            Check(
                "PageRank takes longer than an update of GPMA+", "", {**WINDOWED, "quantity": "update"},
                {**WINDOWED, "quantity": "analytic"},
            ),
            Check(
                "PageRank takes longer than a rebuild of CSR", "", {**CSR, "quantity": "update"},
                {**CSR, "quantity": "analytic"},
            ),
            decided_by="multiplied in a snapshot",
        ),
    ),
)  # fmt: skip
