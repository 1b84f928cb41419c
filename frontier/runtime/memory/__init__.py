"""Memory: growable arrays, scratch and workspaces, element-wise kernels, and transfers to the host."""
