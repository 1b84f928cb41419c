"""The view of `Rows`, its neighbor iterator, and the kernel that every structure has."""

from typing import Any, NamedTuple

from frontier.runtime import jit, parallel_kernel

SORTED = True


class View(NamedTuple):
    """The neighbors of v are in slots ``v * width .. (v + 1) * width - 1``, -1 where there is none."""

    neighbors: Any
    weights: Any
    lengths: Any
    width: Any


@jit(forceinline=True)
def degree(view, v):
    return view.lengths[v]


@jit(forceinline=True)
def segments(view, v):
    return 1


@jit(forceinline=True)
def segment(view, v, i):
    return 0, v * view.width, (v + 1) * view.width


@jit(forceinline=True)
def next_run(view, run):
    return -1, 0, 0


@jit
def find(view, u, v):
    for slot in range(u * view.width, (u + 1) * view.width):
        if view.neighbors[slot] == v:
            return slot
    return -1


@parallel_kernel
def find_arcs(begin, end, view, src, dst, slots):
    for i in range(begin, end):
        slots[i] = find(view, src[i], dst[i]) if src[i] >= 0 else -1
