"""CPU kernels that find the effective edges of a batch."""

from frontier.runtime import cpu_kernel

from ..sort import END

FREE = END  # an entry of the table without an arc


@cpu_kernel
def mask_lower(count, src, dst, out):
    """Sources, and -1 where the destination is not greater."""
    for i in range(count):
        out[i] = src[i] if src[i] < dst[i] else -1


@cpu_kernel
def find_few(count, src, dst, slots, directed, present, table, entries, places, out_src, out_dst, number):
    """List each arc in question that is the first of equal ones, the smaller end first, and their number.

    Arcs meet in a hash table of ``entries``, a power of two, all of which are FREE before and after. ``places`` lists
    the entries in use meanwhile.
    """
    mask, found = entries - 1, 0
    for i in range(count):
        u, v = src[i], dst[i]
        if u < 0 or (not directed and u >= v) or (slots[i] >= 0) != present:
            continue
        at = ((u * 0x9E3779B1 + v) * 0x85EBCA6B >> 15) & mask
        while table[at] != FREE and (src[table[at]] != u or dst[table[at]] != v):
            at = (at + 1) & mask
        if table[at] == FREE:
            table[at] = i
            places[found] = at
            out_src[found] = u
            out_dst[found] = v
            found += 1
    for i in range(found):
        table[places[i]] = FREE
    number[0] = found
