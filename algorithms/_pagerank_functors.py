"""Functors of `DynamicPageRank`, whose arrays its module explains."""

from __future__ import annotations

import math

import frontier as fr

from .pagerank import LEAST_TOTAL

MEASURES = 6
"""Numbers that `measure_vertex` sums up: the absolute and the signed pending amount, the ranks, the jump contribution
to vertices with out-edges, the weights of all arcs, and the energy of the pending amount."""

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


def check_total(v, totals, bad):
    if totals[v] > 0 and not LEAST_TOTAL <= totals[v] < math.inf:
        bad[0] = 1


def send_all(v, ranks, totals, sent, alpha):
    """Send each neighbor its share of a rank."""
    if totals[v] > 0:
        sent[v] = alpha / totals[v] * ranks[v]


def raise_to_zero(v, ranks):
    """Replace a negative rank, which rounding may have made, by 0."""
    ranks[v] = max(ranks[v], 0.0)


def first_share(v, ranks, received, totals, alpha):
    """The first share of a vertex that had no edges. A walk that stays at dangling vertices accumulates a geometric
    series there, and the rank here is its first term."""
    return alpha * (ranks[v] + received[v]) / ((1 - alpha) * totals[v])


def send_first(src, dst, edge, weight, ranks, received, totals, sent, fresh, alpha, both):
    """Have a vertex with its first edges send a share."""
    if fresh[src] and totals[src] >= LEAST_TOTAL:
        sent[src] = first_share(src, ranks, received, totals, alpha)
    if both and fresh[dst] and totals[dst] >= LEAST_TOTAL:
        sent[dst] = first_share(dst, ranks, received, totals, alpha)


def receive(src, dst, edge, weight, sent, received, fresh, bad, both):
    fresh[src] = 0
    fr.atomic_add(received, dst, sent[src])
    if both:
        fresh[dst] = 0
        fr.atomic_add(received, src, sent[dst])


def receive_weighted(src, dst, edge, weight, sent, received, fresh, bad, both):
    if not 0 <= weight < math.inf:
        bad[0] = 1
    fresh[src] = 0
    fr.atomic_add(received, dst, weight * sent[src])
    if both:
        fresh[dst] = 0
        fr.atomic_add(received, src, weight * sent[dst])


def take(src, dst, edge, weight, sent, taken, both):
    fr.atomic_add(taken, dst, weight * sent[src])
    if both:
        fr.atomic_add(taken, src, weight * sent[dst])


def take_from(src, dst, edge, weight, taken, received, both):
    fr.atomic_add(received, dst, -fr.atomic_exch(taken, dst, 0.0))
    if both:
        fr.atomic_add(received, src, -fr.atomic_exch(taken, src, 0.0))


# ---- ranks ----------------------------------------------------------------------------------------------------------


def measure_vertex(v, column, jump, received, ranks, totals, sent, alpha):
    """One of the sums that MEASURES lists. Column 0 is computed first."""
    if column == 0:
        ranks[v] += received[v]
        received[v] = 0.0
    if column == 2:
        return ranks[v]
    if totals[v] < LEAST_TOTAL:
        return 0.0
    if column == 3:
        return alpha * (1 - alpha) * jump[v]
    if column == 4:
        return totals[v]
    pending = alpha * ranks[v] - totals[v] * sent[v]
    if column == 5:
        return pending * (pending / totals[v])
    return abs(pending) if column == 0 else pending


def has_pending(v, ranks, totals, sent, alpha, enough, widest):
    return is_pending(ranks[v], totals[v], sent[v], alpha, enough, widest)


def is_pending(rank, total, sent, alpha, enough, widest):
    return LEAST_TOTAL <= total <= widest and abs(alpha * rank - total * sent) > enough * total


def push_vertex(v, ranks, totals, sent, received, moved, alpha, enough, widest):
    ranks[v] += fr.atomic_exch(received, v, 0.0)
    moved[v] = alpha * ranks[v] / totals[v] - sent[v]
    sent[v] += moved[v]


def push(src, dst, edge, weight, ranks, totals, sent, received, moved, alpha, enough, widest):
    rank = ranks[dst] + fr.atomic_add(received, dst, moved[src]) + moved[src]
    return is_pending(rank, totals[dst], sent[dst], alpha, enough, widest)


def push_weighted(src, dst, edge, weight, ranks, totals, sent, received, moved, alpha, enough, widest):
    share = weight * moved[src]
    rank = ranks[dst] + fr.atomic_add(received, dst, share) + share
    return is_pending(rank, totals[dst], sent[dst], alpha, enough, widest)


def send_pending(v, ranks, totals, sent, moved, alpha):
    if totals[v] < LEAST_TOTAL:
        moved[v] = 0.0
    else:
        moved[v] = alpha * ranks[v] / totals[v] - sent[v]
        sent[v] += moved[v]


def turn(v, ranks, totals, sent, moved, alpha, shift, kept):
    """The next direction: the pending amount, after all vertices sent `shift`, plus a multiple of the last
    direction."""
    if totals[v] < LEAST_TOTAL:
        moved[v] = 0.0
    else:
        sent[v] += shift
        ranks[v] += shift * totals[v]
        moved[v] = alpha * ranks[v] / totals[v] - sent[v] + kept * moved[v]


def slope(v, column, ranks, totals, sent, received, moved, alpha):
    """The slope of the energy along a direction, and the curvature."""
    pending = alpha * ranks[v] - totals[v] * sent[v]
    return moved[v] * (pending if column == 0 else totals[v] * moved[v] - alpha * received[v])


def step_vertex(v, column, jump, received, ranks, totals, sent, alpha, moved, slopes):
    """Move along a direction to the lowest energy, then compute the numbers of `measure_vertex`."""
    if column == 0:
        share = 0.0
        if 0 < slopes[1] < math.inf and abs(slopes[0]) < math.inf:
            share = slopes[0] / slopes[1]
        sent[v] += share * moved[v]
        received[v] *= share
    return measure_vertex(v, column, jump, received, ranks, totals, sent, alpha)


def scale_vertex(v, jump, ranks, sent, alpha, factor):
    own = (1 - alpha) * jump[v]
    ranks[v] = own + factor * (ranks[v] - own)
    sent[v] *= factor


def set_rank(v, jump, received, ranks, alpha):
    ranks[v] = (1 - alpha) * jump[v] + received[v]
    received[v] = 0.0


def weighted_share_of(src, dst, edge, weight, shares):
    return weight * shares[dst]


def give(src, dst, edge, weight, shares, received):
    fr.atomic_add(received, dst, shares[src])
    return False


def give_weighted(src, dst, edge, weight, shares, received):
    fr.atomic_add(received, dst, weight * shares[src])
    return False
