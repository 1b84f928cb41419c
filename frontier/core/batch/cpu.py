"""CPU kernels that prepare a batch."""

import numpy as np

from frontier.runtime import cpu_kernel


@cpu_kernel
def prepare(count, src, dst, weights, num_vertices, absent, directed, drop_loops, out_src, out_dst, out_weights,
            error_counts, error_flag):  # fmt: skip
    """Expand `count` edges into arcs, and count invalid ids and weights. Their arcs are ignored."""
    copies = 1 if directed else 2
    for i in range(count):
        u = src[i]
        v = dst[i]
        good = 0 <= u < num_vertices and 0 <= v < num_vertices
        if not good:
            error_counts[0] += 1
        elif absent is not None:  # noqa: SIM102  (on its own, so that Numba prunes the branch)
            if absent[u] or absent[v]:
                error_counts[1] += 1
                good = False
        if weights is not None:  # noqa: SIM102  (likewise)
            if np.isnan(weights[i]):
                error_counts[2] += 1
                good = False
        if not good:
            error_flag[0] = 1
        if drop_loops and u == v:
            good = False
        j = i * copies
        out_src[j] = u if good else -1
        out_dst[j] = v if good else -1
        if weights is not None:
            out_weights[j] = weights[i]
        if not directed:
            out_src[j + 1] = v if good else -1
            out_dst[j + 1] = u if good else -1
            if weights is not None:
                out_weights[j + 1] = weights[i]
