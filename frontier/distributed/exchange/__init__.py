"""Exchanges between partitions: batches to the owners of their edges, and values of vertices on several partitions."""
