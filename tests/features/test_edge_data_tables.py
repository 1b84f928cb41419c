"""Edge data from tables and files, and back: no column is lost or confused with another."""

import numpy as np
import pytest

from frontier.interchange import from_dataframe, to_dataframe, to_networkx, to_scipy
from frontier.interchange.common import arcs
from frontier.io import EdgeList, ParseError, from_table, read_edges, read_stream, write_edges
from structures import SlabGraph

TABLE = {
    "src": [0, 1, 2], "dst": [1, 2, 0], "amount": [1.5, 2.5, np.nan], "time": [9, 8, 7], "flag": [True, False, True],
}  # fmt: skip
CSV = "src,dst,amount,time,channel\n0,1,1.5,9,3\n1,2,2.5,8,4\n2,0,3,7,5\n"


def test_data_have_the_types_of_the_table():
    columns = TABLE | {"small": np.array([1, 2, 3], np.int16), "half": np.array([1, 2, 3], np.float16)}
    columns["when"] = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[D]")
    edges = from_table(columns, data=["amount", "flag", "small", "half", "when"])
    assert edges.weights is None and edges.times.tolist() == [9, 8, 7]
    assert {name: str(column.dtype) for name, column in edges.data.items()} == {
        "amount": "float64", "flag": "bool", "small": "int32", "half": "float32", "when": "int64",
    }  # fmt: skip
    np.testing.assert_array_equal(edges.data["amount"], TABLE["amount"])
    assert edges.data["when"][0] == 1577836800 * 10**9


def test_records_keep_their_data():
    edges = from_table(TABLE, data=["flag", "amount"])
    assert edges[1:].data["flag"].tolist() == [False, True]
    assert edges.sorted_by_time().data["flag"].tolist() == [True, False, True]
    assert edges[edges.times > 7].compact().data["flag"].tolist() == [True, False]
    assert [batch.data["flag"].tolist() for batch in edges.batches(2)] == [[True, False], [True]]
    assert "flag" in repr(edges)
    assert EdgeList([0], [1]).data is None
    with pytest.raises(ValueError, match=r"data\['x'\] has shape \(2,\), src has \(1,\)"):
        EdgeList([0], [1], data={"x": [1, 2]})


def test_columns_that_are_not_asked_for_are_what_they_were():
    edges = from_table({"a": [0], "b": [1], "amount": [5], "fee": [2]}, columns={"src": "a", "dst": "b"}, data=["fee"])
    assert (edges.weights, edges.data["fee"].tolist()) == (None, [2])
    edges = from_table({"src": [0], "dst": [1], "amount": [5], "fee": [2]}, data=["fee"])
    assert edges.weights.tolist() == [5]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".feather"])
def test_files(suffix, tmp_path):
    """A written file is read back."""
    if suffix in (".parquet", ".feather"):
        pytest.importorskip("pyarrow")
    edges = EdgeList([0, 1, 0], [1, 2, 1], times=[3, 2, 1], data={"amount": [1.5, 2.5, 3.5], "channel": [1, 2, 3]})
    path = tmp_path / f"edges{suffix}"
    write_edges(path, edges)
    back = read_edges(path, data=["amount", "channel"])
    for name, column in edges.data.items():
        assert back.data[name].tolist() == column.tolist()
    assert back.times.tolist() == [3, 2, 1] and back.weights is None
    stream = read_stream(path, 2, data=["channel"], columns={"src": "src", "dst": "dst", "time": "time"})
    assert [batch.data["channel"].tolist() for batch in stream] == [[3, 2], [1]]
    graph = SlabGraph.from_edges(back.src, back.dst, edge_data=back.data, device="cpu")
    assert graph.edge_data["channel"][graph.edge_ids([0, 1], [1, 2])].tolist() == [3, 2]


@pytest.mark.parametrize("suffix", [".txt", ".mtx", ".tsv"])
def test_formats_without_names_refuse_data(suffix, tmp_path):
    edges = EdgeList([0], [1], data={"amount": [1.5]})
    with pytest.raises(ValueError, match="cannot store data"):
        write_edges(tmp_path / f"edges{suffix}", edges)


MISTAKES = {
    "unknown": ({"data": ["fee"]}, ValueError, r"there is no column 'fee'; the columns are src, dst, amount"),
    "twice": ({"data": ["amount", "amount"]}, ValueError, "data names a column twice"),
    "text": ({"data": "amount"}, TypeError, "data must be a list of names"),
    "end": ({"data": ["src"], "columns": {"src": "src"}}, ValueError, "name the same column, 'src'"),
    "weight": ({"data": ["amount"], "columns": ("src", "dst", "weight")}, ValueError, "which is the weight"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake, tmp_path):
    options, error, message = MISTAKES[mistake]
    path = tmp_path / "edges.csv"
    path.write_text(CSV)
    with pytest.raises(error, match=message):
        read_edges(path, **options)


def test_files_without_names(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("0 1 5\n1 2 6\n")
    with pytest.raises(ValueError, match="data names columns, but the file has no line of names"):
        read_edges(path, data=["amount"])
    path = tmp_path / "edges.noheader.mtx"
    path.write_text("1 2 5\n")
    with pytest.raises(ValueError, match="data= is for text and tables"):
        read_edges(path, data=["amount"])


def test_values_that_are_no_numbers(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(CSV.replace("2.5", "much"))
    with pytest.raises(ParseError, match=r"edges\.csv.*stray word 'much' where the amount should be"):
        read_edges(path, data=["amount"], columns={"src": "src", "dst": "dst"})


def test_networkx(device):
    pytest.importorskip("networkx")
    data = {"flag": [True, False], "time": [5, 6]}
    graph = SlabGraph.from_edges([0, 2], [1, 1], [3, 4], device=device, edge_data=data)
    made = to_networkx(graph)
    assert made.edges[0, 1] == {"weight": 3, "flag": True, "time": 5}
    assert made.edges[1, 2] == {"weight": 4, "flag": False, "time": 6}


def test_matrices_hold_weights(device):
    graph = SlabGraph.from_edges([0, 2], [1, 1], [3.0, 4.0], device=device, edge_data={"flag": [True, False]})
    plain = SlabGraph.from_edges([0, 2], [1, 1], [3.0, 4.0], device=device)
    if device == "cpu":
        pytest.importorskip("scipy")
        assert (to_scipy(graph) != to_scipy(plain)).nnz == 0
    for found, wanted in zip(arcs(graph), arcs(plain), strict=True):
        np.testing.assert_array_equal(graph.device.to_host(found), plain.device.to_host(wanted))


def test_data_frames(device):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE)
    graph = from_dataframe(frame, data=["time", "flag"], device=device)
    found = to_dataframe(graph)
    found = found if isinstance(found, pandas.DataFrame) else found.to_pandas()
    assert list(found.columns) == ["src", "dst", "time", "flag"]
    assert found.time.tolist() == [9, 7, 8] and found.flag.tolist() == [True, True, False]
    weighted = from_dataframe(frame, structure="csr", weight="time", data=["flag"], device=device)
    assert list(to_dataframe(weighted).columns) == ["src", "dst", "weight", "flag"]
    with pytest.raises(ValueError, match="data='fee' is no column of frame"):
        from_dataframe(frame, data=["fee"], device=device)
