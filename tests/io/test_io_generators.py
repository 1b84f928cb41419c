import zlib

import networkx as nx
import numpy as np
import pytest

from frontier.io import grid, preferential_attachment, rmat, road_like, small_world, uniform


def as_networkx(edges):
    graph = nx.Graph()
    graph.add_nodes_from(range(edges.num_vertices))
    graph.add_edges_from(zip(edges.src.tolist(), edges.dst.tolist(), strict=True))
    return graph


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: rmat(10, 8, seed=seed),
        lambda seed: rmat(9, 4, seed=seed, permute=True),
        lambda seed: uniform(500, 3000, seed),
        lambda seed: road_like(3000, seed),
        lambda seed: small_world(400, 6, 0.2, seed),
        lambda seed: preferential_attachment(500, 3, seed),
    ],
)
def test_seeds_decide(make):
    first, again, other = make(3), make(3), make(4)
    assert np.array_equal(first.src, again.src) and np.array_equal(first.dst, again.dst)
    assert not (np.array_equal(first.src, other.src) and np.array_equal(first.dst, other.dst))
    assert first.src.dtype == np.int32


def test_streams_are_fixed():
    # These numbers are the same on every platform and with every version of NumPy.
    edges = rmat(20, 1e-5, seed=1)
    assert list(zip(edges.src.tolist(), edges.dst.tolist(), strict=True))[:3] == [
        (528504, 565281),
        (524340, 110597),
        (85248, 8203),
    ]
    edges = uniform(1000, 3, seed=1)
    assert list(zip(edges.src.tolist(), edges.dst.tolist(), strict=True)) == [(511, 948), (950, 311), (144, 423)]


CHECKSUMS = {
    (65_535, False): 2_963_092_068,
    (65_535, True): 2_472_057_588,
    (65_536, False): 3_150_426_819,
    (65_536, True): 1_380_250_833,
    (196_613, False): 3_797_735_575,
    (196_613, True): 2_657_837_773,
}
"""By the number of rows, and whether vertices are permuted, of an R-MAT graph. Graphs of other versions are compared
with them."""


@pytest.mark.parametrize("records", [65_535, 65_536, 3 * 65_536 + 5])
@pytest.mark.parametrize("permute", [False, True])
def test_rmat_is_the_same_on_any_number_of_threads(records, permute, monkeypatch):
    """And as drawn from one sequence of words, block by block and level by level."""
    found = []
    for threads in (1, 3):
        monkeypatch.setattr("numba.get_num_threads", lambda threads=threads: threads)
        edges = rmat(9, records / 2**9, seed=7, permute=permute)
        found.append(np.stack([edges.src, edges.dst]))
    assert np.array_equal(*found) and found[0].shape == (2, records)
    checksum = zlib.crc32(np.ascontiguousarray(found[0], "<i4"))
    assert checksum == CHECKSUMS[records, permute]


@pytest.mark.parametrize("scale", [0, 1, 3, 5, 8])
def test_rmat_shape(scale):
    edges = rmat(scale, 16)
    assert len(edges) == 16 * 2**scale and edges.num_vertices == 2**scale and edges.directed is True


def test_rmat_quadrants():
    edges = rmat(12, 64, a=0.5, b=0.25, c=0.15, seed=5)
    for level in (0, 5, 11):  # the same shares at every level of the recursion
        quadrant = 2 * (edges.src >> level & 1) + (edges.dst >> level & 1)
        assert np.allclose(np.bincount(quadrant, minlength=4) / len(edges), [0.5, 0.25, 0.15, 0.1], atol=0.005)
    joint = np.bincount((edges.src & 1) * 2 + (edges.src >> 1 & 1), minlength=4) / len(edges)
    assert np.allclose(joint, np.outer([0.75, 0.25], [0.75, 0.25]).ravel(), atol=0.005)  # levels are independent


def test_rmat_degenerate_quadrants():
    assert not rmat(6, 4, a=1.0, b=0.0, c=0.0).src.any()
    diagonal = rmat(6, 4, a=0.5, b=0.0, c=0.0)
    assert np.array_equal(diagonal.src, diagonal.dst)
    permuted = rmat(6, 16, seed=2, permute=True)
    plain = rmat(6, 16, seed=2)
    assert np.array_equal(
        np.sort(np.bincount(plain.src, minlength=64)), np.sort(np.bincount(permuted.src, minlength=64))
    )


@pytest.mark.parametrize("arguments", [{"scale": -1}, {"scale": 32}, {"scale": 3, "a": 0.9}, {"scale": 3, "b": -0.1}])
def test_rmat_rejects(arguments):
    with pytest.raises(ValueError, match=r"scale|probabilities"):
        rmat(**arguments)


def test_uniform():
    edges = uniform(10, 20000, seed=1)
    counts = np.bincount(10 * edges.src + edges.dst, minlength=100)
    assert counts.min() > 120 and counts.max() < 290
    assert len(uniform(0, 0)) == 0
    with pytest.raises(ValueError, match="cannot draw"):
        uniform(0, 1)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 5), (4, 1), (3, 4), (0, 3)])
def test_grid(rows, cols):
    edges = grid(rows, cols)
    expected = nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, cols), ordering="sorted")
    assert nx.utils.edges_equal(as_networkx(edges).edges, expected.edges)
    assert len(edges) == expected.number_of_edges() and edges.num_vertices == rows * cols


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 17, 1000, 20000])
def test_road_like(size):
    edges = road_like(size, seed=2)
    graph = as_networkx(edges)
    assert edges.num_vertices == size == graph.number_of_nodes() and edges.directed is False
    assert graph.number_of_edges() == len(edges) and not (edges.src == edges.dst).any()  # simple
    if size:
        assert nx.is_connected(graph)
    if size >= 1000:
        degrees = np.array([d for _, d in graph.degree])
        assert 2.1 < degrees.mean() < 2.6 and degrees.max() <= 4 and (degrees == 2).mean() > 0.5
        assert nx.eccentricity(graph, 0) > np.sqrt(size)


def test_small_world():
    ring = small_world(20, 4, rewire=0.0)
    assert nx.is_isomorphic(as_networkx(ring), nx.watts_strogatz_graph(20, 4, 0))
    moved = small_world(1000, 10, rewire=0.3, seed=4)
    assert len(moved) == 5000 and not (moved.src == moved.dst).any()
    far = (moved.dst - moved.src) % 1000 > 5
    assert 0.25 < far.mean() < 0.35
    for arguments in ((10, 3), (4, 4), (10, 2, 1.5)):
        with pytest.raises(ValueError, match="must be"):
            small_world(*arguments)


def test_preferential_attachment():
    edges = preferential_attachment(5000, 4, seed=1)
    assert len(edges) == 20000 and (edges.dst <= edges.src).all()
    assert (edges.src == edges.dst).mean() < 0.01
    degrees = np.bincount(np.concatenate([edges.src, edges.dst]))
    assert degrees.max() > 20 * np.median(degrees)
    assert len(preferential_attachment(0, 2)) == 0
    with pytest.raises(ValueError, match="at least 1"):
        preferential_attachment(5, 0)
