"""Awad, Ashkiani, Porumbescu, Owens: Dynamic Graphs on the GPU. IPDPS 2020. Tables II to IX, figures 2 and 3."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from .analytics import load_factors, sorting_and_triangles, triangles, triangles_after_batches, triangles_by_load_factor
from .check import Check
from .experiment import EVERY, Earlier, Experiment, Paper, Variant, only
from .updates import build, deletion, incremental_build, insertion, vertex_deletion, with_coverage

SHAPES = ("road", "mesh", "solid", "scale-free", "dense")
BATCHES = (2**16, 2**18, 2**20, 2**22)
VERTICES = (2**14, 2**16, 2**17)
LOAD_FACTORS = (0.2, 0.35, 0.7, 1.0, 2.0, 4.0)
DEGREES = ("scale-free", "dense")  # 16 and 64 generated edges for each vertex

SLAB, HORNET, FAIMGRAPH = {"system": "slab"}, {"system": "hornet"}, {"system": "faimgraph"}
RATE = {"quantity": ""}  # not the share of the arcs
WIDE_PAGES = (EVERY, Variant("faimgraph, 128 bytes", "faimgraph", {"page_size": 128}))
WIDE = {"system": "faimgraph, 128 bytes"}
BY_QUERIES = (
    "`fr.intersect` of the ends of every edge: edge queries for the members of the shorter list in the longer, in the "
    "structure's own way."
)
UNWEIGHTED = Earlier("2026-11-23", "without weights", comparable=True)
STALLED = (
    "The rates of the hash graph on the scale-free graph are due to single batches of up to three seconds, where "
    "others take a few milliseconds. CuPy compiled kernels in the middle of a stream then, a possible cause, which has "
    "been removed."
)
COUNTED = Earlier("2026-11-23", "counted in a snapshot")

AWAD = Paper(
    "awad",
    "Awad et al., Dynamic Graphs on the GPU (IPDPS 2020)",
    "TITAN V",
    "As in the paper, tables 2 to 6 and figure 2 use the hash map, and all structures store a weight with each edge, "
    "and the rest the hash set. A page of the paper's faimGraph has 128 bytes, as large as a slab: so do ours with "
    "weights, half of them neighbors; without weights it is a column of its own. The paper's graphs are real and up to "
    "several times larger.",
    "table 1, which describes the graphs.",
    (
        Experiment(
            "table 2", "edge insertion by batch size",
            "Inserting batches of random edges, a hash table per vertex is 5.8 - 14.8 times as fast as Hornet and 3.4 "
            "- 5.4 times as fast as faimGraph: 501 - 665 M edges/s.",
            "Uniform random arcs, including duplicates and arcs of the graph, into each graph. The table shows the "
            "mean rate over graphs, as the paper's does; claims are judged on each graph.",
            SHAPES, partial(insertion, sizes=BATCHES, weighted=True), rows=("x",), axis="batch", earlier=UNWEIGHTED,
            checks=(
                Check("the hash graph inserts faster than Hornet", "5.8 - 14.8", SLAB, HORNET),
                Check("the hash graph inserts faster than faimGraph", "3.4 - 5.4", SLAB, FAIMGRAPH),
                Check("the hash graph inserts faster than CSR is rebuilt", "", SLAB, {"system": "csr"}),
            ),
            why="Hornet and our faimGraph sort a batch, and handle the list of each source once for all of its arcs: "
            "so they catch up as batches grow. Our faimGraph takes no locks. On roads and meshes a list is one page, "
            "in which an arc is found as fast as in a slab.",
        ),
        Experiment(
            "table 3", "edge deletion by batch size",
            "Deleting edges, the hash graph is 1.0 - 7.0 times as fast as Hornet, which catches up as batches grow, "
            "and 3.6 - 7.8 times as fast as faimGraph: 641 - 1,015 M edges/s.",
            "Arcs of each graph in random order (repeated where it has fewer); the table shows the mean rate over "
            "graphs.",
            SHAPES, partial(deletion, sizes=BATCHES, weighted=True), rows=("x",), axis="batch", earlier=UNWEIGHTED,
            checks=(
                Check("the hash graph deletes faster than Hornet", "1.0 - 7.0", SLAB, HORNET),
                Check("the hash graph deletes faster than faimGraph", "3.6 - 7.8", SLAB, FAIMGRAPH),
            ),
            why="Tombstones are flushed once they exceed a quarter of the keys, and the flush is timed with the "
            "deletion that triggers it. Small graphs lose so many arcs by the largest batches.",
        ),
        Experiment(
            "table 4", "vertex deletion by batch size",
            "Deleting vertices with their edges, the hash graph is 8.9 - 12.2 times as fast as faimGraph: 5.4 - 26.5 M "
            "vertices/s.",
            "Random vertices of undirected graphs, up to half of those of the dense one; the table shows the mean rate "
            "over graphs.",
            ("dense", "scale-free", "mesh", "road"), partial(vertex_deletion, sizes=VERTICES, weighted=True),
            rows=("x",), axis="batch", earlier=UNWEIGHTED,
            checks=(Check("the hash graph deletes vertices faster than faimGraph", "8.9 - 12.2", SLAB, FAIMGRAPH),),
            why="All structures share one implementation here: the engine collects the arcs of the vertices and "
            "deletes them as one batch, without locks. What is left of the difference is that of edge deletion.",
        ),
        Experiment(
            "table 5", "bulk build",
            "Built in bulk from a list of edges, the hash graph is 2 - 30 times as fast as Hornet.",
            "All arcs in random order.",
            SHAPES, partial(build, weighted=True), earlier=UNWEIGHTED,
            checks=(Check("the hash graph is built faster than Hornet", "2 - 30", SLAB, HORNET),),
            why="All structures sort the arcs first, which takes most of the time; the paper's hash graph inserts them "
            "as they come.",
        ),
        Experiment(
            "table 6", "incremental build",
            "Built batch by batch, with one bucket per vertex, the hash graph is 5.1 - 5.4 times as fast as Hornet: "
            "15 - 25 times on graphs of even degree, 1.6 - 2.5 on ldoor, 0.92 on soc-LiveJournal1.",
            "All arcs in random order, in batches, into an empty graph with the vertices; a build that takes long ends "
            "early.",
            ("solid", "mesh", "road", "scale-free"), partial(incremental_build, sizes=BATCHES[2:], weighted=True),
            rows=("x", "graph"), axis="batch", derive=with_coverage,
            earlier=replace(UNWEIGHTED, note=STALLED),
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
            why="In the first batch each vertex needs a slab, more than the pool has reserved, and arcs are deferred "
            "until the pool has grown. Our Hornet moves lists in parallel, which leaves less to gain on graphs of even "
            "degree. On graphs of uneven degree tables of one bucket have long chains, and are rehashed as they grow.",
        ),
        Experiment(
            "table 7", "static triangle counting",
            "On most graphs the hash graph counts triangles slower than sorted lists: 0.1 - 1.8 times as fast as "
            "Hornet, 0.2 - 5.2 as faimGraph.",
            f"{BY_QUERIES} The graphs have a quarter of the vertices. The paper's faimGraph is sorted beforehand, "
            "which it does not count; ours has lists in no order.",
            SHAPES, triangles, systems=WIDE_PAGES, smaller=2, earlier=COUNTED,
            checks=(
                Check("the hash graph is slower than Hornet", "0.1 - 1.8", SLAB, HORNET, least=0.0, most=1.0),
                Check("the hash graph is slower than faimGraph", "0.2 - 5.2", SLAB, WIDE, least=0.0, most=1.0),
            ),
            why="A query in the hash graph reads a slab or two, in a sorted list it is a binary search; lists in no "
            "order are read as a whole for every edge. The engine shares queries out evenly, whatever the lengths of "
            "lists, where the paper's kernels walk both lists of an edge in one thread.",
        ),
        Experiment(
            "table 8", "cost of sorting lists",
            "Sorting the lists for triangle counting takes about as long as counting, often longer (0.05 - 210 times).",
            "A sorted CSR copy of the graph, compared with counting as in table 7, on the same graphs.",
            SHAPES, sorting_and_triangles, systems=WIDE_PAGES, smaller=2, earlier=COUNTED,
            checks=(
                Check(
                    "a sorted copy of the hash graph takes longer than counting", "0.05 - 210", SLAB,
                    where={"quantity": "sorted copy over triangles"},
                ),
            ),
            why="A sorted copy is one sort of all arcs on the device; CSR, Hornet and the packed memory arrays, whose "
            "lists are sorted, are copied without. The paper sorts each list separately, which takes longest where the "
            "longest list is.",
        ),
        Experiment(
            "table 9", "triangles after each batch",
            "Inserting 2^22 edges and recounting, five times, is 1.8 times as fast as with Hornet on road_usa, where "
            "insertion dominates, and 0.9 times on hollywood-2009, where counting does.",
            "Batches of 2^20 random edges into undirected graphs with a quarter of the vertices and of the batch, "
            "counted as in table 7; cumulative times. (`DynamicTriangleCount`, which is maintained incrementally, is "
            "measured by the benchmark `dynamic`.)",
            ("road", "dense"), partial(triangles_after_batches, size=2**20), rows=("graph", "x"), axis="batches",
            smaller=2, earlier=COUNTED,
            checks=(
                Check(
                    "on roads the hash graph is faster than Hornet", "1.8", SLAB, HORNET,
                    {"graph": "road", "quantity": "together"},
                ),
                Check(
                    "on a dense graph it is slower", "0.9", SLAB, HORNET, {"graph": "dense", "quantity": "together"},
                    least=0.0, most=1.0,
                ),
            ),
            why="As in tables 2 and 7: on roads insertion takes most of the time, on the dense graph counting does.",
        ),
        Experiment(
            "figure 2", "load factor: insertion, utilization of slabs, memory",
            "As chains grow to 5 slabs, insertion drops by a factor of 2.5, while slabs are fuller and memory shrinks.",
            "R-MAT graphs of two degrees, built with each load factor; then a batch of random arcs is inserted.",
            DEGREES, partial(load_factors, factors=LOAD_FACTORS, size=2**20, weighted=True), rows=("x",),
            axis="load factor", columns="graph", systems=only("slab"), earlier=UNWEIGHTED,
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
            why="Tables whose chains grow beyond a bound are rehashed, so that chains stay shorter than in the paper.",
        ),
        Experiment(
            "figure 3", "load factor: static triangle counting",
            "Triangle counting, whose work is edge queries, is fastest at a load factor of about 0.7.",
            f"R-MAT graphs of two degrees, with a quarter of the vertices. {BY_QUERIES}",
            DEGREES, partial(triangles_by_load_factor, factors=LOAD_FACTORS), rows=("x",), axis="load factor",
            columns="graph", systems=only("slab"), smaller=2, earlier=COUNTED,
            checks=(
                Check("0.7 is faster than 0.2", "", {"x": 0.7}, {"x": 0.2}),
                Check("0.7 is faster than 4", "", {"x": 0.7}, {"x": 4.0}),
            ),
            why="With short chains more slabs are half empty, and lists take longer to walk; with long ones queries do."
            "",
        ),
    ),
)  # fmt: skip
