"""Writes the pages that derive from the code, and the output of the examples.

python docs/generate.py                           # pages made from the measures, the commands and the Python API
python docs/generate.py --examples [PAGE ...]     # what the commands in ```console blocks print
python docs/generate.py --check [--examples ...]  # writes nothing; exits 1 and says what is stale
python docs/generate.py --gallery                 # draws the plots of docs/gallery.md
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from inspect import Parameter, cleandoc, isclass
from itertools import chain
from pathlib import Path
from textwrap import indent
from typing import Any

import click
from griffe import Docstring, DocstringSectionKind, Parser

import metaeval
from metaeval.analyses.declaration import Analysis
from metaeval.cli import COMMANDS, command_line
from metaeval.config import CheckSettings, DataConfig, ExperimentConfig, OutputConfig, PageSettings
from metaeval.io.report_file import EARLIER, SAFE, SHAPE
from metaeval.model.report import SCHEMA
from metaeval.registry import ANALYSES, declaration
from metaeval.settings import YAML, options_of
from metaeval.settings.kinds import Kind
from metaeval.settings.options import Option

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent

# As a script this file sees its own folder first, not the one above.
sys.path.insert(0, str(ROOT))
from docs.axioms_page import axioms_page, claims, counter_examples  # noqa: E402
from docs.columns_page import columns_page  # noqa: E402
from docs.examples import EXAMPLE_PAGES, refreshed  # noqa: E402
from docs.gallery_page import draw_gallery, gallery_page  # noqa: E402
from docs.lists import pages_with_lists, with_fresh_lists  # noqa: E402
from docs.llms_page import llms_page  # noqa: E402
from docs.measures_page import measures_page  # noqa: E402
from docs.papers_page import reproduction_data, reproduction_page  # noqa: E402
from docs.tables import tables_page  # noqa: E402
from docs.writing import markdown_table  # noqa: E402

_YAML = """\
# Experiment files

<!-- Made by docs/generate.py from the settings in metaeval; edit those. -->

All keys of a YAML file that `metaeval run FILE` and `--config FILE` read, with an
[example](../formats.md#yaml-experiments). Paths are relative to the file. Types are those of the Python API."""

_SECTIONS = """\
## Analyses

Each analysis is a section; `name: {}` runs it with its defaults. A key means what the flag of the command does that it
is named after; several values are a list. [Types](python.md) are on the page of the Python API."""

_COMMAND_LINE = """\
# Command line

<!-- Made by docs/generate.py from the commands in metaeval/cli; edit those. -->

`metaeval COMMAND --help-all` prints the same descriptions, and `--help` those of the command's own options. Options
that many commands share are listed once: [data](#data-options), [measures](#measures-options),
[computation](#computation-options) and [output](#output-options).
A [configuration](../formats.md#yaml-experiments) can set all of them; options on the command line override it.

| exit code | means |
|---|---|
| 0 | done |
| 1 | a gate failed |
| 2 | the input, the configuration or the command line is wrong |
| 70 | an unexpected exception, which is a bug in metaeval; `METAEVAL_DEBUG=1` shows its traceback |
| 130 | interrupted |
| 143 | terminated |
"""

_PYTHON = """\
# Python API

<!-- Made by docs/generate.py from the public names of metaeval; edit their docstrings. -->

Everything here is imported as `metaeval.NAME`. [How to use it](../python.md). A keyword of an analysis means what its
flag does, which [Command line](cli.md) explains.
"""

_STATISTICS = """\
# Statistics

<!-- Made by docs/generate.py from the docstrings in metaeval/stats; edit those. -->

Functions of arrays, imported from their modules. They do not depend on measures, files or settings. What is not listed
here has shorter docstrings, and may change.
"""

STATISTICS = {
    "association": ("kendall_b", "pearson", "spearman", "pairwise_accuracy"),
    "correlation": ("tau_ap", "weighted_tau", "kendall_w", "Concordance", "correlation_intervals"),
    "correlation_tests": ("williams", "swap_tests", "DifferenceTest", "holm"),
    "decisions": ("tie_calibrated_accuracy", "TieAccuracy"),
    "soft_accuracy": ("soft_accuracy", "SoftAccuracy"),
    "agreement": ("krippendorff_alpha", "fleiss_kappa", "gwet_ac", "pair_coefficients", "PairCoefficients"),
    "differences": ("intraclass_correlations", "Intraclass", "limits_of_agreement", "Limits"),
    "judges": ("alternative_annotator_test", "AlternativeAnnotators", "benjamini_yekutieli"),
    "intervals": ("percentile_interval", "fisher_interval", "wilson_interval", "share_interval", "ShareInterval"),
    "resample": ("draw_halves", "draw_bootstrap"),
    "rank": ("mean_ranks",),
    "tests": ("compact_letters",),
    "shapley": ("shapley_values",),
}
"""Documented statistics by module: those that users call, with sections in their docstrings."""


def command_line_page() -> str:
    """docs/reference/cli.md: every command with its own options, then the options that commands share."""
    context = click.Context(command_line, info_name="metaeval")
    sections = [_command_section(context, name) for name in COMMANDS]
    shared = _options_by_section(_command(context, "score"))
    bundles = [f"## {section} options\n\n{_option_list(members)}" for section, members in shared.items() if section]
    return _page(_COMMAND_LINE, *sections, *bundles)


def _command(group: click.Context, name: str) -> click.Command:
    command = command_line.get_command(group, name)
    assert command is not None
    return command


def _options_by_section(command: click.Command) -> dict[str, list[click.Option]]:
    """The options of a command by the section of the help; '' for its own."""
    sections: dict[str, list[click.Option]] = {}
    for option in command.params:
        if isinstance(option, click.Option) and option.name != "help_all":
            sections.setdefault(getattr(option, "section", ""), []).append(option)
    return sections


def _command_section(group: click.Context, name: str) -> str:
    command = _command(group, name)
    context = click.Context(command, info_name=name, parent=group)
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    shared = _options_by_section(command)
    options = shared.pop("", [])
    also = ", ".join(f"[{section.lower()} options](#{section.lower()}-options)" for section in shared)
    parts = [f"## metaeval {name}", f"```text\n{usage}\n```", *_help_paragraphs(command.help or "")]
    if options:
        parts.append(_option_list(options))
    if also:
        parts.append(f"{'Also' if options else 'Options'}: {also}.")
    return "\n\n".join([*parts, f"[How to use it](../how-to/{name}.md)."])


def _help_paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of a help text in Markdown; what click must not wrap is code."""
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```sh\n{paragraph[2:]}\n```"
        else:
            yield _literal(" ".join(paragraph.split()))


def _option_list(members: Iterable[click.Option]) -> str:
    context = click.Context(click.Command("metaeval"))
    records = (option.get_help_record(context) for option in members)
    return "\n\n".join(f"`{record[0]}`\n:   {_literal(record[1])}" for record in records if record is not None)


def _literal(text: str) -> str:
    """Text outside code with the special characters of Markdown and HTML escaped; `backticks` remain code."""
    pieces = text.split("`")
    for index in range(0, len(pieces), 2):
        for character in "\\*_[]":
            pieces[index] = pieces[index].replace(character, f"\\{character}")
        pieces[index] = pieces[index].replace("<", "&lt;")
    return "`".join(pieces)


def _described_parameters(function: Any) -> dict[str, str]:
    """The descriptions in the section `Parameters` of a docstring, by the names of the parameters."""
    sections = Docstring(cleandoc(function.__doc__), parser=Parser.numpy).parse(warnings=False)
    parameters = [section.value for section in sections if section.kind is DocstringSectionKind.parameters]
    return {parameter.name: " ".join(parameter.description.split()) for parameter in chain.from_iterable(parameters)}


def analysis_section(analysis: Analysis[Any, Any]) -> str:
    """The function of an analysis: its signature, its description, its keywords with YAML keys and flags."""
    parameters = analysis.__signature__.parameters.values()
    names = [
        parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default!r}"
        for parameter in parameters
    ]
    first_keyword = [parameter.kind for parameter in parameters].index(Parameter.KEYWORD_ONLY)
    signature = ", ".join([*names[:first_keyword], "*", *names[first_keyword:]])
    about = [part for part in cleandoc(analysis.settings.__doc__ or "").split("\n\n") if not part.startswith("\b\n")]
    # The paragraphs after the question are those of the command.
    examples = [f"```pycon\n{part}\n```" for part in about if part.startswith(">>>")]
    described = _described_parameters(type(analysis).__call__)
    options = dict(options_of(analysis.settings))
    rows = []
    for name in [parameter.name for parameter in parameters][:first_keyword]:
        files = options.pop(name, None)
        text = described[name] if files is None else f"{files.about} {described['files']}"
        rows.append([f"`{name}`", _literal(text), f"`{files.key}`" if files else "", ""])
    for name, option in options.items():
        key = f"`{option.key}`" if YAML in option.where else ""
        rows.append([f"`{name}`", _type(option.kind), key, f"[`{option.flag}`](cli.md#metaeval-{analysis.name})"])
    rows += [[f"`{name}`", "", "", f"`--{name}`"] for name in analysis.keywords_of_experiment]
    table = markdown_table(["parameter", "", "YAML", "flag"], rows)
    tables = f"Tables: {', '.join(f'`{name}`' for name in analysis.tables)}."
    return "\n\n".join(
        [
            f"### metaeval.{analysis.__name__} {{#metaeval.{analysis.__name__}}}",
            f"```text\nmetaeval.{analysis.__name__}({signature})\n```",
            _literal(" ".join(about[0].split())),
            *examples,
            table,
            tables,
        ]
    )


def _type(kind: Kind[Any]) -> str:
    """A type of Python; several values of a type are a list of it."""
    one, several, _ = kind.python.partition(" | Sequence[")
    if several and kind.python == f"{one} | Sequence[{one}]":
        return f"`{one}`, or a list".replace("|", "\\|")
    return f"`{kind.python}`".replace("|", "\\|")


def yaml_page() -> str:
    """docs/reference/yaml.md: every key of an experiment file."""
    parts = [("data", DataConfig), ("", ExperimentConfig), ("output", OutputConfig), ("report", PageSettings)]
    texts = [_YAML]
    for name, settings in [*parts, ("check", CheckSettings)]:
        rows = [[f"`{option.key}`", _type(option.kind), _literal(option.about)] for option in _yaml_options(settings)]
        texts.append(f"## {f'`{name}:`' if name else 'Top level'}\n\n{markdown_table(['key', 'type', ''], rows)}")
    rows = []
    for name in ANALYSES:
        keys = ", ".join(f"`{option.key}`" for option in _yaml_options(declaration(name).settings))
        rows.append([f"[`{name}:`](cli.md#metaeval-{name})", keys or "none: `{}`"])
    texts.append(f"{_SECTIONS}\n\n{markdown_table(['section', 'keys'], rows)}")
    return "\n\n".join(texts) + "\n"


def _yaml_options(settings: type[Any]) -> list[Option[Any, Any]]:
    return [option for option in options_of(settings).values() if YAML in option.where]


JSON_TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", float: "number", int: "integer"}
ALWAYS = ("schema", "command", "signature", "findings", "tables", "notes", "provenance", "layout")
"""The members that the JSON of every command has."""


def schema_page() -> str:
    """docs/reference/results.schema.json: the JSON Schema of the results of every command."""
    cell = {"type": ["string", "number", "boolean", "null"]}
    rows = {"type": "array", "items": {"type": "object", "additionalProperties": cell}}
    members = _schema({name: shape for name, shape in SHAPE.items() if name not in (EARLIER, SAFE)})["properties"]
    members |= {"schema": {"const": SCHEMA}, "tables": {"type": "object", "additionalProperties": rows}}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of metaeval",
        "type": "object",
        "required": list(ALWAYS),
        "properties": members,
    }
    return json.dumps(document, indent=2) + "\n"


def _schema(shape: Any) -> dict[str, Any]:
    """The JSON Schema of a shape of `metaeval.io.report_file`."""
    if isinstance(shape, tuple):
        return {"anyOf": [_schema(shape[0]), {"type": "null"}]}
    if isinstance(shape, list):
        return {"type": "array", "items": _schema(shape[0])}
    if not isinstance(shape, dict):
        return {"type": JSON_TYPES[shape]}
    if ... in shape:
        return {"type": "object", "additionalProperties": _schema(shape[...])}
    return {"type": "object", "properties": {name: _schema(member) for name, member in shape.items()}}


def python_page() -> str:
    """docs/reference/python.md: every public name, for mkdocstrings to fill."""
    kinds: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    for name in metaeval.__all__:
        value = getattr(metaeval, name)
        kinds["Functions" if not isclass(value) else "Errors" if issubclass(value, Exception) else "Classes"].append(
            name
        )
    sections = [
        "\n\n".join([f"## {kind}", *(_reference(name) for name in sorted(names))]) for kind, names in kinds.items()
    ]
    return _page(_PYTHON, *sections)


def _reference(name: str) -> str:
    value = getattr(metaeval, name)
    return analysis_section(value) if isinstance(value, Analysis) else f"::: metaeval.{name}"


def statistics_page() -> str:
    """docs/reference/statistics.md: the documented statistics, for mkdocstrings to fill."""
    names = [f"{module}.{name}" for module, members in STATISTICS.items() for name in members]
    return _page(_STATISTICS, *(f"::: metaeval.stats.{name}" for name in names))


def _page(introduction: str, *parts: str) -> str:
    return "\n\n".join([introduction.rstrip(), *parts]) + "\n"


PAGES = {
    "measures.md": measures_page,
    "axioms.md": axioms_page,
    "columns.md": columns_page,
    "assets/claims.csv": claims,
    "assets/counter_examples.csv": counter_examples,
    "reproduction.md": reproduction_page,
    "assets/reproduction.csv": reproduction_data,
    "gallery.md": gallery_page,
    "llms.txt": llms_page,
    "reference/cli.md": command_line_page,
    "reference/tables.md": tables_page,
    "reference/python.md": python_page,
    "reference/yaml.md": yaml_page,
    "reference/results.schema.json": schema_page,
    "reference/statistics.md": statistics_page,
}


def _new_texts(pages: list[Path], *, examples: bool) -> Iterator[tuple[Path, str]]:
    """Every page with the text that it should have; pages: those to look at for examples, all of them when empty."""
    if not examples:
        for name, page in PAGES.items():
            yield FOLDER / name, page()
        for path in pages_with_lists():
            yield path, with_fresh_lists(path.read_text(encoding="utf-8"))
        return

    for path in pages or EXAMPLE_PAGES:
        yield path, refreshed(path.read_text(encoding="utf-8"))


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or with `--check` say which are stale; 0 when all is well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    parser.add_argument("--examples", action="store_true", help="the output of console blocks")
    parser.add_argument("--gallery", action="store_true", help="draw the plots of the gallery")
    parser.add_argument("pages", nargs="*", type=Path, help="with --examples: only these")
    chosen = parser.parse_args(arguments)
    if chosen.gallery:
        draw_gallery()
        return 0
    stale = False
    for path, text in _new_texts([page.resolve() for page in chosen.pages], examples=chosen.examples):
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        stale = True
        if chosen.check:
            remedy = "`python docs/generate.py --examples`" if chosen.examples else "`make docs`"
            difference = "\n".join(
                difflib.unified_diff(old.splitlines(), text.splitlines(), "now", "fresh", lineterm="")
            )
            print(
                f"{os.path.relpath(path, ROOT)} is stale; run {remedy}\n{indent(difference, '    ')}", file=sys.stderr
            )
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if chosen.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
