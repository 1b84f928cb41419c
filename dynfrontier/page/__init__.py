"""The report of the main job as one page of HTML."""

from .write import write_page

__all__ = ["write_page"]
