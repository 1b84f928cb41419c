"""`Table`: rows of text, for a terminal and in Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table as RichTable


@dataclass(frozen=True)
class Table:
    """Rows of text under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.header, ("---",) * len(self.header), *self.rows]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)

    def rich(self) -> RichTable:
        """The table for a terminal."""
        table = RichTable(box=None, padding=(0, 2, 0, 0))
        for position, name in enumerate(self.header):
            table.add_column(name.replace("`", ""), overflow="fold", no_wrap=position == 0)
        for row in self.rows:
            table.add_row(*(cell.replace("`", "") for cell in row))
        return table
