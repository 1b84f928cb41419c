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


def _streaming(number: str, title: str, analytic: str, claim: str, how: str, *more: Check) -> Experiment:
    """An analytic after each shift of a window."""
    return Experiment(
        number, title, claim, f"{WINDOW}; {how} GPMA+ is judged with lazy deletion, as the paper's deletes in windows.",
        SHAPES, partial(after_each_shift, analytic=analytic, shares=SHARES),
        rows=("graph", "x"), axis="% of edges", systems=(EVERY, LAZY),
        checks=(
            Check("GPMA+ is updated faster than CSR is rebuilt", "", WINDOWED, CSR, {"quantity": "update"}),
            *more,
            Check(
                f"{title} takes at most 1.5 times as long on GPMA+ as on CSR", "about 1", WINDOWED, CSR,
                {"quantity": "analytic"}, least=NEAR_CSR,
            ),
            Check("both together are faster than with CSR", "", WINDOWED, CSR, {"quantity": "together"}),
        ),
    )  # fmt: skip


GPMA = Paper(
    "gpma",
    "Sha et al., Accelerating Dynamic Graph Analytics on GPUs (PVLDB 2017)",
    "GeForce TITAN X",
    (
        Experiment(
            "figure 7", "shift of a window by batch size",
            "GPMA+ is up to 18 times as fast as GPMA, whose locks meet more often as batches grow, and faster than "
            "rebuilding CSR at every size; GPMA is faster only on the smallest batches.",
            "A window over half the arcs in random order; a shift inserts the batch that arrives and deletes the one "
            "that leaves.",
            SHAPES, partial(window_shifts, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            systems=(EVERY, LAZY, LOCKS),
            checks=(
                Check("GPMA+ is faster than CSR is rebuilt", "", MINE, CSR),
                Check("GPMA+ with lazy deletion is faster than CSR is rebuilt", "", WINDOWED, CSR),
                Check("GPMA+ is faster than GPMA", "up to 18.3", MINE, {"system": LOCKS.label}),
                Check(
                    "GPMA is the faster of both on single edges", "slightly", {"system": LOCKS.label}, MINE, {"x": 1},
                ),
            ),
        ),
        _streaming(
            "figure 8", "BFS", "bfs",
            "BFS is nearly as fast on GPMA+ as on CSR, whose rebuild takes most of the time; so GPMA+ is faster in "
            "all.",
            "`bfs` from an end of a random edge after each.",
        ),
        _streaming(
            "figure 9", "components", "components",
            "The same for connected components; gaps slow the analytic a little on Reddit and Pokec.",
            "`connected_components` after each.",
        ),
        _streaming(
            "figure 10", "PageRank", "pagerank",
            "PageRank takes more than any update, so that GPMA+ wins by less, but on every graph.",
            "`pagerank` from the ranks before, until a step changes them by less than 0.001 in all.",
            Check(
                "PageRank takes longer than an update of GPMA+", "", {**WINDOWED, "quantity": "update"},
                {**WINDOWED, "quantity": "analytic"},
            ),
            Check(
                "PageRank takes longer than a rebuild of CSR", "", {**CSR, "quantity": "update"},
                {**CSR, "quantity": "analytic"},
            ),
        ),
    ),
)  # fmt: skip
