"""The declaration of an analysis: its settings, its tables, and its Python function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar, cast

from metaeval import registry
from metaeval.settings import PYTHON, AnalysisSettings, options_of

if TYPE_CHECKING:
    from inspect import Signature

    from metaeval.analyses.levels import LevelEstimate
    from metaeval.model.report import AnalysisOutput, Finding, Table
    from metaeval.render.result import Result
    from metaeval.study.runs import Experiment, Measures, Tables
    from metaeval.study.study import AnalysedTables, Study

P = ParamSpec("P")
S = TypeVar("S", bound=AnalysisSettings)
F = TypeVar("F")

RUNS, FILES, MEASURES = "runs", "files", "measures"

_BY_NAME: Any = object()
"""Files that are no first argument, but a keyword."""


@dataclass(frozen=True)
class Statistic:
    """The main statistic of an analysis, which is averaged over groups of items.

    column: its column; '' for every column of numbers, or where some declare a direction, for these. keys: columns that
    identify a row beside the group; measures or systems, the first of them, are ranked in each group. higher: whether
    higher is better, unless the column says it. ranked: False where neither is better. table: '' for the main table.
    findings: whether `Analysis.on_groups` says what the tables of all groups show. plot_column: the column of plots,
    where `column` has texts. interval: the columns of the ends of its interval, where the table has them.
    """

    column: str = ""
    keys: tuple[str, ...] = ("measure",)
    higher: bool = True
    ranked: bool = True
    table: str = ""
    findings: bool = False
    plot_column: str = ""
    interval: tuple[str, str] = ("low", "high")


class Loaded(Generic[F]):
    """A function in a module of an analysis, which the registry imports when the function is first used."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __get__(self, analysis: Analysis[Any, Any] | None, _: type[Analysis[Any, Any]]) -> F:
        if analysis is None:
            raise AttributeError(f"{self.name} is of a single analysis")
        function: F = registry.load(f"{analysis.__module__}.{self.module}", self.name)
        return function


@dataclass(eq=False, repr=False)
class Analysis(Generic[P, S]):
    """An analysis, which is also the Python function of its name.

    keywords: the class of its settings, whose parameters are the keywords of the function. question: the heading of its
    tables, by default the first line of the documentation of its settings. tables: their names. details: those of them
    that are too long for the terminal in a run of an experiment. required: whether the command and the function need
    what they take first. leading_measures: number of measures that the command line takes before the runs (`explain A
    B`). combines: whether it combines the results of others; see `select` and `extracts`. statistic: its main
    statistic; None if no number of it can be averaged over groups. gaps: whether it can compare systems that lack
    scores of items. averages: whether `tabulate_averages` tests averages over groups of items. skips_invalid: whether
    invalid runs are left out in any case, because it reports on them.
    """

    keywords: Callable[P, S]
    _: KW_ONLY
    question: str = ""
    tables: tuple[str, ...]
    details: tuple[str, ...] = ()
    required: bool = True
    leading_measures: int = 0
    combines: bool = False
    statistic: Statistic | None = None
    gaps: bool = False
    averages: bool = False
    skips_invalid: bool = False

    function: ClassVar[Callable[..., Result] | None] = None
    """Runs the analysis; set by `metaeval.api.commands`, which this layer cannot import."""
    begins_with: ClassVar[str] = RUNS
    """What the command and the function take first. For anything but runs, `read` makes the study that the other
    functions of the analysis take."""

    check: ClassVar[Loaded[Callable[[Any, AnalysisSettings], None]]] = Loaded("compute", "check")
    """Raises an `InputError` if settings do not suit the study."""
    analyse: ClassVar[Loaded[Callable[..., Any]]] = Loaded("compute", "analyse")
    """From a study, settings and `progress=` to the results: arrays and numbers."""
    tabulate: ClassVar[Loaded[Callable[[Any, AnalysisSettings, Any], AnalysisOutput]]] = Loaded("report", "tabulate")
    """From a study, settings and results to tables, notes and findings."""
    read: ClassVar[Loaded[Callable[..., AnalysedTables]]] = Loaded("study", "read")
    """From an experiment, settings and `progress=` to the study, if the analysis does not begin with runs."""
    select: ClassVar[Loaded[Callable[[Study, AnalysisSettings], list[AnalysisSettings]]]] = Loaded("compute", "select")
    """The settings of the analyses that this one combines."""
    extracts: ClassVar[Loaded[Mapping[str, Callable[[Study, Any], Any]]]] = Loaded("compute", "EXTRACTS")
    """What this analysis takes from the results of those that it combines, by their names."""
    on_groups: ClassVar[Loaded[Callable[[Mapping[str, Table]], list[Finding]]]] = Loaded("report", "on_groups")
    """From the tables of all groups of items to findings."""
    tabulate_averages: ClassVar[Loaded[Callable[..., AnalysisOutput]]] = Loaded("groups", "tabulate")
    """From the results of each group of items, settings and `seed=` to tables of averages."""

    def __post_init__(self) -> None:
        self.__doc__ = self.settings.__doc__
        self.__name__ = self.__qualname__ = self.name.replace("-", "_")
        self.__module__ = self.settings.__module__.rpartition(".")[0]
        self.question = self.question or (self.__doc__ or "").partition("\n")[0]

    @property
    def settings(self) -> type[S]:
        """The class of its settings."""
        return cast(type[S], self.keywords)

    @property
    def name(self) -> str:
        """The name of the analysis and of its command."""
        return self.settings.section

    def __call__(self, runs: Experiment, measures: Measures | None = None, *_: P.args, **options: P.kwargs) -> Result:
        """Analyse runs.

        Parameters
        ----------
        runs
            Data, an experiment, or the path of its YAML file.
        measures
            Names of measures, or a preset; by default those of the experiment or of the task.
        human
            Human scores of the systems, for analyses that compare measures with them.
        undefined
            Rank of a system with an undefined score: none ('skip'), 'last', or that of a score of 0 ('zero').
        seed
            Random seed.
        workers
            Number of threads or processes; results do not depend on it.
        """
        return self._call((runs, measures), options)

    def _call(self, positional: tuple[Any, ...], options: Mapping[str, Any]) -> Result:
        function = type(self).function
        if function is None:
            raise TypeError(f"{self.name} is only a declaration here; call metaeval.{self.__name__}")
        return function(self, positional, dict(options))

    @property
    def __signature__(self) -> Signature:
        """The signature of the function, for `help()`; type checkers infer it from the settings."""
        from inspect import Parameter, Signature

        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.kind.python)
            for name, option in options_of(self.settings).items()
            if PYTHON in option.where and name not in self.positional
        ]
        others = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in self.keywords_of_experiment]
        kind = Parameter.POSITIONAL_OR_KEYWORD
        first = [
            Parameter(name, kind, default=None if name == MEASURES or not self.required else Parameter.empty)
            for name in self.positional
        ]
        return Signature([*first, *options, *others], return_annotation="Result")

    @property
    def positional(self) -> tuple[str, ...]:
        """The first parameters of the function."""
        return (RUNS, MEASURES) if self.begins_with == RUNS else (MEASURES,)

    @property
    def keywords_of_experiment(self) -> list[str]:
        """Keywords of the function that are not options of the analysis, as `seed`, `undefined` and `human`."""
        from inspect import signature

        names = set(signature(self.settings).parameters) - set(options_of(self.settings))
        return sorted(names if self.begins_with == RUNS else names - {"undefined", "workers"})


@dataclass(eq=False, repr=False, kw_only=True)
class AnalysisOfFiles(Analysis[P, S]):
    """An analysis of tables of its own, which `study.read` of its folder reads; without runs or workers.

    argument: the option of its settings that names the files; it is the first argument of the command and of the
    function. In an experiment file it is a key of the section. takes_measures: whether it takes measures. levels: the
    columns that identify an estimate which it compares between the levels of a column of groups; () for an analysis
    that does not analyse these one by one.
    """

    argument: str
    takes_measures: bool = False
    levels: tuple[str, ...] = ()

    begins_with = FILES

    estimates_of_level: ClassVar[Loaded[Callable[[Any, AnalysisSettings, Any], Sequence[LevelEstimate]]]] = Loaded(
        "compute", "estimates_of_level"
    )
    """From the study, settings and results of a level to the estimates that are compared between levels."""

    def __call__(  # type: ignore[override]
        self, files: Tables = _BY_NAME, measures: Measures | None = None, *_: P.args, **options: P.kwargs
    ) -> Result:
        """Analyse tables.

        Parameters
        ----------
        files
            Files, or a table: a data frame, or its columns by name.
        measures
            Names of measures, or a preset, where the analysis takes measures.
        seed
            Random seed.
        """
        first = () if files is _BY_NAME else (files,)
        return self._call(first, options if measures is None else {MEASURES: measures, **options})

    @property
    def positional(self) -> tuple[str, ...]:
        """The first parameters of the function."""
        return (self.argument, MEASURES) if self.takes_measures else (self.argument,)


class AnalysisOfMeasures(Analysis[P, S]):
    """An analysis of measures without data."""

    begins_with = MEASURES

    def __call__(self, measures: Measures | None = None, *_: P.args, **options: P.kwargs) -> Result:  # type: ignore[override]
        """Analyse measures.

        Parameters
        ----------
        measures
            Names of measures, or a preset; all measures of labels by default.
        seed
            Random seed.
        """
        return self._call((measures,), options)
