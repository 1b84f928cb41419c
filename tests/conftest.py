"""What all tests share: every structure on every device, seeds, and Hypothesis profiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from graphs import GRAPHS
from hypothesis import HealthCheck, settings
from model import Pair, make

from frontier.registry import structures
from frontier.runtime import gpu_available

STRUCTURES = structures()
DEVICES = [
    "cpu",
    pytest.param(
        "gpu", marks=[pytest.mark.gpu, pytest.mark.skipif(not gpu_available(), reason="there is no GPU")]
    ),
]  # fmt: skip

_shared = dict(deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("ci", max_examples=15, stateful_step_count=20, derandomize=True, database=None, **_shared)
settings.register_profile("long", max_examples=500, stateful_step_count=60, **_shared)
settings.load_profile("ci")  # pytest --hypothesis-profile=long looks further


@pytest.fixture(params=list(STRUCTURES.values()), ids=list(STRUCTURES))
def structure(request: pytest.FixtureRequest) -> Any:
    """Each structure's class."""
    return request.param


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    """Each device; tests on the GPU carry the marker ``gpu`` and are skipped where there is none."""
    return request.param


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def directed(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture(params=[None, "float32"], ids=["unweighted", "float32"])
def weight_dtype(request: pytest.FixtureRequest) -> str | None:
    """Without weights, and with one kind; all kinds are tried where they matter (each must be compiled on the CPU)."""
    return request.param


@pytest.fixture
def new(structure: Any, device: str) -> Callable[..., Pair]:
    """``new(src, dst, weights, num_vertices=..., ...)`` makes a graph of the structure on the device, and its model."""
    return partial(make, structure, device)


@pytest.fixture(params=list(GRAPHS))
def edges(request: pytest.FixtureRequest) -> Any:
    """Each of the small graphs: sources, destinations, number of vertices."""
    return GRAPHS[request.param]


@pytest.fixture
def graph(structure: Any, device: str, edges: Any) -> Any:
    """Each of them, undirected, in each structure on each device."""
    src, dst, n = edges
    return structure.from_edges(src, dst, num_vertices=n, device=device)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261121)
