"""The papers' comparisons, reproduced: their tables and figures on generated graphs of the papers' shapes, with the
structures of the registry as columns, and a verdict on each claim that numbers can decide.

``python -m benchmarks papers awad --table 2 --scale 16 --structures slab,hornet``

A paper is a module with a `Paper`: a list of `Experiment`, each with its claim, how it is reproduced, a measurement and
checks. The findings are in README.md, which ``python -m benchmarks figures --write`` fills from results files.
"""

from .awad import AWAD
from .gpma import GPMA
from .graphvine import GRAPHVINE
from .hornet import HORNET
from .lpma import LPMA

PAPERS = {paper.name: paper for paper in (AWAD, HORNET, GPMA, LPMA, GRAPHVINE)}

__all__ = ["PAPERS"]
