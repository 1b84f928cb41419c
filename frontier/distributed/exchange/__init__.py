"""Exchanges between partitions: batches to the owners of their edges, and values of vertices that several partitions
know."""
