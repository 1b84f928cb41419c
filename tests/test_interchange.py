"""Conversions to and from other libraries: round trips, what each library itself says, bad input, and no host copies.

cuGraph, pylibcugraph, cuDF and PyTorch are exercised for real where they are installed, and everywhere through
stand-ins with the signatures of the real ones (`LIBRARIES`).
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from graphs import GRAPHS
from scipy import sparse
from verifiers import host

import frontier as fr
from frontier import interchange
from frontier.interchange import common
from frontier.storage import stored_arrays
from structures import CSR

SMALL = ["empty", "one-vertex", "one-edge", "path", "clique", "rmat"]
SRC, DST, N = [0, 3, 1, 2, 5], [1, 0, 2, 0, 6], 8
WEIGHTS = {"int32": [5, -2, 3, 4, 7], "int64": [2**40, -2, 3, 4, 7], "float32": [0.5, -2, 3, 0, 7],
           "float64": [0.1, -2, 3, 0, 7]}  # fmt: skip


@pytest.fixture(params=[None, *WEIGHTS])
def any_weight_dtype(request):
    return request.param


def make(structure, device="cpu", directed=False, weight_dtype=None):
    """A small graph with isolated vertices."""
    weights = None if weight_dtype is None else np.array(WEIGHTS[weight_dtype], weight_dtype)
    return structure.from_edges(SRC, DST, weights, num_vertices=N, directed=directed, device=device)


def assert_equal(graph, other, *, vertices=True):
    """Same edges, weights and their dtype, direction; and the same vertices."""
    assert graph.directed == other.directed
    assert graph.weight_dtype == other.weight_dtype
    assert graph.num_vertices == other.num_vertices
    for a, b in zip(graph.to_coo(), other.to_coo(), strict=True):
        assert (a is None and b is None) or (host(a) == host(b)).all()
    if vertices:
        ids = np.arange(graph.num_vertices)
        assert (host(graph.has_vertices(ids)) == host(other.has_vertices(ids))).all()


def edges_of(graph):
    src, dst, weights = graph.to_coo()
    values = [None] * src.size if weights is None else host(weights).tolist()
    return dict(zip(zip(host(src).tolist(), host(dst).tolist(), strict=True), values, strict=True))


# ---- every structure and device: the libraries that need no GPU -----------------------------------------------------

ROUND_TRIPS = {
    "networkx": lambda kind, graph, device: interchange.from_networkx(
        kind, interchange.to_networkx(graph), device=device, num_vertices=graph.num_vertices,
        weight_dtype=graph.weight_dtype,
    )[0],
    "igraph": lambda kind, graph, device: interchange.from_igraph(
        kind, interchange.to_igraph(graph), device=device, weight_dtype=graph.weight_dtype
    )[0],
    "edge_index": lambda kind, graph, device: interchange.from_edge_index(
        kind, *interchange.to_edge_index(graph), num_vertices=graph.num_vertices, directed=graph.directed, device=device
    ),
    "dataframe": lambda kind, graph, device: interchange.from_dataframe(
        kind, interchange.to_dataframe(graph), weight="weight" if graph.is_weighted else None,
        num_vertices=graph.num_vertices, directed=graph.directed, device=device,
    ),
    "scipy": lambda kind, graph, device: interchange.from_scipy(
        kind, interchange.to_scipy(graph), weighted=graph.is_weighted, directed=graph.directed, device=device,
        weight_dtype=graph.weight_dtype,
    ),
}  # fmt: skip
NEEDS = {"networkx": "networkx", "igraph": "igraph", "dataframe": "pandas"}


@pytest.fixture(params=ROUND_TRIPS)
def round_trip(request):
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return ROUND_TRIPS[request.param]


def test_round_trip(structure, device, round_trip, directed, weight_dtype):
    graph = make(structure, device, directed, weight_dtype)
    again = round_trip(structure, graph, device)
    assert type(again) is structure and again.device == graph.device
    assert_equal(again, graph)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_round_trip_of_weights(device, round_trip, kind):
    if device == "gpu" and kind in ("int32", "int64") and round_trip is ROUND_TRIPS["scipy"]:
        pytest.skip("CuPy's matrices hold no integers")
    graph = make(CSR, device, weight_dtype=kind)
    assert_equal(round_trip(CSR, graph, device), graph)


def test_wide_integers_are_not_rounded(device, round_trip, directed):
    """They come back, or are refused where a library keeps weights as floats."""
    graph = CSR.from_edges([0, 1], [1, 2], np.array([2**53 + 1, 1_700_000_000_000_000_001]), None, directed, device)
    if device == "gpu" and round_trip is ROUND_TRIPS["scipy"]:
        with pytest.raises(ValueError, match="integers beyond 2\\*\\*53"):
            round_trip(CSR, graph, device)
    else:
        assert_equal(round_trip(CSR, graph, device), graph)


def test_weights_for_libraries_that_take_floats():
    assert common.as_floats(np.array([2**53, -(2**53)])).dtype == np.float64
    assert common.as_floats(np.array([0.5], np.float32)).dtype == np.float32
    for wide in (2**53 + 1, -(2**53) - 1, -(2**63)):
        with pytest.raises(ValueError, match="integers beyond 2\\*\\*53"):
            common.as_floats(np.array([1, wide]))


@pytest.mark.parametrize("wide", [2**63, 2**64, -(2**63) - 1, np.uint64(2**63)])
@pytest.mark.parametrize("other", [1, -1, None])
def test_integers_of_other_libraries_that_do_not_fit(wide, other):
    with pytest.raises(ValueError, match=f"'weight' of some edge is {wide}, which does not fit in int64"):
        common.host_weights([wide, other], "weight")


@pytest.mark.parametrize("name", SMALL)
def test_round_trip_of_graphs(device, round_trip, name, directed):
    src, dst, n = GRAPHS[name]
    graph = CSR.from_edges(src, dst, num_vertices=n, directed=directed, device=device)
    assert_equal(round_trip(CSR, graph, device), graph)


def test_round_trip_without_vertices(device, round_trip):
    if device == "gpu" and round_trip is ROUND_TRIPS["scipy"]:
        pytest.skip("CuPy's matrices have rows")
    assert round_trip("csr", CSR(0, device=device), device).num_vertices == 0


def test_structures_by_name(device):
    graph = make(CSR, device)
    for name, kind in fr.structures().items():
        assert type(interchange.from_scipy(name, interchange.to_scipy(graph), device=device)) is kind


# ---- deleted vertices -----------------------------------------------------------------------------------------------


@pytest.fixture
def holed(device):
    """A graph whose ids 2 and 7 are deleted, and whose id 4 has no edges."""
    graph = make(CSR, device, weight_dtype="float64")
    graph.delete_vertices([2, 7])
    return graph


def test_deleted_vertices_through_networkx(holed, device, structure):
    pytest.importorskip("networkx")
    nx_graph = interchange.to_networkx(holed)
    assert list(nx_graph) == [0, 1, 3, 4, 5, 6]
    again, names = interchange.from_networkx(structure, nx_graph, device=device, num_vertices=N)
    assert_equal(again, holed)
    assert names == list(range(N))
    with pytest.raises(ValueError, match="deleted"):
        again.neighbors(2)
    if isinstance(again, fr.DynamicGraph):
        assert host(again.insert_vertices(1)).tolist() == [2]
        assert again.insert_edges([2], [0]).inserted == 1
    dense, names = interchange.from_networkx(structure, nx_graph, device=device)
    assert dense.num_vertices == 6 and names == [0, 1, 3, 4, 5, 6]
    assert set(interchange.to_networkx(dense, names).edges) == set(nx_graph.edges)


@pytest.mark.parametrize("name", ["igraph", "edge_index", "scipy", "dataframe"])
def test_deleted_vertices_elsewhere_are_isolated(holed, device, name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    again = ROUND_TRIPS[name](CSR, holed, device)
    assert_equal(again, holed, vertices=False)
    assert host(again.has_vertices(np.arange(N))).all()


# ---- NetworkX -------------------------------------------------------------------------------------------------------


def test_networkx_sees_the_graph(device, directed):
    nx = pytest.importorskip("networkx")
    result = interchange.to_networkx(make(CSR, device, directed, "float64"), weight="length")
    assert type(result) is (nx.DiGraph if directed else nx.Graph)
    assert list(result) == list(range(N))
    for u, v, w in zip(SRC, DST, WEIGHTS["float64"], strict=True):
        assert result[u][v] == {"length": w}
    assert result.number_of_edges() == len(SRC)


def test_networkx_names(device):
    nx = pytest.importorskip("networkx")
    source = nx.DiGraph([("b", "a"), ("a", "c"), ("c", "c"), (("t", 1), "b")])
    source.add_node(7.5)
    graph, names = interchange.from_networkx("slab", source, device=device)
    assert names == list(source)
    assert graph.directed and not graph.is_weighted
    assert {(names[u], names[v]) for u, v in edges_of(graph)} == {e for e in source.edges if e[0] != e[1]}
    again = interchange.to_networkx(graph, names)
    assert list(again) == list(source)
    assert set(again.edges) == {e for e in source.edges if e[0] != e[1]}


def test_networkx_ids_keep_their_numbers(device):
    nx = pytest.importorskip("networkx")
    graph, names = interchange.from_networkx("csr", nx.Graph([(2, 0), (np.int64(3), 1)]), device=device)
    assert names == [0, 1, 2, 3] and set(edges_of(graph)) == {(0, 2), (1, 3)}
    graph, names = interchange.from_networkx("csr", nx.Graph([(9001, 9003)]), device=device)
    assert graph.num_vertices == 2 and names == [9001, 9003]
    graph, names = interchange.from_networkx("csr", nx.Graph([(True, False)]), device=device)
    assert names == [True, False] and names[0] is True


def test_networkx_multigraph_last_wins(device):
    nx = pytest.importorskip("networkx")
    source = nx.MultiGraph()
    source.add_edge(0, 1, weight=3)
    source.add_edge(1, 0, weight=5)
    source.add_edge(1, 2)
    graph, _ = interchange.from_networkx("hornet", source, device=device)
    assert edges_of(graph) == {(0, 1): 5, (1, 2): 1}
    assert graph.weight_dtype == np.int64


def test_networkx_weights(device):
    nx = pytest.importorskip("networkx")
    source = nx.Graph()
    source.add_edge(0, 1, weight=2.5, cost=3)
    source.add_edge(1, 2, cost=True)
    for weight, expected in (("weight", [2.5, 1.0]), ("cost", [3, 1]), ("none", [None, None]), (None, [None, None])):
        graph, _ = interchange.from_networkx("csr", source, weight, device)
        assert edges_of(graph) == {(0, 1): expected[0], (1, 2): expected[1]}
    graph, _ = interchange.from_networkx("csr", source, device=device, weight_dtype="float32")
    assert graph.weight_dtype == np.float32


def test_bad_networkx_input():
    nx = pytest.importorskip("networkx")
    graph = make(CSR)
    with pytest.raises(TypeError, match="nx_graph must be a NetworkX graph, not list"):
        interchange.from_networkx("csr", [(0, 1)], device="cpu")
    for bad in ("far", [1, 2]):
        with pytest.raises(TypeError, match="'weight' of some edges is no number"):
            interchange.from_networkx("csr", nx.Graph([(0, 1, {"weight": bad})]), device="cpu")
    with pytest.raises(ValueError, match="NaN"):
        interchange.from_networkx("csr", nx.Graph([(0, 1, {"weight": float("nan")})]), device="cpu")
    for nodes in ([0, 3], [-1], ["a"], [True]):
        source = nx.Graph()
        source.add_nodes_from(nodes)
        with pytest.raises(ValueError, match="num_vertices=3 the nodes of nx_graph must be integers"):
            interchange.from_networkx("csr", source, num_vertices=3, device="cpu")
    with pytest.raises(ValueError, match="names must have one entry for each of 8 vertices, not 1"):
        interchange.to_networkx(graph, ["a"])
    with pytest.raises(ValueError, match="names must be distinct"):
        interchange.to_networkx(graph, ["a"] * N)


# ---- igraph ---------------------------------------------------------------------------------------------------------


def test_igraph_sees_the_graph(device, directed):
    pytest.importorskip("igraph")
    names = [f"v{i}" for i in range(N)]
    result = interchange.to_igraph(make(CSR, device, directed, "float64"), names, weight="length")
    assert result.is_directed() == directed and result.vcount() == N and result.vs["name"] == names
    for u, v, w in zip(SRC, DST, WEIGHTS["float64"], strict=True):
        assert result.es[result.get_eid(f"v{u}", f"v{v}")]["length"] == w
    assert result.ecount() == len(SRC)
    graph, given = interchange.from_igraph("csr", result, "length", device)
    assert given == names and graph.directed == directed and graph.is_weighted
    assert not interchange.from_igraph("csr", result, None, device)[0].is_weighted


def test_igraph_multigraph_last_wins(device):
    igraph = pytest.importorskip("igraph")
    source = igraph.Graph(n=4, edges=[(0, 1), (1, 0), (2, 2)], edge_attrs={"weight": [3, None, 4]})
    graph, names = interchange.from_igraph("slab", source, device=device)
    assert edges_of(graph) == {(0, 1): 1} and names == [0, 1, 2, 3]


def test_bad_igraph_input():
    igraph = pytest.importorskip("igraph")
    with pytest.raises(TypeError, match=r"ig_graph must be an igraph\.Graph, not list"):
        interchange.from_igraph("csr", [(0, 1)], device="cpu")
    with pytest.raises(TypeError, match="'weight' of some edges is no number"):
        interchange.from_igraph("csr", igraph.Graph(edges=[(0, 1)], edge_attrs={"weight": ["far"]}), device="cpu")
    with pytest.raises(ValueError, match="names must have one entry"):
        interchange.to_igraph(make(CSR), ["a"])


# ---- SciPy ----------------------------------------------------------------------------------------------------------


def test_scipy_matrix(device, directed, any_weight_dtype):
    graph = make(CSR, device, directed, any_weight_dtype)
    matrix = interchange.to_scipy(graph)
    expected = np.zeros((N, N))
    values = [1] * len(SRC) if any_weight_dtype is None else WEIGHTS[any_weight_dtype]
    expected[SRC, DST] = np.array(values, any_weight_dtype)
    if not directed:
        expected[DST, SRC] = expected[SRC, DST]
    assert (host(matrix.toarray()) == expected).all()
    assert matrix.nnz == graph.num_arcs  # stored zeros are edges
    if device == "cpu":
        assert isinstance(matrix, sparse.csr_array) and matrix.dtype == (any_weight_dtype or np.float32)
        assert matrix.has_canonical_format
    else:
        assert type(matrix).__module__.startswith("cupyx") and matrix.dtype.kind == "f"


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_scipy_formats(kind, device):
    dense = np.array([[0, 2.5, 0], [0, 0, 0], [1, 0, 9]])
    for array in (sparse.csr_array(dense), sparse.csr_matrix(dense)):
        graph = interchange.from_scipy("csr", array.asformat(kind), directed=True, device=device)
        assert edges_of(graph) == {(0, 1): 2.5, (2, 0): 1.0}


def test_scipy_matrix_is_the_callers():
    graph = make(CSR, weight_dtype="float64")
    interchange.to_scipy(graph).data[:] = 0
    assert edges_of(graph) == edges_of(make(CSR, weight_dtype="float64"))


def test_scipy_duplicates_are_added(device):
    matrix = sparse.csr_array((np.array([1.0, 2, 4]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    graph = interchange.from_scipy("csr", matrix, directed=True, device=device)
    assert edges_of(graph) == {(0, 1): 3.0, (1, 0): 4.0}
    assert matrix.nnz == 3


def test_scipy_values_left_behind(device):
    matrix = sparse.csr_array(np.array([[0, 2], [0, 0]]))
    assert not interchange.from_scipy("csr", matrix, weighted=False, device=device).is_weighted
    assert not interchange.from_scipy("csr", matrix.astype(bool), device=device).is_weighted
    assert interchange.from_scipy("csr", matrix.astype(np.int8), device=device).weight_dtype == np.int32


def test_bad_scipy_input():
    with pytest.raises(ValueError, match=r"matrix must be square, not of shape \(2, 3\)"):
        interchange.from_scipy("csr", sparse.csr_array((2, 3)), device="cpu")
    with pytest.raises(TypeError, match="matrix must be a sparse matrix"):
        interchange.from_scipy("csr", np.eye(3), device="cpu")
    with pytest.raises(TypeError, match=r"matrix\.data must hold numbers, not complex128"):
        interchange.from_scipy("csr", sparse.csr_array((2, 2), dtype=complex), device="cpu")


# ---- edge_index -----------------------------------------------------------------------------------------------------


def test_edge_index(device, directed):
    graph = make(CSR, device, directed, "float32")
    edge_index, edge_weight = interchange.to_edge_index(graph)
    assert tuple(edge_index.shape) == (2, graph.num_arcs) and "int64" in str(edge_index.dtype)
    assert edge_index.__dlpack_device__()[0] == (2 if device == "gpu" else 1)
    rows = edge_index.tolist()
    expected = dict(zip(zip(SRC, DST, strict=True), WEIGHTS["float32"], strict=True))
    if not directed:
        expected |= {(v, u): w for (u, v), w in expected.items()}
    assert dict(zip(zip(*rows, strict=True), edge_weight.tolist(), strict=True)) == expected
    assert interchange.to_edge_index(make(CSR, device, directed))[1] is None


def test_edge_index_of_tensors(device):
    torch = pytest.importorskip("torch")
    place = "cuda" if device == "gpu" else "cpu"
    edge_index = torch.tensor([SRC, DST], device=place)
    weights = torch.tensor(WEIGHTS["float32"], requires_grad=True, device=place)
    graph = interchange.from_edge_index("slab", edge_index, weights, num_vertices=N, device=device)
    assert_equal(graph, make(CSR, device, weight_dtype="float32"))
    assert isinstance(interchange.to_edge_index(graph)[0], torch.Tensor)


def test_edge_index_of_lists(device):
    graph = interchange.from_edge_index("csr", [SRC, DST], [1, 2, 3, 4, 5], device=device)
    assert graph.num_vertices == 7 and graph.num_edges == len(SRC) and graph.weight_dtype == np.int64
    assert interchange.from_edge_index("csr", [[], []], device=device).num_vertices == 0


def test_bad_edge_index():
    for bad in ([SRC], [SRC, DST, SRC], SRC, np.zeros((4, 2), int), None, [[0], [1, 2]]):
        with pytest.raises(ValueError, match=r"edge_index must (have shape \(2, m\)|be two lists)"):
            interchange.from_edge_index("csr", bad, device="cpu")
    with pytest.raises(TypeError, match="edge_index must hold integer vertex ids, not float64"):
        interchange.from_edge_index("csr", np.zeros((2, 3)), device="cpu")
    with pytest.raises(ValueError, match="edge_weight has 1 entries, but edge_index 5 edges"):
        interchange.from_edge_index("csr", [SRC, DST], [1.0], device="cpu")
    with pytest.raises(ValueError, match="edge_weight must be one-dimensional"):
        interchange.from_edge_index("csr", [SRC, DST], np.ones((5, 1)), device="cpu")
    with pytest.raises(ValueError, match=r"src\[1\] is 3, outside"):
        interchange.from_edge_index("csr", [SRC, DST], num_vertices=3, device="cpu")


# ---- data frames ----------------------------------------------------------------------------------------------------


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
    graph = interchange.from_dataframe("hornet", frame, "payer", "payee", "sum", num_vertices=N, device=device)
    assert_equal(graph, make(CSR, device, weight_dtype="float64"))
    graph = interchange.from_dataframe("hornet", frame, "payer", "payee", directed=True, device=device)
    assert graph.num_vertices == 7 and graph.directed and not graph.is_weighted


def test_bad_dataframe():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": SRC, "dst": list("abcde"), "weight": 1.5})
    for arguments, error, text in (
        (("x", "dst"), ValueError, "source='x' is no column of frame"),
        (("src", "y"), ValueError, "destination='y' is no column of frame"),
        (("src", "src", "z"), ValueError, "weight='z' is no column of frame"),
        (("src", "dst"), TypeError, "column 'dst' of frame must hold numbers"),
        (("weight", "src"), TypeError, "column 'weight' of frame must hold integer vertex ids"),
        (("src", "src", "dst"), TypeError, "column 'dst' of frame must hold numbers"),
    ):
        with pytest.raises(error, match=text):
            interchange.from_dataframe("csr", frame, *arguments, device="cpu")
    with pytest.raises(TypeError, match="frame must be a data frame, not list"):
        interchange.from_dataframe("csr", [SRC, DST], device="cpu")


# ---- what all have in common ----------------------------------------------------------------------------------------

TO = [name for name in interchange.__all__ if name.startswith("to_")]
FROM = [name for name in interchange.__all__ if name.startswith("from_")]
MISSING = {"to_networkx": "networkx", "to_igraph": "igraph", "to_cugraph": "cugraph", "to_pylibcugraph": "pylibcugraph",
           "from_pylibcugraph": "pylibcugraph", "to_dataframe": "pandas"}  # fmt: skip


def test_there_and_back():
    assert {name.removeprefix("to_") for name in TO} == {name.removeprefix("from_") for name in FROM}


@pytest.mark.parametrize("name", TO)
def test_graph_must_be_a_graph(name):
    with pytest.raises(TypeError, match="graph must be a Graph, not dict"):
        getattr(interchange, name)({})


@pytest.mark.parametrize("name", FROM)
def test_structure_must_be_a_structure(name):
    with pytest.raises(ValueError, match=r"structure must be one of 'csr'.*, not 'nosuch'"):
        getattr(interchange, name)("nosuch", None)
    for bad in (dict, make(CSR), None):
        with pytest.raises(TypeError, match="structure must be the name or the class of a structure"):
            getattr(interchange, name)(bad, None)


@pytest.mark.parametrize("name", MISSING)
def test_missing_libraries_are_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, MISSING[name], None)
    argument = ("csr", None) if name.startswith("from_") else (make(CSR),)
    with pytest.raises(ImportError, match=f"{name} needs {MISSING[name]}: pip install {MISSING[name]}"):
        getattr(interchange, name)(*argument)


# ---- stand-ins for what runs on a GPU -------------------------------------------------------------------------------


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


LIBRARIES = {
    "cupy": CUPY,
    "cudf": SimpleNamespace(DataFrame=_Frame, Series=_Frame),
    "cugraph": SimpleNamespace(Graph=_CuGraph),
    "pylibcugraph": SimpleNamespace(
        ResourceHandle=_ResourceHandle, GraphProperties=_GraphProperties, SGGraph=_SGGraph,
        decompress_to_edgelist=_decompress_to_edgelist, extract_vertex_list=_extract_vertex_list,
    ),
    "torch": SimpleNamespace(from_dlpack=_Tensor),
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


def test_weights_of_python_objects():
    assert common.host_weights([], "w") is None
    assert common.host_weights([None, None], "w") is None
    assert common.host_weights([1, None], "w").dtype == np.int64
    assert common.host_weights([1, 2.5], "w").tolist() == [1.0, 2.5]
