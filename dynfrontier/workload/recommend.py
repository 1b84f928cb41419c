"""`recommend`: the structure that suits a workload, by numbers that were measured on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

import frontier as fr

from ..text import duration
from .operations import RecordedStream, open_records
from .report import Measured, WorkloadReport
from .runner import as_workload, choose, run_records
from .workload import Workload, WorkloadOptions

SMALLEST_SAMPLE = 2**15  # rows of the first sample, unless batches need more
GROWTH = 8  # a sample is at most this multiple of the one before it
WORTHWHILE = 2  # another sample is run if it is this multiple of the last
SCOUTS_SHARE = 0.2  # expected cost of the fewest batches on a sample, as a fraction of the time left
SCOUTING = 1e-3  # seconds for a sample that only measures its own duration: with the fewest batches
TIE = 1.05  # structures within this factor of the best tie, and another objective decides
COMPARABLE = 2
"""A structure is not compared if it had time for fewer than one in this number of the batches that another one ran."""


@dataclass(frozen=True)
class Objective:
    """An objective: its figure, the figure in words, a sentence about it, and the objective that breaks ties."""

    figure: Callable[[Measured], float]
    text: Callable[[float], str]
    sentence: str
    otherwise: str


def _bytes(count: float) -> str:
    return f"{count:.1f} bytes"


OBJECTIVES = {
    "time": Objective(lambda row: row.mean, duration, "{} takes {} a batch", "memory"),
    "latency": Objective(lambda row: row.percentile(99), duration, "{} is done with 99 % of batches within {}", "time"),
    "memory": Objective(lambda row: row.bytes_per_edge, _bytes, "{} needs {} an edge", "time"),
}
"""``"time"``: the mean time of a batch, updates, queries and analytics together. ``"latency"``: the time that 99 % of
the batches do not exceed. ``"memory"``: bytes in use for each edge."""


@dataclass(frozen=True)
class Recommendation:
    """A structure for a workload.

    Attributes
    ----------
    structure : str
        Its name in the registry: ``frontier.structures()[name]`` is the class.
    reason : str
        The numbers that decided, in a sentence or two that start with the measured figure.
    report : WorkloadReport
        All numbers. As text, a table.
    equals : tuple of str
        Other structures that tie by the objective. Another figure has decided between them.
    """

    structure: str
    reason: str
    report: WorkloadReport
    equals: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.reason


def recommend(
    source: Any,
    objective: str = "time",
    *,
    structures: str | Iterable[str] | None = None,
    device: str | fr.advanced.Device = "auto",
    seconds: float = 30.0,
    quiet: bool = False,
    **options: Unpack[WorkloadOptions],
) -> Recommendation:
    """Recommend the structure that suits a workload best.

    The workload is run on every structure, and the numbers decide. If a stream is too long, the longest prefix that
    fits the time is used, and the report names it.

    Parameters
    ----------
    source : str, path-like, EdgeList, EdgeStream, Workload or WorkloadReport
        The stream, or a report, which is judged as it is.
    objective : {"time", "latency", "memory"}
        The objective to minimize. ``"time"`` is the mean time of a batch: updates, queries and analytics together.
        ``"latency"`` is the time that 99 % of the batches do not exceed. ``"memory"`` is the bytes per edge.
    structures : str or iterable of str, optional
        Names of the candidates, by default all dynamic structures.
    device : {"auto", "cpu", "gpu"} or Device
    seconds : float
        Time of the measurements, in addition to that for reading a file and, the first time, compiling kernels.
    quiet : bool
        Show no progress. It is shown on a terminal only, on standard error.
    **options
        Options of `dynfrontier.workload.Workload`: batch_size, deletes, queries, delete_order, preload, batches,
        analytics, directed, weighted, seed.

    Returns
    -------
    Recommendation

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the error.
    Disagreement
        See `run_workload`.

    See Also
    --------
    run_workload : All measurements.

    Examples
    --------
    >>> from dynfrontier import recommend
    >>> recommend(  # doctest: +SKIP
    ...     "payments.csv",
    ...     batch_size=10_000,
    ...     deletes=0.1,
    ...     analytics=["connected_components"],
    ... )
    """
    fr.advanced.arguments.one_of(objective, "objective", OBJECTIVES)
    if isinstance(source, WorkloadReport):
        if options or structures is not None:
            names = ", ".join([*options, *(["structures"] if structures is not None else [])])
            raise TypeError(f"{names}: a report is judged as it is")
        return judge(source, objective)
    if not seconds > 0:
        raise ValueError(f"seconds must be positive, got {seconds!r}")
    workload = as_workload(source, options)
    kinds, place = choose(structures), fr.advanced.resolve_device(device)
    return judge(_run_sample(workload, open_records(workload), kinds, place, seconds, quiet), objective)


def _run_sample(
    workload: Workload, records: RecordedStream, kinds: dict[str, type[fr.DynamicGraph]], device: fr.advanced.Device,
    seconds: float, quiet: bool,
) -> WorkloadReport:  # fmt: skip
    def run(count: int, limit: float) -> WorkloadReport:
        return run_records(workload, records.first(count), kinds, device, max(limit, SCOUTING), quiet)

    # A sample has to contain a few batches in addition to the preloaded rows.
    least = 4 * max(workload.batch_sizes) / max(1 - workload.preload, 0.1)
    count = min(max(SMALLEST_SAMPLE, int(least)), len(records))
    run(count, SCOUTING)  # compiles the kernels
    end = time.perf_counter() + seconds
    while count < len(records):
        begin = time.perf_counter()
        run(count, SCOUTING)
        now = time.perf_counter()
        following = min(len(records), GROWTH * count, int(count * SCOUTS_SHARE * (end - now) / (now - begin)))
        if following < min(WORTHWHILE * count, len(records)):
            break
        count = following
    return run(count, end - time.perf_counter())


def judge(report: WorkloadReport, objective: str = "time") -> Recommendation:
    rows, remark = _comparable(report)
    wanted = OBJECTIVES[objective]
    figures, others = _figures(rows, wanted), _figures(rows, OBJECTIVES[wanted.otherwise])
    ranked = sorted(rows, key=figures.__getitem__)
    equals = [name for name in ranked if figures[name] <= TIE * figures[ranked[0]]]
    best = min(equals, key=others.__getitem__)
    reason = _reason(report, best, ranked, equals, objective, figures, others) + remark
    return Recommendation(best, reason, report, tuple(name for name in equals if name != best))


def _comparable(report: WorkloadReport) -> tuple[dict[str, list[Measured]], str]:
    """The rows of the structures that can be compared, all of the same batches, and a remark on that."""
    by_size = sorted(report.rows, key=lambda row: row.batch_size)
    rows = {name: [row for row in by_size if row.structure == name] for name in report.structures}
    rows = {name: mine for name, mine in rows.items() if len(mine) == len(report.batch_sizes)}
    if not rows:
        raise ValueError("the report has no structure that was measured at every batch size")
    most = {size: max(row.batches for mine in rows.values() for row in mine if row.batch_size == size)
            for size in report.batch_sizes}  # fmt: skip
    stopped = [name for name, mine in rows.items() if any(COMPARABLE * r.batches < most[r.batch_size] for r in mine)]
    if len(stopped) < len(rows):
        rows = {name: mine for name, mine in rows.items() if name not in stopped}
    else:
        stopped = []
    remark = ""
    common = [min(row.batches for row in column) for column in zip(*rows.values(), strict=True)]
    if any(row.batches > count for mine in rows.values() for row, count in zip(mine, common, strict=True)):
        remark += f" Times are those of the first {_all(common)} batches, for which all had time."
        rows = {name: [row.first(count) for row, count in zip(mine, common, strict=True)]
                for name, mine in rows.items()}  # fmt: skip
    if stopped:
        remark += f" The time of {_all(stopped)} was up too early for a comparison."
    return rows, remark


def _figures(rows: dict[str, list[Measured]], objective: Objective) -> dict[str, float]:
    """The figure of each structure, the geometric mean over several batch sizes."""
    found = {name: [objective.figure(row) for row in mine] for name, mine in rows.items()}
    return {name: float(np.exp(np.mean(np.log(np.maximum(values, 1e-12))))) for name, values in found.items()}


def _reason(
    report: WorkloadReport, best: str, ranked: list[str], equals: list[str], objective: str,
    figures: dict[str, float], others: dict[str, float],
) -> str:  # fmt: skip
    wanted = OBJECTIVES[objective]
    other = OBJECTIVES[wanted.otherwise]
    sizes = _all([f"{size:,}" for size in report.batch_sizes])
    mean = ", in the geometric mean" if len(report.batch_sizes) > 1 else ""
    text = f"With batches of {sizes} on the {report.device.upper()}{mean}, "
    text += wanted.sentence.format(best, wanted.text(figures[best]))
    level = [name for name in equals if name != best]
    if level:
        text += f", {_list(level, wanted, figures)}, which is as good as equal"
    rest = [name for name in ranked if name not in equals]
    if rest:
        times = {name: figures[name] / figures[best] for name in dict.fromkeys((rest[0], rest[-1]))}
        shown = [
            f"{name} {wanted.text(figures[name])}, {ratio:.{0 if ratio >= 10 else 1}f} times"
            for name, ratio in times.items()
        ]
        text += f"; next is {'; last is '.join(shown)}"
    text += ". But " if level else ". "
    text += other.sentence.format(best, other.text(others[best]))
    least = min(others, key=others.__getitem__)
    if level:
        text += f" against {_list(level, other, others)}"
    elif least != best:
        text += f"; the least is {least}'s, {other.text(others[least])}"
    return text + "."


def _list(names: list[str], objective: Objective, figures: dict[str, float]) -> str:
    return _all([f"{name} {objective.text(figures[name])}" for name in names])


def _all(parts: Sequence[object]) -> str:
    return " and ".join(map(str, parts))
