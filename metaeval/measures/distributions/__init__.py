"""Measures of distributions over classes, such as soft labels and class shares."""

# Measures of texts precede those of distributions in the documentation.
from metaeval.measures import text
from metaeval.measures.distributions import divergences

__all__ = ["text", "divergences"]
