"""Incremental analytics under random histories: vertices that go and return, refused batches, analytics that come late.

Each history is short and its graph small, which allows many of them. A failure names the seed and the operations.
"""

import os
from functools import partial

import pytest
from conftest import STRUCTURES
from histories import KNOWN, OPERATIONS, History

from frontier.distributed import DistributedGraph, ThreadEngine
from structures import SlabGraph

SEED = int(os.environ.get("DYNFRONTIER_TEST_SEED", "0"))
"""The seed of the first history. Later ones count up."""

KINDS = {
    "undirected": {},
    "directed": {"directed": True},
    "in_edges": {"directed": True, "in_edges": True},
    "weighted": {"weight_dtype": "float32"},
    "weighted_in_edges": {"directed": True, "in_edges": True, "weight_dtype": "float32"},
    "times": {"time_unit": "s"},
}

DEVICES = ("cpu", "gpu")
LIMITS = {
    "dynamic_core_number": {
        "SMALL_EDGES": dict.fromkeys(DEVICES, 3),
        "ROUND_ARCS": dict.fromkeys(DEVICES, 1),
        "MAX_RANK": 9,
    },
    "dynamic_triangle_count": {"SMALL_EDGES": dict.fromkeys(DEVICES, 2), "MAX_BATCHES": 2},
    "dynamic_k_truss": {"ROUND_SIDES": 1, "SMALL_SIDES": 0},
    "dynamic_connected_components": {"SMALL_BATCHES": 1},
    "dynamic_katz_centrality": {"LARGE": 2, "LOCAL_SHARE": 1, "MOST_LEFT": 10**6},
    "dynamic_betweenness_centrality": {"MOST": 10**6, "MOST_EDGES": 10**6, "STAGES": {"cpu": 2, "gpu": 1}},
    "dynamic_distances": {"MOST_LEVELS": 1 / 4, "SMALL_LEVELS": 1},
    "dynamic_coloring": {"FEW_COLORS": 0, "SMALL_ARCS": 4},
    "dynamic_strongly_connected_components": {
        "SMALL_GRAPH": dict.fromkeys(DEVICES, 0),
        "FEW": 2,
        "SMALL": 4,
        "MOST": dict.fromkeys(DEVICES, 1 / 4),
        "ROUNDS": 1,
        "MOST_EDGES": 9,
    },
}
"""Limits as low as the graphs are small, for frequent rare cases."""


def pytest_generate_tests(metafunc):
    """One structure without --long: analytics reach each through its neighbor iterator, and must be compiled for it."""
    if "structure" in metafunc.fixturenames:
        names = list(STRUCTURES) if metafunc.config.getoption("--long") else ["slab"]
        metafunc.parametrize("structure", [STRUCTURES[name] for name in names], ids=names)
    if "kind_in_parts" in metafunc.fixturenames:
        few = ["undirected", "directed"]
        metafunc.parametrize("kind_in_parts", KINDS if metafunc.config.getoption("--long") else few)


def run(count, make, one=None):
    """Run histories. Return the operations that were made."""
    done = set()
    for seed in range(SEED, SEED + count):
        history = History(seed, make, KNOWN, one)
        try:
            history.run()
        except BaseException as error:
            error.add_note(f"DYNFRONTIER_TEST_SEED={seed} begins with this history")
            raise
        done |= {step.split()[0] for step in history.done}
    return done


@pytest.mark.slow
@pytest.mark.parametrize("low", [False, True], ids=["", "low_limits"])
@pytest.mark.parametrize("kind", KINDS)
def test_any_history(structure, device, kind, low, tries, monkeypatch):
    if KINDS[kind].get("weight_dtype") and not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    if low:
        for module, limits in LIMITS.items():
            for name, value in limits.items():
                monkeypatch.setattr(f"algorithms.{module}.{name}", value)
    few, many = (60 if kind == "undirected" and not low else 15, 3000) if device == "cpu" else (5, 300)
    done = run(tries(few, many), partial(structure, device=device, **KINDS[kind]))
    assert few < 60 or done == OPERATIONS.keys()


@pytest.mark.slow
def test_any_history_of_a_graph_in_parts(device, kind_in_parts, tries):
    options = KINDS[kind_in_parts]
    with ThreadEngine(2, device) as engine:
        make = partial(DistributedGraph, SlabGraph, engine=engine, **options)
        run(tries(10, 500), make, partial(SlabGraph, device=engine.hosts[0].comm.device, **options))
