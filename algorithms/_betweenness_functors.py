"""Functors of `DynamicBetweennessCentrality`, whose arrays its module explains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._listed import enlist
from ._shortest_paths import UNREACHED, WIDTH, Found
from ._source_words import lowest_bit

ONE, ALL = np.uint64(1), np.uint64(2**WIDTH - 1)
EXACT, VANISHED = 2.0**53, 2.0**-10
"""Smaller numbers of paths are exact. If less than the second fraction of a larger number is left, it may be wrong."""
GROWN = 17 / 16
"""Paths behind a vertex are summed up again if paths to it, which multiply rounding errors, increase by this factor."""
LITTLE = 2.0**-20
"""They are also summed up again if there are fewer for each path than this: all of it may be rounding errors."""
VISIT = 8
"""The visit of a vertex counts as this number of arcs in addition."""
NONE = 2**30
"""The priority of vertices that are not queued: more than that of all others."""


class WordState(NamedTuple):
    """The results of up to `WIDTH` sources, and the vertices whose results may have changed."""

    distance: Any
    paths: Any
    behind: Any
    sums: Any
    gain: Any
    moved: Any
    last: Any
    reached: Any
    again: Any
    down: Any
    down_list: Any
    num_down: Any
    up: Any
    up_list: Any
    num_up: Any
    n: Any
    """The number of vertices: the capacity of the lists of vertices in `down` and `up`."""


class Approach(NamedTuple):
    """The repair of distances, which visits vertices until `spent` exceeds `most`."""

    distance: Any
    paths: Any
    gain: Any
    moved: Any
    down: Any
    down_list: Any
    num_down: Any
    n: Any
    coming: Any
    here: Any
    degrees: Any
    spent: Any
    most: Any


class Descent(NamedTuple):
    """The repair of numbers of paths, away from the sources."""

    distance: Any
    paths: Any
    gain: Any
    last: Any
    reached: Any
    pulled: Any
    down: Any
    again: Any
    up: Any
    up_list: Any
    num_up: Any
    n: Any
    here: Any
    degrees: Any
    spent: Any
    most: Any


class Ascent(NamedTuple):
    """The repair of the paths behind vertices, back to the sources. `altered` lists vertices to sum up again."""

    distance: Any
    paths: Any
    behind: Any
    sums: Any
    last: Any
    pulled: Any
    up: Any
    is_altered: Any
    altered: Any
    num_altered: Any
    n: Any
    limit: Any
    priority: Any
    deferred: Any
    here: Any
    degrees: Any
    spent: Any
    most: Any


# ---- batches ---------------------------------------------------------------------------------------------------------


def list_ends(src, dst, edge, weight, spent, sign, both, *args):
    """List the ends of an edge that is inserted (`sign` 1) or deleted (-1), for the sources that it concerns."""
    word = WordState(*args)
    for turn in range(2):
        if turn == 0 or both:
            u = dst if turn else src
            v = src if turn else dst
            nearer = np.uint64(0)
            after = np.uint64(0)
            before = np.uint64(0)
            for s in range(word.distance.shape[1]):
                here = word.distance[u, s]
                if here + 1 == word.distance[v, s]:
                    after |= ONE << np.uint64(s)
                    fr.atomic_add(word.gain, (v, s), sign * word.paths[u, s])
                    if word.paths[u, s] >= EXACT > word.paths[v, s]:
                        spent[1] = 1
                    if here > 0:
                        before |= ONE << np.uint64(s)
                        fr.atomic_add(word.sums, (u, s), sign * word.behind[v, s])
                elif sign > 0 and here < word.distance[v, s]:
                    nearer |= ONE << np.uint64(s)
            if nearer != 0:
                fr.atomic_or(word.moved, v, nearer)
            want_down(word, v, after | nearer)
            want_up(word, u, before)
    return False


def want_down(state, v, bits):
    """Add sources to the word `down` of v, and list v with the first."""
    if bits != 0 and fr.atomic_or(state.down, v, bits) == 0:
        enlist(v, state.down_list, state.num_down, state.n)


def want_up(state, v, bits):
    """Add sources to the word `up` of v, and list v with the first."""
    if bits != 0 and fr.atomic_or(state.up, v, bits) == 0:
        enlist(v, state.up_list, state.num_up, state.n)


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


def spend(state, v):
    fr.atomic_add(state.spent, 0, state.degrees[v] + VISIT)


# ---- distances -------------------------------------------------------------------------------------------------------


def cut_off(src, *args):
    approach = Approach(*args)
    bits = approach.down[src]
    lost = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        own = approach.distance[src, s]
        if 0 < own < UNREACHED:
            left = approach.paths[src, s] + approach.gain[src, s]
            if left == 0:
                approach.distance[src, s] = -1 - own
                lost |= ONE << np.uint64(s)
            if approach.paths[src, s] >= EXACT and left < VANISHED * approach.paths[src, s]:
                approach.spent[1] = 1
        bits &= bits - ONE
    approach.moved[src] |= lost
    approach.here[src] = lost
    if lost != 0:
        spend(approach, src)


def suspect(src, dst, edge, weight, *args):
    approach = Approach(*args)
    bits = approach.here[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if approach.distance[dst, s] == -approach.distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(approach.gain, (dst, s), -approach.paths[src, s])
        bits &= bits - ONE
    want_down(approach, dst, found)
    return found != 0 and approach.spent[0] <= approach.most


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


def arrive(src, step, *args):
    approach = Approach(*args)
    at = (step & 1) * approach.n + src
    approach.here[src] = approach.coming[at]
    approach.coming[at] = 0
    spend(approach, src)


def relax(src, dst, edge, weight, step, *args):
    approach = Approach(*args)
    bits = approach.here[src]
    near = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        through = approach.distance[src, s] + 1
        if through < approach.distance[dst, s] and fr.atomic_min(approach.distance, (dst, s), through) > through:
            near |= ONE << np.uint64(s)
        bits &= bits - ONE
    if near == 0:
        return False
    want_down(approach, dst, near)
    fr.atomic_or(approach.moved, dst, near)
    fr.atomic_or(approach.coming, ((step + 1) & 1) * approach.n + dst, near)
    return approach.spent[0] <= approach.most


def list_farther(src, dst, edge, weight, *args):
    """List dst for the sources for which it may have been before src."""
    word = WordState(*args)
    bits = word.moved[src]
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if word.distance[src, s] <= word.distance[dst, s] < UNREACHED:
            found |= ONE << np.uint64(s)
        bits &= bits - ONE
    if found != 0:
        fr.atomic_or(word.again, dst, found)
        want_up(word, dst, found)
    return False


def start_again(v, is_altered, altered, num_altered, *args):
    """Clear the numbers of v for sources whose distance to it has changed."""
    word = WordState(*args)
    set_last(v, word.distance, word.last)
    bits = word.moved[v]
    while bits != 0:
        s = lowest_bit(bits)
        if word.paths[v, s] > 0:
            fr.atomic_add(word.reached, s, -1)
        word.paths[v, s] = 0
        word.behind[v, s] = 0
        word.sums[v, s] = 0
        word.gain[v, s] = 0
        if word.distance[v, s] == UNREACHED:
            word.moved[v] &= ~(ONE << np.uint64(s))
            word.down[v] &= ~(ONE << np.uint64(s))
            alter(v, is_altered, altered, num_altered, word.n)
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


def settle_paths(src, *args):
    """Add the gain of src, and leave it in `pulled`."""
    descent = Descent(*args)
    bits = fr.atomic_exch(descent.down, src, np.uint64(0))
    changed = np.uint64(0)
    grown = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        bit = ONE << np.uint64(s)
        bits &= bits - ONE
        change = fr.atomic_exch(descent.gain, (src, s), 0.0)
        if change == 0:
            continue
        old = descent.paths[src, s]
        value = old + change
        descent.paths[src, s] = value
        descent.pulled[src, s] = change
        changed |= bit
        if value > GROWN * old:
            grown |= bit
        if old >= EXACT and not value >= max(EXACT, VANISHED * old):
            descent.spent[1] = 1
        if old == 0:
            fr.atomic_add(descent.reached, s, 1)
        if value == 0:
            fr.atomic_add(descent.reached, s, -1)
    descent.here[src] = changed
    if changed != 0:
        descent.again[src] |= grown
        want_up(descent, src, changed)
        spend(descent, src)


def pass_down(src, dst, edge, weight, *args):
    descent = Descent(*args)
    bits = descent.here[src] & may_be_next(src, dst, descent.last)
    found = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        if descent.distance[dst, s] == descent.distance[src, s] + 1:
            found |= ONE << np.uint64(s)
            fr.atomic_add(descent.gain, (dst, s), descent.pulled[src, s])
        bits &= bits - ONE
    if found == 0:
        return False
    fr.atomic_or(descent.down, dst, found)
    return descent.spent[0] <= descent.most


# ---- paths behind vertices -------------------------------------------------------------------------------------------


def clear_sums(v, sums, again):
    bits = again[v]
    while bits != 0:
        sums[v, lowest_bit(bits)] = 0
        bits &= bits - ONE


def add_behind(src, dst, edge, weight, last, again, *args):
    found = Found(*args)
    bits = again[src] & may_be_next(src, dst, last)
    while bits != 0:
        s = lowest_bit(bits)
        if found.distance[dst, s] == found.distance[src, s] + 1:
            fr.atomic_add(found.sums, (src, s), found.behind[dst, s])
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


def settle_behind(src, *args):
    """Compute the paths behind src, for sources that are far enough, and leave the change in `pulled`."""
    ascent = Ascent(*args)
    bits = ascent.up[src]
    rest = np.uint64(0)
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        if -ascent.distance[src, s] > ascent.limit[0]:
            rest |= ONE << np.uint64(s)
            lowest = min(lowest, -int(ascent.distance[src, s]))
        bits &= bits - ONE
    bits = fr.atomic_and(ascent.up, src, rest) & ~rest
    ascent.priority[src] = lowest
    if rest != 0:
        fr.defer(ascent.deferred, src)
    changed = np.uint64(0)
    while bits != 0:
        s = lowest_bit(bits)
        value = (1 + ascent.paths[src, s] * ascent.sums[src, s]) / ascent.paths[src, s]
        if value != ascent.behind[src, s] and ascent.distance[src, s] > 1:
            changed |= ONE << np.uint64(s)
        ascent.pulled[src, s] = value - ascent.behind[src, s]
        ascent.behind[src, s] = value
        bits &= bits - ONE
    ascent.here[src] = changed
    alter(src, ascent.is_altered, ascent.altered, ascent.num_altered, ascent.n)
    if changed != 0:
        spend(ascent, src)


def pass_up(src, dst, edge, weight, *args):
    ascent = Ascent(*args)
    bits = ascent.here[src] & may_be_next(dst, src, ascent.last)
    found = np.uint64(0)
    joins = False
    lowest = NONE
    while bits != 0:
        s = lowest_bit(bits)
        level = -int(ascent.distance[dst, s])
        if level - 1 == -ascent.distance[src, s]:
            found |= ONE << np.uint64(s)
            fr.atomic_add(ascent.sums, (dst, s), ascent.pulled[src, s])
            if level <= ascent.limit[0]:
                joins = True
            else:
                lowest = min(lowest, level)
        bits &= bits - ONE
    if found == 0:
        return False
    fr.atomic_or(ascent.up, dst, found)
    if lowest < NONE:
        fr.atomic_min(ascent.priority, dst, lowest)
        fr.defer(ascent.deferred, dst)
    return joins and ascent.spent[0] <= ascent.most


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
