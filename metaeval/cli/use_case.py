"""Runs the use case of a command and writes its report."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from metaeval.cli.gates import gates_of, judge_report, report_gates
from metaeval.cli.options import OutputFlags
from metaeval.cli.output import check_output_paths, command_line, export_items, write_report
from metaeval.cli.page import write_page
from metaeval.cli.progress import tracker
from metaeval.config import CheckSettings, ExperimentConfig, PageSettings
from metaeval.io.dataset import Progress
from metaeval.model.report import Report


class UseCase(Protocol):
    """A function from an experiment to a report."""

    def __call__(self, config: ExperimentConfig, *, command_line: str, progress: Progress) -> Report:
        """The report."""


def run_command(
    use_case: UseCase,
    config: ExperimentConfig,
    output: OutputFlags,
    check: CheckSettings | None = None,
    page: PageSettings | None = None,
) -> int:
    """Run a use case and write its report; the exit code, which is 1 if a gate failed.

    check: has further gates. page: is written before the report.
    """
    quiet = output.quiet
    gates = gates_of(output, check)
    item_file = config.item_file
    check_output_paths(item_file, config.output, page)
    with at_work(config):
        report = use_case(config, command_line=command_line(), progress=tracker(quiet=quiet))
    outcomes = judge_report(gates, report, check.baseline if check is not None else None)
    # Other commands make no table of items.
    if item_file is not None and report.command in ("score", "run"):
        report = export_items(report, item_file)
    if page is not None:
        write_page(report, page, config.output)
    write_report(report, config.output, quiet=quiet)
    return report_gates(outcomes, quiet=quiet)


def at_work(config: ExperimentConfig) -> AbstractContextManager[None]:
    """The Dask cluster of an experiment, if it has one; Dask is imported only then."""
    if config.scheduler is None:
        return nullcontext()
    from metaeval.work import cluster

    return cluster.at_work(config)
