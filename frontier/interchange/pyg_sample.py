"""PyTorch Geometric's mini-batches: samples of temporal neighborhoods as one ``Data``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from frontier.core.arguments import integer, one_of, sample_size, vertex_ids
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.sort import row_ids
from frontier.features.temporal_sampling import sample_temporal_neighbors, time_limits
from frontier.features.times.arguments import edge_times
from frontier.features.times.events import event_columns
from frontier.runtime.values import kind_of

from .common import require
from .edge_index import as_tensor
from .pyg import PACKAGE, edge_tensors

DIRECTIONS = ("in", "out")
LAST_SEED = 2**64


@reads
def sample_pyg(
    graph: BaseGraph, vertices: Any, counts: Sequence[int], *, before: Any = None, inclusive: bool = False,
    method: str = "uniform", decay: float | None = None, half_life: Any = None, seed: int | None = None,
    edges: str = "in", edge_attr: Sequence[str] = (),
) -> Any:  # fmt: skip
    """Sample neighborhoods of vertices before some time, as a ``torch_geometric.data.Data`` for training.

    Each of `vertices` gets a separate connected part, as ``NeighborLoader(..., disjoint=True)`` makes of a static
    graph. Edges are the events that `sample_temporal_neighbors` finds.

    Parameters
    ----------
    graph : Graph
        With times.
    vertices : array-like of int, shape (m,)
        In any order, with duplicates.
    counts : sequence of int
        Neighbors to sample of each vertex at each distance, or -1 for all.
    before : int or timestamp, or array-like of them, shape (m,), optional
        Only edges with lesser times count, at any distance: one time for all `vertices`, or one for each.
    inclusive : bool
        Whether edges at the time `before` count, too, as with ``NeighborLoader``'s ``time_attr``.
    method, decay, half_life, seed
        As in `sample_temporal_neighbors`.
    edges : {"in", "out"}
        In a directed graph, sample predecessors, whose messages PyTorch Geometric passes along the edges (requires
        ``in_edges=True``), or successors, for models with ``flow="target_to_source"``.
    edge_attr : sequence of str
        As in `to_pyg`.

    Returns
    -------
    torch_geometric.data.Data
        On the graph's device, without a copy through the host:

        * ``n_id``: the vertex of each node, as in ``data.x = features[data.n_id]``. The first ``batch_size`` (m) are
          `vertices`.
        * ``batch``: for each node, the index in `vertices` of its part.
        * ``edge_index``: from each neighbor to the vertex that it was sampled for (with ``edges="out"``, back).
        * ``edge_time``, and the other edge tensors of `to_pyg`.
        * ``e_id``: ``graph.edge_data[name][e_id]`` are the present values of edges, or, with ``multi_edges="all"``,
          ``graph.record_data[name][e_id]`` the values of records.
        * ``seed_time``, of shape (m,), with `before`.

    Raises
    ------
    ImportError
        PyTorch Geometric is not installed.
    TypeError, ValueError
        An argument is invalid, or the graph has no times. The message names the argument.

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    Notes
    -----
    Each part samples a vertex once. The work of `sample_temporal_neighbors`, and a sort of the nodes for each distance.
    """
    edge_times(graph)
    one_of(edges, "edges", DIRECTIONS)
    if isinstance(counts, str) or not isinstance(counts, Iterable):
        raise TypeError(f"counts must be a list of integers, one for each distance, not {kind_of(counts)}")
    counts = [sample_size(count, f"counts[{i}]") for i, count in enumerate(counts)]
    columns = event_columns(graph)
    library = require("torch_geometric", PACKAGE, "sample_pyg")
    torch = require("torch", "torch", "sample_pyg")
    xp = graph.xp
    searched = graph if edges == "out" or not graph.directed else graph.reverse
    starts = vertex_ids(graph, vertices, "vertices").astype(np.int64)
    limits = time_limits(graph, before, starts)
    # A node is a vertex in a part. `keys` has all nodes in the order in which they were reached.
    keys = xp.arange(starts.size, dtype=np.int64) * graph.num_vertices + starts
    begin, found = 0, []
    for hop, count in enumerate(counts):
        parts, members = keys[begin:] // max(graph.num_vertices, 1), keys[begin:] % max(graph.num_vertices, 1)
        offsets, neighbors, _, ids = sample_temporal_neighbors(
            searched, members, count, before=None if before is None else limits[parts], inclusive=inclusive,
            method=method, decay=decay, half_life=half_life,
            seed=None if seed is None else (integer(seed, "seed") + (hop << 32)) % LAST_SEED,
        )  # fmt: skip
        rows = row_ids(graph.device, offsets, np.dtype(np.int64))
        size = int(keys.size)
        keys, places = _joined(xp, keys, parts[rows] * graph.num_vertices + neighbors)
        found.append((places, rows + begin, ids))
        begin = size
    ends = [xp.concatenate([each[i] for each in found]) if found else xp.empty(0, np.int64) for i in range(3)]
    source, target, ids = ends if edges == "in" else (ends[1], ends[0], ends[2])
    values = {name: column[ids] for name, column in columns.items()}
    stored = edge_tensors(graph, {"src": source, "dst": target, **values}, ids, edge_attr)
    nodes = {"n_id": keys % max(graph.num_vertices, 1), "batch": keys // max(graph.num_vertices, 1)}
    if before is not None:
        nodes["seed_time"] = limits
    return library.data.Data(
        num_nodes=int(keys.size), batch_size=int(starts.size), **stored,
        **{name: as_tensor(torch, array) for name, array in nodes.items()},
    )  # fmt: skip


def _joined(xp: Any, keys: Any, reached: Any) -> tuple[Any, Any]:
    """Return the distinct `keys`, followed by other keys in `reached`, and the position of each of `reached`."""
    distinct, first, places = xp.unique(xp.concatenate([keys, reached]), return_index=True, return_inverse=True)
    order = xp.argsort(first)
    number = xp.empty(order.size, np.int64)
    number[order] = xp.arange(order.size)
    return distinct[order], number[places[keys.size :]]
