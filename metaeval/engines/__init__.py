"""Patterns counted by DuckDB, and clusters of Dask. A part of its own, which the core loads where it is used."""
