"""Measures of texts: how much of the references a system text covers, as numbers of codes and counts."""

# The order of the imports is the order of the documentation.
# isort: off
from metaeval.measures.text import ngrams, subsequences, kernels, derivations

# isort: on
__all__ = ["ngrams", "subsequences", "kernels", "derivations"]
