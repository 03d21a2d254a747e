"""What an analysis is: a name, settings, and where its parts are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeAlias, TypeVar, cast

from metaeval.settings import PYTHON, AnalysisSettings, options_of

if TYPE_CHECKING:
    from inspect import Signature

    from metaeval.render.result import Result
    from metaeval.study.runs import Experiment, Measures

P = ParamSpec("P")
S = TypeVar("S", bound=AnalysisSettings)

Call: TypeAlias = "Callable[[Analysis[Any, Any], Experiment, Measures | None, dict[str, Any]], Result]"


class Analysis(Generic[P, S]):
    """An analysis, and the Python function of its name.

    settings: their class; its parameters are the keywords of the function, with their types. question: as a heading
    asks it. tables: those that answer it, by name. details: of these, the long ones, which a whole run keeps for files.
    leading_measures: how many measures the command line names first, before runs (`explain A B`).
    """

    function: ClassVar[Callable[[Analysis[Any, Any], Experiment, Measures | None, dict[str, Any]], Result] | None] = (
        None
    )
    """What a call does: analysing stands above the declarations, and is told to them by `metaeval.api.call`."""

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
        function = type(self).function
        if function is None:
            raise TypeError(f"{self.name} is declared here; call metaeval.{self.attribute}")
        return function(self, runs, measures, dict(given))

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
        runs = Parameter("runs", Parameter.POSITIONAL_OR_KEYWORD)
        measures = Parameter("measures", Parameter.POSITIONAL_OR_KEYWORD, default=None)
        return Signature([runs, measures, *own, *others], return_annotation="Result")

    @property
    def keywords_of_experiment(self) -> list[str]:
        """Keywords of the function that are no options of the analysis: seed, workers, and data as human."""
        from inspect import signature

        return sorted(set(signature(self.settings).parameters) - set(options_of(self.settings)))

    @property
    def attribute(self) -> str:
        """Its name in Python, and in `ExperimentConfig`."""
        return self.__name__
