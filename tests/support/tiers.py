"""Which cases of the tests each tier runs: the first, which answers while somebody waits; ``--all``; ``--long``.

Compilation takes nearly all of the time on a CPU: kernels are compiled for each structure, type and functor. The tiers
differ in how much of the products of parameters they run:

* ``--long`` runs every case, and random tests try far more.
* ``--all`` leaves out what the marks ``few`` and ``sampled`` say, in tests to which a structure matters little.
* The first tier runs enough of these cases that each test meets every value of every parameter. Tests of
  updates, which each structure makes itself, meet all structures. Other tests reach a structure through its neighbor
  iterator alone, and have one, another for each algorithm or file. Tests marked ``slow`` wait for ``--all``.

Each tier contains the one before. On a GPU, whose kernels depend on few parameters, all cases run in each tier.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from frontier.core.structures import structures
from frontier.runtime import gpu_available

STRUCTURES = structures()
UPDATES = (
    "test_operations_build", "test_operations_delete", "test_operations_insert", "test_operations_large",
    "test_operations_memory", "test_operations_query", "test_operations_weights", "test_small_updates",
    "test_medium_updates", "test_stateful", "test_save_copy", "test_load_hostile", "test_vertices", "test_statistics",
)  # fmt: skip
"""Files of tests of what each structure does itself, as those in tests/structures are."""
FEW = ("gpma", "lpma"), ("slab", "hornet", "graphvine", "faimgraph")
"""Structures for tests marked ``few`` on the CPU: one of each group in each file, of those with sorted rows and of the
others."""
DTYPES = ("int32", "float32", "int64", "float64")


def chosen(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """The cases of the tier that the options ask for, in their order."""
    if config.getoption("--long"):
        return items
    items = [item for item in items if is_of_few(item) and is_drawn(item)]
    return items if config.getoption("--all") else first_tier(items)


# ---- --all -----------------------------------------------------------------------------------------------------------


def is_of_few(item: pytest.Item) -> bool:
    """Whether a test marked ``few`` is run without ``--long``: on the CPU on two structures, drawn by the file's name.

    The mark is for tests of what an algorithm does beyond what tests/algorithms/test_catalogue.py shows of it on every
    structure.
    """
    if item.get_closest_marker("few") is None or parameters(item).get("device", "cpu") != "cpu":
        return True
    kind, place = parameters(item).get("structure"), crc32(item.path.stem.encode())
    return kind is None or kind in [STRUCTURES[group[place % len(group)]] for group in FEW]


def is_drawn(item: pytest.Item) -> bool:
    """Whether a test marked ``sampled(*parameters, of=n)`` is run without ``--long``; ``on="cpu"``: on a GPU all are.

    Where structures and types or functors do not depend on each other, every value of the parameters is tried on one in
    n structures, and every structure with one in n values. Cases in which all these parameters are None, such as graphs
    without weights, are run on all.
    """
    mark, case = item.get_closest_marker("sampled"), parameters(item)
    if mark is None or not case or mark.kwargs.get("on", case.get("device")) != case.get("device"):
        return True
    values = [case[name] for name in mark.args]
    if values and all(value is None for value in values):
        return True
    text = "-".join(getattr(value, "__name__", str(value)) for value in values)
    place = DTYPES.index(text) if text in DTYPES else crc32(text.encode())
    return (place + list(STRUCTURES.values()).index(case["structure"])) % mark.kwargs["of"] == 0


def parameters(item: Any) -> dict[str, Any]:
    """The parameters of a case, by name."""
    return item.callspec.params if hasattr(item, "callspec") else {}


# ---- the first tier --------------------------------------------------------------------------------------------------


def first_tier(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases of the first tier, of those of ``--all``."""
    of_gpu = {item for item in items if gpu_available() and item.get_closest_marker("gpu")}
    others = [item for item in items if item not in of_gpu and not item.get_closest_marker("slow")]
    kept = set(of_gpu)
    for cases in grouped(of_one_structure(others), lambda item: (*test_of(item), structure_of(item))).values():
        kept.update(covering(cases))
    return [item for item in items if item in kept]


def of_one_structure(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases without those of all structures but one for each subject, except for those of updates.

    Files about one algorithm have the same structure, for which its kernels are compiled once. A test marked
    ``sampled`` is on structures that it is drawn for.
    """

    def group(item: pytest.Item) -> Hashable:
        mark = item.get_closest_marker("sampled")
        return (*test_of(item), subject_of(item), *(id(parameters(item)[name]) for name in (mark.args if mark else ())))

    kept: set[pytest.Item] = set()
    for cases in grouped(items, group).values():
        found = {structure_of(item) for item in cases}
        if not of_updates(cases[0].path) and found <= set(STRUCTURES):
            turn = list(STRUCTURES)
            first = crc32(subject_of(cases[0]).encode())
            found = {min(found, key=lambda name: (turn.index(name) - first) % len(turn))}
        kept.update(item for item in cases if structure_of(item) in found)
    return [item for item in items if item in kept]


def of_updates(path: Path) -> bool:
    """Whether a file tests what each structure does itself."""
    return path.parent.name == "structures" or path.stem in UPDATES


def subject_of(item: pytest.Item) -> str:
    """The algorithm that a parameter of a case names, or what its file is named after."""
    values = (parameters(item).get(name) for name in ("name", "form", "analytic", "algorithm"))
    return next((value for value in values if isinstance(value, str)), item.path.stem.removeprefix("test_"))


def covering(cases: list[pytest.Item]) -> Iterable[pytest.Item]:
    """Few of the cases of one test, such that every value of every parameter is in one of them."""
    values = {item: {(name, id(value)) for name, value in parameters(item).items()} for item in cases}
    missing = set().union(*values.values())
    if not missing:
        return cases
    kept = []
    while missing:
        best = max(cases, key=lambda item: len(values[item] & missing))
        missing -= values[best]
        kept.append(best)
    return kept


def test_of(item: pytest.Item) -> tuple[Hashable, ...]:
    """The test that a case is of, on its device."""
    return item.path, getattr(item, "originalname", item.name), parameters(item).get("device")


def structure_of(item: pytest.Item) -> str | None:
    """The name of the structure that a case is on."""
    structure = parameters(item).get("structure")
    return getattr(structure, "name", structure)


def grouped(items: list[pytest.Item], key: Callable[[pytest.Item], Hashable]) -> dict[Hashable, list[pytest.Item]]:
    found: dict[Hashable, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
