"""Read payments from a Redis stream with checkpoints: a consumer that stops resumes without loss or double counts.

    python examples/redis_stream.py [--url redis://localhost:6379] [--device auto|cpu|gpu]

This example needs the package redis. Without `--url` it starts a Redis server (`redis-server`). It writes payments into
a stream, reads half of them into a graph, stops, and resumes from its checkpoint. In the end, the weights of the graph
equal the total of all payments.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import redis

import frontier as fr
from algorithms import DynamicConnectedComponents
from dynfrontier import Pipeline
from structures import SlabGraph

STREAM, POSITIONS = "payments", "payments:positions"
ACCOUNTS, PAYMENTS, PER_BATCH = 500, 6_000, 500


def read(client: redis.Redis, begin: int) -> Iterator[dict[str, Any]]:
    """Yield batches of payments from number `begin` on, until none arrives for a second.

    Redis names entries by time. A hash maps the number of payments to the entry that ends a batch.
    """
    last = client.hget(POSITIONS, str(begin)) if begin else "0"
    while answer := client.xread({STREAM: last}, count=PER_BATCH, block=1000):
        ids, payments = zip(*answer[0][1], strict=True)
        begin, last = begin + len(ids), ids[-1]
        client.hset(POSITIONS, str(begin), last)
        yield {
            "src": [payment["payer"] for payment in payments],
            "dst": [payment["payee"] for payment in payments],
            "weights": np.array([payment["cents"] for payment in payments], np.int64),
        }


def write(client: redis.Redis) -> int:
    """Write payments into the stream, and return their total."""
    rng = np.random.default_rng(3)
    payer = rng.integers(0, ACCOUNTS, PAYMENTS)
    payee = (payer + rng.integers(1, ACCOUNTS, PAYMENTS)) % ACCOUNTS
    cents = rng.integers(1, 10_000, PAYMENTS)
    with client.pipeline() as commands:
        for one, other, amount in zip(payer.tolist(), payee.tolist(), cents.tolist(), strict=True):
            commands.xadd(STREAM, {"payer": f"account {one}", "payee": f"account {other}", "cents": amount})
        commands.execute()
    return int(cents.sum())


@contextmanager
def own_server(folder: str) -> Iterator[str]:
    """Yield the address of a Redis server that stops at the end of the ``with`` block."""
    socket = f"{folder}/redis.sock"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        retries = redis.retry.Retry(redis.backoff.ConstantBackoff(0.1), 100)
        redis.Redis(unix_socket_path=socket, retry=retries, retry_on_error=[redis.ConnectionError]).ping()
        yield f"unix://{socket}"
    finally:
        server.terminate()
        server.wait()


def main(url: str, device: str, folder: str) -> None:
    client = redis.Redis.from_url(url, decode_responses=True)
    client.delete(STREAM, POSITIONS)
    paid = write(client)
    checkpoint = Path(folder) / "checkpoint"
    analytics = {"groups": (DynamicConnectedComponents, "count")}

    graph = SlabGraph(device=device, weight_dtype="int64", multi_edges="sum")  # sums between two accounts
    source = partial(read, client)
    with Pipeline(source, graph, analytics, names=fr.VertexNames(), checkpoint=checkpoint, every=2) as pipeline:
        for batch in pipeline:
            if batch.end >= PAYMENTS // 2:
                break
    print(f"stopped after {pipeline.totals.records:,} payments of {len(pipeline.names):,} accounts")

    pipeline = Pipeline.resume(checkpoint, source, analytics, device=device, every=2)
    pipeline.run(lambda batch: print(f"batch {batch.number:2}: {batch.num_edges:,} pairs of accounts, "
                                     f"{batch.results['groups']} group(s)"))  # fmt: skip
    held = int(pipeline.graph.to_coo()[2].sum())
    print(f"{pipeline.totals.records:,} payments: {held:,} cents in the graph, {paid:,} paid")
    assert held == paid


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Payments from a Redis stream, with checkpoints.")
    parser.add_argument("--url", help="address of the server (default: the example starts one)")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.url:
            main(given.url, given.device, folder)
        else:
            with own_server(folder) as url:
                main(url, given.device, folder)
