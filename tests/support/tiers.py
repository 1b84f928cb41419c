"""The test cases of each tier: the first, which answers while the developer waits, ``--all``, and ``--long``.

Compilation dominates the time on a CPU: kernels are compiled for each structure, type and functor. The tiers differ in
their shares of the products of parameters:

* ``--long`` runs every case, and random tests try far more.
* ``--all`` leaves out the cases that the mark ``sampled`` specifies, in tests to which a structure matters little.
  Tests of updates run every product of the other parameters on every structure. Other tests run these on one structure,
  and on the others enough cases to meet every value of a parameter. Files that reach a structure through its neighbor
  iterator only (`THROUGH_ITERATORS`) have two structures each, or one if they share kernels. `ON_EVERY` has all.
* The first tier runs enough of these cases for each test to meet every value of its own parameters. Each file meets
  every value of fixtures for which kernels are compiled. Tests of updates, which each structure makes itself, meet all
  structures. Other tests reach a structure through its neighbor iterator only, and have one: files that call algorithms
  or test the core the same, other files one each. Tests marked ``slow`` run with ``--all``, as do cases that need a GPU
  on machines without one.

Each tier contains the one before. On a GPU, whose kernels depend on few parameters, all cases run in each tier.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

import pytest

from algorithms import analytics
from frontier.core.structures import structures
from frontier.runtime import gpu_available

STRUCTURES = structures()
UPDATES = (
    "test_operations_build", "test_operations_delete", "test_operations_insert", "test_operations_large",
    "test_operations_memory", "test_operations_query", "test_operations_weights", "test_small_updates",
    "test_medium_updates", "test_stateful", "test_save_copy", "test_load_hostile", "test_vertices", "test_statistics",
)  # fmt: skip
"""Test files of each structure's own functions, like the files in tests/structures."""
TWO = ("gpma", "lpma"), ("slab", "hornet", "graphvine", "faimgraph")
"""Structures with sorted rows, and without."""
THROUGH_ITERATORS = ("algorithms", "functor", "operators", "interchange")
"""Folders whose tests are as if marked ``sampled(by="file")``, unless marked otherwise without sharing kernels."""
ON_EVERY = ("test_catalogue", "test_operators")
"""Their files with tests on every structure: of every algorithm, and of every operator."""
BY_FILE = pytest.mark.sampled(by="file").mark
COMPILED_FOR = ("directed", "orientation", "weight_dtype")
"""Fixtures of tests/conftest.py for each of whose values kernels are compiled."""
TYPES = {"vertex_dtype"}
"""Parameters for each of whose values all kernels of a structure are compiled."""
ANALYTICS = {**analytics(), **analytics(times=True)}
SHARED, USUAL = "shared", "slab"
"""The subject of tests that share compiled kernels, and their structure."""
DTYPES = ("int32", "float32", "int64", "float64")


def chosen(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """The cases of the tier that the options ask for, in their order."""
    if config.getoption("--long"):
        return items
    items = with_products_on_one_structure(drawn(items))
    return first_tier(items) if is_first(config) else items


def is_first(config: pytest.Config) -> bool:
    """Whether the options ask for the first tier."""
    return not config.getoption("--all") and not config.getoption("--long")


# ---- --all -----------------------------------------------------------------------------------------------------------


def drawn(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases that run without ``--long``. The marks ``sampled`` draw them. A test without a drawn case, such as one
    for few structures, runs on one structure."""
    kept = {item for item in items if is_drawn(item)}
    for cases in grouped(items, test_of).values():
        if kept.isdisjoint(cases):
            kept.update(of_one_structure(cases))
    return [item for item in items if item in kept]


def is_drawn(item: Any) -> bool:
    """Whether a case runs without ``--long``, according to its marks ``sampled``."""
    marks = list(item.iter_markers("sampled"))
    through_iterator = item.path.parent.name in THROUGH_ITERATORS and item.path.stem not in ON_EVERY
    if through_iterator and (not marks or subject_of(item) == SHARED):  # else a value might meet none of the structures
        marks.append(BY_FILE)
    return all(is_drawn_by(mark, item) for mark in marks)


def is_drawn_by(mark: pytest.Mark, item: Any) -> bool:
    """Whether a mark has a case run: ``sampled(*parameters, of=n)`` or ``sampled(by="file")``.

    With the first, every value of the parameters is tried on one in n structures, and every structure with one in n
    values. Use it if structures and types or functors do not depend on each other. Cases in which all these parameters
    are None, such as graphs without weights, are run on all. ``on="cpu"``: on a GPU all are.

    With the second, `structures_by_file` names the structures on the CPU. It is for tests to which a structure matters
    little.

    Tests that share kernels are always run on the structure that they share, for the first tier, unless they are slow.
    """
    case, by_file = parameters(item), mark.kwargs.get("by") == "file"
    device = case.get("device", "cpu")
    if not case or mark.kwargs.get("on", "cpu" if by_file else device) != device:
        return True
    structure = STRUCTURES.get(structure_of(item) or "", case.get("structure"))
    slow = any(item.iter_markers("slow"))
    if not slow and structure is STRUCTURES[USUAL] and not of_updates(item.path) and subject_of(item) == SHARED:
        return True
    if by_file:
        return structure is None or structure in [STRUCTURES[name] for name in structures_by_file(item)]
    values = [case[name] for name in mark.args]
    if values and all(value is None for value in values):
        return True
    text = "-".join(getattr(value, "__name__", str(value)) for value in values)
    place = DTYPES.index(text) if text in DTYPES else crc32(text.encode())
    return (place + list(STRUCTURES.values()).index(structure)) % mark.kwargs["of"] == 0


def structures_by_file(item: Any) -> list[str]:
    """The usual structure for cases that share kernels, and two drawn ones for the file of another case."""
    if subject_of(item) == SHARED:
        return [USUAL]
    place = crc32(item.path.stem.encode())
    return [group[place % len(group)] for group in TWO]


def with_products_on_one_structure(items: list[pytest.Item]) -> list[pytest.Item]:
    """All cases on a GPU, and on the usual structure of a test's subject. On a CPU, other structures omit cases whose
    parameters have values that further cases on the structure have. Tests of updates have all cases on every structure.
    """
    kept = set(items)
    for cases in grouped(items, test_and_sampled).values():
        if of_updates(cases[0].path) or parameters(cases[0]).get("device", "cpu") != "cpu":
            continue
        by_structure = grouped(cases, structure_of)
        by_structure.pop(None, None)
        usual = usual_structure(subject_of(cases[0]), by_structure)
        for structure, on_it in by_structure.items():
            if structure != usual:
                kept -= set(on_it)
                kept.update(covering(on_it, Met()))
    return [item for item in items if item in kept]


def usual_structure(subject: str, found: Iterable[Any]) -> str | None:
    """The one of the structures found for a subject: the same for all tests that share kernels."""
    turn = list(STRUCTURES)
    first = turn.index(USUAL) if subject == SHARED else crc32(subject.encode())
    return min(found, key=lambda name: (turn.index(name) - first) % len(turn), default=None)


def test_and_sampled(item: pytest.Item) -> Hashable:
    """The group of a case: its test, and the values by which the marks ``sampled`` draw structures."""
    drawn_by = [name for mark in item.iter_markers("sampled") for name in mark.args]
    return (*test_of(item), *(id(parameters(item)[name]) for name in drawn_by))


def parameters(item: Any) -> dict[str, Any]:
    """The parameters of a case, by name."""
    return item.callspec.params if hasattr(item, "callspec") else {}


# ---- the first tier --------------------------------------------------------------------------------------------------


def first_tier(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases of the first tier, given the cases of ``--all``."""
    of_gpu = {item for item in items if gpu_available() and item.get_closest_marker("gpu")}
    others = [item for item in items if item not in of_gpu and not item.get_closest_marker("slow")]
    kept = set(of_gpu)
    for cases in grouped(others, lambda item: item.path).values():
        kept.update(of_file(cases))
    return [item for item in items if item in kept]


def of_file(items: list[pytest.Item]) -> Iterable[pytest.Item]:
    """The cases of one file: in each test every value of every parameter, in the file every value of `COMPILED_FOR`.

    Tests of updates meet the values of `COMPILED_FOR`, too, on every structure: each operation treats them otherwise.
    """
    met = Met()
    for cases in grouped(of_one_structure(items), test_and_structure).values():
        yield from covering(cases, Met() if of_updates(cases[0].path) else met)


def of_one_structure(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases on one structure for each subject, and all cases of updates.

    Files that share kernels have the same structure, and all further files one each, so kernels are compiled once. A
    test marked ``sampled`` is on structures that it is drawn for.
    """

    kept: set[pytest.Item] = set()
    for cases in grouped(items, lambda item: (test_and_sampled(item), subject_of(item))).values():
        found = {structure_of(item) for item in cases}
        if not of_updates(cases[0].path) and found <= set(STRUCTURES):
            found = {usual_structure(subject_of(cases[0]), found)}
        kept.update(item for item in cases if structure_of(item) in found)
    return [item for item in items if item in kept]


def of_updates(path: Path) -> bool:
    """Whether a file tests what each structure does itself."""
    return path.parent.name == "structures" or path.stem in UPDATES


def subject_of(item: pytest.Item) -> str:
    """`SHARED` for files that call algorithms or test the core, else the subject in the name of a case's file."""
    named = (parameters(item).get(name) for name in ("name", "form", "analytic", "algorithm"))
    if any(isinstance(name, str) and name in ANALYTICS for name in named):
        return SHARED
    if item.path.parent.name in ("algorithms", "core") or calls_algorithms(getattr(item, "module", None)):
        return SHARED
    return item.path.stem.removeprefix("test_")


@cache
def calls_algorithms(module: ModuleType | None) -> bool:
    """Whether a test module has imported a name from an algorithm."""
    names = vars(module).values() if module else ()
    return any(str(getattr(value, "__module__", "")).startswith("algorithms.") for value in names)


def test_and_structure(item: pytest.Item) -> Hashable:
    """The group of a case: its test and structure, or only its test if its kernels are compiled for types."""
    return (*test_of(item), None if TYPES & parameters(item).keys() else structure_of(item))


class Met:
    """Values of `COMPILED_FOR` that tests of a file have met, and their combinations."""

    def __init__(self) -> None:
        self.values: set[Hashable] = set()
        self.combinations: set[Hashable] = set()

    def add(self, values: set[Hashable]) -> None:
        self.values |= values
        self.combinations.add(frozenset(values))


def covering(cases: list[pytest.Item], met: Met) -> list[pytest.Item]:
    """Few of the cases of one test, such that every value of every parameter is in one of them, or is met."""
    values = {item: {(name, id(value)) for name, value in parameters(item).items()} for item in cases}
    compiled = {item: {value for value in values[item] if value[0] in COMPILED_FOR} for item in cases}
    if all(len(values[item]) <= 1 and not compiled[item] for item in cases):  # each has a different value
        return cases
    missing = set().union(*values.values()) - met.values
    kept: list[pytest.Item] = []
    while missing or not kept:
        best = max(cases, key=lambda item: (len(values[item] & missing), compiled[item] in met.combinations))
        missing -= values[best]
        met.add(compiled[best])
        kept.append(best)
    return kept


def test_of(item: pytest.Item) -> tuple[Hashable, ...]:
    """The test that a case is of, on its device."""
    return item.path, getattr(item, "originalname", item.name), parameters(item).get("device")


def structure_of(item: pytest.Item) -> str | None:
    """The name of the structure that a case is on."""
    values = parameters(item)
    structure = values.get("structure", values.get("name"))
    name = getattr(structure, "name", structure)
    return name if name in STRUCTURES else None


def grouped(items: list[pytest.Item], key: Callable[[pytest.Item], Hashable]) -> dict[Hashable, list[pytest.Item]]:
    found: dict[Hashable, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
