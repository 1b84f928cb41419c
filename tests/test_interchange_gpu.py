"""What the libraries of a GPU get: nothing is copied through the host.

cuGraph, pylibcugraph, cuDF and PyTorch are exercised for real where they are installed, and everywhere through
stand-ins with the signatures of the real ones (`LIBRARIES`).
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, assert_equal, make
from verifiers import host

import frontier as fr
from frontier import interchange
from frontier.interchange.tensors import as_tensor
from frontier.storage import stored_arrays
from structures import CSR


@pytest.fixture(params=[None, *WEIGHTS])
def any_weight_dtype(request):
    return request.param


class OnDevice(np.ndarray):
    """An array that acts as if it were on a GPU: whatever would bring it to the host fails."""

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
    def asnumpy(array):
        raise AssertionError("a copy to the host")


CUPY = _Cupy()
FAKE_GPU = fr.Device("gpu", CUPY)


def require_on_device(*arrays):
    for array in arrays:
        if not isinstance(array, OnDevice):
            raise TypeError(f"expected an array on the device, got {type(array)}")


class _Frame:
    """A cuDF DataFrame or Series; columns must be on the device."""

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
    return (*graph.edges, None, None)


def _extract_vertex_list(resource_handle, graph, do_expensive_check):
    return graph.vertices


class _CuGraph:
    """``cugraph.Graph``: symmetrizes undirected edges, and gives weights of 1 where there are none."""

    def __init__(self, m_graph=None, directed=False):
        self.directed, self.weighted, self.renumbered, self.multi_gpu = directed, False, False, False

    def from_cudf_edgelist(self, input_df, source="source", destination="destination", edge_attr=None, weight=None,
                           edge_id=None, edge_type=None, renumber=True, store_transposed=False, symmetrize=None,
                           vertices=None):  # fmt: skip
        src, dst = input_df[source], input_df[destination]
        self.weighted = edge_attr is not None
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
    """Keeps what `from_edges` gets, and stands for the graph that would be made of it on the device."""

    @classmethod
    def from_edges(cls, src, dst, weights=None, num_vertices=None, directed=False, device="auto", **options):
        assert device is FAKE_GPU
        src, dst = (fr.arrays.as_ids(device, ids, "ids") for ids in (src, dst))
        require_on_device(src, dst, *([] if weights is None else [weights]))
        graph = cls(num_vertices, directed=directed, device="cpu", weight_dtype=getattr(weights, "dtype", None))
        prepared = graph._prepare(
            *(None if a is None else a.view(np.ndarray) for a in (src, dst, weights)), directed=directed, weighted=True
        )
        graph._load(prepared)
        return on_fake_gpu(graph)


def on_fake_gpu(graph):
    """A CSR graph whose arrays act as if they were on a GPU; it can be read, not run."""
    graph = graph.copy()
    graph.device = FAKE_GPU
    for name, array in stored_arrays(graph):
        setattr(graph, f"_{name}", array.view(OnDevice))
    return graph


def off_fake_gpu(graph):
    """The same graph on the CPU."""
    arrays = (None if a is None else a.view(np.ndarray) for a in (graph.offsets, graph.indices, graph.weights))
    absent = None if graph._absent is None else graph._absent.view(np.ndarray)
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
    "pylibcugraph": lambda graph: interchange.from_pylibcugraph(
        Received, interchange.to_pylibcugraph(graph), num_vertices=N, directed=graph.directed, device=FAKE_GPU
    ),
    "cugraph": lambda graph: interchange.from_cugraph(
        Received, interchange.to_cugraph(graph), num_vertices=N, device=FAKE_GPU
    ),
    "dataframe": lambda graph: interchange.from_dataframe(
        Received, interchange.to_dataframe(graph), weight="weight" if graph.is_weighted else None, num_vertices=N,
        directed=graph.directed, device=FAKE_GPU,
    ),
    "pyg": lambda graph: interchange.from_pyg(
        Received, interchange.to_pyg(graph), directed=graph.directed, device=FAKE_GPU
    ),
    "edge_index": lambda graph: interchange.from_edge_index(
        Received, *interchange.to_edge_index(graph), num_vertices=N, directed=graph.directed, device=FAKE_GPU
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
        expected._absent = graph._absent
    assert_equal(again, expected, vertices=name.endswith("cugraph"))


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
    graph = interchange.from_edge_index(Received, index, weights, num_vertices=N, device=FAKE_GPU)
    assert_equal(off_fake_gpu(graph), make(CSR, weight_dtype="float32"))


def test_tensors_in_managed_memory(monkeypatch):
    """PyTorch refuses it from DLPack, so it is handed over in the other way, after what is queued has been done."""
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
        interchange.from_pylibcugraph(Received, made, num_vertices=3, device=FAKE_GPU)
    assert interchange.from_pylibcugraph(Received, made, device=FAKE_GPU).num_vertices == N


def test_bad_cugraph_input(libraries):
    with pytest.raises(TypeError, match=r"cu_graph must be a cugraph\.Graph with edges, not list"):
        interchange.from_cugraph("csr", [], device="cpu")
    for bad in (None, [], fake_graph()):
        with pytest.raises(TypeError, match=r"plc_graph must be a pylibcugraph\.SGGraph, not"):
            interchange.from_pylibcugraph("csr", bad, device="cpu")
    graph = interchange.to_cugraph(fake_graph())
    graph.renumbered = True
    with pytest.raises(ValueError, match="cu_graph numbers its vertices itself"):
        interchange.from_cugraph("csr", graph, device="cpu")
    graph.multi_gpu = True
    with pytest.raises(ValueError, match="cu_graph is spread over several GPUs"):
        interchange.from_cugraph("csr", graph, device="cpu")


def test_frames_without_cudf(libraries, monkeypatch):
    """On a GPU without cuDF the columns go to pandas, the one way they can."""
    pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "cudf", None)
    with pytest.raises(AssertionError, match="a copy to the host"):
        interchange.to_dataframe(fake_graph())


# ---- the real libraries of the GPU ----------------------------------------------------------------------------------

GPU_ROUND_TRIPS = {
    "pylibcugraph": lambda graph, **options: interchange.from_pylibcugraph(
        "csr", interchange.to_pylibcugraph(graph, **options), num_vertices=graph.num_vertices, directed=graph.directed,
        device="gpu", **options,
    ),
    "cugraph": lambda graph, **options: interchange.from_cugraph(
        "csr", interchange.to_cugraph(graph, **options), num_vertices=graph.num_vertices, device="gpu"
    ),
}  # fmt: skip


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("transposed", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("name", GPU_ROUND_TRIPS)
@pytest.mark.parametrize("weight", [None, "float32", "float64"])
def test_real_cugraph(name, transposed, directed, weight):
    pytest.importorskip(name)
    graph = make(CSR, "gpu", directed, weight)
    graph.delete_vertices([2, 7])
    assert_equal(GPU_ROUND_TRIPS[name](graph, store_transposed=transposed), graph)


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_real_pylibcugraph_runs():
    """Every vertex is in cuGraph's results, isolated ones too."""
    plc = pytest.importorskip("pylibcugraph")
    for place in ("gpu", "cpu"):
        for renumber in (True, False):
            graph = make(CSR, place)
            handle = plc.ResourceHandle()
            vertices, labels = plc.weakly_connected_components(
                handle, interchange.to_pylibcugraph(graph, handle, renumber=renumber), None, None, None, None, False
            )
            found = dict(zip(host(vertices).tolist(), host(labels).tolist(), strict=True))
            assert sorted(found) == list(range(N))
            assert found[0] == found[3] == found[2] != found[4] != found[5] == found[6]


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_real_matrices_stay_on_the_gpu(directed):
    graph = make(CSR, "gpu", directed, "float32")
    matrix = interchange.to_scipy(graph)
    assert type(matrix).__module__.startswith("cupyx")
    assert_equal(interchange.from_scipy("slab", matrix, directed=directed, device="gpu"), graph)
    assert_equal(interchange.from_scipy("slab", matrix, directed=directed, device="cpu"), graph)
