"""Bad input raises, names the wrong argument, and leaves the graph unchanged."""

import re
from datetime import datetime

import networkx
import numpy as np
import pytest
from model import make, snapshot

import algorithms
import frontier as fr

GOOD = [0, 1]

# Bad ids, and the words that report them.
BAD_IDS = {
    "negative": ([0, -1], "is -1, outside"),
    "too large": ([6, 1], "is 6, outside"),
    "far too large": ([0, 2**40], "outside"),
    "beyond 64 bits": (np.array([0, 2**63], np.uint64), "9223372036854775808"),
    "beyond any integer": ([0, 2**70], "must"),
    "lowest": ([0, -(2**63)], "outside"),
    "wraps to a good one": ([0, 2**32 + 1], "outside"),
    "deleted": ([0, 5], "is 5, a vertex that was deleted"),
    "floats": ([0.0, 1.0], "integer"),
    "float32": (np.array([0, 1], np.float32), "integer"),
    "bools": ([True, False], "integer"),
    "complex": (np.array([0, 1j]), "must"),
    "strings": (["0", "1"], "numbers"),
    "objects": ([object(), object()], "numbers"),
    "object array": (np.array([0, 1], object), "integer|numbers"),
    "None": (None, "numbers"),
    "Nones": ([None, 1], "numbers"),
    "a dict": ({0: 1}, "numbers"),
    "a set": ({0, 1}, "numbers"),
    "a generator": ((i for i in GOOD), "numbers"),
    "a text": ("01", "numbers"),
    "bytes": (b"01", "numbers"),
    "dates": ([datetime(2026, 1, 1)] * 2, "numbers"),
    "datetime64": (np.array(["2026-01-01", "2026-01-02"], "M8[D]"), "must"),
    "ragged": ([[0], [1, 2]], "array|one-dimensional"),
    "scalar": (3, "one-dimensional"),
    "table": (np.zeros((2, 1), int), "one-dimensional"),
    "empty table": (np.zeros((0, 2), int), "one-dimensional"),
    "too short": ([0], "same length"),
    "too long": ([0, 1, 2], "same length"),
    "empty": ([], "same length"),
}
UNEQUAL = {"too short", "too long", "empty"}
BAD_WEIGHTS = {
    "NaN": ([1.0, float("nan")], r"weights\[1\] is NaN"),
    "strings": (["1", "2"], "weights"),
    "objects": ([object()] * 2, "weights"),
    "bools": ([True, False], "weights"),
    "complex": (np.array([1, 1j]), "weights"),
    "None inside": ([1.0, None], "weights"),
    "scalar": (2.5, "weights"),
    "table": (np.ones((2, 1)), "weights"),
    "too short": ([1.0], "weights has 1"),
    "too long": ([1.0] * 3, "weights has 3"),
    "empty": ([], "weights has 0"),
}
NOT_COUNTS = ["3", 2.5, None, True, [3], float("nan")]


@pytest.fixture
def graph(structure, device, directed):
    """Vertices 0 to 5, with 5 deleted."""
    pair = make(structure, device, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5], num_vertices=6, directed=directed)
    pair.delete_vertices([5])
    return pair.graph


@pytest.fixture
def weighted(structure, device):
    return make(structure, device, [0, 1, 2], [1, 2, 3], np.array([1, 2, 3], np.float32)).graph


def refused(graph, words, call, *args, **options):
    """`call` raises an error that a user can act on, and `graph` is exactly unchanged."""
    before = snapshot(graph)
    with pytest.raises((TypeError, ValueError), match=words):
        call(*args, **options)
    assert snapshot(graph) == before


@pytest.mark.parametrize("kind", BAD_IDS)
@pytest.mark.parametrize("call", ["insert_edges", "delete_edges", "has_edges", "edge_weights", "find_edges"])
def test_ids_of_edges(graph, kind, call):
    bad, words = BAD_IDS[kind]
    act = getattr(graph, call)
    refused(graph, f"src.*({words})|({words}).*src", act, bad, GOOD)
    refused(graph, f"dst.*({words})|({words}).*dst", act, GOOD, bad)


@pytest.mark.parametrize("kind", [kind for kind in BAD_IDS if kind not in UNEQUAL])
def test_ids_of_vertices(graph, kind):
    bad, words = BAD_IDS[kind]
    refused(graph, f"ids.*({words})", graph.delete_vertices, bad)


@pytest.mark.parametrize("kind", ["negative", "beyond 64 bits", "floats", "bools", "strings", "None", "table", "a set"])
def test_ids_of_new_vertices(graph, kind):
    refused(graph, "ids", graph.insert_vertices, BAD_IDS[kind][0])


@pytest.mark.parametrize("kind", ["floats", "bools", "strings", "None", "table", "scalar"])
def test_ids_asked_about(graph, kind):
    refused(graph, "ids", graph.has_vertices, BAD_IDS[kind][0])


@pytest.mark.parametrize("count", [-1, -(2**70), 2**31, 2**40, 2**70])
def test_numbers_of_new_vertices(graph, count):
    refused(graph, "vertices", graph.insert_vertices, count)


@pytest.mark.parametrize("bad", [-1, 6, 5, 2**40, 2**70, 0.0, "0", None, True, [0]])
def test_neighbors_of(graph, bad):
    refused(graph, r"\bv\b", graph.neighbors, bad)


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_weights(weighted, kind):
    bad, words = BAD_WEIGHTS[kind]
    for on_existing in ("replace", "keep", "add"):
        refused(weighted, words, weighted.insert_edges, GOOD, [3, 2], bad, on_existing=on_existing)


def test_nan_weight_of_a_self_loop(weighted):
    refused(weighted, "NaN", weighted.insert_edges, [0, 1], [1, 1], [1, float("nan")])


def test_a_bad_id_late_in_a_large_batch(graph):
    src, dst = np.zeros(50_000, int), np.arange(50_000) % 5
    dst[-1] = 6
    refused(graph, r"dst\[49999\] is 6, outside .*0\.\.5 \(1 such", graph.insert_edges, src, dst)
    refused(graph, r"dst\[49999\] is 6, outside .*0\.\.5 \(1 such", graph.delete_edges, src, dst)


def test_a_bad_self_loop(graph):
    """A self-loop would be dropped, but not before its id is checked."""
    refused(graph, r"src\[0\] is 9", graph.insert_edges, [9], [9])
    refused(graph, r"src\[0\] is 5, a vertex that was deleted", graph.delete_edges, [5], [5])


def test_the_message_says_what_to_do(graph):
    refused(graph, r"insert_vertices\(\)", graph.insert_edges, [0], [6])
    refused(graph, r"insert_vertices\(\[ids\]\)", graph.insert_edges, [0], [5])


def test_weights_for_a_graph_without(graph):
    refused(graph, "weights", graph.insert_edges, GOOD, [1, 2], [1.0, 2.0])


def test_floats_for_a_graph_of_integers(structure, device):
    graph = make(structure, device, [0], [1], np.array([1], np.int32)).graph
    refused(graph, "weights.*float64.*int32", graph.insert_edges, [0], [1], [0.5])


@pytest.mark.parametrize("dtype", ["int64", "uint32", "uint64"])
def test_integers_that_do_not_fit_the_graphs(structure, device, dtype):
    """Never stored as another number."""
    graph = make(structure, device, [0], [1], np.array([1], np.int32)).graph
    refused(graph, "weights", graph.insert_edges, GOOD, [1, 0], np.array([1, 2**31], dtype))


@pytest.mark.parametrize("bad", ["sum", "", "REPLACE", None, 3, ["keep"]])
def test_on_existing(weighted, bad):
    refused(weighted, "on_existing", weighted.insert_edges, GOOD, [1, 2], on_existing=bad)


def test_add_without_weights(graph):
    refused(graph, "on_existing", graph.insert_edges, GOOD, [1, 2], on_existing="add")


@pytest.mark.parametrize("kind", [kind for kind in BAD_IDS if kind not in ("deleted", "too large", "far too large")])
def test_ids_of_a_new_graph(structure, device, kind):
    bad, words = BAD_IDS[kind]
    for name, edges in (("src", (bad, GOOD)), ("dst", (GOOD, bad))):
        with pytest.raises((TypeError, ValueError), match=f"{name}.*({words})|({words}).*{name}"):
            structure.from_edges(*edges, num_vertices=6, device=device)


def test_negative_ids_only(structure, device):
    """The number of vertices is read off the ids."""
    for src, dst in [([-5], [-3]), ([-1], [-1])]:
        with pytest.raises(ValueError, match=r"src\["):
            structure.from_edges(src, dst, device=device)


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_weights_of_a_new_graph(structure, device, kind):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    bad, words = BAD_WEIGHTS[kind]
    with pytest.raises((TypeError, ValueError), match=words):
        structure.from_edges(GOOD, [3, 2], bad, device=device)


def test_weights_for_no_edges(structure, device):
    with pytest.raises(ValueError, match="weights"):
        structure.from_edges([], [], [1.0], device=device)


@pytest.mark.parametrize("bad", [*NOT_COUNTS, -1, -(2**70), 2**70])
def test_num_vertices(structure, device, bad):
    with pytest.raises((TypeError, ValueError), match=r"num_vertices|vertices do not fit"):
        structure(bad, device=device)
    if bad is not None:
        with pytest.raises((TypeError, ValueError), match=r"num_vertices|vertices do not fit"):
            structure.from_edges([0], [1], num_vertices=bad, device=device)


def test_too_few_vertices(structure, device):
    with pytest.raises(ValueError, match=r"dst\[1\] is 2, outside"):
        structure.from_edges([0, 1], [1, 2], num_vertices=2, device=device)
    with pytest.raises(ValueError, match=r"src\[0\] is 0, outside"):
        structure.from_edges([0], [1], num_vertices=0, device=device)


@pytest.mark.parametrize("bad", ["tpu", "", "GPU", "cuda:0", 0, None, ["cpu"], np])
def test_device(structure, bad):
    with pytest.raises((TypeError, ValueError), match="device"):
        structure(3, device=bad)
    with pytest.raises((TypeError, ValueError), match="device"):
        structure.from_edges([0], [1], device=bad)


@pytest.mark.parametrize("bad", ["yes", 1, None, 0.0])
def test_directed(structure, device, bad):
    with pytest.raises((TypeError, ValueError), match="directed"):
        structure(3, directed=bad, device=device)


@pytest.mark.parametrize("bad", ["int8", "uint32", "float16", "complex64", bool, object, "nonsense", 3])
def test_weight_dtype(structure, device, bad):
    with pytest.raises((TypeError, ValueError), match="weight_dtype"):
        structure(3, weight_dtype=bad, device=device)


@pytest.mark.parametrize("bad", ["int8", "uint32", "uint64", float, object, "nonsense", 3])
def test_vertex_dtype(structure, device, bad):
    with pytest.raises((TypeError, ValueError), match="vertex_dtype"):
        structure(3, vertex_dtype=bad, device=device)


def test_unknown_options(structure, device):
    with pytest.raises(TypeError, match="no_such_option"):
        structure(3, device=device, no_such_option=1)
    with pytest.raises(TypeError, match="no_such_option"):
        structure.from_edges([0], [1], device=device, no_such_option=1)


def test_no_gpu(structure):
    from frontier.runtime import gpu_available

    if gpu_available():
        pytest.skip("there is a GPU")
    with pytest.raises(RuntimeError, match=re.escape("device='gpu'")):
        structure(3, device="gpu")


# ---- arguments of operators and algorithms -------------------------------------------------------------------------

# Calls, and the argument that the error names first. `g` is a graph of vertices 0 to 5, of which 5 was deleted, `f` a
# frontier of it, `w` is weighted, `other` a graph of the same size, `nxg` NetworkX's.
MISTAKES = {
    "bfs(g, 99)": "source is 99, outside the graph's vertices 0..5",
    "bfs(g, -1)": "source is -1, outside",
    "bfs(g, 5)": "source is 5, a vertex that was deleted",
    "bfs(g, 2**70)": "source is 1180591620717411303424, outside",
    "bfs(g, '0')": "source must be an integer, not str",
    "bfs(g, None)": "source must be an integer, not None",
    "bfs(g, 1.0)": "source must be an integer, not float",
    "bfs(g, True)": "source must be an integer, not bool",
    "bfs(g, [0])": "source must be an integer, not list",
    "bfs(g, xp.zeros(1, int))": "source must be an integer, not ",
    "bfs(empty, 0)": "source is 0, outside the graph, which has no vertices",
    "bfs(0, g)": "graph must be a Graph, not int",
    "bfs(f, 0)": "graph must be a Graph, not Frontier",
    "bfs(nxg, 0)": "graph must be a Graph, not networkx.Graph; frontier.interchange.from_networkx",
    "bfs(g, 0, '3')": "depth_limit must be an integer, not str",
    "bfs(g, 0, 2.5)": "depth_limit must be an integer, not float",
    "bfs(g, 0, -1)": "depth_limit must be at least 0, got -1",
    "bfs(g, 0, True)": "depth_limit must be an integer, not bool",
    "sssp(w, 99)": "source is 99, outside",
    "sssp(w, 'a')": "source must be an integer",
    "sssp(nxg, 0)": "graph must be a Graph",
    "sssp(w, 0, predecessors='no')": "predecessors must be True or False, not 'no'",
    "connected_components(nxg)": "graph must be a Graph",
    "connected_components(None)": "graph must be a Graph, not None",
    "triangle_count(nxg)": "graph must be a Graph",
    "triangle_count(g, layout=1)": "layout must be one of 'auto', 'native', 'csr', not 1",
    "truss_numbers(g, layout='copy')": "layout must be one of 'auto', 'native', 'csr', not 'copy'",
    "pagerank(g, layout='copy')": "layout must be one of 'auto', 'native', 'csr', not 'copy'",
    "triangle_count(g, per_vertex=None)": "per_vertex must be True or False, not None",
    "k_truss(g, '3')": "k must be an integer, not str",
    "k_truss(g, None)": "k must be an integer, not None",
    "k_truss(g, 1)": "k must be at least 2, got 1",
    "k_truss(3, g)": "graph must be a Graph, not int",
    "truss_numbers(nxg)": "graph must be a Graph",
    "pagerank(nxg)": "graph must be a Graph",
    "pagerank(g, '0.85')": "alpha must be a number, not str",
    "pagerank(g, 2)": "alpha must be between 0 and 1, got 2",
    "pagerank(g, tol=None)": "tol must be a number",
    "pagerank(g, tol=-1)": "tol must not be negative",
    "pagerank(g, max_iter=1.5)": "max_iter must be an integer, not float",
    "pagerank(g, weighted='yes')": "weighted must be True or False, not 'yes'",
    "pagerank(g, fail_on_nonconvergence='no')": "fail_on_nonconvergence must be True or False",
    "pagerank(g, personalization={99: 1})": "personalization[0] is 99, outside",
    "pagerank(g, personalization={5: 1})": "personalization names a vertex that was deleted",
    "pagerank(g, personalization={'a': 1})": "personalization must contain numbers",
    "pagerank(g, personalization=[1, 2])": "personalization must have an entry for each of the 6 vertices",
    "pagerank(g, nstart={0: float('nan')})": "nstart must contain finite numbers",
    "DynamicBFS(g, 99)": "source is 99, outside",
    "DynamicBFS(nxg, 0)": "graph must be a Graph",
    "DynamicSSSP(w, 'a')": "source must be an integer",
    "DynamicKTruss(g, '3')": "k must be an integer",
    "DynamicPageRank(g, weighted=3)": "weighted must be True or False, not 3",
    "fr.Frontier(nxg, [0])": "graph must be a Graph, not networkx.Graph",
    "fr.Frontier([0], g)": "graph must be a Graph, not list",
    "fr.Frontier(g, 3)": "vertices must be one-dimensional",
    "fr.Frontier(g, None)": "vertices must contain numbers",
    "fr.Frontier.all(nxg)": "graph must be a Graph",
    "fr.filter(g, [0], op)": "frontier must be a Frontier, not ",
    "fr.filter([0], op)": "frontier must be a Frontier, not list",
    "fr.filter(op, f)": "frontier must be a Frontier, not ",
    "fr.filter(f, None)": "op must be a plain Python function, not None",
    "fr.compute(g, op)": "frontier must be a Frontier, not ",
    "fr.compute([0, 1], op)": "frontier must be a Frontier, not list",
    "fr.reduce(g, op)": "frontier must be a Frontier, not ",
    "fr.reduce(f, op, reduce='mean')": "reduce must be one of 'sum', 'min', 'max', not 'mean'",
    "fr.reduce(f, op, reduce=['sum'])": "reduce must be one of 'sum', 'min', 'max', not ['sum']",
    "fr.reduce(f, op, dtype='int8')": "dtype must be one of int32, int64, float32, float64, not int8",
    "fr.reduce(f, op, dtype='nonsense')": "dtype: data type 'nonsense' not understood",
    "fr.reduce(f, op, out=[0])": "out must be a ",
    "fr.reduce(f, op, out=xp.zeros(2))": "out must be of shape (1,), not (2,)",
    "fr.reduce(f, op, out=xp.zeros(1, 'int8'))": "out must be an array of int32 or int64 or float32 or float64, not",
    "fr.neighbor_reduce(g, f, arc, out=[0, 0])": "out must be a ",
    "fr.neighbor_reduce(g, f, arc, out='x')": "out must be a ",
    "fr.neighbor_reduce(g, f, arc, out=xp.zeros(2))": "out must be of shape (6,), not (2,)",
    "fr.neighbor_reduce(g, f, arc, out=xp.zeros((6, 1)))": "out must be of shape (6,), not (6, 1)",
    "fr.neighbor_reduce(g, f, arc, out=xp.zeros(12)[::2])": "out must be contiguous",
    "fr.neighbor_reduce(g, f, arc, dtype='x')": "dtype: data type 'x' not understood",
    "fr.neighbor_reduce(g, [0], arc)": "frontier must be a Frontier, not list",
    "fr.neighbor_reduce(f, g, arc)": "graph must be a Graph, not Frontier",
    "fr.neighbor_reduce(nxg, None, arc)": "graph must be a Graph",
    "fr.advance(f, g, arc)": "graph must be a Graph, not Frontier",
    "fr.advance(nxg, f, arc)": "graph must be a Graph",
    "fr.advance(g, [0], arc)": "frontier must be a Frontier, not list",
    "fr.advance(g, None, arc)": "frontier must be a Frontier, not None",
    "fr.advance(other, f, arc)": "frontier belongs to another graph",
    "fr.advance(g, f, arc, direction='PUSH')": "direction must be one of 'auto', 'push', 'pull', not 'PUSH'",
    "fr.advance(g, f, arc, direction=None)": "direction must be one of 'auto', 'push', 'pull', not None",
    "fr.advance(g, f, arc, condition=3)": "condition must be a plain Python function, not int",
    "fr.advance(g, f, arc, prepare='x')": "prepare must be a plain Python function, not str",
    "fr.traverse(g, [0], arc)": "frontier must be a Frontier, not list",
    "fr.traverse(g, f, arc, max_steps='3')": "max_steps must be an integer, not str",
    "fr.traverse(g, f, arc, max_steps=-1)": "max_steps must be at least 0, got -1",
    "fr.traverse(g, f, arc, max_steps=1.5)": "max_steps must be an integer, not float",
    "fr.traverse(g, f, arc, max_arcs=-3)": "max_arcs must be at least 0, got -3",
    "fr.advanced.StepCounter('a')": "start must be an integer, not str",
    "fr.advanced.StepCounter(2**40)": "start must be an int32, got 1099511627776",
    "fr.sample_neighbors(g, [0], arc)": "frontier must be a Frontier, not list",
    "fr.sample_neighbors(g, f, arc, count='2')": "count must be an integer, not str",
    "fr.sample_neighbors(g, f, arc, count=0)": "count must be at least 1, or -1 for all neighbors, got 0",
    "fr.intersect(nxg, [0], [1])": "graph must be a Graph",
    "fr.intersect(g, [0], [99])": "vs[0] is 99, outside",
    "fr.intersect(g, [0], None)": "vs must contain numbers",
    "fr.intersect(g, 0, 1)": "us must be one-dimensional",
    "fr.intersect(g, [0], [1], 3)": "op must be a plain Python function, not int",
    "fr.advanced.intersect_arcs(nxg)": "graph must be a Graph",
    "fr.advanced.intersect_arcs(g, nxg)": "pairs must be a Graph",
    "fr.advanced.intersect_arcs(g, tally=[0] * 6)": "tally must be a ",
    "fr.advanced.intersect_arcs(g, tally=xp.zeros(6))": "tally must be an array of int64, not float64",
    "fr.advanced.intersect_arcs(g, tally=xp.zeros(12, int)[::2])": "tally must be contiguous",
    "fr.advanced.edge_support(nxg, g)": "up must be a static copy",
    "fr.extract_subgraph(nxg, arc)": "graph must be a Graph",
    "fr.extract_subgraph(arc, g)": "graph must be a Graph, not function",
    "fr.visit_edges(nxg, [0], [1], arc)": "graph must be a Graph",
    "fr.visit_edges(g, [0], 'a', arc)": "dst must contain numbers",
    "fr.SpMV(nxg)": "graph must be a Graph",
    "fr.SpMV(g, transpose='x')": "transpose must be True or False, not 'x'",
    "fr.SpMV(g, layout='copy')": "layout must be one of 'auto', 'native', 'csr', not 'copy'",
    "fr.SpMV(g, products=0)": "products must be at least 1, got 0",
    "fr.advanced.Orientation(nxg)": "graph must be a Graph",
    "fr.advanced.extract_neighbors(g, None, None, 3)": "arguments were given, but no op to hand them to",
    "fr.SpMV(g, weighted=3)": "weighted must be True or False, not 3",
    "fr.SpMV(g)([0] * 6)": "x must be a ",
    "fr.SpMV(g)(xp.zeros(3))": "x must be of shape (6,), not (3,)",
    "fr.SpMV(g)(xp.zeros(6, int))": "x must be an array of float32 or float64, not int64",
    "fr.SpMV(g)(xp.zeros(6), out=[0])": "out must be a ",
    "fr.SpMV(g).arrange([1])": "x must be a ",
    "fr.SpMV(g).restore(xp.zeros(3))": "y must be of shape (6,), not (3,)",
    "g.neighbors(99)": "v is 99, outside",
    "g.neighbors(5)": "v is 5, a vertex that was deleted",
    "g.attach(None)": "observer must be an UpdateObserver, not None",
    "g.attach(g)": "observer must be an UpdateObserver, not ",
    "g.detach(3)": "observer must be an UpdateObserver, not int",
}


@pytest.fixture
def names(structure, device):
    src, dst = [0, 1, 2], [1, 2, 0]
    g = structure.from_edges(src, dst, num_vertices=6, device=device)
    g.delete_vertices([5])
    w = g
    if structure.can_store_weights:
        w = structure.from_edges(src, dst, np.array([1, 2, 3], np.float32), device=device)
    return {
        "g": g, "w": w, "other": g.copy(), "empty": structure(0, device=device), "f": fr.Frontier(g, [0, 1]),
        "nxg": networkx.path_graph(4), "xp": g.xp, "op": lambda v: 1, "arc": lambda src, dst, edge, weight: 1, "fr": fr,
        **{name: getattr(algorithms, name) for name in algorithms.__all__},
    }  # fmt: skip


@pytest.mark.parametrize("call", MISTAKES)
def test_mistakes(names, call):
    """One line, which starts with the argument."""
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(MISTAKES[call])}") as caught:
        eval(call, names)
    assert "\n" not in str(caught.value)


def test_arrays_of_the_other_device(names):
    if not names["g"].device.is_gpu:
        pytest.skip("there is no other one that is sure to be there")
    on_cpu = np.zeros(6)
    for call in (
        lambda: fr.neighbor_reduce(names["g"], None, names["arc"], out=on_cpu),
        lambda: fr.reduce(names["f"], names["op"], out=on_cpu[:1]),
    ):
        with pytest.raises(TypeError, match=r"out must be a cupy array, as .* on the GPU, not numpy\.ndarray"):
            call()
    with pytest.raises(TypeError, match="x must be a cupy array"):
        fr.SpMV(names["g"])(on_cpu)


def test_outputs_that_cannot_be_written(names):
    g = names["g"]
    if g.device.is_gpu:
        pytest.skip("CuPy has no read-only arrays")
    for call in (
        lambda out: fr.neighbor_reduce(g, None, names["arc"], out=out),
        lambda out: fr.reduce(names["f"], names["op"], out=out[:1]),
        lambda out: fr.SpMV(g)(np.zeros(6), out=out),
    ):
        with pytest.raises(ValueError, match="out must be an array that can be written"):
            call(g.device.read_only(np.zeros(6)))


def mark(src, dst, edge, weight):
    return True


@pytest.mark.parametrize("bad", [[2**32], [2**40], [0, 2**63 - 1], np.array([6], np.int32)])
def test_visited_ids_that_another_type_would_make_good(structure, device, bad):
    """2**32 is 0 as an int32."""
    graph = structure.from_edges([0], [1], num_vertices=6, device=device)
    for ends in ((bad, [1] * len(bad)), ([0] * len(bad), bad)):
        with pytest.raises(ValueError, match=r"1 of the . arcs in src and dst name ids outside"):
            fr.visit_edges(graph, *ends, mark)
    assert not len(fr.visit_edges(graph, [-(2**32), -1], [1, 1], mark))  # entries to be skipped


@pytest.mark.parametrize("ids", [np.array([2**63 + 5], np.uint64), [-1], ["ada"], np.array([1, "a"], object)[1:],
                                 [2**70], [1.5]], ids=str)  # fmt: skip
def test_ids_that_are_names(structure, device, ids):
    """Users who name vertices by hashes, negative numbers or words learn how to get ids."""
    graph = structure.from_edges([0], [1], num_vertices=6, device=device)
    calls = [lambda: structure.from_edges(ids, [1], device=device), lambda: graph.has_edges([1], ids)]
    if hasattr(graph, "insert_edges"):
        calls += [lambda: graph.insert_edges(ids, [1]), lambda: graph.delete_edges([1], ids)]
    for call in calls:
        with pytest.raises((TypeError, ValueError), match=r"fr\.VertexNames .*frontier\.io\.from_table") as caught:
            call()
        assert "insert_vertices" not in str(caught.value)


@pytest.mark.parametrize("weights, words", [
    ([1, np.nan, 1], "weights[1] is NaN; there is one NaN in the batch"),
    ([np.nan, 1, np.nan], "weights[0] is NaN; there are 2 NaNs in the batch"),
])  # fmt: skip
def test_weights_that_are_no_numbers(device, weights, words):
    graph = fr.structures()["slab"](6, weight_dtype="float32", device=device)
    with pytest.raises(ValueError) as caught:
        graph.insert_edges([0, 1, 2], [1, 2, 3], weights)
    assert words in str(caught.value) and graph.num_edges == 0


@pytest.mark.parametrize("largest", [10**12, 2**62])
def test_ids_with_gaps_too_wide(structure, device, largest):
    """Who has such ids learns how to renumber them."""
    words = r"num_vertices|ids up to \d+, and there is no memory.*from_table\(.*compact=True"
    with pytest.raises((MemoryError, ValueError), match=words):
        structure.from_edges([0, largest], [1, 2], device=device)
    records = fr.io.from_table({"src": np.array([0, largest]), "dst": np.array([1, 2])}, compact=True)
    assert structure.from_edges(records.src, records.dst, device=device).num_vertices == 4
