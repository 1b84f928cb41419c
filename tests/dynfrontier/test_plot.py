"""Plots of small graphs and of levels: drawn elements, and refused arguments."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import dynfrontier
from algorithms import bfs
from structures import CSR

SRC, DST = [0, 1, 2, 0, 4], [1, 2, 3, 2, 5]


@pytest.fixture
def ax():
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    yield figure.subplots()
    figure.canvas.draw()  # the requested figure can be drawn


@pytest.fixture
def graph(device):
    pytest.importorskip("networkx")
    return CSR.from_edges(SRC, DST, num_vertices=7, device=device)


def written(ax):
    return sorted(text.get_text() for text in ax.texts)


def test_graph(ax, graph):
    assert dynfrontier.drawing.graph(graph, ax=ax) is ax
    assert written(ax) == [str(v) for v in range(7)]
    edges, vertices = ax.collections
    assert len(edges.get_segments()) == len(SRC) and len(vertices.get_offsets()) == 7


def test_values_color_vertices(ax, graph):
    """The values of a search on the device. Unreached vertices are gray."""
    dynfrontier.drawing.graph(graph, bfs(graph, 0).distance, names=list("abcdefg"), ax=ax)
    assert written(ax) == list("abcdefg")
    gray, colored = ax.collections[1:]
    assert len(gray.get_offsets()) == 3 and colored.get_array().tolist() == [0, 1, 1, 2]


def test_values_that_are_not_finite(ax, graph):
    dynfrontier.drawing.graph(graph, [0.5, np.inf, np.nan, 1, 2, 3, 4], labels=False, ax=ax)
    assert written(ax) == [] and ax.collections[-1].get_array().tolist() == [0.5, 1, 2, 3, 4]


def test_positions_and_seeds(ax, graph):
    places = np.arange(14.0).reshape(7, 2)
    dynfrontier.drawing.graph(graph, positions=places, ax=ax)
    assert (ax.collections[1].get_offsets() == places).all()
    found = []
    for seed in (1, 1, 2):
        ax.clear()
        dynfrontier.drawing.graph(graph, seed=seed, ax=ax)
        found.append(np.array(ax.collections[1].get_offsets()))
    assert (found[0] == found[1]).all() and (found[0] != found[2]).any()


def test_larger_graphs(ax, device):
    """A directed ring of more vertices than NetworkX lays out, with a deleted vertex, and isolated ones below."""
    ring = np.arange(400)
    larger = CSR.from_edges(ring, (ring + 1) % 400, num_vertices=402, directed=True, device=device)
    larger.delete_vertices([7])
    dynfrontier.drawing.graph(larger, ax=ax)
    lines, dots = ax.collections
    places = np.array(dots.get_offsets())
    assert len(lines.get_segments()) == 398 and len(places) == 401 and written(ax) == []
    assert np.abs(places[:-2]).max() <= 1 and (places[-2:, 1] == -1.25).all()
    steps = np.linalg.norm(np.diff(lines.get_segments(), axis=1), axis=-1)
    assert steps.mean() < 0.1  # neighbors are near


def test_deleted_vertices_and_empty_graphs(ax, graph):
    graph.delete_vertices([0, 6])
    dynfrontier.drawing.graph(graph, np.zeros(7), ax=ax)
    assert written(ax) == ["1", "2", "3", "4", "5"]
    ax.clear()
    dynfrontier.drawing.graph(CSR(0, device=graph.device), ax=ax)
    assert written(ax) == []


def test_what_cannot_be_drawn(ax, graph):
    with pytest.raises(ValueError, match=r"values must have shape \(7,\), not \(2,\)"):
        dynfrontier.drawing.graph(graph, [1, 2], ax=ax)
    with pytest.raises(ValueError, match=r"positions must have shape \(7, 2\)"):
        dynfrontier.drawing.graph(graph, positions=[[1, 2]], ax=ax)
    with pytest.raises(ValueError, match="names must have one entry for each of 7 vertices"):
        dynfrontier.drawing.graph(graph, names=["a"], ax=ax)
    with pytest.raises(ValueError, match="graph has 20,000 vertices, but only graphs of up to 10,000 are drawn"):
        dynfrontier.drawing.graph(CSR(20_000, device=graph.device), ax=ax)


def test_levels(ax, graph):
    assert dynfrontier.drawing.levels(bfs(graph, 0).distance, ax=ax) is ax
    assert [bar.get_height() for bar in ax.patches] == [1, 2, 1]
    assert ax.get_title() == "4 vertices reached, 3 not"


def test_levels_of_nothing_and_of_a_long_tail(ax):
    dynfrontier.drawing.levels(np.zeros(0, np.int32), ax=ax)
    assert not ax.patches and ax.get_title() == "0 vertices reached, 0 not"
    dynfrontier.drawing.levels(np.repeat(np.arange(5), [1, 2, 90_000, 2, 1]), ax=ax)
    assert ax.get_yscale() == "log"


@pytest.mark.parametrize(
    ("distance", "kind", "message"),
    [
        ([0.5], TypeError, "must have an integer type, not float64"),
        ([[1]], ValueError, "must have one dimension, not 2"),
        ([1, -1], ValueError, "must not be negative, but one is -1"),
    ],
)
def test_levels_that_are_none(ax, distance, kind, message):
    with pytest.raises(kind, match=f"distance {message}"):
        dynfrontier.drawing.levels(np.array(distance), ax=ax)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"dynfrontier\.drawing\.levels needs matplotlib: pip install matplotlib"):
        dynfrontier.drawing.levels(np.arange(3))
