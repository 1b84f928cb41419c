"""The batch size that meets a latency objective: where it settles, and how it gets there."""

import numpy as np
import pytest

from dynfrontier import Pipeline
from dynfrontier.pipeline.objective import LARGEST, SMALLEST, BatchSize, Objective
from structures import CSR


def test_objectives_as_text():
    assert Objective.parse("p99<5ms") == Objective(0.99, 0.005)
    assert Objective.parse(" p99.9 <= 250us ") == Objective(0.999, 250e-6)
    assert Objective.parse("p50<2s") == Objective(0.5, 2.0)
    for wrong in ("5ms", "p99", "p99<5", "p0<5ms", "p100<5ms", "p99<0ms", "p99>5ms", "max<5ms"):
        with pytest.raises(ValueError, match="objective must be a percentile and a time"):
            Objective.parse(wrong)
    with pytest.raises(TypeError, match="objective must be a string"):
        Objective.parse(5)


def simulate(text, latency, batches, start=65536, seed=1):
    """Sizes, and which batches exceeded the limit, with `latency(size, rng)` for the time of each."""
    rng = np.random.default_rng(seed)
    control = BatchSize(Objective.parse(text), start)
    sizes, late = [], []
    for _ in range(batches):
        seconds = latency(control.size, rng)
        sizes.append(control.size)
        late.append(seconds > control.objective.seconds)
        control.observe(control.size, seconds)
    return np.array(sizes), np.array(late)


def linear(size, rng):
    return 0.5e-3 + size * 1e-8


def noisy(size, rng):
    return (0.5e-3 + size * 1e-8) * rng.lognormal(0, 0.4)


@pytest.mark.parametrize("start", [64, 65536, 1 << 22])
@pytest.mark.parametrize("text, share", [("p99<5ms", 0.01), ("p90<5ms", 0.1), ("p50<5ms", 0.5)])
def test_it_settles_where_the_share_of_late_batches_is_that_of_the_objective(start, text, share):
    sizes, late = simulate(text, noisy, 12_000, start)
    assert late[2000:].mean() == pytest.approx(share, rel=0.25)
    assert np.abs(np.diff(np.log2(sizes[2000:]))).max() <= 1 + 1e-3


def test_it_gets_there_in_few_batches():
    sizes, late = simulate("p99<5ms", linear, 1000, start=64)
    best = (5e-3 - 0.5e-3) / 1e-8
    assert np.argmax(sizes > best / 2) < 60  # from 64 to 225,000
    assert late[:100].sum() <= 2 and (sizes[60:] > 0.45 * best).all() and (sizes <= 1.26 * best).all()


def test_it_follows_a_machine_that_becomes_slower_and_faster():
    control = BatchSize(Objective.parse("p99<5ms"), 65536)
    for factor in (1, 10, 1):
        for _ in range(2000):
            control.observe(control.size, factor * control.size * 1e-8)
        assert 0.45 < control.size * factor * 1e-8 / 5e-3 <= 1.26


def test_an_outlier_costs_one_step():
    control = BatchSize(Objective.parse("p99<5ms"), 65536)
    control.observe(65536, 30.0)
    assert control.size == 32768


def test_batches_that_the_source_has_cut_short_tell_nothing():
    control = BatchSize(Objective.parse("p99<5ms"), 65536)
    for _ in range(100):
        control.observe(10, 1e-6)
    assert control.size == 65536
    control.observe(10, 1.0)
    assert control.size == 32768


def test_it_has_bounds():
    assert simulate("p99<1s", lambda size, rng: 0, 200)[0].max() == LARGEST
    assert simulate("p99<1ms", lambda size, rng: 1, 200)[0].min() == SMALLEST


def test_the_pipeline_by_a_clock_of_its_own(monkeypatch):
    """Each row of a batch costs a microsecond."""
    now = [0.0]
    monkeypatch.setattr("dynfrontier.pipeline.pipeline.clock", lambda: now[0])
    graph = CSR(1000, device="cpu")
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 1000, (2, 60_000))
    insert = graph.insert_edges

    def slow(src, dst, *args, **options):
        now[0] += 1e-6 * src.size
        return insert(src, dst, *args, **options)

    monkeypatch.setattr(graph, "insert_edges", slow)
    pipeline = Pipeline((src, dst), graph, objective="p90<1ms", batch_size=100)
    sizes = [batch.records for batch in pipeline]
    assert sum(sizes) == 60_000 and sizes[0] == 100 and max(sizes) <= 1250
    assert np.median(sizes[20:]) > 500 and (np.array(sizes) > 1000).mean() < 0.2
