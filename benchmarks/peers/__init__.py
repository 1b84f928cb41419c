"""Peers (`dynfrontier.peers`), each in a process of its own, so that a crash or an endless run ends only that process.

`process.PeerRun` hands a peer a graph through files in a temporary folder; ``python -m benchmarks.peers.worker`` does
the work and writes each answer at once.
"""
