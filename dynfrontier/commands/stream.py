"""``dynfrontier stream``: the main job."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..console import EXIT_CODE, err, fail, out, say, user_errors
from ..options import DeviceName, Input, StructureName, pick_device, pick_structure, reads_a_file
from ..outputs import check_outputs, check_page, check_picture, write_json

if TYPE_CHECKING:
    import frontier as fr

    from ..job import Applied, StreamJob
    from ..report import Report
    from ..times import Span

GENERATED = {"cpu": (15, 4096), "gpu": (18, 65536)}
"""Scale and batch size of the stream that is generated when no file is named, for a run of seconds."""
GENERATED_WINDOW = 3 / 4  # lifetime of an edge, as a fraction of that stream's batches: edges come and go
FILE_BATCH = 65536
NO_ANALYTIC = "none"
CHECK_SECONDS = 10.0  # duration of a check, in seconds, if the stream and its generation or reading took less


class Run(NamedTuple):
    """The applied batches, their seconds, and whether the user interrupted the stream."""

    steps: list[Applied]
    seconds: float
    interrupted: bool


class Files(NamedTuple):
    """The files to write, or None."""

    plot: Path | None
    json: Path | None
    page: Path | None


@reads_a_file
def stream(
    given: Annotated[
        Input | None,
        typer.Argument(help="A graph file, sorted by time if it has times, or lines '+ u v' and '- u v'. "
                            "- for standard input. Without one, a scale-free (R-MAT) stream is made."),
    ] = None,
    analytic: Annotated[
        str,
        typer.Option("--analytic", "-a",
                     help="What is counted after every batch: triangle_count, connected_components, k_truss, "
                          "core_number, coloring, louvain, label_propagation, or none to only update the graph."),
    ] = "triangle_count",
    structure: StructureName = None,
    device: DeviceName = "auto",
    batch_size: Annotated[
        int | None,
        typer.Option("--batch-size", "-b", min=1, help="Most rows in a batch.",
                     show_default="65536, or 4096 for the generated stream on a CPU"),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option("--window", "-w", show_default="0, or three quarters of the generated stream",
                     help="Delete edges that were not seen for this many batches, or, in a file with times, for a time "
                          "such as 10min, 1h or '2d 12h'. 0 keeps all."),
    ] = None,
    scale: Annotated[
        int | None,
        typer.Option(min=1, max=26, help="Generated stream: 2**scale vertices.", show_default="15, or 18 on a GPU"),
    ] = None,
    edge_factor: Annotated[float, typer.Option(min=0, help="Generated stream: rows for each vertex.")] = 16,
    seed: Annotated[int, typer.Option(help="Generated stream: equal seeds give equal streams.")] = 1,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Check the final result against an independent one.")
    ] = True,
    plot: Annotated[Path | None, typer.Option(help="Draw counts and latencies into this file (matplotlib).")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write all results with plots into this file, a page of HTML (matplotlib).")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Show count, graph, times and rate on the terminal during the run.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the final count.")] = False,
) -> None:  # fmt: skip
    """Count triangles, or something else, after every batch of a stream of edges.

    The stream goes into a dynamic graph, batch by batch, and the count is maintained incrementally. After the results
    have been printed, the last count is checked against one from scratch, and against one that another library
    (cuGraph, SciPy, igraph or NetworkX) computes from the stream. An independent count checks the triangles of large
    graphs. The check lasts at most 10 seconds, or as long as the stream. If a complete check would last longer, it
    compares triangles at a random sample of vertices. If a count differs, the exit code is 1.

    Examples:

    - `dynfrontier stream`
    - `dynfrontier stream --live --report report.html`
    - `dynfrontier stream sx-mathoverflow.txt.gz --batch-size 1000 --window 100`
    - `dynfrontier stream changes.txt --structure csr --device cpu --json results.json`
    """
    check_picture(plot)
    check_page(report)
    check_outputs(None if given is None else given.path, plot=plot, json=json, report=report)
    place = pick_device(device)
    kind = pick_structure(structure)
    chosen = _pick_analytic(analytic)
    begin = perf_counter()
    edges, kept, setting = _open(given, place, batch_size, window, scale, edge_factor, seed, quiet)
    opened = perf_counter() - begin
    setting = {"structure": kind.name, "device": place.kind, **setting, "analytic": analytic}
    job, run = _run(kind, place, edges, kept, setting, quiet, chosen, live)
    setting["counted"] = job.counting.noun
    limit = max(opened + run.seconds, CHECK_SECONDS) if check else None
    _finish(job, run, setting, limit=limit, files=Files(plot, json, report), quiet=quiet)


def _pick_analytic(name: str) -> Any:
    """Find an analytic that can be counted after every batch. None for "none"."""
    from algorithms import analytics, find_analytic

    if name == NO_ANALYTIC:
        return None
    with user_errors(ValueError):
        found = find_analytic(name)
    known = [*analytics().values(), *([] if found.times else [found])]  # the graph of the stream has no times
    fitting = [analytic.name for analytic in known if analytic.headline and analytic.incremental]
    if found.name not in fitting:
        fail(f"--analytic {name} cannot be counted after every batch; choose from {', '.join(fitting)}, {NO_ANALYTIC}")
    return found


def _open(
    given: Input | None, device: fr.advanced.Device, batch_size: int | None, window: str | None, scale: int | None,
    edge_factor: float, seed: int, quiet: bool,
) -> tuple[fr.io.EdgeStream, int | Span, dict[str, Any]]:  # fmt: skip
    """Return the stream, its window, and the settings to report."""
    import frontier as fr

    from ..times import UNITS, unit_of

    batches = _batches(window)
    if given is None:
        usual_scale, usual_batch = GENERATED[device.kind]
        scale, batch_size = scale or usual_scale, batch_size or usual_batch
        source = f"R-MAT, scale {scale}, {edge_factor:g} records a vertex, seed {seed}"
        stream = fr.io.stream_edges(fr.io.rmat(scale, edge_factor, seed=seed), batch_size)
        batches = int(GENERATED_WINDOW * len(stream)) if window is None else batches
    else:
        batch_size, source = batch_size or FILE_BATCH, given.name
        stream = given.stream(batch_size).undirected()  # as the graph is
        if batches != 0 and stream.has_deletions:
            fail(f"{given.name} contains deletions, so --window has no meaning; leave it out")
    setting: dict[str, Any] = {"stream": source, "batch_size": batch_size}
    if batches is not None:
        return stream, batches, setting | {"window": batches}
    assert window is not None
    if not quiet and stream.edges.time_unit is None and stream.edges.times is not None:
        say(f"note: the times are taken for {UNITS[unit_of(stream.edges)]}", err)
    stream, span = _by_time(stream, window, source)
    return stream, span, setting | {"window": window}


def _batches(window: str | None) -> int | None:
    """The number of batches that ``--window`` names. None if it names a length of time."""
    if window is None:
        return 0
    try:
        batches = int(window)
    except ValueError:
        return None
    if batches < 0:
        fail(f"--window must not be negative, got {window}")
    return batches


def _by_time(stream: fr.io.EdgeStream, window: str, source: str) -> tuple[fr.io.EdgeStream, Span]:
    """The stream with integer times, and the length of time that ``--window`` names, in their unit."""
    from dataclasses import replace

    import frontier as fr

    from ..times import Span, with_integer_times

    with user_errors(ValueError):
        fr.advanced.arguments.as_span(window, "--window", "ns")  # in any unit, it is a length of time
    if stream.edges.times is None:
        fail(f"--window {window}: {source} has no times; give a number of batches, or name the column of times, such "
             "as --columns src,dst,time")  # fmt: skip
    edges = with_integer_times(stream.edges)
    unit = edges.time_unit
    assert unit is not None
    with user_errors(ValueError):
        length = fr.advanced.arguments.as_span(window, "--window", unit)
    if not length:
        fail("--window must be longer than no time; 0 keeps all edges")
    return fr.io.EdgeStream(replace(edges, time_unit=None), stream.batch_size), Span(length, unit, window)


def _run(
    kind: type[fr.DynamicGraph], device: fr.advanced.Device, stream: fr.io.EdgeStream, kept: int | Span,
    setting: dict[str, Any], quiet: bool, analytic: Any, live: bool,
) -> tuple[StreamJob, Run]:  # fmt: skip
    """Apply the stream and show the progress."""
    from rich.markup import escape

    from ..compiling import compile_messages
    from ..job import StreamJob
    from ..live import can_show_live, live_view
    from ..progress import stream_progress
    from ..text import counted, window_of

    if not quiet:
        window = f", window of {window_of(setting['window'])}" if setting["window"] else ""
        amount = f"{counted(len(stream.edges), 'record')} in {counted(len(stream), 'batch')}"
        err.print(
            f"[bold]{escape(setting['stream'])}[/bold]: {amount}{window}; "
            f"structure [bold]{kind.name}[/bold] on the [bold]{device.kind.upper()}[/bold]",
            soft_wrap=True,
        )
    with compile_messages(quiet=quiet):
        job = StreamJob(kind, device, stream, kept, analytic)
        if len(stream):
            job.warm_up()
    steps: list[Applied] = []
    view: AbstractContextManager[Any]
    if live and not quiet and can_show_live():
        view = live_view(len(stream), job.counting.noun, setting["window"], lambda: job.graph.memory_usage().used)
    else:
        view = stream_progress(len(stream), job.counting.noun, quiet)
    begin, interrupted = perf_counter(), False
    try:
        with view as show, compile_messages(show.message, quiet=quiet):
            begin = perf_counter()
            for step in job.steps():
                steps.append(step)
                show.step(step)
    except KeyboardInterrupt:
        interrupted = True
    return job, Run(steps, perf_counter() - begin, interrupted)


class Check(NamedTuple):
    """The findings of a check: differences, agreeing results in words (or ""), and the seconds of a recount."""

    wrong: list[str]
    verified: str = ""
    recount_seconds: float | None = None
    interrupted: bool = False

    @property
    def passed(self) -> bool | None:
        """None if nothing was compared."""
        return not self.wrong if self.wrong or self.verified else None


def _finish(
    job: StreamJob, run: Run, setting: dict[str, Any], *, limit: float | None, files: Files, quiet: bool
) -> None:  # fmt: skip
    """Print the results, check them, and write the files. After an interrupt, with the finished batches."""
    from ..report import checked, make_report
    from ..text import counted, duration

    steps, interrupted = run.steps, run.interrupted
    said_count = counted(steps[-1].count if steps else job.counting.value, job.counting.noun or "edge")
    report = make_report(setting, steps, job.graph, run.seconds, interrupted)
    if not quiet:
        _print_tables(report)
    check = Check([]) if interrupted else _check(job, limit, quiet)  # peers count the whole stream
    report = checked(report, check.passed, check.recount_seconds)
    if not quiet and check.recount_seconds is not None and job.counting.noun is not None:
        out.print(f"counted from scratch in {duration(check.recount_seconds)}")
    if check.wrong:
        outcome = f"not verified: counted {said_count}, but " + "; ".join(check.wrong)
    elif interrupted:
        done = f"{counted(len(steps), 'batch')} of {len(job.stream):,}"
        outcome = f"interrupted after {done}: {said_count}, not checked"
    elif check.interrupted:
        outcome = f"interrupted while it was checked: {said_count}, not checked"
    else:
        outcome = f"{said_count}, verified: {check.verified}" if check.verified else f"{said_count}, not checked"
    _write(files, report, outcome, job)
    if check.wrong:
        fail(outcome, code=1)
    if interrupted or check.interrupted:
        fail(outcome, code=EXIT_CODE)
    said = f"[green]verified[/green]: {check.verified}" if check.verified else "not checked"
    out.print(f"{said_count}, {said}", soft_wrap=True)


def _print_tables(report: Report) -> None:
    from ..report import times_table, totals_table

    for table in (totals_table(report), times_table(report)):
        out.print()
        out.print(table)
    out.print()
    out.file.flush()  # the check may be slow


def _check(job: StreamJob, limit: float | None, quiet: bool) -> Check:
    """Compare the final result with one from scratch and, within about `limit` seconds, with an independent one."""
    import frontier as fr

    from ..check import CheckTime
    from ..progress import check_progress

    wrong, verified, seconds = [], "", None
    try:
        with check_progress(quiet) as show, fr.advanced.on_compile(lambda name: show(f"compiling {name}", None)):
            time = CheckTime(limit or 0.0, show)
            time.show("checking: from scratch", None)
            verdict, seconds = job.counting.recount()
            if not verdict.agrees:
                wrong.append(f"recomputed from scratch it differs: {verdict.text}")
            if limit is not None:
                edges, verdict, verified = job.check(time)
                if not verdict.agrees:
                    wrong.append(f"an independent count finds another result: {verdict.text}")
                if edges != job.graph.num_edges:
                    wrong.append(f"the stream leaves {edges:,} edges, the graph has {job.graph.num_edges:,}")
    except KeyboardInterrupt:
        return Check(wrong, "", seconds, interrupted=True)
    return Check(wrong, verified, seconds)


def _write(files: Files, report: Report, outcome: str, job: StreamJob) -> None:
    setting = report.setting
    write_json(files.json, asdict(report))
    if files.plot is not None:
        from ..report import plot_steps

        title = f"{setting['stream']}, {setting['structure']} on the {setting['device'].upper()}"
        with user_errors(OSError, ValueError):
            plot_steps(report.steps, files.plot, title, job.counting.noun)
    if files.page is not None:
        from ..machine import describe_run
        from ..page import write_page

        with user_errors(OSError):
            write_page(report, describe_run(job.graph.device), outcome, files.page)
