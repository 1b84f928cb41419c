"""Functors of `DynamicDistances`, whose arrays its module explains, and the steps of small batches."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import frontier as fr

from ._listed import enlist
from .shortest_path_tree import unit_length

SETTLED = 0
TENTATIVE = 1
CHANGED = 2
GIVEN_UP, LEVELS, BEFORE = range(3)
"""Indices into `bad`: 1 if distances must be recomputed, the number of levels that traversals have had since results
were last read, and that number at the start of a traversal."""
STEPS = fr.advanced.StepCounter(1)


class Repair(NamedTuple):
    """The arguments of functors: arrays that the module of `DynamicDistances` explains, and a list of vertices."""

    distance: Any
    predecessor: Any
    state: Any
    flat: Any
    bad: Any
    unreached: Any
    both_ways: Any
    """Whether the graph is undirected."""
    listed: Any
    number: Any
    room: Any

    def listing(self, listed: Any, number: Any, room: Any) -> Repair:
        """The same with another list."""
        return self._replace(listed=listed, number=number, room=room)


def is_in_tree(src, dst, edge, weight, predecessor):
    return predecessor[dst] == src


def mark_without_looking(src, dst, edge, weight, *args):
    tree = Repair(*args)
    start(tree)
    if tree.predecessor[dst] != src or tree.bad[GIVEN_UP]:
        return False
    tree.predecessor[dst] = -1
    make_tentative(tree, dst)
    return True


def forget(v, tentative, most, *args):
    tree = Repair(*args)
    start(tree)
    if tentative[0] > most:
        tree.bad[GIVEN_UP] = 1
    if tree.bad[GIVEN_UP] or tree.state[v] != TENTATIVE:
        return False
    tree.state[v] = SETTLED if tree.both_ways else CHANGED
    tree.distance[v] = tree.unreached
    tree.predecessor[v] = -1
    if not tree.both_ways:
        enlist(v, tree.listed, tree.number, tree.room)
    return True


def settle(v, state):
    state[v] = SETTLED


def take_changed(v, state):
    if state[v] != CHANGED:
        return False
    state[v] = SETTLED
    return True


def extends(own, length, unreached, bad):
    """Whether a path of length `own` can be extended along an edge. Sets `bad` if the edge's length is negative, or the
    vertex is reached but the sum overflows. For use in functors."""
    if 0 <= length < unreached - own:
        return True
    if not length >= 0 or (own < unreached and length < math.inf):
        bad[0] = 1
    return False


def is_tight(tree, v, u, length):
    """Whether a shortest path to v leads over u, which is nearer, and an edge of this length."""
    own = tree.distance[v]
    nearer = tree.distance[u]
    return nearer < own and nearer + length == own


def has_settled_parent(tree, v):
    """Whether v has a settled parent, or found one meanwhile."""
    parent = tree.predecessor[v]
    return parent >= 0 and tree.state[parent] == SETTLED


def make_tentative(tree, v):
    """Make v tentative, and list it."""
    tree.state[v] = TENTATIVE
    enlist(v, tree.listed, tree.number, tree.room)


def pass_to_child(tree, v, u, most):
    """Make u tentative if it is a settled child of v, and few are tentative. Return whether."""
    if tree.predecessor[u] != v or tree.state[u] != SETTLED or tree.number[0] > most:
        return False
    make_tentative(tree, u)
    return True


def relax_edge(tree, v, u, length):
    """Lower the distance of u to the length of the path over v and this edge. Return whether it was greater."""
    own = tree.distance[v]
    other = tree.distance[u]
    # A vertex is advanced after the last change of its distance, and then identifies its predecessor.
    if tree.both_ways and own < tree.unreached and is_tight(tree, v, u, length):
        tree.predecessor[v] = u
    if not extends(own, length, tree.unreached, tree.bad):
        return False
    through = own + length
    if through < other and fr.atomic_min(tree.distance, u, through) > through:
        if through == own:
            tree.flat[0] = 1
        if not tree.both_ways and tree.state[u] != CHANGED:
            tree.state[u] = CHANGED
            enlist(u, tree.listed, tree.number, tree.room)
        return True
    return False


def start(tree):
    """Note the number of levels before the next traversal."""
    if tree.bad[BEFORE] < tree.bad[LEVELS]:
        tree.bad[BEFORE] = tree.bad[LEVELS]


def goes_on(tree, step, most):
    """Whether a traversal continues at this step. Otherwise it ends, and the repair is given up."""
    levels = tree.bad[BEFORE] + step
    if levels > most:
        tree.bad[GIVEN_UP] = 1
        return False
    if tree.bad[LEVELS] < levels:
        tree.bad[LEVELS] = levels
    return True


class RepairFunctors(NamedTuple):
    """The functors that depend on edge lengths."""

    relax: Callable
    relax_levels: Callable
    relax_listed: Callable
    mark_tentative: Callable
    adopt_or_pass_on: Callable
    adopt: Callable
    pass_on: Callable
    pull: Callable
    find_parent: Callable


@functools.cache
def repair_functors(length_of: Callable) -> RepairFunctors:
    """The functors for this edge length."""

    def relax(src, dst, edge, weight, *args):
        return relax_edge(Repair(*args), src, dst, length_of(weight))

    def relax_levels(src, dst, edge, weight, step, levels, *args):
        tree = Repair(*args)
        return goes_on(tree, step, levels) and relax_edge(tree, src, dst, length_of(weight))

    def mark_tentative(src, dst, edge, weight, *args):
        tree = Repair(*args)
        length = length_of(weight)
        if not length >= 0:
            tree.bad[0] = 1
            return True
        if tree.predecessor[dst] != src:
            return False
        own = tree.distance[src]
        if edge < 0 or not length < tree.unreached - own or own + length > tree.distance[dst]:
            tree.predecessor[dst] = -1
            make_tentative(tree, dst)
            return True
        return False

    # Several threads decide on one vertex concurrently, and may read outdated states. But a vertex that becomes
    # tentative visits all its edges in the next step, and makes all its children of that time tentative, including
    # vertices that adopted it meanwhile. So no settled vertex remains below a tentative one.
    def adopt_or_pass_on(src, dst, edge, weight, step, levels, most, *args):
        tree = Repair(*args)
        if not goes_on(tree, step, levels):
            return False
        if has_settled_parent(tree, src):
            tree.state[src] = SETTLED
            return False
        if tree.both_ways and tree.state[dst] == SETTLED and is_tight(tree, src, dst, length_of(weight)):
            tree.predecessor[src] = dst
            tree.state[src] = SETTLED
            return False
        return pass_to_child(tree, src, dst, most)

    # The same in two steps: first along the edges that enter `src`, then along its out-edges.
    def adopt(src, dst, edge, weight, *args):
        tree = Repair(*args)
        if has_settled_parent(tree, src):
            tree.state[src] = SETTLED
        elif tree.state[dst] == SETTLED and is_tight(tree, src, dst, length_of(weight)):
            tree.predecessor[src] = dst
            tree.state[src] = SETTLED
        return False

    def pass_on(src, dst, edge, weight, step, levels, most, *args):
        tree = Repair(*args)
        return goes_on(tree, step, levels) and tree.state[src] == TENTATIVE and pass_to_child(tree, src, dst, most)

    def pull(src, dst, edge, weight, *args):
        tree = Repair(*args)
        length = length_of(weight)
        other = tree.distance[dst]
        if not extends(other, length, tree.unreached, tree.bad):
            return False
        through = other + length
        if through < tree.distance[src] and fr.atomic_min(tree.distance, src, through) > through and through == other:
            tree.flat[0] = 1
        return False

    def find_parent(src, dst, edge, weight, *args):
        tree = Repair(*args)
        if tree.distance[src] < tree.unreached and is_tight(tree, src, dst, length_of(weight)):
            tree.predecessor[src] = dst
        return False

    def relax_unit(src, dst, edge, weight, *args):
        tree = Repair(*args)
        start(tree)
        return not tree.bad[GIVEN_UP] and relax_edge(tree, src, dst, 1)

    # Edges of length 1 need not be looked up. Edges of a batch are in the graph after an insertion, and absent after a
    # deletion. A parallel edge may remain, along which the vertex then finds its parent again.
    of_batches = (relax_unit, mark_without_looking) if length_of is unit_length else (relax, mark_tentative)
    return RepairFunctors(relax, relax_levels, *of_batches, adopt_or_pass_on, adopt, pass_on, pull, find_parent)


@functools.cache
def batch_steps(length_of: Callable, directed: bool) -> tuple[Callable, Callable]:
    """Steps for small batches of edges of this length: relaxation from inserted edges, and repair below deleted edges.

    In directed graphs with in-edges, a step cannot alternate between the edges in and out until nothing changes. So
    only vertices that lost their tree edges look for other parents, once, and every vertex below one that found none is
    cut off. Vertices with new distances find their parents at the end.

    The repair is given up once all traversals since results were last read have more than `levels` levels in total.
    """
    functors = repair_functors(length_of)
    entering = "in" if directed else "out"

    def relax(graph, near, levels, changing):
        fr.traverse(graph, near, functors.relax_levels, STEPS, levels, *changing)
        if not directed:
            return
        changed = fr.filter(fr.Frontier.listed(graph, changing.listed, changing.number), take_changed, changing.state)
        fr.advanced.clear(changing.number)
        if changed:
            fr.traverse(graph, changed, functors.find_parent, *changing, edges="in", max_steps=1)

    def improve(graph, src, dst, levels, listed, number, room, *args):
        changing = Repair(*args).listing(listed, number, room)
        improved = fr.visit_edges(graph, src, dst, functors.relax_listed, *changing)
        if improved:
            relax(graph, improved, levels, changing)

    def repair(graph, src, dst, levels, most, listed, number, room, *args):
        tree = Repair(*args)
        changing = tree.listing(listed, number, room)
        fr.advanced.clear(tree.number)
        tentative = fr.visit_edges(graph, src, dst, functors.mark_tentative, *tree)
        if not tentative:
            return
        if directed:
            fr.traverse(graph, tentative, functors.adopt, *tree, edges="in", max_steps=1)
        pass_on = functors.pass_on if directed else functors.adopt_or_pass_on
        fr.traverse(graph, tentative, pass_on, STEPS, levels, most, *tree)
        listed = fr.Frontier.listed(graph, tree.listed, tree.number)
        cut_off = fr.filter(listed, forget, tree.number, most, *changing)
        if not cut_off:
            return
        fr.traverse(graph, cut_off, functors.pull, *changing, edges=entering, max_steps=1)
        relax(graph, cut_off, levels, changing)

    return improve, repair
