"""An advance from few vertices costs a GPU one launch, and the host one read of its counts."""

import numpy as np
import pytest
from advance_cases import *  # noqa: F403
from advance_cases import N, always, few, levels_of, ring, visit
from verifiers import host

import frontier as fr
from frontier.core.batch import Arcs
from frontier.core.effective import SMALL_ARCS, effective_edges
from frontier.operators.dispatch import plans
from frontier.operators.dispatch.gpu_balance import BALANCES
from frontier.operators.dispatch.kernels import workspace_of
from frontier.runtime.compile import cuda
from frontier.runtime.memory import scratch
from structures import CSR, SlabGraph


@pytest.fixture
def launches(monkeypatch):
    """Requests to the driver on a GPU, in order."""
    import cupy

    asked = []

    def noting(owner, name):
        function = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *args: asked.append(name) or function(*args))

    noting(cupy.cuda.driver, "launchKernel")
    noting(scratch, "fill_with")
    for name in ("read", "poll"):
        noting(scratch.Counters, name)
    return asked


@pytest.mark.parametrize("device", [pytest.param("gpu", marks=pytest.mark.gpu)])
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
class TestOnGPU:
    def path(self, device):
        """A path of 300 vertices, along which a search has run, and levels for another one from its first vertex."""
        graph = ring(device, 300)
        graph.delete_edges([299], [0])
        levels_of(graph)
        level = graph.xp.full(300, -1, np.int32)
        level[0] = 0
        return graph, level

    def test_a_level_takes_one_launch(self, device, launches, taken):
        graph, level = self.path(device)
        frontier, number = few(graph, [0]), 0
        del launches[:], taken[:]
        while frontier:
            number += 1
            frontier = fr.advance(graph, frontier, visit, level, np.int32(number))
        assert number == 300 and len(taken) == 299  # from the last vertex no edge leads anywhere
        assert launches == ["launchKernel", "poll"] * 299

    def test_a_level_makes_no_array(self, device, monkeypatch, taken):
        """Making one costs CuPy more time than the GPU needs for the level."""
        graph, level = self.path(device)
        frontier = fr.advance(graph, few(graph, [0]), visit, level, np.int32(1))
        cut, made = [], []
        array, renew = scratch.ArrayPart.array, scratch.OutputArena._renew
        monkeypatch.setattr(scratch.ArrayPart, "array", lambda part: cut.append(1) or array(part))
        monkeypatch.setattr(scratch.OutputArena, "_renew", lambda room: made.append(1) or renew(room))
        while frontier:
            last, frontier = frontier, fr.advance(graph, frontier, visit, level, np.int32(7))
        assert not cut and len(made) <= 300 * scratch.ALIGNED // plans.ROOM + 1 and len(taken) >= 298
        assert list(last) == [299] and cut

    def test_all_that_is_put_out_is_told(self, device, launches, rng):
        """By every schedule, the last launch reports the size, and leaves counters of zero."""
        src, dst = np.r_[np.zeros(2500, int), rng.integers(0, N, 3000)], np.r_[1:2501, rng.integers(0, N, 3000)]
        graph = SlabGraph.from_edges(src, dst, num_vertices=N, device=device, directed=True, in_edges=True)
        for start in ([0, 5, 6], [5, 6]):
            heads = [host(graph.neighbors(v)) for v in start]
            tails = [host(graph.reverse.neighbors(v)) for v in start]
            for balance in BALANCES:
                for edges, parts in (("out", heads), ("in", tails), ("both", heads + tails)):
                    for options in ({}, {"unique": False}, {"output": "edges"}, {"output": None}):
                        if options.get("output") == "edges" and edges == "both":
                            continue
                        del launches[:]
                        reached = fr.advance(
                            graph, fr.Frontier(graph, start), always, edges=edges, balance=balance, **options
                        )
                        assert launches.count("read") == 0
                        assert launches.count("poll") == (options.get("output", "") is not None)
                        if reached is not None:
                            assert launches[-1] == "poll"
                            counters = workspace_of(graph).counters
                            assert counters._is_zero and not host(counters.array).any()
                            ends = reached.destinations if "output" in options else reached
                            assert sorted(ends) == sorted(set(np.concatenate(parts).tolist()))

    def test_an_interrupt_before_the_outcome_is_heard(self, device, monkeypatch, rng, taken):
        """The launch may publish it at any time after: it must not be mistaken for the next one's."""
        graph = ring(device)
        hear = scratch.Counters.poll

        def interrupted(counters):
            raise KeyboardInterrupt

        def advance(vertex, balance="auto"):
            reached = fr.advance(graph, few(graph, [vertex]), always, balance=balance)
            assert list(reached) == [vertex + 1] and reached.num_arcs == 1

        def some_filter():
            assert list(fr.filter(few(graph, [4, 5]), lambda v: v > 4)) == [5]

        counters = workspace_of(graph).counters
        for _ in range(2):
            advance(3)
        for balance in ("auto", "merge"):
            for follow in (lambda: advance(5), lambda: advance(5, "merge"), some_filter):
                monkeypatch.setattr(scratch.Counters, "poll", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    fr.advance(graph, few(graph, [7, 9]), always, balance=balance)
                monkeypatch.setattr(scratch.Counters, "poll", hear)
                assert counters._expected and not counters._is_zero
                follow()
                counters.array[:] = counters.array  # any outcome, in the stream's order
                advance(6)
                advance(8, "merge")
        assert not counters._expected and not counters._left

    def test_others_that_count_with_the_same_numbers(self, device):
        """They may leave them other than zero."""
        graph = ring(device, 5000)
        count = SMALL_ARCS + 100
        src = np.arange(count) % 5000
        dst = (src + 1 + np.arange(count) // 5000) % 5000
        for _ in range(3):
            assert list(fr.advance(graph, few(graph, [3]), always)) == [4]
            assert workspace_of(graph).counters._is_zero
            with graph.reading():
                arcs = graph.store.make_arcs(graph.xp.asarray(src), graph.xp.asarray(dst), directed=True)
                assert isinstance(arcs, Arcs) and len(arcs) > SMALL_ARCS
                assert effective_edges(graph, arcs, True)[0].size == min(count, 5000)
            assert len(fr.filter(fr.Frontier.all(graph), lambda v: v < 10)) == 10


def test_a_kernel_is_launched_with_words_of_its_own(device):
    """The same as by arguments that are converted."""
    if device == "cpu":
        return
    graph = CSR.from_edges([0, 1], [1, 2], directed=True, device=device)
    graph.xp.cuda.Device().synchronize()
    kernel = cuda.load_kernel("frontier/runtime/memory/elementwise.cuh", "count_up_i64", ())
    one, other = graph.xp.zeros(5, np.int64), graph.xp.zeros(5, np.int64)
    kernel(5, 3, one)
    kernel.launch([5, 3, other.data.ptr], [], 1)
    assert host(one).tolist() == host(other).tolist() == [3, 4, 5, 6, 7]
