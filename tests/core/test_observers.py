"""Observers: what analytics that are maintained incrementally are notified of, and what happens when one fails."""

import gc

import pytest
from model import random_batch, to_host
from recorder import Recorder

import frontier as fr


@pytest.fixture
def watched(new, rng, directed):
    pair = new(*random_batch(rng, 30, 100, "float32"), num_vertices=30, directed=directed)
    return pair, Recorder(pair.graph, [(u, v) for u, v, _ in pair.model.edges()])


def same(watched):
    pair, recorder = watched
    assert recorder.edges == {(u, v) for u, v, _ in pair.model.edges()}
    pair.check()


@pytest.mark.parametrize("on_existing", ["replace", "keep", "add"])
def test_edges(watched, rng, on_existing):
    pair, _ = watched
    for size in (1, 60, 300):
        pair.insert(*random_batch(rng, 30, size, "float32"), on_existing=on_existing)
        same(watched)
        pair.delete(*random_batch(rng, 30, size)[:2])
        same(watched)


def test_vertices(watched):
    pair, recorder = watched
    pair.delete_vertices([1, 4, 5])
    assert recorder.vertex_changes == 1
    same(watched)
    pair.insert_vertices([4])
    assert recorder.vertex_changes == 2
    pair.insert_vertices(3)
    assert recorder.vertex_changes == 3
    pair.insert([4, 30], [30, 4], [1, 2])
    same(watched)


def test_batches_without_effect(watched):
    pair, _ = watched
    edges = pair.model.edges()
    pair.insert([u for u, _, _ in edges], [v for _, v, _ in edges], [5] * len(edges))
    pair.insert([3, 4], [3, 4])
    pair.delete([3, 4], [3, 4])
    same(watched)


def test_bad_batches_are_not_told(watched):
    pair, recorder = watched
    before = set(recorder.edges)
    for act in (pair.graph.insert_edges, pair.graph.delete_edges):
        with pytest.raises(ValueError, match="outside"):
            act([0, 1], [2, 30])
    assert (recorder.edges, recorder.leaving) == (before, None)
    same(watched)


def test_detach(watched, rng):
    pair, recorder = watched
    before = set(recorder.edges)
    pair.graph.detach(recorder)
    pair.insert(*random_batch(rng, 30, 300, "float32"))
    assert recorder.edges == before


def test_graphs_do_not_keep_observers_alive(new):
    pair = new([0], [1], num_vertices=3)
    recorder = Recorder(pair.graph, {(0, 1)})
    del recorder
    gc.collect()
    pair.insert([1], [2])
    pair.check()


def test_several(watched, rng):
    pair, first = watched
    second = Recorder(pair.graph, first.edges)
    pair.insert(*random_batch(rng, 30, 100, "float32"))
    assert first.edges == second.edges
    same(watched)


class Everything(fr.UpdateObserver):
    """Stores the arcs that it is notified of, in order."""

    exact = False

    def __init__(self, graph):
        self.graph = graph
        self.arcs = []
        graph.attach(self)

    def edges_inserted(self, src, dst):
        src, dst = to_host(self.graph, src), to_host(self.graph, dst)
        self.arcs.append([(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u >= 0])

    edges_deleting = edges_deleted = edges_inserted


def test_who_is_not_exact_gets_batches_as_they_come(new):
    pair = new([0], [1], num_vertices=5)
    watcher = Everything(pair.graph)
    pair.insert([0, 2, 3, 2], [1, 2, 4, 1])
    both = {(0, 1), (1, 0), (3, 4), (4, 3), (2, 1), (1, 2)}  # the loop is gone, the earlier edges are not
    assert set(watcher.arcs.pop()) == both
    pair.delete([3, 0], [4, 3])
    assert set(watcher.arcs.pop()) == set(watcher.arcs.pop()) == {(3, 4), (4, 3), (0, 3), (3, 0)}
    assert not watcher.arcs


def test_only_observers_are_attached(new):
    with pytest.raises(TypeError, match="observer"):
        new([0], [1], num_vertices=5).graph.attach(object())


# ---- attached where, and how often ---------------------------------------------------------------------------------


class Counter(fr.UpdateObserver):
    """Counts its calls."""

    def __init__(self):
        self.calls = []
        self.failure = None

    def edges_inserted(self, src, dst):
        self.calls.append("edges_inserted")

    def edges_deleting(self, src, dst):
        self.calls.append("edges_deleting")

    def edges_deleted(self, src, dst):
        self.calls.append("edges_deleted")

    def vertices_changed(self):
        self.calls.append("vertices_changed")

    def detached(self):
        self.calls.append("detached")

    def failed(self, method, error):
        self.failure = method, error


def test_attached_twice_is_once(new):
    pair, counter = new([0], [1], num_vertices=5), Counter()
    pair.graph.attach(counter)
    pair.graph.attach(counter)
    pair.insert([1], [2])
    assert counter.calls == ["edges_inserted"]
    pair.graph.detach(counter)
    pair.graph.detach(counter)
    pair.insert([1], [3])
    assert counter.calls == ["edges_inserted", "detached"]


def test_an_observer_watches_one_graph(new):
    first, second, counter = new([0], [1], num_vertices=5), new([0], [1], num_vertices=5), Counter()
    first.graph.attach(counter)
    with pytest.raises(ValueError, match="one graph at a time"):
        second.graph.attach(counter)
    second.insert([1], [2])
    assert not counter.calls
    first.graph.detach(counter)
    second.graph.attach(counter)
    first.insert([1], [2])
    second.insert([1], [3])
    assert counter.calls == ["detached", "edges_inserted"]


def test_a_copy_has_no_observers(watched):
    pair, recorder = watched
    twin = pair.graph.copy()
    twin.delete_edges(*twin.to_coo()[:2])
    twin.delete_vertices([3])
    same(watched)
    with pytest.raises(ValueError, match="one graph at a time"):
        twin.attach(recorder)


def test_an_observer_that_stands_in_for_another(new):
    pair, first, other, last = new([0], [1], num_vertices=5), Counter(), Counter(), Counter()
    with pytest.raises(ValueError, match="instead_of"):
        pair.graph.attach(other, instead_of=first)
    pair.graph.attach(first)
    pair.graph.attach(last)
    pair.graph.attach(other, instead_of=first)
    pair.insert([1], [2])
    assert (first.calls, other.calls, last.calls) == ([], ["edges_inserted"], ["edges_inserted"])
    with pytest.raises(ValueError, match="already"):
        pair.graph.attach(first)


# ---- observers that fail -------------------------------------------------------------------------------------------


class Failing(Counter):
    """Raises in one of its methods."""

    def __init__(self, graph, method, error=None, exact=True):
        super().__init__()
        self.exact = exact
        self.error = error or KeyError("for the test")
        setattr(self, method, self._fail)
        graph.attach(self)

    def _fail(self, *_):
        raise self.error


METHODS = {
    "edges_inserted": ("insert_edges", [3, 4], [4, 5]),
    "edges_deleting": ("delete_edges", [0, 1], [1, 2]),
    "edges_deleted": ("delete_edges", [0, 1], [1, 2]),
    "vertices_changed": ("insert_vertices", 4),
}


def watch(new, method, **options):
    """A pair, and three observers of it, the second of which fails."""
    pair = new([0, 1, 2], [1, 2, 3], [1, 1, 1], num_vertices=8)
    first = Recorder(pair.graph, [(0, 1), (1, 2), (2, 3)])
    failing = Failing(pair.graph, method, **options)
    return pair, first, failing, Recorder(pair.graph, first.edges)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_failure_does_not_keep_others_from_being_told(new, method, exact):
    """The update is made, all other observers are notified, and the caller gets both errors."""
    pair, first, failing, last = watch(new, method, exact=exact)
    name, *args = METHODS[method]
    with pytest.raises(fr.ObserverError, match=r"update was made.*Failing raised KeyError: 'for the test'") as caught:
        getattr(pair.graph, name)(*args)
    made = getattr(pair.model, name)(*args)
    result = caught.value.result
    assert (to_host(pair.graph, result).tolist() if name == "insert_vertices" else result) == made
    assert caught.value.failures == [(failing, failing.error)]
    assert caught.value.__cause__ is failing.error
    assert failing.failure == (method, failing.error)
    for recorder in (first, last):
        same((pair, recorder))
        assert recorder.vertex_changes == (method == "vertices_changed")
    failing.calls.clear()
    pair.insert([5], [6], [1])
    pair.delete([5], [6])
    pair.delete_vertices([2])
    assert not failing.calls, "it is notified still"
    same((pair, first))
    same((pair, last))


@pytest.mark.parametrize("method", ["edges_deleting", "edges_deleted", "vertices_changed"])
def test_failures_while_vertices_are_deleted(new, method):
    pair, first, _, last = watch(new, method)
    with pytest.raises(fr.ObserverError) as caught:
        pair.graph.delete_vertices([1, 7])
    assert caught.value.result == pair.model.delete_vertices([1, 7]) == fr.advanced.UpdateResult(deleted=2)
    same((pair, first))
    same((pair, last))
    assert first.vertex_changes == last.vertex_changes == 1


@pytest.mark.parametrize("method", ["edges_inserted", "edges_deleting", "edges_deleted"])
def test_failures_while_weights_are_added(new, method):
    """An update of two steps makes both."""
    pair, first, _, last = watch(new, method)
    batch = [0, 3], [1, 4], [-5, 2]
    with pytest.raises(fr.ObserverError) as caught:
        pair.graph.insert_edges(*batch, on_existing="add")
    assert caught.value.result == pair.model.insert_edges(*batch, on_existing="add")
    same((pair, first))
    same((pair, last))


def test_several_failures(new):
    pair, first, failing, _ = watch(new, "edges_inserted")
    another = Failing(pair.graph, "edges_inserted", ValueError("as well"))
    with pytest.raises(fr.ObserverError, match=r"for the test.*as well") as caught:
        pair.graph.insert_edges([3], [4])
    pair.model.insert_edges([3], [4])
    assert caught.value.failures == [(failing, failing.error), (another, another.error)]
    assert caught.value.__cause__.exceptions == (failing.error, another.error)
    same((pair, first))


def test_memory_that_an_observer_lacks_is_not_the_graphs(new):
    """A MemoryError reports that the graph is unchanged."""
    pair, first, *_ = watch(new, "edges_inserted", error=MemoryError("for the test"))
    with pytest.raises(fr.ObserverError, match="MemoryError"):
        pair.graph.insert_edges([3], [4])
    pair.model.insert_edges([3], [4])
    same((pair, first))


def test_interrupts_stay_interrupts(new):
    pair, first, _, last = watch(new, "edges_deleted", error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt) as caught:
        pair.graph.delete_edges([0], [1])
    assert "the update was made" in caught.value.__notes__[0]
    pair.model.delete_edges([0], [1])
    same((pair, first))
    same((pair, last))


@pytest.mark.parametrize("method", ["edges_deleting", None])
def test_a_deletion_that_fails(new, monkeypatch, method):
    """Observers were notified of edges to delete, which then stay."""
    pair = new([0, 1, 2], [1, 2, 3], num_vertices=8)
    counter = Counter()
    pair.graph.attach(counter)
    failing = Failing(pair.graph, method) if method else None

    def no_memory(*_):
        raise MemoryError("no memory left, for the test")

    with monkeypatch.context() as patch, pytest.raises(MemoryError) as caught:
        patch.setattr(pair.graph.store, "erase", no_memory)
        pair.graph.delete_edges([0], [1])
    assert counter.calls == ["edges_deleting"]
    pair.check()
    if failing is not None:
        assert "Failing failed and was detached" in caught.value.__notes__[0]
        assert failing.failure == (method, failing.error)
    pair.insert([3], [4])  # with nothing left over of the failure
    assert counter.calls == ["edges_deleting", "edges_inserted"]


def test_a_search_for_edges_that_fails(new):
    """Nothing has changed yet, and the observer has not failed."""
    pair = new([0, 1], [1, 2], num_vertices=8)
    failing = Failing(pair.graph, "find_edges")
    with pytest.raises(KeyError):
        pair.graph.insert_edges([3], [4])
    pair.check()
    assert failing.failure is None


class Meddler(Counter):
    """Changes the graph that it is notified of."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        graph.attach(self)

    def edges_inserted(self, src, dst):
        self.graph.delete_edges(src, dst)


def test_observers_must_not_change_the_graph(new):
    pair = new([0], [1], num_vertices=5)
    meddler = Meddler(pair.graph)
    with pytest.raises(fr.ObserverError, match="must not change the graph"):
        pair.graph.insert_edges([1], [2])
    pair.model.insert_edges([1], [2])
    pair.check()
    assert meddler.failure[0] == "edges_inserted"


class Leaver(Counter):
    """Detaches itself, and another one."""

    def __init__(self, graph, other):
        super().__init__()
        self.graph, self.other = graph, other
        graph.attach(self)

    def edges_inserted(self, src, dst):
        super().edges_inserted(src, dst)
        self.graph.detach(self)
        self.graph.detach(self.other)


def test_detached_while_others_are_told(new):
    pair, other = new([0], [1], num_vertices=5), Counter()
    leaver = Leaver(pair.graph, other)
    pair.graph.attach(other)
    pair.insert([1], [2])
    pair.insert([1], [3])
    assert leaver.calls == ["edges_inserted", "detached"]
    assert other.calls == ["detached"]


class Recomputing(Recorder):
    """It finds the edges of batches above a size in the graph, and is notified of none of them."""

    most = 50

    def __init__(self, graph, edges):
        self.asked, self.told = [], []
        super().__init__(graph, edges)

    def recomputes(self, update, edges):
        self.asked.append((update, edges))
        return edges > self.most

    def outdated(self, edges):
        self.told.append(edges)
        self.edges = self._pairs(*self.graph.to_coo()[:2])


def test_observers_that_recompute_are_told_of_no_edges(new, rng, directed, monkeypatch):
    """None are looked up for them, nor do they learn of a batch that is refused."""
    pair = new(*random_batch(rng, 30, 100, "float32"), num_vertices=30, directed=directed)
    pair.graph.store.max_small_batch = 0  # by the short way the edges are found with the batch
    recorder = Recomputing(pair.graph, [(u, v) for u, v, _ in pair.model.edges()])
    looked_up = []
    monkeypatch.setattr(recorder, "find_edges", lambda find: looked_up.append(1) or find())
    for update in (pair.insert, pair.delete) * 2:
        for size in (300, 40):
            before, looked = pair.graph.num_edges, len(looked_up)
            update(*random_batch(rng, 30, size, "float32")[: 3 if update == pair.insert else 2])
            assert recorder.edges == {(u, v) for u, v, _ in pair.model.edges()}
            assert (len(looked_up) == looked) == (size == 300)
            if size == 300:
                assert recorder.told[-1] == abs(pair.graph.num_edges - before)
    assert [edges > recorder.most for _, edges in recorder.asked] == [True, False] * 4 and len(recorder.told) == 4
    with pytest.raises(ValueError, match="outside"):
        pair.graph.delete_edges([0, 99] * 100, [1, 2] * 100)
    asked = len(recorder.asked)
    with fr.advanced.warming_up():
        pair.insert(*random_batch(rng, 30, 300, "float32"))
    assert recorder.edges == {(u, v) for u, v, _ in pair.model.edges()}
    assert len(recorder.asked) == asked and len(recorder.told) == 4
