"""sample_temporal_neighbors: for each of a list of vertices, a few of the neighbors that it had before some time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...access import reads
from ...arguments import decay_rate, edge_times, integer, one_of, time, times, vertex_ids
from ...arrays import same_length
from ...sort import row_ids
from ..engine import bare_view, cpu_kernel_for, cuda_kernels_for, readable_weights, run_cpu
from .cpu import make_sample

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/sample_temporal_neighbors/sample_temporal_neighbors.cuh"
METHODS = ("uniform", "latest", "decay")


@reads
def sample_temporal_neighbors(
    graph: Graph, vertices: Any, count: int, *, before: Any = None, method: str = "uniform", decay: float | None = None,
    half_life: Any = None, seed: int | None = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """For each of a list of vertices, up to `count` of the neighbors that it had before some time.

    What a temporal graph network is trained with: nothing is seen of what comes after the event to be predicted.

    Parameters
    ----------
    graph : Graph
        With times. `Graph.reverse` gives predecessors.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    count : int
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only edges with lesser times count: one time for all vertices, or one for each. By default all edges do.
    method : {"uniform", "latest", "decay"}
        ``"uniform"``: drawn without replacement, each with the same probability. ``"latest"``: those with the greatest
        times; of equal times, the smaller id. ``"decay"``: drawn one after another without replacement, each with a
        probability in proportion to exp(-decay * age) among those that are left.
    decay, half_life
        For ``"decay"``, one of them: the rate per unit of the graph's times, or the age at which an edge counts half of
        a new one, such as ``"1h"``.
    seed : int, optional
        For the random methods, which need one. A sample depends on the seed, the place in `vertices` and the edges
        alone: it is the same for every structure and on both devices.

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The neighbors of ``vertices[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of `vertex_dtype`, shape (offsets[-1],)
        In the order in which they were drawn; the latest first.
    times : array of int64, shape (offsets[-1],)
    edges : array of int64, shape (offsets[-1],)
        The ids of the edges (`Graph.edge_ids`).

    Raises
    ------
    TypeError, ValueError
        Naming the argument and what is wrong with it; or the graph has no times.

    Notes
    -----
    Each edge has a key, and those with the lowest are taken: O(degree) work per vertex on a CPU, and a little for each
    that is drawn; O(degree * count) by the 32 lanes of a warp on a GPU. With decay, keys are logarithms of those of
    Efraimidis and Spirakis (Information Processing Letters 97, 2006), so that no age is too old for them.
    """
    column = edge_times(graph)
    count = integer(count, "count", 1)
    one_of(method, "method", METHODS)
    if (seed is None) != (method == "latest"):
        raise TypeError(f"method={method!r} {'needs a seed' if seed is None else 'draws nothing: it takes no seed'}")
    if method != "decay" and not (decay is None and half_life is None):
        raise TypeError(f"decay and half_life have no meaning with method={method!r}")
    rate = np.float64(decay_rate(graph, decay, half_life) if method == "decay" else 0)
    xp, device = graph.xp, graph.device
    vertices = vertex_ids(graph, vertices, "vertices").astype(graph.vertex_dtype, copy=False)
    limits = time_limits(graph, before, vertices)
    starts = xp.zeros(vertices.size + 1, np.int64)
    xp.cumsum(xp.minimum(graph._degrees()[vertices].astype(np.int64), count), out=starts[1:])
    room = int(starts[-1]) if vertices.size else 0
    ids, edges = xp.empty(room, graph.vertex_dtype), xp.empty(room, np.int64)
    if not room:
        return starts, ids, xp.empty(0, np.int64), edges
    found = xp.empty(vertices.size, np.int64)
    number = np.uint64(0 if seed is None else integer(seed, "seed") & (2**64 - 1)).astype(np.int64)
    values = vertices, limits, before is None, starts, column, number, rate
    if device.is_gpu:
        options = {"latest": (("LATEST", "1"),), "decay": (("FADES", "1"),)}.get(method, ())
        kernels = cuda_kernels_for(graph, HEADER, (), (), options)
        kernels.sample(int(vertices.size), graph.view(), *values, ids, edges, found, tile=32)
    else:
        kernel = cpu_kernel_for(graph.package, make_sample, (), method == "latest", method == "decay")
        keys = np.empty(room, np.int64 if method == "latest" else np.float64)
        stored = readable_weights(graph, weighted=False)
        run_cpu(kernel, (), int(vertices.size), bare_view(graph), stored, *values, keys, ids, edges, found)
    offsets = xp.zeros(vertices.size + 1, np.int64)
    xp.cumsum(found, out=offsets[1:])
    if before is not None:  # there may be fewer than there is room for
        rows = row_ids(device, starts, np.dtype(np.int64))
        chosen = xp.flatnonzero(xp.arange(room) - starts[rows] < found[rows])
        ids, edges = ids[chosen], edges[chosen]
    return offsets, ids, column[edges], edges


def time_limits(graph: Graph, before: Any, vertices: Any) -> Any:
    """For each vertex the time before which edges count; the greatest of all times if all do."""
    if before is None:
        return graph.xp.full(vertices.size, np.iinfo(np.int64).max, np.int64)
    if getattr(before, "ndim", None) == 0 or not (hasattr(before, "__len__") or hasattr(before, "__dlpack__")):
        return graph.xp.full(vertices.size, time(graph, before, "before"), np.int64)
    limits = times(graph, before, "before")
    same_length(vertices=vertices, before=limits)
    return limits
