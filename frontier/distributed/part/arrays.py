"""The arrays of a `GraphPart` that all parts know, and sums over parts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from frontier.core.vertex_arrays import MakesVertexArrays

from ..base import BasePart
from ..exchange.vertex_arrays import FLAGS, RESULTS, SUMS


class PartArrays(MakesVertexArrays, BasePart):
    """The arrays of `GraphPart`: each part has entries for all vertices, which are made equal where they are read."""

    def vertex_array(
        self, dtype: Any, fill: Any = 0, *, combine: str | Callable | None = None, follows: Any = None,
        normal: Callable | None = None,
    ) -> Any:  # fmt: skip
        made = super().vertex_array(dtype, fill)
        return self.arrays.register(made, combine, follows, normal)

    def flags(self, count: int = 1) -> Any:
        return self.arrays.register_small(super().flags(count), FLAGS)

    def sums(self, count: int = 1) -> Any:
        return self.arrays.register_small(super().sums(count), SUMS)

    def results(self, count: int = 1, dtype: Any = np.float64) -> Any:
        return self.arrays.register_small(super().results(count, dtype), RESULTS)

    def copy_to_host_async(self, array: Any) -> Any:
        return self.comm.deferred_of(array) or super().copy_to_host_async(array)

    def sync(self, *arrays: Any, of: Any = None) -> None:
        if of is None:
            self.arrays.sync(arrays)
        else:
            self.arrays.publish(arrays, of.local._members())

    def locally(self, *arrays: Any) -> AbstractContextManager[None]:
        return self.arrays.hold_apart(arrays)

    def sum_all(self, array: Any) -> Any:
        if self.arrays.rule_of(array) == SUMS:
            if self.device.is_gpu and self.comm.size > 1:  # the host waits once
                return int(self.comm.gather_rows(array).sum())
            return self.sum_over_parts(int(super().sum_all(array)))
        self.arrays.settle([array])
        return self.device.to_host(self.comm.allreduce(array[self.partition.owned].sum().reshape(1)))[0]

    def sum_over_parts(self, number: int) -> int:
        return self.comm.reduce_numbers([number])[0]

    def listed_over_parts(self, src: Any, dst: Any) -> int:
        routed = None if self.comm.size == 1 else self.routed_of_notified(src, dst)
        return self.sum_over_parts(src.size) if routed is None else routed.total

    def max_over_parts(self, number: int) -> int:
        return self.comm.reduce_numbers([number], "max")[0]
