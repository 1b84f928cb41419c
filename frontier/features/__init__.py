"""Features of graphs: edge data, times, windows, snapshots, mixed batches, in-edges."""
