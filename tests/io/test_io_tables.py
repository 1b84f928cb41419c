import builtins
from decimal import Decimal

import numpy as np
import pytest

from frontier.io import ParseError, from_table, read_edges


def test_mapping_and_structured_array():
    edges = from_table({"from": [5, 0], "to": [1, 2], "w": [1, 2]})
    assert edges.src.tolist() == [5, 0] and edges.weights.dtype == np.int64 and edges.num_vertices == 6
    records = np.array([(0, 1, 7)], dtype=[("a", "i8"), ("b", "i8"), ("c", "i8")])
    assert from_table(records).weights.tolist() == [7.0]
    assert from_table(records, weighted=False).weights is None
    assert from_table(records, columns=("dst", "src", "time")).times.tolist() == [7]
    assert from_table(records, columns={"src": "b", "dst": "c"}, compact=True).ids.tolist() == [1, 7]


def test_weights_keep_their_digits():
    wide = [2**53 + 1, 1_700_000_000_000_000_001]
    for column in (wide, np.array(wide, np.uint64), np.array(wide, object)):
        weights = from_table({"src": [0, 1], "dst": [1, 2], "weight": column}).weights
        assert weights.dtype == np.int64 and weights.tolist() == wide
    for column, dtype in (([0.5, 2], np.float64), ([1.0, 2.0], np.float64), (np.ones(2, np.int8), np.int64)):
        assert from_table({"src": [0, 1], "dst": [1, 2], "weight": column}).weights.dtype == dtype
    with pytest.raises(ParseError, match="the weight is over the int64 range"):
        from_table({"src": [0, 1], "dst": [1, 2], "weight": np.array([1, 2**63], np.uint64)})


def test_unnamed_third_column():
    assert from_table({"a": [0], "b": [1], "c": [10**9]}).times.tolist() == [10**9]
    dates = np.array(["2020-01-01"], dtype="datetime64[s]")
    assert from_table({"a": [0], "b": [1], "c": dates}).times.tolist() == [1577836800 * 10**9]


def test_words_as_ids():
    edges = from_table({"src": ["bob", "ann"], "dst": ["ann", "eve"]})
    assert edges.ids.tolist() == ["ann", "bob", "eve"]
    assert [edges.ids[v] for v in edges.src] == ["bob", "ann"]


def test_decimals_are_integers(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for digits, scale in ((20, 0), (38, 0), (38, 2)):
        column = pa.decimal128(digits, scale)
        ends, stamps = pa.array([7, 2**53 + 1], column), pa.array([1_700_000_000_000_000_001, 5], column)
        table = pa.table({"src": ends, "dst": ends[::-1], "time": stamps})
        parquet.write_table(table, tmp_path / "edges.parquet")
        for edges in (from_table(table), from_table(table.to_pandas()), read_edges(tmp_path / "edges.parquet")):
            assert edges.ids is None
            assert edges.src.tolist() == [7, 2**53 + 1] and edges.dst.tolist() == [2**53 + 1, 7]
            assert edges.times.dtype == (np.float64 if scale else np.int64)
            assert scale or edges.times.tolist() == [1_700_000_000_000_000_001, 5]


@pytest.mark.parametrize(
    ("table", "row", "reason"),
    [
        ({"src": [0]}, None, "needs two"),
        ({"src": [0, -1], "dst": [1, 2]}, 2, "negative vertex id in src"),
        ({"src": [0, 1], "dst": [1, np.nan]}, 2, "NaN vertex id in dst"),
        ({"src": [0.0], "dst": [1.0]}, None, "float64, not integers"),
        ({"src": [True], "dst": [False]}, None, "bool, not vertex ids"),
        ({"src": ["a", None], "dst": ["b", "c"]}, 2, "missing vertex id"),
        ({"src": np.array(["a", 1], dtype=object), "dst": ["b", "c"]}, None, "mix"),
        ({"src": [0, 1], "dst": [1, 2], "weight": [1.0, np.nan]}, 2, "weight is NaN"),
        ({"src": [0, 1], "dst": [1, 2], "weight": [np.inf, 0.0]}, 1, "weight is infinite"),
        ({"src": [0], "dst": [1], "weight": ["x"]}, 1, "not numbers"),
        ({"src": [0], "dst": [1], "time": np.array(["NaT"], dtype="datetime64[s]")}, 1, "time is missing"),
        ({"src": np.array([2**64 - 1], dtype=np.uint64), "dst": [0]}, 1, "over the int64 range"),
        ({"src": [Decimal(1), Decimal(2**64)], "dst": [0, 1]}, 2, "src is over the int64 range"),
        ({"src": [0, 1], "dst": np.array([1, 2**70], object)}, 2, "dst is over the int64 range"),
        ({"src": [Decimal(1), Decimal("1.5")], "dst": [0, 1]}, 2, "src is no integer"),
        ({"src": [Decimal(-1)], "dst": [Decimal(3)]}, 1, "negative vertex id in src"),
        ({"src": [Decimal(1), "a"], "dst": ["b", "c"]}, None, "mix Decimal and str"),
    ],
)
def test_malformed(table, row, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        from_table(table, source="my table")
    assert caught.value.line == row and "my table" in str(caught.value)


HASHES = np.array([2**64 - 1, 3], dtype=np.uint64)


@pytest.mark.parametrize("src, dst, ids", [
    (HASHES, HASHES[::-1], [3, 2**64 - 1]), ([2**64 - 1, 3], [3, 3], [3, 2**64 - 1]), ([-5, 3], [3, 3], [-5, 3]),
    (np.array(["a", 1], object), ["b", "a"], ["1", "a", "b"]), (HASHES, [5, -1], [-1, 3, 5, 2**64 - 1]),
    ([1.5, 2.0], [2.0, 2.0], [1.5, 2.0]), ([True], [False], [False, True]), ([2**70], [1], [1, 2**70]),
    (["b"], ["a"], ["a", "b"]), ([7, 5], [5, 5], [5, 7]),
])  # fmt: skip
def test_names_of_any_kind(src, dst, ids):
    edges = from_table({"src": src, "dst": dst}, named=True)
    assert edges.ids.tolist() == ids and edges.num_vertices == len(ids)
    strange = any(isinstance(name, str) for name in ids) and not isinstance(src, list)
    assert edges.to_original(edges.src).tolist() == (list(map(str, src)) if strange else list(src))
    with pytest.raises(ParseError, match="line 2: missing"):
        from_table({"src": np.array([1, None], object), "dst": [1, 2]}, named=True)


@pytest.mark.parametrize("column", [HASHES, [2, -1], [1.5, 2], np.array([1, "a"], object), [True, False]])
def test_ids_of_other_kinds_are_read_as_names(column):
    with pytest.raises(ParseError, match=r"named=True reads .* fr\.VertexNames"):
        from_table({"src": column, "dst": [0, 1]})


@pytest.mark.parametrize(
    ("src", "dst", "ids"),
    [
        ([1.0, 2.5], [2, 1], [1, 2, 2.5]),
        ([Decimal("1.5"), Decimal(2)], [2, 2**70], [Decimal("1.5"), 2, 2**70]),
        (np.array([1, 2.0], object), [1, 2], [1, 2]),
    ],
)
def test_ids_that_are_equal_numbers_are_one_id_whatever_their_types(src, dst, ids):
    edges = from_table({"src": src, "dst": dst}, named=True)
    assert edges.ids.tolist() == ids
    assert [edges.ids[v] for v in (*edges.src, *edges.dst)] == [*src, *dst]


def test_numbers_that_are_no_vertices_are_told_that_they_may_be_names():
    for number in (Decimal("1.5"), Decimal(2**64)):
        with pytest.raises(ParseError, match=r"named=True"):
            from_table({"src": [Decimal(1), number], "dst": [0, 1]})


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_names_in_files_of_tables(suffix, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather as feather
    import pyarrow.parquet as parquet

    path, table = tmp_path / f"a.{suffix}", pa.table({"src": HASHES, "dst": HASHES[::-1]})
    (parquet.write_table if suffix == "parquet" else feather.write_feather)(table, path)
    with pytest.raises(ParseError, match=r"over the int64 range.*named=True"):
        read_edges(path)
    assert read_edges(path, named=True).ids.tolist() == [3, 2**64 - 1]
    assert read_edges(path, named=True, compact=True).ids.tolist() == [3, 2**64 - 1]


def test_not_a_table():
    with pytest.raises(TypeError, match="named columns"):
        from_table([1, 2])


def test_arrow_objects_and_files(tmp_path):
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"weight": [0.5, 1.5], "target": [1, 2], "source": [0, 3]})
    for edges in (from_table(table), from_table(table.to_batches()[0])):
        assert edges.src.tolist() == [0, 3] and edges.dst.tolist() == [1, 2] and edges.weights.tolist() == [0.5, 1.5]
    parquet.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.feather")
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as writer:
        writer.write(table)
    for name in ("a.parquet", "a.feather", "a.arrow"):
        assert read_edges(tmp_path / name, compact=True).weights.tolist() == [0.5, 1.5]
    assert read_edges(tmp_path / "a.parquet", columns={"src": "target", "dst": "source"}).src.tolist() == [1, 2]
    (tmp_path / "bad.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:50])
    with pytest.raises(ParseError, match=r"bad\.parquet"):
        read_edges(tmp_path / "bad.parquet")
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1))
    assert from_table(reader).src.tolist() == [0, 3]  # as all that hands its columns over by Arrow's interface
    nulls = pa.table({"src": [0, None], "dst": [1, 2]})
    with pytest.raises(ParseError, match="line 2: missing vertex id in src"):
        from_table(nulls)


def test_data_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"user": [3, 4], "item": [5, 6], "at": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    edges = from_table(frame)
    assert edges.src.tolist() == [3, 4] and np.diff(edges.times).tolist() == [86400 * 10**9]
    assert from_table(pd.DataFrame({"src": ["x", "y"], "dst": ["y", "y"]})).ids.tolist() == ["x", "y"]
    assert from_table(pd.DataFrame([[0, 1], [2, 3]])).dst.tolist() == [1, 3]
    nullable = pd.DataFrame({"src": pd.array([1, None], dtype="Int64"), "dst": [0, 1]})
    with pytest.raises(ParseError, match="line 2"):
        from_table(nullable)
    assert from_table(pd.DataFrame({"src": pd.array([1, 2], dtype="Int64"), "dst": [0, 1]})).num_vertices == 3


def test_without_pyarrow(tmp_path, monkeypatch):
    original = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.split(".")[0] == "pyarrow":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r"dynfrontier\[parquet\]"):
        read_edges(path)


@pytest.mark.parametrize("role", ["weight", "time"])
def test_long_words_of_digits_take_linear_time(role):
    for word, fault in [("1" * 200_000 + "x", "not a number"), ("1" * 5000, "infinite"), ("0." + "1" * 200_000, None)]:
        table = {"src": [0], "dst": [1], role: [word]}
        if fault is None:
            assert from_table(table) is not None
        else:
            with pytest.raises(ParseError, match=fault):
                from_table(table)
