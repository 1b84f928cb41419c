"""Compiled code that is cached in memory can be dropped, and is made again on demand."""

import ast
import gc
import threading
import weakref

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from algorithms import bfs
from frontier.functor import compile as functor_compile
from frontier.operators.dispatch import kernels as dispatch_kernels
from frontier.runtime.compile import caches
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import CSR, SlabGraph


def entries():
    return [len(cache) if isinstance(cache, dict) else cache.cache_info().currsize for cache in caches.in_memory]


def kept_above(graph, limit):
    """A filter by a separate functor, and the functor."""

    def above(v, x):
        return x[v] > limit

    values = graph.xp.arange(graph.num_vertices, dtype=np.float64)
    return sorted(host(fr.filter(fr.Frontier.all(graph), above, values).vertices).tolist()), above


def test_functors_and_kernels_are_dropped_and_made_again(device):
    fr.clear_caches()  # objects that other tests have compiled may still refer to it
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device=device)
    answer, functor = kept_above(graph, 1)
    compiled = [weakref.ref(found) for found in functor_compile._in_memory.values() if not isinstance(found, bytes)]
    kernels = [weakref.ref(found) for found in dispatch_kernels._kernels.values() if hasattr(found, "__weakref__")]
    functor = weakref.ref(functor)
    assert answer == [2, 3] and kernels and (compiled or device == "gpu")
    fr.clear_caches()
    assert not any(entries())
    assert functor() is None and not any(found() for found in (*compiled, *kernels))
    assert kept_above(graph, 1)[0] == [2, 3] and kept_above(graph, 2)[0] == [3]
    assert any(entries())


def test_everything_works_afterwards(device):
    graph = SlabGraph.from_edges(np.arange(99), np.arange(1, 100), device=device)
    for _ in range(2):
        assert host(bfs(graph, 0).distance).tolist() == list(range(100))
        assert float(fr.reduce(fr.Frontier.all(graph), lambda v: v, dtype=np.int64)[0]) == 4950
        with fr.checking():
            assert kept_above(graph, 96)[0] == [97, 98, 99]
        graph.insert_edges([0], [50])
        graph.delete_edges([0], [50])
        fr.clear_caches()


def test_a_program_that_makes_functors_without_end_keeps_none(device):
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device=device)
    functors = []
    for limit in range(3):
        functors.append(weakref.ref(kept_above(graph, limit)[1]))
        fr.clear_caches()
    assert not any(functor() for functor in functors)


@pytest.mark.slow
def test_threads_go_on_while_caches_are_cleared(device):
    graph = CSR.from_edges(np.arange(20), np.arange(1, 21), device=device)
    stop, failures = threading.Event(), []

    def work(limit):
        try:
            while not stop.is_set():
                assert kept_above(graph, limit)[0] == list(range(limit + 1, 21))
                assert host(bfs(graph, 0).distance).tolist() == list(range(21))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(limit,)) for limit in (3, 3, 7)]
    for thread in threads:
        thread.start()
    for _ in range(8):
        stop.wait(0.1)
        fr.clear_caches()
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    gc.collect()
    assert kept_above(graph, 3)[0] == list(range(4, 21))


def test_the_disk_is_cleared_on_request(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "cache_directory", lambda: tmp_path)
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "kernel-0123").write_bytes(b"code")
    (tmp_path / "notes.txt").write_text("a user's own")
    fr.clear_caches()
    assert (tmp_path / "cpu" / "kernel-0123").exists()
    fr.clear_caches(disk=True)
    assert not list((tmp_path / "cpu").iterdir()) and (tmp_path / "notes.txt").exists()
    with pytest.raises(TypeError, match="disk must be True or False"):
        fr.clear_caches(disk="all")


FEW = {
    "frontier/distributed/engines/dask.py: _hosts",
    "frontier/functor/cuda/compilers.py: _version", "frontier/functor/cuda/compilers.py: compiler_version",
    "frontier/functor/cuda/compilers.py: functor_compiler", "frontier/functor/compile.py: _own_text",
    "frontier/functor/graphs.py: _digest", "frontier/functor/source.py: unique_name",
    "frontier/runtime/compile/libraries.py: marks_functions",
    "frontier/runtime/compile/function_identity.py: _replaced",
    "frontier/features/in_edges.py: _view_class", "frontier/operators/dispatch/cpu_balance.py: make_deferral",
    "frontier/operators/dispatch/cpu_balance.py: make_next_share",
    "frontier/operators/dispatch/neighbor_loop.py: neighbor_loop",
    "frontier/operators/dispatch/neighbor_loop.py: prefetches",
    "frontier/operators/dispatch/graph_arguments.py: _by_view",
    "frontier/operators/dispatch/graph_arguments.py: iterator_of",
    "frontier/core/registry.py: _structures", "frontier/runtime/compile/disk_cache.py: cache_directory",
    "frontier/runtime/compile/disk_cache.py: _report_unkept",
    "frontier/runtime/compile/disk_cache.py: cuda_fingerprint",
    "frontier/runtime/compile/disk_cache.py: text_fingerprint",
    "frontier/runtime/compile/cuda.py: cluster_blocks",
    "frontier/runtime/compile/cuda.py: current_arch", "frontier/runtime/compile/cuda.py: multiprocessors",
    "frontier/runtime/compile/cuda.py: shared_memory", "frontier/runtime/compile/cuda.py: shared_memory_each",
    "frontier/runtime/compile/cuda.py: toolchain_version",
    "frontier/runtime/compile/prebuilt.py: _group", "frontier/runtime/compile/prebuilt.py: _index",
    "frontier/runtime/device.py: _gpu", "frontier/runtime/device.py: gpu_available",
    "frontier/runtime/compile/kernels.py: _load", "frontier/runtime/launch/launch_graph.py: _driver",
    "frontier/runtime/launch/arguments.py: _packer", "frontier/runtime/launch/streams.py: stream_getter",
    "frontier/runtime/threads.py: find_tbb",
    "frontier/features/snapshots/snapshot.py: _snapshot_class",
    "frontier/distributed/part/snapshots.py: _class_of", "frontier/distributed/part/results.py: _class_of",
}  # fmt: skip
"""Caches whose size does not depend on the number of functors."""
NEEDED = {"frontier/functor/checking.py: sites", "frontier/runtime/compile/warm_up.py: _loads",
          "frontier/runtime/compile/warm_up.py: _turns"}  # fmt: skip
"""Objects that compiled code refers to by number while it may run, and caches that are emptied at the end of a
block."""


def is_cache(decorator):
    return "functools." in decorator or decorator == "once"


def caches_of(path):
    """The names of cached functions and of dictionaries that start empty, at the top of a module, which `clear_caches`
    does not empty."""
    for node in ast.parse(path.read_text()).body:
        decorators = [ast.unparse(each) for each in getattr(node, "decorator_list", ())]
        if any(is_cache(each) for each in decorators) and "clearable" not in decorators:
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict) and not node.value.keys:
            yield ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def test_no_cache_is_forgotten():
    found = set()
    for path in sorted((PROJECT_ROOT / "frontier").rglob("*.py")):
        name = str(path.relative_to(PROJECT_ROOT))
        found |= {f"{name}: {cache}" for cache in caches_of(path)}
    assert found == FEW | NEEDED
