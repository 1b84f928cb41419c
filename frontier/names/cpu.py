"""CPU kernels of the hash table of integer names: open addressing with linear probing, in two arrays.

A slot contains a name and its id, `EMPTY`, or `GONE` after a name was forgotten, behind which further names follow. The
number of slots is a power of two, at least twice the number of used ones. ``mask`` is one less.
"""

import numpy as np

from frontier.runtime import cpu_kernel, jit, parallel_kernel

EMPTY, GONE = -1, -2

# Indices of `state`.
SIZE, FREE, TAKEN = range(3)

FIRST = np.uint64(0xBF58476D1CE4E5B9)  # the finalizer of SplitMix64
SECOND = np.uint64(0x94D049BB133111EB)


@jit(forceinline=True)
def slot_of(name, mask):
    """The slot at which the search for a name starts."""
    x = np.uint64(name)
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return np.int64((x ^ (x >> np.uint64(31))) & np.uint64(mask))


@cpu_kernel
def assign(count, names, slot_names, slot_ids, mask, by_id, named, free, state, ids):
    """The id of each name, a new one for each unknown name. The capacity suffices.

    On GPUs, `claim`, `count_first`, `enter` and `share` do this.
    """
    for i in range(count):
        name = names[i]
        at = slot_of(name, mask)
        place = np.int64(-1)
        while True:
            held = slot_ids[at]
            if held >= 0 and slot_names[at] == name:
                ids[i] = held
                break
            if held == GONE and place < 0:
                place = at
            if held == EMPTY:
                if place < 0:
                    place = at
                    state[TAKEN] += 1
                if state[FREE] > 0:
                    state[FREE] -= 1
                    new = free[state[FREE]]
                else:
                    new = state[SIZE]
                    state[SIZE] += 1
                slot_names[place] = name
                slot_ids[place] = new
                by_id[new] = name
                named[new] = True
                ids[i] = new
                break
            at = (at + 1) & mask


@parallel_kernel
def find(begin, end, names, slot_names, slot_ids, mask, ids):
    """The id of each name, or -1 for unknown ones."""
    for i in range(begin, end):
        at = slot_of(names[i], mask)
        while slot_ids[at] != EMPTY and not (slot_ids[at] >= 0 and slot_names[at] == names[i]):
            at = (at + 1) & mask
        ids[i] = slot_ids[at]


@cpu_kernel
def forget(count, ids, slot_ids, mask, by_id, named):
    """Remove the names of distinct ids, all of which have one, from the table."""
    for i in range(count):
        at = slot_of(by_id[ids[i]], mask)
        while slot_ids[at] != ids[i]:
            at = (at + 1) & mask
        slot_ids[at] = GONE
        named[ids[i]] = False


@cpu_kernel
def fill(count, by_id, named, slot_names, slot_ids, mask):
    """Insert the names of all ids that have one into an empty table."""
    for i in range(count):
        if not named[i]:
            continue
        at = slot_of(by_id[i], mask)
        while slot_ids[at] != EMPTY:
            at = (at + 1) & mask
        slot_names[at] = by_id[i]
        slot_ids[at] = i
