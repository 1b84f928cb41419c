"""Which partition owns which vertex."""
