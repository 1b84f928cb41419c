"""Registers the backend when imported: a plugin of pytest, for a checkout that is not installed."""

from .dispatching import ensure_registered

ensure_registered()
