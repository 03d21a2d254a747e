"""Measures: one pure function and one declaration each, from which everything else derives.

A `Declaration` is an entry of the registry. A `Measure` is a declaration with values of its parameters; its text and
`measure("kappa:weights=linear")` are inverse to each other.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from metaeval.arrays import Counts, Scores
from metaeval.errors import InputError, UnknownName, invalid, one_of, refuse, repeated, setting, unknown
from metaeval.measures.parameters import NUMERIC_FORMS as NUMERIC_FORMS
from metaeval.measures.parameters import SUBTRACTING as SUBTRACTING
from metaeval.measures.parameters import ByParameter as ByParameter
from metaeval.measures.parameters import Parameter, ParameterValue, Value
from metaeval.measures.parameters import ScaleType as ScaleType
from metaeval.measures.parameters import Trait as Trait
from metaeval.measures.plugin_calls import Plugin, call_plugin
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.names import split_names, unquoted
from metaeval.registry import Registry

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Declaration:
    """The registry entry of a measure.

    question: what a score answers, as 'how many items are right'.
    function: (counts, *, scale, parameters) -> scores; subclasses have other signatures.
    bounds: lowest and highest possible value. scale: what a measure of labels uses of the classes. source: key in
    `model.works`, or the citation itself. formula: in plain text. undefined: when the score is NaN, or 'never' and
    the score instead; '' where nothing is declared. traits: None where nothing is declared. sums_weights: whether the
    score is a sum over classes times their declared weights, so that the bounds hold for weights that sum to 1. reads:
    the kind of data. plugin: that defines the measure; None for metaeval itself. meaning_of: the function that is
    decorated, whose documentation describes the measure; None for `function`.
    """

    name: str
    function: Function
    title: str = ""
    question: str | ByParameter[str] = ""
    better: Direction = Direction.HIGHER
    source: str = ""
    formula: str = ""
    undefined: str = ""
    traits: frozenset[Trait] | ByParameter[frozenset[Trait]] | None = None
    parameters: tuple[Parameter, ...] = ()
    bounds: tuple[float, float] | ByParameter[tuple[float, float]] = (0.0, 1.0)
    scale: ScaleType | ByParameter[ScaleType] | None = None
    sums_weights: bool = False
    reads: DataKind = DataKind.LABELS
    plugin: Plugin | None = None
    meaning_of: Function | None = None

    @property
    def decorated(self) -> Function:
        """The function that is decorated."""
        return self.meaning_of or self.function

    @property
    def meaning(self) -> str:
        """The first line of the docstring of the function that is decorated."""
        return (inspect.getdoc(self.decorated) or "").partition("\n")[0]

    @property
    def owner(self) -> str:
        """What defines the measure: metaeval, a plugin, or a module of a program that uses metaeval."""
        if self.plugin is not None:
            return f"plugin {self.plugin.path}"
        module = self.decorated.__module__
        return "metaeval" if module.startswith("metaeval.") else f"module {module}"

    @cached_property
    def takes_scale(self) -> bool:
        """Whether the function takes the class scale."""
        return "scale" in inspect.signature(self.function).parameters

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name, or an `InputError` that lists those of the measure."""
        for candidate in self.parameters:
            if candidate.name == name:
                return candidate
        names, where = [candidate.name for candidate in self.parameters], f" of measure '{self.name}'"
        if not names:
            raise refuse(None, invalid("parameter", name, "no parameter", where))
        raise refuse(None, unknown("parameter", name, names, where))

    def variants(self) -> tuple[Measure, ...]:
        """The measure with every combination of its own choice parameters, the others at their defaults."""
        texts = [""]
        for parameter in self.parameters:
            if parameter.is_choice and not parameter.common:
                texts = [f"{text},{parameter.name}={choice}" for text in texts for choice in parameter.choices]
        return tuple(measure(f"{self.name}:{text[1:]}" if text else self.name) for text in texts)


@dataclass(frozen=True)
class Measure:
    """A measure with values of its parameters; measures that compute the same are equal, however they are written.

    Parameters
    ----------
    declaration
        Entry of the registry.
    values
        A value for each parameter.
    explicit
        Names of the parameters that its text shows.

    Examples
    --------
    >>> str(measure("kappa:weights=linear")), measure("kappa:weights=linear") == measure("kappa")
    ('kappa:weights=linear', True)
    """

    declaration: Declaration
    values: tuple[ParameterValue, ...]
    explicit: tuple[str, ...] = field(compare=False)

    def __str__(self) -> str:
        texts = [f"{name}={text}" for name, text in self.shown.items()]
        return self.declaration.name + (":" + ",".join(texts) if texts else "")

    @property
    def shown(self) -> dict[str, str]:
        """Values of the parameters that its text shows, as texts."""
        return {
            parameter.name: parameter.format(value)
            for parameter, value in self.assignments
            if parameter.name in self.explicit
        }

    @property
    def signature(self) -> str:
        """Its name and the values of all parameters: scores with the same signature are comparable.

        >>> measure("kappa").signature
        'kappa:weights=linear'
        """
        every = tuple(parameter.name for parameter in self.declaration.parameters)
        return str(replace(self, explicit=every))

    @property
    def title(self) -> str:
        """The title of the declaration, with the values that the text of the measure shows.

        >>> measure("kappa:weights=linear").title, measure("rouge-n:n=2").title
        ("Cohen's kappa (linear)", 'ROUGE-N (n = 2)')
        """
        texts = [text if text[:1].isalpha() else f"{name} = {text}" for name, text in self.shown.items()]
        return self.declaration.title + (f" ({', '.join(texts)})" if texts else "")

    @property
    def assignments(self) -> tuple[tuple[Parameter, ParameterValue], ...]:
        """Every parameter with its value."""
        return tuple(zip(self.declaration.parameters, self.values, strict=True))

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """Values of all parameters by name, including defaults."""
        return {parameter.name: value for parameter, value in self.assignments}

    def with_files(self, new_path: Callable[[str], str]) -> Measure:
        """The same measure with other paths of its files.

        Parameters
        ----------
        new_path
            Function from the path of a file to its new path.
        """
        values = [
            new_path(str(value)) if parameter.names_file and value is not None else value
            for parameter, value in self.assignments
        ]
        return replace(self, values=tuple(values))

    @property
    def better(self) -> Direction:
        """Whether higher or lower scores are better."""
        return self.declaration.better

    @property
    def scale_type(self) -> ScaleType | None:
        """What a measure of labels uses of the classes; None for measures of other data."""
        return self._resolve(self.declaration.scale) if self.declaration.scale is not None else None

    @property
    def uses(self) -> str:
        """Type of scale that it uses, or kind of data other than labels that it reads."""
        return self.scale_type.value if self.scale_type is not None else self.declaration.reads.value

    @property
    def question(self) -> str:
        """The question that a score answers, as 'how many items are right'."""
        return self._resolve(self.declaration.question)

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest possible score."""
        return self._resolve(self.declaration.bounds)

    def unit(self, scale: ClassScale | None = None) -> float:
        """The largest absolute score on a scale, for `round_to_grid`: the same for all items and any sample.

        Scores without a bound have the range of the class values if they use these, else 1.

        Parameters
        ----------
        scale
            Classes; None for measures of other data than labels.
        """
        largest = max(map(abs, self.bounds))
        if math.isinf(largest):
            largest = float(np.ptp(scale.class_values())) if scale and self.scale_type is ScaleType.INTERVAL else 1.0
        return largest * sum(scale.weights) if scale and scale.weights and self.declaration.sums_weights else largest

    @property
    def traits(self) -> frozenset[Trait]:
        """Formal properties that the measure declares."""
        return frozenset() if self.declaration.traits is None else self._resolve(self.declaration.traits)

    def _resolve(self, declared: Value | ByParameter[Value]) -> Value:
        return declared(self.parameters) if isinstance(declared, ByParameter) else declared

    def __call__(self, counts: Counts, scale: ClassScale) -> Scores:
        """Scores, shape (...), from confusion counts.

        Parameters
        ----------
        counts : array (..., C, C)
            Confusion counts of any numeric type, rows gold, columns predicted; or (..., C + 1, C + 1), whose last
            column has the items without a predicted class.
        scale
            The C classes.
        """
        arguments = self.arguments
        counts = counts[..., : len(scale), :]
        if self.declaration.takes_scale:
            arguments["scale"] = scale
        # Measures multiply counts, and N² overflows int32 and the precision of float32 at a few thousand items.
        exact = np.asarray(counts, dtype=np.float64)
        try:
            return self.call(self.declaration.function, counts.shape[:-2], exact, **arguments)
        except UnknownName as error:
            if error.name not in scale.merged:
                raise
            return np.full(counts.shape[:-2], np.nan)

    def call(
        self, function: Function, shape: tuple[int, ...], *data: object, scores: bool = True, **arguments: object
    ) -> Scores:
        """What a function of the measure returns; an error or a wrong result is reported, unless it is of metaeval.

        Parameters
        ----------
        function
            The function.
        shape
            Shape of what it returns.
        data, arguments
            Its arguments.
        scores
            Whether it returns scores, which are finite and within the declared bounds.
        """
        if self.declaration.owner == "metaeval":
            result: Scores = function(*data, **arguments)
            return result
        bounds = (-math.inf, math.inf) if self.declaration.sums_weights else self.bounds
        return call_plugin(str(self), function, shape, bounds if scores else None, *data, **arguments)

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[object, ...]]:
        # In another process, the measure has to equal the one of that process.
        plugin = self.declaration.plugin
        return (measure, (str(self),)) if plugin is None else (_measure_of, (plugin, str(self)))

    @property
    def arguments(self) -> dict[str, Any]:
        """Values of all parameters by the names of the arguments of its function."""
        return {parameter.argument: value for parameter, value in self.assignments}

    @property
    def reads_numbers(self) -> bool:
        """Whether it is defined for numeric predictions."""
        return self.declaration.name in NUMERIC_FORMS

    @property
    def subtracts_numbers(self) -> bool:
        """Whether it subtracts numeric predictions from class values, so that these have to be declared."""
        return self.declaration.name in SUBTRACTING

    def of_numbers(self, counts: Counts, gold_values: Scores, predicted_values: Scores) -> Scores:
        """Scores for numeric predictions.

        Parameters
        ----------
        counts : array (..., C, U)
            How often each of U distinct numbers is predicted for the items of each gold class.
        gold_values : array (C,)
            Values of the classes, ascending.
        predicted_values : array (U,)
            Distinct predicted numbers, ascending.
        """
        function = NUMERIC_FORMS[self.declaration.name]
        values = {"gold_values": gold_values, "predicted_values": predicted_values}
        accepted = inspect.signature(function).parameters
        arguments: dict[str, Any] = {name: array for name, array in values.items() if name in accepted}
        return np.asarray(function(np.asarray(counts, dtype=np.float64), **arguments, **self.arguments))

    def check(self, scale: ClassScale) -> None:
        """Check that the measure can be computed on a scale.

        Parameters
        ----------
        scale
            Classes.

        Raises
        ------
        InputError
            If the measure needs an order, values or weights that the scale lacks.
        UnknownName
            If a parameter names a class that the scale lacks.
        """
        self.check_order(scale)
        # Computing on zeros checks what else the measure needs: weights, values, named classes.
        self(np.zeros((len(scale), len(scale))), scale)

    def check_reads(self, kind: DataKind) -> None:
        """Raise an `InputError` if the measure reads another kind of data.

        Parameters
        ----------
        kind
            Kind of data.
        """
        if self.declaration.reads is not kind:
            names = [one.name for one in REGISTRY.values() if one.reads is kind]
            found = f"measure '{self}', which reads {self.declaration.reads.value}, on {kind.value}"
            hint = f"choose one of these measures, or set {setting('task')} to the kind of data"
            raise refuse(None, found, one_of(names), hint)

    def check_order(self, scale: ClassScale, kind: DataKind = DataKind.LABELS) -> None:
        """Raise an `InputError` if the measure reads other data, or needs an order or predictions that are missing.

        Parameters
        ----------
        scale
            Classes.
        kind
            Kind of data.
        """
        self.check_reads(kind)
        if self.scale_type is not ScaleType.NOMINAL and not scale.ordered:
            found = f"measure '{self}', which uses the order of the classes, on the nominal scale '{scale}'"
            example = setting("labels", "<".join(scale.labels))
            hint = f"declare the order from low to high, for example {example}, or choose nominal measures"
            raise refuse(None, found, "an ordered scale", hint)
        if scale.misses and Trait.COUNTS_MISSES not in self.traits:
            found = f"measure '{self}', in which a missing prediction has no place, under the policy miss"
            expected = "a measure that counts right and wrong predictions, such as accuracy, macro-f1 or cem-ord"
            both = f"{setting('on_missing')} and {setting('on_unknown')}"
            worst = ", or to worst" if scale.ordered else ""
            raise refuse(None, found, expected, f"choose such measures, or set {both} to drop or label:NAME{worst}")


REGISTRY: Registry[Declaration] = Registry(
    "measure", "metaeval.measures:register_others", "metaeval.measures.plugins:load_installed"
)
"""Every measure, in the order of the documentation; those of installed packages are imported when they may be meant."""


def _measure_of(plugin: Plugin, text: str) -> Measure:
    """A measure in another process, which loads the same plugin."""
    plugin.load_again(plugin)
    return measure(text)


def measure(text: str) -> Measure:
    """Parse the name of a measure.

    Parameters
    ----------
    text
        `name` or `name:parameter=value,parameter=value`.

    Raises
    ------
    UnknownName
        If there is no such measure.
    InputError
        If a parameter is unknown, or its value is not allowed.

    Examples
    --------
    >>> measure("f-beta:beta=0.5").parameters
    {'beta': 0.5}
    """
    name, _, tail = (part.strip() for part in text.partition(":"))
    declaration = REGISTRY[name]
    arguments: dict[str, ParameterValue] = {}
    for assignment in split_names(tail) if tail else ():
        key, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            names = ", ".join(parameter.name for parameter in declaration.parameters) or "none"
            hint = f"the parameters of {name} are: {names}; a name with a comma is in double quotes"
            raise refuse(None, invalid("parameter", assignment, "parameter=value", f" in measure '{text}'", hint))
        parameter = declaration.parameter(key)
        if key in arguments:
            raise refuse(None, repeated("parameter", key, where=f" in measure '{text}'", hint=""))
        arguments[key] = parameter.parse(unquoted(value), measure=name)
    values = tuple(arguments.get(parameter.name, parameter.default) for parameter in declaration.parameters)
    return Measure(declaration, values, tuple(arguments))


def index_of_measure(name: str, measures: Sequence[str]) -> int | None:
    """The index of a measure, in any spelling of its name, or None; measures of tables are not registered."""
    if name in measures:
        return measures.index(name)
    for index, candidate in enumerate(measures):
        try:
            if measure(candidate) == measure(name):
                return index
        except (InputError, UnknownName):
            continue
    return None
