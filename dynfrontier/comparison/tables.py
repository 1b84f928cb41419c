"""Tables of cells, for terminals and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..text import Table, milliseconds
from .cells import AGREES, DIFFERS, NO_ANSWER, PEER, STATES, Cell

LEGEND = (
    "agreement: cells that agree, of those of all structures, built at once and grown by insertions and deletions",
    "times are medians of one call on graphs built at once; ratio: theirs over that of the fastest structure",
)
Titled = tuple[str, Table]


def tables(cells: Sequence[Cell]) -> list[Titled]:
    """Agreement by algorithm and graph first, then the times on each graph."""
    graphs = list(dict.fromkeys(cell.graph for cell in cells))
    algorithms = list(dict.fromkeys(cell.algorithm for cell in cells))
    of: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        of.setdefault((cell.algorithm, cell.graph), []).append(cell)
    rows = tuple(
        (algorithm, *(_agreement(of.get((algorithm, graph), ())) for graph in graphs)) for algorithm in algorithms
    )
    found = [("agreement", Table(("algorithm", *graphs), rows))]
    return found + [(graph, _times([cell for cell in cells if cell.graph == graph])) for graph in graphs]


def _agreement(cells: Iterable[Cell]) -> str:
    cells = list(cells)
    mine = [cell for cell in cells if cell.state in STATES]
    if not mine:
        return next((cell.result for cell in cells), "not run")
    agreeing = sum(cell.result == AGREES for cell in mine)
    if agreeing == len(mine):
        return f"{agreeing}/{len(mine)}"
    others = {cell.result for cell in mine if cell.result != AGREES}
    if others == {NO_ANSWER}:
        theirs = next((cell for cell in cells if cell.state == PEER), None)
        return theirs.result if theirs else NO_ANSWER
    shown = ", ".join(sorted(other.upper() if other == DIFFERS else other for other in others))
    return f"{agreeing}/{len(mine)}, {shown}"


def _times(cells: Sequence[Cell]) -> Table:
    built = [cell for cell in cells if cell.state == STATES[0]]
    structures = list(dict.fromkeys(cell.structure for cell in built))
    rows = []
    for algorithm in dict.fromkeys(cell.algorithm for cell in built):
        mine = {cell.structure: cell.ms for cell in built if cell.algorithm == algorithm}
        theirs = next((c.ms for c in cells if c.algorithm == algorithm and c.state == PEER), None)
        known = [ms for ms in mine.values() if ms]
        ratio = f"{theirs / min(known):.3g}" if theirs and known else "-"
        rows.append((algorithm, *(milliseconds(mine.get(name)) for name in structures), milliseconds(theirs), ratio))
    return Table(("algorithm", *structures, "theirs", "ratio"), tuple(rows))


def wrong(cells: Iterable[Cell]) -> list[str]:
    """A line for each cell in which our side is at fault."""
    return [
        f"{cell.graph}, {cell.algorithm}, {cell.structure}, {cell.state}: {cell.result}: {cell.detail}"
        for cell in cells
        if cell.is_wrong
    ]
