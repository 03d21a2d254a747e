"""The settings of an experiment: data, measures, analyses and output."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from metaeval.config.data import DataConfig
from metaeval.errors import bad_setting, refuse
from metaeval.registry import FORMATS
from metaeval.settings import (
    COMMAND_LINE,
    PYTHON,
    YAML,
    AnalysisSettings,
    Choice,
    FileOrName,
    Option,
    Parsed,
    Path,
    PluginFile,
    Settings,
    Text,
    Texts,
    alpha,
    choice,
    flag,
    path,
    several,
    text,
    whole,
)
from metaeval.settings.kinds import MeasureName, WordFlag

if TYPE_CHECKING:
    from metaeval.model.report import SourceFile


DEFAULT_SEED = 20201
_UNKNOWN_RAM = 4 << 30

DEFAULT_MEMORY = 512 << 20
MIN_MEMORY = 16 << 20
LOCAL_SCHEDULER = "local"
"""Stands for a cluster of processes on this machine."""
MAX_DIGITS = 17
"""Number of significant digits of a float."""

Undefined: TypeAlias = Literal["skip", "last", "zero"]
_RANKED_AS: dict[Undefined, float] = {"skip": math.nan, "last": -math.inf, "zero": 0.0}

S = TypeVar("S", bound=AnalysisSettings)

_UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def parse_memory(text: str, *, option: str) -> int:
    """Bytes of `512MB`, `1GB` or a plain number. option: its name in messages.

    >>> parse_memory("1GB", option="--memory")
    1073741824
    """
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([KMG]B)?", text.strip().upper())
    size = int(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    if not MIN_MEMORY <= size < 1 << 63:
        raise refuse(None, bad_setting(option, text, "a size of at least 16MB", "as in 512MB or 1GB"))
    return size


def _is_memory(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and MIN_MEMORY <= value < 1 << 63


# Not from `metaeval.measures`, whose import would make --help slow.
_PRESETS = (*json.loads((files("metaeval") / "measures" / "presets.json").read_text()), "candidates", "all")

_FORMATS = tuple(FORMATS)


@dataclass(frozen=True)
class OutputConfig(Settings):
    """Format and files of results."""

    format: str = Option(  # type: ignore[assignment]
        Parsed(Choice(_FORMATS, what="format").check, names=lambda: _FORMATS),
        _FORMATS[0],
        f"Format of results: {_FORMATS[0]} (default), {', '.join(_FORMATS[1:-1])} or {_FORMATS[-1]}",
        short="-f",
        metavar="FORMAT",
        default_text=None,
    )
    digits: int | None = whole(
        None,
        "Number of decimals shown",
        at_most=MAX_DIGITS,
        default_text="as many as intervals support, at most 4",
    )
    output: Path = path(None, "File of results (default: standard output)", short="-o")
    output_dir: Path = path(None, "Folder for a CSV file per table and provenance.json", metavar="DIR")
    overwrite: bool = flag(
        False, "Let the folder of results replace files of the same names that metaeval did not write"
    )
    safe_csv: bool = flag(
        False, "In CSV and TSV, put ' before text that a spreadsheet would run; escape control characters"
    )
    plot: Path = path(None, "Plot of the main table: FILE.svg, FILE.png or FILE.pdf")
    table: str | None = text(
        None, "Table to print (default: the main tables; csv, tsv: the first)", metavar="NAME", default_text=None
    )
    names: Literal["code", "title"] | None = choice(
        None,
        "Names of measures: code, as -m takes them, or title (default: title in markdown, latex and html)",
        ("code", "title"),
        default_text=None,
    )
    columns: Literal["all"] | None = choice(
        None, "Columns of tables for readers: all, instead of those that answer", ("all",), metavar="all"
    )
    notes: Literal["all"] | None = Option(  # type: ignore[assignment]
        WordFlag(("all",)), None, "Print all notes on what was done and how"
    )
    methods: bool = flag(False, "Add a paragraph for a paper that describes the data, the tests and their settings")
    bibtex: Path = path(None, "BibTeX file of the works that the measures come from and that the methods cite")


@dataclass(frozen=True, kw_only=True)
class PageSettings(Settings):
    """The HTML page of results. line: of its section in an experiment file."""

    output: Path = path(
        None, "HTML file (default of the command report: standard output, unless it is a terminal)", short="-o"
    )
    json: Path = path(None, "JSON file of all tables of the page")
    appendix: bool = flag(False, "Open all parts of the page, so that they are printed, too")
    line: int | None = field(default=None, compare=False)

    @property
    def files(self) -> dict[str, str | None]:
        """The files of the page, by what they contain."""
        return {"the page": self.output, "the JSON of the page": self.json}


@dataclass(frozen=True, kw_only=True)
class CheckSettings(Settings):
    """Conditions on results, and the comparison with a baseline."""

    fail_if: Texts = several(
        Text(), (), "Condition on cells of tables, which makes the check fail", where=frozenset({YAML, PYTHON})
    )
    baseline: Path = path(None, "Saved results of an earlier run; the check fails if a system is significantly worse")
    save_baseline: Path = path(
        None,
        "File in which this run is saved as a baseline, unless the check fails",
        where=frozenset({COMMAND_LINE, PYTHON}),
    )
    frozen_signature: Option[str | None, str | None] = Option(
        FileOrName(lambda word, _: word.startswith("metaeval:")),
        None,
        "Signature that the results must have, such as the frozen one of a phase, or a file with it: JSON results, or "
        "its line; a field `name:*` may have any value",
        flag="--signature",
        metavar="SIGNATURE|FILE",
    )
    alpha: float = alpha("Significance level of the comparison with the baseline")
    permutations: int = whole(
        4999, "Number of random sign changes of the groups of items for the comparison with the baseline", at_least=1
    )
    junit: Path = path(None, "JUnit XML file of the verdicts", where=frozenset({COMMAND_LINE}))
    github: bool | None = flag(
        None,
        "Write annotations for GitHub Actions to standard error",
        default_text="if GITHUB_ACTIONS is true",
        where=frozenset({COMMAND_LINE}),
    )


@dataclass(frozen=True)
class ExperimentConfig(Settings):
    """A whole experiment. Without measures and preset it uses the default measures of its task.

    Parameters
    ----------
    data
        Files and data in memory.
    analyses
        Settings of the analyses for which the experiment has a section.
    check
        Conditions on the results, and a baseline.
    output
        Format and files of results.
    report
        HTML page of the results, which the commands `run`, `check` and `report` write; Python functions do not.
    computed
        Names of the analyses that are computed; None for all that have settings.
    file
        YAML file of the experiment.
    """

    data: DataConfig = DataConfig()
    measures: Texts = several(
        MeasureName(),
        (),
        "Measure that `metaeval measures` lists, such as accuracy or kappa:weights=linear, or of a table a column; or "
        "a pattern, as 'mae*'",
        flag="--measure",
        short="-m",
        metavar="NAME",
        default_text=None,
    )
    preset: str | None = Option(  # type: ignore[assignment]
        Parsed(Choice(_PRESETS, what="preset").check, names=lambda: _PRESETS),
        None,
        f"Preset of measures: {', '.join(_PRESETS[:-1])} or {_PRESETS[-1]}",
        metavar="NAME",
    )
    plugins: Texts = several(
        PluginFile(),
        (),
        "Python file that declares further measures; its code is run",
        flag="--plugin",
        default_text=None,
        metavar="FILE.py",
    )
    undefined: Undefined = choice(
        "skip",
        "Rank of systems with undefined scores: none, so that rankings are compared without them (skip), below "
        "all others (last), or that of a score of 0 (zero)",
        get_args(Undefined),
        metavar="skip|last|zero",
    )
    seed: int = whole(DEFAULT_SEED, "Random seed", most=None)
    title: str | None = text(None, "Title of the experiment, which heads its page", where=frozenset({YAML, PYTHON}))
    check: CheckSettings | None = None
    workers: int = whole(
        1, "Number of threads, or processes for many texts; results do not depend on it", at_least=1, at_most=1000
    )
    scheduler: str | None = Option(  # type: ignore[assignment]
        Parsed(lambda _, text: check_scheduler(text)),
        None,
        "Address of a Dask scheduler, or 'local' for a cluster of processes; results do not depend on it",
        metavar="tcp://HOST:PORT",
    )
    memory: Option[str | int | None, int | None] = Option(
        Parsed(lambda name, text: parse_memory(text, option=name), _is_memory),
        None,
        "Memory limit of a block of work (default: 512MB) and of DuckDB (default: half of the memory)",
        metavar="SIZE",
        default_text=None,
    )
    output: OutputConfig = OutputConfig()
    report: PageSettings | None = None
    analyses: tuple[AnalysisSettings, ...] = ()
    computed: tuple[str, ...] | None = None
    file: SourceFile | None = field(default=None, compare=False)

    def settings_of(self, kind: type[S]) -> S:
        """The settings of an analysis, or its defaults if the experiment has no section for it.

        Parameters
        ----------
        kind
            Class of the settings.
        """
        return next((analysis for analysis in self.analyses if isinstance(analysis, kind)), None) or kind()

    def with_settings(self, settings: AnalysisSettings) -> ExperimentConfig:
        """A copy of the experiment with other settings of one analysis.

        Parameters
        ----------
        settings
            Settings of an analysis.
        """
        others = (analysis for analysis in self.analyses if analysis.section != settings.section)
        return replace(self, analyses=(*others, settings))

    def section(self, name: str) -> Any:
        """The settings of the analysis of a name, or None if the experiment has no section for it.

        Parameters
        ----------
        name
            Name of the analysis, such as 'merge-classes'.
        """
        return next((analysis for analysis in self.analyses if analysis.section == name), None)

    def without_item_file(self) -> ExperimentConfig:
        """A copy of the experiment that writes no file of item scores."""
        score = self.section("score")
        return self if score is None else self.with_settings(replace(score, per_item=None))

    @property
    def item_file(self) -> str | None:
        """The file of item scores, or None."""
        score = self.section("score")
        return None if score is None else score.per_item

    @property
    def team_reports(self) -> str | None:
        """The folder of a file for each team, or None."""
        audit = self.section("audit")
        return None if audit is None else audit.reports

    @property
    def scores_trivial(self) -> bool:
        """Whether trivial systems are scored as well."""
        score = self.section("score")
        return score is not None and score.trivial

    @property
    def ranked_as(self) -> float:
        """The oriented score by which an undefined one is ranked; NaN if it has no rank."""
        return _RANKED_AS[self.undefined]

    @property
    def block_memory(self) -> int:
        """Memory limit of a block of work, in bytes."""
        return DEFAULT_MEMORY if self.memory is None else self.memory

    @property
    def data_memory(self) -> int:
        """Memory limit of the data, in bytes; by default half of the memory of the machine."""
        return half_of_ram() if self.memory is None else self.memory


def half_of_ram() -> int:
    """Half of the memory of the machine, in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN_RAM


def check_scheduler(scheduler: str) -> str:
    """The address of a scheduler, or `local`; raises `InputError` if it is invalid.

    >>> check_scheduler("tcp://node7:8786")
    'tcp://node7:8786'
    """
    if scheduler != LOCAL_SCHEDULER and not re.fullmatch(r"[a-z]+://\S+:\d+", scheduler):
        expected = f"the address of a Dask scheduler, such as tcp://HOST:PORT, or '{LOCAL_SCHEDULER}'"
        hint = "`dask scheduler` prints its address when it starts"
        raise refuse(None, bad_setting("scheduler", f"'{scheduler}'", expected, hint))
    return scheduler
