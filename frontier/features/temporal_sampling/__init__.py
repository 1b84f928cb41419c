"""sample_temporal_neighbors: for each of a list of vertices, a few of the neighbors that it had before some time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import flag, integer, one_of, sample_size, vertex_ids
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.sort import accumulate
from frontier.features.times.arguments import decay_rate, time, times, warn_of_replaced_times
from frontier.operators.dispatch.kernels import cpu_kernel_for
from frontier.runtime.arrays import same_length
from frontier.runtime.compile.kernels import define_text
from frontier.runtime.memory import elementwise

from .cpu import CPU_KERNELS, LINKED_FROM
from .rows_by_time import rows_by_time

HEADER = "frontier/features/temporal_sampling/sample_temporal_neighbors.cuh"
METHODS = ("uniform", "latest", "decay")


@reads
def sample_temporal_neighbors(
    graph: BaseGraph, vertices: Any, count: int, *, before: Any = None, inclusive: bool = False,
    method: str = "uniform", decay: float | None = None, half_life: Any = None, seed: int | None = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Sample up to `count` events of each listed vertex before some time, to train temporal graph networks.

    With ``multi_edges="all"`` each record is an event, so a neighbor may be sampled repeatedly. In other graphs each
    edge is one event.

    Parameters
    ----------
    graph : Graph
        With times. `Graph.reverse` gives predecessors.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    count : int
        -1 for all.
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only events with lesser times count: one time for all vertices, or one for each. By default all events do.
    inclusive : bool
        Whether events at the time `before` count, too, as in PyTorch Geometric.
    method : {"uniform", "latest", "decay"}
        ``"uniform"``: drawn without replacement, with equal probability. ``"latest"``: the events with the greatest
        times. Ties go to the smaller id, and among one neighbor's events to the last inserted. ``"decay"``: drawn one
        after another without replacement, with probability in proportion to exp(-decay * age).
    decay, half_life
        For ``"decay"``, one of them: the rate per unit of the graph's times, or the age at which an edge counts half of
        a new one, such as ``"1h"``.
    seed : int, optional
        Required by the random methods. A sample depends only on the seed, the index in `vertices` and the edges (with
        ``"decay"``, also on the ids of records). So it is the same for every structure and on both devices.

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The neighbors of ``vertices[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of `vertex_dtype`, shape (offsets[-1],)
        In the order of drawing. With ``"latest"``, and with ``"uniform"`` for at most `count` events: latest first, and
        of equal times the smaller id.
    times : array of int64, shape (offsets[-1],)
    edges : array of int64, shape (offsets[-1],)
        The ids of the edges (`Graph.edge_ids`), or of the records with ``multi_edges="all"`` (`Graph.record_data`).

    Raises
    ------
    TypeError, ValueError
        An argument is invalid, or the graph has no times. The message names the argument.

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    See Also
    --------
    latest_neighbors : The latest neighbors, without edge ids.
    sample_neighbors : Samples that ignore times.

    Notes
    -----
    Samples come from lists sorted by time. At first, each call sorts the lists of the distinct `vertices`: O(k log k)
    work for k neighbors. Once calls since the last update cost as much as sorting all lists, all are sorted and cached
    until the next update. The cache needs 16 bytes for each event (24 with 64-bit ids, included in
    `Graph.memory_usage`). In a small graph, the first call does this. Then a vertex costs O(log(degree) + count) work,
    and with decay at most O(degree log(count)), as neighbors too old to be drawn are skipped. Results do not depend on
    the cache. Samples may not see times that functors or assignments have written to the column since the last update.

    A uniform sample is the beginning of a random permutation (Fisher and Yates). With decay, the edges with the lowest
    keys are drawn: logarithms of the keys of Efraimidis and Spirakis (Information Processing Letters 97, 2006), which
    do not underflow for old edges.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 0], [1, 2, 3], time=[10, 30, 20], time_unit="s", device="cpu"
    ... )
    >>> offsets, ids, times, _ = fr.sample_temporal_neighbors(
    ...     graph, [0], 2, before=30, method="latest"
    ... )
    >>> ids, times
    (array([3, 1], dtype=int32), array([20, 10]))
    """
    warn_of_replaced_times(graph)
    count = sample_size(count, "count")
    flag(inclusive, "inclusive")
    one_of(method, "method", METHODS)
    if (seed is None) != (method == "latest"):
        raise TypeError(f"method={method!r} {'needs a seed' if seed is None else 'draws nothing: it takes no seed'}")
    if method != "decay" and not (decay is None and half_life is None):
        raise TypeError(f"decay and half_life have no meaning with method={method!r}")
    rate = np.float64(decay_rate(graph, decay, half_life) if method == "decay" else 0)
    number = np.uint64(0 if seed is None else integer(seed, "seed") & (2**64 - 1)).astype(np.int64)
    xp = graph.xp
    vertices = vertex_ids(graph, vertices, "vertices")
    if vertices.dtype != np.int64:
        vertices = elementwise.converted(graph.device, vertices, np.int64)
    limits = xp.empty(0, np.int64) if before is None else time_limits(graph, before, vertices)
    rows, places = rows_by_time(graph, vertices)
    size = int(vertices.size)
    offsets = xp.zeros(size + 1, np.int64)
    firsts, sizes = xp.empty(size, np.int64), xp.empty(size, np.int64)
    run = _kernels(graph)
    closed = before is None
    run("locate", size, rows.offsets, rows.times, places, limits, closed, inclusive, count, firsts, sizes, offsets)
    accumulate(graph.device, offsets)
    total = int(offsets[-1])
    ids, times, edges = xp.empty(total, graph.vertex_dtype), xp.empty(total, np.int64), xp.empty(total, np.int64)
    values = rows.times, rows.ids, rows.edges, firsts, sizes, offsets
    if method == "latest":
        run("take_latest", size, *values, ids, times, edges, tile=8)
    elif method == "uniform":
        table = xp.empty((2, total if count >= LINKED_FROM else 0), np.int64)
        run("draw_uniformly", size, *values, number, *table, ids, times, edges, tile=32)
    else:
        keys = times.view(np.float64)  # until the sample is drawn
        numbers = rows.ids if graph.multi_edges != "all" else rows.edges  # of a neighbor there may be several records
        run("draw_fading", size, *values, numbers, number, rate, keys, ids, times, edges, tile=32)
    return offsets, ids, times, edges


def _kernels(graph: BaseGraph) -> Callable[..., None]:
    """Return a function that calls the kernels by name, on either device. They know no structure."""
    if not graph.device.is_gpu:
        return lambda name, *args, tile=1: cpu_kernel_for(None, CPU_KERNELS[name], ())(*args)
    from frontier.runtime.compile.cuda import load_kernel

    macros = (("VID", define_text(graph.vertex_dtype)),)
    return lambda name, *args, tile=1: load_kernel(HEADER, name, macros)(*args, tile=tile)


def time_limits(graph: BaseGraph, before: Any, vertices: Any) -> Any:
    """For each vertex the time before which edges count, or the greatest of all times if all do."""
    if getattr(before, "ndim", None) == 0 or not (hasattr(before, "__len__") or hasattr(before, "__dlpack__")):
        limit = np.iinfo(np.int64).max if before is None else time(graph, before, "before")
        return elementwise.full(graph.device, int(vertices.size), limit, np.int64)
    limits = times(graph, before, "before")
    same_length(vertices=vertices, before=limits)
    return limits


@reads
def latest_neighbors(
    graph: BaseGraph, vertices: Any, count: int, *, before: Any = None, inclusive: bool = False
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return up to `count` neighbors of each listed vertex, by its latest events.

    With ``multi_edges="all"`` each record is an event, so a neighbor may be listed repeatedly. In other graphs each
    edge is one event.

    Parameters
    ----------
    graph : Graph
        With times. `Graph.reverse` gives the latest predecessors.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    count : int
        -1 for all.
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only events with lesser times count: one time for all vertices, or one for each. By default all events do.
    inclusive : bool
        Whether events at the time `before` count, too.

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The neighbors of ``vertices[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of `vertex_dtype`, shape (offsets[-1],)
        The latest first, and of equal times the smaller id.
    times : array of int64, shape (offsets[-1],)

    Raises
    ------
    TypeError, ValueError
        An argument is invalid, or the graph has no times. The message names the argument.

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    See Also
    --------
    sample_temporal_neighbors : Random samples, and the ids of edges.

    Notes
    -----
    As for `sample_temporal_neighbors`.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 0], [1, 2, 3], time=[10, 30, 20], time_unit="s", device="cpu"
    ... )
    >>> offsets, ids, times = fr.latest_neighbors(graph, [0, 1], 2)
    >>> offsets, ids, times
    (array([0, 2, 3]), array([2, 3, 0], dtype=int32), array([30, 20, 10]))
    """
    return sample_temporal_neighbors(graph, vertices, count, before=before, inclusive=inclusive, method="latest")[:3]
