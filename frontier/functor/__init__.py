"""Users' Python functions, compiled to run inside operators on either device.

A functor is a plain Python function over numbers and arrays. It may use all that Numba compiles: arithmetic,
comparisons, ``if``, loops, ``math``, the atomics of `frontier`, constants, calls of other plain functions, and
``array[index]`` on its array arguments.

A functor means the same as in Python at the moment of the call, with the present values of globals, defaults, closures,
attributes of modules and called functions. Each new value is compiled again: pass values that change as arguments.
Arrays are always arguments: one named from outside is refused. On the GPU one-dimensional arrays are raw pointers
without a length, while two-dimensional ones know their shape. `cuda` hides which compiler makes code for GPUs.
"""

from .arguments import ARRAY_DTYPES, NUMBERS, c_parameters, functor_argument, parameter_types
from .check import check_functor, uses_parameter
from .checking import FunctorIndexError, checking, interpreted
from .compile import CudaFunctor, cpu_functor, cuda_functor, functor_identity
from .errors import FunctorError, blamed, explain, is_about_fields
from .graphs import GraphArgument, GraphForm

__all__ = [
    "ARRAY_DTYPES", "NUMBERS", "CudaFunctor", "FunctorError", "FunctorIndexError", "GraphArgument", "GraphForm",
    "blamed", "c_parameters", "check_functor", "checking", "cpu_functor", "cuda_functor", "explain", "functor_argument",
    "functor_identity", "interpreted", "is_about_fields", "parameter_types", "uses_parameter",
]  # fmt: skip
