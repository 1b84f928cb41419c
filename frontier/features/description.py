"""The text of a graph, for `repr` and notebooks."""

from __future__ import annotations

from typing import Any

from frontier.runtime.display import html_table


class Described:
    """The part of a graph that describes it."""

    def _repr_html_(self: Any) -> str:
        data = self.payload.table
        rows = {
            "vertices": self.num_vertices, "edges": self.num_edges, "directed": self.directed,
            "in-edges": (self.directed and self.has_in_edges) or None, "weights": self.weight_dtype,
            "edge data": None if data is None else ", ".join(data.names), "times": self.time_unit,
            "device": self.device.kind,
        }  # fmt: skip
        return html_table(type(self).__name__, {name: value for name, value in rows.items() if value is not None})

    def __repr__(self: Any) -> str:
        kind = "directed" if self.directed else "undirected"
        if self.directed and self.has_in_edges:
            kind += " with in-edges"
        weights = "" if self.weight_dtype is None else f", {self.weight_dtype} weights"
        data = self.payload.table
        if data is not None:
            weights += f", edge data ({', '.join(data.names)})"
        if self.time_unit is not None:
            weights += f", times in {self.time_unit}, {self.keep_time} kept"
        if self.multi_edges != "last":
            weights += f", multi_edges={self.multi_edges!r}"
        return (
            f"{type(self).__name__}({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}{weights}, "
            f"{self.device.kind})"
        )
