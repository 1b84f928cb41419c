"""Functors that walk a graph compile for GPUs, and link with the walks of each structure, without a GPU."""

from types import SimpleNamespace

import numpy as np
import pytest
from compile_cases import cuda_build
from functor_compilers import *  # noqa: F403

import frontier as fr
from frontier.functor import GraphArgument, GraphForm
from frontier.operators.dispatch.kernels import view_macros

pytest.importorskip("cuda.core")


def weighted_walks(v, graph, other, out):
    total = 0.0
    for u, edge, weight in fr.neighbors(graph, v):
        if u == 7:
            continue
        for w, _, _ in fr.neighbors(other, u):
            if fr.find_edge(graph, w, v) != edge:
                total += weight
    out[v] = total / fr.degree(other, v)


def as_argument(graph):
    """A graph as a kernel argument, without GPU memory."""
    weight = (graph.weight_dtype or np.dtype(np.float32)).name
    return GraphArgument(GraphForm(tuple(sorted(view_macros(graph).items())), weight), SimpleNamespace(data=None))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"weight_dtype": "float64"}, {"edge_data": {"amount": "float32"}}], ids=str)
def test_walks_of_one_graph_and_of_another(structure, options):
    from frontier.runtime.compile.cuda import compile_cubin

    if options and not structure.can_store_weights:
        pytest.skip("stores no weights")
    graph = structure(10, directed=True, device="cpu", **options)
    other = fr.structures()["hornet"](10, vertex_dtype="int64", device="cpu")
    args = as_argument(graph), as_argument(other), np.zeros(10)
    defines, codes = cuda_build(graph, (("op", weighted_walks, ("vertex",), None),), args, (), "sm_90")
    assert len(codes) == 3
    assert compile_cubin("frontier/operators/compute/compute.cuh", defines, codes, "sm_90")
