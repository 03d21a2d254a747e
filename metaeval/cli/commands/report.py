"""`metaeval report`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from metaeval.cli.from_settings import click_options
from metaeval.cli.options import OutputFlags, WorkFlags, settings_options, work_options
from metaeval.config.experiment import ExperimentConfig, OutputConfig, PageSettings

if TYPE_CHECKING:
    from metaeval.model.report import Report


@click.command("report")
@click.argument("results", metavar="RESULTS|CONFIG")
@settings_options(PageSettings)
@click.option("--names", type=click.Choice(("code", "title")), help="Names of measures (default: title).")
@click_options(OutputConfig, ("digits",))[0]
@click_options(ExperimentConfig, ("seed",))[0]
@work_options
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
def command(
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
    from metaeval.cli.flags import configured_or_read
    from metaeval.cli.from_settings import values_of
    from metaeval.cli.output import check_distinct
    from metaeval.cli.page import keep_inputs, write_page
    from metaeval.config import is_config
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
    from metaeval.errors import InputError

    if page.output is None and _is_terminal():
        raise InputError.at(found="a page, and a terminal to print it on", expected="a file", hint="add -o report.html")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _run(config: ExperimentConfig, *, quiet: bool) -> Report:
    """What an experiment finds."""
    from metaeval.cli.output import command_line
    from metaeval.cli.use_case import at_work
    from metaeval.runner.several import run_experiment

    with at_work(config, quiet=quiet) as progress:
        return run_experiment(config.without_item_file(), command_line=command_line(), progress=progress)
