"""Lists of neighbors that operations of a mixed batch ask for, on a GPU (`on_cpu.History` on a CPU).

An arc exists from one position of the batch to another, and the queries that see it are a range of the sorted queries
for its source. So each arc is written once for each such query, and the result is sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.sort import accumulate, id_bits, last_of_runs, places_of_ids, sort_pairs
from frontier.operators.extract import collect_arcs
from frontier.runtime import Kernels
from frontier.runtime.memory import elementwise

from .operations import NEIGHBORS
from .pairs import MixedBatch


def list_neighbors(graph: Any, kernels: Kernels, batch: MixedBatch, changes: Any, answers: Any) -> tuple[Any, Any]:
    """Offsets of the lists, by operation, and the neighbors, ascending in each list.

    `changes` are 1 and -1 for operations that add and remove an edge, and `answers` the lengths of lists. The host
    synchronizes for each of five counts.
    """
    xp, device, size = graph.xp, graph.device, int(batch.ops.size)
    bits, shift = max(size - 1, 0).bit_length(), id_bits(graph.num_vertices)
    sources, offsets = xp.empty(size, graph.vertex_dtype), xp.empty(size + 1, np.int64)
    kernels.find_listed(size, batch.ops, batch.src, answers, NEIGHBORS, sources, offsets)
    accumulate(device, offsets)
    total = int(device.to_host(offsets[size:])[0])
    if not total:
        return offsets, xp.empty(0, graph.vertex_dtype)
    queries = _queries(device, kernels, places_of_ids(device, sources), batch.src, bits)
    queried = queries, int(queries.size), bits
    keys, positions = _effects(graph, kernels, batch, changes, queried)
    vertices = xp.empty(queries.size, np.int64)
    kernels.query_vertices(int(queries.size), queries, bits, vertices)
    vertices = elementwise.take(device, vertices, last_of_runs(device, vertices))
    vertices = elementwise.converted(device, vertices, graph.vertex_dtype)
    rows, dst, _ = collect_arcs(graph, vertices, slots=False)
    effects = int(keys.size)
    intervals = effects + int(dst.size)
    first, covered = xp.empty(intervals, np.int64), xp.empty(intervals, np.int64)
    kernels.count_covered(
        intervals, effects, keys, positions, changes, size, shift, vertices, int(vertices.size), rows, dst, *queried,
        first, covered,
    )  # fmt: skip
    accumulate(device, covered)
    found, neighbors = xp.empty(total, np.int64), xp.empty(total, graph.vertex_dtype)
    kernels.list_covered(total, intervals, covered, first, effects, keys, shift, dst, queries, bits, found)
    found.sort()
    kernels.neighbor_ids(total, found, shift, neighbors)
    return offsets, neighbors


def _queries(device: Any, kernels: Kernels, listed: Any, src: Any, bits: int) -> Any:
    """The queries of some operations as sorted keys: a vertex, and a position in the low `bits`."""
    queries = device.xp.empty(listed.size, np.int64)
    kernels.query_keys(int(listed.size), listed, src, bits, queries)
    queries.sort()
    return queries


def _effects(
    graph: Any, kernels: Kernels, batch: MixedBatch, changes: Any, queried: tuple[Any, int, int]
) -> tuple[Any, Any]:  # fmt: skip
    """The changes of vertices with requests: keys of arcs, ascending, and positions, ascending for each arc."""
    xp, device, shift = graph.xp, graph.device, id_bits(graph.num_vertices)
    touching = xp.empty(batch.ops.size, graph.vertex_dtype)
    kernels.find_touching(int(batch.ops.size), changes, batch.src, batch.dst, graph.directed, *queried, touching)
    touching = places_of_ids(device, touching)
    size = int(touching.size) * (1 if graph.directed else 2)
    keys, positions = xp.empty(size, np.int64), xp.empty(size, np.int64)
    if size:
        kernels.effect_keys(size, touching, batch.src, batch.dst, graph.directed, shift, keys, positions)
        keys, positions = sort_pairs(device, keys, positions, key_bits=2 * shift)
    return keys, positions
