"""The members of a frontier, vertices or edges, as the operators hand them to functors one by one.

On GPUs ``frontier/cuda/members.cuh`` does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from frontier.core.base import BaseGraph
from frontier.runtime import jit, nonnegative

from ..frontiers.deferred import DeferredFrontier
from ..frontiers.edge_frontier import EdgeFrontier
from ..frontiers.frontier import graph_of
from .gpu_balance import blocks_for_at_most
from .kernels import read_view
from .signatures import ARC, OP_PARAMETERS, VERTEX
from .weights import edge_at, weight_at


class Form(NamedTuple):
    """The form in which functors see members: `parameters`, of these `kinds` (see `cuda_kernels_for`), before users'
    arguments.

    `options` are macros of CUDA kernels.
    """

    of_edges: bool
    parameters: tuple[str, ...]
    kinds: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


VERTICES = Form(False, ("v",), VERTEX, ())
EDGES = Form(True, OP_PARAMETERS, ARC, (("OF_EDGES", "1"),))


class Arcs(NamedTuple):
    """The members of a frontier of edges, for CPU kernels."""

    sources: Any
    slots: Any
    neighbors: Any
    weights: Any


def form_of(frontier: Any) -> tuple[BaseGraph, Form]:
    """The graph of a frontier, and the form of its members. Raises unless all of them exist."""
    if isinstance(frontier, EdgeFrontier):
        frontier.check()
        return frontier.graph, EDGES
    return graph_of(frontier), VERTICES


def kernel_members(frontier: Any, op: Callable) -> tuple:
    """The members as arguments of CUDA kernels (``MEMBERS_PARAMS``), or the argument of CPU kernels that call `op`."""
    graph = frontier.graph
    if isinstance(frontier, DeferredFrontier):
        return frontier.listed, frontier.number, frontier.listed.size, graph.num_vertices
    if not isinstance(frontier, EdgeFrontier):
        return (frontier._members(), None, 0, 0) if graph.device.is_gpu else (frontier._members(),)
    if graph.device.is_gpu:
        return graph.view(), frontier._sources, frontier._slots
    return (Arcs(frontier._sources, frontier._slots, graph.store.neighbors, read_view(graph, op)[1]),)


def kernel_size(frontier: Any) -> tuple[int, int | None]:
    """The exact number of members and None, or an upper bound and the blocks of a launch over them."""
    if isinstance(frontier, DeferredFrontier):
        most = max(frontier.listed.size, 1)
        return most, blocks_for_at_most(most)
    return len(frontier), None


def member_call(op: Any, of_edges: bool) -> Any:
    """A functor over members, called as ``call(members, i, args)`` by CPU kernels."""
    if not of_edges:
        return jit(lambda members, i, args: op(nonnegative(members[nonnegative(i)]), *args))

    def call(members, i, args):
        slot = nonnegative(members.slots[nonnegative(i)])
        weight = weight_at(members.weights, slot)
        source, neighbor = nonnegative(members.sources[i]), nonnegative(members.neighbors[slot])
        return op(source, neighbor, edge_at(members.weights, slot), weight, *args)

    return jit(call)
