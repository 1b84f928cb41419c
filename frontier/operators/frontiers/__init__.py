"""Sets of vertices and of edges: what operators take and return."""
