"""A user's script: columns and graphs of other libraries. `test_typing.py` checks its types, and nothing runs it."""

from __future__ import annotations

from typing import Any, assert_type

import frontier as fr
from algorithms import bfs
from frontier import interchange
from structures import GPMA, Hornet, SlabGraph


def export(graph: fr.Graph, frame: Any) -> Any:
    interchange.to_scipy(graph, data="amount")
    interchange.to_networkx(graph, names=["a", "b"], weight="length")
    interchange.to_igraph(graph)
    interchange.to_dataframe(graph, "polars")
    interchange.data_frame({"a": frame["a"]}, library="pyarrow")
    interchange.to_edge_index(graph)
    return bfs(graph, 0).to_dataframe(fr.VertexNames(), library="pandas")


def learn(graph: SlabGraph, data: Any) -> None:
    interchange.to_pyg(graph, edge_attr=["amount", "weight"])
    interchange.to_pyg_hetero({"buys": graph, ("user", "views", "item"): graph}, {"user": range(3), "item": [3, 4]})
    interchange.sample_pyg(graph, [0, 1], [8, 4], before=[3, 4], method="latest")
    assert_type(interchange.from_pyg(data, structure=Hornet, edge_attr=["amount"], time="edge_time"), Hornet)
    assert_type(interchange.from_scipy(data, device="cpu", in_edges=True), fr.DynamicGraph)
    assert_type(interchange.from_igraph(data, structure="hornet")[0], fr.DynamicGraph)
    graphs, types = interchange.from_pyg_hetero(data, structure=GPMA, edge_data={"paid": "edge_paid"})
    assert_type(graphs, dict[tuple[str, str, str], GPMA])
    assert_type(types, dict[str, range])
    interchange.to_pyg_hetero(graphs, types)


def read(frame: Any, nx_graph: Any) -> None:
    assert_type(interchange.from_dataframe(frame, structure=SlabGraph, weight="w", data=["a"], time="at"), SlabGraph)
    graph, names = interchange.from_networkx(nx_graph, data=["a"], time="at", time_unit="ms")
    assert_type(graph, fr.DynamicGraph)
    assert_type(names, list[Any])
    assert_type(fr.io.from_table(frame), fr.io.EdgeList)
