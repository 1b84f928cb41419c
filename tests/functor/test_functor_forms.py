"""Every operator looks at the form of every function it is given, before it compiles or runs anything."""

import os
import subprocess
import sys

import numpy as np
import pytest

import frontier as fr
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import CSR


def arc(src, dst, edge, weight):
    return True


def vertex(v):
    return v


def no_result(v):
    v + 1


def all_of(graph):
    return fr.Frontier.all(graph)


# Arguments of each operator in a call with a non-function, its name for the functor, and the functor's number of
# parameters.
CALLS = {
    "advance": (lambda g, f, *args: fr.advance(g, all_of(g), f, *args), "op", 4),
    "advance, condition": (lambda g, f, *args: fr.advance(g, all_of(g), _arc_with(args), *args, condition=f),
                           "condition", 1),
    "advance, prepare": (lambda g, f, *args: fr.advance(g, all_of(g), _arc_with(args), *args, prepare=f), "prepare", 1),
    "traverse": (lambda g, f, *args: fr.traverse(g, all_of(g), f, *args), "op", 4),
    "traverse, condition": (lambda g, f, *args: fr.traverse(g, all_of(g), _arc_with(args), *args, condition=f),
                            "condition", 1),
    "filter": (lambda g, f, *args: fr.filter(all_of(g), f, *args), "op", 1),
    "compute": (lambda g, f, *args: fr.compute(all_of(g), f, *args), "op", 1),
    "reduce": (lambda g, f, *args: fr.reduce(all_of(g), f, *args), "op", 1),
    "neighbor_reduce": (lambda g, f, *args: fr.neighbor_reduce(g, None, f, *args), "op", 4),
    "visit_edges": (lambda g, f, *args: fr.visit_edges(g, [0], [1], f, *args), "op", 4),
    "sample_neighbors": (lambda g, f, *args: fr.sample_neighbors(g, all_of(g), f, *args), "op", 4),
    "extract_subgraph": (lambda g, f, *args: fr.extract_subgraph(g, f, *args), "op", 4),
    "intersect": (lambda g, f, *args: fr.intersect(g, [0], [1], f, *args), "op", 5),
}  # fmt: skip


def _arc_with(args):
    return arc if not args else lambda src, dst, edge, weight, x: True


@pytest.fixture
def graph(device):
    return CSR.from_edges([0, 1], [1, 2], device=device)


@pytest.mark.parametrize("name", CALLS)
def test_wrong_functors(graph, name):
    call, called, parameters = CALLS[name]
    for wrong in (len, np.add, 3, "op", type):
        with pytest.raises(fr.FunctorError, match=rf"^{called}\b.* plain Python function"):
            call(graph, wrong)
    few = eval(f"lambda {', '.join('abcde'[: parameters - 1])}: True")
    many = eval(f"lambda {', '.join('abcdef'[: parameters + 1])}: True")
    for wrong in (few, many):
        with pytest.raises(fr.FunctorError, match=rf"^{called}\b.*parameters, but is called with"):
            call(graph, wrong)
    with pytest.raises(fr.FunctorError, match="1 more"):
        call(graph, eval(f"lambda {', '.join('abcde'[:parameters])}: True"), graph.xp.zeros(3))


@pytest.mark.parametrize("options, error, words", [
    ({"reduce": "mean"}, ValueError, "reduce must be"),
    ({"dtype": "int8"}, TypeError, "dtype must be"),
    ({"out": [0]}, (TypeError, ValueError), "out must be"),
])  # fmt: skip
def test_wrong_options_of_reduce(graph, options, error, words):
    with pytest.raises(error, match=words):
        fr.reduce(all_of(graph), vertex, **options)
    with pytest.raises(ValueError, match="out"):
        fr.reduce(all_of(graph), vertex, out=graph.xp.zeros(2))


def test_a_number_must_be_returned(graph):
    with pytest.raises(fr.FunctorError, match="return"):
        fr.reduce(all_of(graph), no_result)


LACKING = """
import sys
import numpy
from frontier.functor import cuda_functor  # with numba, which knows all names
others = numpy.__getattr__
def lacking(name):
    if name == sys.argv[1]:
        raise AttributeError(name)
    return others(name)
vars(numpy).pop(sys.argv[1], None)
if sys.argv[1] in numpy.__all__:
    numpy.__all__.remove(sys.argv[1])
numpy.__getattr__ = lacking
def twice(v):
    return 2 * v
kind = numpy.dtype("int32")
cuda_functor(twice, "op", kind, ((kind, 0),), (9, 0))
assert not hasattr(numpy, sys.argv[1])
"""


def compiled_without(name, folder):
    """A process that compiles a functor for GPUs where NumPy lacks this name."""
    pytest.importorskip("numba_cuda")  # Numba has a module numba.cuda without it
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT), "DYNFRONTIER_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", LACKING, name]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_names_that_numpy_dropped_are_there_for_numba_cuda(tmp_path):
    """NumPy 2.5 has no row_stack, which releases of numba-cuda import."""
    done = compiled_without("row_stack", tmp_path)
    assert done.returncode == 0, done.stderr


def test_versions_that_do_not_go_together_are_named(tmp_path):
    done = compiled_without("column_stack", tmp_path)
    assert "ImportError: numba-cuda" in done.stderr and "install an older NumPy" in done.stderr
