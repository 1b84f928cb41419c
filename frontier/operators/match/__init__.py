"""match_keys: where the arcs of a batch are, from one walk of each source's list."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import workspace_of
from frontier.core.sort import id_bits
from frontier.runtime.compile.kernels import Header

from ..dispatch.gpu_balance import Pieces, launch_expansion, tile_size
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, plain_kernels, run_cpu
from .cpu import make_match

HEADER = "frontier/operators/match/match.cuh"


def match_kernels(graph: BaseGraph) -> list[Header]:
    """The CUDA kernels of `match_keys`, for short neighbor lists and for long ones."""
    return plain_kernels(graph, HEADER)


def match_keys(graph: BaseGraph, keys: Any, slots: Any, bits: int = 0) -> None:
    """Find the slots of many arcs, for structures with unordered lists, without a host synchronization.

    The keys are the result of `sorted_keys` or `distinct_keys`, END last. Their low `bits` are ignored. `slots` (int64)
    becomes the slot of each arc, -1 for absent arcs and for all but the last of equal keys. Each source's list is
    scanned once, load-balanced over segments, and each neighbor is looked up among the source's keys: O(d log k) for a
    source of degree d with k keys, while separate look-ups would scan the list k times.
    """
    count = int(keys.size)
    if not count:
        return
    shift = id_bits(graph.num_vertices)
    if not graph.device.is_gpu:
        run_cpu(cpu_kernel_for(graph.package, make_match, ()), (), count, graph.store.bare_view(), keys, shift, slots)
        return
    kernels = cuda_kernels_for(
        graph, HEADER, (), (), (("TILE_SIZE", tile_size(graph)),)
    )  # fmt: skip
    ends = workspace_of(graph).scratch.get("match_ends", count, np.int64)
    kernels.group(count, keys, shift + bits, slots, ends)
    pieces = Pieces(graph)
    launch_expansion(
        kernels.match, kernels.match_pieces, count, pieces, graph.view(), keys, ends, shift, bits, slots, *pieces.args
    )
