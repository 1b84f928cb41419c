"""The functions of NetworkX that the backend has: `TABLE`, by name, with the signatures of NetworkX.

Definitions here list the arguments that they support by name. Defaults are NetworkX's.
"""

from . import (
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

_MODULES = (
    clustering, communities, components, cores, counts, distances, layouts, paths, ranks, reciprocity, traversal,
    weighted,
)  # fmt: skip
