"""rehearse: what will be needed is compiled in another thread, before it is called for.

Kernels are linked with functors on the machine where they run, one after another as they are first called, and an
update of an analytic goes through some ten of them. Linking does not hold Python's lock. So the first time that a
machine sees an analytic of a kind of graph, small graphs of that kind go through a few batches in a thread of their
own, while the caller works on the graph itself. Who needs a kernel that is under way waits for it; other kernels are
compiled as ever.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .arguments import check_dynamic_graph
from .functor import import_compilers, is_checking
from .io import rmat, stream_edges
from .runtime.cache import cached, source_fingerprint
from .values import kind_of

if TYPE_CHECKING:
    from .dynamic import DynamicGraph

SHAPES = ((11, 16, 8), (12, 6, 8), (14, 4, 2))
"""Scales and edge factors of R-MAT graphs, and how many batches: dense, sparse, and in batches that are not small."""
ENABLED = "DYNFRONTIER_REHEARSE"

_log = logging.getLogger("dynfrontier")
_begun: set[tuple] = set()
_this_thread = threading.local()  # `rehearses`: whether it does


def rehearse(graph: DynamicGraph, name: str, play: Callable[[DynamicGraph, list], None]) -> None:
    """Begin to compile what an analytic of this graph will need, unless this machine has it compiled.

    The incremental analytics do so when they are made. It has an effect on GPUs only, and none where the environment
    variable ``DYNFRONTIER_REHEARSE`` is 0.

    Parameters
    ----------
    graph : DynamicGraph
        It is not touched.
    name : str
        What is rehearsed: the same name stands for the same code.
    play : function ``play(graph, batches)``
        Does with small graphs, which are empty and otherwise like `graph`, what is to be compiled. It is called in
        another thread, and no error in it is seen. `batches` are pairs of arrays of ids.

    Raises
    ------
    TypeError
        `graph` is not a dynamic graph, or an argument is of another type.
    """
    check_dynamic_graph(graph)
    if not isinstance(name, str) or not callable(play):
        raise TypeError(f"name and play must be a str and a function, not {kind_of(name)} and {kind_of(play)}")
    if not graph.device.is_gpu or is_checking() or getattr(_this_thread, "rehearses", False):
        return
    key = name, type(graph).name, _traits(graph)
    if key in _begun or os.environ.get(ENABLED) == "0":
        return
    _begun.add(key)
    import_compilers()  # which two threads must not do at the same time
    threading.Thread(target=_run, args=(graph, key, play), name="dynfrontier-rehearsal").start()


def _traits(graph: DynamicGraph) -> tuple:
    """What graphs of a structure must have in common to use the same kernels."""
    types = str(graph.vertex_dtype), str(graph.weight_dtype)
    return (*types, graph.directed, graph.directed and graph.has_in_edges, graph.edge_data is not None)


def _run(graph: DynamicGraph, key: tuple, play: Callable) -> None:
    from .runtime.cuda import current_arch, toolchain_version

    def rehearsal() -> bytes:
        for scale, edge_factor, count in SHAPES:
            edges = rmat(scale, edge_factor)
            twin: Any = type(graph)(
                edges.num_vertices, device=graph.device, directed=graph.directed, weight_dtype=graph.weight_dtype,
                vertex_dtype=graph.vertex_dtype, in_edges=graph.directed and graph.has_in_edges,
                edge_data=None if graph.edge_data is None else {},
            )  # fmt: skip
            play(twin, [(batch.src, batch.dst) for batch in stream_edges(edges, -(-len(edges) // count))])
        return b"done"

    _this_thread.rehearses = True
    try:
        sources = source_fingerprint(".py"), source_fingerprint(".cuh")
        cached("cuda", "rehearsal", (repr(key), repr(SHAPES), current_arch(), toolchain_version(), *sources), rehearsal)
    except BaseException as error:  # then kernels are compiled when they are called for
        _log.debug("the rehearsal of %s failed", key, exc_info=error)

