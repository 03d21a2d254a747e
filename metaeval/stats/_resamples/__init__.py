"""Correlations of vectors in resamples of their entries, from the multiplicities of the entries."""
