"""Shared fixtures: every structure on every device, seeds, the number of tries, and the timeouts of tests."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import emulator
import numpy as np
import pytest

if emulator.wanted():
    emulator.install()

from distributed_cases import PARTS
from graphs import GRAPHS
from hypothesis import HealthCheck, settings
from model import Pair, make
from tiers import STRUCTURES, chosen, is_first

import frontier as fr
from frontier.distributed import ThreadEngine
from frontier.distributed.partition import owners
from frontier.runtime import gpu_available

HAS_GPU = gpu_available()
DEVICES = [
    "cpu",
    pytest.param(
        "gpu", marks=[pytest.mark.gpu, pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")]
    ),
]  # fmt: skip

_shared = dict(deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("ci", max_examples=15, stateful_step_count=20, derandomize=True, database=None, **_shared)
settings.register_profile("long", max_examples=500, stateful_step_count=60, **_shared)
settings.load_profile("ci")  # pytest --long looks further

LONG_TIMEOUT = 7200
"""Seconds a test may run with ``--long``. Without, `pyproject.toml` sets the limit."""

BACKSTOP = 60
"""Seconds that a test has left when its timeout did not end it."""

HEAVY = (
    "test_workload", "test_small_advances", "test_advance_plans", "test_pagerank", "test_operators",
    "test_dynamic_distances", "test_incremental", "test_cli", "test_cli_stream", "test_cli_errors",
    "test_temporal_algorithms", "test_gallery", "test_communities", "test_catalogue", "test_compile_cuda",
    "test_k_truss", "test_distributed_incremental", "test_sssp", "test_checking", "test_batch_step",
    "test_neighbor_reductions", "test_edge_data_operators", "test_docs", "test_components", "test_functors",
    "test_algorithms", "test_compiled_code_cache", "test_processes", "test_threads", "test_interrupts",
    "test_bad_input",
)  # fmt: skip
"""The slowest test files, in minutes rather than seconds, as they compile most: the slowest first.

Files that start other processes come late: these load compiled kernels where files before have used them."""

GARBAGE = 50_000
"""New objects before a garbage collection. By Python's default of 700, collections cost a twentieth of compilations."""

LEFT_OUT = "left_out"
TESTS = Path(__file__).resolve().parent
_stderr = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run more products of parameters, and slow tests")
    parser.addoption("--long", action="store_true", help="try far more in tests that draw at random or try every case")
    seed = int(os.environ.get("DYNFRONTIER_TEST_SEED", "0"))
    parser.addoption("--seed", type=int, default=seed, help="added to the seeds of random walks (test_campaign.py)")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(GARBAGE)
    config.stash[_stderr] = os.dup(2)  # while output is not captured yet
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if int(worker.removeprefix("gw")) % 2 and [Path(each).resolve() for each in config.args] == [TESTS]:
        # Workers that collect from both ends find the files that other workers have rewritten for assertions.
        config.args = [str(folder) for folder in sorted(TESTS.iterdir(), reverse=True) if [*folder.glob("test_*.py")]]
    if config.getoption("--long"):
        settings.load_profile("long")
        if config.getoption("timeout", None) is None:
            config.option.timeout = LONG_TIMEOUT


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Collect all cases without collecting garbage, which would cost a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Iterator[Any]:
    """Leave out cases that the first tier cannot run here: half of all cases need a GPU, and skipping them costs as
    much as running many cases."""
    made = yield
    if HAS_GPU or not isinstance(made, list) or not is_first(collector.config):
        return made
    return [item for item in made if not item.get_closest_marker("gpu")]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out cases of other tiers, and run the longest files first: a worker that started one of them last would
    delay the end."""
    kept = chosen(items, config)
    left_out = set(items).difference(kept)
    config.hook.pytest_deselected(items=left_out)
    if hasattr(config, "workeroutput"):
        config.workeroutput[LEFT_OUT] = len(left_out)
    places = {name: place for place, name in enumerate(HEAVY)}
    items[:] = sorted(kept, key=lambda item: (places.get(item.path.stem, len(places)), item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """Count the cases that workers left out, the same in each: the last line shows only the count of this process."""
    reporter = node.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not reporter.stats.get("deselected"):
        reporter.stats["deselected"] = [SimpleNamespace()] * getattr(node, "workeroutput", {}).get(LEFT_OUT, 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if is_first(config) and terminalreporter.stats.get("deselected"):
        terminalreporter.write_line("Deselected cases are those of --all and --long, and of the options -k and -m.")
        if not HAS_GPU:
            terminalreporter.write_line("Cases that need a GPU are left out; --all shows them as skipped.")


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    gc.freeze()  # pytest collects garbage five times now, over all cases
    os.close(config.stash[_stderr])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """End the process when a test hangs where pytest-timeout cannot end it.

    That raises an exception in the test, which Python delivers between two of its instructions. A kernel that never
    returns gets to none, and on the CPU it holds the interpreter's lock. This timer needs neither.
    """
    mark = item.get_closest_marker("timeout")
    seconds = mark.args[0] if mark and mark.args else _timeout(item.config)
    if seconds <= 0:
        return (yield)
    faulthandler.dump_traceback_later(seconds + BACKSTOP, exit=True, file=item.config.stash[_stderr])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _timeout(config: pytest.Config) -> float:
    """Seconds a test may run, 0 without a limit or without pytest-timeout."""
    if not config.pluginmanager.hasplugin("timeout"):
        return 0
    given = config.getoption("timeout", None)
    return float(os.environ.get("PYTEST_TIMEOUT") or config.getini("timeout") or 0) if given is None else given


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Functors run in Python within the test, and nothing is compiled for them: for tests of callers of algorithms."""
    with fr.interpreted():
        yield


@pytest.fixture(scope="module", autouse=True)
def older_objects_are_left_alone() -> None:
    """Exclude the objects of earlier files from garbage collections: hundreds of megabytes of compiled kernels, over
    which each collection would last a second. Workloads and many tests start with one."""
    gc.freeze()


@pytest.fixture
def tries(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """``tries(few, many)``: how often to try: `few` times where it must be quick, `many` with ``--long``."""
    return lambda few, many: many if request.config.getoption("--long", False) else few


@pytest.fixture
def first_seed(request: pytest.FixtureRequest) -> int:
    """An offset for each random walk's own seed, for new walks."""
    return request.config.getoption("--seed")


@pytest.fixture(params=list(STRUCTURES.values()), ids=list(STRUCTURES))
def structure(request: pytest.FixtureRequest) -> Any:
    """Each structure's class."""
    return request.param


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    """Each device. Tests on the GPU carry the marker ``gpu`` and are skipped without one."""
    return request.param


@pytest.fixture
def python_handles_interrupts() -> Iterator[None]:
    """A process that was started in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def small_graphs_have_vertices_on_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Partitions in this process: each vertex has its own owner. Other processes have runs of vertices."""
    monkeypatch.setattr(owners, "TOGETHER", 0)


@pytest.fixture(params=PARTS)
def engine(request: pytest.FixtureRequest, device: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Threads for the workers of graphs with 2 and 3 partitions, with one or two vertices per owner."""
    monkeypatch.setattr(owners, "TOGETHER", request.param - 2)
    with ThreadEngine(request.param, device) as engine:
        yield engine


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def directed(request: pytest.FixtureRequest) -> bool:
    return request.param


ORIENTATIONS = {
    "undirected": {}, "directed": {"directed": True}, "in_edges": {"directed": True, "in_edges": True},
}  # fmt: skip


@pytest.fixture(params=list(ORIENTATIONS.values()), ids=list(ORIENTATIONS))
def orientation(request: pytest.FixtureRequest) -> dict[str, bool]:
    """Options of an undirected graph, of a directed one, and of a directed one with in-edges."""
    return request.param


@pytest.fixture(params=[None, "float32"], ids=["unweighted", "float32"])
def weight_dtype(request: pytest.FixtureRequest) -> str | None:
    """Without weights, and with one kind. All kinds are tried where they matter (each must be compiled on the CPU)."""
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
