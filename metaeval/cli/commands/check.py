"""`metaeval check`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from metaeval.cli.options import OutputFlags, WorkFlags, output_options, work_options

if TYPE_CHECKING:
    from metaeval.config import ExperimentConfig
    from metaeval.model.report import Report
    from metaeval.runner.check import CheckResult

Command = TypeVar("Command", bound=Callable[..., Any])

_FOR_READING = ("table", "chart", "markdown", "latex")
"""Formats that may have no table at all."""


def _check_options(function: Command) -> Command:
    """The options of `CheckSettings`, in the order of the help."""
    from metaeval.cli.from_settings import click_options
    from metaeval.config.check import CheckSettings

    names = ("baseline", "save_baseline", "alpha", "resamples", "junit", "github")
    for decorate in reversed(click_options(CheckSettings, names)):
        function = decorate(function)
    return function


@click.command("check")
@click.argument("path", metavar="CONFIG|RESULTS")
@_check_options
@work_options
@output_options
def command(path: str, *, work: WorkFlags, output: OutputFlags, **given: Any) -> int:
    """Gates for pipelines: exit 1 where results are no good.

    CONFIG is an experiment file (.yaml), which is run; RESULTS are JSON or a folder that a command wrote. Conditions
    come from --fail-if and the section `check:` of CONFIG; each that holds fails, and so does one that can't be told
    because a cell is undefined. docs/ci.md describes them.

    \b
    metaeval check configs/stance.yaml --fail-if 'stability.cem-ord.mean < 0.6'
    metaeval check configs/news.yaml --fail-if 'scores.lead.rouge-l < 0.2' --fail-if 'scores.*.rouge-l > 1'
    """
    from metaeval.cli.from_settings import values_of
    from metaeval.cli.output import check_distinct, check_output_paths
    from metaeval.config import CheckSettings

    config = _configured(path, output, work)
    settings = config.check or CheckSettings()
    settings = settings.overlaid(**values_of(CheckSettings, given), fail_if=(*settings.fail_if, *output.fail_if))
    check_output_paths(None, config.output)
    check_distinct(
        {
            "the verdicts": config.output.output,
            "the plot": config.output.plot,
            "the verdicts as JUnit XML": settings.junit,
            "the baseline": settings.save_baseline,
        }
    )
    checked = _check(path, config.overlaid(check=settings), quiet=output.quiet)
    return _tell(checked, config.overlaid(check=settings), settings.junit, settings.github, quiet=output.quiet)


def _configured(path: str, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment; of results that are there already only how verdicts are shown."""
    from metaeval.cli.flags import configured_run, output_of, refuse_work
    from metaeval.config import ExperimentConfig, OutputConfig, is_config

    if is_config(path):
        return configured_run(path, output, work)
    refuse_work(output, work)
    return ExperimentConfig(output=output_of(output, OutputConfig()))


def _check(path: str, config: ExperimentConfig, *, quiet: bool) -> CheckResult:
    from metaeval.cli.output import command_line
    from metaeval.cli.progress import tracker
    from metaeval.cli.use_case import at_work
    from metaeval.config import CheckSettings, is_config
    from metaeval.runner.check import check_results, check_run

    if is_config(path):
        with at_work(config):
            return check_run(config, command_line=command_line(), track=tracker(quiet=quiet))
    return check_results(path, config.check or CheckSettings(), command_line=command_line())


def _tell(
    checked: CheckResult, config: ExperimentConfig, junit: str | None, github: bool | None, *, quiet: bool
) -> int:
    """Show the verdicts wherever they are wanted; the exit code."""
    from metaeval.cli.gates import GATE_FAILED
    from metaeval.cli.output import write_report
    from metaeval.errors import visible
    from metaeval.render.annotations import workflow_commands
    from metaeval.render.junit import cases_of

    _spare_all_inputs(checked, config, junit)
    cases = cases_of(checked.report)
    failed = [case for case in cases if not case.passed]
    if junit is not None:
        _write_junit(junit, checked.report)
    # Where only a baseline is made there are no verdicts; the finding says so, and a table without rows says nothing.
    empty = not cases and config.output.format in _FOR_READING
    write_report(replace(checked.report, tables=()) if empty else checked.report, config.output, quiet=quiet)
    if github if github is not None else os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(checked.report):
            click.echo(line, err=True)
    for case in failed:
        click.echo(visible(f"{case.title}: {case.name}: {case.reason}"), err=True)
    _save(checked.baseline, config, failing=bool(failed), quiet=quiet)
    return GATE_FAILED if failed else 0


def _spare_all_inputs(checked: CheckResult, config: ExperimentConfig, junit: str | None) -> None:
    """Raise where anything would be written over an input, before the first of it is written or shown."""
    from metaeval.render.files import refuse_overwriting_inputs

    for path in (config.output.output, config.output.plot, junit):
        if path is not None:
            refuse_overwriting_inputs(path, checked.report)
    if checked.baseline is not None and config.check is not None and config.check.save_baseline is not None:
        # It may take the place of the baseline that was read, which is no input of the results.
        refuse_overwriting_inputs(config.check.save_baseline, checked.baseline)


def _write_junit(path: str, report: Report) -> None:
    from metaeval.render.files import write_atomically
    from metaeval.render.junit import junit

    write_atomically(path, [junit(report)])


def _save(baseline: Report | None, config: ExperimentConfig, *, failing: bool, quiet: bool) -> None:
    """Keep a baseline, unless something failed: the next run would be measured by what is not good enough."""
    from metaeval.cli.output import write_report
    from metaeval.config import OutputConfig

    if baseline is None or config.check is None:
        return
    if failing:
        click.echo(f"Baseline not saved in {config.check.save_baseline}, because a gate failed", err=True)
        return
    write_report(baseline, OutputConfig(format="json", output=config.check.save_baseline), quiet=True)
    if not quiet:
        click.echo(f"Baseline saved in {config.check.save_baseline}", err=True)
