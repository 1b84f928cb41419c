"""Benchmarks of updates, algorithms and dynamic triangle counts, by structure, beside a rebuild of CSR and peers."""
