"""Functors that check their indices, and functors that are run by Python."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import frontier as fr
from algorithms import DynamicTriangleCount, bfs, connected_components, pagerank, sssp
from frontier.runtime import gpu_available
from structures import CSR, SlabGraph

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(device):
    return CSR.from_edges(range(9), range(1, 10), np.arange(1, 10, dtype=np.float32), device=device)


def read(src, dst, edge, weight, x, bound):
    return x[dst] < bound


def write(v, x):
    x[v + 1] = 0


def change(v, x):
    x[v] += 1


def add(v, x):
    fr.atomic_add(x, 2 * v, 1)


def element(x, i):
    return x[i]


def through(v, x):
    return element(x, v) >= 0


def alias(v, x):
    y = x
    return y[v - 1] >= 0


def nested(v, x, order):
    return x[order[v]] >= 0


CASES = {
    "read": (lambda g, f, x: fr.advance(g, f, read, x, 5), r"read\(\) reads x\[dst\] at index 9, but its length is 9"),
    "write": (lambda g, f, x: fr.compute(f, write, x), r"write\(\) writes x\[v \+ 1\] at index (9|10), but"),
    "change": (lambda g, f, x: fr.compute(f, change, x), r"change\(\) writes x\[v\] at index 9"),
    "atomic": (lambda g, f, x: fr.compute(f, add, x), r"add\(\) writes x\[2 \* v\] at index 1\d"),
    "helper": (lambda g, f, x: fr.filter(f, through, x), r"element\(\) reads x\[i\] at index 9, but its length is 9"),
    "alias": (lambda g, f, x: fr.filter(f, alias, x), r"alias\(\) reads y\[v - 1\] at index -1"),
    "lambda": (lambda g, f, x: fr.filter(f, lambda v, x: x[v] > 0, x), r"<lambda>\(\) reads x\[v\] at index 9"),
    "traverse": (
        lambda g, f, x: fr.traverse(g, f, read, x, 5, max_steps=1), r"read\(\) reads x\[dst\] at index 9"
    ),
    "condition": (
        lambda g, f, x: fr.advance(g, f, lambda s, d, e, w, x: True, x, condition=through), r"element\(\) reads x\[i\]"
    ),
    "reduce": (lambda g, f, x: fr.reduce(f, lambda v, x: x[v], x), r"reads x\[v\] at index 9"),
    "neighbor_reduce": (
        lambda g, f, x: fr.neighbor_reduce(g, None, lambda s, d, e, w, x: x[d], x), r"reads x\[d\] at index 9"
    ),
    "visit": (lambda g, f, x: fr.visit_edges(g, [0], [5], lambda s, d, e, w, x: x[e] > 0, x), r"x\[e\] at index -1"),
    "intersect": (
        lambda g, f, x: fr.intersect(g, [0], [2], lambda u, v, w, a, b, x: fr.atomic_add(x, w + 20, 1), x),
        r"x\[w \+ 20\] at index 21",
    ),
    "sample": (lambda g, f, x: fr.sample_neighbors(g, f, read, x, 5), r"x\[dst\] at index 9"),
    "extract": (lambda g, f, x: fr.extract_subgraph(g, read, x, 5), r"x\[dst\] at index 9"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_indices_outside_are_found(path, case, dtype):
    run, message = CASES[case]
    everyone = fr.Frontier.all(path)
    short = path.xp.zeros(9, dtype)
    with fr.checking():
        with pytest.raises(fr.FunctorIndexError, match=message) as caught:
            run(path, everyone, short)
        assert "test_checking.py" in str(caught.value)
        run(path, everyone, path.xp.zeros(40, dtype)) if case not in ("alias", "visit") else None


def test_empty_arrays_are_checked(path):
    with fr.checking(), pytest.raises(fr.FunctorIndexError, match="its length is 0"):
        fr.compute(fr.Frontier.all(path), write, path.xp.zeros(0, np.int32))


def test_the_inner_of_two_indices_is_checked_first(path):
    everyone = fr.Frontier.all(path)
    x, order = path.xp.zeros(10), path.xp.arange(10)
    with fr.checking():
        assert len(fr.filter(everyone, nested, x, order)) == 10
        with pytest.raises(fr.FunctorIndexError, match=r"reads order\[v\]"):
            fr.filter(everyone, nested, x, order[:5].copy())
        order[3] = 10
        with pytest.raises(fr.FunctorIndexError, match=r"reads x\[order\[v\]\] at index 10, but its length is 10"):
            fr.filter(everyone, nested, x, order)


def test_functors_keep_their_meaning_when_checked(path):
    everyone = fr.Frontier.all(path)
    bound = 3
    with fr.checking():
        assert len(fr.filter(everyone, lambda v, x, low=2: x[v] + low > bound, path.xp.arange(10))) == 8
        bound = 5
        assert len(fr.filter(everyone, lambda v, x, low=2: x[v] + low > bound, path.xp.arange(10))) == 6
    assert len(fr.filter(everyone, lambda v, x: x[v] > bound, path.xp.arange(10))) == 4


@pytest.mark.slow
@pytest.mark.parametrize("structure", [CSR, SlabGraph], ids=["csr", "slab"])  # each compiles everything once more
def test_algorithms_stay_inside_their_arrays(structure, device):
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 60, (2, 300))
    graph = structure.from_edges(src, dst, rng.random(300, dtype=np.float32), num_vertices=60, device=device)
    want = bfs(graph, 1).distance.tolist(), float(pagerank(graph).pagerank.sum()), sssp(graph, 1).distance.tolist()
    with fr.checking():
        assert bfs(graph, 1).distance.tolist() == want[0]
        assert float(pagerank(graph).pagerank.sum()) == pytest.approx(want[1])
        assert sssp(graph, 1).distance.tolist() == want[2]
        assert connected_components(graph).labels.size == 60
        if isinstance(graph, fr.DynamicGraph):
            triangles = DynamicTriangleCount(graph)
            graph.insert_edges(src[::-1], dst)
            graph.delete_edges(src, dst)
            assert triangles.total == DynamicTriangleCount(graph).total


def test_source_that_is_not_there_is_said_so(path):
    names = {}
    exec("def op(v, x):\n    return x[v] > 0\n", names)
    with fr.checking(), pytest.raises(fr.FunctorError, match=r"op\(\) cannot be checked: its source"):
        fr.filter(fr.Frontier.all(path), names["op"], path.xp.zeros(10))


@pytest.mark.slow
@pytest.mark.parametrize("op, arrays", [(read, 1), (write, 1), (add, 1), (through, 1), (nested, 2)])
def test_checked_functors_compile_for_gpus(op, arrays):
    pytest.importorskip("cuda.core")
    pytest.importorskip("numba.cuda")
    from frontier.functor import cuda_functor

    scalars = op.__code__.co_argcount - arrays - (op is read)
    int32, int64 = np.dtype(np.int32), np.dtype(np.int64)
    parameters = ((int32, False),) * scalars + ((int64, True),) * arrays + ((int64, False),) * (op is read)
    result = None if op in (write, add) else int32
    plain = cuda_functor(op, "op", result, parameters, (9, 0))
    assert plain != cuda_functor(op, "op", result, (*parameters, (int64, True)), (9, 0), checked=True)


SCRIPT = """
import numpy as np
import frontier as fr
from structures import CSR
g = CSR.from_edges([0, 1], [1, 2], device="cpu")
fr.compute(fr.Frontier.all(g), lambda v, x: x[v + 1], np.zeros(3))
"""


@pytest.mark.parametrize("setting", ["1", pytest.param("0", marks=pytest.mark.slow)])
def test_the_environment_variable(tmp_path, setting):
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = os.environ | {"DYNFRONTIER_CHECK": setting, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, tmp_path / "script.py"], env=environment, capture_output=True, text=True)
    assert (done.returncode != 0) == (setting == "1")
    assert ("reads x[v + 1] at index 3" in done.stderr) == (setting == "1")


def test_interpreted_functors_are_plain_python():
    graph = CSR.from_edges(range(9), range(1, 10), device="cpu")
    everyone = fr.Frontier.all(graph)
    seen = []
    with fr.interpreted():
        assert len(fr.advance(graph, everyone, lambda s, d, e, w: seen.append((int(s), int(d))) or d > 4)) == 5
        with pytest.raises(IndexError, match="out of bounds"):
            fr.filter(everyone, through, np.zeros(3))
        assert bfs(graph, 0).distance.tolist() == list(range(10))
    assert sorted(seen) == sorted([(i, i + 1) for i in range(9)] + [(i + 1, i) for i in range(9)])


def test_interpreted_functors_are_not_checked_as_well():
    everyone = fr.Frontier.all(CSR(9, device="cpu"))
    with fr.checking(), fr.interpreted():
        assert len(fr.filter(everyone, lambda v, x: x[v] > 3, np.arange(9))) == 5
        with pytest.raises(IndexError, match="out of bounds"):
            fr.filter(everyone, through, np.zeros(3))


@pytest.mark.slow
def test_kernels_that_are_first_imported_while_functors_are_interpreted_are_compiled():
    text = """if True:
        import sys
        import frontier as fr
        with fr.interpreted():
            from structures import Hornet
            graph = Hornet.from_edges([0, 1], [1, 2], device="cpu")
        module = sys.modules["frontier.core.batch.cpu"]
        print(hasattr(module.prepare, "py_func"))
    """
    output = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "True"


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="there is no GPU")
def test_functors_of_gpu_graphs_are_not_interpreted():
    graph = CSR.from_edges([0], [1], device="gpu")
    with fr.interpreted(), pytest.raises(ValueError, match="device='cpu'"):
        fr.filter(fr.Frontier.all(graph), lambda v: v > 0)
