"""Sets of vertices and of edges, which operators accept and return."""
