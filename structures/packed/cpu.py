"""CPU side of packed memory arrays: the view, the neighbor iterator and the kernels, from the modules ``cpu_*``."""

from .cpu_locate import commit, erase, find_arcs, locate
from .cpu_move import move, rebalance
from .cpu_plan import plan
from .cpu_rebuild import export_rows, fill, order_counts
from .cpu_view import SORTED, View, degree, find, leaf_at, next_run, order_of, place_of, segment, segments, slot_at

__all__ = [
    "SORTED", "View", "commit", "degree", "erase", "export_rows", "fill", "find", "find_arcs", "leaf_at", "locate",
    "move", "next_run", "order_counts", "order_of", "place_of", "plan", "rebalance", "segment", "segments", "slot_at",
]  # fmt: skip
