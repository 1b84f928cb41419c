"""Functors of `DynamicBetweennessCentrality`, whose arrays its module explains."""

from __future__ import annotations

import numpy as np

import frontier as fr

from ._listed import enlist
from ._shortest_paths import UNREACHED, WIDTH
from ._source_words import lowest_bit

ONE, ALL = np.uint64(1), np.uint64(2**WIDTH - 1)
EXACT, VANISHED = 2.0**53, 2.0**-10
"""Smaller numbers of paths are exact. If less than the second fraction of a larger number is left, it may be wrong."""
GROWN = 17 / 16
"""The paths behind a vertex are summed up again if the paths to it, by which rounding errors are multiplied, increase
by this factor."""
LITTLE = 2.0**-20
"""They are also summed up again if there are fewer for each path than this: all of it may be rounding errors."""
VISIT = 8
"""The visit of a vertex counts as this number of arcs in addition."""
NONE = 2**30
"""The priority of vertices that are not queued: more than that of all others."""

# ---- batches ---------------------------------------------------------------------------------------------------------


def list_ends(
    src, dst, edge, weight, distance, paths, behind, sums, gain, moved, spent, sign, both, down, ids, number, room, up,
    others, count, most,
):  # fmt: skip
    """List the ends of an edge that is inserted (`sign` 1) or deleted (-1), for the sources that it concerns."""
    for turn in range(2):
        if turn == 0 or both:
            u = dst if turn else src
            v = src if turn else dst
            nearer = np.uint64(0)
            after = np.uint64(0)
            before = np.uint64(0)
            for s in range(distance.shape[1]):
                here = distance[u, s]
                if here + 1 == distance[v, s]:
                    after |= ONE << np.uint64(s)
                    fr.atomic_add(gain, (v, s), sign * paths[u, s])
                    if paths[u, s] >= EXACT > paths[v, s]:
                        spent[1] = 1
                    if here > 0:
                        before |= ONE << np.uint64(s)
                        fr.atomic_add(sums, (u, s), sign * behind[v, s])
                elif sign > 0 and here < distance[v, s]:
                    nearer |= ONE << np.uint64(s)
            if nearer != 0:
                fr.atomic_or(moved, v, nearer)
            want(v, after | nearer, down, ids, number, room)
            want(u, before, up, others, count, most)
    return False


def want(v, bits, words, ids, number, room):
    """Add sources to the word of v, and list v with the first."""
    if bits != 0 and fr.atomic_or(words, v, bits) == 0:
        enlist(v, ids, number, room)


def has_any(v, words):
    return words[v] != 0


def set_last(v, distance, last):
    found = np.uint64(0)
    for s in range(distance.shape[1]):
        found |= np.uint64(distance[v, s] & 1) << np.uint64(s)
        found |= np.uint64(distance[v, s] >> 1 & 1) << np.uint64(s + WIDTH)
    last[v] = found


def clear(v, words):
    words[v] = 0


def may_be_next(u, v, last):
    """The sources for which v may be one step farther than u: the last two bits of the distances differ by 1."""
    differ = last[u] ^ last[v]
    return differ & ~(differ >> np.uint64(WIDTH) ^ last[u]) & ALL


def farthest(v, distance):
    """The largest distance from a source."""
    found = 0
    for s in range(distance.shape[1]):
        if distance[v, s] < UNREACHED:
            found = max(found, int(distance[v, s]))
    return found


def spend(v, degrees, spent):
    fr.atomic_add(spent, 0, degrees[v] + VISIT)


# ---- distances -------------------------------------------------------------------------------------------------------


def cut_off(src, distance, paths, gain, moved, down, ids, number, room, here, degrees, spent, most):
    bits = down[src]
    lost = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        own = distance[src, s]
        if 0 < own < UNREACHED:
            left = paths[src, s] + gain[src, s]
            if left == 0:
                distance[src, s] = -1 - own
                lost |= ONE << np.uint64(s)
            if paths[src, s] >= EXACT and left < VANISHED * paths[src, s]:
                spent[1] = 1
        bits &= bits - ONE
    moved[src] |= lost
    here[src] = lost
    if lost != 0:
        spend(src, degrees, spent)


def suspect(src, dst, edge, weight, distance, paths, gain, moved, down, ids, number, room, here, degrees, spent, most):
    bits = here[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == -distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(gain, (dst, s), -paths[src, s])
        bits &= bits - ONE
    want(dst, found, down, ids, number, room)
    return found != 0 and spent[0] <= most


def starts_to_look(v, moved, pulled):
    bits = moved[v]
    while bits != 0:
        pulled[v, lowest_bit(bits)] = UNREACHED
        bits &= bits - ONE
    return moved[v] != 0


def find_nearest(src, dst, edge, weight, distance, moved, pulled):
    bits = moved[src]
    while bits != 0:
        s = lowest_bit(bits)
        if 0 <= distance[dst, s] < pulled[src, s]:
            fr.atomic_min(pulled, (src, s), np.float64(distance[dst, s]))
        bits &= bits - ONE
    return False


def come_nearer(v, distance, moved, pulled, coming):
    """Set the distances for sources in `moved`, and leave the ones there whose distance changes."""
    bits = moved[v]
    near = np.uint64(0)
    changed = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        own = distance[v, s]
        through = UNREACHED
        if pulled[v, s] < UNREACHED:
            through = int(pulled[v, s]) + 1
        if own < 0 or through < own:
            distance[v, s] = through
            changed |= ONE << np.uint64(s)
            if through < UNREACHED:
                near |= ONE << np.uint64(s)
        bits &= bits - ONE
    moved[v] = changed
    coming[v] = near
    return near != 0


def arrive(src, distance, moved, down, ids, number, room, coming, n, here, degrees, spent, most, step):
    at = (step & 1) * n + src
    here[src] = coming[at]
    coming[at] = 0
    spend(src, degrees, spent)


def relax(
    src, dst, edge, weight, distance, moved, down, ids, number, room, coming, n, here, degrees, spent, most, step
):  # fmt: skip
    bits = here[src]
    near = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        through = distance[src, s] + 1
        if through < distance[dst, s] and fr.atomic_min(distance, (dst, s), through) > through:
            near |= ONE << np.uint64(s)
        bits &= bits - ONE
    if near == 0:
        return False
    want(dst, near, down, ids, number, room)
    fr.atomic_or(moved, dst, near)
    fr.atomic_or(coming, ((step + 1) & 1) * n + dst, near)
    return spent[0] <= most


def list_farther(src, dst, edge, weight, distance, moved, again, up, ids, number, room):
    """List dst for the sources for which it may have been before src."""
    bits = moved[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[src, s] <= distance[dst, s] < UNREACHED:
            found |= ONE << np.uint64(s)
        bits &= bits - ONE
    if found != 0:
        fr.atomic_or(again, dst, found)
        want(dst, found, up, ids, number, room)
    return False


def start_again(
    v, distance, paths, behind, sums, gain, moved, last, reached, down, is_altered, ids, number, room
):  # fmt: skip
    """Clear the numbers of v for sources whose distance to it has changed."""
    set_last(v, distance, last)
    bits = moved[v]
    while bits != 0:
        s = lowest_bit(bits)
        if paths[v, s] > 0:
            fr.atomic_add(reached, s, -1)
        paths[v, s] = 0
        behind[v, s] = 0
        sums[v, s] = 0
        gain[v, s] = 0
        if distance[v, s] == UNREACHED:
            moved[v] &= ~(ONE << np.uint64(s))
            down[v] &= ~(ONE << np.uint64(s))
            alter(v, is_altered, ids, number, room)
        bits &= bits - ONE


def alter(v, is_altered, ids, number, room):
    """List v, once, to have its centrality summed up again."""
    if is_altered[v] == 0:
        is_altered[v] = 1
        enlist(v, ids, number, room)


def gain_all(src, dst, edge, weight, distance, paths, gain, moved):
    bits = moved[src]
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] + 1 == distance[src, s]:
            fr.atomic_add(gain, (src, s), paths[dst, s])
        bits &= bits - ONE
    return False


# ---- numbers of paths ------------------------------------------------------------------------------------------------


def settle_paths(
    src, distance, paths, gain, moved, last, reached, pulled, down, again, up, ids, number, room, here, degrees,
    spent, most,
):  # fmt: skip
    """Add the gain of src, and leave it in `pulled`."""
    bits = fr.atomic_exch(down, src, np.uint64(0))
    changed = np.uint64(0)
    grown = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        bit = ONE << np.uint64(s)
        bits &= bits - ONE
        change = fr.atomic_exch(gain, (src, s), 0.0)
        if change == 0:
            continue
        old = paths[src, s]
        value = old + change
        paths[src, s] = value
        pulled[src, s] = change
        changed |= bit
        if value > GROWN * old:
            grown |= bit
        if old >= EXACT and not value >= max(EXACT, VANISHED * old):
            spent[1] = 1
        if old == 0:
            fr.atomic_add(reached, s, 1)
        if value == 0:
            fr.atomic_add(reached, s, -1)
    here[src] = changed
    if changed != 0:
        again[src] |= grown
        want(src, changed, up, ids, number, room)
        spend(src, degrees, spent)


def pass_down(
    src, dst, edge, weight, distance, paths, gain, moved, last, reached, pulled, down, again, up, ids, number,
    room, here, degrees, spent, most,
):  # fmt: skip
    bits = here[src] & may_be_next(src, dst, last)
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == distance[src, s] + 1:
            found |= ONE << np.uint64(s)
            fr.atomic_add(gain, (dst, s), pulled[src, s])
        bits &= bits - ONE
    if found == 0:
        return False
    fr.atomic_or(down, dst, found)
    return spent[0] <= most


# ---- paths behind vertices -------------------------------------------------------------------------------------------


def clear_sums(v, sums, again):
    bits = again[v]
    while bits != 0:
        sums[v, lowest_bit(bits)] = 0
        bits &= bits - ONE


def add_behind(src, dst, edge, weight, distance, last, behind, sums, again):
    bits = again[src] & may_be_next(src, dst, last)
    while bits != 0:
        s = lowest_bit(bits)
        if distance[dst, s] == distance[src, s] + 1:
            fr.atomic_add(sums, (src, s), behind[dst, s])
        bits &= bits - ONE
    return False


def start_up(v, distance, up, priority, deferred):
    """Queue v for its sources in `up` that reach it."""
    bits = up[v]
    rest = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        if 0 < distance[v, s] < UNREACHED:
            rest |= ONE << np.uint64(s)
            lowest = min(lowest, -int(distance[v, s]))
        bits &= bits - ONE
    up[v] = rest
    if rest != 0:
        priority[v] = lowest
        fr.defer(deferred, v)


def settle_behind(
    src, distance, paths, behind, sums, last, pulled, up, is_altered, ids, number, room, limit, priority, deferred,
    here, degrees, spent, most,
):  # fmt: skip
    """Compute the paths behind src, for sources that are far enough, and leave the change in `pulled`."""
    bits = up[src]
    rest = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        if -distance[src, s] > limit[0]:
            rest |= ONE << np.uint64(s)
            lowest = min(lowest, -int(distance[src, s]))
        bits &= bits - ONE
    bits = fr.atomic_and(up, src, rest) & ~rest
    priority[src] = lowest
    if rest != 0:
        fr.defer(deferred, src)
    changed = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        value = (1 + paths[src, s] * sums[src, s]) / paths[src, s]
        if value != behind[src, s] and distance[src, s] > 1:
            changed |= ONE << np.uint64(s)
        pulled[src, s] = value - behind[src, s]
        behind[src, s] = value
        bits &= bits - ONE
    here[src] = changed
    alter(src, is_altered, ids, number, room)
    if changed != 0:
        spend(src, degrees, spent)


def pass_up(
    src, dst, edge, weight, distance, paths, behind, sums, last, pulled, up, is_altered, ids, number, room, limit,
    priority, deferred, here, degrees, spent, most,
):  # fmt: skip
    bits = here[src] & may_be_next(dst, src, last)
    found = np.uint64(0)
    joins = False
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        level = -int(distance[dst, s])
        if level - 1 == -distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(sums, (dst, s), pulled[src, s])
            if level <= limit[0]:
                joins = True
            else:
                lowest = min(lowest, level)
        bits &= bits - ONE
    if found == 0:
        return False
    fr.atomic_or(up, dst, found)
    if lowest < NONE:
        fr.atomic_min(priority, dst, lowest)
        fr.defer(deferred, dst)
    return joins and spent[0] <= most


def has_little(v, paths, behind, sums, again):
    """Mark sources for which most of the sum of v may be a rounding error."""
    for s in range(sums.shape[1]):
        if sums[v, s] != 0 and paths[v, s] * sums[v, s] < LITTLE:
            again[v] |= ONE << np.uint64(s)
    return again[v] != 0


def clear_total(v, total, is_altered):
    total[v] = 0
    is_altered[v] = 0


def sum_up(v, distance, paths, sums, reached, moved, total, endpoints):
    moved[v] = 0
    value = total[v]
    for s in range(distance.shape[1]):
        value += paths[v, s] * sums[v, s]
    if endpoints:
        for s in range(distance.shape[1]):
            if distance[v, s] == 0:
                value += reached[s] - 1
            elif distance[v, s] < UNREACHED:
                value += 1
    total[v] = value
