"""Vertices that a stream calls by name: ids as names come and go, in results, pipelines and files."""

import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from concurrency import in_threads
from hypothesis import given
from hypothesis import strategies as st
from verifiers import host

import frontier as fr
from algorithms import bfs, connected_components
from dynfrontier import Pipeline
from structures import SlabGraph

U64 = np.uint64(2**63 + 5)


def as_column(kind, values):
    """Small numbers as names of a kind."""
    if kind == "str":
        return [f"name {value} \N{SNOWMAN}" for value in values]
    offset = np.uint64(U64) if kind == "uint64" else np.int64(-5)
    return np.array(values, kind) + offset


KINDS = ["int64", "uint64", "str"]


@pytest.fixture(params=KINDS)
def kind(request, device):
    """Types of names, where they can be on the device."""
    if request.param == "str" and device == "gpu":
        pytest.skip("text is kept on the host")
    return request.param


def listed(values):
    return host(values).tolist()


def test_names_get_ids_in_order(kind, device):
    names = fr.VertexNames(device=device)
    assert len(names) == names.size == 0 and names.dtype is None
    assert listed(names.ids(as_column(kind, [7, 3, 7, 9]))) == [0, 1, 0, 2]
    assert names.dtype == kind and len(names) == names.size == 3
    assert listed(names.find(as_column(kind, [9, 4, 3]))) == [2, -1, 1]
    assert list(host(names[[2, 0]])) == list(as_column(kind, [9, 7])) and names[1] == as_column(kind, [3])[0]
    assert as_column(kind, [7])[0] in names and as_column(kind, [8])[0] not in names
    assert names.id_of(as_column(kind, [3])[0]) == 1
    with pytest.raises(KeyError):
        names.id_of(as_column(kind, [8])[0])


def test_ids_of_forgotten_names_are_given_again(kind, device):
    names = fr.VertexNames(device=device)
    names.ids(as_column(kind, range(5)))
    names.forget([1, 3, 1])
    assert len(names) == 3 and names.size == 5
    assert listed(names.has_name([0, 1, 3, 5, -1])) == [True, False, False, False, False]
    assert listed(names.find(as_column(kind, [1, 2]))) == [-1, 2]
    fresh = listed(names.ids(as_column(kind, [10, 1, 11])))
    assert sorted(fresh[:2]) == [1, 3] and fresh[2] == 5
    with pytest.raises(IndexError, match="the id 6 has no name"):
        names.forget([0, 6])
    assert len(names) == 6


@given(data=st.data())
def test_against_a_dictionary(kind, data, device):
    names, known, by_id = fr.VertexNames(kind, device=device), {}, {}
    for _ in range(data.draw(st.integers(1, 6))):
        values = data.draw(st.lists(st.integers(0, 60), max_size=80))
        column = as_column(kind, values)
        for value, id in zip(values, listed(names.ids(column)), strict=True):
            assert known.setdefault(value, id) == id
            assert by_id.setdefault(id, value) == value
        gone = data.draw(st.sets(st.sampled_from(sorted(by_id)))) if by_id else set()
        names.forget(list(gone))
        for id in gone:
            del known[by_id.pop(id)]
        everything = as_column(kind, range(61))
        assert listed(names.find(everything)) == [known.get(value, -1) for value in range(61)]
        assert len(names) == len(known)
        if data.draw(st.booleans()):
            names = pickle.loads(pickle.dumps(names))


def test_many_integers_are_told_apart(device):
    rng = np.random.default_rng(1)
    keys = rng.integers(-(2**63), 2**63 - 1, 50_000)
    keys[:10_000] = np.arange(10_000) << 40  # equal low bits
    names = fr.VertexNames(device=device)
    for part in np.array_split(np.concatenate([keys, keys]), 7):
        names.ids(part)
    ids = host(names.find(keys))
    assert len(names) == np.unique(keys).size == names.size and np.array_equal(host(names[ids]), keys)


def test_ids_of_edges_follow_the_edges(kind, device):
    names = fr.VertexNames(device=device)
    src, dst = names.ids_of_edges(as_column(kind, [4, 4, 6]), as_column(kind, [5, 6, 7]))
    assert listed(src) == [0, 0, 2] and listed(dst) == [1, 2, 3]
    src, dst = names.ids_of_edges(as_column(kind, []), as_column(kind, []))
    assert src.size == dst.size == 0
    with pytest.raises(ValueError, match="src and dst must have the same length, not 2 and 1"):
        names.ids_of_edges(as_column(kind, [1, 2]), as_column(kind, [1]))


def test_ids_are_those_of_the_host(device):
    """In a table that grows, with ids that are given again."""
    rng = np.random.default_rng(5)
    names, model = fr.VertexNames(device=device), fr.VertexNames()
    for size in (1, 700, 0, 3000, 20, 9000):
        keys = rng.integers(-(2**63), 2**63 - 1, size)[rng.integers(0, max(size // 2, 1), size)]
        ends = np.concatenate([keys, rng.integers(0, 50, size)])
        given = names.device.xp.asarray(ends)  # where the names are
        assert listed(names.ids(given)) == model.ids(ends).tolist()
        for one, other in zip(names.ids_of_edges(keys, given[:size]), model.ids_of_edges(keys, keys), strict=True):
            assert listed(one) == other.tolist()
        gone = np.flatnonzero(model.has_name(np.arange(model.size)))[::3]
        names.forget(gone)
        model.forget(gone)
        assert (len(names), names.size) == (len(model), model.size)
    assert listed(names.find(ends)) == model.find(ends).tolist()


def test_all_names_are_one(device):
    names = fr.VertexNames(device=device)
    assert not host(names.ids(np.full(100_000, -3))).any() and names.size == 1


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="needs a GPU")
def test_text_on_a_gpu_is_refused(tmp_path):
    with pytest.raises(ValueError, match="device must be 'cpu' for names that are text"):
        fr.VertexNames("str", device="gpu")
    names = fr.VertexNames(device="gpu")
    with pytest.raises(TypeError, match="src contains text, but names on a GPU are integers"):
        names.ids_of_edges(["a"], ["b"])
    with pytest.raises(TypeError, match="names must contain integers or text, not float64"):
        names.ids(names.device.xp.zeros(2))
    assert names.dtype is None
    text = fr.VertexNames("str")
    text.ids(["a"])
    text.save(tmp_path / "text")
    assert not fr.VertexNames.load(tmp_path / "text", device="gpu").device.is_gpu


def test_columns_of_other_libraries():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    words = ["c", "a", "c", "b"]
    for column in (
        words, np.array(words), np.array(words, object), pandas.Series(words), pandas.Series(words, dtype="category"),
        pandas.Index(words), pyarrow.array(words), pyarrow.chunked_array([words[:1], words[1:]]),
        pyarrow.array(words).dictionary_encode(), pyarrow.array([*"abc", *words]).dictionary_encode()[3:],
        pandas.Series(words, dtype=pandas.CategoricalDtype(["z", "a", "b", "c"])),
    ):  # fmt: skip
        names = fr.VertexNames()
        assert names.ids(column).tolist() == [0, 1, 0, 2], type(column)
        assert names[[0, 1, 2]].tolist() == ["c", "a", "b"]
    for column in (
        pandas.Series([7, 5, 7], dtype="Int64"), pyarrow.array([7, 5, 7]), np.array([7, 5, 7], object), [7, 5, 7],
        np.array([7, 0, 5, 0, 7, 0], np.int32)[::2],
    ):  # fmt: skip
        names = fr.VertexNames()
        assert names.ids(column).tolist() == [0, 1, 0] and names[[0, 1]].tolist() == [7, 5], type(column)
    for column in (pandas.Series(["a", None]), pyarrow.array(["a", None]), ["a", None], pandas.Series([1, None])):
        with pytest.raises(TypeError, match="names"):
            fr.VertexNames().ids(column)


@pytest.mark.parametrize(
    ("first", "column", "message"),
    [
        (None, [1.5], "names must contain integers or text, not float64"),
        (None, [b"a"], "names must contain integers or text, not |S1"),
        (None, [True], "names must contain integers or text, not bool"),
        (None, ["a", 1], "names must contain integers or text; among its names are some of type int"),
        (None, "abc", "names must be a column of names, not one: put it into a list"),
        (None, [[1, 2]], "names must be one-dimensional, not of shape (1, 2)"),
        ([1], ["a"], "names must contain integers, as the other names do, not text"),
        (["a"], [1], "names must contain text, as the other names do, not integers"),
        ([1], np.array([U64]), "names contains 9223372036854775813, which is no int64, as the other names are"),
        (np.array([1], np.uint64), [2, -4], "names contains -4, which is no uint64, as the other names are"),
    ],
)  # fmt: skip
def test_wrong_names_are_refused(first, column, message):
    names = fr.VertexNames()
    if first is not None:
        names.ids(first)
    before = len(names), names.dtype
    with pytest.raises((TypeError, ValueError)) as raised:
        names.ids(column)
    assert str(raised.value) == message and (len(names), names.dtype) == before


def test_hashes_in_lists_are_integers():
    names = fr.VertexNames()
    assert names.ids([2**64 - 1, 3]).tolist() == [0, 1] and names.dtype == "uint64"
    assert names[[0, 1]].tolist() == [2**64 - 1, 3]
    for column, value in (([2**64, 1], 2**64), ([-(2**63) - 1], -(2**63) - 1), ([2**63, -1], -1)):
        with pytest.raises(TypeError, match=f"names contains {value}, which does not fit in u?int64; use names"):
            fr.VertexNames().ids(column)


def test_ends_of_two_kinds_are_refused():
    names = fr.VertexNames()
    with pytest.raises(TypeError, match="dst must contain integers, as the other names do, not text"):
        names.ids_of_edges([1], ["a"])
    assert names.dtype is None and names.ids_of_edges(np.array([1], np.uint64), [2])[1].tolist() == [1]


def test_files(tmp_path, kind, device):
    names, path = fr.VertexNames(device=device), tmp_path / "names.bin"
    names.save(path)
    assert fr.VertexNames.load(path).dtype is None
    names.ids(as_column(kind, range(9)))
    names.forget([4, 2])
    names.save(path)
    found = fr.VertexNames.load(path, device=device)
    assert found.dtype == kind and len(found) == 7 and found.size == 9
    assert listed(found.find(as_column(kind, range(9)))) == listed(names.find(as_column(kind, range(9))))
    assert listed(found.ids(as_column(kind, [20, 21, 22]))) == listed(names.ids(as_column(kind, [20, 21, 22])))
    for damaged in (b"", b"PK", path.read_bytes()[:-30]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="contains no names"):
            fr.VertexNames.load(path)


@pytest.mark.parametrize(
    "arrays",
    [
        {"dtype": "int64", "ids": [0, 2], "free": [], "names": [5, 6]},
        {"dtype": "int64", "ids": [0, 1], "free": [], "names": [5, 5]},
        {"dtype": "int64", "ids": [0, 1], "free": [], "names": [5]},
        {"dtype": "int64", "ids": [0], "free": [0], "names": [5]},
        {"dtype": "float32", "ids": [0], "free": [], "names": [5]},
        {"dtype": "str", "ids": [0, 1], "free": [], "text": [97, 98], "ends": [2, 1]},
        {"dtype": "str", "ids": [0, 1], "free": [], "text": [97, 97], "ends": [1, 2]},
        {"dtype": "str", "ids": [0], "free": [], "text": [255], "ends": [1]},
        {"dtype": "str", "ids": [0], "free": []},
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_refused(tmp_path, arrays):
    kinds = {"ids": np.int64, "free": np.int64, "names": np.int64, "text": np.uint8, "ends": np.int64}
    with open(tmp_path / "x.npz", "wb") as file:
        np.savez(file, **{name: np.array(held, kinds.get(name)) for name, held in arrays.items()})
    with pytest.raises(ValueError, match="contains no names"):
        fr.VertexNames.load(tmp_path / "x.npz")


def test_a_file_that_unpacks_to_more_than_it_holds_is_refused(tmp_path):
    """Before memory is allocated for it."""
    path, zeros = tmp_path / "x", np.zeros(2**23, np.int64)
    with open(path, "wb") as file:
        np.savez_compressed(file, dtype=np.array("int64"), ids=zeros, free=zeros[:0], names=zeros)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"contains no names: .* is compressed"):
            fr.VertexNames.load(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_an_array_that_says_it_is_larger_is_refused(tmp_path):
    names = fr.VertexNames("int64")
    names.ids([5, 6])
    names.save(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    held["ids.npy"] = held["ids.npy"].replace(b"(2,), }         ", b"(2000000000,), }")
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="the array ids has another size than its header"):
        fr.VertexNames.load(tmp_path / "x")


def test_several_threads():
    names, keys = fr.VertexNames(), np.arange(5000)
    found = in_threads(4, lambda _: [names.ids(part) for part in np.array_split(keys, 50)])
    for each in found[1:]:
        assert np.array_equal(np.concatenate(each), np.concatenate(found[0]))
    assert names.size == 5000


def test_results_with_names(device):
    pandas = pytest.importorskip("pandas")
    names, graph = fr.VertexNames(), SlabGraph(device=device)
    src, dst = names.ids_of_edges(["ada", "bob", "eve"], ["bob", "cy", "dan"])
    names.grow(graph)
    assert graph.insert_edges(src, dst).inserted == 3
    names.grow(graph)
    assert graph.num_vertices == 5
    frame = bfs(graph, names.id_of("ada")).to_dataframe(names=names).set_index("vertex")
    assert frame.loc["cy", "distance"] == 2 and frame.loc["cy", "predecessor"] == "bob"
    assert pandas.isna(frame.loc["ada", "predecessor"])
    graph.delete_vertices([names.id_of("dan")])
    names.forget([names.id_of("dan")])
    frame = connected_components(graph).to_dataframe(names=names)
    assert frame["vertex"].tolist() == ["ada", "bob", "cy", "eve"]


@pytest.mark.parametrize("through", ["insert", "pipeline"])
def test_a_vertex_gets_another_name(device, through):
    names, graph = fr.VertexNames(), SlabGraph(device=device)
    Pipeline([(["a", "b"], ["b", "c"])], graph, names=names).run()
    graph.delete_vertices([names.id_of("b"), names.id_of("c")])
    names.forget([names.id_of("b"), names.id_of("c")])
    if through == "insert":
        src, dst = names.ids_of_edges(["a"], ["d"])
        names.grow(graph)
        graph.insert_edges(src, dst)
    else:
        Pipeline([(["a"], ["d"])], graph, names=names).run()
    assert graph.num_vertices == names.size == 3 and len(names) == 2
    assert names[graph.neighbors(names.id_of("a"))].tolist() == ["d"]
    assert host(graph.has_vertices([0, 1, 2])).tolist() == names.has_name([0, 1, 2]).tolist()


def records(kind, count=300, seed=3):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, 90, (2, count))
    return as_column(kind, src), as_column(kind, dst)


@pytest.mark.parametrize("kind", ["int64", "str"])
@pytest.mark.parametrize("batch_size", [7, 64, 1000])
def test_a_pipeline_of_names(device, kind, batch_size):
    src, dst = records(kind)
    names, graph = fr.VertexNames(), SlabGraph(device=device)
    seen = []
    with Pipeline({"src": src, "dst": dst}, graph, names=names, batch_size=batch_size) as pipeline:
        for batch in pipeline:
            ends = {*list(src)[: batch.end], *list(dst)[: batch.end]}
            assert graph.num_vertices == len(ends)  # no names of records that were read ahead
            seen.append(batch.end)
    assert seen[-1] == len(src) and pipeline.names is names
    expected = {tuple(sorted(pair)) for pair in zip(src, dst, strict=True) if pair[0] != pair[1]}
    a, b = map(host, graph.to_coo()[:2])
    assert {tuple(sorted(pair)) for pair in zip(names[a], names[b], strict=True)} == expected


def test_a_pipeline_with_deletions_and_items(device):
    names, graph = fr.VertexNames(), SlabGraph(device=device)
    items = [
        {"src": ["a", "b"], "dst": ["b", "c"]}, {"src": [], "dst": []},
        {"src": ["b", "x"], "dst": ["a", "a"], "operation": "delete"}, (["c"], ["d"]),
    ]  # fmt: skip
    Pipeline(items, graph, names=names).run()
    assert graph.num_edges == 2 and graph.num_vertices == 5 and "x" in names
    there = graph.has_edges(names.find(["b", "c", "a"]), names.find(["c", "d", "b"]))
    assert host(there).tolist() == [True, True, False]


@pytest.mark.parametrize("name, content", [
    ("out.konect", "% asym unweighted\n1 2\n3 1\n"), ("a.jlg", "3,2,u,g\n1,2\n3,1\n"), ("a.txt", "1 2\n3 1\n"),
])  # fmt: skip
def test_names_are_what_a_file_calls_its_vertices(name, content, tmp_path, device):
    path = tmp_path / name
    path.write_text(content)
    for source in (path, fr.io.read_edges(path), fr.io.read_stream(path)):
        names, graph = fr.VertexNames(), SlabGraph(device=device)
        Pipeline(source, graph, names=names).run()
        assert names[np.arange(names.size)].tolist() == [1, 2, 3]


def test_a_pipeline_of_a_file_with_names(tmp_path, device):
    path = tmp_path / "follows.csv"
    path.write_text("src,dst\nada,bob\nbob,cy\nada,cy\n")
    names, graph = fr.VertexNames(), SlabGraph(device=device)
    Pipeline(path, graph, names=names).run()
    assert names.dtype == "str" and names[[0, 1, 2]].tolist() == ["ada", "bob", "cy"] and graph.num_edges == 3


def test_names_and_graph_are_on_one_device(device):
    """Records, names and graph: nothing is copied to the host but the contents of a result's frame."""
    pytest.importorskip("pandas")
    names, graph = fr.VertexNames(device=device), SlabGraph(device=device)
    src, dst = map(graph.xp.asarray, records("int64"))
    for begin in range(0, 300, 64):
        ends = names.ids_of_edges(src[begin : begin + 64], dst[begin : begin + 64])
        names.grow(graph)
        graph.insert_edges(*ends)
    frame, other = connected_components(graph).to_dataframe(names=names), fr.VertexNames()
    other.ids_of_edges(host(src), host(dst))
    assert frame["vertex"].tolist() == other[np.arange(other.size)].tolist()
    frame = bfs(graph, names.id_of(host(src)[0])).to_dataframe(names=names)
    assert set(frame["predecessor"].dropna()) < set(frame["vertex"])
    graph.delete_vertices([3, 5])
    names.forget([3, 5])
    names.ids(graph.xp.asarray([10**15]))
    names.grow(graph)
    assert listed(graph.has_vertices([3, 5])) == listed(names.has_name([3, 5])) == [False, True]


@pytest.mark.parametrize("kind", ["int64", "str"])
def test_a_pipeline_with_names_goes_on_from_its_checkpoint(tmp_path, device, kind):
    src, dst = records(kind)
    folder = tmp_path / "state"
    names, graph = fr.VertexNames(device=device if kind == "int64" else "cpu"), SlabGraph(device=device)
    with Pipeline((src, dst), graph, names=names, batch_size=50, checkpoint=folder, every=1) as pipeline:
        for batch in pipeline:
            if batch.number == 3:
                break
    pipeline = Pipeline.resume(folder, (src, dst), device=device, batch_size=50, every=1)
    assert pipeline.totals.records == 200 and pipeline.names.device is names.device
    totals = pipeline.run()
    whole, other = fr.VertexNames(), SlabGraph(device=device)
    Pipeline((src, dst), other, names=whole, batch_size=50).run()
    assert totals.records == 300 and pipeline.graph.num_vertices == other.num_vertices
    assert np.array_equal(host(pipeline.names[np.arange(whole.size)]), whole[np.arange(whole.size)])
    for one, two in zip(pipeline.graph.to_coo()[:2], other.to_coo()[:2], strict=True):
        assert np.array_equal(host(one), host(two))
    assert sorted(path.name.split("-")[0] for path in folder.iterdir()) == ["graph", "names", "state.json"]
    with pytest.raises(TypeError, match="restores the graph, the names and the window from the checkpoint"):
        Pipeline.resume(folder, (src, dst), device=device, names=names)


def test_what_is_no_names(device):
    with pytest.raises(TypeError, match=r"names must be a frontier\.VertexNames, not dict"):
        Pipeline([], SlabGraph(device=device), names={})
    graph = SlabGraph.from_edges([0], [1], device=device)
    with pytest.raises(TypeError, match=r"names must be a frontier\.VertexNames, not list"):
        bfs(graph, 0).to_dataframe(names=["a", "b"])
