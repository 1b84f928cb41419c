"""Nothing is compiled in the middle of a stream: the warm-up has run it all (`dynfrontier.warm_up`)."""

import json
import subprocess
import sys
from functools import partial

import pytest

import frontier as fr
from algorithms import analytics
from dynfrontier import warm_up
from frontier.operators.dispatch.gpu_balance import other_lanes
from frontier.runtime.compile import warm_up as loading
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

SCRIPT = PROJECT_ROOT / "tests" / "support" / "stream_loads.py"
FOLLOWING = ["none", *(name for name, known in analytics().items() if known.incremental)]
"""Analytics that follow a stream, including all that ``dynfrontier stream`` accepts."""


@pytest.mark.slow
@pytest.mark.parametrize("analytic", FOLLOWING)
@pytest.mark.timeout(1200)  # on an emulated GPU
@pytest.mark.sampled("analytic", of=7, on="cpu")
def test_streams_load_nothing(structure, device, analytic):
    """Batches from one edge to the largest kind, insertions and deletions, with a window and without."""
    done = subprocess.run(
        [sys.executable, SCRIPT, structure.name, device, analytic], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_batches_to_warm_up_are_no_larger_than_needed():
    """Larger ones are inserted by other kernels."""
    edges = fr.io.rmat(12, 64, seed=1)
    device = fr.advanced.resolve_device("cpu")
    for size in (1, 600, 40_000, 260_000):
        similar = warm_up.similar_graphs(fr.io.stream_edges(edges, size), device)
        largest = [-(-each.records // each.batches) for each in similar]
        assert max(largest[:-1]) <= max(size, warm_up.SMALL)
        bounds = warm_up.MOST["cpu"], -(-len(edges) // warm_up.LARGE_BATCHES)
        assert largest[-1] == min(max(size, warm_up.FEWEST), *bounds)


def test_alternatives_are_loaded_once_all_have_begun():
    done = []

    def begin(name):
        done.append(f"begin {name}")
        loading.add(name, partial(begin, name))  # as the kernels of an alternative are found in the same way
        return partial(done.append, f"load {name}")

    assert not loading.is_warming_up()
    with loading.warming_up():
        for name in ("a", "b", "a"):
            loading.add(name, partial(begin, name))
        assert loading.is_warming_up() and done == ["begin a", "begin b"]
    assert done == ["begin a", "begin b", "load a", "load b"] and not loading.is_warming_up()
    with pytest.raises(KeyError), loading.warming_up():
        loading.add("a", partial(begin, "a"))
        raise KeyError
    with loading.warming_up():
        pass
    assert done == ["begin a", "begin b", "load a", "load b", "begin a"]


def test_other_ways_take_turns():
    assert not loading.takes_alternative("a") and not loading.takes_alternative("a")
    with loading.warming_up():
        assert [loading.takes_alternative(name) for name in "aabab"] == [False, True, False, False, True]


def test_kernels_of_other_lanes():
    options = ("REDUCE", "Sum"), ("TILE_SIZE", "4"), ("HAS_OP", "1")
    assert other_lanes(options) == (("REDUCE", "Sum"), ("TILE_SIZE", "8"), ("HAS_OP", "1"))
    assert other_lanes(other_lanes(options)) == options
    assert other_lanes((("TILE_SIZE", "1"), ("BALANCE", "BY_THREAD"))) is None
    assert other_lanes(()) is None
