"""A launch of a kernel with arguments that stay, and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .arguments import ByValue, Parameters

THREADS = 256  # threads of a block, unless a kernel specifies its own


class Launch:
    """A launch whose arguments stay: `words` and `structs` of `words_of`, converted once, on a `CudaKernel`'s grid."""

    __slots__ = (
        "_blocks_limit", "_driver", "_stream", "arguments", "blocks", "cooperative", "function", "parameters",
        "pointer", "shared", "threads",
    )  # fmt: skip

    def __init__(
        self, kernel: Any, arguments: tuple, words: list[int], structs: list[tuple[int, ByValue]], *, blocks: int = 0,
        threads: int = 0, shared: int = 0, cooperative: bool = False,
    ):  # fmt: skip
        self.function = kernel.function  # a reference to the loaded module
        self.pointer = kernel.function.ptr
        self._driver, self._stream, self._blocks_limit = kernel.driver, kernel.stream, kernel.blocks_limit
        self.arguments = arguments  # whose memory the parameters point to
        self.parameters = Parameters(len(words))
        self.parameters.fill(words, structs)
        self.blocks, self.threads, self.shared, self.cooperative = blocks, threads, shared, cooperative

    def __call__(
        self, count: int, *, blocks: int | None = None, threads: int = THREADS, tile: int = 1, cooperative: bool = False
    ) -> None:  # fmt: skip
        """Queue it on the current stream, for `count` > 0 work items and on a grid as for a `CudaKernel`."""
        if blocks is None:
            blocks = min((count * tile + threads - 1) // threads, self._blocks_limit)
        self.parameters.set_count(count)
        grid = blocks, 1, 1, threads, 1, 1, 0, self._stream().ptr, self.parameters.address
        if cooperative:
            self._driver.launchCooperativeKernel(self.pointer, *grid)
        else:
            self._driver.launchKernel(self.pointer, *grid, 0)

    def repeater(self) -> Callable[[int], None]:
        """A function that queues it on a stream, on its own grid."""
        driver, pointer, blocks, threads, shared = self._driver, self.pointer, self.blocks, self.threads, self.shared
        launch, cooperatively, address = driver.launchKernel, driver.launchCooperativeKernel, self.parameters.address
        if self.cooperative:
            return lambda stream: cooperatively(pointer, blocks, 1, 1, threads, 1, 1, shared, stream, address)
        return lambda stream: launch(pointer, blocks, 1, 1, threads, 1, 1, shared, stream, address, 0)


class Fill(NamedTuple):
    """That all bytes of an array are set."""

    array: Any
    byte: int

    def repeater(self) -> Callable[[int], None]:
        """A function that queues it on a stream."""
        import cupy

        memset, address, byte, size = cupy.cuda.runtime.memsetAsync, self.array.data.ptr, self.byte, self.array.nbytes
        return lambda stream: memset(address, byte, size, stream)
