"""Features of accounts from a stream of payments: what each account did in the last hour, after every batch.

    python examples/payment_features.py [--span 1h] [--out FOLDER] [--structure NAME] [--device auto|cpu|gpu]

Payments come with timestamps, some of them late. A sliding window holds those of the last hour. After every batch there
is a table with a row for each account that paid or was paid: how many partners it has, in how many triangles of
payments it is, and how large its group is. With `--out`, each table is written as a Parquet file. A ring of accounts
that pay each other for twenty minutes stands out by its triangles.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import frontier as fr
from algorithms import DynamicComponents, DynamicTriangleCount

ACCOUNTS, BATCHES, PER_BATCH = 5_000, 16, 1_000
RING = np.arange(3_000, 3_010)
START = pd.Timestamp("2026-11-22 09:00", tz="UTC")


def payments() -> Iterator[pd.DataFrame]:
    """Ten minutes of payments at a time. One in fifty is up to half an hour late; one, in each batch, three hours."""
    rng = np.random.default_rng(5)
    for batch in range(BATCHES):
        payer, payee = rng.integers(0, ACCOUNTS, (2, PER_BATCH))
        if batch in (7, 8):
            payer[:40], payee[:40] = rng.choice(RING, (2, 40))
        seconds = 600 * batch + rng.integers(0, 600, PER_BATCH)
        seconds -= np.where(rng.random(PER_BATCH) < 0.02, rng.integers(0, 1800, PER_BATCH), 0)
        seconds[-1] -= 3 * 3600
        yield pd.DataFrame({"payer": payer, "payee": payee, "time": START + pd.to_timedelta(seconds, unit="s")})


class Features:
    """The features of all accounts, maintained while the window slides."""

    def __init__(self, graph: fr.DynamicGraph):
        self.graph = graph
        self.triangles = DynamicTriangleCount(graph)
        self.groups = DynamicComponents(graph)

    def table(self) -> pd.DataFrame:
        """A row for each account that has a partner."""
        host = self.graph.device.to_host
        degree, labels = host(self.graph.degrees()), host(self.groups.labels)
        found = pd.DataFrame({
            "degree": degree,
            "triangles": host(self.triangles.per_vertex),
            "group_size": np.bincount(labels, minlength=degree.size)[labels],
        })  # fmt: skip
        return found[found.degree > 0].rename_axis("account")


def main() -> None:
    parser = argparse.ArgumentParser(description="Features of accounts in a sliding window of payments.")
    parser.add_argument("--span", default="1h", help="length of the window")
    parser.add_argument("--out", type=Path, help="folder for a Parquet file a batch (pyarrow)")
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    graph = fr.structures()[options.structure](ACCOUNTS, time="s", device=options.device)
    window = fr.SlidingWindow(graph, options.span)
    features = Features(graph)
    for number, batch in enumerate(payments()):
        done = window.push(batch.payer, batch.payee, time=batch.time)
        table = features.table()
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            table.to_parquet(options.out / f"features-{number:03}.parquet")
        busiest = table.triangles.idxmax()
        print(f"batch {number:2}: {done.inserted:4} pairs came, {done.expired:4} went, {done.late:2} too late; "
              f"{len(table):,} accounts, largest group {table.group_size.max():,}; "
              f"account {busiest} in {table.triangles[busiest]} triangles")  # fmt: skip


if __name__ == "__main__":
    main()
