"""Batches of a graph in parts: checked where they are, sent to the owners, and applied everywhere or nowhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..batch import Arcs
from ..form import free_bytes
from ..sort import split_keys, unique_arcs
from ..storage import stored_arrays
from ..updates import UpdateResult

if TYPE_CHECKING:
    from .part import GraphPart

EXPECTED = (TypeError, ValueError, OverflowError, MemoryError, OSError)
"""What an update, or a file, raises on purpose: the part is then as it was."""


GROWTH, BATCH_BYTES = 3, 256
"""Structures that grow may hold their arrays twice for a moment, and a batch some dozens of bytes for each arc."""


def agree(graph: GraphPart, step: Callable[[], Any]) -> Any:
    """Do something on all parts; if it raises what is expected on any, all raise the first part's error.

    Raises
    ------
    TypeError, ValueError, OverflowError, MemoryError
        Of `step`, on whatever part.
    """
    value, error = attempt(step)
    raise_first(graph, error)
    return value


def attempt(step: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """What `step` returns, and what it raises if that is expected."""
    try:
        return step(), None
    except EXPECTED as error:
        return None, error


def raise_first(graph: GraphPart, error: Exception | None) -> None:
    """Raise the error of the first part that has one, on all parts; one small exchange if there is none."""
    if not graph.comm.reduce_numbers([error is not None], "max")[0]:
        return
    kind, text = next(found for found in graph.comm.gather_objects(_described(error)) if found is not None)
    if error is not None and str(error) == text:
        raise error
    raise next(known for known in EXPECTED if known.__name__ == kind)(text)


def _described(error: Exception | None) -> tuple[str, str] | None:
    """An error as all parts can build it: CuPy's for exhausted memory is a MemoryError to those without it."""
    if error is None:
        return None
    return next(known.__name__ for known in reversed(EXPECTED) if isinstance(error, known)), str(error)


@dataclass
class Batch:
    """The arcs of a batch that this part owns: those of the first part first, each part's in its order."""

    src: Any
    dst: Any
    weights: Any


def route(graph: GraphPart, src: Any, dst: Any, weights: Any = None, *, weighted: bool = False) -> Batch:
    """Check the edges that each part has, and send their arcs to the owners of their sources.

    The order of a batch is that of the parts, and in each that of its arrays: the last of duplicates is the same as on
    one device.
    """
    xp = graph.xp

    def check() -> Any:
        return graph.local._prepare(src, dst, weights, directed=graph.directed, weighted=weighted).valid(xp)

    arcs = agree(graph, check)
    order, counts = graph.partition.by_owner(arcs.src)
    received = graph.comm.exchange_counts(counts)
    columns = (arcs.src, arcs.dst, arcs.weights)
    return Batch(*(c if c is None else graph.comm.alltoallv(c[order], counts, received)[0] for c in columns))


def apply(
    graph: GraphPart, batch: Batch, update: Callable[[], UpdateResult], *, sums: bool = False
) -> UpdateResult:  # fmt: skip
    """Change the local graph of every part, or of none.

    What the batch changes is looked up before, so that it can be undone where another part fails. That takes about as
    long as the batch itself, and is left out where all parts have several times the memory that they may need. Should
    one fail nevertheless, the graph cannot be used again.

    Parameters
    ----------
    batch : Batch
        What `update` inserts or deletes.
    sums : bool
        Whether it may fail for other reasons than memory, as sums of weights that overflow do.

    Returns
    -------
    UpdateResult
        Of all parts, in edges of the whole graph.
    """
    undo = None
    if graph.comm.size > 1 and (sums or not has_ample_memory(graph, batch)):
        undo = agree(graph, lambda: _undo(graph, batch))
    done, error = attempt(update)
    numbers = (0, 0, 0) if done is None else (done.inserted, done.replaced, done.deleted)
    *totals, failures = graph.comm.reduce_numbers([*numbers, error is not None])
    if failures:
        undone = True
        if error is None and undo is not None:
            undone = attempt(undo)[1] is None
        if failures < graph.comm.size and (undo is None or not graph.comm.reduce_numbers([undone], "min")[0]):
            graph.broken = "a batch failed on some parts and not on others: load the graph from a file"
        raise_first(graph, error)
    copies = 1 if graph.directed else 2
    inserted, replaced, deleted = (total // copies for total in totals)
    graph.changed(arcs=totals[0] - totals[2])
    return UpdateResult(inserted, replaced, deleted)


def has_ample_memory(graph: GraphPart, batch: Batch) -> bool:
    """Whether all parts have far more memory than a batch can take."""
    free = free_bytes(graph.local)
    held = sum(int(array.nbytes) for _, array in stored_arrays(graph.local))
    return bool(graph.comm.reduce_numbers(
        [free is not None and free > GROWTH * held + BATCH_BYTES * int(batch.src.size)], "min"
    )[0])  # fmt: skip


def _undo(graph: GraphPart, batch: Batch) -> Callable[[], None]:
    """What makes the local graph as it is now, after the batch has changed it."""
    local, xp = graph.local, graph.xp
    if not batch.src.size:
        return lambda: None
    keys, _ = unique_arcs(graph.device, Arcs(batch.src, batch.dst, None), graph.num_vertices)
    src, dst = split_keys(keys, graph.num_vertices, graph.vertex_dtype)
    edges = local.find_edges(src, dst, checked=False)
    present, absent = xp.flatnonzero(edges >= 0), xp.flatnonzero(edges < 0)
    weights = local.slot_weights[edges[present]] if graph.is_weighted else None

    def undo() -> None:
        local.delete_edges(src[absent], dst[absent])
        local.insert_edges(src[present], dst[present], weights)

    return undo


def ask(graph: GraphPart, src: Any, dst: Any, answer: Callable[[Any, Any], Any]) -> Any:
    """Something of each of this part's pairs of vertices, from the owner of the first; in the order of the pairs.

    Parameters
    ----------
    answer : function ``answer(src, dst)``
        Called by the owners, with arrays; gives an array.
    """
    xp, comm = graph.xp, graph.comm

    def check() -> Any:
        return graph.local._prepare(src, dst, directed=True, drop_loops=False).check()

    arcs = agree(graph, check)
    order, counts = graph.partition.by_owner(arcs.src)
    received = comm.exchange_counts(counts)
    asked = [comm.alltoallv(ids[order], counts, received)[0] for ids in (arcs.src, arcs.dst)]
    answers, _ = comm.alltoallv(answer(*asked), received, counts)
    out = xp.empty_like(answers)
    out[order] = answers
    return out
