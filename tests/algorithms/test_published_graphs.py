"""Published graphs on every structure and device, against published counts. Requires the folder of DYNFRONTIER_DATA."""

import numpy as np
import pytest
from published import FOLDER, locate
from verifiers import host

from algorithms import DynamicTriangleCount, bfs, connected_components, louvain, temporal_motifs, triangle_count
from benchmarks import motifs
from benchmarks.graphs import published_events
from benchmarks.sources import CPU, rows_of
from frontier import structures
from frontier.io import read_edges, read_stream

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FOLDER, reason="DYNFRONTIER_DATA is not set")]

# file, vertices, edges, triangles, components, vertices of the largest one, largest degree (None where not published)
GRAPHS = [
    ("sx-mathoverflow.txt.gz", 24_818, 187_986, 1_403_919, 104, 24_668, 2_172),
    ("CollegeMsg.txt.gz", 1_899, 13_838, 14_319, 4, 1_893, None),
    ("email-Eu-core-temporal.txt.gz", 986, 16_064, 105_461, 1, 986, 345),
    ("coAuthorsDBLP.tar.gz", 299_067, 977_676, 2_098_349, 1, 299_067, 336),
    ("ego-twitter-undirected.jlg.gz", 81_306, 1_342_296, 13_082_506, None, None, 3_383),
    ("email-Enron.txt.gz", 36_692, 183_831, 727_044, 1_065, 33_696, None),
    ("wiki-Vote.txt.xz", 7_115, 100_762, 608_389, 24, 7_066, None),
    ("facebook_combined.txt.xz", 4_039, 88_234, 1_612_010, 1, 4_039, None),
    ("luxembourg_osm.noheader.mtx.xz", 114_599, 119_666, 68, 1, 114_599, 6),
    ("delaunay_n16.noheader.mtx.xz", 65_536, 196_575, 131_842, 1, 65_536, 17),
]


@pytest.mark.parametrize(("name", "vertices", "edges", "triangles", "components", "largest", "largest_degree"), GRAPHS)
def test_counts(structure, device, name, vertices, edges, triangles, components, largest, largest_degree):
    records = read_edges(locate(name), compact=True)
    graph = structure.from_edges(records.src, records.dst, num_vertices=records.num_vertices, device=device)
    assert (graph.num_vertices, graph.num_edges) == (vertices, edges)
    count = triangle_count(graph)
    assert count.total == triangles and int(count.per_vertex.sum()) == 3 * triangles
    degrees = host(graph.degrees())
    assert largest_degree is None or degrees.max() == largest_degree
    # The vertex with most neighbors is in the largest component, of all these graphs.
    reached = host(bfs(graph, int(np.argmax(degrees))).distance) != np.iinfo(np.int32).max
    assert largest is None or reached.sum() == largest
    found = connected_components(graph)
    assert components is None or found.count == components
    sizes = np.bincount(host(found.labels))
    assert np.count_nonzero(sizes) == found.count and sizes.max() == reached.sum()


@pytest.mark.parametrize("name", ["wiki-Vote.txt.xz", "CollegeMsg.txt.gz"])
def test_weak_components(structure, device, name):
    """The components of the directed graph equal the components without directions."""
    records = read_edges(locate(name), compact=True)
    both = [
        structure.from_edges(
            records.src, records.dst, num_vertices=records.num_vertices, directed=directed, device=device
        )
        for directed in (False, True)
    ]  # fmt: skip
    undirected, directed = map(connected_components, both)
    assert directed.count == undirected.count == {row[0]: row[4] for row in GRAPHS}[name]
    assert (host(directed.labels) == host(undirected.labels)).all()


def test_a_stream_ends_with_the_published_count(structure, device):
    stream = read_stream(locate("sx-mathoverflow.txt.gz"), 65536)
    graph = structure(stream.num_vertices, device=device)
    count = DynamicTriangleCount(graph)
    for batch in stream:
        graph.insert_edges(batch.src, batch.dst)
    assert (graph.num_edges, count.total) == (187_986, 1_403_919)
    assert int(count.per_vertex.sum()) == 3 * 1_403_919


# file, mean modularity of igraph 1.0's community_multilevel over at least 10 seeds
MODULARITY = [
    ("sx-mathoverflow.txt.gz", 0.3123),
    ("CollegeMsg.txt.gz", 0.2537),
    ("email-Eu-core-temporal.txt.gz", 0.4131),
    ("coAuthorsDBLP.tar.gz", 0.8257),
    ("ego-twitter-undirected.jlg.gz", 0.8068),
    ("email-Enron.txt.gz", 0.6137),
    ("wiki-Vote.txt.xz", 0.4236),
    ("facebook_combined.txt.xz", 0.8342),
    ("luxembourg_osm.noheader.mtx.xz", 0.9887),
    ("delaunay_n16.noheader.mtx.xz", 0.9475),
]


@pytest.mark.parametrize(("name", "expected"), MODULARITY)
def test_louvain(device, name, expected):
    records = read_edges(locate(name), compact=True)
    graph = structures()["csr"].from_edges(
        records.src, records.dst, num_vertices=records.num_vertices, device=device
    )  # fmt: skip
    found = np.mean([louvain(graph, seed=seed).modularity for seed in range(10)])
    assert found >= 0.995 * expected


def test_motifs(device):
    """The counts of SNAP's program, in the results file of the benchmark."""
    rows, kind = rows_of("motifs", CPU, form=motifs.BY_POSITION), motifs.KIND | {"device": device}
    assert len(rows) == 3
    for row in rows:
        src, dst, times, _ = published_events(locate(motifs.DATA[row["data"]]))
        graph = structures()["slab"].from_edges(src, dst, time=np.arange(times.size), **kind)
        assert host(temporal_motifs(graph, row["delta"]).counts).tolist() == row["snap_counts"]
