"""`run_workload`: time the same operations on every structure, and compare the answers."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Unpack

import numpy as np

import frontier as fr
from algorithms.comparators import Digest, Exact

from ..compiling import compile_messages
from ..console import Interrupted
from ..machine import describe_run
from ..progress import WorkloadProgress, workload_progress
from ..text import counted
from ..timing import timed_call
from .analytics import Running
from .operations import MixedBatch, Operations, RecordedStream, open_records
from .report import Measured, WorkloadReport
from .workload import Workload, WorkloadOptions

REHEARSAL = 0.5
"""Duration, in seconds, of the batches that each structure rehearses if time is short, on a graph that is discarded:
they compile and load the kernels. If time suffices, all batches are rehearsed."""
ATTEMPTS = 3  # runs of a structure, if something was still compiled in one: its figures are thrown away
LEAST_BATCHES = 3  # batches that are run even if the time is up, in a rehearsal, too
FEW = 10  # with fewer batches than this, a note warns that they show little
PERCENT = 100  # with fewer batches than this, the worst one is the 99th percentile

PARTS = {"insert": "inserts", "delete": "deletes", "query": "queries"}
"""The kinds of operations of a batch, and the attributes of `MixedBatch` with them, in order of application."""


class Disagreement(RuntimeError):
    """A structure has given another answer than it must, or than another structure."""


def run_workload(
    source: Any,
    *,
    structures: str | Iterable[str] | None = None,
    device: str | fr.advanced.Device = "auto",
    seconds: float | None = None,
    quiet: bool = False,
    **options: Unpack[WorkloadOptions],
) -> WorkloadReport:
    """Run a workload on every structure, with exactly the same operations.

    Parameters
    ----------
    source : Workload, or source of one
        A file, an `EdgeList` or an `EdgeStream`. See `Workload`.
    structures : str or iterable of str, optional
        Their names in the registry, by default all dynamic ones.
    device : {"auto", "cpu", "gpu"} or Device
    seconds : float, optional
        Time for all structures, in equal shares: a structure that is out of time stops early, after three batches at
        least. Compiling kernels costs additional time.
    quiet : bool
        Show no progress. It is shown on a terminal only, on standard error.
    **options
        Options of `Workload`, if `source` is none.

    Returns
    -------
    WorkloadReport

    Raises
    ------
    Disagreement
        A structure has a wrong result. The edges that each batch must insert, delete and find, and the final edges, are
        computed in advance. Results of analytics are compared between structures.
    TypeError, ValueError
        Naming the argument and the error.
    Interrupted
        A KeyboardInterrupt, whose `found` is the report of the measurements until then.

    See Also
    --------
    recommend : Choose a structure from the measurements.

    Notes
    -----
    A structure that runs out of memory is left out, with a note. Figures never include compilation: each structure
    first runs through the batches on another graph, or through some of them if `seconds` are given. Batches are on the
    device before the clock starts.
    """
    workload = as_workload(source, options)
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be positive, got {seconds!r}")
    return run_records(
        workload, open_records(workload), choose(structures), fr.advanced.resolve_device(device), seconds, quiet
    )


def as_workload(source: Any, options: WorkloadOptions) -> Workload:
    """The workload itself, or one made of a source and options."""
    if isinstance(source, Workload):
        if options:
            raise TypeError(f"{', '.join(options)}: a Workload has its own; use dataclasses.replace to change it")
        return source
    return Workload(source, **options)


def choose(names: str | Iterable[str] | None) -> dict[str, type[fr.DynamicGraph]]:
    """Structures by name, in the order of the registry, all dynamic ones by default."""
    known = {name: kind for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)}
    wanted = list(known) if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise ValueError(f"structures: there is no {name!r}; choose from {', '.join(known)}")
    if not wanted:
        raise ValueError("structures must not be empty")
    return {name: kind for name, kind in known.items() if name in wanted}


def run_records(
    workload: Workload, records: RecordedStream, kinds: dict[str, type[fr.DynamicGraph]], device: fr.advanced.Device,
    seconds: float | None, quiet: bool,
) -> WorkloadReport:  # fmt: skip
    """`run_workload` of an open stream."""
    rows: list[Measured] = []
    notes = []
    if len(records) < records.total:
        notes.append(
            f"the first {len(records):,} of {records.total:,} records were used, {len(records) / records.total:.2%}"
        )
    weighted = records.edges.weights is not None
    fitting = {name: kind for name, kind in kinds.items() if kind.can_store_weights or not weighted}
    notes += [f"{name} left out: it stores no weights" for name in kinds if name not in fitting]
    share = None if seconds is None else seconds / max(len(fitting) * len(workload.batch_sizes), 1)
    with _interrupts() as stopped, workload_progress(quiet) as show, compile_messages(show.message, quiet=quiet):
        for size in workload.batch_sizes:
            operations = Operations(records, workload, size)
            if not operations.batches:
                raise ValueError(
                    f"batches: nothing is left to do in batches of {size:,}; preload={workload.preload} of "
                    f"{len(records):,} records leaves too little"
                )
            notes += _remarks(operations, size)
            if operations.size in {row.batch_size for row in rows}:
                continue  # the stream is too short to distinguish this size from a smaller one
            size = operations.size
            answers = Answers(operations)
            for name, kind in fitting.items():
                try:
                    row = _measure(kind, operations, workload, size, device, answers, share, show)
                except MemoryError:
                    notes.append(f"{name} left out, batches of {size:,}: out of memory")
                    continue
                rows.append(row)
                if row.batches < len(operations.batches):
                    notes.append(
                        f"{name}, batches of {size:,}: {row.batches} of {len(operations.batches)}, then time was up"
                    )
    interrupted = bool(stopped)
    if interrupted:
        notes.append("interrupted: what is not here was not measured")
    if any(row.batches < PERCENT for row in rows):
        notes.append(f"P99 of fewer than {PERCENT} batches is the time of the worst one")
    said = workload.to_dict() | {
        "records": records.total, "records_used": len(records), "vertices": records.edges.num_vertices,
        "weighted": weighted, "stream_deletes": records.inserts is not None,
    }  # fmt: skip
    report = WorkloadReport(said, device.kind, tuple(rows), tuple(notes), describe_run(device), interrupted)
    if interrupted:
        raise Interrupted(report)
    return report


@contextmanager
def _interrupts() -> Iterator[list[KeyboardInterrupt]]:
    """Leave the ``with`` block when the user interrupts it. The interrupt is in the list it yields."""
    caught: list[KeyboardInterrupt] = []
    try:
        yield caught
    except KeyboardInterrupt as error:
        caught.append(error)


def _remarks(operations: Operations, size: int) -> list[str]:
    """Remarks on the batches of a stream, of which `size` operations were requested."""
    found, count = [], len(operations.batches)
    if operations.size < size:
        found.append(f"batches of {size:,}: they are of {operations.size:,}; the stream has no more")
    if count < FEW:
        found.append(f"batches of {operations.size:,}: {counted(count, 'batch')} alone, which is too few to tell much")
    if operations.short:
        found.append(
            f"batches of {operations.size:,}: {operations.short} of {count} delete fewer edges than they should; "
            "there were no more"
        )
    return found


class Answers:
    """The expected answers of every structure, as far as they are known."""

    def __init__(self, operations: Operations):
        self._operations = operations
        self._known: dict[tuple, tuple[str, Digest]] = {}

    def check_batch(self, graph: fr.DynamicGraph, number: int, batch: MixedBatch, results: dict[str, Any]) -> None:
        for name, what in (("insert", "inserted"), ("delete", "deleted")):
            must = getattr(batch, what)
            count = getattr(results[name], what) if name in results else must
            if count != must:
                raise Disagreement(f"{graph.name}: batch {number} {name}s {count:,} edges, it must be {must:,}")
        if batch.there is not None:
            wrong = int((graph.device.to_host(results["query"]) != batch.there).sum())
            if wrong:
                raise Disagreement(f"{graph.name}: {wrong:,} queries of batch {number} are answered wrong")
        if graph.num_edges != batch.edges:
            raise Disagreement(
                f"{graph.name}: after batch {number} there are {graph.num_edges:,} edges, it must be {batch.edges:,}"
            )

    def check_result(self, graph: fr.DynamicGraph, number: int, task: Running, answer: tuple[Any, ...]) -> None:
        """Compare the result of an analytic with the first structure's."""
        # Incremental or recomputed, the result is the same.
        key, mine = (task.chosen.analytic.name, number), task.digest(answer)
        first, known = self._known.setdefault(key, (graph.name, mine))
        if not task.same(known, mine):
            raise Disagreement(
                f"{task.chosen.name} after batch {number}: the result on {graph.name} differs from that on {first}"
            )

    def check_end(self, graph: fr.DynamicGraph, number: int) -> None:
        """Compare the graph's edges with the expected ones, and weights with other structures'."""
        src, dst, weights = graph.to_coo()
        if number == len(self._operations.batches):
            keys = src.astype(np.int64) * graph.num_vertices + dst
            if not np.array_equal(graph.device.to_host(keys), self._operations.edges):
                raise Disagreement(f"{graph.name}: its edges after the last batch are wrong")
        columns = (src, dst) if weights is None else (src, dst, weights)
        mine = Exact().digest(tuple(graph.device.to_host(column) for column in columns))
        first, known = self._known.setdefault(("the edges", number), (graph.name, mine))
        if known != mine:
            raise Disagreement(f"after batch {number} the edges of {graph.name} and {first} differ")


def _measure(
    kind: type[fr.DynamicGraph], operations: Operations, workload: Workload, size: int, device: fr.advanced.Device,
    answers: Answers, seconds: float | None, show: WorkloadProgress,
) -> Measured:  # fmt: skip
    """Measure one structure at one batch size, after its kernels were compiled."""
    run = partial(_run, kind, operations, workload, size, device, answers)
    what, count = f"{kind.name}, batches of {size:,}", len(operations.batches)
    limit = float("inf") if seconds is None else seconds
    left = limit if seconds is None else min(REHEARSAL, limit)
    compiled: list[str] = []

    def rehearsing(taken: float) -> bool:
        nonlocal left
        show.step()
        left -= 0.0 if compiled else taken
        compiled.clear()
        return left > 0

    def measuring(taken: float) -> bool:
        show.step()
        return time.perf_counter() <= end

    with fr.advanced.on_compile(compiled.append):
        show.begin(f"{what}, rehearsed", count)
        run(rehearsing, rehearsal=True)
        for attempt in range(ATTEMPTS):
            show.begin(f"{what}, once more" if attempt else what, count)
            compiled.clear()
            end = time.perf_counter() + limit
            with _no_collection():
                row = run(measuring)
            if not compiled:
                break
    return row


def _run(
    kind: type[fr.DynamicGraph], operations: Operations, workload: Workload, size: int, device: fr.advanced.Device,
    answers: Answers, goes_on: Callable[[float], bool], rehearsal: bool = False,
) -> Measured:  # fmt: skip
    """Run batches on a new graph while `goes_on` accepts the seconds of the last one."""
    build_seconds, graph = _load(kind, operations.preloaded, workload, device)
    start_seconds, tasks = {}, []
    for chosen in workload.chosen:
        taken, task = timed_call(partial(Running, chosen, graph, operations.start), device.synchronize)
        tasks.append(task)
        if task.watch is not None:
            start_seconds[chosen.name] = taken
    held = [name for name in PARTS if any(getattr(batch, PARTS[name]) is not None for batch in operations.batches)]
    seconds: dict[str, list[float]] = {name: [] for name in (*held, *(task.chosen.name for task in tasks))}
    counts = dict.fromkeys(PARTS, 0)
    number = 0
    for number, batch in enumerate(operations.batches, 1):
        taken_by = _apply(graph, tasks, batch, number, answers)
        for name, times in seconds.items():
            times.append(round(taken_by.get(name, 0.0), 9))  # absent operations count as 0
        for name, part in PARTS.items():
            held_part = getattr(batch, part)
            counts[name] += 0 if held_part is None else len(held_part[0])
        if not goes_on(sum(taken_by.values())) and number >= LEAST_BATCHES:
            break
    if rehearsal and number < len(operations.batches) and "delete" in held:
        with suppress(MemoryError):
            graph.compact()  # as deletions of a later batch may do
    answers.check_end(graph, number)
    memory = graph.memory_usage()
    return Measured(
        kind.name, size, counts, seconds, build_seconds, start_seconds, graph.num_edges, memory.used, memory.reserved,
        memory.csr,
    )  # fmt: skip


def _load(
    kind: type[fr.DynamicGraph], edges: fr.io.EdgeList, workload: Workload, device: fr.advanced.Device
) -> tuple[float, fr.DynamicGraph]:
    columns = (edges.src, edges.dst, edges.weights)
    src, dst, weights = (None if column is None else device.xp.asarray(column) for column in columns)
    return timed_call(
        lambda: kind.from_edges(
            src, dst, weights, edges.num_vertices, directed=workload.directed, device=device
        ),
        device.synchronize,
    )  # fmt: skip


def _apply(
    graph: fr.DynamicGraph, tasks: list[Running], batch: MixedBatch, number: int, answers: Answers
) -> dict[str, float]:  # fmt: skip
    """Apply and check one batch, and return the seconds of each part."""
    seconds = dict.fromkeys((task.chosen.name for task in tasks), 0.0)
    results: dict[str, Any] = {}
    for name, call in {"insert": graph.insert_edges, "delete": graph.delete_edges, "query": graph.has_edges}.items():
        part = getattr(batch, PARTS[name])
        if part is None:
            continue
        arrays = [None if array is None else graph.xp.asarray(array) for array in part]
        for task in tasks:
            if task.watch is not None:
                task.watch.seconds = 0.0
        taken, results[name] = timed_call(partial(call, *arrays), graph.device.synchronize)
        for task in tasks:
            if task.watch is not None:
                seconds[task.chosen.name] += task.watch.seconds
                taken -= task.watch.seconds
        seconds[name] = taken
    answers.check_batch(graph, number, batch, results)
    for task in tasks:
        taken, answer = timed_call(task.run, graph.device.synchronize)
        seconds[task.chosen.name] += taken
        answers.check_result(graph, number, task, answer)
    return seconds


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable Python's garbage collector within the block."""
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
