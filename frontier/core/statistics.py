"""`StorageStatistics`: how a structure uses its memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class StorageStatistics:
    """How a graph is stored. The values specific to a structure are in `details`, and accessible as
    ``statistics[name]``.

    Attributes
    ----------
    structure : str
    slots : int
        Allocated slots, each for one neighbor.
    used : int
        Slots that contain a neighbor: one for each arc, thus two for each undirected edge.
    tombstones : int
        Slots of deleted neighbors that have not been reclaimed.
    bytes : mapping of str to int
        Size of each array, by name.
    details : mapping of str to anything
        The values that the structure's class documents.

    See Also
    --------
    Graph.statistics : Returns it.
    MemoryUsage : The size in bytes.
    """

    structure: str
    slots: int
    used: int
    tombstones: int
    bytes: Mapping[str, int]
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def load(self) -> float:
        """Share of the allocated slots that contain a neighbor."""
        return self.used / max(self.slots, 1)

    @property
    def total_bytes(self) -> int:
        """Size of all arrays."""
        return sum(self.bytes.values())

    def __getitem__(self, name: str) -> Any:
        return self.details[name]

    def __str__(self) -> str:
        rows = [
            ("slots", f"{self.used:,} of {self.slots:,} used ({self.load:.1%}), {self.tombstones:,} tombstones"),
            ("bytes", f"{self.total_bytes:,}: " + ", ".join(f"{name} {size:,}" for name, size in self.bytes.items())),
            *((name, _text(value)) for name, value in self.details.items()),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join([self.structure, *(f"  {name:<{width}}  {text}" for name, text in rows)])


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
