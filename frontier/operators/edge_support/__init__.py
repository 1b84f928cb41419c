"""edge_support: the number of triangles that contain each edge."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import reads_both, workspace_of
from frontier.core.registry import csr_structure

from ..copies import static_rows
from ..dispatch.gpu_balance import workers_for
from ..dispatch.kernels import cpu_kernel_for, run_cpu
from ..extract import transposed_rows
from ..intersect_arcs import launch
from ..orientation import Orientation, count_support
from .cpu import make_edge_support

HEADER = "frontier/operators/edge_support/edge_support.cuh"


@reads_both
def edge_support(up: BaseGraph | Orientation, down: BaseGraph | None = None) -> Any:
    """The support of every edge of an undirected graph: the number of triangles that contain it.

    Parameters
    ----------
    up : Graph or Orientation
        A static copy of an acyclic orientation. Each edge points from the end that comes first in some order of the
        vertices to the second, ideally from the end of lower degree. `Orientation.copy` makes it. An `Orientation` of a
        graph of any structure is accepted as well.
    down : Graph, optional
        The same edges reversed, also a static copy, by default made of `up`. Not for an `Orientation`.

    Returns
    -------
    array of int32, shape (up.num_arcs,), on the graphs' device
        Indexed by slots of `up`. For an `Orientation` indexed by the `edge` of its graph, as functors see it, shape
        ``(edge_capacity,)``: the support is at the arc that leads up. If both arcs of an edge have entries, the entry
        of the arc that leads down is 0.

    Raises
    ------
    TypeError
        `up` or `down` is not a static copy.
    ValueError
        They differ in size.
    RuntimeError
        The graph has been updated since the `Orientation` was made.

    See Also
    --------
    intersect_arcs : The sum over all arcs.
    Orientation : The argument that needs no static copy.
    frontier.intersect : Common neighbors of listed pairs.

    Notes
    -----
    O(sum over arcs y -> x of the degree of y) work, as for `intersect_arcs`. Each triangle y, x, w (in the order of the
    vertices) also costs one atomic addition in memory, for the edge y -> w. The additions for y -> x and x -> w are
    gathered first, while x's neighbors are in a set.
    """
    if isinstance(up, Orientation):
        if down is not None:
            raise ValueError("down cannot be given: an Orientation needs no second graph")
        up.check_version()
        return count_support(up)
    for name, graph in (("up", up), ("down", up if down is None else down)):
        if not isinstance(graph, csr_structure()):
            raise TypeError(f"{name} must be a static copy, such as Orientation.copy makes")
    if down is None:
        down = static_rows(up, *transposed_rows(up, up.offsets, up.indices))
    if (down.num_vertices, down.num_arcs) != (up.num_vertices, up.num_arcs) or down.device != up.device:
        raise ValueError("up and down must be the same edges in both directions, on the same device")
    support = up.xp.zeros(up.num_arcs, np.int32)
    if not up.num_arcs:
        return support
    if up.device.is_gpu:
        workspace_of(up).counters.reset()
        launch(up, down, HEADER, support=support)
        return support
    kernel, count = cpu_kernel_for(up.package, make_edge_support, ()), up.num_vertices
    longest = int(up.store.degrees().max())
    tickets = np.zeros(1, np.int64)
    views = up.store.bare_view(), down.store.bare_view()
    run_cpu(kernel, (), workers_for(count), count, longest, up.store.has_sorted_lists, *views, tickets, support)
    return support
