"""Transport of arrays between parts: communicators, and windows into each other's memory."""
