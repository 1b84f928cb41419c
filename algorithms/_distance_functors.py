"""Functors of `DynamicDistances`, whose arrays its module explains, and the steps of small batches."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import frontier as fr

from ._listed import enlist
from .shortest_path_tree import unit_length

SETTLED = 0
TENTATIVE = 1
CHANGED = 2


def is_in_tree(src, dst, edge, weight, predecessor):
    return predecessor[dst] == src


def mark_without_looking(
    src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
):  # fmt: skip
    if predecessor[dst] != src:
        return False
    predecessor[dst] = -1
    state[dst] = TENTATIVE
    enlist(dst, listed, number, room)
    return True


def forget(
    v, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room, tentative, most
):  # fmt: skip
    if tentative[0] > most:
        bad[0] = 1
        return False
    if state[v] != TENTATIVE:
        return False
    state[v] = SETTLED if both_ways else CHANGED
    distance[v] = unreached
    predecessor[v] = -1
    if not both_ways:
        enlist(v, listed, number, room)
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


class RepairFunctors(NamedTuple):
    """The functors that depend on edge lengths."""

    relax: Callable
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

    def relax(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
    ):  # fmt: skip
        length = length_of(weight)
        own = distance[src]
        other = distance[dst]
        # A vertex is advanced after the last change of its distance, and then identifies its predecessor.
        if both_ways and other < own < unreached and other + length == own:
            predecessor[src] = dst
        if not extends(own, length, unreached, bad):
            return False
        through = own + length
        if through < other and fr.atomic_min(distance, dst, through) > through:
            if through == own:
                flat[0] = 1
            if not both_ways and state[dst] != CHANGED:
                state[dst] = CHANGED
                enlist(dst, listed, number, room)
            return True
        return False

    def mark_tentative(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
    ):  # fmt: skip
        length = length_of(weight)
        if not length >= 0:
            bad[0] = 1
            return True
        if predecessor[dst] != src:
            return False
        if edge < 0 or not length < unreached - distance[src] or distance[src] + length > distance[dst]:
            predecessor[dst] = -1
            state[dst] = TENTATIVE
            enlist(dst, listed, number, room)
            return True
        return False

    # Several threads decide on one vertex concurrently, and may read outdated states. But a vertex that becomes
    # tentative visits all its edges in the next step, and makes all its children of that time tentative, including
    # vertices that adopted it meanwhile. So no settled vertex remains below a tentative one.
    def adopt_or_pass_on(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room,
        most,
    ):  # fmt: skip
        before = predecessor[src]
        if before >= 0 and state[before] == SETTLED:
            state[src] = SETTLED
            return False
        length = length_of(weight)
        is_tight = distance[dst] < distance[src] and distance[dst] + length == distance[src]
        if both_ways and is_tight and state[dst] == SETTLED:
            predecessor[src] = dst
            state[src] = SETTLED
            return False
        if predecessor[dst] == src and state[dst] == SETTLED and number[0] <= most:
            state[dst] = TENTATIVE
            enlist(dst, listed, number, room)
            return True
        return False

    # The same in two steps: first along the edges that enter `src`, then along its out-edges.
    def adopt(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
    ):  # fmt: skip
        before = predecessor[src]
        if before >= 0 and state[before] == SETTLED:
            state[src] = SETTLED
            return False
        is_tight = distance[dst] < distance[src] and distance[dst] + length_of(weight) == distance[src]
        if is_tight and state[dst] == SETTLED:
            predecessor[src] = dst
            state[src] = SETTLED
        return False

    def pass_on(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room,
        most,
    ):  # fmt: skip
        if state[src] == TENTATIVE and predecessor[dst] == src and state[dst] == SETTLED and number[0] <= most:
            state[dst] = TENTATIVE
            enlist(dst, listed, number, room)
            return True
        return False

    def pull(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
    ):  # fmt: skip
        length = length_of(weight)
        other = distance[dst]
        if not extends(other, length, unreached, bad):
            return False
        through = other + length
        if through < distance[src] and fr.atomic_min(distance, src, through) > through and through == other:
            flat[0] = 1
        return False

    def find_parent(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
    ):  # fmt: skip
        if distance[dst] < distance[src] < unreached and distance[dst] + length_of(weight) == distance[src]:
            predecessor[src] = dst
        return False

    def relax_unit(
        src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
    ):  # fmt: skip
        return relax(
            src, dst, 0, 1, distance, predecessor, state, flat, bad, unreached, both_ways, listed, number, room
        )

    # Edges of length 1 need not be looked up. Edges of a batch are in the graph after an insertion, and absent after a
    # deletion. A parallel edge may remain, along which the vertex then finds its parent again.
    of_batches = (relax_unit, mark_without_looking) if length_of is unit_length else (relax, mark_tentative)
    return RepairFunctors(relax, *of_batches, adopt_or_pass_on, adopt, pass_on, pull, find_parent)


@functools.cache
def batch_steps(length_of: Callable, directed: bool) -> tuple[Callable, Callable]:
    """Steps for small batches of edges of this length: relaxation from inserted edges, and repair of the subtrees below
    deleted edges.

    In directed graphs with in-edges, a step cannot alternate between the edges in and out until nothing changes. So
    only vertices that lost their tree edges look for other parents, once, and every vertex below one that found none is
    cut off. Vertices with new distances find their parents at the end.
    """
    functors = repair_functors(length_of)
    entering = "in" if directed else "out"

    def relax(graph, start, changing):
        fr.traverse(graph, start, functors.relax, *changing)
        if not directed:
            return
        changed = fr.filter(fr.Frontier.listed(graph, *changing[-3:-1]), take_changed, changing[2])
        fr.advanced.clear(changing[-2])
        if changed:
            fr.traverse(graph, changed, functors.find_parent, *changing, edges="in", max_steps=1)

    def improve(graph, src, dst, *arguments):
        changing = *arguments[:-6], *arguments[-3:]
        improved = fr.visit_edges(graph, src, dst, functors.relax_listed, *changing)
        if improved:
            relax(graph, improved, changing)

    def repair(graph, src, dst, most, *arguments):
        arguments, changing = arguments[:-3], (*arguments[:-6], *arguments[-3:])
        listed, number = arguments[-3:-1]
        fr.advanced.clear(number)
        tentative = fr.visit_edges(graph, src, dst, functors.mark_tentative, *arguments)
        if not tentative:
            return
        if directed:
            fr.traverse(graph, tentative, functors.adopt, *arguments, edges="in", max_steps=1)
        fr.traverse(graph, tentative, functors.pass_on if directed else functors.adopt_or_pass_on, *arguments, most)
        cut_off = fr.filter(fr.Frontier.listed(graph, listed, number), forget, *changing, number, most)
        if not cut_off:
            return
        fr.traverse(graph, cut_off, functors.pull, *changing, edges=entering, max_steps=1)
        relax(graph, cut_off, changing)

    return improve, repair
