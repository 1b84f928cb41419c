"""The displayed form of graphs, frontiers, results and incremental analytics, without waiting for a GPU."""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest

import algorithms
import frontier as fr
from structures import CSR, SlabGraph


@pytest.fixture(params=[SlabGraph, CSR])
def graph(request, device):
    return request.param.from_edges([0, 1, 2], [1, 2, 0], num_vertices=2000, device=device)


def rows(html):
    """The names in the first column of a table."""
    return [cell.partition("</th>")[0].rpartition(">")[2] for cell in html.split("<th")[1:]]


def test_graphs(graph):
    html = graph._repr_html_()
    assert rows(html) == ["vertices", "edges", "directed", "device"]
    assert "2,000" in html and type(graph).__name__ in html


def test_graphs_with_data(device):
    kept = SlabGraph(4, directed=True, in_edges=True, edge_data={"amount": "float32"}, time_unit="s", device=device)
    html = kept._repr_html_()
    assert rows(html) == ["vertices", "edges", "directed", "in-edges", "edge data", "times", "device"]
    assert "amount" in html
    assert "Reverse" in kept.reverse._repr_html_()


def test_frontiers(graph):
    assert ">2<" in fr.Frontier(graph, [0, 3])._repr_html_()
    assert ">3<" in fr.EdgeFrontier(graph, [0, 1, 2], [1, 2, 0])._repr_html_()


def test_results_show_types_and_shapes(graph):
    result = algorithms.bfs(graph, 0)
    arrays = "distance=int32[2,000], predecessor=int32[2,000]"
    assert repr(result) == f"BFSResult({arrays}, levels={result.levels}, sources=None)"
    html = result._repr_html_()
    assert rows(html) == ["distance", "predecessor", "levels", "sources"]
    assert ("int32[2,000]: 0, 1, 1, 2147483647" in html) == (not graph.device.is_gpu)


@pytest.mark.parametrize("text", ["repr", "_repr_html_"])
def test_showing_a_result_copies_nothing_to_the_host(text):
    class OnDevice:
        dtype, ndim, shape, size = np.dtype(np.float32), 1, (3,), 3

        def __getattr__(self, name):
            raise AssertionError(f"{name} was asked for")

    fields = {field.name: 0 for field in dataclasses.fields(algorithms.PageRankResult)}
    result = algorithms.PageRankResult(**fields | {"pagerank": OnDevice()})
    assert "float32[3]" in (repr(result) if text == "repr" else result._repr_html_())


@pytest.mark.parametrize(
    "kind", [k for k in vars(algorithms).values() if inspect.isclass(k) and issubclass(k, algorithms.Result)]
)
def test_results_have_one_form(kind):
    assert kind.__repr__ is algorithms.Result.__repr__


def test_mixed_results(graph):
    result = graph.apply([fr.Operation.HAS_EDGE, fr.Operation.INSERT], [0, 0], [1, 9])
    assert repr(result).startswith("MixedResult(answers=int64[2], weights=float32[2], offsets=int64[3], ")
    assert "int64[2]" in result._repr_html_()


def test_incremental_analytics(graph):
    triangles = algorithms.DynamicTriangleCount(graph)
    assert "maintained" in triangles._repr_html_()
    triangles.close()
    assert "closed" in triangles._repr_html_() and type(graph).__name__ in triangles._repr_html_()


def test_names_are_escaped():
    assert fr.advanced.display.html_table("<a>", {"<b>": "<c>"}).count("&lt;") == 3
