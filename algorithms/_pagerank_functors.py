"""Functors of `DynamicPageRank`, whose arrays its module explains."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import frontier as fr

from .pagerank import LEAST_TOTAL

MEASURES = 6
"""Numbers that `measure_vertex` sums up: the absolute and the signed pending amount, the ranks, the jump contribution
to vertices with out-edges, the weights of all arcs, and the energy of the pending amount."""


class Walk(NamedTuple):
    """The ranks, and the amounts that are sent and received."""

    jump: Any
    ranks: Any
    totals: Any
    sent: Any
    received: Any
    moved: Any
    alpha: Any


# ---- batches --------------------------------------------------------------------------------------------------------


def add_edge(src, dst, edge, weight, totals, fresh, both):
    """Count a new edge. A vertex without edges before must send its first share."""
    if fr.atomic_add(totals, src, 1.0) == 0:
        fresh[src] = 1
    if both and fr.atomic_add(totals, dst, 1.0) == 0:
        fresh[dst] = 1


def remove_edge(src, dst, edge, weight, totals, sent, received, both):
    """Discount a deleted edge, and subtract its contribution."""
    fr.atomic_add(totals, src, -1.0)
    fr.atomic_add(received, dst, -sent[src])
    if both:
        fr.atomic_add(totals, dst, -1.0)
        fr.atomic_add(received, src, -sent[dst])


def note_end(src, dst, edge, weight, totals, fresh):
    if totals[dst] < LEAST_TOTAL:
        fresh[dst] = 1
    return True


def send_all(v, *args):
    """Send each neighbor its share of a rank."""
    walk = Walk(*args)
    if walk.totals[v] > 0:
        walk.sent[v] = walk.alpha / walk.totals[v] * walk.ranks[v]


def raise_to_zero(v, ranks):
    """Replace a negative rank, which rounding may have made, by 0."""
    ranks[v] = max(ranks[v], 0.0)


def first_share(walk, v):
    """The first share of a vertex that had no edges. A walk that stays at dangling vertices accumulates a geometric
    series there, and the rank here is its first term."""
    return walk.alpha * (walk.ranks[v] + walk.received[v]) / ((1 - walk.alpha) * walk.totals[v])


def send_first(src, dst, edge, weight, fresh, both, *args):
    """Have a vertex with its first edges send a share."""
    walk = Walk(*args)
    if fresh[src] and walk.totals[src] >= LEAST_TOTAL:
        walk.sent[src] = first_share(walk, src)
    if both and fresh[dst] and walk.totals[dst] >= LEAST_TOTAL:
        walk.sent[dst] = first_share(walk, dst)


def receive(src, dst, edge, weight, fresh, both, *args):
    walk = Walk(*args)
    fresh[src] = 0
    fr.atomic_add(walk.received, dst, walk.sent[src])
    if both:
        fresh[dst] = 0
        fr.atomic_add(walk.received, src, walk.sent[dst])


def receive_weighted(src, dst, edge, weight, bad, fresh, both, *args):
    walk = Walk(*args)
    if not 0 <= weight < math.inf:
        bad[0] = 1
    fresh[src] = 0
    fr.atomic_add(walk.received, dst, weight * walk.sent[src])
    if both:
        fresh[dst] = 0
        fr.atomic_add(walk.received, src, weight * walk.sent[dst])


def take(src, dst, edge, weight, sent, taken, both):
    fr.atomic_add(taken, dst, weight * sent[src])
    if both:
        fr.atomic_add(taken, src, weight * sent[dst])


def take_from(src, dst, edge, weight, taken, received, both):
    fr.atomic_add(received, dst, -fr.atomic_exch(taken, dst, 0.0))
    if both:
        fr.atomic_add(received, src, -fr.atomic_exch(taken, src, 0.0))


# ---- ranks ----------------------------------------------------------------------------------------------------------


def measure_vertex(v, column, *args):
    """One of the sums that MEASURES lists. Column 0 is computed first."""
    return measure_of(Walk(*args), v, column)


def measure_of(walk, v, column):
    if column == 0:
        walk.ranks[v] += walk.received[v]
        walk.received[v] = 0.0
    if column == 2:
        return walk.ranks[v]
    total = walk.totals[v]
    if total < LEAST_TOTAL:
        return 0.0
    if column == 3:
        return walk.alpha * (1 - walk.alpha) * walk.jump[v]
    if column == 4:
        return total
    pending = pending_of(walk, v)
    if column == 5:
        return pending * (pending / total)
    return abs(pending) if column == 0 else pending


def pending_of(walk, v):
    """The amount that v has not sent."""
    return walk.alpha * walk.ranks[v] - walk.totals[v] * walk.sent[v]


def has_pending(v, enough, widest, *args):
    walk = Walk(*args)
    return is_pending(walk, v, walk.ranks[v], enough, widest)


def is_pending(walk, v, rank, enough, widest):
    """Whether v is pushed at this rank."""
    total = walk.totals[v]
    return LEAST_TOTAL <= total <= widest and abs(walk.alpha * rank - total * walk.sent[v]) > enough * total


def push_vertex(v, enough, widest, *args):
    walk = Walk(*args)
    walk.ranks[v] += fr.atomic_exch(walk.received, v, 0.0)
    send(walk, v)


def send(walk, v):
    walk.moved[v] = walk.alpha * walk.ranks[v] / walk.totals[v] - walk.sent[v]
    walk.sent[v] += walk.moved[v]


def push(src, dst, edge, weight, enough, widest, *args):
    walk = Walk(*args)
    share = walk.moved[src]
    rank = walk.ranks[dst] + fr.atomic_add(walk.received, dst, share) + share
    return is_pending(walk, dst, rank, enough, widest)


def push_weighted(src, dst, edge, weight, enough, widest, *args):
    walk = Walk(*args)
    share = weight * walk.moved[src]
    rank = walk.ranks[dst] + fr.atomic_add(walk.received, dst, share) + share
    return is_pending(walk, dst, rank, enough, widest)


def send_pending(v, *args):
    walk = Walk(*args)
    if walk.totals[v] < LEAST_TOTAL:
        walk.moved[v] = 0.0
    else:
        send(walk, v)


def turn(v, shift, kept, *args):
    """The next direction: the pending amount, after all vertices sent `shift`, plus a multiple of the last
    direction."""
    walk = Walk(*args)
    total = walk.totals[v]
    if total < LEAST_TOTAL:
        walk.moved[v] = 0.0
    else:
        walk.sent[v] += shift
        walk.ranks[v] += shift * total
        walk.moved[v] = walk.alpha * walk.ranks[v] / total - walk.sent[v] + kept * walk.moved[v]


def slope(v, column, *args):
    """The slope of the energy along a direction, and the curvature."""
    walk = Walk(*args)
    moved = walk.moved[v]
    return moved * (pending_of(walk, v) if column == 0 else walk.totals[v] * moved - walk.alpha * walk.received[v])


def step_vertex(v, column, slopes, *args):
    """Move along a direction to the lowest energy, then compute the numbers of `measure_vertex`."""
    walk = Walk(*args)
    if column == 0:
        share = 0.0
        if 0 < slopes[1] < math.inf and abs(slopes[0]) < math.inf:
            share = slopes[0] / slopes[1]
        walk.sent[v] += share * walk.moved[v]
        walk.received[v] *= share
    return measure_of(walk, v, column)


def scale_vertex(v, factor, *args):
    walk = Walk(*args)
    own = (1 - walk.alpha) * walk.jump[v]
    walk.ranks[v] = own + factor * (walk.ranks[v] - own)
    walk.sent[v] *= factor


def set_rank(v, *args):
    walk = Walk(*args)
    walk.ranks[v] = (1 - walk.alpha) * walk.jump[v] + walk.received[v]
    walk.received[v] = 0.0


def weighted_share_of(src, dst, edge, weight, shares):
    return weight * shares[dst]


def give(src, dst, edge, weight, shares, received):
    fr.atomic_add(received, dst, shares[src])
    return False


def give_weighted(src, dst, edge, weight, shares, received):
    fr.atomic_add(received, dst, weight * shares[src])
    return False
