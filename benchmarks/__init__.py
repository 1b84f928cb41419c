"""Benchmarks of updates, algorithms and dynamic triangle counts, by structure, against rebuilt CSR and peers."""
