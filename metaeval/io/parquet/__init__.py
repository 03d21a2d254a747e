"""Parquet, through pyarrow or DuckDB."""
