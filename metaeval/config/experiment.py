"""What an experiment is made of: data, analyses and output, as frozen dataclasses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.config.data import DataConfig
from metaeval.errors import InputError, UnknownName
from metaeval.settings import AnalysisSettings, Option, Parsed, Path, Settings, Texts, path, several, text, whole
from metaeval.settings.kinds import MeasureName

if TYPE_CHECKING:
    from metaeval.config.check import CheckSettings
    from metaeval.model.report import SourceFile

DEFAULT_SEED = 20201
DEFAULT_MEMORY = 512 << 20
LEAST_MEMORY = 16 << 20
LOCAL_SCHEDULER = "local"
"""In place of a scheduler's address: a cluster of processes on this machine."""
MOST_DIGITS = 17
"""Decimals after which a float has nothing more to say."""


S = TypeVar("S", bound=AnalysisSettings)

_UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def parse_memory(text: str, *, option: str) -> int:
    """Bytes of `512MB`, `1GB` or a plain number; option: where it was written, for the message.

    >>> parse_memory("1GB", option="--memory")
    1073741824
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]B)?", text.strip().upper())
    size = int(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    if not size >= LEAST_MEMORY:
        raise InputError.at(found=f"{option} {text}", expected="a size of at least 16MB", hint="as in 512MB or 1GB")
    return size


def _is_memory(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= LEAST_MEMORY


def _preset(_name: str, text: str) -> str:
    from metaeval.measures.presets import PRESET_NAMES

    if text not in PRESET_NAMES:
        raise UnknownName("preset", text, PRESET_NAMES)
    return text


@dataclass(frozen=True)
class OutputConfig(Settings):
    """How results are shown."""

    format: str = text(
        "table", "table (default), chart, csv, tsv, json, markdown, latex or html", short="-f", metavar="FORMAT",
        default_text=None,
    )  # fmt: skip
    digits: int = whole(4, "Decimals people see", at_most=MOST_DIGITS)
    output: Path = path(None, "Write there instead of standard output", short="-o")
    output_dir: Path = path(None, "A CSV file for each table, and provenance.json", metavar="DIR")
    plot: Path = path(None, "Also draw the main table: FILE.svg, FILE.png or FILE.pdf")


@dataclass(frozen=True)
class ExperimentConfig(Settings):
    """A whole experiment; without measures and preset it has the measures of its task.

    Parameters
    ----------
    data
        Files and data in memory, and how they are read.
    analyses
        Settings of every analysis that the experiment has a section for.
    check
        Conditions on the results, and a baseline.
    output
        How results are shown.
    file
        The YAML file that it was read from.
    """

    data: DataConfig = DataConfig()
    measures: Texts = several(
        MeasureName(), (),
        "A measure, as accuracy or kappa:weights=linear; repeatable. `metaeval measures` lists them",
        flag="--measure", short="-m", metavar="NAME", default_text=None,
    )  # fmt: skip
    preset: str | None = Option(  # type: ignore[assignment]
        Parsed(_preset, yaml=None), None,
        "A set: stance-nine, rumour-six, fnc1, nominal, numeric; rouge, tsc3; r4c, r4c-alignment; or all",
        metavar="NAME",
    )  # fmt: skip
    seed: int = whole(DEFAULT_SEED, "For whatever is random")
    check: CheckSettings | None = None
    workers: int = whole(1, "Threads, or processes for many texts; the results are the same", at_least=1)
    scheduler: str | None = Option(  # type: ignore[assignment]
        Parsed(lambda _, text: check_scheduler(text)), None,
        "Share the work out over a Dask cluster; the results are the same. 'local': over --workers processes",
        metavar="tcp://HOST:PORT",
    )  # fmt: skip
    memory: Option[str | int | None, int | None] = Option(
        Parsed(lambda name, text: parse_memory(text, option=name), _is_memory), None,
        "What a block of work may take (default: 512MB), and DuckDB (half of the memory there is)", metavar="SIZE",
        default_text=None,
    )  # fmt: skip
    output: OutputConfig = OutputConfig()
    analyses: tuple[AnalysisSettings, ...] = ()
    file: SourceFile | None = field(default=None, compare=False)

    def given(self, kind: type[S]) -> S | None:
        """The settings of an analysis, where the experiment has a section for it.

        Parameters
        ----------
        kind
            Class of the settings.
        """
        return next((each for each in self.analyses if isinstance(each, kind)), None)

    def settings_of(self, kind: type[S]) -> S:
        """The settings of an analysis; its defaults where the experiment has no section for it.

        Parameters
        ----------
        kind
            Class of the settings.
        """
        return self.given(kind) or kind()

    def with_settings(self, settings: AnalysisSettings) -> ExperimentConfig:
        """The same experiment with other settings of an analysis.

        Parameters
        ----------
        settings
            Settings of an analysis.
        """
        others = (each for each in self.analyses if each.section != settings.section)
        return replace(self, analyses=(*others, settings))

    def section(self, name: str) -> Any:
        """The settings of an analysis by its name, where the experiment has a section for it.

        Parameters
        ----------
        name
            The analysis, as 'merge-classes'.
        """
        return next((each for each in self.analyses if each.section == name), None)

    def without_item_file(self) -> ExperimentConfig:
        """The same experiment, where no file of item scores is written."""
        score = self.section("score")
        return self if score is None else self.with_settings(replace(score, per_item=None))

    @property
    def scores_trivial(self) -> bool:
        """Whether trivial systems are scored beside those of the data."""
        return bool(getattr(self.section("score"), "trivial", False))

    @property
    def block_memory(self) -> int:
        """Bytes that a block of work may take."""
        return DEFAULT_MEMORY if self.memory is None else self.memory


def check_scheduler(scheduler: str) -> str:
    """Where work is sent; an `InputError` where it is no address.

    >>> check_scheduler("tcp://node7:8786")
    'tcp://node7:8786'
    """
    if scheduler != LOCAL_SCHEDULER and not re.fullmatch(r"[a-z]+://\S+:\d+", scheduler):
        raise InputError.at(
            found=f"scheduler '{scheduler}'",
            expected=f"the address of a Dask scheduler, as tcp://HOST:PORT, or '{LOCAL_SCHEDULER}'",
            hint="`dask scheduler` prints its address when it starts",
        )
    return scheduler
