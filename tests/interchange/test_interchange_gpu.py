"""Exports to libraries of a GPU: nothing is copied through the host.

cuGraph, pylibcugraph, cuDF and PyTorch are exercised through stand-ins with the signatures of the real ones
(`LIBRARIES`), everywhere. tests/interchange/test_interchange_rapids.py has the real ones.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, assert_equal, make, rows_of

import frontier as fr
from dynfrontier import Pipeline
from dynfrontier.pipeline.records import Decoder
from frontier import interchange
from frontier.core.files import stored_arrays
from frontier.core.sort import on_gpu
from frontier.features.times.units import as_times
from frontier.interchange.edge_index import as_tensor
from frontier.runtime import arrays
from structures import CSR


@pytest.fixture(autouse=True)
def no_kernels(monkeypatch):
    """The substitute for a GPU here has none."""
    monkeypatch.setattr(on_gpu, "takes", lambda device, *arrays: False)


@pytest.fixture(params=[None, *WEIGHTS])
def any_weight_dtype(request):
    return request.param


class OnDevice(np.ndarray):
    """An array that acts as if it were on a GPU: any copy to the host fails."""

    __cuda_array_interface__ = property(lambda self: self.__array_interface__)

    def get(self):
        raise AssertionError("a copy to the host")

    tolist = get


class _Cupy:
    """CuPy over arrays of `OnDevice`."""

    ndarray = OnDevice

    @staticmethod
    def asarray(values):
        return values.array if isinstance(values, _Tensor) else np.asarray(values).view(OnDevice)

    def __getattr__(self, name):
        function = getattr(np, name)
        if isinstance(function, type):
            return function

        def on_device(*args, **options):
            result = function(*args, **options)
            return result.view(OnDevice) if isinstance(result, np.ndarray) else result

        return on_device

    @staticmethod
    def asnumpy(array=None):
        raise AssertionError("a copy to the host")

    cuda = SimpleNamespace(get_current_stream=asnumpy)  # of which few numbers are copied without `get`


CUPY = _Cupy()
FAKE_GPU = fr.advanced.Device("gpu", CUPY)


def require_on_device(*arrays):
    for array in arrays:
        if not isinstance(array, OnDevice):
            raise TypeError(f"expected an array on the device, got {type(array)}")


class _Frame:
    """A cuDF DataFrame or Series. Columns must be on the device."""

    def __init__(self, data=None):
        self.data = data
        require_on_device(*(data.values() if isinstance(data, dict) else [data]))

    def __getitem__(self, name):
        return self.data[name]


class _SGGraph:
    def __init__(self, resource_handle, graph_properties, src_or_offset_array, dst_or_index_array, vertices_array=None,
                 weight_array=None, store_transposed=False, renumber=False, do_expensive_check=False,
                 edge_id_array=None, edge_type_array=None, input_array_format="COO"):  # fmt: skip
        assert isinstance(resource_handle, _ResourceHandle) and isinstance(graph_properties, _GraphProperties)
        require_on_device(src_or_offset_array, dst_or_index_array)
        if vertices_array is not None:
            require_on_device(vertices_array)
            assert src_or_offset_array.dtype == vertices_array.dtype
        if weight_array is not None:
            require_on_device(weight_array)
            assert weight_array.dtype in (np.float32, np.float64)
        self.handle, self.properties, self.options = resource_handle, graph_properties, (store_transposed, renumber)
        self.edges = (src_or_offset_array, dst_or_index_array, weight_array)
        ends = np.concatenate([src_or_offset_array, dst_or_index_array])
        self.vertices = np.unique(ends).view(OnDevice) if vertices_array is None else vertices_array


class _ResourceHandle:
    pass


class _GraphProperties:
    def __init__(self, is_symmetric=False, is_multigraph=False):
        self.is_symmetric, self.is_multigraph = is_symmetric, is_multigraph


def _decompress_to_edgelist(resource_handle, graph, do_expensive_check):
    """The stored edges: reversed in a transposed graph."""
    src, dst, weights = graph.edges
    store_transposed, _ = graph.options
    return (dst, src, weights, None, None) if store_transposed else (src, dst, weights, None, None)


def _extract_vertex_list(resource_handle, graph, do_expensive_check):
    return graph.vertices


class _CuGraph:
    """``cugraph.Graph``: symmetrizes undirected edges, and adds weights of 1 where they are missing."""

    def __init__(self, m_graph=None, directed=False):
        self.directed, self.weighted, self.renumbered, self.multi_gpu = directed, False, False, False
        self.store_transposed = False

    def from_cudf_edgelist(self, input_df, source="source", destination="destination", edge_attr=None, weight=None,
                           edge_id=None, edge_type=None, renumber=True, store_transposed=False, symmetrize=None,
                           vertices=None):  # fmt: skip
        src, dst = input_df[source], input_df[destination]
        self.weighted, self.store_transposed = edge_attr is not None, store_transposed
        weights = input_df[edge_attr] if self.weighted else np.ones(src.size, np.float32).view(OnDevice)
        weights = weights if weights.dtype.kind == "f" else weights.astype(np.float64)
        if not self.directed:
            src, dst, weights = (
                np.concatenate(pair).view(OnDevice) for pair in ((src, dst), (dst, src), (weights, weights))
            )
        properties = _GraphProperties(not self.directed, False)
        self._plc_graph = _SGGraph(
            _ResourceHandle(), properties, src, dst, None if vertices is None else vertices.data, weights,
            store_transposed, renumber,
        )  # fmt: skip

    def is_directed(self):
        return self.directed

    def is_weighted(self):
        return self.weighted

    def is_renumbered(self):
        return self.renumbered

    def is_multi_gpu(self):
        return self.multi_gpu


class _Tensor:
    """A PyTorch tensor on a GPU."""

    def __init__(self, array, requires_grad=False):
        require_on_device(array)
        self.array, self.shape, self.requires_grad = array, array.shape, requires_grad

    def __getitem__(self, i):
        return _Tensor(self.array[i], self.requires_grad)

    @property
    def __cuda_array_interface__(self):
        if self.requires_grad:
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad")
        return self.array.__cuda_array_interface__

    def detach(self):
        return _Tensor(self.array)


class _Data:
    """``torch_geometric.data.Data``, whose tensors must be on the device."""

    def __init__(self, num_nodes, **tensors):
        self.num_nodes, self.tensors = num_nodes, tensors
        assert all(isinstance(tensor, _Tensor) for tensor in tensors.values())

    edge_index = property(lambda self: self.tensors["edge_index"])

    def __contains__(self, name):
        return name in self.tensors

    def __getitem__(self, name):
        return self.tensors[name]


LIBRARIES = {
    "cupy": CUPY,
    "cudf": SimpleNamespace(DataFrame=_Frame, Series=_Frame),
    "cugraph": SimpleNamespace(Graph=_CuGraph),
    "pylibcugraph": SimpleNamespace(
        ResourceHandle=_ResourceHandle, GraphProperties=_GraphProperties, SGGraph=_SGGraph,
        decompress_to_edgelist=_decompress_to_edgelist, extract_vertex_list=_extract_vertex_list,
    ),
    "torch": SimpleNamespace(from_dlpack=_Tensor),
    "torch_geometric": SimpleNamespace(data=SimpleNamespace(Data=_Data)),
    "cupyx.scipy.sparse": SimpleNamespace(csr_matrix=lambda parts, shape: SimpleNamespace(parts=parts, shape=shape)),
}  # fmt: skip


class Received(CSR):
    """Stores the arguments of `from_edges`, and replaces the graph on the device."""

    @classmethod
    def from_edges(cls, src, dst, weights=None, num_vertices=None, directed=False, device="auto", **options):
        assert device is FAKE_GPU
        src, dst = (arrays.as_ids(device, ids, "ids") for ids in (src, dst))
        require_on_device(src, dst, *([] if weights is None else [weights]))
        graph = cls(num_vertices, directed=directed, device="cpu", weight_dtype=getattr(weights, "dtype", None))
        prepared = graph.store.make_arcs(
            *(None if a is None else a.view(np.ndarray) for a in (src, dst, weights)), directed=directed, weighted=True
        )
        graph.store.load(prepared)
        return on_fake_gpu(graph)


def on_fake_gpu(graph):
    """A CSR graph whose arrays act as if they were on a GPU. It can be read, not run."""
    graph = graph.copy()
    graph.device = graph.store.device = FAKE_GPU
    for name, array in stored_arrays(graph.store):
        setattr(graph.store, name, array.view(OnDevice))
    return graph


def off_fake_gpu(graph):
    """The same graph on the CPU."""
    arrays = (None if a is None else a.view(np.ndarray) for a in (graph.offsets, graph.indices, graph.weights))
    absent = None if graph.store.absent is None else graph.store.absent.view(np.ndarray)
    return CSR.from_csr(*arrays, directed=graph.directed, device="cpu", absent=absent)


@pytest.fixture
def libraries(monkeypatch):
    for name, module in LIBRARIES.items():
        monkeypatch.setitem(sys.modules, name, module)


def fake_graph(directed=False, weight_dtype=None, deleted=()):
    graph = make(CSR, "cpu", directed, weight_dtype)
    if len(deleted):
        graph.delete_vertices(deleted)
    return on_fake_gpu(graph)


STAYS_ON_DEVICE = {
    "pylibcugraph": lambda graph, **options: interchange.from_pylibcugraph(
        interchange.to_pylibcugraph(graph, **options), structure=Received, num_vertices=N, directed=graph.directed,
        device=FAKE_GPU, **options
    ),
    "cugraph": lambda graph, **options: interchange.from_cugraph(
        interchange.to_cugraph(graph, **options), structure=Received, num_vertices=N, device=FAKE_GPU
    ),
    "dataframe": lambda graph: interchange.from_dataframe(
        interchange.to_dataframe(graph), structure=Received, weight="weight" if graph.is_weighted else None,
        num_vertices=N, directed=graph.directed, device=FAKE_GPU,
    ),
    "pyg": lambda graph: interchange.from_pyg(
        interchange.to_pyg(graph), structure=Received, directed=graph.directed, device=FAKE_GPU
    ),
    "edge_index": lambda graph: interchange.from_edge_index(
        *interchange.to_edge_index(graph), structure=Received, num_vertices=N, directed=graph.directed, device=FAKE_GPU
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS_ON_DEVICE)
@pytest.mark.parametrize("deleted", [[], [2, 7]], ids=["all", "holed"])
def test_nothing_leaves_the_device(libraries, name, directed, any_weight_dtype, deleted):
    graph = fake_graph(directed, any_weight_dtype, deleted)
    again = off_fake_gpu(STAYS_ON_DEVICE[name](graph))
    expected = off_fake_gpu(graph)
    if name.endswith("cugraph") and any_weight_dtype in ("int32", "int64"):
        expected = CSR.from_edges(
            *expected.to_coo()[:2], expected.to_coo()[2].astype(np.float64), num_vertices=N, directed=directed,
            device="cpu",
        )  # fmt: skip
        expected.store.absent = graph.store.absent
    assert_equal(again, expected, vertices=name.endswith("cugraph"))


@pytest.mark.parametrize("name", ["pylibcugraph", "cugraph"])
def test_transposed_graphs_of_cugraph(libraries, name, directed):
    """They come back with their edges in the direction that they had."""
    graph = fake_graph(directed, "float32")
    again = STAYS_ON_DEVICE[name](graph, store_transposed=True)
    assert_equal(off_fake_gpu(again), off_fake_gpu(graph))


def test_scipy_matrices_stay_on_the_device(libraries):
    for weight_dtype, expected in ((None, np.float32), ("float32", np.float32), ("int64", np.float64)):
        matrix = interchange.to_scipy(fake_graph(weight_dtype=weight_dtype))
        data, indices, offsets = matrix.parts
        require_on_device(data, indices, offsets)
        assert data.dtype == expected and indices.dtype == offsets.dtype == np.int32 and matrix.shape == (N, N)


def test_the_spy_sees_copies():
    array = np.arange(3).view(OnDevice)
    for copy in (lambda: FAKE_GPU.to_host(array), array.tolist, lambda: CUPY.asnumpy(array)):
        with pytest.raises(AssertionError, match="a copy to the host"):
            copy()
    with pytest.raises(AssertionError, match="a copy to the host"):
        interchange.to_igraph(fake_graph())


def test_tensors_that_need_gradients(libraries):
    weights = _Tensor(np.array(WEIGHTS["float32"], np.float32).view(OnDevice), requires_grad=True)
    index = np.array([SRC, DST]).view(OnDevice)
    graph = interchange.from_edge_index(index, weights, structure=Received, num_vertices=N, device=FAKE_GPU)
    assert_equal(off_fake_gpu(graph), make(CSR, weight_dtype="float32"))


def test_tensors_in_managed_memory(monkeypatch):
    """PyTorch refuses it from DLPack, so it is handed over by another protocol, after queued work has been done."""
    calls = []
    stream = SimpleNamespace(synchronize=lambda: calls.append("waited"))
    cupy = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda: stream))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    torch = SimpleNamespace(as_tensor=lambda array, device: calls.append((array, device)))
    array = SimpleNamespace(__dlpack_device__=lambda: (13, 0), device=SimpleNamespace(id=2))
    as_tensor(torch, array)
    assert calls == ["waited", (array, "cuda:2")]


def test_pylibcugraph_options(libraries, monkeypatch):
    handle = _ResourceHandle()
    graph = fake_graph(deleted=[2])
    made = interchange.to_pylibcugraph(graph, handle, store_transposed=True)
    assert made.handle is handle and made.options == (True, True) and made.properties.is_symmetric
    assert made.edges[0].size == graph.num_arcs and made.edges[2] is None
    assert made.vertices.view(np.ndarray).tolist() == [0, 1, 3, 4, 5, 6, 7]
    made = interchange.to_pylibcugraph(fake_graph(directed=True, deleted=[2]), renumber=False)
    assert made.options == (False, False) and not made.properties.is_symmetric
    assert made.vertices.view(np.ndarray).tolist() == list(range(N))
    with pytest.raises(ValueError, match="num_vertices is 3, but plc_graph has a vertex 7"):
        interchange.from_pylibcugraph(made, structure=Received, num_vertices=3, device=FAKE_GPU)
    assert interchange.from_pylibcugraph(made, structure=Received, device=FAKE_GPU).num_vertices == N
    with pytest.raises(ValueError, match="multi_edges='sum' would count both directions of an undirected edge"):
        interchange.from_pylibcugraph(made, multi_edges="sum", device=FAKE_GPU)


def test_bad_cugraph_input(libraries):
    with pytest.raises(TypeError, match=r"cu_graph must be a cugraph\.Graph with edges, not list"):
        interchange.from_cugraph([], structure="csr", device="cpu")
    for bad in (None, [], fake_graph()):
        with pytest.raises(TypeError, match=r"plc_graph must be a pylibcugraph\.SGGraph, not"):
            interchange.from_pylibcugraph(bad, structure="csr", device="cpu")
    graph = interchange.to_cugraph(fake_graph())
    graph.renumbered = True
    with pytest.raises(ValueError, match="cu_graph numbers its vertices itself"):
        interchange.from_cugraph(graph, structure="csr", device="cpu")
    graph.multi_gpu = True
    with pytest.raises(ValueError, match="cu_graph is spread over several GPUs"):
        interchange.from_cugraph(graph, structure="csr", device="cpu")


def test_frames_without_cudf(libraries, monkeypatch):
    """On a GPU without cuDF the columns go to pandas, the one way they can."""
    pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "cudf", None)
    with pytest.raises(AssertionError, match="a copy to the host"):
        interchange.to_dataframe(fake_graph())


# ---- columns of cuDF ------------------------------------------------------------------------------------------------


class _Column:
    """A column of cuDF over one of pandas, which raises errors where cuDF's does."""

    def __init__(self, series, is_said=False):
        self.series = series
        self.is_said = is_said  # whether categories are ordered

    dtype = property(lambda self: self.series.dtype)
    cat = property(lambda self: SimpleNamespace(as_unordered=lambda: _Column(self.series.cat.as_unordered(), True)))
    dt = property(lambda self: SimpleNamespace(tz_convert=lambda zone: _Column(self.series.dt.tz_convert(zone))))
    hasnans = property(lambda self: bool(self.series.isna().any()))

    def isna(self):
        return self.series.isna().to_numpy().view(OnDevice)

    def astype(self, kind):
        return _Column(self.series.astype(kind))

    def to_cupy(self, na_value=None):
        assert na_value is not None or not self.hasnans, "CuPy has no nulls"
        dtype = getattr(self.dtype, "numpy_dtype", self.dtype)
        return self.series.to_numpy(dtype, na_value=na_value or 0).view(OnDevice)

    def to_arrow(self):
        assert self.is_said or not hasattr(self.dtype, "categories"), "Categorical 'ordered' attribute must be set"
        return pytest.importorskip("pyarrow").Array.from_pandas(self.series)

    @property
    def __cuda_array_interface__(self):
        raise TypeError("Categorical does not support `__cuda_array_interface__`")

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a host NumPy array via __array__ is not allowed")


class _ColumnFrame:
    """A frame of such columns."""

    def __init__(self, frame):
        self.frame, self.columns = frame, frame.columns

    def __getitem__(self, name):
        return _Column(self.frame[name])

    def to_cupy(self):
        raise AssertionError("its columns have several types")

    def to_arrow(self, preserve_index=None):
        return pytest.importorskip("pyarrow").Table.from_pandas(self.frame, preserve_index=preserve_index)


class _CupyThatCopies(_Cupy):
    @staticmethod
    def asnumpy(array):
        return array.view(np.ndarray)


def test_numbers_of_cudf(libraries):
    pd = pytest.importorskip("pandas")
    for dtype in ("int32", "uint8", "float32", "bool", "Int64", "Float64"):
        array = arrays.as_device_array(FAKE_GPU, _Column(pd.Series([3, 0, 1]).astype(dtype)), "values")
        require_on_device(array)
        assert array.dtype == np.dtype(dtype.lower())
        assert array.view(np.ndarray).tolist() == ([True, False, True] if dtype == "bool" else [3, 0, 1])
    nulls = arrays.as_device_array(FAKE_GPU, _Column(pd.Series([1, None], dtype="Float64")), "values")
    require_on_device(nulls)
    assert np.isnan(nulls.view(np.ndarray)).tolist() == [False, True]
    for dtype in ("Int64", "boolean"):
        with pytest.raises(ValueError, match=r"src\[1\] is missing \(null\)"):
            arrays.as_device_array(FAKE_GPU, _Column(pd.Series([1, None, 1], dtype=dtype)), "src")
    for bad in (["a", "b"], pd.Categorical([1, 2]), pd.to_datetime(["2026-01-01"])):
        with pytest.raises(TypeError, match="src must contain numbers, not"):
            arrays.as_ids(FAKE_GPU, _Column(pd.Series(bad)), "src")


def test_times_of_cudf(libraries):
    pd = pytest.importorskip("pandas")
    stamps = pd.Series(pd.to_datetime(["2026-01-01 12:00:00", "1969-12-31 23:59:58"]))
    for kind, hour in (("datetime64[ns]", 0), ("datetime64[s]", 0), ("zone", 1)):
        column = stamps.dt.tz_localize("+01:00") if kind == "zone" else stamps.astype(kind)
        times = as_times(FAKE_GPU, _Column(column), "time", "s")
        require_on_device(times)
        assert times.view(np.ndarray).tolist() == [1767268800 - 3600 * hour, -2 - 3600 * hour]
    assert as_times(FAKE_GPU, _Column(pd.Series([5, -6])), "time", "s").view(np.ndarray).tolist() == [5, -6]
    with pytest.raises(ValueError, match=r"time\[1\] is missing \(NaT\)"):
        as_times(FAKE_GPU, _Column(pd.Series([stamps[0], None])), "time", "s")


def test_names_of_cudf(libraries, monkeypatch):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.setitem(sys.modules, "cupy", _CupyThatCopies())
    called = ["bob", "ann", "bob", "eve"]
    for kind in ("str", "category"):
        names = fr.VertexNames()
        assert names.ids(_Column(pd.Series(called, dtype=kind))).tolist() == [0, 1, 0, 2]
        assert list(names) == ["bob", "ann", "eve"]
        with pytest.raises(TypeError, match="has 1 missing names"):
            names.ids(_Column(pd.Series(["ann", None], dtype=kind)))
    names = fr.VertexNames()
    assert names.ids(_Column(pd.Series([2**40, 7, 2**40]))).tolist() == [0, 1, 0]
    with pytest.raises(TypeError, match=r"\[1\] is missing: every vertex needs a name"):
        names.ids(_Column(pd.Series([7, None], dtype="Int64")))


def test_tables_of_cudf(libraries):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = _ColumnFrame(pd.DataFrame({"src": ["b", "a"], "dst": ["a", "c"], "weight": [1.5, 2]}, index=[5, 6]))
    edges = fr.io.from_table(frame)
    assert edges.ids[edges.src].tolist() == ["b", "a"] and edges.ids[edges.dst].tolist() == ["a", "c"]
    assert edges.weights.tolist() == [1.5, 2]


def test_batches_of_cudf(libraries):
    """Input of a pipeline stays on the GPU: timestamps become numbers there, in the unit of the graph's times."""
    pd = pytest.importorskip("pandas")
    graph = fr.structures()["slab"](
        9, time_unit="s", weight_dtype="float32", edge_data={"amount": "float64"}, device="cpu"
    )
    graph.device = graph.store.device = FAKE_GPU
    stamps = pd.to_datetime(["2026-01-01 12:00:00", "1969-12-31 23:59:58"])
    frame = pd.DataFrame({"payer": [3, 1], "payee": [0, 2], "at": stamps, "weight": [1, 2], "amount": [0.5, 8]})
    called = {"src": "payer", "dst": "payee", "time": "at"}
    decoder = Decoder(graph, True, called)
    rows = {name: _Column(frame[name]) for name in frame}
    for item in (_ColumnFrame(frame), rows, tuple(rows[name] for name in ("payer", "payee", "weight", "at"))):
        records = decoder.decode(item)
        require_on_device(*records.columns.values())
        found = {name: column.view(np.ndarray).tolist() for name, column in records.columns.items()}
        amounts = {} if isinstance(item, tuple) else {"amount": [0.5, 8]}
        assert found == {"src": [3, 1], "dst": [0, 2], "weights": [1, 2], "time": [1767268800, -2]} | amounts
    for bad, error, text in (
        ({"time": _Column(pd.Series([stamps[0], None]))}, ValueError, r"time\[1\] is missing \(NaT\)"),
        ({"weights": _Column(frame["at"])}, TypeError, "weights must contain numbers, not datetime64"),
        ({"src": _Column(frame["amount"])}, TypeError, "src must contain integer vertex ids, not float64"),
    ):
        columns = {"src": rows["payer"], "dst": rows["payee"], "weights": rows["weight"], "time": rows["at"]} | bad
        with pytest.raises(error, match=text):
            Decoder(graph, True, None).decode(columns)


def test_cudf_updates_graphs(libraries, rng):
    """Graphs, windows and pipelines accept columns of cuDF wherever they accept columns of pandas."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rng.integers(0, 20, (90, 2)), columns=["src", "dst"])
    frame["weight"], frame["amount"] = rng.random(90, np.float32), rng.integers(0, 9, 90)
    frame["at"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 900, 90)), "s")
    parts = [slice(0, 40), slice(40, 90)]
    found = []
    for column, whole in (_Column, _ColumnFrame), (lambda series: series, lambda rows: rows):
        made = interchange.from_dataframe(
            whole(frame), weight="weight", data=["amount"], time="at", time_unit="s", num_vertices=20,
            device="cpu",
        )  # fmt: skip
        batches = [{name: column(frame[name][part]) for name in frame} for part in parts]
        graph, moved, piped = (
            fr.structures()["slab"](
                20, time_unit="s", weight_dtype="float32", edge_data={"amount": "int64"}, device="cpu"
            )
            for _ in range(3)
        )
        window = fr.SlidingWindow(moved, span="5min")
        for batch in batches:
            ends = batch["src"], batch["dst"], batch["weight"]
            graph.insert_edges(*ends, time=batch["at"], amount=batch["amount"])
            window.push(*ends, time=batch["at"], amount=batch["amount"])
        Pipeline((whole(frame[part]) for part in parts), piped, columns={"time": "at"}, window="5min").run()
        assert rows_of(made) == rows_of(graph) and rows_of(moved) == rows_of(piped) != rows_of(graph)
        graph.delete_edges(batches[0]["src"], batches[0]["dst"])
        there = graph.has_edges(batches[1]["src"], batches[1]["dst"]).tolist()
        found.append((rows_of(made), rows_of(moved), rows_of(graph), there))
    assert found[0] == found[1]


def test_frames_of_cudf_take_names(libraries, monkeypatch):
    """cuDF has no objects: text, and integers among which some are missing, go by Arrow."""
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setitem(sys.modules, "cudf", SimpleNamespace(DataFrame=dict))
    columns = {"vertex": np.array(["a", None], object), "predecessor": np.array([2**63, None], object)}
    frame = interchange.dataframe.data_frame(columns | {"rank": np.array([0.5, 1])}, "cudf")
    assert frame["vertex"].to_pylist() == ["a", None] and frame["predecessor"].to_pylist() == [2**63, None]
    assert frame["predecessor"].type == pyarrow.uint64() and frame["rank"].tolist() == [0.5, 1]


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_real_matrices_stay_on_the_gpu(directed):
    graph = make(CSR, "gpu", directed, "float32")
    matrix = interchange.to_scipy(graph)
    assert type(matrix).__module__.startswith("cupyx")
    assert_equal(interchange.from_scipy(matrix, directed=directed, device="gpu"), graph)
    assert_equal(interchange.from_scipy(matrix, directed=directed, device="cpu"), graph)
