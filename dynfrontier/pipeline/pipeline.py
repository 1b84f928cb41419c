"""`Pipeline`: a stream that is read, applied to a graph, and analyzed, with reading and delivery hidden behind work."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from threading import get_ident
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack, cast

from frontier.core.arguments import check_dynamic_graph
from frontier.core.results import ObserverError, UpdateResult
from frontier.features.windows.window import SlidingWindow, WindowResult
from frontier.names import VertexNames
from frontier.names.arguments import check_vertex_names
from frontier.runtime import Device, HeldInterrupts
from frontier.runtime.values import flag, integer, one_of

from .analytics import Analytics, Callback, Delivery, check_analytics
from .batch import PipelineBatch, PipelineError, Totals, begin_to_fetch
from .channel import Ahead
from .checkpoint import Checkpoints, load_checkpoint
from .objective import BatchSize, Objective
from .records import Decoder, RecordColumns, SourceError
from .reporting import BatchLog, Metrics, ProgressLine
from .sources import BATCH_SIZE, SocketSource, check_source, open_source, usual_batch_size
from .staging import Part, Staging

if TYPE_CHECKING:
    from frontier.distributed import Engine
    from frontier.graphs import DynamicGraph

clock = time.perf_counter  # a test has another


class ResumeOptions(TypedDict, total=False):
    """Arguments of `Pipeline`, which describes them, without `window`, `names` and `checkpoint`: for type checkers."""

    columns: Any
    batch_size: int | None
    on_existing: str
    objective: str | None
    ahead: int
    synchronous: bool
    every: Any
    log: str | os.PathLike[str] | None
    metrics: str | os.PathLike[str] | None
    progress: bool


class Pipeline:
    """Reads a stream into a graph, batch by batch, and runs analytics after each.

    Other threads read and decode the stream, and copy it to the GPU in a separate CUDA stream, while the caller's
    thread updates the graph. Iterate over a pipeline to get a `PipelineBatch` and the graph after each batch, or `run`
    it with callbacks, which are called in a separate thread. Batches come in the order of the source. At most `ahead`
    parts are read ahead.

    Parameters
    ----------
    source
        One of these. Do not change arrays that it has yielded.

        * a file's name, of any format of `frontier.io.read_edges`. Text, also compressed, Parquet and Arrow files are
          read part by part. Vertices have the ids of the file, less 1 for formats that count from 1. Names are the ids
          of the file.
        * a tuple ``(src, dst)``, ``(src, dst, weights)`` or ``(src, dst, weights, time)`` of arrays, a dictionary of
          arrays, a pandas or Arrow table, an `EdgeList` or an `EdgeStream`,
        * an iterable, such as a generator, of any of these: batches. In a dictionary, ``"operation": "delete"`` makes
          it a batch of deletions,
        * a function from the number of a row to an iterable from there on,
        * a `SocketSource`.
    graph : DynamicGraph
    analytics : dict of str to callable or pair, optional
        Run after each batch, with results in `PipelineBatch.results`. Each is a function of the graph, or a pair such
        as ``(DynamicTriangleCount, "total")``: an incremental analytic, which is created here, and its attribute to
        read. Arrays, also in dictionaries, lists, tuples and results of algorithms, are copied to the host meanwhile.
    window : SlidingWindow, str, timedelta or dict, optional
        Insert by a sliding window: one on the same graph, or its span, or its arguments, such as ``{"count": 10**6}``.
    names : VertexNames, optional
        ``src`` and ``dst`` contain names instead of ids. New names get ids in order of the rows, deletions included,
        and the graph grows with each batch. With ``VertexNames("str")`` all ids of a file are names, as written.
    columns : dict of str to str, or sequence of str, optional
        The names of ``src``, ``dst``, ``weights``, ``time`` or a column of edge data in tables and dictionaries. For
        files, see `read_edges`.
    batch_size : int, optional
        Rows of a batch. By default each item of an iterable is one batch, otherwise 65,536.
    on_existing : {"replace", "keep", "add"}
        As in `DynamicGraph.insert_edges`.
    objective : str, optional
        Such as ``"p99<5ms"``: adapt the batch size so at most 1 % of the batches last longer, for the update and the
        analytics. It starts with `batch_size`. Items of an iterable are split but not joined.
    ahead : int
        Parts to read ahead: items, or about a million rows of a large array.
    synchronous : bool
        Synchronize with the device after each update and after the analytics, for exact times. Implied by `objective`.
    checkpoint : str or path-like, optional
        A folder for atomic checkpoints, also at the end, from which `resume` continues after a crash. All workers of a
        distributed graph must reach it.
    every : int, str or timedelta, optional
        Batches, or time, between two checkpoints. A minute by default.
    log : str or path-like, optional
        A file for a line of JSON after each batch.
    metrics : str or path-like, optional
        A file for Prometheus (text format), replaced atomically about once a second.
    progress : bool
        Show rows, rate and lag on the terminal.

    Attributes
    ----------
    graph : DynamicGraph
    window : SlidingWindow or None
    names : VertexNames or None
        They may already include names of rows that were read ahead.
    totals : Totals
        The rows, batches and seconds of all batches so far.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the error.
    FileExistsError
        `checkpoint` contains one, from which `resume` can continue.

    See Also
    --------
    PipelineBatch : The state after a batch.
    SocketSource : Lines of text from a socket.

    Examples
    --------
    >>> from dynfrontier import Pipeline
    >>> from structures import SlabGraph
    >>> graph = SlabGraph(5, device="cpu")
    >>> batches = [([0, 1], [1, 2]), ([2, 3], [0, 4])]
    >>> with Pipeline(batches, graph, {"degrees": lambda g: g.degrees()}) as pipeline:
    ...     for batch in pipeline:
    ...         print(batch.end, batch.num_edges, batch.results["degrees"])
    2 2 [1 2 1 0 0]
    4 4 [2 2 2 1 1]
    """

    def __init__(
        self,
        source: Any,
        graph: DynamicGraph,
        analytics: Mapping[str, Any] | None = None,
        *,
        window: Any = None,
        names: VertexNames | None = None,
        columns: Any = None,
        batch_size: int | None = None,
        on_existing: str = "replace",
        objective: str | None = None,
        ahead: int = 2,
        synchronous: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        every: Any = None,
        log: str | os.PathLike[str] | None = None,
        metrics: str | os.PathLike[str] | None = None,
        progress: bool = False,
    ):
        check_dynamic_graph(graph)
        if graph.is_part:
            raise NotImplementedError("a Pipeline is made of the DistributedGraph, not of its parts")
        check_source(source)
        self.graph = graph
        self.totals = Totals()
        self._source = source
        self._chosen = check_analytics(analytics)
        self.window = _make_window(graph, window)
        self.names = check_vertex_names(names)
        self._columns = columns
        self._size = usual_batch_size(source) if batch_size is None else integer(batch_size, "batch_size", 1)
        self._on_existing = one_of(on_existing, "on_existing", ("replace", "keep", "add"))
        size = self._size or BATCH_SIZE
        self._controller = None if objective is None else BatchSize(Objective.parse(objective), size)
        self._ahead = integer(ahead, "ahead", 1)
        self._synchronous = flag(synchronous, "synchronous") or objective is not None
        if every is not None and checkpoint is None:
            raise TypeError("every has no meaning without checkpoint")
        self._checkpoints = None if checkpoint is None else Checkpoints(checkpoint, every)
        if self._checkpoints is not None:
            self._checkpoints.check_new()
        self._resumed: dict[str, Any] | None = None
        self._log_path, self._log = log, cast(BatchLog | None, None)
        self._metrics = Metrics(metrics)
        self._shows_progress, self._progress = flag(progress, "progress"), cast(ProgressLine | None, None)
        by_name = not isinstance(source, str | os.PathLike) and isinstance(columns, Mapping)
        takes_time = graph.time_unit is not None and (self.window is None or self.window.state()["by"] == "span")
        self._decoder = Decoder(graph, takes_time, columns if by_name else None, names)

        self._started = self._closed = self._clean = self._stopping = False
        self._reports = False  # whether each batch is reported
        self._runner: int | None = None  # the thread in which `run` works
        self._analytics: Analytics | None = None
        self._delivery: Delivery | None = None
        self._reader: Ahead | None = None
        self._part: Part | None = None
        self._at = 0  # rows of the part that were applied
        self._since = (0, 0.0)  # batches and time of the last checkpoint
        self._saved = False  # whether this pipeline has written one

    @classmethod
    def resume(
        cls,
        checkpoint: str | os.PathLike[str],
        source: Any,
        analytics: Mapping[str, Any] | None = None,
        *,
        device: str | Device = "auto",
        engine: Engine | None = None,
        **options: Unpack[ResumeOptions],
    ) -> Pipeline:
        """Continue from the last checkpoint, with its graph, names and window.

        Every row of the source is applied exactly once, however often the process was killed. Results after that
        checkpoint are delivered again, with the same numbers of batches and of rows (but in other batches with
        `objective`). Name files after these numbers to replace them.

        Parameters
        ----------
        checkpoint : str or path-like
            The folder.
        source
            The same source, from its first row: applied rows are skipped. A function is called with the number of
            the next row.
        analytics : dict, optional
            The same analytics, computed from the graph. Use `add` for analytics that need the graph.
        device : {"auto", "cpu", "gpu"}
            The device of the graph, which may have changed.
        engine : Engine, optional
            The workers of a distributed graph, as in `DistributedGraph`: any number.
        **options
            The same options, without `window` and `names`.

        Raises
        ------
        FileNotFoundError
            The folder contains no checkpoint.
        ValueError
            The checkpoint is damaged.
        TypeError
            `device` is given for a distributed graph, or `engine` for a graph on one device.

        See Also
        --------
        close : Write the last checkpoint.
        """
        if options.keys() & {"window", "graph", "names"}:
            raise TypeError("resume() restores the graph, the names and the window from the checkpoint")
        if isinstance(source, SocketSource):
            raise TypeError(
                "source must start with the records that are in the graph, and a SocketSource cannot; pass a "
                "function instead, which is called with their number and returns a SocketSource of the later ones"
            )
        graph, names, state = load_checkpoint(checkpoint, device, engine)
        window = None if state["window"] is None else SlidingWindow.from_state(graph, state["window"])
        every = options.pop("every", None)
        found = cls(source, graph, analytics, window=window, names=names, **options)
        found._checkpoints = Checkpoints(checkpoint, every)
        found._resumed = state
        found.totals = Totals(**state["totals"])
        if found._controller is not None and state["batch_size"]:
            found._controller = BatchSize(found._controller.objective, state["batch_size"])
        return found

    # ---- use --------------------------------------------------------------------------------------------------------

    def add(self, name: str, analytic: Any) -> None:
        """Add an analytic, before the first batch.

        See Also
        --------
        run : Apply the stream.

        Examples
        --------
        >>> from dynfrontier import Pipeline
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(5, device="cpu")
        >>> pipeline = Pipeline(([0, 1], [1, 2]), graph)
        >>> pipeline.add("edges", lambda graph: graph.num_edges)
        >>> [batch.results["edges"] for batch in pipeline]
        [2]
        """
        if self._started:
            raise RuntimeError("analytics are added before the first batch")
        self._chosen |= check_analytics({name: analytic})

    def run(self, *callbacks: Callback) -> Totals:
        """Apply the whole stream, and close the pipeline.

        Parameters
        ----------
        *callbacks : callable
            Called with each `PipelineBatch`, in order, in a thread. They must not read the graph, which may be ahead.

        Returns
        -------
        Totals

        Raises
        ------
        PipelineError
            The source, an update, an analytic or a callback has failed. The threads have ended.

        See Also
        --------
        add : Add an analytic.
        close : End a pipeline early.

        Examples
        --------
        >>> from dynfrontier import Pipeline
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(5, device="cpu")
        >>> pipeline = Pipeline(([0, 1, 2], [1, 2, 3]), graph, batch_size=2)
        >>> totals = pipeline.run(lambda batch: print(batch.number, batch.num_edges))
        0 2
        1 3
        >>> totals.batches
        2
        """
        if callbacks:
            self._delivery = Delivery(callbacks, self._ahead)
        self._runner = get_ident()
        try:
            for batch in self:
                if self._delivery is not None:
                    self._delivery.put(batch)
            if self._delivery is not None:
                self._delivery.drain()
        except BaseException:
            self._clean = False
            raise
        finally:
            self._runner = None
            self.close()
        return self.totals

    def __iter__(self) -> Iterator[PipelineBatch]:
        return self

    def __next__(self) -> PipelineBatch:
        if self._closed or self._stopping:
            raise StopIteration
        try:
            if not self._started:
                self._start()
            if self._checkpoints is not None:
                batches, when = self._since
                if self._checkpoints.is_due(self.totals.batches - batches, clock() - when):
                    self._checkpoint()
            self._clean = False
            batch = self._next()
            self._clean = True
        except BaseException:
            self.close()
            raise
        if batch is None:
            if self._delivery is None:
                self.close()
            raise StopIteration
        return batch

    def close(self) -> None:
        """End the threads, and write a last checkpoint unless something has failed. Idempotent.

        Called by a callback or another thread during `run`, it returns at once, and `run` stops after the current
        batch. The pipeline stops maintaining its incremental analytics. A blocked source ends only if it has a method
        `interrupt`, as `SocketSource` does.

        See Also
        --------
        closed : Whether it has ended.
        """
        if self._closed:
            return
        if self._runner not in (None, get_ident()):
            self._stopping = True
            self._interrupt_source()
            if self._reader is not None:
                self._reader.close()
            return
        self._closed = True
        try:
            if self._reader is not None:
                self._interrupt_source()
                self._stop()
            if self._started and self._clean:
                self._checkpoint()
        finally:
            if self._delivery is not None:
                self._delivery.close()
            if self._progress is not None:
                self._progress.close()
            if self._log is not None:
                self._log.close()
            if self._analytics is not None:
                self._analytics.close()
            if self._started:
                self._metrics.write(self.totals, **self._gauges())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            self._clean = False
        self.close()

    @property
    def closed(self) -> bool:
        """Whether it has ended, by itself or by `close`."""
        return self._closed

    @property
    def batch_size(self) -> int | None:
        """Rows of the next batch, or None if each item of the source is one."""
        return self._size if self._controller is None else self._controller.size

    def metrics(self) -> str:
        """Counters, rates and lag now, as Prometheus reads them."""
        return self._metrics.text(self.totals, **self._gauges())

    def __repr__(self) -> str:
        state = "closed" if self._closed else "started" if self._started else "not started"
        return f"Pipeline({self.totals.records:,} records in {self.totals.batches:,} batches, {state}, {self.graph!r})"

    # ---- one batch --------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._started = True
        self._analytics = Analytics(self.graph, self._chosen)
        if self._log_path is not None:
            self._log = BatchLog(self._log_path, None if self._resumed is None else self._resumed["log_bytes"])
        if self._shows_progress:
            self._progress = ProgressLine()
        self._reports = self._log is not None or self._progress is not None or self._metrics.has_file
        self._since = self.totals.batches, clock()
        begin = self.totals.records
        # With an objective, large parts are cut as they are used.
        parts = open_source(self._source, self._decoder, begin, self._size, self._columns, self._ahead)
        staging = Staging(self.graph.device, self._ahead)
        reader = Ahead(staging.place(parts, begin), self._ahead)
        self._reader = reader

        def end() -> None:
            staging.close()
            reader.close()

        self._stop = weakref.finalize(self, end)

    def _interrupt_source(self) -> None:
        interrupt: Callable[[], None] | None = getattr(self._source, "interrupt", None)
        if interrupt is not None:
            interrupt()

    def _next(self) -> PipelineBatch | None:
        begin = clock()
        part = self._part
        if part is None:
            part = self._next_part()
            if part is None:
                return None
        at = self._at
        size = self._size if self._controller is None else self._controller.size
        stop = part.size if size is None else min(at + size, part.size)
        batch = self._apply(part.cut(at, stop), part.begin + at, part.begin + stop, begin)
        self._at = stop
        if stop == part.size:
            self._part = None
        if self._chosen:
            self._analyze(batch)
        if stop == part.size:
            part.release()
        batch.lag_seconds = clock() - part.read_at
        if self._controller is not None:
            self._controller.observe(batch.records, batch.seconds)
        self._metrics.observe(batch)
        if self._reports:
            self._report(batch)
        return batch

    def _next_part(self) -> Part | None:
        """Wait for a part. None at the end of the source."""
        assert self._reader is not None
        number = self.totals.batches
        try:
            part: Part | None = next(self._reader, None)
        except SourceError as error:
            cause: Any = error.__cause__
            raise PipelineError.of("source", number, error.record, cause) from cause
        except Exception as error:  # no memory for the rows, for example
            raise PipelineError.of("source", number, self.totals.records, error) from error
        if part is not None:
            self._part, self._at = part, 0
            part.wait()
        return part

    def _apply(self, records: RecordColumns, first: int, end: int, begin: float) -> PipelineBatch:
        """Update the graph and the totals. Interrupts are deferred until both are done."""
        totals = self.totals
        number, failure = totals.batches, None
        interrupts = HeldInterrupts()
        try:
            started = clock()
            try:
                done = self._update(records)
                if self._synchronous:
                    self.graph.device.synchronize()
            except ObserverError as error:  # the graph has changed
                done = error.result if isinstance(error.result, UpdateResult | WindowResult) else UpdateResult()
                failure = error
            except Exception as error:
                raise PipelineError.of("update", number, first, error, end) from error
            deleted, late = (done.expired, done.late) if isinstance(done, WindowResult) else (done.deleted, 0)
            batch = PipelineBatch(
                number, first, end, records.operation, done.inserted, done.replaced, deleted, late,
                self.graph.num_edges, clock() - started, 0.0, started - begin,
            )  # fmt: skip
            totals.add(batch)
            if failure is not None:
                raise PipelineError.of("analytic", number, first, failure, end) from failure
            return batch
        finally:
            interrupts.release()

    def _update(self, records: RecordColumns) -> UpdateResult | WindowResult:
        columns = records.columns
        if self.names is not None and records.needed is not None and records.needed.size:
            self.names.grow(self.graph, int(records.needed[-1]))
        if records.operation == "delete":
            return self.graph.delete_edges(columns["src"], columns["dst"])
        insert = self.graph.insert_edges if self.window is None else self.window.push
        return insert(**columns, on_existing=self._on_existing)

    def _analyze(self, batch: PipelineBatch) -> None:
        assert self._analytics is not None
        begin = clock()
        for name, function in self._analytics.functions.items():
            try:
                batch.held[name] = begin_to_fetch(function(self.graph))
            except Exception as error:
                raise PipelineError.of("analytic", batch.number, batch.begin, error, batch.end, name) from error
        if self._synchronous:
            self.graph.device.synchronize()
        batch.analytics_seconds = clock() - begin
        self.totals.analytics_seconds += batch.analytics_seconds

    # ---- reports and checkpoints ------------------------------------------------------------------------------------

    def _report(self, batch: PipelineBatch) -> None:
        if self._log is not None:
            self._log.write(batch)
        if self._metrics.is_due():
            self._metrics.write(self.totals, **self._gauges())
        if self._progress is not None:
            self._progress.step(batch, self.totals, self._gauges())

    def _gauges(self) -> dict[str, float]:
        ahead = 0 if self._reader is None else len(self._reader.channel)
        return {"edges": self.graph.num_edges, "parts_ahead": ahead, "batch_size": self.batch_size or 0}

    def _checkpoint(self) -> None:
        """Save the state between two batches, once all results are delivered."""
        if self._checkpoints is None or (self._saved and self.totals.batches == self._since[0]):
            return
        if self._delivery is not None:
            self._delivery.drain()
        self._checkpoints.save(self.graph, self.names, {
            "totals": self.totals.to_dict(),
            "window": None if self.window is None else self.window.state(),
            "batch_size": None if self._controller is None else self._controller.size,
            "log_bytes": None if self._log is None else self._log.flush(),
        })  # fmt: skip
        self._since, self._saved = (self.totals.batches, clock()), True


def _make_window(graph: Any, window: Any) -> SlidingWindow | None:
    if window is None:
        return None
    if isinstance(window, SlidingWindow):
        if window.graph is not graph:
            raise ValueError("window must be a window on the graph of the pipeline, not on another graph")
        return window
    return SlidingWindow(graph, **window) if isinstance(window, Mapping) else SlidingWindow(graph, window)
