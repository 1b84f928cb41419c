"""Lists of kernels name functors, and find them again (`frontier.operators.dispatch.requests`)."""

import json
from collections import defaultdict

import numpy as np
import pytest

from algorithms import bfs, requests
from algorithms._distance_functors import repair_functors
from algorithms.shortest_path_tree import unit_length, weight_length
from dynfrontier.prebuilt import requests as lists
from frontier.functor import CudaFunctor, functor_identity
from frontier.operators.dispatch.kernels import cuda_request
from frontier.operators.dispatch.requests import UnlistedError, request_of, request_text, value_of, value_text
from structures import CSR, SlabGraph


def again(value):
    return value_of(json.loads(json.dumps(value_text(value))))


def test_values_are_found_again():
    numbers = np.int64(5), np.float32(0.25)
    for value in (None, True, 3, 0.5, "x", (1, (2.0,)), np.dtype(np.int8), *numbers, bfs, unit_length):
        found = again(value)
        assert found == value and type(found) is type(value)


@pytest.mark.parametrize("length", [unit_length, weight_length])
def test_functors_that_functions_make_are_found_again(length):
    """They mean the same, so they share compiled code."""
    for functor in repair_functors(length):
        found = again(functor)
        assert functor_identity(found).digest == functor_identity(functor).digest


def test_functors_without_a_name_are_not_listed():
    array = np.zeros(3)
    for value in (array, [1], object()):
        with pytest.raises(UnlistedError):
            value_text(value)


@pytest.mark.parametrize("kind", [CSR, SlabGraph])
def test_requests_are_those_of_the_graph_at_hand(kind):
    def request(graph):
        functors = (("op", repair_functors(unit_length).relax, ("vertex", "vertex", "edge", "weight"), np.dtype(bool)),)
        return "header.cuh", *cuda_request(graph, functors, (), (("TILE_SIZE", "4"),))

    text = json.loads(json.dumps(request_text(CSR(2, device="cpu"), *request(CSR(2, device="cpu")))))
    header, defines, functors = request_of(kind(2, device="cpu"), text)
    expected = request(kind(2, device="cpu"))
    assert (header, defines) == expected[:2]
    for found, meant in zip(functors, expected[2], strict=True):
        assert isinstance(found, CudaFunctor) and found.name == meant.name


def test_functors_on_the_list_exist():
    """A constructor would leave out the kernels of renamed functors."""
    for listed in requests._listed()["requests"]:
        for functor in listed["functors"]:
            assert callable(value_of(functor["function"]))


def test_the_list_has_the_same_functors_for_every_structure():
    known = requests._listed()
    found = defaultdict(lambda: defaultdict(set))
    for key, numbers in known["of"].items():
        analytic, structure, *form = key.split()
        for functor in (functor for number in numbers for functor in known["requests"][number]["functors"]):
            name = functor["function"]["name"]
            if name != "frontier.operators.copies:leads":  # copies are made of some structures only
                found[analytic, *form][structure].add((name, functor["function"].get("nested")))
    for of_structures in found.values():
        first, *others = of_structures.values()
        assert all(other == first for other in others)


def test_the_list_has_products_of_static_copies():
    """Which only a GPU computes in a kernel of its own."""
    known = requests._listed()
    for key, numbers in known["of"].items():
        if key.split()[0] in ("DynamicPageRank", "DynamicKatzCentrality"):
            assert any(known["requests"][number]["header"].endswith("spmv.cuh") for number in numbers), key


@pytest.mark.slow
def test_the_list_is_up_to_date():
    """Otherwise ``python -m dynfrontier.prebuilt.requests`` makes it so."""
    known = requests._listed()
    for analytic, structure, form in (
        ("bfs", "slab", "none"),
        ("core_number", "csr", "none"),
        ("sssp", "slab", "float32"),
    ):
        kind = lists.Kind(analytic, structure, form, "undirected")
        key, texts = lists.rehearse(kind)
        listed = [known["requests"][number] for number in known["of"][key]]
        assert sorted(map(str, listed)) == sorted(map(str, json.loads(json.dumps(texts))))
