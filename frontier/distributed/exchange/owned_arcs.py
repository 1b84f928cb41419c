"""`OwnedArcs`: the arcs of a batch at the part that owns their sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from frontier.features.edge_data import WEIGHT_COLUMN


@dataclass
class OwnedArcs:
    """The arcs of a batch that this part owns: those of the first part first, each part's in its order.

    In a graph without observers, arrays may lie in the part's window: they are read while the batch is applied, and
    not any more when the next one is sent, or a search begins.

    Attributes
    ----------
    columns : dict of str to array
        The weights and the edge data of an insertion, a value for each arc.
    safe : bool
        Whether all parts have far more memory than the batch can take.
    """

    src: Any
    dst: Any
    columns: dict[str, Any]
    safe: bool

    @property
    def weights(self) -> Any:
        """The weights; None if there are none."""
        return self.columns.get(WEIGHT_COLUMN)

    @property
    def data(self) -> dict[str, Any]:
        """The columns of edge data."""
        return {name: values for name, values in self.columns.items() if name != WEIGHT_COLUMN}
