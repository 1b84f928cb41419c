"""CPU kernels of edge data.

A *row* is an edge of a batch, as the user lists it. A row of an undirected graph is two arcs.
"""

from frontier.core.sort import END
from frontier.runtime import cpu_kernel

FREE = END  # an entry of the table without a row


@cpu_kernel
def claim_last(count, src, dst, directed, times, earliest, table, entries, places):
    """Enter each row into a hash table that retains the last row of each edge.

    With ``times``, it retains the latest, or the ``earliest``, and of rows with equal time the last, or the first.
    ``places`` becomes each row's entry, or -1. ``entries`` is a power of two. Before, the whole table is FREE.
    """
    timed = times.size > 0
    mask = entries - 1
    for i in range(count):
        u, v = src[i], dst[i]
        if u < 0:
            places[i] = -1
            continue
        ordered = directed or u < v
        low, high = (u, v) if ordered else (v, u)
        at = ((low * 0x9E3779B1 + high) * 0x85EBCA6B >> 15) & mask
        while table[at] != FREE:
            a, b = src[table[at]], dst[table[at]]
            if (a == u and b == v) or (not directed and a == v and b == u):
                break
            at = (at + 1) & mask
        places[i] = at
        if timed and table[at] != FREE:  # rows come in their order: of one time, the last one is this
            time, held = times[i], times[table[at]]
            if (time >= held) if earliest else (time < held):
                continue
        table[at] = i


@cpu_kernel
def keep_last(count, places, table, slots, present, sums):
    """Set the entries of all rows but the last of each edge to -1.

    ``sums``, on the GPU: the number of remaining rows of each tile whose edges exist (`present`) or do not.
    """
    for i in range(count):
        if places[i] >= 0 and table[places[i]] != i:
            places[i] = -1


@cpu_kernel
def assign_ids(count, src, dst, slots, stored, places, sums, summed, table, keep, free_ids, free_count, top, directed,
               out_src, out_dst, out_ids, ids):  # fmt: skip
    """The id of each row's edge, and the arcs to insert, which carry it. The table becomes FREE again.

    Edges in the graph have an id (-1 here with ``keep``). New edges get the ids that were freed last, and then ids from
    `top` on. Rows that do not count have the id -1, as have their arcs.
    """
    copies = 1 if directed else 2
    rank = 0
    for i in range(count):
        found = -1
        if places[i] >= 0:
            table[places[i]] = FREE
            if slots[i] < 0:
                found = free_ids[free_count - 1 - rank] if rank < free_count else top + rank - free_count
                rank += 1
            elif not keep:
                found = stored[slots[i]]
        ids[i] = found
        j = copies * i
        out_ids[j] = found
        out_src[j] = src[i] if found >= 0 else -1
        out_dst[j] = dst[i] if found >= 0 else -1
        if not directed:
            out_ids[j + 1] = found
            out_src[j + 1] = out_dst[j]
            out_dst[j + 1] = out_src[j]


def count_found(count, directed, slots, sums):
    """``sums``, on the GPU: the number of rows of each tile whose edges were found (`Store.insert_and_find`)."""


@cpu_kernel
def settle_ids(count, directed, slots, stored, sums, summed, keep, free_ids, free_count, src_of, ids):
    """Free the ids meant for edges that were found, and give their rows the ids of these edges.

    With ``keep``, the rows get -1. ``slots`` are the slots of arcs, ``-2 - slot`` of an arc that was found. ``src_of``,
    if it is not empty, becomes -1 for free ids.
    """
    copies = 1 if directed else 2
    rank = 0
    for i in range(count):
        slot = slots[copies * i]
        if slot < -1:
            free_ids[free_count + rank] = ids[i]
            if src_of.size:
                src_of[ids[i]] = -1
            rank += 1
            ids[i] = -1 if keep else stored[-2 - slot]


@cpu_kernel
def list_ids(count, src, dst, slots, stored, places, sums, summed, table, free_ids, free_count, directed, out_src,
             out_dst):  # fmt: skip
    """Append the ids of the rows' edges that are in the graph to the free ones, and list the arcs of these edges.

    The edges stay: the ids are not free before they are deleted (`free_listed`). The table becomes FREE again.
    """
    copies = 1 if directed else 2
    rank = 0
    for i in range(count):
        gone = False
        if places[i] >= 0:
            table[places[i]] = FREE
            gone = slots[i] >= 0
        if gone:
            free_ids[free_count + rank] = stored[slots[i]]
            rank += 1
        j = copies * i
        out_src[j] = src[i] if gone else -1
        out_dst[j] = dst[i] if gone else -1
        if not directed:
            out_src[j + 1] = out_dst[j]
            out_dst[j + 1] = out_src[j]


@cpu_kernel
def free_listed(count, free_ids, free_count, src_of):
    """``src_of`` becomes -1 for so many ids behind the free ones."""
    for i in range(count):
        src_of[free_ids[free_count + i]] = -1


def count_deleted(count, src, dst, directed, ids, sums):
    """``sums``, on the GPU: the number of arcs of each tile that free the id of their edge."""


@cpu_kernel
def free_deleted(count, src, dst, directed, ids, sums, summed, free_ids, free_count, src_of):
    """Append the ids of deleted arcs to the free ones: ``ids[i]``, or -1 for arcs that do not count.

    For an undirected edge, the arc whose source is smaller frees the id. ``src_of``, if it is not empty, becomes -1 for
    ids that are free.
    """
    rank = 0
    for i in range(count):
        if ids[i] >= 0 and (directed or src[i] < dst[i]):
            free_ids[free_count + rank] = ids[i]
            if src_of.size:
                src_of[ids[i]] = -1
            rank += 1


@cpu_kernel
def read_ids(count, slots, stored, ids):
    """The ids of the edges in these slots, -1 for slots below 0."""
    for i in range(count):
        ids[i] = stored[slots[i]] if slots[i] >= 0 else -1


@cpu_kernel
def write_column(count, ids, values, column, width):
    """Store the values, `width` bytes each, of rows by the ids of their edges. Rows without an id are skipped."""
    for i in range(count):
        if ids[i] >= 0:
            column[ids[i]] = values[i]


@cpu_kernel
def walk_lists(count, starts, links, offsets, ids):
    """The entries of linked lists, each from its start on, as many as the offsets specify."""
    for i in range(count):
        at = starts[i]
        for j in range(offsets[i], offsets[i + 1]):
            ids[j] = at
            at = links[at]


@cpu_kernel
def count_later(count, starts, links, times, limits, counts):
    """Count the entries of each list, from its start on, before the first whose time is not after a limit.

    ``starts`` become those.
    """
    for i in range(count):
        at = starts[i]
        found = 0
        while at >= 0 and times[at] > limits[i]:
            found += 1
            at = links[at]
        counts[i] = found
        starts[i] = at
