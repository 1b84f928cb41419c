"""Busato, Green, Bombieri, Bader: Hornet. HPEC 2018. Figures 4 to 9."""

from __future__ import annotations

from functools import partial

from .analytics import block_utilisation, breadth_first, memory_beside_csr, sparse_product, truss_by_deletion
from .check import Check
from .experiment import Experiment, Paper, Variant, only
from .updates import insertion

SHAPES = ("road", "mesh", "solid", "scale-free", "dense")
UPDATED = ("solid", "dense", "scale-free", "road")
BATCHES = (1, 10**2, 10**4, 10**5, 10**6, 10**7)
BLOCK_ARRAYS = (2**16, 2**19, 2**22)
ONE_SIZE = Variant("hornet, block-arrays of 2^16", "hornet", {"block_array_size": 2**16})

MINE, CSR = {"system": "hornet"}, {"system": "csr"}
SMALL, AIM = {"system": ONE_SIZE.label}, {"system": "faimgraph"}
LARGEST = {"x": BATCHES[-1]}

HORNET = Paper(
    "hornet",
    "Busato et al., Hornet (HPEC 2018)",
    "Tesla P100",
    (
        Experiment(
            "figure 4a", "use of blocks and block-arrays",
            "Blocks of a power of two of edges are used to about 70 - 80 % (1.4 times the edges are allocated); of "
            "block-arrays less is used the larger they are, above all in small graphs.",
            "`Hornet.statistics` of each graph, by the size of block-arrays (which shrinks with the graphs).",
            SHAPES, partial(block_utilisation, sizes=BLOCK_ARRAYS), rows=("graph", "x"), axis="edges in a block-array",
            systems=only("hornet"),
            checks=(
                Check(
                    "blocks are used to 70 % or more", "78 (dblp-2010)", MINE, where={"quantity": "in blocks"},
                    least=70.0,
                ),
                Check(
                    "blocks are used to half or more, as the design bounds it", "50", MINE,
                    where={"quantity": "in blocks"}, least=50.0,
                ),
            ),
        ),
        Experiment(
            "figure 4b", "memory beside CSR",
            "Hornet uses memory almost twice as well as cuSTINGER, and, properly configured, better than a list of "
            "arcs.",
            "Bytes in use, of which CSR takes 100 %. A list of arcs is two ids for each.",
            SHAPES, memory_beside_csr,
            checks=(
                Check(
                    "Hornet takes less than a list of arcs", "", {**MINE, "quantity": "in use"},
                    {**MINE, "quantity": "list of arcs"},
                ),
            ),
        ),
        Experiment(
            "figure 5", "insertion by batch size, beside cuSTINGER",
            "Batches of 10^4 edges and less are inserted slower than by cuSTINGER, larger ones faster; the rate grows "
            "with the batch.",
            "cuSTINGER is superseded by Hornet; here stand all structures, and the rebuild of CSR.",
            UPDATED, partial(insertion, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            checks=(Check("Hornet inserts faster than CSR is rebuilt", "", MINE, CSR),),
        ),
        Experiment(
            "figure 6", "insertion by batch size, beside AIM",
            "With block-arrays of 2^22 edges, Hornet is slower than AIM on small batches and up to 82 times as fast "
            "on large ones, most on graphs of uneven degree: up to 800 M edges/s.",
            "faimGraph, AIM's successor, stands for it; Hornet with block-arrays of 2^16 edges, which are small "
            "beside the graphs as those of the paper were.",
            UPDATED, partial(insertion, sizes=BATCHES), rows=("x", "graph"), axis="batch",
            systems=(*only("hornet"), ONE_SIZE, *only("faimgraph")),
            checks=(
                Check(
                    "on a scale-free graph Hornet is faster than faimGraph", "up to 82", SMALL, AIM,
                    {"graph": "scale-free"},
                ),
                Check("on a dense graph Hornet is faster than faimGraph", "up to 82", SMALL, AIM, {"graph": "dense"}),
                Check("on single edges it is slower", "", SMALL, AIM, {"x": 1}, least=0.0, most=1.0),
                Check("on the largest batches it is faster", "up to 82", SMALL | LARGEST, AIM | LARGEST),
            ),
        ),
        Experiment(
            "figure 7", "BFS",
            "BFS is up to 10 % faster on Hornet than on CSR, since vertices of like degree lie together, and up to "
            "5.5 times as fast as Gunrock's.",
            "`bfs` from the vertex with most neighbors. (Gunrock's own times are in the benchmark `algorithms`.)",
            SHAPES, breadth_first,
            checks=(
                Check("BFS is as fast on Hornet as on CSR", "up to 1.1", MINE, CSR),
                Check("BFS on Hornet takes at most 1.5 times as long as on CSR", "", MINE, CSR, least=1 / 1.5),
            ),
        ),
        Experiment(
            "figure 8", "SpMV",
            "SpMV is level with CSR, and 10 - 100 times as fast as on DCSR.",
            "`neighbor_reduce` with a sum of float64 values.",
            SHAPES, sparse_product,
            checks=(Check("SpMV on Hornet is level with CSR", "about 1", MINE, CSR, least=1 / 1.25),),
        ),
        Experiment(
            "figure 9", "k-truss by deletion",
            "Looking for the maximal k-truss, the graph is updated and analyzed at a peak of about 48 M updates/s.",
            "For growing k, the edges outside the k-truss are found and deleted from the graph, until none is left: "
            "edges over the time of both.",
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
        ),
    ),
)  # fmt: skip
