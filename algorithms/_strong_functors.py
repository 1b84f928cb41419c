"""Functors of `DynamicStronglyConnectedComponents`, whose arrays its module explains."""

from __future__ import annotations

import frontier as fr

from ._listed import enlist
from .bfs import UNREACHED as DETACHED

OUTSIDE = DETACHED - 1
TAIL, SUSPECT, FOUND = 1, 2, 4
"""Bits of marks: v is the tail of an arc that leads backward, an end of an arc that a component has lost, or searched
again."""


def list_tail(src, dst, edge, weight, labels, rank, mark, listed, number, room):
    """List the tail of an arc that leads backward in the order."""
    own = labels[src]
    other = labels[dst]
    if own != other and rank[own] >= rank[other] and fr.atomic_or(mark, src, TAIL) & TAIL == 0:
        enlist(src, listed, number, room)
    return False


def list_ends(
    src, dst, edge, weight, level, parent, cut, cuts, cut_room, level_in, parent_in, cut_in, cuts_in, cut_room_in,
    labels, mark, listed, number, room,
):  # fmt: skip
    """Cut the trees at a deleted arc, and list its ends if it was within a component without trees."""
    if labels[src] != labels[dst]:
        return False
    if level[src] != OUTSIDE:
        cut_tree(src, dst, level, parent, cut, cuts, cut_room)
        cut_tree(dst, src, level_in, parent_in, cut_in, cuts_in, cut_room_in)
        return False
    if fr.atomic_or(mark, src, SUSPECT) & SUSPECT == 0:
        enlist(src, listed, number, room)
    if fr.atomic_or(mark, dst, SUSPECT) & SUSPECT == 0:
        enlist(dst, listed, number, room)
    return False


def cut_tree(above, v, level, parent, listed, number, room):
    """Make v tentative if `above` was its parent, since the arc was deleted."""
    height = level[v]
    if parent[v] == above and height >= 0 and fr.atomic_cas(level, v, height, -1 - height) == height:
        parent[v] = -1
        enlist(v, listed, number, room)


def leads_back(src, dst, edge, weight, labels, rank):
    return labels[src] != labels[dst] and rank[labels[src]] >= rank[labels[dst]]


def is_between(v, labels, rank, pivot, sign, barrier, mark, limit, listed, number, room):
    """Whether v has a higher (lower) rank than the pivot, and was not found before. It is listed then."""
    label = labels[v]
    if (rank[label] - pivot) * sign <= 0 or mark[v] != 0 or number[0] > limit:
        return False
    if label == barrier:
        fr.atomic_add(number, 0, limit + 1)
        return False
    return is_new(v, mark, listed, number, room)


def reach(src, dst, edge, weight, labels, rank, pivot, sign, barrier, mark, limit, listed, number, room):
    return is_between(dst, labels, rank, pivot, sign, barrier, mark, limit, listed, number, room)


def is_new(v, mark, listed, number, room):
    """Whether v was not found before. It is listed then."""
    if fr.atomic_or(mark, v, FOUND) & FOUND:
        return False
    enlist(v, listed, number, room)
    return True


def gather(src, dst, edge, weight, labels, mark, limit, listed, number, room):
    if labels[dst] != labels[src] or mark[dst] != 0 or number[0] > limit:
        return False
    return is_new(dst, mark, listed, number, room)


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


def pass_on(src, dst, edge, weight, level, parent, most, listed, number, room):
    """Make the children of a tentative vertex tentative, unless too many are."""
    height = level[dst]
    if level[src] >= 0 or parent[dst] != src or height < 0 or number[0] > most:
        return False
    if fr.atomic_cas(level, dst, height, -1 - height) != height:
        return False
    parent[dst] = -1
    enlist(dst, listed, number, room)
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
