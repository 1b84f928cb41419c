"""Busato, Green, Bombieri, Bader: Hornet. HPEC 2018. Figures 4 to 9."""

from __future__ import annotations

from functools import partial

from .analytics import block_utilisation, breadth_first, memory_over_csr, sparse_product, truss_by_deletion
from .check import Check
from .experiment import Earlier, Experiment, Paper, Variant, only
from .updates import insertion

SHAPES = ("road", "mesh", "solid", "scale-free", "dense")
UPDATED = ("solid", "dense", "scale-free", "road")
BATCHES = (1, 10**2, 10**4, 10**5, 10**6, 10**7)
BLOCK_ARRAYS = (2**16, 2**19, 2**22)
LARGE_ARRAYS = Variant("hornet, block-arrays of 2^22", "hornet", {"block_array_size": 2**22})

MINE, CSR = {"system": "hornet"}, {"system": "csr"}
LARGE, AIM = {"system": LARGE_ARRAYS.label}, {"system": "faimgraph"}
LARGEST = {"x": BATCHES[-1]}

HORNET = Paper(
    "hornet",
    "Busato et al., Hornet (HPEC 2018)",
    "Tesla P100",
    "The paper configures Hornet with blocks of at least 8 edges in block-arrays of 2^21 for figure 5, and of at "
    "least 256 in block-arrays of 2^22 for figure 6; here blocks hold one edge or more, in block-arrays of 2^16 at "
    "scale 20, and of 2^22 in a column of figure 6. Its competitors cuSTINGER, AIM, DCSR and Gunrock are not part of "
    "this benchmark.",
    "the comparisons with these competitors: memory of cuSTINGER and AIM in figure 4, rates of cuSTINGER in "
    "figure 5, Gunrock's BFS in figure 7, DCSR's SpMV in figure 8.",
    (
        Experiment(
            "figure 4a", "utilization of blocks and block-arrays",
            "Blocks, whose capacity is a power of two, are utilized to about 70 - 80 % (1.4 times the edges are "
            "allocated). Larger block-arrays are utilized less, especially in small graphs.",
            "`Hornet.statistics` of each graph, by the size of block-arrays (which shrinks with the graphs).",
            SHAPES, partial(block_utilisation, sizes=BLOCK_ARRAYS), rows=("graph", "x"), axis="edges in a block-array",
            systems=only("hornet"),
            checks=(
                Check(
                    "blocks are utilized to 70 % or more", "78 (dblp-2010)", MINE, where={"quantity": "in blocks"},
                    least=70.0,
                ),
                Check(
                    "blocks are utilized to at least half, as the design guarantees", "50", MINE,
                    where={"quantity": "in blocks"}, least=50.0,
                ),
            ),
            why="What is lost is the distance from a degree to the next power of two: large where most lists have 18 "
            "neighbors in blocks of 32, small where most have 2, or 6 in blocks of 8.",
        ),
        Experiment(
            "figure 4b", "memory compared with CSR",
            "Hornet's memory efficiency is almost twice cuSTINGER's and, properly configured, better than that of a "
            "list of arcs (COO).",
            "Memory efficiency: the bytes of CSR's arrays over the bytes in use, so that CSR's arrays are 100 %. A "
            "list of arcs is two ids per arc.",
            SHAPES, memory_over_csr,
            checks=(
                Check(
                    "Hornet takes less than a list of arcs", "", {**MINE, "quantity": "in use"},
                    {**MINE, "quantity": "list of arcs"},
                ),
            ),
            why="The record of a vertex takes 16 bytes, which counts where vertices have few neighbors.",
        ),
        Experiment(
            "figure 5", "insertion by batch size",
            "Batches of up to 10^4 edges are inserted slower than by cuSTINGER, larger ones faster; the rate grows "
            "with the batch.",
            "All structures, and CSR rebuilt, in place of cuSTINGER.",
            UPDATED, partial(insertion, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            checks=(Check("Hornet inserts faster than CSR is rebuilt", "", MINE, CSR),),
            why="After a bulk build block-arrays are nearly full, so that lists that move need new ones, which the "
            "host opens in a pool that has to grow. A small graph, such as the road network, is rebuilt in the same "
            "time.",
        ),
        Experiment(
            "figure 6", "insertion by batch size, compared with faimGraph",
            "With block-arrays of 2^22 edges, Hornet is slower than AIM on small batches and up to 82 times as fast "
            "on large ones, most on graphs of uneven degree: up to 800 M edges/s.",
            "faimGraph, AIM's successor, stands in for it. Hornet is judged with block-arrays of 2^22 edges. The "
            "paper's blocks of at least 256 edges avoid that lists move during the measurement; here they move, and "
            "that is part of it. Hornet's default block-arrays have 2^16 edges from scale 19 on.",
            UPDATED, partial(insertion, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            systems=(*only("hornet"), LARGE_ARRAYS, *only("faimgraph")),
            earlier=Earlier("2026-11-23", "block-arrays of 2^16"),
            checks=(
                Check(
                    "on a scale-free graph Hornet is faster than faimGraph", "up to 82", LARGE, AIM,
                    {"graph": "scale-free"},
                ),
                Check("on a dense graph Hornet is faster than faimGraph", "up to 82", LARGE, AIM, {"graph": "dense"}),
                Check("on single edges Hornet is slower than faimGraph", "", LARGE, AIM, {"x": 1}, least=0.0, most=1.0),
                Check("on the largest batches Hornet is faster", "up to 82", LARGE | LARGEST, AIM | LARGEST),
            ),
            why="Our faimGraph sorts a batch and walks the list of each source once, where the authors' assigns a list "
            "to one thread under a lock. So what is left is the length of lists, which faimGraph walks and Hornet "
            "searches, and the block-arrays that Hornet has to open.",
        ),
        Experiment(
            "figure 7", "BFS",
            "BFS is up to 10 % faster on Hornet than on CSR, since vertices of similar degree are stored together, and "
            "up to 5.5 times as fast as Gunrock's.",
            "`bfs` from the vertex with most neighbors, on Hornet and on CSR.",
            SHAPES, breadth_first,
            checks=(
                Check("BFS is as fast on Hornet as on CSR", "up to 1.1", MINE, CSR),
                Check("BFS on Hornet takes at most 1.5 times as long as on CSR", "", MINE, CSR, least=1 / 1.5),
            ),
            why="The engine walks both layouts in the same way.",
        ),
        Experiment(
            "figure 8", "SpMV",
            "SpMV is as fast as on CSR, and 10 - 100 times as fast as on DCSR.",
            "`neighbor_reduce` with a sum of float64 values.",
            SHAPES, sparse_product,
            checks=(Check("SpMV on Hornet is about as fast as on CSR", "about 1", MINE, CSR, least=1 / 1.25),),
        ),
        Experiment(
            "figure 9", "k-truss by deletion",
            "In the search for the maximal k-truss, the graph is updated and analyzed at a peak of about 48 M "
            "updates/s.",
            "For increasing k, the edges outside the k-truss are found and deleted from the graph, until none is left. "
            "The rate is the number of deleted edges over the time of both.",
            ("scale-free", "dense", "mesh"), truss_by_deletion,
            checks=(
                Check(
                    "the peak in Hornet is at least 48 M edges/s", "48", MINE, where={"quantity": "peak of a step"},
                    least=48.0,
                ),
                Check(
                    "Hornet deletes faster than CSR is rebuilt", "", MINE, CSR, {"quantity": "deletion alone"},
                ),
            ),
            why="The rate counts deleted edges. No edge of the mesh is in its 4-truss, which is found by peeling from "
            "the border inwards: all edges are deleted in one step of many rounds, which take the time. Where a step "
            "deletes most of the graph, rebuilding CSR from the rest is as fast as deleting.",
        ),
    ),
)  # fmt: skip
