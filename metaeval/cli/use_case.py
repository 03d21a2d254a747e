"""What every command that reads a data set ends with: the use case is carried out, and its report shown."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from metaeval.cli.gates import gates_of, judge_report, report_gates
from metaeval.cli.options import OutputFlags
from metaeval.cli.output import check_output_paths, command_line, export_items, write_report
from metaeval.cli.progress import tracker
from metaeval.config import ExperimentConfig
from metaeval.io.dataset import Track
from metaeval.model.report import Report


class UseCase(Protocol):
    """What a command does with an experiment."""

    def __call__(self, config: ExperimentConfig, *, command_line: str, track: Track) -> Report:
        """Its report."""


def run_command(use_case: UseCase, config: ExperimentConfig, output: OutputFlags) -> int:
    """Show what a use case finds, and meanwhile how far it is; the exit code, 1 where a gate failed."""
    quiet = output.quiet
    gates = gates_of(output)
    item_file = getattr(config.section("score"), "per_item", None)
    check_output_paths(item_file, config.output)
    with at_work(config):
        report = use_case(config, command_line=command_line(), track=tracker(quiet=quiet))
    outcomes = judge_report(gates, report)
    # Only `score` and `run` make a table of items, whatever the configuration says.
    if item_file is not None and report.command in ("score", "run"):
        report = export_items(report, item_file)
    write_report(report, config.output, quiet=quiet)
    return report_gates(outcomes, quiet=quiet)


def at_work(config: ExperimentConfig) -> AbstractContextManager[None]:
    """The cluster, where there is one; what speaks to clusters is not imported for nothing."""
    if config.scheduler is None:
        return nullcontext()
    from metaeval.work import cluster

    return cluster.at_work(config)
