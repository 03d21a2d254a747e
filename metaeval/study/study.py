"""What every analysis begins with: data that were read, measures that were settled; and how it ends: a report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, counted
from metaeval.io.dataset import Track as Track
from metaeval.model.report import Report, Table
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import Samples
from metaeval.settings import AnalysisSettings
from metaeval.study.capabilities import Capability
from metaeval.study.output import Origin as Origin
from metaeval.study.output import Part as Part
from metaeval.study.output import report_of, signature_fields

Item = TypeVar("Item")
T = TypeVar("T")

ANALYSES = ("similarity", "stability", "merge-classes", "summary", "power", "compare", "plan", "explain")
"""The analyses of measures; a `run` may hold a table of scores, too."""


def silently(items: Sequence[Item], doing: str) -> Iterable[Item]:
    """The `Track` that shows nothing."""
    return items


COMPARING_NUMBERS = "compare the measures of predicted numbers by similarity --resamples 0"


@dataclass(frozen=True)
class Study(ABC):
    """A data set and the measures it is scored with: what every analysis begins with."""

    config: ExperimentConfig
    origin: Origin

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their columns everywhere."""

    @property
    @abstractmethod
    def items(self) -> Sequence[str]:
        """The ids of the items; their numbers where nobody kept the ids."""

    @property
    @abstractmethod
    def measure_names(self) -> tuple[str, ...]:
        """The measures, as users write them."""

    @property
    @abstractmethod
    def scores(self) -> ScoreCube:
        """Every system under every measure, (M, S): what the analyses begin with, computed once for all of them."""

    @abstractmethod
    def samples(self, what: str, remedy: str) -> Samples:
        """The items, for samples of them; an `InputError` where these can't be scored.

        what: the analysis that needs it. remedy: how to do without.
        """

    def check_measures(self) -> None:  # noqa: B027 (nothing is the rule)
        """Raise where a measure that was asked for can't be computed on these data: `InputError` or `UnknownName`.

        Nothing to do where that was found out when the study was read.
        """

    def with_measures(self, places: Sequence[int]) -> Study:
        """The study without the measures at other places, where that saves work; else the study itself."""
        return self

    @abstractmethod
    def files_table(self) -> Table:
        """What the files hold, with table `files`: gold and each system, its file, and what is in it."""

    @abstractmethod
    def settings(self) -> list[tuple[str, str]]:
        """What else than files and measures decides on scores: the study's own fields of the signature."""

    def provided(self) -> Mapping[Capability[Any], Callable[[], Any]]:
        """What this study has of what not every study has."""
        return {}

    def has(self, capability: Capability[Any]) -> bool:
        """Whether this study has what a capability gives, which is not made yet."""
        return capability in self.provided()

    def find(self, capability: Capability[T]) -> T | None:
        """What a capability gives; None where this study has none."""
        make = self.provided().get(capability)
        found: T | None = None if make is None else make()
        return found

    def need(self, capability: Capability[T], what: str) -> T:
        """What a capability gives; an `InputError` where this study has none. what: needs it."""
        found = self.find(capability)
        if found is None:
            raise self.missing(capability, what)
        return found

    def missing(self, capability: Capability[Any], what: str) -> InputError:
        """The error of a capability that is needed and missing."""
        told = capability.found.format(what=what, task=self.config.data.task)
        return InputError.at(found=told, expected=capability.expected, hint=capability.hint)

    def report(
        self,
        command: str,
        part: Part,
        *,
        command_line: str,
        sections: Sequence[AnalysisSettings] = (),
    ) -> Report:
        """A report with the signature and the provenance of this study; sections: how its analyses were made."""
        config = (self.config.file,) if self.config.file else ()
        # Analyses of measures rank the systems that were named; trivial ones are only scored.
        trivial = self.config.scores_trivial and command not in ANALYSES
        head = [("task", self.config.data.task), ("n", len(self.items)), ("systems", len(self.systems))]
        settings = [*head, *self.settings(), *signature_fields(self.config, sections, trivial=trivial)]
        origin = replace(self.origin, files=(*self.origin.files, *config))
        return report_of(command, part, settings, origin, command_line=command_line)


def undefined_notes(cube: ScoreCube) -> list[str]:
    """A sentence for each measure that is undefined for some system."""
    return [
        f"{name} is undefined (—) for {undefined} of {counted(len(cube.systems), 'system')}, ranked last"
        for name, undefined in zip(cube.measures, cube.undefined.tolist(), strict=True)
        if undefined
    ]


def check_rankable(study: Study) -> None:
    """Raise an `InputError` where there is nothing to rank, or a measure can't be computed."""
    study.check_measures()
    if len(study.systems) < 2:
        found = "one system" if study.systems else "no system"
        raise InputError.at(
            study.config.data.gold,
            found=" ".join([found, *(f"({name})" for name in study.systems)]),
            expected="at least two, because measures are compared by how they rank systems",
            hint="name more runs",
        )
