"""Edge data: each edge preserves its id and its row of values through every update, in every structure."""

import copy
import pickle

import numpy as np
import pytest
from edge_rows import DATA, N, Pair
from exhaustion import exhausted
from graph_files import pack, unpack
from model import to_host, twin_of

import frontier as fr
from frontier.runtime.memory.growable import SMALL
from structures import CSR, SlabGraph


@pytest.fixture
def pair(structure, device):
    return Pair(structure, device)


# ---- updates --------------------------------------------------------------------------------------------------------


@pytest.mark.sampled("orientation", "weight_dtype", of=3)
def test_random_updates(structure, device, orientation, weight_dtype, rng, tmp_path, tries):
    pair = Pair(structure, device, weight_dtype=weight_dtype, **orientation)
    modes = ("replace", "keep", "add") if weight_dtype else ("replace", "keep")
    path = tmp_path / "graph.npz"
    for step in range(tries(40, 2000)):
        kind = rng.random()
        if kind < 0.55:
            pair.insert(*pair.batch(rng, int(rng.integers(0, 90))), on_existing=modes[step % len(modes)])
        elif kind < 0.85:
            pair.delete(*pair.batch(rng, int(rng.integers(0, 60)))[:2])
        elif kind < 0.9:
            pair.delete_vertices(rng.choice(pair.graph.num_vertices, 2, replace=False)[:1].tolist()
                                 if not pair.dead else [])  # fmt: skip
        elif kind < 0.93:
            pair.graph.insert_vertices(sorted(pair.dead))
            pair.dead.clear()
            pair.graph.insert_vertices(1)
        elif kind < 0.96:
            pair.graph.compact()
        else:
            pair.graph = twin_of(pair.graph, step, path)
        pair.check()


@pytest.mark.slow
def test_growth_by_many_batches(device, rng):
    """Ids stay, and so do values, while columns become arrays of many times their size."""
    size = SMALL // 8 // 6  # of a batch: columns pass the size up to which they are copied
    graph = SlabGraph(4000, directed=True, edge_data={"time": "int64"}, device=device)
    keys = np.unique(rng.integers(0, 4000 * 4000, 12 * size))
    src, dst = np.divmod(rng.permutation(keys), 4000)
    seen = []
    for low in range(0, 10 * size, size):
        part = slice(low, low + size)
        graph.insert_edges(src[part], dst[part], time=keys[part])
        first = to_host(graph, graph.edge_ids(src[:5], dst[:5])).tolist()
        assert not seen or first == seen
        seen = first
    kept = src[: 10 * size] != dst[: 10 * size]
    ids = graph.edge_ids(src[: 10 * size], dst[: 10 * size])
    assert to_host(graph, ids)[~kept].tolist() == [-1] * int((~kept).sum())
    held = to_host(graph, graph.edge_data["time"])[to_host(graph, ids)[kept]]
    assert (held == keys[: 10 * size][kept]).all()
    assert graph.num_edges <= graph.edge_capacity <= 2 * graph.num_edges


def test_freed_ids_are_used_again(pair):
    graph, ends = pair.graph, (np.arange(10), np.arange(10) + 10)
    graph.insert_edges(*ends, time=np.arange(10), amount=np.zeros(10))
    ids = to_host(graph, graph.edge_ids(*ends))
    graph.delete_edges([3, 3, 13], [13, 13, 3])  # one edge, listed three times
    graph.delete_edges([3], [13])
    graph.delete_vertices([7])
    graph.insert_edges([20, 21, 22], [30, 31, 32], time=[1, 2, 3], amount=[4, 5, 6])
    new = to_host(graph, graph.edge_ids([20, 21, 22], [30, 31, 32])).tolist()
    assert sorted(new) == sorted([ids[3], ids[7], 10])
    assert to_host(graph, graph.edge_data["amount"])[new].tolist() == [4, 5, 6]
    assert to_host(graph, graph.edge_ids([3], [13])).tolist() == [-1]


def test_many_rounds_take_no_more_ids(pair, rng):
    for _ in range(30):
        src, dst, _, time, amount = pair.batch(rng, 200)
        pair.graph.insert_edges(src, dst, time=time, amount=amount)
        pair.graph.delete_edges(src, dst)
    assert pair.graph.edge_capacity <= 400


def test_edges_that_are_listed_several_times(pair):
    """The last one counts, whichever direction it names. All other ones leave no trace."""
    graph = pair.graph
    graph.insert_edges([0, 1, 0, 5, 2], [1, 0, 1, 5, 3], time=[1, 2, 3, 4, 5], amount=[1, 2, 3, 4, 5])
    assert graph.num_edges == 2
    ids = graph.edge_ids([0, 2], [1, 3])
    assert to_host(graph, graph.edge_data["time"][ids]).tolist() == [3, 5]
    assert sorted(to_host(graph, ids).tolist()) == [0, 1]
    graph.insert_edges([1, 0], [0, 1], time=[6, 7], amount=[6, 7])
    assert to_host(graph, graph.edge_ids([0, 2], [1, 3])).tolist() == to_host(graph, ids).tolist()
    assert to_host(graph, graph.edge_data["time"][ids]).tolist() == [7, 5]


def test_from_edges(structure, device, orientation, rng):
    src, dst = rng.integers(0, N, 300), rng.integers(0, N, 300)
    time, weights = np.arange(300), rng.random(300)
    graph = structure.from_edges(
        src, dst, weights, num_vertices=N, device=device, edge_data={"time": time}, **orientation
    )  # fmt: skip
    last = {(u, v) if graph.directed or u < v else (v, u): i for i, (u, v) in enumerate(zip(src, dst, strict=True))
            if u != v}  # fmt: skip
    ids = to_host(graph, graph.edge_ids(*np.array(list(last)).T))
    assert sorted(ids.tolist()) == list(range(graph.num_edges)) == list(range(len(last)))
    assert to_host(graph, graph.edge_data["time"])[ids].tolist() == list(last.values())
    assert to_host(graph, graph.edge_data["weight"])[ids].tolist() == weights[list(last.values())].tolist()


def test_values_of_edges(device):
    graph = SlabGraph(4, weight_dtype="float32", edge_data={"kind": "int8"}, device=device)
    graph.insert_edges([0, 1, 2], [1, 2, 3], [5, 6, 7], kind=[1, 2, 3])
    assert to_host(graph, graph.edge_values("kind", [2, 1], [1, 0])).tolist() == [2, 1]
    assert to_host(graph, graph.edge_values("weight", [3], [2])).tolist() == [7]
    with pytest.raises(ValueError, match="edge 1 of the list, 0 - 2, is not in the graph"):
        graph.edge_values("kind", [0, 0], [1, 2])
    with pytest.raises(ValueError, match="name must be one of 'weight', 'kind', not 'color'"):
        graph.edge_values("color", [0], [1])
    with pytest.raises(ValueError, match="this graph has no edge data"):
        SlabGraph(4, device=device).edge_values("kind", [0], [1])


def test_ids_alone(device):
    graph = SlabGraph(5, edge_data={}, device=device)
    graph.insert_edges([0, 1], [1, 2])
    assert to_host(graph, graph.edge_ids([2, 1, 3], [1, 0, 4])).tolist() == [1, 0, -1]
    assert dict(graph.edge_data) == {}


TYPES = {
    "bool": [True, False], "int8": [-128, 127], "uint8": [0, 255], "int32": [-(2**31), 2**31 - 1],
    "uint32": [0, 2**32 - 1], "int64": [-(2**63), 2**63 - 1], "uint64": [0, 2**64 - 1],
    "float32": [np.nan, np.inf], "float64": [-0.0, 5e-324],
}  # fmt: skip


def test_types(device, tmp_path):
    """Every value comes back as it was, NaN too."""
    columns = {f"of_{name}": np.array(values, name) for name, values in TYPES.items()}
    graph = SlabGraph(6, edge_data={name: values.dtype for name, values in columns.items()}, device=device)
    graph.insert_edges([0, 2], [1, 3], **columns)
    graph.save(tmp_path / "graph.npz")
    for held in (graph, fr.Graph.load(tmp_path / "graph.npz", device=device)):
        ids = to_host(held, held.edge_ids([0, 2], [1, 3]))
        for name, values in columns.items():
            assert to_host(held, held.edge_data[name])[ids].tobytes() == values.tobytes()


def test_columns_of_any_name(device):
    """Such as the names that the functions have which an update goes through."""
    names = "graph", "update", "args", "options", "function", "apply", "change"
    graph = SlabGraph(4, device=device, edge_data=dict.fromkeys(names, np.int64))
    graph.insert_edges([0, 1], [1, 2], **{name: [i, i + 1] for i, name in enumerate(names)})
    assert [graph.edge_data[name][:2].tolist() for name in names] == [[i, i + 1] for i in range(len(names))]


def test_forms_of_arrays(device):
    """Accepted forms of weights are accepted for data: lists, other types that fit, frames, arrays of the device."""
    graph = SlabGraph(6, edge_data=DATA, device=device)
    graph.insert_edges([0], [1], time=[7], amount=np.array([2], np.int64))
    graph.insert_edges(graph.xp.asarray([2]), [3], time=graph.xp.asarray([8], np.int32), amount=(0.5,))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": [4], "dst": [5], "time": [9], "amount": [1.5]})
    graph.insert_edges(**frame)
    ids = to_host(graph, graph.edge_ids([0, 2, 4], [1, 3, 5]))
    assert to_host(graph, graph.edge_data["time"])[ids].tolist() == [7, 8, 9]
    assert to_host(graph, graph.edge_data["amount"])[ids].tolist() == [2, 0.5, 1.5]


# ---- mistakes -------------------------------------------------------------------------------------------------------

GOOD = {"time": [1], "amount": [1.0]}
MISTAKES = {
    "missing": ({"time": [1]}, TypeError, r"needs amount=\.\.\., as this graph has the edge data 'time' \(int64\)"),
    "none": (GOOD | {"amount": None}, TypeError, r"needs amount"),
    "unknown": (GOOD | {"ammount": [1]}, TypeError, r"got ammount=\.\.\., but this graph has the edge data"),
    "length": (GOOD | {"time": [1, 2]}, ValueError, r"same length, but src has 1, time has 2, amount has 1"),
    "scalar": (GOOD | {"time": 1}, ValueError, r"time must be one-dimensional"),
    "two-dimensional": (GOOD | {"time": [[1]]}, ValueError, r"time must be one-dimensional"),
    "floats": (GOOD | {"time": [1.5]}, TypeError, r"time contains float64, which is not stored as int64"),
    "bools": (GOOD | {"time": [True]}, TypeError, r"time contains bool, which is not stored as int64"),
    "overflow": (GOOD | {"time": [2**63]}, ValueError, r"time contains 9223372036854775808, which does not fit"),
    "text": (GOOD | {"time": ["now"]}, TypeError, r"time must contain numbers"),
    "vertex": (GOOD | {"src": [99]}, ValueError, r"src\[0\] is 99, outside"),
    "weights": (GOOD | {"weights": [1]}, ValueError, r"weights were given"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake, device):
    given, error, message = MISTAKES[mistake]
    pair = Pair(SlabGraph, device, num_vertices=6)
    pair.insert(np.array([0]), np.array([1]), None, np.array([5]), np.array([0.5], np.float32))
    pair.check()
    with pytest.raises(error, match=message):
        pair.graph.insert_edges(**({"src": [0], "dst": [2]} | given))
    pair.check()
    pair.insert(np.array([0]), np.array([2]), None, np.array([6]), np.array([0.25], np.float32))
    pair.check()


@pytest.mark.parametrize("given, error, message", [
    (["time"], TypeError, "edge_data must be a dict of names to types, not list"),
    ({"time": "U5"}, TypeError, r"edge_data\['time'\] must be one of int8, .*, not <U5"),
    ({"time": "int16"}, TypeError, r"edge_data\['time'\] must be one of"),
    ({"time": "second"}, TypeError, r"edge_data\['time'\]"),
    ({"src": "int64"}, ValueError, "the reserved name 'src'"),
    ({"weight": "int64"}, ValueError, "the reserved name 'weight'"),
    ({"a b": "int64"}, ValueError, "the name 'a b', which cannot be"),
    ({"if": "int64"}, ValueError, "the name 'if'"),
    ({3: "int64"}, TypeError, "names that are strings, not int"),
])  # fmt: skip
def test_mistakes_in_declarations(given, error, message):
    with pytest.raises(error, match=message):
        SlabGraph(3, edge_data=given, device="cpu")


def test_graphs_without_edge_data_say_so(device):
    graph = SlabGraph(3, device=device)
    assert graph.edge_data is None
    with pytest.raises(TypeError, match=r"got time=\.\.\., but this graph has no edge data"):
        graph.insert_edges([0], [1], time=[3])
    for act in (graph.edge_ids, lambda src, dst: graph.edge_endpoints(src)):
        with pytest.raises(ValueError, match="this graph has no edge data"):
            act([0], [1])
    with pytest.raises(ValueError, match="same length, but src has 1, time has 2"):
        SlabGraph.from_edges([0], [1], edge_data={"time": [1, 2]}, device=device)


def test_ids_of_no_edge(device):
    graph = SlabGraph(6, edge_data={}, device=device)
    with pytest.raises(ValueError, match=r"ids\[0\] is 0, the id of no edge"):
        graph.edge_endpoints([0])
    graph.insert_edges([0, 1, 2], [1, 2, 3])
    graph.delete_edges([1], [2])
    for bad in (1, 3, -1, 10**12):
        with pytest.raises(ValueError, match=rf"ids\[1\] is {bad}, the id of no edge \(1 such ids\)"):
            graph.edge_endpoints([0, bad])


@pytest.mark.parametrize("act", ["insert", "delete"])
def test_exhausted_memory_leaves_all_as_it_was(structure, device, act, rng):
    pair = Pair(structure, device, num_vertices=200)
    pair.insert(*pair.batch(rng, 300))
    pair.check()
    batch = pair.batch(rng, 100_000 if device == "gpu" else 600)
    known = [np.array(side) for side in zip(*pair.rows, strict=True)]
    twin = pair.graph.copy()
    twin.insert_edges(batch[0], batch[1], time=batch[3], amount=batch[4])  # compiles its kernels
    twin.delete_edges(*known)
    failed = 0
    for step in range(60):
        pair.graph = pair.graph.copy()  # without the scratch memory of earlier steps
        try:
            with exhausted(pair.graph, step):
                if act == "insert":
                    pair.graph.insert_edges(batch[0], batch[1], time=batch[3], amount=batch[4])
                else:
                    pair.graph.delete_edges(*known)
        except MemoryError:
            failed += 1
            pair.check()
            continue
        break
    else:
        pytest.fail("memory was never enough")
    assert failed or device == "gpu"
    pair.rows = {} if act == "delete" else pair.rows
    pair.graph.insert_edges(batch[0], batch[1], time=batch[3], amount=batch[4])
    for u, v, time, amount in zip(batch[0].tolist(), batch[1].tolist(), batch[3].tolist(), batch[4].tolist(),
                                  strict=True):  # fmt: skip
        if u != v:
            key = pair.key(u, v)
            pair.rows[key] = [pair.rows.get(key, [None])[0], 1, time, amount]
    pair.check()


# ---- memory and files -----------------------------------------------------------------------------------------------


def test_memory(device):
    plain = SlabGraph.from_edges(np.arange(100), np.arange(100) + 1, np.ones(100, np.float32), device=device)
    graph = SlabGraph.from_edges(
        np.arange(100), np.arange(100) + 1, np.ones(100, np.float32), device=device,
        edge_data={"time": np.arange(100), "flag": np.zeros(100, bool)},
    )  # fmt: skip
    assert graph.memory_usage().used == plain.memory_usage().used + 100 * (4 + 8 + 1)
    assert graph.memory_usage().csr == plain.memory_usage().csr + 100 * (8 + 1)
    sizes = graph.statistics().bytes
    assert (sizes["column.weight"], sizes["column.time"], sizes["column.flag"]) == (400, 800, 100)
    both = SlabGraph.from_edges([0], [1], directed=True, in_edges=True, device=device, edge_data={"time": [1]})
    alone = SlabGraph.from_edges([0], [1], directed=True, in_edges=True, device=device, edge_data={})
    assert both.memory_usage().used == alone.memory_usage().used + 8
    assert repr(graph).endswith("float32 weights, edge data (time, flag), " + device + ")")


def test_the_reverse_shares_what_it_reads(device):
    graph = SlabGraph(4, directed=True, in_edges=True, edge_data=DATA, device=device)
    graph.insert_edges([0], [1], time=[5], amount=[1])
    data = graph.reverse.edge_data
    assert int(data["time"][int(graph.reverse.edge_ids([1], [0])[0])]) == 5
    with pytest.raises(TypeError):
        data["time"] = None
    twin = graph.reverse.copy()
    twin.insert_edges([1], [0], time=[6], amount=[1])
    assert int(graph.edge_data["time"][0]) == 5 and int(twin.reverse.edge_data["time"][0]) == 6


def test_copies_are_independent(device):
    graph = SlabGraph(4, edge_data=DATA, device=device)
    graph.insert_edges([0, 1], [1, 2], time=[5, 6], amount=[1, 2])
    graph.delete_edges([0], [1])
    for twin in (graph.copy(), copy.copy(graph), pickle.loads(pickle.dumps(graph))):
        twin.insert_edges([2, 1, 0], [3, 2, 3], time=[7, 8, 9], amount=[3, 4, 5])
        ids = twin.edge_ids([2, 1, 0], [3, 2, 3])
        assert to_host(twin, ids)[:2].tolist() == [0, 1]  # the one that was free, and its own
        assert to_host(twin, twin.edge_data["time"][ids]).tolist() == [7, 8, 9]
        assert int(graph.edge_data["time"][int(graph.edge_ids([1], [2])[0])]) == 6
        assert graph.num_edges == 1


def test_ids_are_those_of_the_file(structure, device, tmp_path):
    graph = structure.from_edges([0, 1, 2], [1, 2, 3], device=device, edge_data={"time": [1, 2, 3]})
    graph.delete_edges([1], [2])
    graph.save(tmp_path / "graph.npz")
    twin = fr.Graph.load(tmp_path / "graph.npz", device=device)
    twin.insert_edges([0], [3], time=[9])
    assert to_host(twin, twin.edge_ids([0, 2, 0], [1, 3, 3])).tolist() == [0, 2, 1]


def tampered(path, change):
    header, arrays = unpack(path)
    change(header["edge_data"], arrays)
    pack(path, header, arrays)


HARM = {
    "range": lambda data, arrays: arrays["weights"].__setitem__(0, 99),
    "negative": lambda data, arrays: arrays["free_ids"].__setitem__(0, -1),
    "twice": lambda data, arrays: arrays["free_ids"].__setitem__(0, 0),
    "two ids": lambda data, arrays: arrays["weights"].__setitem__(slice(0, 2), arrays["weights"][1::-1].copy()),
    "top": lambda data, arrays: data.update(top=10**15),
    "short": lambda data, arrays: arrays.update({"column.time": arrays["column.time"][:2]}),
    "type": lambda data, arrays: data.update(columns={"time": "int8"}),
    "object": lambda data, arrays: data.update(columns={"time": ["O"]}),
    "name": lambda data, arrays: data.update(columns={"../time": "int64"}),
    "form": lambda data, arrays: data.update(columns=[]),
    "missing": lambda data, arrays: arrays.pop("free_ids"),
}


@pytest.mark.parametrize("harm", HARM)
def test_files_that_would_do_harm(harm, tmp_path):
    path = tmp_path / "graph.npz"
    graph = CSR.from_edges([0, 0, 1, 2], [1, 2, 2, 3], device="cpu", edge_data={"time": [1, 2, 3, 4]})
    graph.delete_edges([2], [3])
    graph.save(path)
    tampered(path, HARM[harm])
    with pytest.raises(ValueError, match=r"graph\.npz is no valid graph file"):
        fr.Graph.load(path, device="cpu")
