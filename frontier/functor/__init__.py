"""Users' Python functions, compiled to run inside operators on either device.

A functor is a plain Python function over numbers and arrays. What it can hold is what Numba compiles: arithmetic,
comparisons, ``if``, loops, ``math``, the atomics of `frontier`, constants, calls of other plain functions, and
``array[index]`` on its array arguments.

A functor means what it means in Python at the moment of the call: globals, defaults, closures, attributes of modules
and the functions that it calls have the values that they have then. Each new value is compiled again, so what changes
from call to call is better passed as an argument. Arrays are always arguments: one that is named from outside is
refused. On the GPU one-dimensional arrays come as raw pointers: they have no length there. Those of two dimensions know
their shape. Which compiler makes code for GPUs is hidden by `cuda`.
"""

from .arguments import ARRAY_DTYPES, NUMBERS, c_parameters, functor_argument, parameter_types
from .check import check_functor, uses_parameter
from .checking import FunctorIndexError, checking, interpreted
from .compile import CudaFunctor, cpu_functor, cuda_functor, functor_identity
from .errors import FunctorError, blamed, explain
from .graphs import GraphArgument, GraphForm

__all__ = [
    "ARRAY_DTYPES", "NUMBERS", "CudaFunctor", "FunctorError", "FunctorIndexError", "GraphArgument", "GraphForm",
    "blamed", "c_parameters", "check_functor", "checking", "cpu_functor", "cuda_functor", "explain", "functor_argument",
    "functor_identity", "interpreted", "parameter_types", "uses_parameter",
]  # fmt: skip
