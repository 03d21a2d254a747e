"""Writes results to standard output, files and folders."""

from __future__ import annotations

import errno
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metaeval.cli.folder import (
    OWN_FILES,
    other_files,
    reject_other_files,
    write_tables,
)
from metaeval.cli.options import DataFlags, MeasureFlags, OutputFlags, WorkFlags, flag_of, values_of
from metaeval.cli.progress import tracking
from metaeval.config import CheckSettings, DataConfig, ExperimentConfig, OutputConfig, PageSettings
from metaeval.errors import (
    ConfigError,
    ReaderGone,
    bad_setting,
    conflict,
    invalid,
    leave_out,
    not_installed,
    pluralize,
    refuse,
    setting,
    unwritable,
    visible,
)
from metaeval.io.dataset import Progress
from metaeval.io.files.source import path_text
from metaeval.model.report import Finding, Report
from metaeval.render import render
from metaeval.render.data import comma_separated_lines, tab_separated_lines
from metaeval.render.files import (
    STANDARD_OUTPUT,
    Parts,
    make_folder,
    overwriting,
    refuse_overwriting_inputs,
    reject_files,
    stream_of,
    write_atomically,
    write_together,
)
from metaeval.render.latex import references

if TYPE_CHECKING:
    from metaeval.gates.conditions import Gate, Outcome


_LINES = {".csv": comma_separated_lines, ".tsv": tab_separated_lines}
"""Writers of the table of items, by suffix of the file."""

_DATA_ALONE = ("csv", "tsv")
"""Formats of one table, whose findings are written to standard error; the others contain them."""

_WITH_NOTES = ("json", "html")
"""Formats that contain all notes; of others, warnings about the input are written to standard error."""


def write_report(
    report: Report,
    output: OutputConfig,
    *,
    quiet: bool,
    width: int | None = None,
    wrap: bool = True,
    appendix: bool = False,
) -> None:
    """Render and write a report; appendix: whether all parts of a page are open.

    width: of lines without a terminal; None for unlimited. wrap: whether a terminal limits them.
    """
    remarks = []
    works = references(report)
    if not output.methods:
        report = replace(report, methods=())
    elif not report.methods:
        remarks.append(f"{report.command} has no paragraph on methods")
    findings = report.findings if output.format in _DATA_ALONE and output.table is None else ()
    if output.table is not None:
        report = replace(report, tables=(replace(report.table(output.table), detail=False, first=0),), findings=())
    terminal = output.output is None and sys.stdout is not None and sys.stdout.isatty()
    text = render(
        report,
        output.format,
        digits=output.digits,
        width=shutil.get_terminal_size().columns if terminal and wrap else width,
        appendix=appendix,
        safe_csv=output.safe_csv,
        titles=None if output.names is None else output.names == "title",
        colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        notes=output.notes is not None,
        every_column=output.columns is not None,
    )
    beside: dict[str, Parts] = {} if output.bibtex is None else {output.bibtex: [works]}
    if output.plot is not None:
        beside[output.plot] = [_plot(report, output.plot)]
    for path in (*beside, *filter(None, [output.output])):
        refuse_overwriting_inputs(path, report)
    for path, content in beside.items():
        write_atomically(path, content)
    if output.output_dir is not None:
        remarks += _write_folder(output.output_dir, report, safe=output.safe_csv)
    if output.output is None:
        _print(text)
    else:
        write_atomically(output.output, [text])
    if not quiet:
        warnings = [note for note in report.notes if note.on_input and output.format not in _WITH_NOTES]
        _write_apart(findings, [*warnings, *remarks])


def _write_folder(directory: str, report: Report, *, safe: bool) -> list[str]:
    """Write the tables to a folder; remarks on other files there."""
    foreign, remarks = other_files(directory), []
    if others := write_tables(directory, report, safe=safe):
        remarks.append(f"{directory} also contains {', '.join(others)} of other results")
    if replaced := [name for name in foreign if name not in other_files(directory)]:
        remarks.append(f"{', '.join(replaced)} in {directory}, which metaeval had not written, were replaced")
    return remarks


def _write_apart(findings: Iterable[Finding], remarks: Iterable[object]) -> None:
    """Write findings, and warnings about the input and the output, to standard error."""
    for finding in findings:
        click.echo(f"Finding: {visible(str(finding))}", err=True)
    for remark in remarks:
        click.echo(f"Note: {visible(str(remark))}", err=True)


def check_output_paths(
    item_file: str | None,
    output: OutputConfig,
    page: PageSettings | None = None,
    files: Mapping[str, str | None] | None = None,
) -> None:
    """Raise an `InputError` before the computation if results cannot be written; files: instead of the usual ones."""
    if output.plot is not None:
        _check_plot(output.plot)
    files = files or {
        "the results": output.output,
        "the scores of items": item_file,
        "the plot": output.plot,
        "the references": output.bibtex,
    }
    check_distinct(files, page, output.output_dir)
    if output.output_dir:
        pages = page.files if page else {}
        outputs = [path for path in (*files.values(), *pages.values()) if path]
        reject_other_files(output.output_dir, outputs, overwrite=output.overwrite)


def _check_plot(path: str) -> None:
    """Raise an `InputError` if the suffix of the file is not that of a plot, or if matplotlib is missing."""
    from metaeval.render.plots import SUFFIXES

    if Path(path).suffix.lower() not in SUFFIXES:
        expected = f"a file name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        hint = f"as in {setting('plot', 'similarity.svg')}"
        raise refuse(None, bad_setting(setting("plot"), f"'{path}'", expected, hint))
    if importlib.util.find_spec("matplotlib") is None:
        in_terminal = f", or draw in the terminal with {setting('format', 'chart')}"
        raise refuse(None, not_installed(setting("plot"), "matplotlib", "plots", in_terminal))


def _plot(report: Report, path: str) -> bytes:
    """The plot of the main table, in the format of the suffix."""
    from metaeval.render.plots import main_drawing

    return main_drawing(report).to_bytes(Path(path).suffix.lower())


def check_distinct(
    outputs: Mapping[str, str | None], page: PageSettings | None = None, output_dir: str | None = None
) -> None:
    """Raise an `InputError` if the folder of an output file does not exist, or if two outputs share a file.

    page: its files may be in a folder of results that does not exist yet.
    """
    names: dict[str, str] = {}
    pages = {} if page is None else page.files
    folder = Path(os.path.realpath(output_dir)) if output_dir else None
    no_folder = {"the folder of the results": output_dir if output_dir == STANDARD_OUTPUT else None}
    for what, path in {**outputs, **pages, **no_folder}.items():
        if not path:
            continue
        if path == STANDARD_OUTPUT and what not in ("the results", "the verdicts", "the page"):
            raise refuse(None, invalid("file", path, "a path", f" for {what}", "write ./- for the name -"))
        target = os.path.realpath(path)
        is_beside = what in pages and Path(target).parent == folder
        if is_beside and (Path(target).suffix == ".csv" or Path(target).name in OWN_FILES):
            found = f"{what} in the folder of the results, with the name of one of their files"
            expected = "another name, such as report.html or report.json"
            raise refuse(path, found, expected, "change the path in the section report")
        if stream_of(path) is None and not is_beside and not Path(target).parent.is_dir():
            raise unwritable(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        if target in names:
            raise refuse(path, f"one file for {names[target]} and for {what}", "one file for each")
        names[target] = what


def export_items(report: Report, path: str, *, safe: bool) -> Report:
    """Write the table `item_scores` line by line; the report without this table. safe: as `OutputConfig.safe_csv`."""
    items = [table for table in report.tables if table.name == "item_scores"]
    refuse_overwriting_inputs(path, report)
    lines = chain.from_iterable(_LINES[Path(path).suffix](table, safe=safe) for table in items)
    write_atomically(path, (line.encode("utf-8", "backslashreplace").decode("utf-8") for line in lines))
    return replace(report, tables=tuple(table for table in report.tables if table not in items))


def write_team_reports(report: Report, folder: str) -> None:
    """Write a file for each team with the reasons and remarks of an audit."""
    from metaeval.analyses.audit.report import team_texts

    texts = team_texts(report)
    for name in texts:
        refuse_overwriting_inputs(str(Path(folder, name)), report)
    make_folder(folder)
    write_together(folder, texts)


def _print(text: str) -> None:
    """Write to standard output; raises `ReaderGone` if its reader has closed the pipe."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except (OSError, AttributeError) as error:
        # `sys.stdout` is None if the shell closed it.
        reason = getattr(error, "strerror", None) or "it is closed"
        found = f"standard output cannot be written ({reason})"
        hint = f"check the target of the output, or name a file with {setting('output')}"
        raise refuse(None, found, "a terminal, a pipe or a file with free space", hint) from None


def command_line() -> str:
    """The command line for the provenance, which is the same for a resumed run."""
    return path_text(shlex.join(["metaeval", *(word for word in sys.argv[1:] if word != "--resume")]))


def page_of(config: ExperimentConfig) -> PageSettings | None:
    """The page that an experiment asks for beside other results; raises a `ConfigError` if it names no file."""
    page = config.report
    if page is not None and page.output is None:
        raise ConfigError(
            config.file.path if config.file else None,
            "report",
            page.line,
            found="a page without a file",
            expected="the key output",
            hint="add 'output: report.html' to the section",
        )
    if page is not None and config.file is not None:
        keep_inputs(page, config.file.path, config)
    return page


def keep_inputs(page: PageSettings, results: str, config: ExperimentConfig) -> None:
    """Raise an `InputError` before the computation if a page would overwrite results, an experiment or its baseline."""
    for path in filter(None, (results, config.check.baseline if config.check else None)):
        folder = Path(path)
        files = [*folder.glob("*.csv"), *folder.glob("*.json")] if folder.is_dir() else [folder]
        for output in page.files.values():
            if output and Path(output).is_file() and any(file.is_file() and file.samefile(output) for file in files):
                raise overwriting(output, "input")


def write_page(report: Report, page: PageSettings, output: OutputConfig) -> None:
    """Write the page of a report and its JSON file; output: has the decimals and the names of measures."""
    for path in filter(None, page.files.values()):
        refuse_overwriting_inputs(path, report)
        if output.output_dir and Path(os.path.realpath(path)).parent == Path(os.path.realpath(output.output_dir)):
            make_folder(output.output_dir)
    html = OutputConfig("html", output.digits, page.output, names=output.names)
    write_report(report, html, quiet=True, appendix=page.appendix)
    if page.json is not None:
        write_report(report, OutputConfig("json", output=page.json), quiet=True)


GATE_FAILED = 1


def gates_of(output: OutputFlags, check: CheckSettings | None = None) -> tuple[Gate, ...]:
    """The gates of a command, parsed before the computation. check: further conditions, and earlier results."""
    conditions = (*(check.fail_if if check is not None else ()), *output.fail_if)
    if not conditions:
        return ()
    from metaeval.gates.conditions import parse_gates

    return parse_gates(conditions, baseline=check is not None and check.baseline is not None)


def judge_report(gates: Sequence[Gate], report: Report, baseline: str | None = None) -> tuple[Outcome, ...]:
    """The outcomes of gates. Call it before results are written, so that an invalid name leaves no output.

    baseline: the file of the earlier results.
    """
    if not gates:
        return ()
    from metaeval.gates.conditions import judge
    from metaeval.io.report_file import read_report

    uses_baseline = any(token.kind == "baseline" for gate in gates for token in (*gate.left, *gate.right))
    return judge(gates, report, read_report(baseline) if baseline is not None and uses_baseline else None)


def report_gates(outcomes: Sequence[Outcome], *, quiet: bool) -> int:
    """Report failed gates on standard error; the exit code."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        click.echo(f"Gate failed: {visible(outcome.condition)}: {visible(outcome.reason)}", err=True)
    if outcomes and not failed and not quiet:
        click.echo(f"{pluralize(len(outcomes), 'gate')} passed", err=True)
    return GATE_FAILED if failed else 0


def run_command(
    use_case: Callable[..., Report],
    config: ExperimentConfig,
    output: OutputFlags,
    check: CheckSettings | None = None,
    page: PageSettings | None = None,
) -> int:
    """Run a use case, a function from an experiment to its report, and write it; the exit code is 1 if a gate failed.

    check: has further gates. page: is written before the report.
    """
    quiet = output.quiet
    gates = gates_of(output, check)
    item_file = config.item_file
    check_output_paths(item_file, config.output, page)
    reports = config.team_reports
    if reports is not None:
        reject_files(reports, overwrite=config.output.overwrite)
    with at_work(config, quiet=quiet) as progress:
        report = use_case(config, command_line=command_line(), progress=progress)
    outcomes = judge_report(gates, report, check.baseline if check is not None else None)
    # Other commands make no table of items.
    if item_file is not None and report.command in ("score", "run"):
        report = export_items(report, item_file, safe=config.output.safe_csv)
    if reports is not None and report.command == "audit":
        write_team_reports(report, reports)
    if page is not None:
        write_page(report, page, config.output)
    write_report(report, config.output, quiet=quiet)
    return report_gates(outcomes, quiet=quiet)


def write_listing(
    listing: Callable[..., Report], output: OutputFlags, *, width: int | None = None, wrap: bool = True
) -> int:
    """Write a report that needs no experiment, by a function of the command line; the exit code is 1 if a gate failed.

    width, wrap: see `write_report`.
    """
    settings, gates = OutputConfig().overlaid(**output.values), gates_of(output)
    check_output_paths(None, settings)
    report = listing(command_line=command_line())
    outcomes = judge_report(gates, report)
    write_report(report, settings, quiet=output.quiet, width=width, wrap=wrap)
    return report_gates(outcomes, quiet=output.quiet)


@contextmanager
def at_work(config: ExperimentConfig, *, quiet: bool) -> Iterator[Progress]:
    """The progress of an experiment, on its Dask cluster if it has one; Dask is imported only then."""
    from metaeval.work import executor

    with executor.at_work(config), tracking(quiet=quiet) as progress:
        yield progress


def configured(data: DataFlags, measures: MeasureFlags, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of all options."""
    config = configured_run(data.config_file, output, work)
    config = config.overlaid(data=_data(config.data, data))
    if measures.measures or measures.preset is not None:
        return replace(config, measures=measures.measures, preset=measures.preset)
    return config


def configured_run(path: str | None, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of a YAML file, or else a default one, with the options of output and of the computation."""
    if path is None:
        config = ExperimentConfig()
    else:
        from metaeval.config.read import read_config  # imports PyYAML

        config = read_config(path)
    config = config.overlaid(seed=output.seed, output=config.output.overlaid(**output.values))
    return config.overlaid(**values_of(ExperimentConfig, work))


def configured_or_read(path: str, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of a YAML file, or for computed results only the settings of output."""
    from metaeval.config.read import is_config

    if is_config(path):
        return configured_run(path, output, work)
    refuse_work(output, work)
    return ExperimentConfig(output=OutputConfig().overlaid(**output.values))


def refuse_work(output: OutputFlags, work: WorkFlags) -> None:
    """Raise an `InputError` if options of the computation are given for computed results."""
    options = {"seed": output.seed, **work}
    for flag in (flag_of(name) for name, value in options.items() if value is not None):
        problem = conflict(flag, "results that are computed already", "an experiment file (.yaml)")
        raise refuse(None, problem, hint=leave_out(flag))


def _data(config: DataConfig, flags: DataFlags) -> DataConfig:
    values = dict(flags.values)
    # An empty word removes the classes of the experiment file.
    if values["drop_gold"] == ("",) and config.drop_gold:
        config, values["drop_gold"] = replace(config, drop_gold=()), ()
    if "" in values["drop_gold"]:
        flag = flag_of("drop_gold")
        raise refuse(None, bad_setting(flag, "''", "a gold class", leave_out(f"{flag} ''")))
    return config.overlaid(runs=flags.runs, **values_of(DataConfig, values))
