"""The report as one self-contained page."""

from metaeval.render.html.page import html

__all__ = ["html"]
