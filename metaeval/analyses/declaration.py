"""What an analysis is: a name, settings, and where its parts are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeAlias, TypeVar, cast

from metaeval.settings import PYTHON, AnalysisSettings, options_of

if TYPE_CHECKING:
    from inspect import Signature

    from metaeval.render.result import Result
    from metaeval.study.runs import Experiment, Measures, People

P = ParamSpec("P")
S = TypeVar("S", bound=AnalysisSettings)

Call: TypeAlias = "Callable[[Analysis[Any, Any], tuple[Any, ...], dict[str, Any]], Result]"

RUNS, RATINGS, MEASURES = "runs", "ratings", "measures"


class Analysis(Generic[P, S]):
    """An analysis, and the Python function of its name.

    settings: their class; its parameters are the keywords of the function, with their types. question: as a heading
    asks it. tables: those that answer it, by name. details: of these, the long ones, which a whole run keeps for files.
    leading_measures: how many measures the command line names first, before runs (`explain A B`). combines: whether it
    puts together what others find: `compute.used` gives their settings, `tables.extracts` what it takes of each.
    """

    function: ClassVar[Call | None] = None
    """What a call does: analysing stands above the declarations, and is told to them by `metaeval.api.call`."""
    begins_with: ClassVar[str] = RUNS
    """What the command and the function are given first. For anything but runs, `study.py` in the folder of the
    analysis makes of it what `compute` and `tables` take as the study."""
    in_experiments: ClassVar[bool] = True
    """Whether an experiment file may have a section for it."""

    def __init__(
        self,
        settings: Callable[P, S],
        *,
        question: str,
        tables: tuple[str, ...],
        details: tuple[str, ...] = (),
        leading_measures: int = 0,
        combines: bool = False,
    ) -> None:
        self.settings = cast(type[S], settings)
        self.question = question
        self.tables = tables
        self.details = details
        self.leading_measures = leading_measures
        self.combines = combines
        self.name = self.settings.section
        self.__doc__ = settings.__doc__
        self.__name__ = self.name.replace("-", "_")
        self.__qualname__ = self.__name__
        self.__module__ = f"metaeval.analyses.{self.__name__}"

    def __call__(self, runs: Experiment, measures: Measures | None = None, *_: P.args, **given: P.kwargs) -> Result:
        """Analyse runs.

        Parameters
        ----------
        runs
            Data, an experiment, or the YAML file of one.
        measures
            Names of measures, or a preset; by default those of the experiment or of the task.
        human
            Human scores of the systems, where the analysis compares measures with them.
        seed
            Random seed.
        workers
            Number of threads or processes; results do not depend on it.
        """
        return self._called((runs, measures), given)

    def _called(self, positional: tuple[Any, ...], given: Mapping[str, Any]) -> Result:
        function = type(self).function
        if function is None:
            raise TypeError(f"{self.name} is declared here; call metaeval.{self.attribute}")
        return function(self, positional, dict(given))

    @property
    def __signature__(self) -> Signature:
        """Of the function, for `help()`; type checkers know the types from the settings."""
        from inspect import Parameter, Signature

        own = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.kind.python)
            for name, option in options_of(self.settings).items()
            if PYTHON in option.where
        ]
        others = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in self.keywords_of_experiment]
        measures = Parameter(MEASURES, Parameter.POSITIONAL_OR_KEYWORD, default=None)
        positional = [measures]
        if self.begins_with != MEASURES:
            data = Parameter(self.begins_with, Parameter.POSITIONAL_OR_KEYWORD)
            positional = [data, measures] if self.begins_with == RUNS else [data]
        return Signature([*positional, *own, *others], return_annotation="Result")

    @property
    def keywords_of_experiment(self) -> list[str]:
        """Keywords of the function that are no options of the analysis: seed, workers, and data as human."""
        from inspect import signature

        names = set(signature(self.settings).parameters) - set(options_of(self.settings))
        return sorted(names if self.begins_with == RUNS else names - {"workers"})

    @property
    def attribute(self) -> str:
        """Its name in Python, and in `ExperimentConfig`."""
        return self.__name__


class AnalysisOfRatings(Analysis[P, S]):
    """An analysis of ratings alone: without runs and measures, and without work to share out."""

    begins_with = RATINGS

    def __call__(self, ratings: People, *_: P.args, **given: P.kwargs) -> Result:  # type: ignore[override]
        """Analyse ratings.

        Parameters
        ----------
        ratings
            Files, or a table: a row a rating, or a column an annotator.
        seed
            Random seed.
        """
        return self._called((ratings,), given)


class AnalysisOfMeasures(Analysis[P, S]):
    """An analysis of measures alone: without data, and so in no experiment."""

    begins_with = MEASURES
    in_experiments = False

    def __call__(self, measures: Measures | None = None, *_: P.args, **given: P.kwargs) -> Result:  # type: ignore[override]
        """Analyse measures.

        Parameters
        ----------
        measures
            Names of measures, or a preset; None for all.
        seed
            Random seed.
        """
        return self._called((measures,), given)
