"""Runs the use case of a command and writes its report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from metaeval.cli.gates import gates_of, judge_report, report_gates
from metaeval.cli.options import OutputFlags
from metaeval.cli.output import check_output_paths, command_line, export_items, write_report
from metaeval.cli.page import write_page
from metaeval.cli.progress import tracking
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
    with at_work(config, quiet=quiet) as progress:
        report = use_case(config, command_line=command_line(), progress=progress)
    outcomes = judge_report(gates, report, check.baseline if check is not None else None)
    # Other commands make no table of items.
    if item_file is not None and report.command in ("score", "run"):
        report = export_items(report, item_file, safe=config.output.safe_csv)
    if page is not None:
        write_page(report, page, config.output)
    write_report(report, config.output, quiet=quiet)
    return report_gates(outcomes, quiet=quiet)


@contextmanager
def at_work(config: ExperimentConfig, *, quiet: bool) -> Iterator[Progress]:
    """The progress of an experiment, on its Dask cluster if it has one; Dask is imported only then."""
    with ExitStack() as stack:
        if config.scheduler is not None:
            from metaeval.work import cluster

            stack.enter_context(cluster.at_work(config))
        yield stack.enter_context(tracking(quiet=quiet))
