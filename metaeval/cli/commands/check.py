"""`metaeval check`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from metaeval.cli.options import OutputFlags, WorkFlags, output_options, settings_options, work_options
from metaeval.config.experiment import CheckSettings, ExperimentConfig, OutputConfig

if TYPE_CHECKING:
    from metaeval.model.report import Report
    from metaeval.runner.check import CheckResult

_FOR_READING = ("table", "chart", "markdown", "latex")
"""Formats in which an empty table of gates is left out."""


@click.command("check")
@click.argument("path", metavar="CONFIG|RESULTS")
@settings_options(CheckSettings)
@work_options
@output_options
def command(path: str, *, work: WorkFlags, output: OutputFlags, **values: Any) -> int:
    """Check conditions on results; exit with 1 if one fails.

    CONFIG is an experiment file (.yaml), which is run; RESULTS is a JSON file or a folder of results. Conditions are
    given with --fail-if and in the section `check:` of CONFIG. A gate fails if its condition holds or if one of its
    cells is undefined. docs/ci.md describes conditions. A section `report:` of CONFIG adds an HTML page of the results.

    \b
    metaeval check configs/stance.yaml --fail-if 'stability.cem-ord.mean < 0.6'
    metaeval check configs/news.yaml --fail-if 'scores.lead.rouge-l < 0.2' --fail-if 'scores.*.rouge-l > 1'
    """
    from metaeval.cli.flags import configured_or_read
    from metaeval.cli.from_settings import values_of
    from metaeval.cli.output import check_output_paths
    from metaeval.cli.page import page_of

    config = configured_or_read(path, output, work)
    settings = config.check or CheckSettings()
    settings = settings.overlaid(**values_of(CheckSettings, values), fail_if=(*settings.fail_if, *output.fail_if))
    config = config.overlaid(check=settings)
    files = {
        "the verdicts": config.output.output,
        "the plot": config.output.plot,
        "the references": config.output.bibtex,
        "the verdicts as JUnit XML": settings.junit,
        "the baseline": settings.save_baseline,
    }
    check_output_paths(None, config.output, page_of(config), files)
    return _write(_check(path, config, settings, quiet=output.quiet), config, settings, quiet=output.quiet)


def _check(path: str, config: ExperimentConfig, settings: CheckSettings, *, quiet: bool) -> CheckResult:
    from metaeval.cli.output import command_line
    from metaeval.cli.use_case import at_work
    from metaeval.config import is_config
    from metaeval.runner.check import check_results, check_run

    if is_config(path):
        with at_work(config, quiet=quiet) as progress:
            return check_run(config, command_line=command_line(), progress=progress)
    return check_results(path, settings, command_line=command_line())


def _write(checked: CheckResult, config: ExperimentConfig, settings: CheckSettings, *, quiet: bool) -> int:
    """Write the page, the verdicts and the baseline; the exit code."""
    from metaeval.cli.gates import GATE_FAILED
    from metaeval.cli.output import write_report
    from metaeval.cli.page import write_page
    from metaeval.errors import visible
    from metaeval.render.files import write_atomically
    from metaeval.render.junit import cases_of, junit, workflow_commands

    _refuse_overwriting_inputs(checked, config, settings)
    cases = cases_of(checked.report)
    failed = [case for case in cases if not case.passed]
    if config.report is not None and checked.results is not None:
        write_page(checked.results, config.report, config.output)
    if settings.junit is not None:
        write_atomically(settings.junit, [junit(checked.report)])
    # If only a baseline is saved, there are no verdicts, and the finding says so.
    is_empty = not cases and config.output.format in _FOR_READING
    write_report(replace(checked.report, tables=()) if is_empty else checked.report, config.output, quiet=quiet)
    on_github = os.environ.get("GITHUB_ACTIONS") == "true" if settings.github is None else settings.github
    for line in workflow_commands(checked.report) if on_github else ():
        click.echo(line, err=True)
    for case in failed:
        click.echo(visible(f"{case.title}: {case.name}: {case.reason}"), err=True)
    if checked.baseline is not None:
        _save(checked.baseline, settings.save_baseline, failing=bool(failed), quiet=quiet)
    return GATE_FAILED if failed else 0


def _refuse_overwriting_inputs(checked: CheckResult, config: ExperimentConfig, settings: CheckSettings) -> None:
    """Raise an `InputError` if an output file is an input, before any file is written."""
    from metaeval.render.files import refuse_overwriting_inputs

    pages = () if config.report is None else config.report.files.values()
    for path in (config.output.output, config.output.plot, settings.junit, *pages):
        if path is not None:
            refuse_overwriting_inputs(path, checked.report)
    if checked.baseline is not None and settings.save_baseline is not None:
        # It may replace the baseline that was read, which is not an input of the results.
        refuse_overwriting_inputs(settings.save_baseline, checked.baseline)


def _save(baseline: Report, path: str | None, *, failing: bool, quiet: bool) -> None:
    """Save a baseline, unless a gate failed."""
    from metaeval.cli.output import write_report

    if failing:
        click.echo(f"Baseline not saved in {path}, because a gate failed", err=True)
        return
    write_report(baseline, OutputConfig(format="json", output=path), quiet=True)
    if not quiet:
        click.echo(f"Baseline saved in {path}", err=True)
