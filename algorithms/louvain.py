"""Communities by the Louvain method: modularity is raised by moving vertices, then communities become vertices.

The modularity of communities is the fraction of the edges' weight inside of them, less its expectation if ends were
joined at random. On each level, every vertex starts as a singleton community. A sweep divides the vertices at random
into groups. The vertices of a group look at their neighbors' communities at the same time, and move to the one that
raises modularity most, the lowest of several. (If all moved at once, two neighbors might swap their communities
forever.) A vertex that gains nothing in any community moves to the community with its number, if that is empty. A
vertex is visited again after it has moved, as more vertices may have joined its community at the same time. It is also
visited once a neighbor has joined a community other than its own. After a few sweeps, communities become the vertices
of the next level, joined by the sums of their edges. The last level is one that raises modularity no further.

Levels are then refined, from the last to the first: vertices start in the communities found above them, and move until
few are pending. This undoes early merges, which no level above can.

`_communities` describes the arrays, and has the levels, the moves and the merges, which `DynamicLouvain` shares.

Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large networks", J. Stat. Mech. 2008;
Rotta and Noack, "Multilevel local search algorithms for modularity clustering", J. Exp. Algorithmics 2011 (refinement);
Traag, Waltman and van Eck, "From Louvain to Leiden", Sci. Rep. 2019 (only vertices whose neighbors have moved).
"""

from __future__ import annotations

import numpy as np

import frontier as fr

from ._arguments import as_int64
from ._communities import CommunitiesResult, by_smallest, climb, first_level, quality


@fr.advanced.reads
def louvain(
    graph: fr.Graph, *, resolution: float = 1.0, max_level: int = 100, threshold: float = 1e-7, seed: int = 0
) -> CommunitiesResult:  # fmt: skip
    """Communities of high modularity.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights must not be negative.
    resolution : float
        Higher values give smaller communities.
    max_level : int
        Maximum number of levels.
    threshold : float
        Stop once a level raises modularity by no more than this.
    seed : int
        Communities depend only on it and the edges, and with float weights on rounding.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.

    See Also
    --------
    DynamicLouvain : Maintains the result while the graph changes.

    Notes
    -----
    O(V + E) work for each sweep, at most 34 of them on each level. Levels shrink fast. O(V + E) memory, for graphs of
    communities, and for a copy of graphs that are walked much slower than CSR. Each level of a distributed graph is
    distributed over the same partitions.

    Examples
    --------
    >>> from algorithms import louvain
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
    >>> found = louvain(graph)
    >>> found.labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    >>> round(found.modularity, 3)
    0.357
    """
    first, share = first_level(graph, "louvain", resolution, max_level)
    if not 0 <= fr.advanced.arguments.number(threshold, "threshold") < np.inf:
        raise ValueError(f"threshold must be finite and not negative, got {threshold}")
    labels, levels = climb(first, share, resolution, max_level, threshold, as_int64(seed))
    modularity = quality(first, labels, resolution)
    labels, count = by_smallest(graph, labels)
    return CommunitiesResult(labels, count, modularity, levels)
