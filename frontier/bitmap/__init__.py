"""Kernels that turn lists of vertices into bitmaps and back."""
