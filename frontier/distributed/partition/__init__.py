"""Which part owns which vertex."""
