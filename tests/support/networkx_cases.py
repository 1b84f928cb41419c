"""Graphs for the NetworkX backend, and NetworkX's own functions.

A test module that imports all names from here has the fixtures, and the backend configured for the device of each test.
"""

from __future__ import annotations

import inspect
import random

import networkx as nx
import pytest

import dynfrontier.nx as dn
from dynfrontier.nx.dispatching import ensure_registered
from dynfrontier.nx.info import NAME

__all__ = ["_config", "as_given"]

ensure_registered()
REGISTERED = nx.utils.backends._registered_algorithms


def original(name):
    return REGISTERED[name].orig_func


@pytest.fixture(params=["converted", "mutable"])
def as_given(request, device):
    """A function that gives a NetworkX graph to the backend: as it is, or as a graph of this package.

    Both in the same structure, so each kernel is compiled once.
    """
    if request.param == "mutable":
        return lambda graph: (dn.DiGraph if graph.is_directed() else dn.Graph)(graph, device=device, structure="csr")
    return lambda graph: graph


@pytest.fixture(autouse=True)
def _config(request):
    where = request.getfixturevalue("device") if "device" in request.fixturenames else "cpu"
    with nx.config.backends[NAME](device=where), nx.config(warnings_to_ignore={"cache"}):
        yield


def named():
    """An undirected graph with nodes of several kinds, some isolated, not in the order of its edges."""
    graph = nx.Graph()
    graph.add_nodes_from(["z", (1, 2), 3, "a", 2.5, frozenset("f"), "lonely"])
    graph.add_weighted_edges_from([("a", 3, 2), (3, "z", 4), ("z", "a", 1), (2.5, (1, 2), 3), ("z", (1, 2), 9)])
    return graph


def directed():
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3), (4, 3), (5, 5)])
    graph.add_node("lonely")
    return graph


def assert_python(value):
    """No number of NumPy's is in a result, at any depth."""
    assert not type(value).__module__.startswith(("numpy", "cupy"))
    if isinstance(value, dict):
        for item in value.values():
            assert_python(item)
    elif isinstance(value, list | tuple | set):
        for item in value:
            assert_python(item)


def answer(function, graph, *arguments, **options):
    """The result of a function of NetworkX, of a generator as a dict, or the type of the error that it raises."""
    try:
        found = function(graph, *arguments, **options)
        return dict(found) if inspect.isgenerator(found) else found
    except (nx.NetworkXException, ValueError) as error:
        return type(error)


def drawn(seed, kind=nx.Graph, *, nodes=40):
    """A random graph whose nodes are not in the order of their names or edges, with self-loops, and parallel edges."""
    rng = random.Random(seed)
    names = rng.sample(range(1000), rng.randrange(2, nodes))
    graph = kind()
    graph.add_nodes_from(names)
    for _ in range(rng.randrange(3 * len(names))):
        u, v = rng.choice(names), rng.choice(names)
        for _ in range(rng.randrange(1, 4)):
            graph.add_edge(u, v, **({"weight": rng.choice([0, 1, 2, 5, 2.5])} if rng.random() < 0.7 else {}))
    return graph
