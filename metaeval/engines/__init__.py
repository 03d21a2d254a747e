"""Counted patterns through DuckDB, and clusters through Dask. A part of its own that the core does not import."""

from __future__ import annotations

from metaeval import registry


def register_engines() -> None:
    """Register the functions of the engines."""
    if registry.ENGINES.registered("duckdb") is None:
        registry.ENGINES.register("duckdb", registry.EngineEntry("metaeval.engines.labels", "read_labels"))
        registry.ENGINES.register("dask", registry.EngineEntry("metaeval.engines.cluster", "at_work"))
