"""Plots with matplotlib: small graphs, and the number of vertices on each level of a search.

matplotlib, and for graphs NetworkX, are imported when a function first needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.graphs import Graph
from frontier.interchange import from_networkx, to_networkx
from frontier.interchange.common import names_by_id, require

LARGEST = 10_000  # vertices of a graph that can be drawn: more could not be distinguished
SPRINGS = 300  # vertices up to which NetworkX computes the layout, in work quadratic in their number
LABELED = 60  # graphs with more vertices are drawn without their names
SINGLE = (14, 35)  # vertices without edges in a row, of graphs with up to `LABELED` vertices and of larger ones
NO_VALUE = "0.85"  # the color of vertices that have no value: a gray
COLORS = ["#fff1a8", "#8fd3c1", "#6fa8ff"]
"""From the least value to the greatest. Names can be read on all of them."""


def graph(
    graph: Graph, values: Any = None, *, names: Sequence[Any] | None = None, positions: Any = None,
    labels: bool | None = None, seed: int = 0, ax: Any = None,
) -> Any:  # fmt: skip
    """Draw a graph. Deleted vertices are left out. Graphs of more than 300 vertices are drawn without arrowheads.

    Parameters
    ----------
    graph : Graph
        A graph of at most 10,000 vertices. `extract_subgraph` cuts a subgraph out of a larger one.
    values : array of numbers, shape (num_vertices,), optional
        The colors of vertices, such as distances or ranks. Vertices with values that are not finite, or the largest of
        an integer type, which stands for unreachable, are gray.
    names : sequence, length num_vertices, optional
        Names of the vertices, by default their ids.
    positions : array, shape (num_vertices, 2), optional
        Positions of the vertices, by default a force-directed layout with vertices that have no edges in rows below. It
        is `algorithms.force_atlas2` for more than 300 vertices with edges. Edges weigh the same there.
    labels : bool, optional
        Whether to write the names, by default for up to 60 vertices.
    seed : int
        The seed of that layout: equal seeds draw equal pictures.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on, by default pyplot's current ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        matplotlib or NetworkX is not installed.
    ValueError
        The graph has too many vertices, or an argument the wrong shape.
    """
    check_graph(graph)
    if graph.num_vertices > LARGEST:
        raise ValueError(f"graph has {graph.num_vertices:,} vertices, but only graphs of up to {LARGEST:,} are drawn")
    nx = require("networkx", "networkx", "dynfrontier.drawing.graph")
    ax = _axes(ax, "dynfrontier.drawing.graph")
    drawn = to_networkx(graph)
    if positions is None:
        where = _layout(nx, drawn, seed)
    else:
        array = _shaped(positions, (graph.num_vertices, 2), "positions")
        where = {v: array[v] for v in drawn}
    numbers = None if values is None else _shaped(values, (graph.num_vertices,), "values")
    known = [v for v in drawn if numbers is not None and _has_value(numbers, v)]
    others = [v for v in drawn if numbers is None or not _has_value(numbers, v)]
    small = len(drawn) <= LABELED
    fine = min(SPRINGS / max(len(drawn), 1), 1.0)  # lines and dots of large graphs are thin
    common = {"ax": ax, "node_size": 260 if small else 40 * fine}
    arrows = None if fine == 1 else False  # each arrow is a separate shape, which is slow
    nx.draw_networkx_edges(drawn, where, edge_color="0.6", width=1.0 if small else 0.5 * fine, arrows=arrows, **common)
    common["linewidths"] = fine
    nx.draw_networkx_nodes(drawn, where, others, node_color="#9ec9f5" if numbers is None else NO_VALUE, **common)
    if known and numbers is not None:
        colors = require("matplotlib.colors", "matplotlib", "dynfrontier.drawing.graph")
        cmap = colors.LinearSegmentedColormap.from_list("", COLORS)
        dots = nx.draw_networkx_nodes(drawn, where, known, node_color=numbers[known], cmap=cmap, **common)
        dots.set_edgecolor("0.5")
        bar = ax.figure.colorbar(dots, ax=ax, shrink=0.7)
        if numbers.dtype.kind in "iu":
            bar.ax.yaxis.get_major_locator().set_params(integer=True)
    if small if labels is None else labels:
        called = names_by_id(graph, names)
        nx.draw_networkx_labels(drawn, where, {v: str(called[v]) for v in drawn}, font_size=8, ax=ax)
    ax.set_axis_off()
    return ax


def levels(distance: Any, *, ax: Any = None) -> Any:
    """Draw the number of vertices on each level of a breadth-first search.

    Parameters
    ----------
    distance : array of an integer type, shape (num_vertices,)
        Such as `BFSResult.distance`. The largest value of the type marks unreachable vertices, which the title counts.
    ax : matplotlib.axes.Axes, optional
        The axes, by default pyplot's current axes.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        matplotlib is not installed.
    TypeError, ValueError
        `distance` is not such an array.
    """
    found = _host(distance)
    if found.dtype.kind not in "iu":
        raise TypeError(f"distance must have an integer type, not {found.dtype}")
    if found.ndim != 1:
        raise ValueError(f"distance must have one dimension, not {found.ndim}; draw several searches one by one")
    reached = found[found != np.iinfo(found.dtype).max]
    if reached.size and reached.min() < 0:
        raise ValueError(f"distance must not be negative, but one is {reached.min()}")
    ax = _axes(ax, "dynfrontier.drawing.levels")
    sizes = np.bincount(reached.astype(np.int64)) if reached.size else np.zeros(0, np.int64)
    ax.bar(np.arange(sizes.size), sizes, width=0.9)
    left = found.size - reached.size
    ax.set(xlabel="level", ylabel="vertices", title=f"{reached.size:,} vertices reached, {left:,} not")
    ax.xaxis.get_major_locator().set_params(integer=True)
    if sizes.size and sizes.max() > 100 * max(np.median(sizes), 1):
        ax.set_yscale("log")
    return ax


def _layout(nx: Any, drawn: Any, seed: int) -> dict[int, Any]:
    """Positions by forces. Isolated vertices are placed separately, as they would push the rest together."""
    joined = [v for v, degree in drawn.degree() if degree]
    if len(joined) > SPRINGS:
        where = _by_forces(drawn.subgraph(joined), seed)
    else:
        where = nx.spring_layout(drawn.subgraph(joined), k=2.5 / max(len(joined), 1) ** 0.5, iterations=150, seed=seed)
    single = [v for v in drawn if v not in where]
    most = SINGLE[len(drawn) > LABELED]
    for place, v in enumerate(single):
        row, column = divmod(place, most)
        across = min(most, len(single) - row * most)
        where[v] = np.array([(2 * column + 1 - across) / most, -1.25 - 2.5 / most * row])
    return where


def _by_forces(drawn: Any, seed: int) -> dict[int, np.ndarray]:
    """Positions between -1 and 1. Weak gravity that grows with the distance draws components together."""
    from algorithms import force_atlas2

    graph, vertices = from_networkx(drawn, structure="csr", weight=None, device="cpu")
    found = force_atlas2(graph, strong_gravity_mode=True, gravity=0.1, seed=seed).positions
    return dict(zip(vertices, found / np.abs(found).max(), strict=True))


def _axes(ax: Any, what: str) -> Any:
    require("matplotlib", "matplotlib", what)
    return require("matplotlib.pyplot", "matplotlib", what).gca() if ax is None else ax


def _host(array: Any) -> np.ndarray:
    return array.get() if hasattr(array, "get") else np.asarray(array)


def _shaped(array: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    found = _host(array)
    if found.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {found.shape}")
    return found


def _has_value(numbers: np.ndarray, v: int) -> bool:
    value = numbers[v]
    return bool(value != np.iinfo(numbers.dtype).max) if numbers.dtype.kind in "iu" else bool(np.isfinite(value))
