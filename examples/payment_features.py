"""Compute features of accounts from a stream of payments: their last hour, after every batch.

    python examples/payment_features.py [--span 1h] [--out FOLDER] [--structure NAME] [--device auto|cpu|gpu]

Payments have names of accounts and timestamps, and some arrive late. A sliding window stores the last hour. After every
batch, a table has a row for each active account: its partners, its triangles of payments, and the size of its group.
With `--out`, each table is written as a Parquet file. A ring of accounts that pay each other for twenty minutes
stands out by its triangles.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import frontier as fr
from algorithms import DynamicConnectedComponents, DynamicPageRank, DynamicTriangleCount
from dynfrontier import Pipeline, PipelineBatch

ACCOUNTS, BATCHES, PER_BATCH = 5_000, 16, 1_000
RING = np.arange(3_000, 3_010)
START = pd.Timestamp("2026-11-22 09:00", tz="UTC")


def payments() -> Iterator[pd.DataFrame]:
    """Yield ten minutes of payments per batch: one in fifty up to half an hour late, one per batch three hours."""
    rng = np.random.default_rng(5)
    for batch in range(BATCHES):
        payer, payee = rng.integers(0, ACCOUNTS, (2, PER_BATCH))  # used in names
        if batch in (7, 8):
            payer[:40], payee[:40] = rng.choice(RING, (2, 40))
        seconds = 600 * batch + rng.integers(0, 600, PER_BATCH)
        seconds -= np.where(rng.random(PER_BATCH) < 0.02, rng.integers(0, 1800, PER_BATCH), 0)
        seconds[-1] -= 3 * 3600
        yield pd.DataFrame({
            "payer": [f"account {number}" for number in payer], "payee": [f"account {number}" for number in payee],
            "time": START + pd.to_timedelta(seconds, unit="s"),
        })  # fmt: skip


def table(results: dict[str, Any], names: fr.VertexNames) -> pd.DataFrame:
    """Return a row for each account that has a partner."""
    labels = results.pop("group")
    accounts = pd.Index(names[np.arange(labels.size)], name="account")
    found = pd.DataFrame(results | {"group_size": np.bincount(labels)[labels]}, index=accounts)
    return found[found.degree > 0]


def main() -> None:
    parser = argparse.ArgumentParser(description="Features of accounts in a sliding window of payments.")
    parser.add_argument("--span", default="1h", help="length of the window")
    parser.add_argument("--out", type=Path, help="folder for a Parquet file a batch (pyarrow)")
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)

    def deliver(batch: PipelineBatch) -> None:
        """Run while the next batch is applied."""
        features = table(batch.results, names)
        if options.out:
            features.to_parquet(options.out / f"features-{batch.number:03}.parquet")
        busiest = features.triangles.idxmax()
        print(f"batch {batch.number:2}: {batch.inserted:4} pairs came, {batch.deleted:4} went, "
              f"{batch.late:2} too late; {len(features):,} accounts, largest group {features.group_size.max():,}; "
              f"{busiest} in {features.triangles[busiest]} triangles, "
              f"{features['rank'].idxmax()} has the highest rank")  # fmt: skip

    names = fr.VertexNames()
    graph = fr.structures()[options.structure](time_unit="s", device=options.device)
    features = {
        "degree": lambda graph: graph.degrees(),
        "triangles": (DynamicTriangleCount, "per_vertex"),
        "group": (DynamicConnectedComponents, "labels"),
        "rank": (DynamicPageRank, "pagerank"),
    }
    columns = {"src": "payer", "dst": "payee"}
    Pipeline(payments(), graph, features, window=options.span, names=names, columns=columns).run(deliver)


if __name__ == "__main__":
    main()
