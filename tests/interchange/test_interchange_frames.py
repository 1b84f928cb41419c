"""Data frames: of pandas, Polars and Arrow, of graphs and of results."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, assert_equal, make, rows_of, with_data

import frontier as fr
from algorithms import bfs
from frontier import interchange
from structures import CSR


def test_dataframe(device, directed):
    pandas = pytest.importorskip("pandas")
    frame = interchange.to_dataframe(make(CSR, device, directed, "int64"))
    assert list(frame.columns) == ["src", "dst", "weight"]
    if device == "cpu":
        assert isinstance(frame, pandas.DataFrame)
        assert frame.dtypes.tolist() == [np.int32, np.int32, np.int64]
    assert list(interchange.to_dataframe(make(CSR, device)).columns) == ["src", "dst"]


def test_from_dataframe(device):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"payer": SRC, "payee": DST, "sum": WEIGHTS["float64"]}, index=list("abcde"))
    options = {"structure": "hornet", "device": device}
    graph = interchange.from_dataframe(frame, "payer", "payee", "sum", num_vertices=N, **options)
    assert_equal(graph, make(CSR, device, weight_dtype="float64"))
    graph = interchange.from_dataframe(frame, "payer", "payee", directed=True, **options)
    assert graph.num_vertices == 7 and graph.directed and not graph.is_weighted


def test_bad_dataframe():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": SRC, "dst": list("abcde"), "weight": 1.5})
    for arguments, error, text in (
        (("x", "dst"), ValueError, "source='x' is no column of frame"),
        (("src", "y"), ValueError, "destination='y' is no column of frame"),
        (("src", "src", "z"), ValueError, "weight='z' is no column of frame"),
        (("src", "dst"), TypeError, "column 'dst' of frame must contain numbers"),
        (("weight", "src"), TypeError, "column 'weight' of frame must contain integer vertex ids"),
        (("src", "src", "dst"), TypeError, "column 'dst' of frame must contain numbers"),
    ):
        with pytest.raises(error, match=text):
            interchange.from_dataframe(frame, *arguments, structure="csr", device="cpu")
    with pytest.raises(TypeError, match="frame must be a data frame, not list"):
        interchange.from_dataframe([SRC, DST], structure="csr", device="cpu")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_each_library_and_back(library, device, directed):
    pytest.importorskip(library)
    graph = with_data(CSR, device, directed)
    frame = interchange.to_dataframe(graph, library)
    assert type(frame).__module__.partition(".")[0] == library
    again = interchange.from_dataframe(
        frame, weight="weight", data=["amount", "flag", "step"], time="time", time_unit="s",
        num_vertices=N, directed=directed, device=device,
    )  # fmt: skip
    assert rows_of(again) == rows_of(graph)
    assert {name: str(column.dtype) for name, column in again.edge_data.items()} == {
        "weight": "float64", "time": "int64", "amount": "float32", "flag": "bool", "step": "int64"
    }  # fmt: skip
    empty = interchange.to_dataframe(CSR(3, device=device), library)
    assert interchange.from_dataframe(empty, device=device).num_edges == 0
    for argument in ("source", "weight", "time"):
        with pytest.raises(ValueError, match=f"{argument}='fee' is no column of frame"):
            interchange.from_dataframe(frame, **{argument: "fee"}, device=device)
    with pytest.raises(ValueError, match="data='fee' is no column of frame"):
        interchange.from_dataframe(frame, data=["fee"], device=device)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_results_in_frames_of_each_library(library):
    pytest.importorskip(library)
    graph = CSR.from_edges([0, 1, 4], [1, 2, 5], num_vertices=6, device="cpu")
    found = columns_of(bfs(graph, 0).to_dataframe(library=library))
    assert found["vertex"] == list(range(6)) and found["predecessor"] == [-1, 0, 1, -1, -1, -1]
    for called in (["ada", "bob", "cy", "dan"], [2**63 + 5, 3, 1, 2]):
        names = fr.VertexNames()
        names.ids(np.array(called, np.uint64 if called[1] == 3 else object))
        found = columns_of(bfs(graph, 0).to_dataframe(names, library=library))
        assert found["vertex"] == called and found["predecessor"] == [None, *called[:2], None]


def columns_of(frame):
    if hasattr(frame, "to_pydict"):
        return frame.to_pydict()
    if hasattr(frame, "iloc"):
        frame = frame.astype(object).where(frame.notna(), None)
    return frame.to_dict(as_series=False) if hasattr(frame, "get_column") else frame.to_dict("list")


def test_libraries_of_frames():
    graph = make(CSR)
    for bad in ("dask", 3):
        with pytest.raises(ValueError, match="library must be one of 'cudf', 'pandas', 'polars', 'pyarrow', not"):
            interchange.to_dataframe(graph, bad)
        with pytest.raises(ValueError, match="library must be one of"):
            bfs(graph, 0).to_dataframe(library=bad)


@pytest.mark.parametrize("library", ["cudf", "pandas", "polars", "pyarrow"])
def test_missing_libraries_of_frames(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    for make_frame in (interchange.to_dataframe, lambda graph, library: bfs(graph, 0).to_dataframe(library=library)):
        with pytest.raises(ImportError, match=f"to_dataframe needs {library}: pip install {library}"):
            make_frame(make(CSR), library)
