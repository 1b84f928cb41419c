"""Bad input raises, says which argument is wrong, and leaves the graph as it was."""

import re
from datetime import datetime

import numpy as np
import pytest
from model import make, snapshot

GOOD = [0, 1]

# What is wrong with ids, and the words that say so.
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
    """Vertices 0 to 5, of which 5 has been deleted."""
    pair = make(structure, device, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5], num_vertices=6, directed=directed)
    pair.delete_vertices([5])
    return pair.graph


@pytest.fixture
def weighted(structure, device):
    return make(structure, device, [0, 1, 2], [1, 2, 3], np.array([1, 2, 3], np.float32)).graph


def refused(graph, words, call, *args, **options):
    """`call` raises what a user can act on, and `graph` is exactly as it was."""
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
    """A self-loop would be dropped, but not before its id was looked at."""
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
    """Where the number of vertices is to be read off the ids."""
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
