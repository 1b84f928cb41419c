"""The choice of cases for each tier (tests/support/tiers.py)."""

import importlib
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiers import STRUCTURES, Met, chosen, covering

CLASSES = list(STRUCTURES.values())


class Case:
    """As much of pytest's item as the choice reads."""

    def __init__(self, file, test, params, marks=()):
        self.path, self.name, self.originalname, self.marks = Path("tests", file), test, test, marks
        self.callspec = SimpleNamespace(params=params)

    def iter_markers(self, name):
        return [mark for mark in self.marks if mark.name == name]

    def get_closest_marker(self, name):
        return next(iter(self.iter_markers(name)), None)


def cases(file, test, marks=(), **values):
    """All products of the values of parameters."""
    return [Case(file, test, dict(zip(values, each, strict=True)), marks) for each in product(*values.values())]


def first(items):
    return chosen(items, SimpleNamespace(getoption=lambda _: False))


def values(items, name):
    return [item.callspec.params[name] for item in items]


def test_each_value_is_met_by_few_cases():
    items = cases("io/test_files.py", "test_read", kind=["a", "b", "c"], size=[1, 2], end=["", "\n"])
    kept = covering(items, Met())
    assert len(kept) == 3
    for name in ("kind", "size", "end"):
        assert set(values(kept, name)) == set(values(items, name))


def test_what_kernels_are_compiled_for_is_met_once_a_file():
    one, other = (cases("io/test_files.py", f"test_{at}", directed=[False, True], kind=["a", "b"]) for at in range(2))
    kept = first([*one, *other])
    assert set(values(kept[:2], "directed")) == {False, True}
    assert sorted(values(kept[2:], "kind")) == ["a", "b"]
    assert len(kept) == 4
    alone = cases("io/test_files.py", "test_2", directed=[False, True])
    assert len(first([*one, *alone])) == 3


def test_updates_are_on_all_structures_and_others_on_one():
    updates = cases("core/test_vertices.py", "test_rounds", structure=CLASSES, directed=[False, True])
    assert first(updates) == updates
    operators = cases("operators/test_match.py", "test_match", structure=CLASSES, kind=["a", "b"])
    assert len(set(values(first(operators), "structure"))) == 1


def test_what_shares_kernels_is_on_the_same_structure():
    named = cases("io/test_files.py", "test_results", structure=CLASSES, name=["bfs", "pagerank"])
    core = cases("core/test_view.py", "test_view", [pytest.mark.sampled(by="file").mark], structure=CLASSES)
    algorithms = cases("algorithms/test_bfs.py", "test_levels", structure=CLASSES)
    calling = cases("features/test_events.py", "test_paths", structure=CLASSES)
    for case in calling:
        case.module = importlib.import_module("algorithms.bfs")
    kept = first([*named, *core, *algorithms, *calling])
    assert {structure.name for structure in values(kept, "structure")} == {"slab"}


def test_types_are_on_few_structures():
    items = cases("core/test_vertices.py", "test_types", structure=CLASSES, vertex_dtype=["int32", "int64"])
    kept = first(items)
    assert len(kept) == len(CLASSES) and set(values(kept, "vertex_dtype")) == {"int32", "int64"}


@pytest.mark.parametrize("option", ["--all", "--long"])
def test_tiers_contain_the_one_before(option):
    marks = [pytest.mark.sampled(of=3).mark]
    slow = cases("io/test_files.py", "test_write", [pytest.mark.slow.mark], kind=["a"])
    items = [*cases("operators/test_match.py", "test_match", marks, structure=CLASSES, kind=["a", "b"]), *slow]
    more = chosen(items, SimpleNamespace(getoption=lambda name: name == option))
    assert set(first(items)) < set(more) and set(slow) <= set(more)
    assert (more == items) == (option == "--long")


def test_files_through_iterators_have_one_or_two_structures():
    for file, number in (
        ("algorithms/test_ego.py", 1),
        ("operators/test_ego.py", 2),
        ("algorithms/test_catalogue.py", len(CLASSES)),
    ):
        items = chosen(
            cases(file, "test_lengths", structure=CLASSES), SimpleNamespace(getoption=lambda name: name == "--all")
        )
        assert len(items) == number


def test_tests_of_few_structures_keep_one():
    """Structures may be classes or names, and need not be drawn for the file."""
    for few in ([STRUCTURES["csr"], STRUCTURES["slab"]], ["csr", "slab"], ["csr"]):
        items = cases("algorithms/test_incremental.py", "test_text", structure=few, analytic=["bfs", "pagerank"])
        items = chosen(items, SimpleNamespace(getoption=lambda name: name == "--all"))
        assert values(items, "analytic") == ["bfs", "pagerank"]
        assert set(values(items, "structure")) == {few[-1]}
