"""Results of a comparison."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..text import Table, milliseconds

LEGEND = ("times are medians of one call; ratio: theirs over ours; conversion: our graph to theirs, timed separately",)


@dataclass(frozen=True)
class Row:
    """One algorithm, ours and theirs.

    Attributes
    ----------
    algorithm : str
    against : str
        The peer library and its version. "" without one.
    agrees : bool or None
        None without a comparison.
    agreement : str
        How closely the results agree, or why they were not compared.
    ours_ms, theirs_ms : float or None
        Median times of a call, in milliseconds, from an idle device until it is idle again.
    conversion_ms : float or None
        The time of the conversion of our graph: a snapshot, copies, and the construction of their graph.
    notes : tuple of str
        Differences of definitions, and how they are resolved.
    """

    algorithm: str
    against: str = ""
    agrees: bool | None = None
    agreement: str = ""
    ours_ms: float | None = None
    theirs_ms: float | None = None
    conversion_ms: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def ratio(self) -> float | None:
        """Their time over ours."""
        return self.theirs_ms / self.ours_ms if self.ours_ms and self.theirs_ms is not None else None


@dataclass(frozen=True)
class Comparison:
    """The comparison of algorithms on a graph. As text, a table.

    Attributes
    ----------
    graph : str
        The description of the graph.
    rows : tuple of Row
    notes : tuple of str
        Notes about all rows.
    interrupted : bool
        Whether the user stopped it before all algorithms were compared.
    """

    graph: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def agrees(self) -> bool:
        """Whether no results differ."""
        return all(row.agrees is not False for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """All results, as values that JSON can represent."""
        rows = [{**asdict(row), "ratio": row.ratio} for row in self.rows]
        return {
            "graph": self.graph, "agrees": self.agrees, "interrupted": self.interrupted, "rows": rows,
            "notes": list(self.notes),
        }  # fmt: skip

    def to_dataframe(self) -> Any:
        """The rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        import pandas

        return pandas.DataFrame(self.to_dict()["rows"])

    def table(self) -> Table:
        """The rows, for a terminal or in Markdown."""
        rows = []
        for row in self.rows:
            agrees = {True: "yes, ", False: "NO, ", None: ""}[row.agrees] + row.agreement
            ratio = "-" if row.ratio is None else f"{row.ratio:.3g}"
            times = milliseconds(row.ours_ms), milliseconds(row.theirs_ms), ratio, milliseconds(row.conversion_ms)
            rows.append((row.algorithm, row.against, agrees, *times))
        return Table(("algorithm", "against", "agrees", "ours", "theirs", "ratio", "conversion"), tuple(rows))

    def remarks(self) -> list[str]:
        """All notes, each once, with the algorithms that they are about."""
        found: dict[str, list[str]] = {note: [] for note in (*LEGEND, *self.notes)}
        for row in self.rows:
            for note in row.notes:
                found.setdefault(note, []).append(row.algorithm)
        return [f"{', '.join(names)}: {note}" if names else note for note, names in found.items()]

    def __str__(self) -> str:
        return "\n".join([self.graph, "", self.table().markdown(), "", *(f"* {text}" for text in self.remarks())])
