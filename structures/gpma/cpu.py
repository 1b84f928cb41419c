"""CPU side of GPMA: packed memory arrays, and serial insertion instead of insertion under locks."""

from frontier.runtime import cpu_kernel
from structures.packed.cpu import *  # noqa: F403  (kernels, by name)
from structures.packed.cpu import leaf_at, place_of, rebalance
from structures.packed.layout import LEAF_BITS, PLACE_SHIFT


@cpu_kernel
def insert_serially(count, view, keys, shift, places, weights, origin, leaf_density, density_step):
    """Insert new keys one after another, and return the number of moved leaves. The root must have capacity for all."""
    mask = (1 << shift) - 1
    moved = 0
    for j in range(count):
        if places[j] & 1:
            continue
        places[j] = place_of(view, keys[j] >> shift, keys[j] & mask)
        start = places[j] >> PLACE_SHIFT
        leaves = 1
        height = 0
        number = 1 + view.counts[leaf_at(view, start)]
        while leaves < view.leaves and number > (leaf_density + density_step * height) * (leaves << LEAF_BITS):
            size = 1 << height
            sibling = ((start >> height) ^ 1) << height
            for i in range(sibling, min(sibling + size, view.leaves)):
                number += view.counts[leaf_at(view, i)]
            height += 1
            start = (start >> height) << height
            leaves = min(2 * size, view.leaves - start)
        rebalance(view, start, leaves, keys, shift, places, weights, origin, j, j + 1)
        moved += leaves
    return moved
