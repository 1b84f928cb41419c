"""All axes of the benchmarks: graphs, batch sizes, repetitions and seeds, by device and mode."""

from __future__ import annotations

from dataclasses import dataclass, replace

BASELINE = "csr"  # included in every run, and rebuilt at every update
EDGE_FACTOR = 16  # generated edges for each vertex
GRAPH_SEED = 1
BATCH_SEED = 20261121
VECTOR_SEED = 3
WEIGHT_SEED = 5
MAX_WEIGHT = 255  # weights of shortest paths go from 1 to this
PAGERANK_ALPHA = 0.85
PAGERANK_STEPS = 20  # where a number of steps is measured
PAGERANK_TOL = 1e-6  # where the way to convergence is: the sum of absolute changes of a step
TRUSSES = (4, 8)
COPY_BANDWIDTH = 4.1e12  # bytes a second that the memory of an H200 moves, reads and writes together
VARIANTS = ("unweighted", "weighted")
IN_EDGES = "in-edges"  # another variant (--in-edges): directed, without weights in updates, and with in-edges
EDGE_DATA = "edge data"  # another variant (--edge-data): weighted, with a column of int64
GPU_PEERS = ("cugraph",)
CPU_PEERS = ("scipy", "igraph", "networkit", "networkx")
DYNAMIC_PEERS = ("cugraph", "scipy", "igraph", "networkit")  # NetworkX would run for minutes on a batch
MAX_EDGES = 2**24  # in total over the batches of one size: there are fewer of the large ones
BALANCES = ("auto", "thread", "tile", "block", "merge")  # schedules of neighbor lists
GALLERY_STRUCTURES = ("csr", "slab")  # unless specified
GALLERY_PEERS = ("igraph", "networkit")  # with graphs on a GPU, too
GALLERY_TARGETS = ("core_number", "coloring", "label_propagation", "jaccard")  # to be 10 times as fast as igraph
GALLERY_LIMIT_S = 200.0  # for all that one peer does on one graph
GALLERY_TASK_LIMIT_S = 40.0  # for each task


@dataclass(frozen=True)
class Axes:
    """The extent of a run.

    Attributes
    ----------
    scales : tuple of int
        Base-2 logarithms of the vertices of the RMAT graphs.
    uniform_scale : int
        The same for the uniform graph. 0 leaves it out.
    grid_side : int
    luxembourg : bool
        Add the road network of Luxembourg, where ``DYNFRONTIER_DATA`` names a folder that has it.
    variants : tuple of str
    batch_sizes : tuple of int
        Edges in a batch of the update benchmark.
    repeat, warm_up : int
        Calls that are timed, and calls before them that are not.
    baseline_repeat : int
        Timed calls of the rebuild baseline, which is slow and steady.
    dynamic_scale : int
        Parameters of the graph in which triangles are counted after every batch.
    dynamic_sizes : tuple of int
        Edges in a batch of that benchmark.
    dynamic_batches : int
    dynamic_recounts : int
        Batches after which the baselines rebuild and recount.
    incremental_size : int
        Changes in a batch of the incremental benchmark: half of them insertions, half deletions.
    truss_size : int
        The same for its k-truss.
    incremental_batches : int
        Timed batches.
    grown : bool
        Run algorithms also on graphs of which half the edges were inserted in batches.
    seconds_per_call : float
        The total time of calls after which no more are timed.
    """

    scales: tuple[int, ...]
    uniform_scale: int
    grid_side: int
    luxembourg: bool
    variants: tuple[str, ...]
    batch_sizes: tuple[int, ...]
    repeat: int
    warm_up: int
    baseline_repeat: int
    dynamic_scale: int
    dynamic_sizes: tuple[int, ...]
    dynamic_batches: int
    dynamic_recounts: int
    incremental_size: int
    truss_size: int
    incremental_batches: int
    grown: bool
    seconds_per_call: float
    peer_limit: float = 60.0


_GPU = Axes(
    scales=(20, 22), uniform_scale=20, grid_side=1024, luxembourg=True, variants=VARIANTS,
    batch_sizes=(2**10, 2**12, 2**14, 2**16, 2**18, 2**20, 2**22), repeat=7, warm_up=2, baseline_repeat=3,
    dynamic_scale=22, dynamic_sizes=(2**12, 2**16, 2**20), dynamic_batches=100, dynamic_recounts=5,
    incremental_size=2**16, truss_size=2**8, incremental_batches=10, grown=True, seconds_per_call=5.0,
)  # fmt: skip
_CPU = Axes(
    scales=(16,), uniform_scale=16, grid_side=256, luxembourg=True, variants=VARIANTS,
    batch_sizes=(2**10, 2**14, 2**18), repeat=5, warm_up=1, baseline_repeat=3,
    dynamic_scale=16, dynamic_sizes=(2**10, 2**14), dynamic_batches=20, dynamic_recounts=3,
    incremental_size=2**10, truss_size=2**6, incremental_batches=5, grown=True, seconds_per_call=2.0,
)  # fmt: skip
AXES = {
    ("gpu", "full"): _GPU,
    ("gpu", "quick"): replace(
        _GPU, batch_sizes=(2**16, 2**18, 2**20, 2**22), repeat=4, warm_up=1, baseline_repeat=2,
        dynamic_sizes=(2**16,), dynamic_batches=30, dynamic_recounts=3, incremental_batches=4,
    ),
    ("cpu", "full"): _CPU,
    ("cpu", "quick"): replace(
        _CPU, scales=(14,), uniform_scale=14, grid_side=128, batch_sizes=(2**10, 2**14), repeat=3, baseline_repeat=2,
        dynamic_scale=14, dynamic_sizes=(2**10,), dynamic_batches=8, dynamic_recounts=2,
        incremental_size=2**8, truss_size=2**4, incremental_batches=3, seconds_per_call=1.0,
    ),
    ("gpu", "release"): replace(
        _GPU, scales=(20, 22, 16), batch_sizes=(1, 2**10, 2**14, 2**16, 2**18, 2**20, 2**22), repeat=4, warm_up=1,
        baseline_repeat=2, dynamic_sizes=(2**16,), dynamic_batches=60, dynamic_recounts=3, incremental_batches=5,
        seconds_per_call=2.0, peer_limit=30.0,
    ),
    ("cpu", "release"): replace(
        _CPU, variants=("unweighted",), batch_sizes=(1, 2**10, 2**14, 2**18), repeat=4, dynamic_sizes=(2**10, 2**14),
        seconds_per_call=1.0, peer_limit=15.0,
    ),
}  # fmt: skip
AXES |= {
    (device, "smoke"): replace(
        _CPU, scales=(7,), uniform_scale=0, grid_side=8, luxembourg=False, variants=("unweighted",),
        batch_sizes=(2**6,), repeat=1, baseline_repeat=1, dynamic_scale=7, dynamic_sizes=(2**5,), dynamic_batches=2,
        dynamic_recounts=1, incremental_size=2**4, truss_size=2**3, incremental_batches=1, grown=False,
        seconds_per_call=0.2,
    )
    for device in ("cpu", "gpu")
}  # fmt: skip
MODES = ("full", "quick", "release", "smoke")
SHARES = {"updates": 0.3, "algorithms": 0.3, "dynamic": 0.15, "incremental": 0.2, "gallery": 0.2, "schedules": 0.05}
"""Shares of the time left for a run, by benchmark. Unused time goes to the next."""


def axes_for(device: str, mode: str, scales: tuple[int, ...] | None = None) -> Axes:
    """The axes of a device and mode, with custom RMAT scales if given."""
    axes = AXES[device, mode]
    if not scales:
        return axes
    uniform_scale = min(scales) if axes.uniform_scale else 0
    return replace(axes, scales=scales, uniform_scale=uniform_scale, dynamic_scale=max(scales))
