"""Choose a structure for a workload by running the workload on every structure.

    python examples/choose_structure.py [FILE] [--batch-size N] [--seconds S] [--device auto|cpu|gpu]

Payments between accounts arrive in batches, and each arrival deletes an old payment. After every batch, two analytics
run: connected components, and a custom count of the accounts with one partner. Without a file, a stream is generated.
"""

from __future__ import annotations

import argparse

import frontier as fr
from dynfrontier import recommend


def single_partner(graph: fr.Graph):
    """Return the number of vertices with one neighbor. A workload accepts any function of a graph."""
    return (graph.degrees() == 1).sum()


def main() -> None:
    parser = argparse.ArgumentParser(description="Find the structure that suits a workload.")
    parser.add_argument("file", nargs="?", help="an edge list (default: a generated one)")
    parser.add_argument("--batch-size", type=int, default=2048)
    parser.add_argument("--seconds", type=float, default=5.0, help="time budget of the measurement")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    found = recommend(
        options.file or fr.io.rmat(scale=13, edge_factor=16),
        batch_size=options.batch_size, deletes=0.5, delete_order="oldest",
        analytics=["dynamic_connected_components", single_partner], seconds=options.seconds, device=options.device,
    )  # fmt: skip
    print(found.report)
    print()
    for objective in ("time", "latency", "memory"):
        judged = recommend(found.report, objective)
        print(f"{objective:8} {judged.structure}: {judged.reason}")


if __name__ == "__main__":
    main()
