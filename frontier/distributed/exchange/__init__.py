"""Exchanges between parts: batches to the owners of their edges, and values of vertices that several parts know."""
