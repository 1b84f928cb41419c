"""The functions of NetworkX that the backend has: `TABLE`, by name, with the signatures of NetworkX.

Definitions here list the arguments that they support by name. Defaults are NetworkX's.
"""

from . import (  # noqa: F401  (each adds its functions to the table)
    clustering,
    communities,
    components,
    cores,
    counts,
    distances,
    layouts,
    paths,
    ranks,
    reciprocity,
    traversal,
    weighted,
)
from .table import TABLE, Function

__all__ = ["TABLE", "Function"]
