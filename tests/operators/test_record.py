"""Captured steps have the effects of their calls."""

import gc

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from algorithms import ConvergenceError, hits, katz_centrality, pagerank
from algorithms._errors import Errors
from structures import CSR, SlabGraph

N = 300


def neighbor(src, dst, edge, weight, x):
    return x[dst]


def halve(v, sums, x):
    x[v] = 0.5 * x[v] + 0.01 * sums[v]
    return x[v]


@pytest.fixture(params=[CSR, SlabGraph], ids=["csr", "slab"])
def graph(request, device, rng):
    return request.param.from_edges(*rng.integers(0, N, (2, 4 * N)), num_vertices=N, device=device)


def steps_of(graph):
    """A step, the array that it changes, and one that it leaves a number in."""
    xp = graph.xp
    x, sums, total, everyone = xp.ones(graph.num_vertices), xp.empty(graph.num_vertices), xp.zeros(1), None
    everyone = fr.Frontier.all(graph)

    def step():
        fr.neighbor_reduce(graph, None, neighbor, x, out=sums)
        doubled = sums + sums  # an array of the step's own
        fr.reduce(everyone, halve, doubled, x, out=total)

    return step, x, total


def test_a_record_does_what_its_step_does(graph):
    plain, x, total = steps_of(graph)
    step, y, other = steps_of(graph)
    take, totals = fr.capture(graph, step), []
    for _ in range(6):
        plain()
        take()
        noise = graph.xp.full(5 * N, -1.0)  # allocates free memory
        totals.append((fr.advanced.copy_to_host_async(total), fr.advanced.copy_to_host_async(other)))
        del noise
        gc.collect()
    np.testing.assert_allclose(host(y), host(x), rtol=1e-12)
    for one, two in totals:
        np.testing.assert_allclose(one.result(), two.result(), rtol=1e-12)
    assert take.is_captured == graph.device.is_gpu


def test_records_take_turns(graph):
    made = [steps_of(graph) for _ in range(3)]
    takes = [fr.capture(graph, step) for step, _, _ in made]
    for _ in range(5):
        for take in takes:
            take()
    plain, x, _ = steps_of(graph)
    for _ in range(5):
        plain()
    for _, y, _ in made:
        np.testing.assert_allclose(host(y), host(x), rtol=1e-12)


def taken_thrice(device):
    """A small graph, sums over it, and a step that has made them."""
    graph = SlabGraph.from_edges([0, 1], [1, 2], num_vertices=4, device=device)
    x, sums = graph.xp.ones(4), graph.xp.empty(4)
    take = fr.capture(graph, lambda: fr.neighbor_reduce(graph, None, neighbor, x, out=sums))
    for _ in range(3):
        take()
    return graph, sums, take


def test_an_update_is_seen(device):
    graph, sums, take = taken_thrice(device)
    assert host(sums).tolist() == [1, 2, 1, 0]
    graph.insert_edges([3], [0])
    assert not take.is_captured
    for _ in range(3):
        take()
        assert host(sums).tolist() == [2, 2, 1, 1]


def test_a_step_that_waits_is_refused(graph):
    take = fr.capture(graph, lambda: len(fr.filter(fr.Frontier.all(graph), lambda v: v > 3)))
    take()
    if not graph.device.is_gpu:
        take()
        return
    with pytest.raises(RuntimeError, match="it synchronizes with the GPU"):
        take()
    assert pagerank(graph).converged


def test_what_a_step_raises_is_raised(graph):
    calls = []

    def step():
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("no")

    take = fr.capture(graph, step)
    take()
    with pytest.raises(KeyError, match="no"):
        take()
    for _ in range(3):
        take()
    assert pagerank(graph).converged


def test_wrong_arguments_are_named(graph):
    with pytest.raises(TypeError, match="graph must be a Graph"):
        fr.capture(None, print)
    with pytest.raises(TypeError, match="step must be a function"):
        fr.capture(graph, 3)


def test_results_of_recorded_iterations_do_not_depend_on_the_device(device, rng):
    """Iterations end as without a capture: the CPU has none."""
    src, dst = rng.integers(0, N, (2, 3 * N))
    graph = CSR.from_edges(src, dst, num_vertices=N, directed=True, device=device)
    other = CSR.from_edges(src, dst, num_vertices=N, directed=True, device="cpu")
    for algorithm, names in ((pagerank, ["pagerank"]), (hits, ["hubs", "authorities"]),
                             (katz_centrality, ["katz_centrality"])):  # fmt: skip
        for options in ({}, {"max_iter": 2, "fail_on_nonconvergence": False}):
            found, expected = algorithm(graph, **options), algorithm(other, **options)
            assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
            for name in names:
                np.testing.assert_allclose(host(getattr(found, name)), getattr(expected, name), rtol=1e-6, atol=1e-12)


def test_a_step_is_recorded_again_after_a_failed_batch(device):
    """It may have replaced arrays that the capture reads."""
    graph, sums, take = taken_thrice(device)
    with pytest.raises(ValueError, match="9"):
        graph.insert_edges([0, 3], [9, 1])
    assert not take.is_captured
    for _ in range(3):
        take()
        assert host(sums).tolist() == [1, 2, 1, 0]
    fr.clear_caches()
    assert not take.is_captured
    take()
    assert host(sums).tolist() == [1, 2, 1, 0]


def test_walks_beyond_all_bounds_are_a_convergence_error(device, rng):
    """Errors that float64 cannot square."""
    src, dst = rng.integers(0, N, (2, 10 * N))
    graph = CSR.from_edges(src, dst, num_vertices=N, device=device)
    with pytest.raises(ConvergenceError, match="did not reach"):
        katz_centrality(graph, 0.9)
    found = katz_centrality(graph, 0.9, fail_on_nonconvergence=False)
    assert not found.converged and np.isinf(host(found.katz_centrality)).any()
    found = katz_centrality(graph, 0.9, max_iter=200, fail_on_nonconvergence=False)
    assert np.linalg.norm(host(found.katz_centrality)) == pytest.approx(1)


def test_parts_that_iterate_together_decide_alike(monkeypatch):
    """Results that have already arrived may differ between them: one that stopped earlier would leave the rest
    waiting."""
    errors = 0.5 ** np.arange(1, 40)
    least = 1e-6

    def steps(arrived, together):
        monkeypatch.setattr(fr.advanced.HostCopy, "ready", property(lambda fetched: arrived()))
        known = Errors(least, together)
        while not known.decided:
            known.add(fr.advanced.copy_to_host_async(errors[known.count : known.count + 1]))
        return known.count, known.last()

    expected = errors[errors < least][0], int((errors >= least).sum()) + 1
    alone = [steps(arrived, together=False) for arrived in (lambda: True, lambda: False)]
    parts = [steps(arrived, together=True) for arrived in (lambda: True, lambda: False)]
    assert parts[0] == parts[1] and parts[0][1] == expected
    assert [last for _, last in alone] == [expected] * 2


def test_checked_steps_are_not_recorded(graph):
    step, x, _ = steps_of(graph)
    plain, y, _ = steps_of(graph)
    take = fr.capture(graph, step)
    with fr.checking():
        for _ in range(3):
            take()
            plain()
    np.testing.assert_allclose(host(x), host(y), rtol=1e-12)
    assert not take.is_captured
