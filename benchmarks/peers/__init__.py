"""Peers (`dynfrontier.peers`), each in a separate process, in which a crash or an endless run ends only that process.

`process.PeerRun` passes a graph to a peer through files in a temporary folder. ``python -m benchmarks.peers.worker``
does the work and writes each answer at once.
"""
