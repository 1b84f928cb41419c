"""The names that authors of algorithms need beyond operators and frontiers, and the classes of graphs' results."""

from frontier.core import keys
from frontier.core.change import Change
from frontier.core.component import Component, add_component, component_of
from frontier.core.locking import reads
from frontier.core.registry import csr_structure
from frontier.core.results import MemoryUsage, UpdateResult
from frontier.core.statistics import StorageStatistics
from frontier.core.structures import structure_class
from frontier.features.edge_data import RecordsResult
from frontier.features.mixed import MixedResult
from frontier.features.windows.window import WindowResult
from frontier.functor.intrinsics.random import random_bits
from frontier.operators import (
    Orientation,
    StepCounter,
    copy_for_passes,
    copy_if_faster,
    edge_support,
    extract_neighbors,
    intersect_arcs,
)
from frontier.operators.capture import CapturedStep
from frontier.operators.captured_batches import CapturedBatchStep, clear
from frontier.operators.dispatch.requests import compile_listed
from frontier.operators.layout import ReadLayout, choose_layout
from frontier.runtime import Device, display, is_warming_up, on_compile, resolve_device, warming_up
from frontier.runtime.memory.transfer import HostCopy, copy_to_host_async
from frontier.runtime.random_vertices import draw_vertices

from . import arguments

__all__ = [
    "CapturedBatchStep", "CapturedStep", "Change", "Component", "Device", "HostCopy", "MemoryUsage", "MixedResult",
    "Orientation", "ReadLayout", "RecordsResult", "StepCounter", "StorageStatistics", "UpdateResult", "WindowResult",
    "add_component", "arguments", "choose_layout", "clear", "compile_listed", "component_of", "copy_for_passes",
    "copy_if_faster", "copy_to_host_async", "csr_structure", "display", "draw_vertices", "edge_support",
    "extract_neighbors", "intersect_arcs", "is_warming_up", "keys", "on_compile", "random_bits",
    "reads", "resolve_device", "structure_class", "warming_up",
]  # fmt: skip
