"""`metaeval report`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from metaeval.cli.options import OutputFlags, WorkFlags, work_options

if TYPE_CHECKING:
    from metaeval.model.report import Report


@click.command("report")
@click.argument("results", metavar="RESULTS|CONFIG")
@click.option("-o", "--output", metavar="FILE", help="HTML file (default: standard output, unless it is a terminal).")
@click.option("--json", "twin", metavar="FILE", help="JSON file of all tables of the page.")
@click.option("--appendix", is_flag=True, help="Open all parts of the page, so that they are printed, too.")
@click.option("--names", type=click.Choice(("code", "title")), help="Names of measures (default: title).")
@click.option("--digits", type=click.IntRange(0, 17), metavar="N", help="Number of decimals shown (default: 4).")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Random seed (default: 20201).")
@work_options
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
def command(
    results: str,
    output: str | None,
    twin: str | None,
    appendix: bool,
    names: Literal["code", "title"] | None,
    digits: int | None,
    seed: int | None,
    work: WorkFlags,
    quiet: bool,
) -> None:
    """Write one HTML page of results, with plots.

    The page begins with the verdict or the findings, and has the main plot of each analysis; the other plots, tables
    and notes are closed parts, which are printed only if they are open. RESULTS is the JSON of a command (`-f json -o
    FILE`) or a folder of `--output-dir`; CONFIG is an experiment file (.yaml), which is run first. The page is a single
    file and needs neither network nor scripts. Plots need pip install 'metaeval[plots]'. Gates of CONFIG are ignored;
    use `run` or `check`.

    \b
    metaeval report configs/stance.yaml -o report.html --json report.json
    metaeval report report.json --appendix -o appendix.html
    """
    from metaeval.cli.output import check_output_paths, write_report
    from metaeval.config import OutputConfig, is_config

    page = OutputConfig(format="html", output=output)
    numbers = OutputConfig(format="json", output=twin)
    _check_page(output, twin)
    for place in (page, numbers):
        check_output_paths(None, place)
        _spare_results(results, place.output)
    flags = OutputFlags("html", output, None, None, None, names, None, digits, (), seed, quiet)
    report, shown_digits = _run(results, flags, work) if is_config(results) else _read(results, flags, work)
    settings = OutputConfig("html", shown_digits, output, names=names)
    write_report(report, settings, quiet=quiet, appendix=appendix)
    if twin is not None:
        write_report(report, numbers, quiet=quiet)


def _check_page(output: str | None, twin: str | None) -> None:
    """Raise where there is no place for the page, or the same for two files."""
    from metaeval.errors import InputError

    if output is None and _is_terminal():
        raise InputError.at(found="a page, and a terminal to print it on", expected="a file", hint="add -o report.html")
    if output and twin and os.path.realpath(output) == os.path.realpath(twin):
        raise InputError.at(output, found="one file for the page and for its JSON", expected="a file for each")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _spare_results(results: str, path: str | None) -> None:
    """Raise where a file would be written over the results that it is made from."""
    from metaeval.errors import InputError

    folder = Path(results)
    read = [*folder.glob("*.csv"), *folder.glob("*.json")] if folder.is_dir() else [folder]
    if path and Path(path).is_file() and any(file.is_file() and Path(path).samefile(file) for file in read):
        raise InputError.at(
            path, found="a file to be written over the results that it is made from", expected="a file of its own"
        )


def _run(path: str, flags: OutputFlags, work: WorkFlags) -> tuple[Report, int]:
    """What the experiment of a file finds, and the decimals to show."""
    from metaeval.cli.flags import configured_run
    from metaeval.cli.output import command_line
    from metaeval.cli.progress import tracker
    from metaeval.cli.use_case import at_work
    from metaeval.runner.several import run_experiment

    config = configured_run(path, flags, work).without_item_file()
    with at_work(config):
        report = run_experiment(config, command_line=command_line(), progress=tracker(quiet=flags.quiet))
    return report, config.output.digits


def _read(path: str, flags: OutputFlags, work: WorkFlags) -> tuple[Report, int]:
    """What a command found before, and the decimals to show."""
    from metaeval.cli.flags import refuse_work
    from metaeval.config import OutputConfig
    from metaeval.io.report_file import read_report

    refuse_work(flags, work)
    return read_report(path), OutputConfig().digits if flags.digits is None else flags.digits
