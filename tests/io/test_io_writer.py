import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.io import EdgeList, from_table, read_edges, rmat, write_edges


@st.composite
def edge_lists(draw, times=True):
    size = draw(st.integers(0, 30))
    largest = draw(st.sampled_from([0, 5, 2**31 + 5, 2**62]))
    ends = st.lists(st.integers(0, largest), min_size=size, max_size=size)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    wide = st.integers(-(2**63) + 1, 2**63 - 1)
    kind, numbers = draw(st.sampled_from([(np.float64, finite), (np.int64, wide)]))
    weights = draw(st.none() | st.lists(numbers, min_size=size, max_size=size))
    stamps = st.lists(st.integers(-(2**62), 2**62), min_size=size, max_size=size)
    return EdgeList(
        np.array(draw(ends), dtype=np.int64),
        np.array(draw(ends), dtype=np.int64),
        weights=None if weights is None else np.array(weights, dtype=kind),
        times=np.array(draw(stamps), dtype=np.int64) if times and draw(st.booleans()) else None,
        num_vertices=largest + 1 + draw(st.integers(0, 3)),
        directed=draw(st.sampled_from([None, True, False])),
    )


def same(first, second, metadata=True):
    for name in ("src", "dst", "weights", "times"):
        a, b = getattr(first, name), getattr(second, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert np.array_equal(a, b) and (len(a) == 0 or a.dtype == b.dtype), name
    if metadata:
        assert (first.num_vertices, first.directed) == (second.num_vertices, second.directed)


@pytest.mark.parametrize("suffix", ["txt", "csv", "tsv.gz", "el.xz", "edges.bz2"])
@settings(max_examples=25, deadline=None)
@given(edges=edge_lists())
def test_text_round_trip(tmp_path_factory, suffix, edges):
    path = tmp_path_factory.getbasetemp() / f"round.{suffix}"
    write_edges(path, edges)
    same(read_edges(path), edges)


@settings(max_examples=40, deadline=None)
@given(edges=edge_lists(times=False))
def test_matrix_market_round_trip(tmp_path_factory, edges):
    path = tmp_path_factory.getbasetemp() / "round.mtx.gz"
    write_edges(path, edges)
    found = read_edges(path)
    assert found.directed is (edges.directed is not False)
    if edges.directed is False:
        edges = EdgeList(
            np.maximum(edges.src, edges.dst),
            np.minimum(edges.src, edges.dst),
            weights=edges.weights,
            num_vertices=edges.num_vertices,
        )
    same(found, edges, metadata=False)
    assert found.num_vertices == edges.num_vertices


def test_scipy_reads_our_matrix_market(tmp_path):
    from scipy.io import mmread

    edges = EdgeList([0, 2, 3], [1, 0, 3], weights=[0.1, 2.5, 1e-9], directed=False, num_vertices=5)
    write_edges(tmp_path / "a.mtx", edges)
    matrix = mmread(tmp_path / "a.mtx").toarray()
    assert matrix.shape == (5, 5) and matrix[0, 1] == matrix[1, 0] == 0.1 and matrix[3, 3] == 1e-9


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
@settings(max_examples=15, deadline=None)
@given(edges=edge_lists())
def test_table_round_trip(tmp_path_factory, suffix, edges):
    pytest.importorskip("pyarrow")
    path = tmp_path_factory.getbasetemp() / f"round.{suffix}"
    write_edges(path, edges)
    found = read_edges(path)
    assert found.src.tolist() == edges.src.tolist() and found.dst.tolist() == edges.dst.tolist()
    same(EdgeList(edges.src, edges.dst, weights=edges.weights, times=edges.times), found, metadata=False)


@pytest.mark.parametrize("suffix", ["txt", "csv", "tsv", "mtx", "parquet", "feather", "arrow"])
def test_files_call_vertices_what_their_source_calls_them(tmp_path, suffix):
    if suffix in ("parquet", "feather", "arrow"):
        pytest.importorskip("pyarrow")
    edges = EdgeList([0, 3], [1, 5], num_vertices=6, first_id=1)
    write_edges(tmp_path / f"a.{suffix}", edges)
    found = read_edges(tmp_path / f"a.{suffix}")
    assert found.first_id == 1
    same(found, edges, metadata=False)
    assert found.compact().ids.tolist() == [1, 2, 4, 6]


@pytest.mark.parametrize("suffix", ["txt", "csv", "parquet"])
def test_times_that_were_dates_stay_such(tmp_path, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    edges = EdgeList([0], [1], times=[10**9], time_unit="ns")
    write_edges(tmp_path / f"a.{suffix}", edges)
    assert read_edges(tmp_path / f"a.{suffix}").time_unit == "ns"
    with pytest.raises(ValueError, match="time_unit must be ns, us, ms, s or None, got 'h'"):
        EdgeList([0], [1], times=[10**9], time_unit="h")


def test_a_table_with_ids_below_its_first():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"src": [1, 0], "dst": [2, 2]}).replace_schema_metadata({"first_id": "1"})
    with pytest.raises(ValueError, match="line 2: vertex id in src is below first_id = 1"):
        from_table(table)


def test_the_largest_vertex_of_32_bits_is_counted_from_1(tmp_path):
    edges = EdgeList(np.array([2**31 - 1], np.int32), np.array([0], np.int32), num_vertices=2**31)
    assert edges.src.dtype == np.int32
    write_edges(tmp_path / "a.mtx", edges)
    assert read_edges(tmp_path / "a.mtx").src.tolist() == [2**31 - 1]


def test_many_rows_cross_the_block_border(tmp_path):
    edges = rmat(13, 16)
    write_edges(tmp_path / "a.txt", edges)
    same(read_edges(tmp_path / "a.txt"), edges)


def test_rejects(tmp_path):
    edges = EdgeList([0], [1], times=[1])
    with pytest.raises(ValueError, match="cannot store times"):
        write_edges(tmp_path / "a.mtx", edges)
    with pytest.raises(ValueError, match=r"unknown suffix '\.doc'"):
        write_edges(tmp_path / "a.doc", edges)
    assert not list(tmp_path.iterdir())
