"""Sorting arcs, and dropping those listed more than once."""

from .arcs import (
    arc_keys,
    id_bits,
    last_of_runs,
    row_ids,
    sort_pairs,
    sorted_unique_arcs,
    split_keys,
    unique_arcs,
)
from .distinct import END, DistinctKeys, distinct_keys

__all__ = [
    "END", "DistinctKeys", "arc_keys", "distinct_keys", "id_bits", "last_of_runs", "row_ids", "sort_pairs",
    "sorted_unique_arcs", "split_keys", "unique_arcs",
]  # fmt: skip
