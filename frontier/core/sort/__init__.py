"""Sorting arcs, and dropping those listed more than once."""

from .arcs import (
    accumulate,
    arc_keys,
    check_key_bits,
    id_bits,
    last_of_runs,
    places_of_ids,
    row_ids,
    row_offsets,
    sort_keys,
    sort_pairs,
    sorted_unique_arcs,
    split_keys,
    sums_of_runs,
    unique_arcs,
)
from .sorted import END, DistinctKeys, SortedKeys, distinct_keys, distinct_of_sorted, sort_kernels, sorted_keys
from .tiles import TILE, running_sums, tile_count, tile_launch

__all__ = [
    "END", "TILE", "DistinctKeys", "SortedKeys", "accumulate", "arc_keys", "check_key_bits", "distinct_keys",
    "distinct_of_sorted", "id_bits", "last_of_runs", "places_of_ids", "row_ids", "row_offsets", "running_sums",
    "sort_kernels", "sort_keys", "sort_pairs", "sorted_keys", "sorted_unique_arcs", "split_keys", "sums_of_runs",
    "tile_count", "tile_launch", "unique_arcs",
]  # fmt: skip
