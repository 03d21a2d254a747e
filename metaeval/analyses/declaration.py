"""What an analysis is: a name, settings, and where its parts are found."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar, cast

from metaeval.settings import AnalysisSettings

if TYPE_CHECKING:
    from inspect import Signature

    from metaeval.api.experiments import Experiment, Measures, People
    from metaeval.api.result import Result
    from metaeval.config import ExperimentConfig
    from metaeval.study.study import Part, Study, Track

P = ParamSpec("P")
S = TypeVar("S", bound=AnalysisSettings)

RUNS, RATINGS = "runs", "ratings"


class Analysis(Generic[P, S]):
    """An analysis, and the Python function of its name.

    settings: their class; its parameters are the keywords of the function, with their types. question: as a heading
    asks it. tables: those that answer it, by name. details: of these, the long ones, which a whole run keeps for files.
    leading_measures: how many measures the command line names first, before runs (`explain A B`).
    """

    begins_with: ClassVar[str] = RUNS
    """What the command and the function are given first, and analyse; of other things than runs `study.py` in the
    folder of the analysis makes what `compute` and `tables` take as the study."""

    def __init__(
        self,
        settings: Callable[P, S],
        *,
        question: str,
        tables: tuple[str, ...],
        details: tuple[str, ...] = (),
        leading_measures: int = 0,
    ) -> None:
        self.settings = cast(type[S], settings)
        self.question = question
        self.tables = tables
        self.details = details
        self.leading_measures = leading_measures
        self.name = self.settings.section
        self.__doc__ = settings.__doc__
        self.__name__ = self.name.replace("-", "_")
        self.__qualname__ = self.__name__
        self.__module__ = f"metaeval.analyses.{self.__name__}"

    def __call__(self, runs: Experiment, measures: Measures | None = None, *_: P.args, **given: P.kwargs) -> Result:
        """Analyse runs; measures: names, a preset, or None for those that go with the data."""
        from metaeval.api.call import call

        return call(self, runs, measures, dict(given))

    @property
    def __signature__(self) -> Signature:
        from metaeval.api.call import signature_of

        return signature_of(self)

    @property
    def attribute(self) -> str:
        """Its name in Python, and in `ExperimentConfig`."""
        return self.__name__

    def part(self, study: Study, *, track: Track) -> Part:
        """What it adds to a report."""
        settings = study.config.settings_of(self.settings)
        found = self._module("compute").analyse(study, settings, track=track)
        part: Part = self._module("tables").tabulate(study, settings, found)
        return part

    def check(self, study: Study) -> None:
        """Raise where something does not go together."""
        self._module("compute").check(study, study.config.settings_of(self.settings))

    def read(self, config: ExperimentConfig, *, track: Track) -> Study:
        """What it begins with, where that is no study of runs."""
        study: Study = self._module("study").read(config, config.settings_of(self.settings), track=track)
        return study

    def _module(self, part: str) -> Any:
        return importlib.import_module(f"metaeval.analyses.{self.attribute}.{part}")


class AnalysisOfRatings(Analysis[P, S]):
    """An analysis of ratings alone: without runs and measures, and without work to share out."""

    begins_with = RATINGS

    def __call__(self, ratings: People, *_: P.args, **given: P.kwargs) -> Result:  # type: ignore[override]
        """Analyse ratings: files, or a table of them."""
        from metaeval.api.call import call_with_ratings

        return call_with_ratings(self, ratings, dict(given))
