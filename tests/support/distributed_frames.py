"""The checks of data frames on the workers of a Dask cluster in `test_distributed_workers`: starting the workers
dominates the time."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from distributed_cases import host
from graphs import GRAPHS

import frontier as fr
from algorithms import PageRankResult, bfs, connected_components, k_truss, pagerank
from frontier.distributed import DistributedGraph
from structures import SlabGraph


def pair_of(n, directed=False, engine=None, device="cpu"):
    """A graph with weights and a column, distributed and on one device."""
    options = {"directed": directed, "weight_dtype": "int32", "edge_data": {"kind": "uint8"}}
    return DistributedGraph(SlabGraph, n, engine=engine, **options), SlabGraph(n, device=device, **options)


def insert(graphs, src, dst):
    """Insert edges with weights and values into both."""
    for graph in graphs:
        graph.insert_edges(src, dst, np.arange(src.size) % 50, kind=np.arange(src.size) % 7)


def assert_same(found, expected, **tolerance):
    """Two frames of pandas have the same rows."""
    pandas = pytest.importorskip("pandas")
    pandas.testing.assert_frame_equal(found, expected, check_index_type=False, **tolerance)


def check_frames_of_dask(engine):
    """Frames of results and of edges, compared with frames on one device."""
    import dask.dataframe

    src, dst, n = GRAPHS["rmat"]
    names = fr.VertexNames()
    names.ids(np.array([f"v{i}" for i in range(n // 2)]))  # the last part has rows without a name only
    graphs = pair_of(n, engine=engine)
    insert(graphs, src, dst)
    graph, one = graphs
    ranks = pagerank(graph)
    assert isinstance(ranks, PageRankResult) and "pagerank" not in vars(ranks)
    assert repr(ranks).startswith(f"PageRankResult(pagerank=float64[{n}], iterations={ranks.iterations}, error=")
    frame, expected = ranks.to_dataframe(), pagerank(one).to_dataframe()
    assert "pagerank" not in vars(ranks)  # no rows came through here
    assert isinstance(frame, dask.dataframe.DataFrame) and frame.npartitions == engine.size and frame.known_divisions
    assert_same(frame.compute(), expected, rtol=1e-4, atol=1e-9)
    assert np.array_equal(ranks.pagerank, frame.compute().pagerank) and "pagerank" in vars(ranks)
    assert frame.loc[n - 3 : n - 2].compute().vertex.tolist() == [n - 3, n - 2]
    copied = pickle.loads(pickle.dumps(ranks))
    assert type(copied) is PageRankResult and np.array_equal(host(copied.pagerank), ranks.pagerank)

    components = [connected_components(each) for each in graphs]
    assert components[0].count == components[1].count
    named = [each.to_dataframe(names) for each in components]
    assert_same(named[0].compute(), named[1].reset_index(drop=True))
    assert_same(k_truss(graph, 4).to_dataframe().compute(), k_truss(one, 4).to_dataframe())
    with pytest.raises(TypeError, match="names must be a"):
        ranks.to_dataframe(["ada"])
    with pytest.raises(ValueError, match="library must be None for a distributed graph"):
        ranks.to_dataframe(library="polars")

    edges = fr.interchange.to_dataframe(graph)
    assert edges.npartitions == engine.size and len(edges) == graph.num_edges
    found = edges.compute().sort_values(["src", "dst"]).reset_index(drop=True)
    assert_same(found, fr.interchange.to_dataframe(one))

    small = DistributedGraph(SlabGraph, 1, engine=engine)  # fewer vertices than parts
    assert_same(bfs(small, 0).to_dataframe().compute(), bfs(SlabGraph(1, device="cpu"), 0).to_dataframe())
    assert len(fr.interchange.to_dataframe(small).compute()) == 0
