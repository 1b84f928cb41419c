"""``dynfrontier workload``: measure structures on a workload and recommend one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import EXIT_CODE, Interrupted, err, fail, out, say, user_errors
from ..options import DeviceName, Input, pick_device, reads_a_file
from ..outputs import check_outputs, check_picture

if TYPE_CHECKING:
    from ..workload import Recommendation, Workload, WorkloadReport


SHOWING = ("read", "objective", "markdown", "plot", "json", "quiet")
"""Parameters that ``--read`` accepts. All others define the workload."""


@reads_a_file
def workload(
    context: typer.Context,
    given: Annotated[
        Input | None,
        typer.Argument(help="A graph file, sorted by time if it has times, or lines '+ u v' and '- u v'."),
    ] = None,
    generate: Annotated[
        str | None,
        typer.Option("--generate", "-g", help="Instead of a file: rmat, uniform, hubs, growth, grid or road.",
                     show_default="rmat without a file"),
    ] = None,
    scale: Annotated[int, typer.Option(min=1, max=28, help="Generated stream: 2**scale vertices.")] = 16,
    edge_factor: Annotated[float, typer.Option(min=0, help="Generated stream: rows for each vertex.")] = 16,
    batch: Annotated[
        list[int] | None,
        typer.Option("--batch", "-b", min=1, help="Operations in a batch (repeatable).",
                     show_default="4096"),
    ] = None,
    mix: Annotated[
        str | None,
        typer.Option(help="Percent insertions, deletions and queries of a batch, such as 70/20/10.",
                     show_default="100/0/0"),
    ] = None,
    oldest: Annotated[
        bool, typer.Option("--oldest/--random", help="Delete what was inserted first, as from a sliding window.")
    ] = False,
    analytic: Annotated[
        list[str] | None,
        typer.Option("--analytic", "-a", help="An analytic to run after each batch, by a name that `dynfrontier run` "
                     "lists, such as bfs, or dynamic_bfs for its incremental form (repeatable)."),
    ] = None,
    preload: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the stream that is loaded before the first batch.")
    ] = 0.5,
    batches: Annotated[int, typer.Option(min=1, help="Most batches.")] = 50,
    structure: Annotated[
        list[str] | None,
        typer.Option("--structure", "-s", help="Only this one (repeatable).", show_default="all"),
    ] = None,
    device: DeviceName = "auto",
    objective: Annotated[
        str, typer.Option("--objective", "-o", help="What to minimize: time, latency (P99) or memory.")
    ] = "time",
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, help="Time limit. A longer stream is truncated.",
                     show_default="no limit"),
    ] = None,
    directed: Annotated[bool, typer.Option("--directed", help="Treat u v and v u as different edges.")] = False,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal operations.")] = 1,
    read: Annotated[
        Path | None, typer.Option("--read", help="Run nothing, and show a file that --json of an earlier run wrote.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the figures into this file (matplotlib).")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the structure's name.")] = False,
) -> None:  # fmt: skip
    """Run a workload on every structure, and name the one that suits it.

    A prefix of the stream is loaded. Batches of insertions, deletions and queries follow, with analytics after each.
    Every structure gets the same operations and must give the same answers. If one does not, the exit code is 1.

    Examples:

    - `dynfrontier workload --generate rmat --scale 14 --batch 4096 --mix 70/20/10 --analytic pagerank`
    - `dynfrontier workload transactions.csv -b 1000 -b 100000 --analytic dynamic_triangle_count --json report.json`
    - `dynfrontier workload --read report.json --objective memory --plot report.png`
    """
    check_picture(plot)
    from ..workload import OBJECTIVES, Workload, WorkloadReport
    from ..workload.recommend import judge

    if objective not in OBJECTIVES:
        fail(f"--objective must be {', '.join(OBJECTIVES)}, not {objective!r}")
    check_outputs(read if given is None else given.path, plot=plot, json=json)
    show = partial(_show, plot=plot, json=json, markdown=markdown, quiet=quiet)
    if read is not None:
        if needless := _given(context):
            fail(f"--read shows an earlier run; leave out {', '.join(needless)}")
        with user_errors(ValueError, OSError):
            found = judge(WorkloadReport.read_json(read), objective)
    else:
        place = pick_device(device)
        with user_errors(ValueError, OSError, ImportError):
            deletes, queries = shares(mix)
            chosen = Workload(
                _open(given, generate, scale, edge_factor, seed),
                batch_size=batch or 4096, deletes=deletes, queries=queries,
                delete_order="oldest" if oldest else "random", preload=preload, batches=batches,
                analytics=analytic or (), directed=directed, seed=seed,
                name=given.name if given else f"{generate or 'rmat'}, scale {scale}, seed {seed}",
            )  # fmt: skip
        try:
            found = _run(chosen, structure, place, objective, seconds, quiet)
        except Interrupted as stopped:
            show(stopped.found)
            fail("interrupted: there is no recommendation", code=EXIT_CODE)
    show(found.report)
    if quiet:
        out.print(found.structure)
    else:
        out.print(found.reason.replace(found.structure, f"[bold green]{found.structure}[/]", 1), soft_wrap=True)


def _given(context: typer.Context) -> list[str]:
    """The options of the command line that ``--read`` excludes."""
    return [
        "the stream" if parameter.name in ("file", "generate") else parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in SHOWING
        and getattr(context.get_parameter_source(str(parameter.name)), "name", "") == "COMMANDLINE"
    ]  # fmt: skip


def shares(mix: str | None) -> tuple[float, float]:
    """The shares of deletions and queries that ``--mix`` names."""
    if mix is None:
        return 0.0, 0.0
    try:
        parts = [float(part) for part in mix.split("/")]
    except ValueError:
        parts = []
    if len(parts) != 3 or min(parts) < 0 or abs(sum(parts) - 100) > 1e-6:
        raise ValueError(f"--mix must be three percentages with a sum of 100, such as 70/20/10, not {mix!r}")
    return parts[1] / 100, parts[2] / 100


def _open(given: Input | None, generate: str | None, scale: int, edge_factor: float, seed: int) -> Any:
    if given is not None:
        if generate is not None:
            fail("--generate is for when there is no file; leave out one of them")
        return given.stream()
    from ..workload.generated import generate as make

    return make(generate or "rmat", scale, edge_factor, seed)


def _run(
    chosen: Workload, structures: list[str] | None, device: Any, objective: str, seconds: float | None, quiet: bool
) -> Recommendation:  # fmt: skip
    from ..workload import Disagreement, recommend, run_workload
    from ..workload.recommend import judge

    try:
        with user_errors(ValueError):
            if seconds is not None:
                return recommend(chosen, objective, structures=structures, device=device, seconds=seconds, quiet=quiet)
            return judge(run_workload(chosen, structures=structures, device=device, quiet=quiet), objective)
    except Disagreement as error:
        fail(error, code=1)


def _show(report: WorkloadReport, *, plot: Path | None, json: Path | None, markdown: bool, quiet: bool) -> None:
    if not quiet:
        from rich.markup import escape

        machine = report.header["machine"]
        place = f"{report.device.upper()} ({machine.get('gpu') or machine['cpu']})"
        err.print(f"[bold]{escape(report.title)}[/bold]; on the {place}", soft_wrap=True)
        if markdown:
            typer.echo("\n\n".join(table.markdown() for table in report.tables()))
        else:
            out.print(report.rich())
        for note in report.notes:
            say(f"note: {note}", err)
    if json is not None:
        with user_errors(OSError):
            report.write_json(json)
    if plot is not None and report.rows:
        from ..workload.plot import plot_report

        with user_errors(OSError, ValueError):
            plot_report(report, plot)
