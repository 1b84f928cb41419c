"""Write an analytic: the accounts within a few payments of a flagged account, after every batch of payments.

    python examples/custom_analytic.py [--hops K] [--batches N] [--structure NAME] [--device auto|cpu|gpu]

Flagged accounts, and accounts close to them, need a review. Each batch changes the answer. `advance` computes it with
two functors of one line each, compiled for the graph's device.
"""

from __future__ import annotations

import argparse

import numpy as np

import frontier as fr

FAR = np.int32(2**31 - 1)


def come_closer(src, dst, edge, weight, hops, distance):
    """Set the distance of an account, and return True for the first edge that reaches it."""
    return fr.atomic_cas(hops, dst, FAR, distance) == FAR


def not_reached(dst, hops, distance):
    """Skip accounts that have a distance."""
    return hops[dst] == FAR


def hops_from(graph: fr.Graph, flagged: np.ndarray, most: int):
    """Return the payments between each account and the nearest flagged one, or FAR beyond `most`."""
    frontier = fr.Frontier(graph, flagged)
    hops = graph.xp.full(graph.num_vertices, FAR, np.int32)
    hops[frontier.vertices] = 0
    for distance in range(1, most + 1):
        frontier = fr.advance(graph, frontier, come_closer, hops, np.int32(distance), condition=not_reached)
        if not frontier:
            break
    return hops


def main() -> None:
    parser = argparse.ArgumentParser(description="Accounts close to flagged ones, after every batch of payments.")
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    accounts, per_batch = 20_000, 2_000
    payments = fr.io.uniform(accounts, options.batches * per_batch, seed=7)
    flagged = np.random.default_rng(7).choice(accounts, 5, replace=False)
    graph = fr.structures()[options.structure](accounts, device=options.device)
    print(f"flagged: {', '.join(map(str, sorted(flagged)))}")
    known = len(flagged)
    for number, batch in enumerate(payments.batches(per_batch), 1):
        graph.insert_edges(batch.src, batch.dst)
        hops = graph.device.to_host(hops_from(graph, flagged, options.hops))
        near = np.bincount(hops[hops < FAR], minlength=options.hops + 1)
        rings = ", ".join(f"{count:,} at {hop}" for hop, count in enumerate(near) if hop)
        print(f"batch {number:3}: {graph.num_edges:7,} payments, {near.sum() - known:+5,} accounts to look at "
              f"({rings} hops)")  # fmt: skip
        known = near.sum()


if __name__ == "__main__":
    main()
