"""The commands that are no analyses; those of analyses derive from their settings."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from metaeval.cli import options
from metaeval.cli.help import Command
from metaeval.cli.options import (
    FILE,
    MEASURE,
    OutputFlags,
    WorkFlags,
    click_options,
    output_options,
    plugin_option,
    settings_options,
    work_options,
)
from metaeval.config.experiment import CheckSettings, ExperimentConfig, OutputConfig, PageSettings
from metaeval.errors import settings_spelled, settings_spelling

if TYPE_CHECKING:
    from metaeval.model.report import Report
    from metaeval.runner.check import CheckResult


_FOR_READING = ("table", "chart", "markdown", "latex")
"""Formats in which an empty table of gates is left out."""


class ExperimentCommand(Command):
    """A command that reads an experiment; messages name keys of it for settings that are not among its options."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        flags = frozenset(flag for parameter in self.params for flag in parameter.opts)
        with settings_spelled(partial(options.as_key, flags=flags, otherwise=settings_spelling())):
            return super().invoke(ctx)


@click.command("check", cls=ExperimentCommand)
@click.argument("path", metavar="CONFIG|RESULTS", type=FILE)
@settings_options(CheckSettings)
@work_options
@output_options
def check(path: str, *, work: WorkFlags, output: OutputFlags, **values: Any) -> int:
    """Check conditions on results; exit with 1 if one fails.

    CONFIG is an experiment file (.yaml), which is run; RESULTS is a JSON file or a folder of results. Conditions are
    given with --fail-if and in the section `check:` of CONFIG. A gate fails if its condition holds or if one of its
    cells is undefined. docs/ci.md describes conditions. A section `report:` of CONFIG adds an HTML page of the results.

    \b
    metaeval check configs/stance.yaml --fail-if 'stability.cem-ord.mean < 0.6'
    metaeval check configs/ordinal.yaml --signature 'metaeval:*|task:*|n:8|systems:*|scale:*|seed:20201'
    metaeval check configs/news.yaml --fail-if 'scores.lead.rouge-l < 0.2' --fail-if 'scores.*.rouge-l > 1'
    """
    from metaeval.cli.options import values_of
    from metaeval.cli.output import check_output_paths, configured_or_read, page_of

    config = configured_or_read(path, output, work)
    # The files of an experiment are those of its results.
    no_files = replace(config.output, output=None, plot=None, bibtex=None, table=None)
    config = replace(config, output=no_files.overlaid(**output.values))
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
    from metaeval.cli.output import at_work, command_line
    from metaeval.config.read import is_config
    from metaeval.runner.check import check_results, check_run

    if is_config(path):
        with at_work(config, quiet=quiet) as progress:
            return check_run(config, command_line=command_line(), progress=progress)
    return check_results(path, settings, command_line=command_line())


def _write(result: CheckResult, config: ExperimentConfig, settings: CheckSettings, *, quiet: bool) -> int:
    """Write the page, the verdicts and the baseline; the exit code."""
    from metaeval.cli.output import GATE_FAILED, write_page, write_report
    from metaeval.errors import visible
    from metaeval.render.files import write_atomically
    from metaeval.render.junit import cases_of, junit, workflow_commands

    _refuse_overwriting_inputs(result, config, settings)
    cases = cases_of(result.report)
    failed = [case for case in cases if not case.passed]
    if config.report is not None and result.results is not None:
        write_page(result.results, config.report, config.output)
    if settings.junit is not None:
        write_atomically(settings.junit, [junit(result.report)])
    # If only a baseline is saved, there are no verdicts, and the finding says so.
    is_empty = not cases and config.output.format in _FOR_READING
    write_report(replace(result.report, tables=()) if is_empty else result.report, config.output, quiet=quiet)
    on_github = os.environ.get("GITHUB_ACTIONS") == "true" if settings.github is None else settings.github
    for line in workflow_commands(result.report) if on_github else ():
        click.echo(line, err=True)
    for case in failed:
        click.echo(visible(f"{case.title}: {case.name}: {case.reason}"), err=True)
    if result.baseline is not None:
        _save(result.baseline, settings.save_baseline, failing=bool(failed), quiet=quiet)
    return GATE_FAILED if failed else 0


def _refuse_overwriting_inputs(result: CheckResult, config: ExperimentConfig, settings: CheckSettings) -> None:
    """Raise an `InputError` if an output file is an input, before any file is written."""
    from metaeval.render.files import refuse_overwriting_inputs

    pages = () if config.report is None else config.report.files.values()
    for path in (config.output.output, config.output.plot, settings.junit, *pages):
        if path is not None:
            refuse_overwriting_inputs(path, result.report)
    if result.baseline is not None and settings.save_baseline is not None:
        # It may replace the baseline that was read, which is not an input of the results.
        refuse_overwriting_inputs(settings.save_baseline, result.baseline)


def _save(baseline: Report, path: str | None, *, failing: bool, quiet: bool) -> None:
    """Save a baseline, unless a gate failed."""
    from metaeval.cli.output import write_report

    if failing:
        click.echo(f"Baseline not saved in {path}, because a gate failed", err=True)
        return
    write_report(baseline, OutputConfig(format="json", output=path), quiet=True)
    if not quiet:
        click.echo(f"Baseline saved in {path}", err=True)


@click.command("demo", cls=Command)
@click.option("--copy", "copy_to", metavar="DIR", help="Folder for a copy of the samples; nothing is overwritten.")
@output_options
def demo(copy_to: str | None, output: OutputFlags) -> int:
    """List the sample experiments and how to run them.

    Shows for each experiment its subject, what must be installed or downloaded, and the command that runs it.

    \b
    metaeval demo
    metaeval demo --copy samples
    """
    from metaeval.cli.output import write_listing
    from metaeval.info import samples_report

    return write_listing(partial(samples_report, copy_to), output, wrap=False)


@click.command("doctor", cls=Command)
@output_options
def doctor(output: OutputFlags) -> int:
    """Show versions and extras, and what is missing or broken.

    Imports every package that metaeval and its extras need. Exits with 2 if metaeval itself cannot work.

    \b
    metaeval doctor
    metaeval doctor -f json --fail-if 'packages.matplotlib.state != "works"'
    """
    from metaeval.installation import doctor_report, working_packages

    # What is imported below needs them.
    packages = working_packages()
    from metaeval.cli.output import write_listing

    return write_listing(partial(doctor_report, packages), output)


@click.command("scoring-program", cls=ExperimentCommand)
@click.argument("config", metavar="CONFIG", type=FILE)
@click.option("--output", "directory", metavar="DIR", required=True, help="Folder for program.zip and reference.zip.")
@click.option("--overwrite", is_flag=True, help="Replace these files in a folder with others.")
def scoring_program(config: str, *, directory: str, overwrite: bool) -> None:
    """Write a scoring program for Codabench.

    program.zip has the scoring program, which CodaLab runs, too; reference.zip has the reference data: the experiment
    of CONFIG without its runs, and the files that it names. The program writes scores.json, scores.txt and
    detailed_results.html, and never gold. Prints the columns of the leaderboard for competition.yaml.

    \b
    metaeval scoring-program configs/rumour2017.yaml --output bundle
    metaeval scoring-program configs/news.yaml --output bundle --overwrite
    """
    from metaeval.config.read import read_config
    from metaeval.runner.scoring_program import write_scoring_program

    columns = write_scoring_program(read_config(config), directory, overwrite=overwrite)
    click.echo("leaderboard:\n  - title: Results\n    key: main\n    columns:")
    for column in columns:
        title = json.dumps(column.title, ensure_ascii=False)
        click.echo(f"      - {{title: {title}, key: {column.key}, index: {column.index}, sorting: {column.sorting}}}")


READABLE = 110
"""Width of a description, in columns, if standard output is not a terminal."""


@click.command("measures", cls=Command)
@click.argument("name", required=False, type=MEASURE)
@plugin_option
@output_options
def measures(name: str | None, output: OutputFlags) -> int:
    """List the measures, or describe one.

    The description of a measure has its meaning, formula, range, parameters, undefined cases and source.

    \b
    metaeval measures
    metaeval measures cem-ord
    """
    from metaeval.cli.output import write_listing
    from metaeval.info import measures_report

    return write_listing(partial(measures_report, name), output, width=READABLE if name else None)


@click.command("report", cls=ExperimentCommand)
@click.argument("results", metavar="RESULTS|CONFIG", type=FILE)
@settings_options(PageSettings)
@click.option("--names", type=click.Choice(("code", "title")), help="Names of measures (default: title).")
@click_options(OutputConfig, ("digits",))[0]
@click_options(ExperimentConfig, ("seed",))[0]
@work_options
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
def report(
    results: str,
    names: Literal["code", "title"] | None,
    digits: int | None,
    seed: int | None,
    work: WorkFlags,
    quiet: bool,
    **values: Any,
) -> None:
    """Write one HTML page of results, with plots.

    The page begins with the verdict or the findings, and has the main plot of each analysis; the other plots, tables
    and notes are closed parts, which are printed only if they are open. RESULTS is the JSON of a command (`-f json -o
    FILE`) or a folder of `--output-dir`; CONFIG is an experiment file (.yaml), which is run first. The page is a single
    file and needs neither network nor scripts. Plots need pip install 'metaeval[plots]'. Gates of CONFIG are ignored;
    use `run` or `check`. Options override the section `report:` of CONFIG.

    \b
    metaeval report configs/stance.yaml -o report.html --json report.json
    metaeval report report.json --appendix -o appendix.html
    """
    from metaeval.cli.options import values_of
    from metaeval.cli.output import check_distinct, configured_or_read, keep_inputs, write_page
    from metaeval.config.read import is_config
    from metaeval.io.report_file import read_report

    flags = OutputFlags({"format": "html", "names": names, "digits": digits}, (), seed, quiet)
    config = configured_or_read(results, flags, work)
    page = (config.report or PageSettings()).overlaid(**values_of(PageSettings, values))
    _refuse_terminal(page)
    check_distinct({}, page, config.output.output_dir)
    keep_inputs(page, results, config)
    write_page(_run(config, quiet=quiet) if is_config(results) else read_report(results), page, config.output)


def _refuse_terminal(page: PageSettings) -> None:
    """Raise an `InputError` if the page would be printed on a terminal."""
    from metaeval.errors import conflict, refuse

    if page.output is None and _is_terminal():
        raise refuse(None, conflict("a page", "a terminal to print it on", "a file", "add -o report.html"))


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _run(config: ExperimentConfig, *, quiet: bool) -> Report:
    """What an experiment finds."""
    from metaeval.cli.output import at_work, command_line
    from metaeval.runner.several import run_experiment

    with at_work(config, quiet=quiet) as progress:
        return run_experiment(config.without_item_file(), command_line=command_line(), progress=progress)


@click.command("run", cls=ExperimentCommand)
@click.argument("config_file", metavar="CONFIG", type=FILE)
@click.option(
    "--resume", is_flag=True, help="Continue an interrupted run with the same --output-dir; results do not change."
)
@work_options
@output_options
def run(config_file: str, resume: bool, work: WorkFlags, output: OutputFlags) -> int:
    """Run a whole experiment from a YAML file.

    Sections of the file are analyses, by the names of their commands (`score:`, `merge-classes:`), and `data:`,
    `measures:` or `preset:`, `seed:` and `output:`. Paths are relative to the file. A section `report:` adds the HTML
    page of `metaeval report` to the results.

    With --output-dir, the results of each section are saved until all sections are done. A folder with the file
    INCOMPLETE has only a part of the results; --resume continues with the same configuration, files and versions.

    If a condition of `fail-if` in the section `check:` holds, the command exits with 1, as `metaeval check` does.

    \b
    metaeval run configs/stance.yaml -f csv
    metaeval run configs/stance.yaml --output-dir results
    """
    from functools import partial

    from metaeval.cli.folder import CheckpointFolder
    from metaeval.cli.output import configured_run, page_of, run_command
    from metaeval.errors import not_given, refuse
    from metaeval.runner.several import run_experiment
    from metaeval.work.checkpoint import NO_CHECKPOINT

    config = configured_run(config_file, output, work)
    page = page_of(config)
    directory = config.output.output_dir
    if resume and directory is None:
        raise refuse(None, not_given("folder", "output_dir", " for --resume"))
    checkpoint = CheckpointFolder(directory, resume=resume) if directory is not None else NO_CHECKPOINT
    return run_command(partial(run_experiment, checkpoint=checkpoint), config, output, config.check, page)


@click.command("validate", cls=Command)
@options.data_options
@options.measure_options
@options.work_options
@options.output_options
def validate(
    data: options.DataFlags, measures: options.MeasureFlags, work: options.WorkFlags, output: options.OutputFlags
) -> int:
    """Check gold and runs without computing anything.

    Reads every file as `score` does, and the tables that analyses of an experiment read by themselves. Reports all
    problems at once (exit code 2), or the contents of the files: the frequency of each class, the lengths of texts, or
    the measures of a table.

    \b
    metaeval validate --config configs/rumour2017.yaml
    metaeval validate --task table sample_data/tsc3/human.csv
    """
    from metaeval.cli.output import configured, run_command
    from metaeval.runner.validate import validate_experiment

    config = configured(data, measures, output, work)
    return run_command(validate_experiment, config, output)
