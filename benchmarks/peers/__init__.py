"""Other libraries, each in a process of its own, so that a crash or an endless run ends only that process.

A peer is a module of this package with a class `Peer` (see `peers.base`). `peers.process.PeerRun` hands it a graph
through files in a temporary folder; ``python -m benchmarks.peers.worker`` does the work and writes each answer at once.
"""
