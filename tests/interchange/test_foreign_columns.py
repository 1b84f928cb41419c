"""Columns of other libraries, wherever ids, weights, times, edge data and names are accepted, and results as arrays of
theirs.

PyTorch, array-api-strict, Polars, pandas and Arrow where they are installed, and everywhere an array that supports only
DLPack.
"""

from __future__ import annotations

import importlib
import sys
import weakref
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import numpy as np
import pytest
from interchange_cases import DATA, DST, SRC, TIMES, N, rows_of, with_data

import algorithms
import frontier as fr
from dynfrontier import Pipeline
from frontier.runtime import arrays
from structures import CSR, SlabGraph


class Capsules:
    """An array that can be read only through DLPack."""

    def __init__(self, array, kind=None):
        self.array, self.kind = array, kind

    def __dlpack_device__(self):
        return self.array.__dlpack_device__() if self.kind is None else (self.kind, 0)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


def maker(name):
    """A function that makes a column of a library of a NumPy array, and the types that the library has not."""
    if name == "dlpack":
        return Capsules
    if name == "read_only":
        return as_read_only
    if name == "reversed":
        return lambda array: np.ascontiguousarray(array[::-1])[::-1]
    if name == "read_only_dlpack":
        return lambda array: Capsules(as_read_only(array))
    library = importlib.import_module({"polars_chunks": "polars", "torch_strided": "torch"}.get(name, name))
    if name == "polars_chunks":
        return lambda array: library.concat([library.Series(part) for part in np.array_split(array, 2)], rechunk=False)
    if name == "torch_strided":
        return lambda array: library.from_numpy(np.repeat(array, 2))[::2]
    make = {"torch": "from_numpy", "array_api_strict": "asarray", "pyarrow": "array"}.get(name, "Series")
    return getattr(library, make)


def as_read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


OURS = ["dlpack", "read_only", "read_only_dlpack", "reversed"]
LIBRARIES = [*OURS, "torch", "torch_strided", "array_api_strict", "polars", "polars_chunks", "pandas", "pyarrow"]


shares_read_only = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="NumPy hands over no read-only arrays by DLPack before 2.1"
)


@pytest.fixture(params=[pytest.param(n, marks=shares_read_only if n == "read_only_dlpack" else ()) for n in LIBRARIES])
def column(request):
    if request.param not in OURS:
        pytest.importorskip(request.param.removesuffix("_chunks").removesuffix("_strided"))
    return maker(request.param)


def test_all_columns_of_updates(column, structure):
    expected = with_data(structure)
    src, dst, time = (column(np.array(values)) for values in (SRC, DST, TIMES))
    data = {name: column(values) for name, values in DATA.items()}
    weights = column(np.array([0.1, -2, 3, 0, 7]))
    graph = structure.from_edges(
        src, dst, weights, num_vertices=N, device="cpu", edge_data=data, time=time, time_unit="s"
    )
    assert rows_of(graph) == rows_of(expected)
    assert graph.has_edges(src, dst).all() and (graph.edge_weights(src, dst) == [0.1, -2, 3, 0, 7]).all()
    assert graph.delete_edges(src, dst).deleted == len(SRC)
    assert graph.insert_edges(src, dst, weights, time=time, **data).inserted == len(SRC)
    assert rows_of(graph) == rows_of(expected)
    graph.delete_vertices(column(np.array([0, 6])))
    assert graph.insert_vertices(column(np.array([6]))).tolist() == [6]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_ids_of_all_types(column, dtype):
    graph = CSR.from_edges(column(np.array(SRC, dtype)), column(np.array(DST, dtype)), num_vertices=N, device="cpu")
    assert graph.has_edges(SRC, DST).all() and graph.num_edges == len(SRC)


def test_other_places_for_columns(column):
    graph = with_data(CSR)
    src, dst = column(np.array(SRC)), column(np.array(DST))
    ids = column(np.array([5, 0]))
    assert sorted(fr.Frontier(graph, ids)) == [0, 5]
    assert sorted(fr.Frontier(graph, column(np.arange(N) % 2 == 1))) == [1, 3, 5, 7]
    for given, expected in zip(fr.common_neighbors(graph, src, dst), fr.common_neighbors(graph, SRC, DST), strict=True):
        assert given.tolist() == expected.tolist()
    found = fr.sample_temporal_neighbors(graph, ids, 2, before=column(np.array([25, 100])), method="latest")
    assert found[0].tolist() == [0, 0, 2] and found[1].tolist() == [1, 2]
    names = fr.VertexNames()
    first, second = names.ids_of_edges(src, dst)
    assert (names[column(first)] == SRC).all() and (names[column(second)] == DST).all()
    window = fr.SlidingWindow(SlabGraph(N, time_unit="s", device="cpu"), span=100)
    assert window.push(src, dst, time=column(np.array([0, 50, 60, 120, 130]))).late == 1
    stream = SlabGraph(N, weight_dtype="float32", device="cpu")
    assert Pipeline((src, dst, column(np.ones(5, np.float32))), stream).run().records == 5
    assert stream.num_edges == 5
    ops = column(np.array([int(fr.Operation.HAS_EDGE)] * 5))
    assert (stream.apply(ops, src, dst).answers == 1).all()


def test_read_only_columns_share_their_memory_and_stay_as_they_are():
    """Kernels are not compiled for them again, as for arrays of another type."""
    given = as_read_only(np.array(SRC))
    taken = arrays.as_ids(fr.advanced.resolve_device("cpu"), given, "ids")
    assert taken.flags.writeable and np.shares_memory(taken, given) and not given.flags.writeable
    held = weakref.ref(given)
    del given
    assert held() is not None and taken.tolist() == SRC
    del taken
    assert held() is None
    graph = CSR.from_edges(SRC, DST, num_vertices=N, device="cpu")
    start, jump = np.full(N, 0.125), np.arange(N) / 28
    shown = start.copy(), jump.copy()
    algorithms.pagerank(graph, nstart=as_read_only(start), personalization=as_read_only(jump))
    algorithms.pagerank(graph, nstart=start, personalization=jump)
    assert (start == shown[0]).all() and (jump == shown[1]).all()


def test_empty_columns(column):
    nothing = column(np.zeros(0, np.int64))
    graph = CSR.from_edges(nothing, nothing, num_vertices=3, device="cpu")
    assert graph.insert_edges(nothing, nothing).inserted == 0 and not graph.has_edges(nothing, nothing).size


# ---- bad columns, and the unchanged graph ---------------------------------------------------------------------------


def test_tensors_that_need_gradients_and_signs():
    torch = pytest.importorskip("torch")
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    graph = CSR.from_edges([0, 1], [1, 2], weights, device="cpu")
    assert graph.to_coo()[2].tolist() == [1, 2] and weights.requires_grad
    signs = torch.tensor([1 + 2j, 3 - 4j]).conj().imag  # a view whose sign is not applied yet
    assert signs.is_neg()
    assert CSR.from_edges([0, 1], [1, 2], signs, device="cpu").to_coo()[2].tolist() == [-2, 4]


def test_tensors_of_types_that_numpy_lacks():
    torch = pytest.importorskip("torch")
    graph = with_data(CSR)
    before = rows_of(graph)
    for bad, error in (
        (torch.ones(5, dtype=torch.bfloat16), "weights cannot be read as an array"),
        (torch.ones(5, device="meta"), "weights cannot be read as an array"),
        (torch.ones(5).to_sparse(), "weights cannot be read as an array"),
        (torch.ones(5, dtype=torch.complex64), "weights must contain numbers, not complex64"),
        (torch.ones(5, dtype=torch.bool), "weights must contain numbers, not bool"),
    ):
        with pytest.raises(TypeError, match=error):
            graph.insert_edges(SRC, DST, bad, time=TIMES, **DATA)
    with pytest.raises(ValueError, match="weights must be one-dimensional"):
        graph.insert_edges(SRC, DST, torch.ones(5, 1), time=TIMES, **DATA)
    assert rows_of(graph) == before
    assert CSR.from_edges([0], [1], torch.ones(1, dtype=torch.float16), device="cpu").weight_dtype == np.float32


@pytest.mark.parametrize("library", ["polars", "pyarrow", "pandas"])
def test_missing_values(library):
    module = pytest.importorskip(library)

    def column(values, kind):
        if library == "polars":
            return module.Series(values, dtype=getattr(module, kind))
        if library == "pandas":
            return module.Series(values, dtype={"Boolean": "boolean"}.get(kind, kind))
        return module.array(values, getattr(module, {"Boolean": "bool_"}.get(kind, kind.lower()))())

    graph = SlabGraph(4, edge_data={"step": "int64", "flag": "bool", "rate": "float64"}, time_unit="s", device="cpu")
    good = {"time": [1, 2], "step": [1, 2], "flag": [True, False], "rate": [0.5, 1]}
    for name, bad in (("step", column([1, None], "Int64")), ("flag", column([True, None], "Boolean")),
                      ("time", column([1, None], "Int64"))):  # fmt: skip
        with pytest.raises(ValueError, match=rf"{name}\[1\] is missing"):
            graph.insert_edges([0, 1], [1, 2], **good | {name: bad})
    with pytest.raises(ValueError, match=r"dst\[1\] is missing \(null\)"):
        graph.insert_edges([0, 1], column([1, None], "Int64"), **good)
    assert graph.num_edges == 0
    graph.insert_edges([0, 1], [1, 2], **good | {"rate": column([0.5, None], "Float64")})
    assert np.isnan(graph.edge_data["rate"][graph.edge_ids([1], [2])]).all()
    with pytest.raises(TypeError, match=r"names(\[1\] is missing| has 1 missing names)"):
        fr.VertexNames().ids(column([1, None], "Int64"))


def test_managed_memory_is_asked_of_cupy(monkeypatch):
    """It stays on the GPU in graphs there. In all other graphs it is copied in the stream that CuPy requests."""
    asked = []

    def from_dlpack(values):
        asked.append(values)
        return values.array.view(OnDevice)

    cupy = SimpleNamespace(ndarray=OnDevice, from_dlpack=from_dlpack, asnumpy=lambda a: a.view(np.ndarray).copy(),
                           asarray=lambda a: a, ascontiguousarray=lambda a: a)  # fmt: skip
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    for kind in (2, 13):
        given = Capsules(np.arange(3), kind)
        on_gpu = arrays.as_ids(fr.advanced.Device("gpu", cupy), given, "ids")
        assert type(on_gpu) is OnDevice and np.shares_memory(on_gpu, given.array)
        on_cpu = arrays.as_ids(fr.advanced.resolve_device("cpu"), given, "ids")
        assert type(on_cpu) is np.ndarray and on_cpu.tolist() == [0, 1, 2]
        assert asked[-2:] == [given, given] and arrays.is_on_gpu(given)
    assert not arrays.is_on_gpu(Capsules(np.arange(3)))


def test_arrays_on_a_gpu_without_cupy(monkeypatch):
    """PyTorch can copy its own. Other arrays need CuPy, as an error reports."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(arrays, "find_spec", lambda name: None)
    given = Capsules(np.arange(3), 2)
    with pytest.raises(ImportError, match="src is on a GPU, and reading it there needs cupy: pip install cupy"):
        CSR.from_edges(given, [1, 2, 3], device="cpu")
    with pytest.raises(ImportError, match="needs cupy"):
        CSR.from_edges(SimpleNamespace(__cuda_array_interface__={}), [1, 2, 3], device="cpu")
    given.cpu = lambda: Capsules(given.array)
    assert CSR.from_edges(given, [1, 2, 3], device="cpu").num_edges == 3


class OnDevice(np.ndarray):
    """An array that acts as one of CuPy."""


# ---- Polars ----------------------------------------------------------------------------------------------------------

MICROS = [datetime(2026, 1, 1, 0, 0, 0, 123457), datetime(1969, 12, 31, 23, 59, 59, 999999)]


@pytest.fixture(scope="module")
def pl():
    return pytest.importorskip("polars")


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Kolkata"])
@pytest.mark.parametrize("unit", ["ns", "us"])
def test_datetimes_of_polars_are_exact(pl, zone, unit):
    stamps = pl.Series(MICROS).dt.cast_time_unit(unit)
    offset = timedelta(hours=5.5) if zone == "Asia/Kolkata" else timedelta()
    if zone is not None:
        stamps = stamps.dt.replace_time_zone(zone)
    expected = [(at.replace(tzinfo=timezone(offset)) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
                for at in MICROS]  # fmt: skip
    for graph_unit, factor in (("us", 1), ("ns", 1000)):
        graph = SlabGraph(4, time_unit=graph_unit, device="cpu")
        graph.insert_edges([0, 1], [1, 2], time=stamps)
        found = graph.edge_data["time"][graph.edge_ids([0, 1], [1, 2])]
        assert found.tolist() == [factor * each for each in expected]
    with pytest.raises(ValueError, match=r"time\[0\] is .*, no whole number of ms"):
        SlabGraph(4, time_unit="ms", device="cpu").insert_edges([0, 1], [1, 2], time=stamps)


def test_windows_and_days_of_polars(pl):
    days = pl.Series(MICROS).dt.date()
    graph = SlabGraph(4, time_unit="s", device="cpu")
    graph.insert_edges([0, 1], [1, 2], time=days)
    assert sorted(graph.edge_data["time"][:2].tolist()) == [-86400, 1767225600]
    stamps = pl.datetime_range(datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 2), "40s", eager=True)
    window = fr.SlidingWindow(SlabGraph(5, time_unit="ms", device="cpu"), span="1min")
    done = window.push(pl.Series([0, 1, 2, 3]), pl.Series([1, 2, 3, 4]), time=stamps)
    assert (done.inserted, done.late) == (2, 2) and window.clock == 1767225720000
    with pytest.raises(ValueError, match=r"time\[1\] is missing"):
        window.push([0, 1], [1, 2], time=pl.Series([MICROS[0], None]))


def test_tables_of_polars(pl):
    frame = pl.DataFrame({"src": ["a", "b", "a"], "dst": ["b", "c", "c"], "amount": [1, 2, 3], "time": [MICROS[0]] * 3})
    for kind in (pl.String, pl.Categorical, pl.Enum(["c", "b", "a"])):
        edges = fr.io.from_table(frame.with_columns(pl.col("src", "dst").cast(kind)), data=["amount"])
        assert edges.ids.tolist() == ["a", "b", "c"] and edges.src.tolist() == [0, 1, 0]
        assert edges.data["amount"].tolist() == [1, 2, 3] and edges.times.tolist() == [1767225600123457000] * 3
    with pytest.raises(TypeError, match=r"LazyFrame is a query, not a table: pass the result of its collect\(\)"):
        fr.io.from_table(frame.lazy())
    with pytest.raises(TypeError, match="frame is a LazyFrame, a query"):
        fr.interchange.from_dataframe(frame.lazy(), structure="csr", device="cpu")
    for bad in (pl.Series([1, None, 2]), pl.Series([[1], [2], [2, 3]]), pl.Series([{"a": 1}] * 3)):
        with pytest.raises(fr.io.ParseError, match="amount"):
            fr.io.from_table(frame.with_columns(bad.alias("amount")), data=["amount"])
    with pytest.raises(fr.io.ParseError, match="line 2: missing vertex id in src"):
        fr.io.from_table(pl.DataFrame({"src": [2**60, None], "dst": [1, 2]}))


def test_pipelines_of_polars(pl, tmp_path):
    frame = pl.DataFrame({"dst": [1, 2, 3], "src": [0, 1, 2], "weight": [1.0, 2.0, 3.0], "note": ["x", "y", "z"]})
    frame.write_parquet(tmp_path / "edges.parquet")
    lazy = pl.scan_parquet(tmp_path / "edges.parquet").filter(pl.col("weight") > 1)
    sources = {3: (frame, [frame[:2], frame[2:]], lambda begin: [frame[begin:]]), 2: (lazy.collect_batches(),)}
    for records, each in sources.items():
        for source in each:
            graph = SlabGraph(4, weight_dtype="float64", device="cpu")
            assert Pipeline(source, graph).run().records == records
            assert graph.edge_weights([2], [3]).tolist() == [3]
    graph, names = SlabGraph(device="cpu"), fr.VertexNames()
    words = frame.select(payer=pl.col("note"), payee=pl.lit("w"))
    Pipeline(words, graph, names=names, columns={"src": "payer", "dst": "payee"}).run()
    assert sorted(names[graph.neighbors(names.id_of("w"))]) == ["x", "y", "z"]


@pytest.mark.parametrize("kind", ["String", "Categorical", "Enum"])
def test_names_of_polars(pl, kind):
    words = ["cy", "ada", "cy", "bob"]
    column = pl.Series(words, dtype=pl.Enum(["unused", "bob", "cy", "ada"]) if kind == "Enum" else getattr(pl, kind))
    names = fr.VertexNames()
    assert names.ids(column).tolist() == [0, 1, 0, 2] and names.find(column[1:]).tolist() == [1, 0, 2]
    assert names.ids(column[:0]).size == 0
    with pytest.raises(TypeError, match=r"names\[1\] is missing: every vertex needs a name"):
        names.ids(pl.concat([column[:1], pl.Series([None], dtype=column.dtype)]))
    for bad in (pl.Series([1.5]), pl.Series([True]), pl.Series([[1]]), pl.Series(MICROS)):
        with pytest.raises(TypeError, match=r"must contain integers or text|among its names"):
            names.ids(bad)


# ---- results go out --------------------------------------------------------------------------------------------------


def arrays_of(graph):
    """Arrays of methods and results of a graph, with edges and of no size."""
    yield from graph.to_coo()
    yield from graph.to_csr().to_coo()
    yield from (graph.degrees(), graph.neighbors(0), graph.neighbors(4), graph.edge_ids(SRC, DST))
    yield from (graph.has_edges(SRC, DST), graph.has_vertices(np.arange(N)), graph.edge_weights(SRC, DST))
    yield from graph.edge_data.values()
    yield from graph.edge_endpoints(graph.edge_ids(SRC, DST))
    yield fr.Frontier.all(graph).vertices
    yield from fr.sample_temporal_neighbors(graph, [0, 0, 5], 1, method="latest")
    yield from fr.advanced.extract_neighbors(graph, [0, 2])
    with algorithms.DynamicBFS(graph, 0) as search:
        assert not search.distance.flags.writeable
        yield search.distance
    distances = algorithms.bfs(graph, sources=[0, 1, 2]).distance
    assert not distances[:, ::2].flags.contiguous
    yield from (distances, distances[:, ::2])
    results = [algorithms.bfs(graph, 0), algorithms.connected_components(graph), algorithms.triangle_count(graph),
               algorithms.pagerank(graph, weighted=False), algorithms.core_number(graph)]  # fmt: skip
    for result in results:
        yield from (value for value in vars(result).values() if hasattr(value, "dtype"))


@pytest.mark.parametrize("library", ["numpy", "torch", "array_api_strict"])
@shares_read_only
def test_results_go_out(library):
    module = pytest.importorskip(library)
    held = [array for array in arrays_of(with_data(SlabGraph, times=True)) if array is not None]
    assert len(held) > 30 and {array.dtype.kind for array in held} == set("bif")
    for array in held:
        shared = module.from_dlpack(array)
        back = np.from_dlpack(shared)
        assert tuple(shared.shape) == array.shape and back.tolist() == array.tolist()
        assert array.size == 0 or np.shares_memory(back, array)


def test_results_of_torch_and_back():
    torch = pytest.importorskip("torch")
    graph = with_data(SlabGraph)
    ranks = torch.from_dlpack(algorithms.pagerank(graph, weighted=False).pagerank)
    top = ranks.topk(3).indices
    assert sorted(fr.Frontier(graph, top)) == sorted(top.tolist())
