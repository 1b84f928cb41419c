"""Krishnan, Tavva, Nasre: GraphVine. Tables 2 to 5, and its choice of the block size."""

from __future__ import annotations

from functools import partial

from .check import Check
from .experiment import Experiment, Paper, Variant, only
from .updates import first_batch, first_batch_deletion, first_batch_memory, in_use_and_reserved, initialization

SHAPES = ("dense", "road", "solid", "mesh")
BATCHES = (10**5, 10**6, 10**7)
VERTICES = (2**20, 2**22, 2**24)
BLOCK_SIZES = (8, 16, 32, 64, 128)
BLOCKS = tuple(Variant(f"graphvine, {size}", "graphvine", {"block_size": size}) for size in BLOCK_SIZES)

MINE, HORNET, FAIMGRAPH = {"system": "graphvine"}, {"system": "hornet"}, {"system": "faimgraph"}
FEWEST, IN_USE = {"x": BATCHES[0]}, {"quantity": "in use"}
FIRST = "The first arcs of each graph in CSR order, into an empty graph; the largest batch is the whole graph"

GRAPHVINE = Paper(
    "graphvine",
    "Krishnan et al., GraphVine",
    "RTX 2060",
    "Figures 5 to 17 of the paper plot the numbers of its tables 2 to 5. Its GraphVine reserves half of the GPU's "
    "memory in advance; ours grows its pool. Its graphs are real.",
    "table 1, which describes the graphs.",
    (
        Experiment(
            "table 2", "initialization",
            "An empty graph is created in 0.6 - 4 ms: 914 - 12,691 times as fast as Hornet, 20 - 44 times as fast as "
            "faimGraph.",
            "Graphs of 2^20 to 2^24 vertices without edges. The paper's Hornet allocates a block for each list; here "
            "lists are allocated when edges arrive.",
            ("road",), partial(initialization, vertices=VERTICES), rows=("x",), axis="vertices",
            checks=(
                Check("GraphVine takes less than 4 ms", "0.6 - 4.0", MINE, least=0.0, most=4.0),
                Check("GraphVine is created faster than Hornet", "914 - 12,691", MINE, HORNET),
                Check("GraphVine is created faster than faimGraph", "20 - 44", MINE, FAIMGRAPH),
            ),
            why="GraphVine and faimGraph start with one array that a memset fills, of 16 and 8 bytes per vertex. Our "
            "Hornet's has 16 bytes as well, written in two passes, and no lists; the authors' allocates blocks for all "
            "lists, on the host.",
        ),
        Experiment(
            "table 3", "insertion of a batch",
            "Batches of 10^7 edges are inserted 1.6 - 301 times as fast as by Hornet, of 10^6 1.6 - 69 times, of 10^5 "
            "0.5 - 15 times; most on graphs of even degree. Compared with faimGraph: 0.15 - 1.8 times at 10^5, 0.6 - "
            "4.6 at 10^6.",
            f"{FIRST}.",
            SHAPES, partial(first_batch, sizes=BATCHES), rows=("graph", "x"), axis="batch",
            checks=(
                *(
                    Check(f"batches of {batch}: over {name}", paper, MINE | {"x": x}, other | {"x": x}, least=0.0)
                    for name, other, batch, x, paper in (
                        ("Hornet", HORNET, "10^5", 10**5, "0.5 - 15"),
                        ("Hornet", HORNET, "10^6", 10**6, "1.6 - 69"),
                        ("Hornet", HORNET, "10^7", 10**7, "1.6 - 301"),
                        ("faimGraph", FAIMGRAPH, "10^5", 10**5, "0.15 - 1.8"),
                        ("faimGraph", FAIMGRAPH, "10^6", 10**6, "0.6 - 4.6"),
                    )
                ),
            ),
            why="Our Hornet moves lists in parallel. GraphVine and faimGraph differ in how blocks and pages are "
            "linked, and share the rest of an update.",
        ),
        Experiment(
            "table 4", "deletion of a batch",
            "Batches are deleted 0.2 - 254 times as fast as by Hornet, slower where degrees are uneven (co-papers) and "
            "faster where they are even, and 0.02 - 2.1 times as fast as by faimGraph.",
            f"{FIRST}; then the batch is deleted.",
            SHAPES, partial(first_batch_deletion, sizes=BATCHES), rows=("graph", "x"), axis="batch",
            checks=(
                Check("on roads GraphVine deletes faster than Hornet", "0.35 - 254", MINE, HORNET, {"graph": "road"}),
                Check("on a mesh GraphVine deletes faster than Hornet", "5 - 96", MINE, HORNET, {"graph": "mesh"}),
                Check(
                    "on a dense graph it is slower", "0.2 - 1.0", MINE, HORNET, {"graph": "dense"}, least=0.0, most=1.0,
                ),
                Check("over faimGraph", "0.02 - 2.1", MINE, FAIMGRAPH, least=0.0),
            ),
            why="Small batches are bound by launches. In large ones GraphVine's lists, which are unsorted, are walked, "
            "where Hornet finds arcs by binary search. GraphVine and faimGraph share all but how blocks and pages are "
            "linked.",
        ),
        Experiment(
            "table 5", "memory after a batch",
            "Hornet takes less memory after small batches (0.2 - 1.1 times as much as GraphVine at 10^5) and 1.4 - 3.5 "
            "times as much after all edges; faimGraph takes 0.6 - 0.9 times as much at 10^5.",
            f"{FIRST}. The memory in use is judged; the paper measures what is allocated, which here includes room to "
            "grow and scratch memory for sorting batches.",
            SHAPES, partial(first_batch_memory, sizes=BATCHES), rows=("graph", "x"), axis="batch",
            derive=in_use_and_reserved,
            checks=(
                Check("over Hornet, all batches", "0.2 - 3.5", MINE, HORNET, IN_USE, least=0.0),
                Check(
                    "over Hornet, batches of 10^5", "0.2 - 1.1", MINE | FEWEST, HORNET | FEWEST, IN_USE,
                    least=0.0,
                ),
                Check(
                    "at 10^5 GraphVine takes more than faimGraph", "0.6 - 0.9", MINE | FEWEST, FAIMGRAPH | FEWEST,
                    IN_USE, least=0.0, most=1.0,
                ),
            ),
            why="It depends on how lists fit blocks: on roads, whose lists have at most 4 arcs, GraphVine's blocks of "
            "8 are at least half empty. Most of what is reserved is scratch memory for a batch as large as the graph, "
            "kept for the next one; CSR keeps none.",
        ),
        Experiment(
            "section 5.1", "block size",
            "Blocks of as many edges as the average degree of the first batch are the best choice.",
            f"{FIRST}; with blocks of fixed sizes, compared with the size that is chosen.",
            SHAPES, partial(first_batch, sizes=(10**7,)), rows=("graph", "x"), axis="batch",
            systems=(*only("graphvine"), *BLOCKS),
            checks=tuple(
                Check(f"the chosen size is within 10 % of {block.label}", "", MINE, {"system": block.label}, least=0.9)
                for block in BLOCKS
            ),
        ),
    ),
)  # fmt: skip
