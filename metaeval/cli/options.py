"""Bundles of options that commands share; each comes back as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class DataFlags:
    """What the command line says of the data; None and empty mean: nothing."""

    runs: tuple[str, ...]
    config_file: str | None
    gold: str | None
    task: str | None
    labels: str | None
    class_weights: str | None
    class_values: str | None
    drop_gold: tuple[str, ...]
    on_missing: str | None
    on_unknown: str | None
    on_extra: str | None
    id_column: str | None
    label_column: str | None
    tokenizer: str | None
    lexicon: str | None
    sources: str | None
    human: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    engine: str | None


@dataclass(frozen=True)
class MeasureFlags:
    """Which measures the command line asks for."""

    measures: tuple[str, ...]
    preset: str | None


@dataclass(frozen=True)
class OutputFlags:
    """How the command line wants its results."""

    format: str | None
    output: str | None
    directory: str | None
    plot: str | None
    digits: int | None
    fail_if: tuple[str, ...]
    seed: int | None
    quiet: bool


@dataclass(frozen=True)
class WorkFlags:
    """How work is shared out."""

    workers: int | None
    scheduler: str | None
    memory: str | None


def _bundle(name: str, kind: type, options: list[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """A decorator that adds options to a command and hands them over as one object called `name`."""

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def command(*positional: object, **given: object) -> object:
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            return function(*positional, **{name: kind(**own)}, **given)

        decorated: Any = command
        for option in reversed(options):
            decorated = option(decorated)
        return cast(Command, decorated)

    return decorate


data_options = _bundle(
    "data",
    DataFlags,
    [
        click.argument("runs", nargs=-1, metavar="RUN..."),
        click.option("--gold", metavar="FILE", help="Gold labels, or references; '-' is standard input."),
        click.option(
            "--task",
            metavar="TASK",
            help="What the files are: fnc1, rumoureval2017, rumoureval2019, rumoureval2019-b, labels (the default: "
            "tidy, wide or one label a line), scores (systems predict numbers), texts (outputs and references), r4c "
            "(derivations) or table (scores that another tool gave each item).",
        ),
        click.option(
            "--labels",
            metavar="CLASSES",
            help="The classes: 'disagree<discuss<agree' with order from low to high, 'support,deny,query' without.",
        ),
        click.option(
            "--class-weights", metavar="a=.4,b=.6", help="How much each class matters, for weighted measures."
        ),
        click.option("--class-values", metavar="a=1,b=5", help="Values of ordered classes; equal steps by default."),
        click.option(
            "--drop-gold", multiple=True, metavar="CLASS", help="Leave out items of this gold class; repeatable."
        ),
        click.option(
            "--on-missing",
            metavar="POLICY",
            help="An item without a prediction: error (default), drop, worst (the class farthest from gold, or an "
            "empty text) or label:NAME.",
        ),
        click.option("--on-unknown", metavar="POLICY", help="A prediction outside the classes: the same policies."),
        click.option("--on-extra", metavar="error|drop", help="Predictions for ids that are not in gold."),
        click.option("--id-column", metavar="NAME", help="Column of item ids in tidy files (default: id)."),
        click.option(
            "--label-column", metavar="NAME", help="Column of labels (default: label), texts (text) or scores (value)."
        ),
        click.option(
            "--tokenizer",
            metavar="NAME",
            help="How sentences become words: rouge (default: ASCII letters and digits, lower case), whitespace, "
            "characters or japanese.",
        ),
        click.option(
            "--lexicon",
            metavar="FILE|NAME",
            help="Semantic labels of words, for esk: a file 'word<TAB>label label…', sudachi, wordnet:NAME or "
            "wordnet-hypernyms:NAME.",
        ),
        click.option(
            "--human",
            multiple=True,
            metavar="FILE|NAME",
            help="What people think: a table of ratings, or with --task table one of its measures; repeatable.",
        ),
        click.option(
            "--sources", metavar="FILE|DIR", help="Texts that the systems were given, in the layout of outputs."
        ),
        click.option(
            "--lower-is-better",
            multiple=True,
            metavar="NAME",
            help="A measure of a table of which less is better; repeatable.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["memory", "duckdb"]),
            help="What reads Parquet of labels; by default duckdb from 64 MB or 16 million cells on, "
            "and for partitions.",
        ),
        click.option(
            "--config", "config_file", metavar="FILE", help="YAML that gives any of these; flags win over it."
        ),
    ],
)

measure_options = _bundle(
    "wanted",
    MeasureFlags,
    [
        click.option(
            "-m",
            "--measure",
            "measures",
            multiple=True,
            metavar="NAME",
            help="A measure, as accuracy or kappa:weights=linear; repeatable. `metaeval measures` lists them.",
        ),
        click.option(
            "--preset",
            metavar="NAME",
            help="A set: stance-nine, rumour-six, fnc1, nominal, numeric; rouge, tsc3; r4c, r4c-alignment; or all.",
        ),
    ],
)

output_options = _bundle(
    "output",
    OutputFlags,
    [
        click.option(
            "-f", "--format", metavar="FORMAT", help="table (default), chart, csv, tsv, json, markdown, latex or html."
        ),
        click.option("-o", "--output", metavar="FILE", help="Write there instead of standard output."),
        click.option(
            "--output-dir", "directory", metavar="DIR", help="A CSV file for each table, and provenance.json."
        ),
        click.option("--plot", metavar="FILE", help="Also draw the main table: FILE.svg, FILE.png or FILE.pdf."),
        click.option("--digits", type=click.IntRange(0, 17), metavar="N", help="Decimals people see (default: 4)."),
        click.option(
            "--fail-if",
            multiple=True,
            metavar="CONDITION",
            help="Exit with 1 where it holds of the results, as 'stability.cem-ord.mean < 0.6'; repeatable.",
        ),
        click.option("--seed", type=click.IntRange(0), metavar="N", help="For whatever is random (default: 20201)."),
        click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on standard error."),
    ],
)

work_options = _bundle(
    "work",
    WorkFlags,
    [
        click.option(
            "--workers",
            type=click.IntRange(1),
            metavar="N",
            help="Threads, or processes for many texts; the results are the same (default: 1).",
        ),
        click.option(
            "--scheduler",
            metavar="tcp://HOST:PORT",
            help="Share the work out over a Dask cluster; the results are the same. 'local': over --workers processes.",
        ),
        click.option(
            "--memory",
            metavar="SIZE",
            help="What a block of work may take (default: 512MB), and DuckDB (half of the memory there is).",
        ),
    ],
)
