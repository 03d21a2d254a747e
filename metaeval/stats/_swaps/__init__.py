"""Correlations after random swaps of the scores of two measures."""
