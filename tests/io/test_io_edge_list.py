import ast
from pathlib import Path

import numpy as np
import pytest

import frontier.io
from frontier.io import EdgeList


def test_narrows_to_int32_and_counts_vertices():
    edges = EdgeList([0, 3], [1, 2])
    assert edges.src.dtype == edges.dst.dtype == np.int32
    assert (edges.num_vertices, len(edges), edges.num_records) == (4, 2, 2)
    assert edges.weights is None and edges.times is None and edges.ids is None and edges.directed is None


@pytest.mark.parametrize(("largest", "dtype"), [(2**31 - 1, np.int32), (2**31, np.int64)])
def test_dtype_at_the_int32_border(largest, dtype):
    edges = EdgeList([0], [largest])
    assert edges.dst.dtype == dtype
    assert edges.dst[0] == largest
    assert edges[:0].src.dtype == dtype


def test_empty():
    edges = EdgeList([], [])
    assert len(edges) == 0 and edges.num_vertices == 0
    assert list(edges.batches(3)) == []
    assert edges.compact().num_vertices == 0


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"src": [0], "dst": [1, 2]}, ValueError, "dst has shape"),
        ({"src": [0], "dst": [1], "weights": [1.0, 2.0]}, ValueError, "weights has shape"),
        ({"src": [[0]], "dst": [[1]]}, ValueError, "one-dimensional"),
        ({"src": [-1], "dst": [1]}, ValueError, "negative"),
        ({"src": [0], "dst": [5], "num_vertices": 5}, ValueError, "vertex 5 is not below num_vertices = 5"),
        ({"src": [0.5], "dst": [1]}, TypeError, "integers"),
        ({"src": [0], "dst": [1], "ids": [7]}, ValueError, "ids has shape"),
        ({"src": [0], "dst": [1], "operation": "update"}, ValueError, "operation"),
        ({"src": [], "dst": [], "num_vertices": -1}, ValueError, "num_vertices"),
    ],
)
def test_rejects(arguments, error, text):
    with pytest.raises(error, match=text):
        EdgeList(**arguments)


def test_batches_are_slices():
    edges = EdgeList(np.arange(7), np.arange(7)[::-1], weights=np.arange(7) / 2, times=np.arange(7))
    batches = list(edges.batches(3))
    assert [len(b) for b in batches] == [3, 3, 1]
    assert all(b.num_vertices == 7 for b in batches)
    assert np.shares_memory(batches[1].weights, edges.weights)
    assert np.array_equal(np.concatenate([b.dst for b in batches]), edges.dst)
    with pytest.raises(ValueError, match="at least one"):
        edges.batches(0)
    with pytest.raises(TypeError, match="slices"):
        edges[0]


def test_sorted_by_time_is_stable():
    edges = EdgeList([0, 1, 2, 3], [0, 0, 0, 0], times=[5, 1, 5, 1])
    assert edges.sorted_by_time().src.tolist() == [1, 3, 0, 2]
    assert edges.sorted_by_time().sorted_by_time().src.tolist() == [1, 3, 0, 2]
    with pytest.raises(ValueError, match="no times"):
        EdgeList([0], [1]).sorted_by_time()


@pytest.mark.parametrize("scale", [1, 10**9])  # both ways of renumbering
def test_compact_and_compact_again(scale):
    edges = EdgeList(np.array([7, 3, 7]) * scale, np.array([3, 9, 7]) * scale)
    once = edges.compact()
    assert once.ids.tolist() == [3 * scale, 7 * scale, 9 * scale]
    assert once.src.tolist() == [1, 0, 1] and once.dst.tolist() == [0, 2, 1]
    assert once.src.dtype == np.int32
    assert np.array_equal(once.ids[once.src], edges.src)
    assert once[1:2].compact().ids.tolist() == [3 * scale, 9 * scale]


def test_repr_is_short():
    assert repr(EdgeList([0], [1], weights=[1.0], directed=True)) == (
        "EdgeList(1 records, 2 vertices, directed, with weights)"
    )


def test_package_is_a_leaf():
    """But for how files are replaced and kernels compiled, which all that do share."""
    allowed = {"numpy", "numba", "scipy", "pyarrow", "isal"}
    import sys

    for file in Path(frontier.io.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                if node.level == 1:
                    continue
                assert node.level == 0
                names = [node.module]
            else:
                continue
            for name in names:
                if name in ("frontier.runtime.arrays", "frontier.runtime", "frontier.runtime.atomic_file"):
                    continue
                top = name.split(".")[0]
                assert top in allowed or top in sys.stdlib_module_names, f"{file.name} imports {name}"
