"""Measures of texts: how much of the references a system text covers, as numbers of codes and counts."""
