"""The HTML page of results and its JSON file, from `metaeval report` or the section `report:` of an experiment file."""

from __future__ import annotations

import os
from pathlib import Path

from metaeval.cli.folder import make_folder
from metaeval.cli.output import write_report
from metaeval.config import ExperimentConfig, OutputConfig, PageSettings
from metaeval.errors import ConfigError, InputError
from metaeval.model.report import Report
from metaeval.render.files import refuse_overwriting_inputs


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
            if output and Path(output).is_file() and any(it.is_file() and it.samefile(output) for it in files):
                raise InputError.at(
                    output, found="a file that is read, which the page would overwrite", expected="another file"
                )


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
