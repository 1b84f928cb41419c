"""The questions that a release answers, the benchmark of each, and its settings by device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The way a question is asked on one kind of device.

    Attributes
    ----------
    options : str
        Options of the benchmark.
    seconds : float
        The expected time.
    structures : str
        Names, separated by commas. "" leaves out the option.
    budget : bool
        Whether the benchmark has an option ``--budget``.
    one_core : bool
        Whether it runs on one core, the fastest: its calls last microseconds, and cores of a shared machine differ.
    """

    options: str
    seconds: float
    structures: str = ""
    budget: bool = True
    one_core: bool = False


@dataclass(frozen=True)
class Question:
    """A question, and the benchmark that answers it.

    Attributes
    ----------
    name : str
        The first part of the names of its files.
    text : str
    benchmark : str
        A key of `run.BENCHMARKS` or `run.OWN_OPTIONS`.
    settings : dict of str to Settings
        By kind of device. Kinds that it lacks leave out the question.
    quick : str
        Options in addition for tiny graphs.
    """

    name: str
    text: str
    benchmark: str
    settings: dict[str, Settings]
    quick: str = "--mode smoke --scales 7 --peers none"


ALL = "hornet,slab,gpma,lpma,graphvine,faimgraph"
RELEASE = "--mode release"
FOUR = "--analytics connected_components,triangle_count,bfs,sssp"
MAINTAINED = "bfs,connected_components,pagerank,triangle_count,sssp,core_number"
QUESTIONS = (
    Question(
        "triangles", "How fresh are exact triangle counts after a batch, compared with rebuilding?", "dynamic",
        {"gpu": Settings(RELEASE, 40, "slab,hornet"), "cpu": Settings(RELEASE, 60, "slab,hornet")},
    ),
    Question(
        "algorithms", "How fast are algorithms, compared with other libraries, and with CSR?", "algorithms",
        {"gpu": Settings(RELEASE, 110, "slab"), "cpu": Settings(RELEASE, 110, "slab,hornet")},
    ),
    Question(
        "updates", "How fast are updates by structure and batch size, and how large is an arc?", "updates",
        {"gpu": Settings(f"{RELEASE} --scales 20", 50, ALL), "cpu": Settings(RELEASE, 45, ALL)},
    ),
    Question(
        "latency", "How long does a small batch take, with its answer, at P50 and P99?", "latency",
        {"gpu": Settings("--analytics all --batches 100", 30, "slab", budget=False, one_core=True),
         "cpu": Settings("--analytics all --batches 50 --scale 16 --sizes 1,64,1024,4096", 30, "slab", budget=False)},
        "--scale 6 --batches 3 --sizes 1,9",
    ),
    Question(
        "incremental", "When does maintaining a result beat recomputing it?", "incremental",
        {"gpu": Settings(f"{RELEASE} --algorithms {MAINTAINED}", 40, "slab"),
         "cpu": Settings(f"{RELEASE} --algorithms {MAINTAINED}", 60, "slab")},
    ),
    Question(
        "structures", "How much slower than CSR are the structures?", "algorithms",
        {"gpu": Settings(f"{RELEASE} --scales 20 --peers none", 35, ALL),
         "cpu": Settings(f"{RELEASE} --scales 14 --peers none", 120, ALL)},
    ),
    Question(
        "streams", "How fast is a whole stream?", "stream",
        {"gpu": Settings("--rounds 2 --scale 21", 36, budget=False),
         "cpu": Settings("--rounds 2 --scale 15", 30, budget=False)},
        "--rounds 1 --scale 6",
    ),
    Question(
        "first-answers", "How long do the first answers take, with empty and with full caches?", "cold",
        {"gpu": Settings("--analytics all --batches 8 --again", 50, "slab", budget=False)},
        "--scale 6 --batch 512",
    ),
    Question(
        "first-run", "How long does the first run of the command line take, with empty caches?", "first-run",
        {"cpu": Settings("--rounds 1", 35, budget=False)},
        "--rounds 1 --stream '--scale 4 --edge-factor 2 --batch-size 16'",
    ),
    Question(
        "growth", "How long is the longest batch while a graph grows?", "growth",
        {"gpu": Settings("", 20, f"{ALL},csr", budget=False),
         "cpu": Settings("--scale 16 --batch 16384", 30, f"{ALL},csr", budget=False)},
        "--scale 6 --batch 256",
    ),
    Question(
        "kernels", "How long is the GPU busy with a batch of updates?", "kernels",
        {"gpu": Settings("--scales 20", 25, ALL, budget=False)}, "--scales 7 --sizes 64",
    ),
    Question(
        "vertices", "Does the cost of a batch depend on the number of vertices?", "latency",
        {"gpu": Settings(
            f"{FOUR} --sizes 64 --batches 30 --vertices 20,22,24", 20, "slab", budget=False, one_core=True),
         "cpu": Settings(f"{FOUR} --sizes 64 --batches 30 --scale 14 --vertices 14,18,22", 30, "slab", budget=False)},
        "--scale 6 --vertices 6,8 --batches 3",
    ),
    Question(
        "one-thread", "How much CPU time does one thread need, compared with GAP, SciPy, igraph and NetworKit?",
        "one-thread", {"cpu": Settings("--turns 1 --seconds 0.3", 300, "slab,csr", budget=False)},
        "--turns 1 --seconds 0.01 --algorithms minimum_spanning_forest",
    ),
    Question(
        "gallery", "How fast are the algorithms of the gallery, compared with other libraries?", "gallery",
        {"gpu": Settings(f"{RELEASE} --scales 20", 110, "slab"), "cpu": Settings(RELEASE, 90, "slab")},
    ),
    Question(
        "catalogue", "How fast is every algorithm in every form?", "cells",
        {"gpu": Settings("--scales 20 --seconds 0.1 --repeat 3", 60, "slab"),
         "cpu": Settings("--scales 16 --seconds 0.2 --repeat 3", 240, "slab")},
        "--scales 6 --seconds 0 --repeat 1",
    ),
    Question(
        "directed", "How much does it cost to maintain in-edges?", "latency",
        {"gpu": Settings("--directed --analytics bfs --batches 100", 15, "slab", budget=False, one_core=True)},
        "--scale 6 --batches 3 --sizes 1,9",
    ),
    Question(
        "edge-data", "How much does it cost to maintain weights and columns?", "updates",
        {"gpu": Settings(f"{RELEASE} --scales 20 --edge-data", 20, "slab")},
    ),
    Question(
        "windows", "How fast does a sliding window move?", "temporal",
        {"gpu": Settings("--parts window", 45, "slab", budget=False)}, "--quick",
    ),
    Question(
        "names", "How long does it take to find the ids of names?", "names",
        {"gpu": Settings("", 20, budget=False)}, "--scale 8 --batches 4 --repeat 1",
    ),
    Question(
        "inside", "How fast do functors walk a graph themselves?", "inside",
        {"gpu": Settings("--scale 20", 20, ALL, budget=False), "cpu": Settings("", 60, ALL, budget=False)},
        "--scale 6 --repeat 1",
    ),
    Question(
        "pipeline", "How fast are streams that are read while the GPU works?", "pipeline",
        {"gpu": Settings("--repeat 3", 30, "slab", budget=False)}, "--quick",
    ),
    Question(
        "choosing", "Which structure suits which workload?", "choosing",
        {"gpu": Settings("", 90, budget=False), "cpu": Settings("", 300, budget=False)}, "--mode smoke",
    ),
)  # fmt: skip
"""All questions, the most valuable first. On a GPU they fit four calls of 280 seconds."""
