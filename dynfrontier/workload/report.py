"""The results of a workload: a row for each structure and batch size, as a table, as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Group
from rich.table import Table as RichTable

from ..outputs import write_text
from ..text import Table, duration, scaled, size

COLUMNS = 4  # structures in a table for a terminal
RATES = {"insert": "insertions/s", "delete": "deletions/s", "query": "queries/s"}
"""The operations of a batch, and the names of their rates."""


@dataclass(frozen=True)
class Measured:
    """One structure at one batch size.

    Attributes
    ----------
    structure : str
    batch_size : int
        Operations in a batch, fewer than requested if the stream had no more.
    operations : dict of str to int
        Insertions, deletions and queries in all batches, by ``"insert"``, ``"delete"`` and ``"query"``, including
        self-loops, duplicates and insertions of existing edges.
    seconds : dict of str to list of float
        The time of each operation that occurs, and of each analytic, in every batch: from an idle device until it is
        idle again. Incremental work of an analytic within an update counts as its time, including the graph's work for
        it, such as finding new edges. The first of several analytics is charged with shared work.
    build_seconds : float
        The time in which the graph was loaded.
    start_seconds : dict of str to float
        For each incremental analytic, the time of its first result.
    edges : int
        The number of edges in the end. An undirected edge counts once.
    used, reserved, csr : int
        Bytes of the graph in the end, of `frontier.advanced.MemoryUsage`.
    """

    structure: str
    batch_size: int
    operations: dict[str, int]
    seconds: dict[str, list[float]]
    build_seconds: float
    start_seconds: dict[str, float]
    edges: int
    used: int
    reserved: int
    csr: int

    @property
    def per_batch(self) -> np.ndarray:
        """Seconds of each batch: updates, queries and analytics."""
        return np.sum([times for times in self.seconds.values()], axis=0)

    @property
    def batches(self) -> int:
        """Batches that were measured."""
        return len(self.per_batch)

    @property
    def mean(self) -> float:
        """Mean seconds of a batch."""
        return float(self.per_batch.mean())

    @property
    def total(self) -> float:
        """Seconds of all batches, loading not included."""
        return float(self.per_batch.sum())

    @property
    def bytes_per_edge(self) -> float:
        """Bytes in use for each edge."""
        return self.used / max(self.edges, 1)

    def percentile(self, share: float, name: str | None = None) -> float:
        """Return the seconds that `share` percent of the batches did not exceed, or an entry of `seconds` of them.

        It is the time of a batch: of fewer than 100 batches the 99th percentile is the worst one.
        """
        return float(np.percentile(self.per_batch if name is None else self.seconds[name], share, method="higher"))

    def first(self, count: int) -> Measured:
        """The same with the seconds of only the first batches."""
        return replace(self, seconds={name: times[:count] for name, times in self.seconds.items()})

    def rate(self, operation: str) -> float | None:
        """Operations of a kind in a second, None without any."""
        return self.operations[operation] / sum(self.seconds[operation]) if operation in self.seconds else None


@dataclass(frozen=True)
class WorkloadReport:
    """The results of a workload. As text, a table.

    Attributes
    ----------
    workload : dict
        `Workload.to_dict`, the rows of the stream and the number of used ones.
    device : str
    rows : tuple of Measured
        By batch size, and by structure in the order of the registry.
    notes : tuple of str
        Omissions and their reasons, and whether the stream was cut short.
    header : dict
        Machine, date, commit and versions.
    interrupted : bool
        Whether the user stopped it before everything was measured.
    """

    workload: dict[str, Any]
    device: str
    rows: tuple[Measured, ...]
    notes: tuple[str, ...] = ()
    header: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def structures(self) -> tuple[str, ...]:
        """The structures that were measured."""
        return tuple(dict.fromkeys(row.structure for row in self.rows))

    @property
    def batch_sizes(self) -> tuple[int, ...]:
        """The batch sizes that were measured."""
        return tuple(dict.fromkeys(row.batch_size for row in self.rows))

    @property
    def title(self) -> str:
        """The workload in a line."""
        found = self.workload
        updates = 1 - found["deletes"] - found["queries"]
        shares = {
            "updates" if found["stream_deletes"] else "insertions": updates,
            f"deletions ({found['delete_order']})": found["deletes"],
            "queries": found["queries"],
        }
        mix = ", ".join(f"{share:.0%} {name}" for name, share in shares.items() if share > 1e-9)
        used = f"{found['records_used']:,} records, {found['preload']:.0%} of them loaded first"
        return f"{found['stream']}: {used}; then {mix}"

    @property
    def place(self) -> str:
        """The machine, and the day."""
        machine = self.header["machine"]
        return f"{machine.get('gpu') or machine['cpu']}, {self.header['date'][:10]}"

    def write_json(self, path: str | Path) -> None:
        """Write everything to a file."""
        rows = ",\n".join("  " + json.dumps(asdict(row)) for row in self.rows)
        head = {
            "workload": self.workload, "device": self.device, "interrupted": self.interrupted,
            "notes": list(self.notes), "header": self.header,
        }  # fmt: skip
        write_text(Path(path), json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + rows + "\n ]\n}\n")

    @classmethod
    def read_json(cls, path: str | Path) -> WorkloadReport:
        """Read a report of `write_json`.

        Raises
        ------
        ValueError
            The file contains none.
        """
        try:
            found = json.loads(Path(path).read_text())
            rows = tuple(Measured(**row) for row in found["rows"])
            stopped = bool(found.get("interrupted", False))
            report = cls(found["workload"], found["device"], rows, tuple(found["notes"]), found["header"], stopped)
            _ = report.place, str(report)  # missing values raise here
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{path} contains no report of a workload: {what}") from None
        return report

    def to_dataframe(self) -> Any:
        """The figures of the tables as a pandas DataFrame: operations in a second, seconds, bytes.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        import pandas

        return pandas.DataFrame([
            {"structure": row.structure, "batch_size": row.batch_size, "batches": row.batches} | self._figures(row)
            for row in self.rows
        ])  # fmt: skip

    def tables(self) -> list[Table]:
        """For each batch size the figures in Markdown, a column for each structure. The best of a line is bold."""
        return [Table(header, _emphasized(lines, "**{}**")) for header, lines in self._cells()]

    def rich(self) -> Group:
        """The same for a terminal, with as many columns of structures as fit a narrow one."""
        found: list[Any] = []
        for header, lines in self._cells():
            rows = _emphasized(lines, "[bold green]{}[/]")
            for first in range(1, len(header), COLUMNS):
                part = slice(first, first + COLUMNS)
                table = RichTable(box=None, padding=(0, 2, 0, 0), show_edge=False)
                table.add_column(header[0], no_wrap=True)
                for name in header[part]:
                    table.add_column(name, justify="right", no_wrap=True)
                for row in rows:
                    table.add_row(row[0], *row[part])
                found += [table, ""]
        return Group(*found)

    def __str__(self) -> str:
        tables = [text for table in self.tables() for text in (table.markdown(), "")]
        return "\n".join([self.title, "", *tables, *(f"* {note}" for note in self.notes)]).rstrip()

    def _figures(self, row: Measured) -> dict[str, float]:
        """The figures of a row by their names: operations in a second, seconds, bytes."""
        rates = {name: row.rate(operation) for operation, name in RATES.items()}
        found = {name: rate for name, rate in rates.items() if rate is not None}
        found |= {"batch, P50": row.percentile(50), "batch, P99": row.percentile(99)}
        found["batch, worst"] = float(row.per_batch.max())
        found |= {f"{name}, P50": row.percentile(50, name) for name in self.workload["analytics"]}
        found |= {"in use an edge": row.bytes_per_edge, "reserved an edge": row.reserved / max(row.edges, 1)}
        return found | {"loading": row.build_seconds, "all batches": row.total}

    def _cells(self) -> Iterator[tuple[tuple[str, ...], list[Line]]]:
        """For each batch size the head of a table, and its lines."""
        for batch_size in self.batch_sizes:
            rows = [row for row in self.rows if row.batch_size == batch_size]
            figures = [self._figures(row) for row in rows]
            counts = [row.batches for row in rows]
            lines = [_line(name, [found[name] for found in figures]) for name in figures[0]]
            if len(set(counts)) > 1:  # then no figure is the best, since they are of different batches
                lines = [Line("batches", tuple(map(str, counts)), None), *(line._replace(best=None) for line in lines)]
            yield (f"batches of {batch_size:,}", *(row.structure for row in rows)), lines


class Line(NamedTuple):
    """A line of a table: its name, its cells, and the index of the best."""

    name: str
    cells: tuple[str, ...]
    best: int | None


def _line(name: str, values: list[float]) -> Line:
    is_rate, is_size = name in RATES.values(), name.endswith("an edge")
    text = scaled if is_rate else _bytes if is_size else duration
    best = values.index(max(values) if is_rate else min(values))
    return Line(name, tuple(text(value) for value in values), best if len(values) > 1 else None)


def _bytes(count: float) -> str:
    return f"{count:.1f} B" if count < 1024 else size(count)


def _emphasized(lines: list[Line], form: str) -> tuple[tuple[str, ...], ...]:
    """Lines of text, the best of each marked."""
    return tuple(
        (line.name, *(form.format(cell) if i == line.best else cell for i, cell in enumerate(line.cells)))
        for line in lines
    )
