"""cuDF, cuGraph, pylibcugraph and RMM, the real ones, where they are installed: nothing is copied through the host.

Elsewhere tests/interchange/test_interchange_gpu.py shows the same through stand-ins.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, assert_equal, make, rows_of
from verifiers import host

import algorithms
import frontier as fr
from dynfrontier import Pipeline
from frontier import interchange
from frontier.features.times.units import as_times
from frontier.interchange.edge_index import as_tensor
from frontier.runtime import arrays
from structures import CSR

GPU_ROUND_TRIPS = {
    "pylibcugraph": lambda graph, **options: interchange.from_pylibcugraph(
        interchange.to_pylibcugraph(graph, **options), structure="csr", num_vertices=graph.num_vertices,
        directed=graph.directed, device="gpu", **options,
    ),
    "cugraph": lambda graph, **options: interchange.from_cugraph(
        interchange.to_cugraph(graph, **options), structure="csr", num_vertices=graph.num_vertices, device="gpu"
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


@pytest.fixture
def no_copies(monkeypatch):
    """Data on the GPU stays there, except counts."""
    cupy = pytest.importorskip("cupy")
    to_host = fr.advanced.Device.to_host

    def refuse(*args, **options):
        raise AssertionError("a copy to the host")

    def only_counts(device, array):
        return to_host(device, array) if array.size < 64 else refuse()

    monkeypatch.setattr(cupy, "asnumpy", refuse)
    monkeypatch.setattr(fr.advanced.Device, "to_host", only_counts)


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_real_pylibcugraph_of_a_snapshot(structure, directed, no_copies, monkeypatch, rng):
    """A snapshot goes to pylibcugraph and comes back, while the graph is updated. Ranks are equal on both sides."""
    plc = pytest.importorskip("pylibcugraph")
    src, dst = rng.integers(0, 80, (2, 600))
    graph = structure.from_edges(
        src, dst, rng.random(600, np.float32), num_vertices=90, directed=directed, device="gpu"
    )  # fmt: skip
    graph.delete_vertices([7, 85])
    before, snapshot, handle = graph.copy(), graph.snapshot(), plc.ResourceHandle()
    handed_over = interchange.to_pylibcugraph(snapshot, handle)
    graph.insert_edges(src[:50] + 1, dst[50:100], np.full(50, 2, np.float32))
    options = {"num_vertices": 90, "directed": directed, "device": "gpu"}
    again = interchange.from_pylibcugraph(handed_over, handle, structure=structure, **options)
    with_columns = interchange.to_pylibcugraph(snapshot, handle, store_transposed=True)
    vertices, theirs, *_ = plc.pagerank(
        handle, with_columns, None, None, None, None, 0.85, 1e-9, 500, False, fail_on_nonconvergence=False
    )
    ours = algorithms.pagerank(snapshot, tol=1e-9, max_iter=500, weighted=True).pagerank
    difference = float(abs(theirs - ours[vertices]).max())
    monkeypatch.undo()
    assert_equal(again, before)
    assert sorted(host(vertices).tolist()) == [v for v in range(90) if v not in (7, 85)] and difference < 1e-6
    assert graph.num_edges >= before.num_edges


NO_COPIES = {"Series": ["to_numpy", "to_pandas", "to_arrow"], "DataFrame": ["to_numpy", "to_pandas", "to_arrow"]}


@pytest.fixture
def cudf(monkeypatch):
    """cuDF, whose frames and columns cannot be copied to the host unless `monkeypatch` is undone."""
    if not fr.gpu_available():
        pytest.skip("there is no GPU")
    module = pytest.importorskip("cudf")

    def refuse(*args, **options):
        raise AssertionError("a copy to the host")

    for kind, methods in NO_COPIES.items():
        for method in methods:
            monkeypatch.setattr(getattr(module, kind), method, refuse)
    return module


@pytest.mark.gpu
def test_real_frames(cudf, directed, monkeypatch):
    """A frame to a graph and back, with weights, edge data (NaN, truth values, large integers) and times."""
    stamps = np.array(["2026-01-01T12:00:00", "1969-12-31T23:59:58"] * 3, "datetime64[ms]")[: len(SRC)]
    columns = {"src": SRC, "dst": DST, "weight": WEIGHTS["float32"], "at": stamps,
               "amount": np.array([0.5, np.nan, 2, 4, 8]), "flag": np.array([True, False, True, True, False]),
               "step": np.array([2**60, -1, 0, 3, 9])}  # fmt: skip
    frame = cudf.DataFrame(columns)
    options = {"data": ["amount", "flag", "step"], "num_vertices": N, "directed": directed}
    options |= {"weight": "weight", "time_unit": "s", "weight_dtype": "float32"}
    expected = interchange.from_dataframe(columns, structure="csr", time="at", device="cpu", **options)
    theirs = interchange.to_dataframe(expected)
    frames = []
    for kind in ("slab", "csr"):
        graph = interchange.from_dataframe(frame, structure=kind, time="at", device="gpu", **options)
        frames.append(interchange.to_dataframe(graph))
        assert type(frames[-1]) is cudf.DataFrame
        again = interchange.from_dataframe(frames[-1], structure=kind, time="time", device="gpu", **options)
        assert_equal(again, graph)
    monkeypatch.undo()
    for ours in frames:
        assert list(ours) == list(theirs)
        for name in ours:
            np.testing.assert_array_equal(host(arrays.as_device_array(graph.device, ours[name], name)), theirs[name])


@pytest.mark.gpu
def test_real_columns(cudf):
    """Columns of updates: ids, weights, times. An error names missing columns and columns of another type."""
    graph = fr.structures()["slab"](N, device="gpu", weight_dtype="float64", time_unit="s")
    frame = cudf.DataFrame({"src": SRC, "dst": DST, "weight": WEIGHTS["float64"]})
    times = cudf.Series(np.array([0, 1000, 5000, -3000, 7000], "datetime64[ms]"))
    graph.insert_edges(frame["src"], frame["dst"], frame["weight"], time=times)
    expected = make(CSR, "cpu", weight_dtype="float64")
    for a, b in zip(graph.to_coo(), expected.to_coo(), strict=True):
        assert (host(a) == host(b)).all()
    for unit in ("s", "ms", "us", "ns"):
        found = as_times(graph.device, times.astype(f"datetime64[{unit}]"), "time", "s")
        assert host(found).tolist() == [0, 1, 5, -3, 7]
    zoned = times.dt.tz_localize("Europe/Berlin")
    assert host(as_times(graph.device, zoned, "time", "s")).tolist() == [v - 3600 for v in [0, 1, 5, -3, 7]]
    for device in (graph.device, expected.device):
        floats = arrays.as_device_array(device, cudf.Series([1.5, None, np.nan], nan_as_null=False), "x")
        assert np.isnan(host(floats)).tolist() == [False, True, True]
        for bad, error, text in (
            (cudf.Series([0, None, 2]), ValueError, r"src\[1\] is missing \(null\)"),
            (cudf.Series([True, None]), ValueError, r"src\[1\] is missing \(null\)"),
            (cudf.Series(["a"]), TypeError, "src must contain numbers, not"),
            (cudf.Series(["a"], dtype="category"), TypeError, "src must contain numbers, not"),
        ):
            with pytest.raises(error, match=text):
                arrays.as_device_array(device, bad, "src")
        with pytest.raises(ValueError, match=r"time\[1\] is missing \(NaT\)"):
            as_times(device, cudf.Series(np.array([1, "NaT"], "datetime64[s]")), "time", "s")
        assert arrays.as_device_array(device, cudf.Series([], dtype="int32"), "src").size == 0


@pytest.mark.gpu
def test_real_names(cudf, monkeypatch):
    """Text is encoded on the GPU, categories are, too. Then results have names again."""
    payer, payee = ["bob", "ann", "bob", "eve"], ["ann", "eve", "eve", "zoë"]
    monkeypatch.undo()
    for kind in ("str", "category"):
        names = fr.VertexNames()
        src, dst = names.ids_of_edges(cudf.Series(payer, dtype=kind), cudf.Series(payee, dtype=kind))
        assert names[src].tolist() == payer and names[dst].tolist() == payee
        with pytest.raises(TypeError, match="has 1 missing names"):
            fr.VertexNames().ids(cudf.Series(["ann", None], dtype=kind))
    assert fr.VertexNames().ids(cudf.Series([2**40, 7, 2**40])).tolist() == [0, 1, 0]
    with pytest.raises(TypeError, match=r"\[1\] is missing: every vertex needs a name"):
        fr.VertexNames().ids(cudf.Series([7, None]))
    table = fr.io.from_table(cudf.DataFrame({"src": payer, "dst": payee, "weight": [1, 2, 3, 4]}))
    assert table.ids[table.src].tolist() == payer and table.weights.tolist() == [1, 2, 3, 4]

    graph = fr.structures()["slab"].from_edges(src, dst, num_vertices=6, device="gpu")
    for library in ("cudf", "pandas"):
        found = algorithms.bfs(graph, 0).to_dataframe(names, library=library)
        found = found.to_pandas() if library == "cudf" else found
        assert found["vertex"].tolist() == [names[i] for i in range(4)]
        assert [None if x is None or x != x else x for x in found["predecessor"]] == [None, "bob", "bob", "eve"]
    numbers = fr.VertexNames()
    numbers.ids(np.array([2**63 + 5, 3, 1, 2], np.uint64))
    found = algorithms.bfs(graph, 0).to_dataframe(numbers, library="cudf").to_arrow()
    assert found["vertex"].to_pylist() == [2**63 + 5, 3, 1, 2] and found["predecessor"].to_pylist()[0] is None


@pytest.mark.gpu
def test_real_frames_of_results(cudf):
    """By default a result on a GPU is a frame of cuDF, made without a copy to the host."""
    graph = make(fr.structures()["slab"], "gpu")
    for result in (algorithms.bfs(graph, 0), algorithms.pagerank(graph), algorithms.connected_components(graph)):
        frame = result.to_dataframe()
        assert type(frame) is cudf.DataFrame and len(frame) == N
        for name in frame:
            column = getattr(result, name, None)
            if column is not None:
                assert bool((frame[name].to_cupy() == column).all())


@pytest.mark.gpu
def test_real_cugraph_of_a_snapshot(cudf, directed):
    """A snapshot goes to cuGraph and back. Neither sees later changes of the graph."""
    cugraph = pytest.importorskip("cugraph")
    weights = np.float32([1, 2, 3, 4, 5])
    graph = fr.structures()["slab"].from_edges(SRC, DST, weights, num_vertices=N, directed=directed, device="gpu")
    graph.delete_vertices([7])
    before, snapshot = graph.copy(), graph.snapshot()
    handed_over = interchange.to_cugraph(snapshot, store_transposed=True)
    graph.insert_edges([1, 4], [3, 5], [2, 2])
    assert_equal(interchange.from_cugraph(handed_over, structure="csr", num_vertices=N, device="gpu"), before)
    theirs, _ = cugraph.pagerank(handed_over, tol=1e-9, max_iter=500, fail_on_nonconvergence=False)
    ours = algorithms.pagerank(snapshot, tol=1e-9, max_iter=500, weighted=True).pagerank
    vertices = theirs["vertex"].to_cupy()
    assert sorted(host(vertices).tolist()) == list(range(N - 1))
    assert host(abs(theirs["pagerank"].to_cupy() - ours[vertices])).max() < 1e-6
    assert graph.num_edges == before.num_edges + 2


@pytest.fixture
def drawn(cudf, rng):
    """Columns of 600 rows among 80 vertices, of NumPy, and a frame of cuDF with them."""
    src, dst = rng.integers(0, 80, (2, 600))
    at = np.sort(rng.integers(0, 3600, 600)) * np.timedelta64(1, "s") + np.datetime64("2026-01-01T00:00:00", "ms")
    columns = {"payer": src, "payee": dst.astype(np.int32), "sum": rng.random(600, np.float32), "at": at,
               "amount": rng.integers(0, 9, 600), "flag": rng.random(600) < 0.5}  # fmt: skip
    return columns, cudf.DataFrame(columns)


@pytest.mark.gpu
def test_real_batches_in_every_structure(drawn, structure, directed):
    """Columns of cuDF build, update and query a graph, as NumPy columns do."""
    columns, frame = drawn
    graphs = []
    for batch in (frame, columns):
        src, dst, weights = (batch[name] for name in ("payer", "payee", "sum"))
        graph = structure.from_edges(
            src[:300], dst[:300], weights[:300], num_vertices=80, directed=directed, device="gpu"
        )  # fmt: skip
        graph.insert_edges(src[200:], dst[200:], weights[200:])
        graph.delete_edges(src[:50], dst[:50])
        graphs.append(graph)
    ours, expected = graphs
    assert_equal(ours, expected)
    assert_equal(interchange.from_dataframe(frame, "payer", "payee", "sum", structure=structure, num_vertices=80,
                                            directed=directed, device="gpu"),
                 structure.from_edges(*(columns[name] for name in ("payer", "payee", "sum")), num_vertices=80,
                                      directed=directed, device="gpu"))  # fmt: skip
    src, dst = frame["payer"][:100], frame["payee"][:100]
    there = ours.has_edges(src, dst)
    assert (host(there) == host(expected.has_edges(columns["payer"][:100], columns["payee"][:100]))).all()


@pytest.mark.gpu
def test_real_edge_data_in_every_structure(drawn, structure):
    """Edge data and times are columns of cuDF, too, in batches as at construction, and come back as a frame."""
    columns, frame = drawn
    graphs = []
    for batch in (frame, columns):
        parts = [{name: batch[name][begin:end] for name in batch} for begin, end in ((0, 350), (350, 600))]
        data = [{name: part[name] for name in ("amount", "flag")} for part in parts]
        graph = structure.from_edges(
            parts[0]["payer"], parts[0]["payee"], parts[0]["sum"], num_vertices=80, device="gpu", edge_data=data[0],
            time=parts[0]["at"], time_unit="s",
        )  # fmt: skip
        graph.insert_edges(parts[1]["payer"], parts[1]["payee"], parts[1]["sum"], time=parts[1]["at"], **data[1])
        graphs.append(graph)
    ours, expected = graphs
    assert rows_of(ours) == rows_of(expected) and ours.weight_dtype == np.float32
    again = interchange.from_dataframe(
        interchange.to_dataframe(ours), structure=structure, weight="weight", data=["amount", "flag"], time="time",
        time_unit="s", num_vertices=80, device="gpu",
    )  # fmt: skip
    assert rows_of(again) == rows_of(expected)


@pytest.mark.gpu
def test_real_sliding_window(drawn, structure):
    columns, frame = drawn
    graphs, done = [], []
    for batch in (frame, columns):
        graph = structure(80, device="gpu", time_unit="ms", weight_dtype="float32")
        window = fr.SlidingWindow(graph, span="10min")
        done.append([])
        for begin, end in pairwise(range(0, 601, 100)):
            src, dst, weights, at = (batch[name][begin:end] for name in ("payer", "payee", "sum", "at"))
            done[-1].append(window.push(src, dst, weights, time=at))
        graphs.append(graph)
    assert done[0] == done[1] and sum(each.expired for each in done[0])
    assert rows_of(graphs[0]) == rows_of(graphs[1])


@pytest.mark.gpu
@pytest.mark.parametrize("whole", [True, False], ids=["one frame", "frames"])
def test_real_pipeline(drawn, whole):
    """A frame that is cut into batches, and an iterator of frames, with timestamps, weights and edge data."""
    columns, frame = drawn
    ours, expected = (
        fr.structures()["slab"](
            80, device="gpu", time_unit="s", weight_dtype="float32", edge_data={"amount": "int64", "flag": "bool"}
        )
        for _ in range(2)
    )
    parts = list(pairwise(range(0, 601, 100)))
    source = frame if whole else (frame.iloc[begin:end] for begin, end in parts)
    called = {"src": "payer", "dst": "payee", "weight": "sum", "time": "at"}
    pipeline = Pipeline(source, ours, columns=called, window="20min", batch_size=100 if whole else None)
    assert pipeline.run().records == 600
    window = fr.SlidingWindow(expected, span="20min")
    for begin, end in parts:
        src, dst, weights, at, amount, flag = (column[begin:end] for column in columns.values())
        window.push(src, dst, weights, time=at, amount=amount, flag=flag)
    assert rows_of(ours) == rows_of(expected) and ours.num_edges


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["str", "category"])
def test_real_pipeline_of_names(cudf, monkeypatch, kind):
    monkeypatch.undo()  # names are read on the host
    called = np.array(["ann", "bob", "eve", "zoë"])
    src, dst = np.array([0, 1, 0, 2, 3]), np.array([1, 2, 3, 3, 0])
    frame = cudf.DataFrame({"src": cudf.Series(called[src].tolist(), dtype=kind),
                            "dst": cudf.Series(called[dst].tolist(), dtype=kind),
                            "weight": cudf.Series([1, 2, 3, 4, 5], dtype="float32")})  # fmt: skip
    names, graph = fr.VertexNames(), fr.structures()["slab"](0, device="gpu", weight_dtype="float32")
    Pipeline((frame.iloc[begin : begin + 2] for begin in (0, 2, 4)), graph, names=names).run()
    pairs = zip(called[src].tolist(), called[dst].tolist(), [1, 2, 3, 4, 5], strict=True)
    expected = {frozenset(pair): weight for *pair, weight in pairs}
    a, b, weights = (host(each).tolist() for each in graph.to_coo())
    assert {frozenset((names[u], names[v])): w for u, v, w in zip(a, b, weights, strict=True)} == expected


@pytest.mark.gpu
def test_real_columns_share_their_memory(cudf):
    """On the GPU a column is used as it is."""
    device = fr.advanced.resolve_device("gpu")
    for dtype in ("int32", "int64", "float32", "float64"):
        column = cudf.Series([3, 1, 2], dtype=dtype)
        array = arrays.as_device_array(device, column, "values")
        assert array.dtype == dtype and array.data.ptr == column.__cuda_array_interface__["data"][0]


@pytest.mark.gpu
def test_real_columns_in_managed_memory(cudf):
    """So does one whose memory RMM manages. cuDF's arrays go into graphs there, and come out of them."""
    rmm = pytest.importorskip("rmm")
    before = rmm.mr.get_current_device_resource()
    rmm.mr.set_current_device_resource(rmm.mr.ManagedMemoryResource())
    try:
        frame = cudf.DataFrame({"src": SRC, "dst": DST, "weight": WEIGHTS["float32"]})
        graph = interchange.from_dataframe(frame, weight="weight", weight_dtype="float32", num_vertices=N,
                                           device="gpu")  # fmt: skip
        assert_equal(graph, make(CSR, "cpu", weight_dtype="float32"))
        again = interchange.from_dataframe(interchange.to_dataframe(graph), structure="csr", weight="weight",
                                           num_vertices=N, device="gpu")  # fmt: skip
        assert_equal(again, graph)
        del frame, graph, again
    finally:
        rmm.mr.set_current_device_resource(before)


@pytest.mark.gpu
def test_real_results_go_on(cudf, monkeypatch):
    """cuDF computes with the frame of a result, and its columns are arguments of the next algorithm."""
    graph = fr.structures()["slab"].from_edges(SRC, DST, num_vertices=N, device="gpu")
    parts, ranks = algorithms.connected_components(graph), algorithms.pagerank(graph)
    frame = parts.to_dataframe().merge(ranks.to_dataframe(), on="vertex").sort_values("vertex")
    again = algorithms.pagerank(graph, personalization=frame["pagerank"])
    expected = algorithms.pagerank(graph, personalization=ranks.pagerank)
    np.testing.assert_allclose(host(again.pagerank), host(expected.pagerank), rtol=1e-6)
    column = next(name for name in frame if name not in ("vertex", "pagerank"))
    sizes = frame.groupby(column)["vertex"].count().sort_index()
    monkeypatch.undo()
    labels, counts = np.unique(host(parts.labels), return_counts=True)
    assert sizes.index.to_pandas().tolist() == labels.tolist() and sizes.to_pandas().tolist() == counts.tolist()


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("library", ["cupy", "rmm"])
def test_real_allocators(library):
    """Results and scratch memory come from CuPy's configured allocator."""
    cupy = pytest.importorskip("cupy")
    if library == "rmm":
        allocate = pytest.importorskip("rmm.allocators.cupy").rmm_cupy_allocator
    else:
        allocate = cupy.cuda.MemoryPool().malloc
    taken = []

    def counting(size):
        taken.append(size)
        return allocate(size)

    graph = make(fr.structures()["slab"], "gpu")
    with cupy.cuda.using_allocator(counting):
        ranks = algorithms.pagerank(graph).pagerank
        assert ranks.nbytes <= max(taken)
        graph.insert_edges([1], [6])
        ours = algorithms.bfs(graph, 0).distance
    assert host(ours).tolist()[6] == 2 and abs(float(ranks.sum()) - 1) < 1e-6
    del ranks, ours


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_real_managed_memory():
    """Through DLPack it is imported without a copy, and exported to PyTorch, sharing its memory."""
    cupy = pytest.importorskip("cupy")
    device = fr.advanced.resolve_device("gpu")
    with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
        columns = [Exported(cupy.asarray(values)) for values in (SRC, DST, np.array(WEIGHTS["float32"], np.float32))]
        assert all(column.__dlpack_device__()[0] == 13 and arrays.is_on_gpu(column) for column in columns)
        for column in columns:
            assert arrays.as_device_array(device, column, "values").data.ptr == column.array.data.ptr
        graph = fr.structures()["slab"].from_edges(*columns, num_vertices=N, device="gpu")
        assert_equal(graph, make(CSR, "gpu", weight_dtype="float32"))
        torch = pytest.importorskip("torch")
        for array in graph.to_coo():
            tensor = as_tensor(torch, array)
            assert tensor.is_cuda and tensor.data_ptr() == array.data.ptr
        index, weights = interchange.to_edge_index(graph)
        assert_equal(interchange.from_edge_index(index, weights, structure="csr", num_vertices=N, device="gpu"), graph)


class Exported:
    """An array that supports only DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)
