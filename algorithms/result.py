"""`Result`: what all algorithms' results share."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import frontier as fr


class Result:
    """A result: a frozen dataclass whose arrays, one entry a vertex or edge, lie on the graph's device.

    Results can be copied and pickled. In a pickle, arrays on the GPU pass through the host; where it is loaded they go
    onto the GPU again if there is one, and are NumPy's otherwise.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        held = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        on_gpu = [name for name, value in held.items() if hasattr(value, "__cuda_array_interface__")]
        held |= {name: held[name].get() for name in on_gpu}
        return _restored, (type(self), held, on_gpu)

    def to_dataframe(self) -> Any:
        """The arrays as columns: a row for each edge if there are `src` and `dst`, otherwise for each vertex.

        Returns
        -------
        DataFrame
            pandas; of arrays on a GPU cuDF, without a copy through the host, where that is installed.

        Raises
        ------
        ImportError
            pandas is not installed.
        ValueError
            The result holds no arrays.
        """
        held = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        columns = {name: value for name, value in held.items() if getattr(value, "ndim", 0) == 1}
        if not columns:
            raise ValueError(f"this {type(self).__name__} holds no arrays to make columns of")
        some = next(iter(columns.values()))
        on_gpu = hasattr(some, "get")
        if "src" not in columns:
            arange = importlib.import_module("cupy" if on_gpu else "numpy").arange
            columns = {"vertex": arange(some.size), **columns}
        if on_gpu:
            try:
                return importlib.import_module("cudf").DataFrame(columns)
            except ImportError:
                columns = {name: column.get() for name, column in columns.items()}
        return importlib.import_module("pandas").DataFrame(columns)


def _restored(kind: type[Result], held: dict[str, Any], on_gpu: list[str]) -> Result:
    """The result of a pickle."""
    if fr.gpu_available():
        for name in on_gpu:
            held[name] = importlib.import_module("cupy").asarray(held[name])
    return kind(**held)
