"""Which CUDA kernels are asked for, noted where they are made or loaded for the first time.

Code that compiles ahead listens, also on machines without a GPU: kernels that are asked for meanwhile do nothing when
they are launched. Otherwise no listener is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .prebuilt import Defines


class Request(NamedTuple):
    """Kernels that were asked for: a header, its macros, and the functors that are linked to it."""

    header: str
    defines: Defines
    functors: tuple[Any, ...] = ()


class _NoKernels:
    """Replaces `CudaKernels`, each of whose attributes is a kernel."""

    def __init__(self, launch: Callable[..., None]):
        self._launch = launch

    def __getattr__(self, name: str) -> Callable[..., None]:
        return self._launch


class Listener:
    """The receiver of requests. A subclass defines their use."""

    def note(self, request: Request) -> None:
        """Receive a request for kernels that would be launched."""
        raise NotImplementedError

    def note_package(self, request: Request) -> None:
        """Receive a request for the kernels of a folder, which are loaded on a CPU, too."""
        raise NotImplementedError

    def launch(self, *args: Any, **options: Any) -> None:
        """Called instead of each kernel."""
        raise NotImplementedError

    @property
    def kernels(self) -> Any:
        """Returned instead of the kernels of an operator."""
        return _NoKernels(self.launch)


class _Requests:
    listener: Listener | None = None


requests = _Requests()
