"""Awad, Ashkiani, Porumbescu, Owens: Dynamic Graphs on the GPU. IPDPS 2020. Tables II to IX, figures 2 and 3."""

from __future__ import annotations

from functools import partial

from .analytics import (
    load_factors,
    sorting_and_triangles,
    triangles,
    triangles_after_batches,
    triangles_by_load_factor,
)
from .check import Check
from .experiment import Experiment, Paper, only
from .updates import build, deletion, incremental_build, insertion, vertex_deletion, with_coverage

SHAPES = ("road", "mesh", "solid", "scale-free", "dense")
BATCHES = (2**16, 2**18, 2**20, 2**22)
VERTICES = (2**14, 2**16, 2**17)
LOAD_FACTORS = (0.2, 0.35, 0.7, 1.0, 2.0, 4.0)
DEGREES = ("scale-free", "dense")  # 16 and 64 generated edges for each vertex

SLAB, HORNET, FAIMGRAPH = {"system": "slab"}, {"system": "hornet"}, {"system": "faimgraph"}
RATE = {"quantity": ""}  # not the share of the arcs
SNAPSHOT = "counted in a snapshot"

AWAD = Paper(
    "awad",
    "Awad et al., Dynamic Graphs on the GPU (IPDPS 2020)",
    "TITAN V",
    "The paper's tables 2 to 6 use the hash map, which stores a value with each edge; here the hash set is measured, "
    "and the other structures without weights, too, so that an edge takes half the bytes. The paper's faimGraph has "
    "pages of 128 bytes, as large as a slab; ours has pages of 64. The paper's graphs are real and up to several times "
    "larger.",
    "table 1, which describes the graphs.",
    (
        Experiment(
            "table 2", "edge insertion by batch size",
            "Inserting batches of random edges, a hash table per vertex is 5.8 - 14.8 times as fast as Hornet and 3.4 "
            "- 5.4 times as fast as faimGraph: 501 - 665 M edges/s.",
            "Uniform random arcs, including duplicates and arcs of the graph, into each graph. The table shows the "
            "mean rate over graphs, as the paper's does; claims are judged on each graph.",
            SHAPES, partial(insertion, sizes=BATCHES), rows=("x",), axis="batch",
            checks=(
                Check("the hash graph inserts faster than Hornet", "5.8 - 14.8", SLAB, HORNET),
                Check("the hash graph inserts faster than faimGraph", "3.4 - 5.4", SLAB, FAIMGRAPH),
                Check("the hash graph inserts faster than CSR is rebuilt", "", SLAB, {"system": "csr"}),
            ),
        ),
        Experiment(
            "table 3", "edge deletion by batch size",
            "Deleting edges, the hash graph is 1.0 - 7.0 times as fast as Hornet, which catches up as batches grow, "
            "and 3.6 - 7.8 times as fast as faimGraph: 641 - 1,015 M edges/s.",
            "Arcs of each graph in random order (repeated where it has fewer); the table shows the mean rate over "
            "graphs.",
            SHAPES, partial(deletion, sizes=BATCHES), rows=("x",), axis="batch",
            checks=(
                Check("the hash graph deletes faster than Hornet", "1.0 - 7.0", SLAB, HORNET),
                Check("the hash graph deletes faster than faimGraph", "3.6 - 7.8", SLAB, FAIMGRAPH),
            ),
        ),
        Experiment(
            "table 4", "vertex deletion by batch size",
            "Deleting vertices with their edges, the hash graph is 8.9 - 12.2 times as fast as faimGraph: 5.4 - 26.5 M "
            "vertices/s.",
            "Random vertices of undirected graphs, up to half of those of the dense one; the table shows the mean rate "
            "over graphs.",
            ("dense", "scale-free", "mesh", "road"), partial(vertex_deletion, sizes=VERTICES), rows=("x",),
            axis="batch",
            checks=(Check("the hash graph deletes vertices faster than faimGraph", "8.9 - 12.2", SLAB, FAIMGRAPH),),
        ),
        Experiment(
            "table 5", "bulk build",
            "Built in bulk from a list of edges, the hash graph is 2 - 30 times as fast as Hornet.",
            "All arcs in random order.",
            SHAPES, build,
            checks=(Check("the hash graph is built faster than Hornet", "2 - 30", SLAB, HORNET),),
        ),
        Experiment(
            "table 6", "incremental build",
            "Built batch by batch, with one bucket per vertex, the hash graph is 5.1 - 5.4 times as fast as Hornet: "
            "15 - 25 times on graphs of even degree, 1.6 - 2.5 on ldoor, 0.92 on soc-LiveJournal1.",
            "All arcs in random order, in batches, into an empty graph with the vertices; a build that takes long ends "
            "early.",
            ("solid", "mesh", "road", "scale-free"), partial(incremental_build, sizes=BATCHES[2:]), rows=("x", "graph"),
            axis="batch", derive=with_coverage,
            checks=(
                Check("on a mesh the hash graph is faster", "15 - 25", SLAB, HORNET, {**RATE, "graph": "mesh"}),
                Check("on roads the hash graph is faster", "15 - 25", SLAB, HORNET, {**RATE, "graph": "road"}),
                Check(
                    "with 18 neighbors each it is faster", "1.6 - 2.5", SLAB, HORNET, {**RATE, "graph": "solid"},
                ),
                Check(
                    "on a scale-free graph it is about as fast", "0.92", SLAB, HORNET, {**RATE, "graph": "scale-free"},
                    least=0.8,
                ),
            ),
        ),
        Experiment(
            "table 7", "static triangle counting",
            "On most graphs the hash graph counts triangles slower than sorted lists: 0.1 - 1.8 times as fast as "
            "Hornet, 0.2 - 5.2 as faimGraph.",
            "`triangle_count` counts in an oriented snapshot, whatever the structure; only the time to make the "
            "snapshot differs.",
            SHAPES, triangles,
            checks=(
                Check(
                    "the hash graph is slower than Hornet", "0.1 - 1.8", SLAB, HORNET, least=0.0, most=1.0,
                    decided_by=SNAPSHOT,
                ),
                Check(
                    "the hash graph is slower than faimGraph", "0.2 - 5.2", SLAB, FAIMGRAPH, least=0.0, most=1.0,
                    decided_by=SNAPSHOT,
                ),
            ),
        ),
        Experiment(
            "table 8", "cost of sorting lists",
            "Sorting the lists for triangle counting takes about as long as counting, often longer (0.05 - 210 times).",
            "A sorted CSR copy of the graph, compared with `triangle_count`.",
            SHAPES, sorting_and_triangles,
            checks=(
                Check(
                    "a sorted copy of the hash graph takes longer than counting", "0.05 - 210", SLAB,
                    where={"quantity": "sorted copy over triangles"},
                ),
            ),
        ),
        Experiment(
            "table 9", "triangles after each batch",
            "Inserting 2^22 edges and recounting, five times, is 1.8 times as fast as with Hornet on road_usa, where "
            "insertion dominates, and 0.9 times on hollywood-2009, where counting does.",
            "Batches of 2^20 random edges into undirected graphs, which are smaller than the paper's; "
            "`triangle_count` from scratch, in a snapshot; cumulative times. (`DynamicTriangleCount`, which is "
            "maintained incrementally, is measured by the benchmark `dynamic`.)",
            ("road", "dense"), partial(triangles_after_batches, size=2**20), rows=("graph", "x"), axis="batches",
            checks=(
                Check(
                    "on roads the hash graph is faster than Hornet", "1.8", SLAB, HORNET,
                    {"graph": "road", "quantity": "together"},
                ),
                Check(
                    "on a dense graph it is slower", "0.9", SLAB, HORNET, {"graph": "dense", "quantity": "together"},
                    least=0.0, most=1.0, decided_by=SNAPSHOT,
                ),
            ),
        ),
        Experiment(
            "figure 2", "load factor: insertion, utilization of slabs, memory",
            "As chains grow to 5 slabs, insertion drops by a factor of 2.5, while slabs are fuller and memory shrinks.",
            "R-MAT graphs of two degrees, built with each load factor; then a batch of random arcs is inserted.",
            DEGREES, partial(load_factors, factors=LOAD_FACTORS, size=2**20), rows=("x",), axis="load factor",
            columns="graph", systems=only("slab"),
            checks=(
                Check(
                    "insertion is faster with short chains than with the longest", "2.5", {"x": LOAD_FACTORS[0]},
                    {"x": LOAD_FACTORS[-1]}, {"quantity": "insertion"},
                ),
                Check(
                    "slabs are fuller with long chains", "", {"x": LOAD_FACTORS[-1]}, {"x": LOAD_FACTORS[0]},
                    {"quantity": "use of slabs"},
                ),
                Check(
                    "long chains take less memory", "", {"x": LOAD_FACTORS[-1]}, {"x": LOAD_FACTORS[0]},
                    {"quantity": "memory"},
                ),
            ),
        ),
        Experiment(
            "figure 3", "load factor: static triangle counting",
            "Triangle counting, whose work is edge queries, is fastest at a load factor of about 0.7.",
            "R-MAT graphs of two degrees. `triangle_count` counts in an oriented snapshot, without edge queries.",
            DEGREES, partial(triangles_by_load_factor, factors=LOAD_FACTORS), rows=("x",), axis="load factor",
            columns="graph", systems=only("slab"),
            checks=(
                Check("0.7 is faster than 0.2", "", {"x": 0.7}, {"x": 0.2}, decided_by=SNAPSHOT),
                Check("0.7 is faster than 4", "", {"x": 0.7}, {"x": 4.0}, decided_by=SNAPSHOT),
            ),
        ),
    ),
)  # fmt: skip
