"""Published counts of published graphs. Requires the folder that DYNFRONTIER_DATA names."""

import numpy as np
import pytest
from published import FOLDER, locate

from frontier.io import read_edges, read_stream

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FOLDER, reason="DYNFRONTIER_DATA is not set")]

# file, vertices, rows, edges of the simple undirected graph, whether it has times
GRAPHS = [
    ("sx-mathoverflow.txt.gz", 24_818, 506_550, 187_986, True),
    ("CollegeMsg.txt.gz", 1_899, 59_835, 13_838, True),
    ("email-Eu-core-temporal.txt.gz", 986, 332_334, 16_064, True),
    ("coAuthorsDBLP.tar.gz", 299_067, 977_676, 977_676, False),
    ("ego-twitter-undirected.jlg.gz", 81_306, 1_342_310, 1_342_296, False),
    ("email-Enron.txt.gz", 36_692, 367_662, 183_831, False),
    ("wiki-Vote.txt.xz", 7_115, 103_689, 100_762, False),
    ("facebook_combined.txt.xz", 4_039, 88_234, 88_234, False),
    ("luxembourg_osm.noheader.mtx.xz", 114_599, 119_666, 119_666, False),
    ("delaunay_n16.noheader.mtx.xz", 65_536, 196_575, 196_575, False),
]


@pytest.mark.parametrize(("name", "vertices", "records", "simple", "timed"), GRAPHS)
def test_counts(name, vertices, records, simple, timed):
    edges = read_edges(locate(name), compact=True)
    assert (edges.num_vertices, len(edges)) == (vertices, records)
    assert (edges.times is not None) == timed and edges.weights is None
    low = np.minimum(edges.src, edges.dst).astype(np.int64)
    high = np.maximum(edges.src, edges.dst)
    assert len(np.unique((low * vertices + high)[low != high])) == simple


def test_mathoverflow_stream():
    path = locate("sx-mathoverflow.txt.gz")
    stream = read_stream(path, 65536)
    assert (len(stream), stream.num_vertices, stream.num_records) == (8, 24_818, 506_550)
    times = np.concatenate([batch.times for batch in stream])
    assert len(times) == 506_550 and (np.diff(times) >= 0).all()
    raw = read_edges(path)
    assert (np.diff(raw.times) < 0).any()
    assert int((raw.src == raw.dst).sum()) == 116_109
    assert int(raw.src.max()) <= 88_580


@pytest.mark.parametrize(
    ("member", "vertices", "records", "directed"),
    [("example-directed", 10, 17, True), ("example-undirected", 9, 12, False), ("sssp/dir-input", 10, 13, None)],
)
def test_graphalytics(member, vertices, records, directed):
    edges = read_edges(locate("ldbc-graphalytics-validation-graphs.tar.xz"), member=member)
    assert (edges.num_vertices, len(edges), edges.directed) == (vertices, records, directed)
    assert edges.weights is not None and len(edges.ids) == vertices
