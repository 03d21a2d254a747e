"""Runs an analysis by its name, as the command line does, and reads its tables."""

from typing import Any

from metaeval.config import ExperimentConfig
from metaeval.model.report import Report
from metaeval.registry import declaration
from metaeval.runner.one import run_analysis


def run_named(name: str, config: ExperimentConfig, **options: Any) -> Report:
    """The report of an analysis."""
    return run_analysis(declaration(name), config, **options)


def rows(report: Report, table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    return list(report.table(table).records())
