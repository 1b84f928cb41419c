"""Windows over streams: edges that are too old are deleted when new ones come."""
