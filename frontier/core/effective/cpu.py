"""CPU kernels that find the effective edges of a batch."""

from frontier.runtime import cpu_kernel

from ..sort import END, TILE

FREE = END  # an entry of the table that holds no arc


@cpu_kernel
def mask_lower(count, src, dst, out):
    """Sources, and -1 where the destination is not greater."""
    for i in range(count):
        out[i] = src[i] if src[i] < dst[i] else -1


@cpu_kernel
def claim(count, src, dst, slots, directed, present, table, entries, places):
    """Enter each arc in question, the smaller end first, into a hash table that keeps the first of equal ones.

    ``places`` becomes each arc's entry, or -1. ``entries`` is a power of two; all that the table holds is FREE.
    """
    mask = entries - 1
    for i in range(count):
        places[i] = -1
        u, v = src[i], dst[i]
        if u < 0 or (not directed and u >= v) or (slots[i] >= 0) != present:
            continue
        at = ((u * 0x9E3779B1 + v) * 0x85EBCA6B >> 15) & mask
        while table[at] != FREE and (src[table[at]] != u or dst[table[at]] != v):
            at = (at + 1) & mask
        if table[at] == FREE:
            table[at] = i
        places[i] = at


@cpu_kernel
def keep_first(count, places, table, sums):
    """Forget the places of all arcs but the first of equal ones; ``sums``: how many of each TILE of arcs are left."""
    for i in range(count):
        if i % TILE == 0:
            sums[i // TILE] = 0
        if places[i] >= 0:
            if table[places[i]] == i:
                sums[i // TILE] += 1
            else:
                places[i] = -1


@cpu_kernel
def put(count, src, dst, places, sums, summed, table, out_src, out_dst, counters):
    """The arcs that were kept, in order, and their number; the table becomes FREE again."""
    found = 0
    for i in range(count):
        if places[i] >= 0:
            table[places[i]] = FREE
            out_src[found] = src[i]
            out_dst[found] = dst[i]
            found += 1
    counters[0] = found
