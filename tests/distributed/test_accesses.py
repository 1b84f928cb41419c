"""The entries of arrays that functors read and write, from their text."""

from typing import Any, NamedTuple

import frontier as fr
from frontier.distributed.exchange.accesses import accesses_of


class Search(NamedTuple):
    distance: Any
    near: Any
    unreached: Any


def length(search, v):
    return search.distance[v]


def mark(search, v):
    fr.atomic_or(search.near, (v, 0), 1)


def reach(src, dst, edge, weight, step, *args):
    search = Search(*args)
    if length(search, dst) >= search.unreached:
        mark(search, src)
    return fr.atomic_min(search.distance, dst, step + search.distance[edge]) > step


def reach_from(src, dst, edge, weight, step, *args):
    return reach(src, dst, edge, weight, step, *args) and Search(*args).near[search_of(src)][0] > 0


def search_of(v):
    return v


def rename(v, *args):
    near = Search(*args).near
    return near[v, 0]


def choose(v, *args):
    search = Search(*args)
    fr.atomic_add(search.near if v > 2 else search.distance, v, 1)


def assign_two(v, *args):
    search, u = Search(*args), v
    search.distance[u] = 1


def give_by_name(v, *args):
    return length(Search(*args), v=v)


def ignore(v, total, *args):
    return total[v]


def split(v, *args):
    return Search(*args[:3]).near[v][0]


def found(function):
    return {name: (use.reads, use.writes) for name, use in accesses_of(function).items() if use.reads | use.writes}


def test_fields_of_named_tuples():
    expected = {"Search.distance": ({"dst", "edge"}, {"dst"}), "Search.near": (set(), {"src"})}
    assert found(reach) == expected
    names = ["src", "dst", "edge", "weight", "step", "Search.distance", "Search.near", "Search.unreached"]
    assert list(accesses_of(reach_from)) == names
    assert found(reach_from) == expected | {"Search.near": ({"?"}, {"src"})}
    assert found(rename) == {"Search.near": ({"v"}, set())}
    assert found(choose) == {name: ({"?"}, {"?"}) for name in ("Search.distance", "Search.near")}
    anywhere = {f"Search.{name}": ({"?"}, {"?"}) for name in Search._fields}
    assert found(assign_two) == anywhere | {"v": ({"?"}, {"?"})}
    assert found(give_by_name) == anywhere
    assert found(ignore) == {"total": ({"v"}, set())}
    assert accesses_of(split) is None  # which counts as any access
