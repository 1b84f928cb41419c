"""Functors of `DynamicStronglyConnectedComponents`, whose arrays its module explains."""

from __future__ import annotations

from typing import Any, NamedTuple

import frontier as fr

from ._listed import enlist
from .bfs import UNREACHED as DETACHED

OUTSIDE = DETACHED - 1
TAIL, SUSPECT, FOUND = 1, 2, 4
"""Bits of marks: v is the tail of an arc that leads backward, an end of an arc that a component has lost, or searched
again."""


class Listing(NamedTuple):
    """A list of vertices, and the marks of its members."""

    labels: Any
    mark: Any
    listed: Any
    number: Any
    room: Any


class Tree(NamedTuple):
    """A spanning tree of a component, and the list of its tentative vertices."""

    level: Any
    parent: Any
    listed: Any
    number: Any
    room: Any


class Search(NamedTuple):
    """A search for up to `limit` vertices of higher (`sign` 1) or lower (-1) rank than `pivot`."""

    labels: Any
    rank: Any
    pivot: Any
    sign: Any
    barrier: Any
    """The label of a component that ends the search, or -1."""
    mark: Any
    limit: Any
    listed: Any
    number: Any
    room: Any


def list_once(state, v, bit):
    """List v unless its mark has this bit. Return whether it had not."""
    if fr.atomic_or(state.mark, v, bit) & bit:
        return False
    enlist(v, state.listed, state.number, state.room)
    return True


def list_tail(src, dst, edge, weight, rank, *args):
    """List the tail of an arc that leads backward in the order."""
    tails = Listing(*args)
    if is_backward(src, dst, tails.labels, rank):
        list_once(tails, src, TAIL)
    return False


def list_ends(src, dst, edge, weight, *args):
    """Cut the trees at a deleted arc, and list its ends if it was within a component without trees."""
    away = Tree(*args[:5])
    toward = Tree(*args[5:10])
    suspects = Listing(*args[10:])
    if suspects.labels[src] != suspects.labels[dst]:
        return False
    if away.level[src] != OUTSIDE:
        cut(away, src, dst)
        cut(toward, dst, src)
        return False
    list_once(suspects, src, SUSPECT)
    list_once(suspects, dst, SUSPECT)
    return False


def cut(tree, above, v):
    """Make v tentative if `above` was its parent, since the arc was deleted."""
    height = tree.level[v]
    if tree.parent[v] == above and height >= 0 and fr.atomic_cas(tree.level, v, height, -1 - height) == height:
        tree.parent[v] = -1
        enlist(v, tree.listed, tree.number, tree.room)


def leads_back(src, dst, edge, weight, labels, rank):
    return is_backward(src, dst, labels, rank)


def is_backward(src, dst, labels, rank):
    """Whether an arc leads backward in the order of components."""
    own = labels[src]
    other = labels[dst]
    return own != other and rank[own] >= rank[other]


def finds(search, v):
    """Whether v has a higher (lower) rank than the pivot, and was not found before. It is listed then."""
    label = search.labels[v]
    beyond = (search.rank[label] - search.pivot) * search.sign > 0
    if not beyond or search.mark[v] != 0 or search.number[0] > search.limit:
        return False
    if label == search.barrier:
        fr.atomic_add(search.number, 0, search.limit + 1)
        return False
    return list_once(search, v, FOUND)


def is_between(v, *args):
    return finds(Search(*args), v)


def reach(src, dst, edge, weight, *args):
    return finds(Search(*args), dst)


def is_new(v, *args):
    """Whether v was not found before. It is listed then."""
    return list_once(Listing(*args), v, FOUND)


def gather(src, dst, edge, weight, limit, *args):
    found = Listing(*args)
    if found.labels[dst] != found.labels[src] or found.mark[dst] != 0 or found.number[0] > limit:
        return False
    return list_once(found, dst, FOUND)


def is_inner(src, dst, edge, weight, local, labels, pivot, within):
    """Whether the arc leads to a vertex that is searched again, or to the pivot."""
    return (local[dst] >= 0 or labels[dst] == pivot) and (not within or labels[src] == labels[dst])


def is_of_pivot(src, dst, edge, weight, local, labels, pivot, within):
    """Whether the pivot points to `src`, from `dst`."""
    return local[dst] < 0 and labels[dst] == pivot and (not within or labels[src] == pivot)


def deepen(src, dst, edge, weight, labels, depth):
    deep = depth[src]
    if labels[src] != labels[dst]:
        deep += 1
    return depth[dst] < deep and fr.atomic_max(depth, dst, deep) < deep


def give_label(v, labels, label, new):
    if labels[v] == label:
        labels[v] = new


def plant(v, labels, label, hub, level, parent):
    """Detach v if it is in the component of the hub, which becomes the root."""
    parent[v] = -1
    level[v] = OUTSIDE
    if labels[v] == label:
        level[v] = 0 if v == hub else DETACHED


def adopt(src, dst, edge, weight, level, parent):
    """Attach a tentative src to dst if dst is settled and of smaller level."""
    tentative = level[src]
    other = level[dst]
    own = -1 - tentative
    if tentative < 0 and 0 <= other < own and fr.atomic_cas(level, src, tentative, own) == tentative:
        parent[src] = dst
    return False


def pass_on(src, dst, edge, weight, most, *args):
    """Make the children of a tentative vertex tentative, unless too many are."""
    tree = Tree(*args)
    height = tree.level[dst]
    if tree.level[src] >= 0 or tree.parent[dst] != src or height < 0 or tree.number[0] > most:
        return False
    if fr.atomic_cas(tree.level, dst, height, -1 - height) != height:
        return False
    tree.parent[dst] = -1
    enlist(dst, tree.listed, tree.number, tree.room)
    return True


def detach(v, level, parent):
    """Detach v, once, if it is still tentative."""
    height = level[v]
    return height < 0 and fr.atomic_cas(level, v, height, DETACHED) == height


def attach_to_neighbor(src, dst, edge, weight, level, parent):
    """Attach a detached src to dst if dst is attached."""
    height = level[dst]
    if height < OUTSIDE and fr.atomic_cas(level, src, DETACHED, height + 1) == DETACHED:
        parent[src] = dst
    return False


def attach(src, dst, edge, weight, level, parent):
    """Attach a detached dst to src if src is attached."""
    height = level[src]
    if height < OUTSIDE and level[dst] == DETACHED and fr.atomic_cas(level, dst, DETACHED, height + 1) == DETACHED:
        parent[dst] = src
        return True
    return False


def is_detached(v, level, parent):
    return level[v] == DETACHED
