"""Processes that are forked after graphs were used, and the threading layers of Numba."""

from __future__ import annotations

import os

import pytest
from concurrency import needs_layer, run

import frontier as fr

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


POOL = """
    import multiprocessing
    import numba
    import frontier as fr
    from algorithms import connected_components
    from structures import SlabGraph

    edges = fr.io.rmat(12, 8, seed=1)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="cpu")

    def work(i):
        graph.insert_edges([i], [i + 1])
        return connected_components(graph).count

    before = connected_components(graph).count
    layer = numba.threading_layer()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(work, [0, 0, 0, 0])
    expected = work(0)
    assert found == [expected] * 4, (found, expected)
    print(layer)
"""


LAYERS = ["omp", pytest.param("workqueue", marks=pytest.mark.slow)]


@needs_fork
@pytest.mark.parametrize("layer", [*LAYERS, pytest.param("tbb", marks=pytest.mark.slow)])
def test_a_pool_works_after_a_parallel_kernel(layer: str) -> None:
    needs_layer(layer)
    assert run(POOL, NUMBA_THREADING_LAYER=layer, NUMBA_NUM_THREADS="2").strip() == layer


@pytest.mark.parametrize("layer", LAYERS)
def test_many_threads_enter_parallel_kernels(layer: str) -> None:
    program = """
        from concurrent.futures import ThreadPoolExecutor
        import frontier as fr
        from algorithms import connected_components
        from structures import SlabGraph

        edges = fr.io.rmat(12, 8, seed=1)
        graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="cpu")
        expected = connected_components(graph).labels
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _: connected_components(graph).labels, range(40)):
                assert (found == expected).all()
        print("done")
    """
    assert run(program, NUMBA_THREADING_LAYER=layer, NUMBA_NUM_THREADS="2").strip() == "done"


@needs_fork
def test_a_graph_that_was_being_updated_when_the_process_forked_is_closed_in_the_child() -> None:
    program = """
        import os, threading
        import frontier as fr
        from structures import SlabGraph

        graph, idle = SlabGraph(5, device="cpu"), SlabGraph(5, device="cpu")
        updating, forked = threading.Event(), threading.Event()

        class Wait(fr.UpdateObserver):
            def edges_inserted(self, src, dst):
                updating.set()
                forked.wait(60)

        wait = Wait()
        graph.attach(wait)
        thread = threading.Thread(target=lambda: graph.insert_edges([0], [1]))
        thread.start()
        updating.wait(60)
        child = os.fork()
        if not child:
            idle.insert_edges([0], [1])
            try:
                graph.degrees()
            except RuntimeError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        forked.set()
        thread.join()
        assert graph.num_edges == 1 and graph.degrees().sum() == 2
    """
    assert "another thread was updating the graph when this process was forked" in run(program)


@needs_fork
@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_cuda_after_a_fork_is_refused() -> None:
    program = """
        import os
        from structures import SlabGraph

        graph = SlabGraph.from_edges([0], [1], device="gpu")
        child = os.fork()
        if not child:
            for use in (lambda: SlabGraph(5, device="gpu"), graph.degrees):
                try:
                    use()
                except RuntimeError as error:
                    print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """
    first, second = run(program).splitlines()
    assert "does not survive a fork" in first
    assert "forked process cannot use" in second


@needs_fork
def test_a_child_does_not_wait_for_a_thread_that_made_the_reverse_of_a_graph() -> None:
    program = """
        import os, threading
        from frontier.core.component import component_of
        from frontier.features.in_edges import InEdges
        from structures import SlabGraph

        graph = SlabGraph.from_edges([0, 1], [1, 2], directed=True, in_edges=True, device="cpu")
        held, forked = threading.Event(), threading.Event()

        def hold():
            with component_of(graph, InEdges)._lock:
                held.set()
                forked.wait(60)

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if not child:
            os._exit(0 if graph.reverse.neighbors(2).tolist() == [1] else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        forked.set()
        thread.join()
    """
    assert run(program).strip() == "0"
