"""Edges from the end of lower degree to the other, ties by id: so triangles are found once, from short lists."""

from __future__ import annotations


def goes_up(src, dst, edge, weight, degrees):
    a = degrees[src]
    b = degrees[dst]
    return a < b or (a == b and src < dst)


def goes_down(src, dst, edge, weight, degrees):
    a = degrees[src]
    b = degrees[dst]
    return a > b or (a == b and src > dst)
