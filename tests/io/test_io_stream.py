import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.io import EdgeList, EdgeStream, ParseError, read_stream, sliding_window, stream_edges


def write(tmp_path, content):
    path = tmp_path / "stream.txt"
    path.write_text(content)
    return path


def test_time_order_and_sizes(tmp_path):
    path = write(tmp_path, "10 20 5\n30 10 1\n20 30 5\n10 10 2\n50 10 0\n")
    stream = read_stream(path, 2, columns=("src", "dst", "time"))
    assert (len(stream), stream.num_vertices, stream.num_records) == (3, 4, 5)
    assert stream.ids.tolist() == [10, 20, 30, 50] and not stream.has_deletions
    batches = list(stream)
    assert [len(b) for b in batches] == [2, 2, 1] and len(list(stream)) == 3
    assert np.concatenate([b.times for b in batches]).tolist() == [0, 1, 2, 5, 5]
    assert [stream.ids[b.src].tolist() for b in batches] == [[50, 30], [10, 10], [20]]
    assert all(b.operation == "insert" and b.num_vertices == 4 for b in batches)
    in_file = read_stream(path, 9, columns=("src", "dst", "time"), order="file", compact=False)
    assert next(iter(in_file)).src.tolist() == [10, 30, 20, 10, 50] and in_file.num_vertices == 51


def test_empty(tmp_path):
    stream = read_stream(write(tmp_path, "# nothing\n"))
    assert len(stream) == 0 and list(stream) == [] and stream.num_records == 0
    assert list(sliding_window(stream, 3)) == []


def test_operations(tmp_path):
    content = "# ops\n- 7 8\n+ 1 2 0.5\n+ 2 3 1\n+\t3\t4\t2\n- 1 2\n- 2 3 9\n+ 1 2 4\n"
    stream = read_stream(write(tmp_path, content), 2)
    found = [(b.operation, b.src.tolist(), None if b.weights is None else b.weights.tolist()) for b in stream]
    assert found == [
        ("delete", [4], None),
        ("insert", [0, 1], [0.5, 1.0]),
        ("insert", [2], [2.0]),
        ("delete", [0, 1], None),
        ("insert", [0], [4.0]),
    ]
    assert len(stream) == 5 and stream.has_deletions and stream.num_records == 7
    with pytest.raises(ValueError, match="insertions only"):
        sliding_window(stream, 2).__next__()


@pytest.mark.parametrize("weight", [5, 5.5])
def test_a_deletion_without_a_weight_has_0_for_it(tmp_path, weight):
    edges = read_stream(write(tmp_path, f"+ 1 2 {weight}\n- 1 2\n+ 3 4 7\n")).edges
    assert edges.weights.tolist() == [weight, 0, 7] and edges.weights.dtype.kind == ("i" if weight == 5 else "f")


def test_dynamic_konect_networks(tmp_path):
    stream = read_stream(write(tmp_path, "% asym dynamic\n1 2 1 10\n1 2 -1 30\n2 3 1 20\n"))
    assert [(batch.operation, batch.src.tolist(), batch.weights) for batch in stream] == [
        ("insert", [0, 1], None), ("delete", [0], None),
    ]  # fmt: skip
    assert stream.ids.tolist() == [1, 2, 3] and stream.directed is True
    assert not read_stream(write(tmp_path, "% asym dynamic\n1 2 1\n")).has_deletions


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()), max_size=25),
    directed=st.sampled_from([True, False, None]),
)
def test_directed_streams_for_undirected_graphs(rows, directed):
    src, dst, inserts = (np.array([row[k] for row in rows], int) for k in range(3))
    stream = EdgeStream(EdgeList(src, dst, num_vertices=3, directed=directed), 4, inserts.astype(bool)).undirected()
    expected, found = set(), set()
    for u, v, inserted in rows:
        edges = {(u, v)} if directed else {(u, v), (v, u)}
        expected = expected | edges if inserted else expected - edges
    for batch in stream:
        edges = {frozenset(pair) for pair in zip(batch.src.tolist(), batch.dst.tolist(), strict=True)}
        found = found | edges if batch.operation == "insert" else found - edges
    assert found == set(map(frozenset, expected))


def test_operations_in_time_order(tmp_path):
    content = "+ 1 2 2000000000\n- 1 2 2000000005\n+ 2 3 2000000003\n"
    stream = read_stream(write(tmp_path, content), compact=False)
    assert [(b.operation, b.src.tolist(), b.times.tolist()) for b in stream] == [
        ("insert", [1, 2], [2000000000, 2000000003]),
        ("delete", [1], [2000000005]),
    ]
    comma = read_stream(write(tmp_path, "+,1,2,5\n-,1,2,6\n"), columns=("src", "dst", "time"))
    assert [b.operation for b in comma] == ["insert", "delete"]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("+ 1 2\n3 4\n", 2, "'3' is not an operation"),
        ("+ 1 2\n* 3 4\n", 2, r"'\*' is not an operation"),
        ("+ 1 2\n-3 4\n", 2, "'-3' is not an operation"),
        ("+ 1 2\n- 3\n", 2, "missing column: the dst"),
        ("+ 1 2 5\n+ 3 4\n", 2, "missing column"),
        ("+ 1 2\n- -3 4\n", 2, "negative vertex id -3"),
        ("+ 1 2\n+\n", 2, "missing column: the src"),
    ],
)
def test_malformed_operations(tmp_path, content, line, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        read_stream(write(tmp_path, content))
    assert caught.value.line == line


def test_operations_required(tmp_path):
    with pytest.raises(ParseError, match="line 1: '1' is not an operation"):
        read_stream(write(tmp_path, "1 2\n"), operations=True)
    with pytest.raises(ParseError, match="line 2: missing column: the time"):
        read_stream(write(tmp_path, "+ 1 2 3\n- 1 2\n"), columns=("src", "dst", "time"))
    deletions = read_stream(write(tmp_path, "- 1 2\n- 3 4\n"), operations=True)
    assert [b.operation for b in deletions] == ["delete"]


def test_bad_arguments(tmp_path):
    path = write(tmp_path, "0 1\n")
    with pytest.raises(ValueError, match="order"):
        read_stream(path, order="random")
    with pytest.raises(ValueError, match="batch_size"):
        read_stream(path, 0)
    with pytest.raises(ValueError, match="order"):
        stream_edges(EdgeList([0], [1]), order="x")
    with pytest.raises(ValueError, match="entries"):
        EdgeStream(EdgeList([0], [1]), 1, np.array([True, False]))
    with pytest.raises(IndexError):
        stream_edges(EdgeList([0], [1]))[1]


def test_stream_edges_sorts():
    edges = EdgeList([0, 1, 2], [1, 2, 0], times=[3, 1, 2])
    assert [b.src.tolist() for b in stream_edges(edges, 2)] == [[1, 2], [0]]
    assert [b.src.tolist() for b in stream_edges(edges, 2, order="file")] == [[0, 1], [2]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 30)), max_size=40),
    st.integers(1, 7),
    st.integers(1, 20),
    st.sampled_from(["time", "count"]),
    st.booleans(),
)
def test_window_holds_exactly_the_recent_edges(rows, size, window, by, directed):
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    stream = stream_edges(EdgeList(table[:, 0], table[:, 1], times=table[:, 2], directed=directed), size)

    def edge(u, v):
        return (u, v) if directed else (min(u, v), max(u, v))

    live, records, seen = set(), 0, 0
    everything = stream.edges
    for (inserted, expired), (_, gone) in zip(
        sliding_window(stream, window, by=by), sliding_window(stream, window, by=by, multigraph=True), strict=True
    ):
        assert expired.operation == "delete"
        seen += len(inserted)
        live |= {edge(u, v) for u, v in zip(inserted.src, inserted.dst, strict=True)}
        leaving = [edge(u, v) for u, v in zip(expired.src, expired.dst, strict=True)]
        assert len(set(leaving)) == len(leaving) and set(leaving) <= live
        live -= set(leaving)
        times = everything.times[:seen]
        inside = times > times[-1] - window if by == "time" else np.arange(seen) >= seen - window
        recent = everything[:seen][inside]
        assert live == {edge(u, v) for u, v in zip(recent.src, recent.dst, strict=True)}
        records += len(inserted) - len(gone)
        assert records == len(recent)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_windows_of_nanoseconds(dtype):
    """Such times are too large for float64, which has every 256th of them."""
    start = 1_700_000_000_000_000_001
    times = np.array([start, start + 1, start + 2, start + 3], dtype)
    for window, left in ((2, [0, 0, 1, 1]), (1.5, [0, 0, 1, 1]), (3, [0, 0, 0, 1]), (1e30, [0] * 4)):
        stream = stream_edges(EdgeList([0, 1, 2, 3], [1, 2, 3, 4], times=times), 1)
        assert [len(expired) for _, expired in sliding_window(stream, window)] == left


def test_window_arguments():
    timeless = stream_edges(EdgeList([0, 1], [1, 2]), 1)
    assert [len(expired) for _, expired in sliding_window(timeless, 1)] == [0, 1]
    unsorted = stream_edges(EdgeList([0, 1], [1, 2], times=[2, 1]), 1, order="file")
    for stream, window, by, reason in [
        (timeless, 1, "time", "no times"),
        (timeless, 0, None, "positive"),
        (timeless, 1, "x", "by must"),
        (unsorted, 1, None, "not in time order"),
    ]:
        with pytest.raises(ValueError, match=reason):
            list(sliding_window(stream, window, by=by))
