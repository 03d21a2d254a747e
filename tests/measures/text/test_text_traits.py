"""What a measure of texts or derivations declares of itself, proved both ways, at every choice that a user has.

Each check is a function of a measure, so that a measure which declares something wrong can be shown to fail it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures import REGISTRY, Measure, Trait, measure
from metaeval.measures.parameters import Parameter
from metaeval.measures.text.matches import WordLabels
from metaeval.measures.text.overlap import Comparison
from metaeval.measures.text.spec import LIMITS, TOKEN_FILTERS, ReferenceDeclaration
from metaeval.model.runs import DataKind, Step
from metaeval.model.scores import Direction

Scores = NDArray[np.float64]
Text = list[list[int]]
Derivation = tuple[Step, ...]

DECLARATIONS = [entry for entry in REGISTRY.values() if entry.reads in (DataKind.TEXTS, DataKind.DERIVATIONS)]
LABELS = WordLabels.of([[0], [0, 1], [], [1], [2], [], [], [2]])
"""Semantic labels of eight words."""


def every_choice(name: str) -> list[Measure]:
    """A measure at each combination of what can be chosen from a few words, but for what it looks at."""
    filters = [parameter.name for parameter in TOKEN_FILTERS]
    parameters = measure(name).declaration.parameters
    chosen = [parameter for parameter in parameters if parameter.is_choice and parameter.name not in filters]
    spelled = product(*([f"{parameter.name}={choice}" for choice in parameter.choices] for parameter in chosen))
    return [measure(f"{name}:{','.join(setting)}") for setting in spelled]


SETTINGS = [setting for declaration in DECLARATIONS for setting in every_choice(declaration.name)]


def settings_of(base: Measure) -> list[Measure]:
    """The measure, and the measure with one free parameter at its example: what it declares holds for all."""
    settings = [base]
    for index, parameter in enumerate(base.declaration.parameters):
        if parameter.example:
            values = list(base.values)
            values[index] = parameter.parse(parameter.example, measure=str(base))
            settings.append(replace(base, values=tuple(values)))
    return settings


def texts_of(random: np.random.Generator, shortest: int, longest: int) -> Text:
    """One to three sentences of eight different words, which are repeated."""
    return [
        random.integers(8, size=random.integers(shortest, longest + 1)).tolist() for _ in range(random.integers(1, 4))
    ]


def steps_of(random: np.random.Generator, fewest: int, most: int) -> Derivation:
    phrases = ["Ed Wood", "film maker", "is", "was a", "1945", "x"]
    return tuple(
        Step(*(phrases[index] for index in random.integers(6, size=3)))
        for _ in range(random.integers(fewest, most + 1))
    )


def written(reads: DataKind, count: int, *, full: bool) -> list[Any]:
    """Random texts or derivations; full: none of them short, so that there are grams of every length."""
    random = np.random.default_rng(count)
    if reads is DataKind.DERIVATIONS:
        return [steps_of(random, 1 if full else 0, 4) for _ in range(count)]
    return [texts_of(random, 3 if full else 0, 6) for _ in range(count)]


def scores(of: Measure, candidates: Sequence[Any], references: Sequence[Sequence[Any]]) -> Scores:
    """The statistic that a measure stands for, (N,)."""
    unseen = {"stat", *(parameter.argument for parameter in TOKEN_FILTERS)}
    arguments = {name: value for name, value in of.arguments.items() if name not in unseen}
    compared: tuple[Any, ...] = (candidates, references)
    if of.declaration.reads is DataKind.TEXTS:
        compared = (replace(Comparison.of(candidates, references), labels=LABELS),)
    statistic: Scores = getattr(of.declaration.function(*compared, **arguments), of.arguments["stat"])
    return statistic


# --- checks ----------------------------------------------------------------------------------------------------------


def check_perfection(base: Measure) -> None:
    """Declared, a text that is its own reference scores 1; else some text does not. Nothing beats a text's own copy."""
    texts = written(base.declaration.reads, 60, full=True)
    others = written(base.declaration.reads, 61, full=False)[:60]
    for setting in settings_of(base):
        itself = scores(setting, texts, [[text] for text in texts])
        perfect = bool(np.allclose(itself, 1, rtol=0, atol=1e-9))
        assert perfect == (Trait.PERFECT_ON_ITSELF in setting.traits), f"{setting}: {perfect}"
        if perfect:
            copies = scores(setting, texts, [[text, text] for text in texts])
            np.testing.assert_allclose(copies, 1, rtol=0, atol=1e-9)
        other = scores(setting, others, [[text] for text in texts])
        ahead = setting.better.sign * (itself.mean() - other.mean())
        assert ahead > 0.05, f"{setting}: another text is as good"


def extremes(reads: DataKind) -> tuple[list[Any], list[list[Any]]]:
    """No common word, an empty output, a single correct word, and one of three occurrences of a word."""
    if reads is DataKind.DERIVATIONS:
        step, other = Step("a", "a", "a"), Step("b", "b", "b")
        return [(step,), (), (step,), (step,)], [[(other,)], [(step,)], [(step,)], [(step, step)]]
    texts: list[Any] = [[[2]], [], [[2]], [[2]], [[2, 5, 6]]]
    return texts, [[[[5]]], [[[2]]], [[[2]]], [[[2], [2], [2]]], [[[2, 5, 6]]]]


def check_bounds(base: Measure) -> None:
    """No score lies outside the bounds, and some come near each, or pass 1 where there is no upper one."""
    low, high = base.bounds
    reads = base.declaration.reads
    candidates = written(reads, 300, full=False)
    pool = written(reads, 900, full=False)
    random = np.random.default_rng(7)
    references = [pool[3 * index : 3 * index + random.integers(1, 4)] for index in range(300)]
    # A text as its own reference, with and without others.
    candidates += [text for group in references[:50] for text in group[:1]] * 2
    references += references[:50] + [group[:1] for group in references[:50]]
    few, theirs = extremes(reads)
    nearest = [math.inf, math.inf]
    highest = 0.0
    for setting in settings_of(base):
        values = np.concatenate([scores(setting, candidates, references), scores(setting, few, theirs)])
        assert np.isfinite(values).all(), f"{setting}: undefined"
        assert (values >= low - 1e-12).all(), f"{setting}: {values.min()}"
        assert (values <= high + 1e-12).all(), f"{setting}: {values.max()}"
        nearest = [
            min(old, float(np.abs(values - bound).min())) for old, bound in zip(nearest, (low, high), strict=True)
        ]
        highest = max(highest, float(values.max()))
    assert nearest[0] < 1e-9, f"{base}: {low} is never reached"
    assert nearest[1] < 1e-9 or math.isinf(high), f"{base}: {high} is never reached"
    # By definition a part is at most the whole; what has no bound is the other rate, and F.
    if math.isinf(high) and base.arguments["stat"] != "recall":
        assert highest > 1, f"{base}: never beyond 1"


CHECKS = [check_perfection, check_bounds]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_measure_is_what_it_declares(setting: Measure, check: Callable[[Measure], None]) -> None:
    check(setting)


def test_every_measure_is_put_to_the_checks_at_every_choice() -> None:
    assert {setting.declaration for setting in SETTINGS} == set(DECLARATIONS)
    for declaration in DECLARATIONS:
        assert isinstance(declaration, ReferenceDeclaration)
        parameters = [parameter for parameter in declaration.parameters if parameter not in TOKEN_FILTERS]
        for parameter in parameters:
            values = {
                one.parameters[parameter.name]
                for setting in SETTINGS
                if setting.declaration is declaration
                for one in settings_of(setting)
            }
            assert values >= set(parameter.choices)
            assert len(values) > 1, f"{parameter.name} of {declaration.name} always stands at its default"


def test_only_weighted_subsequences_of_the_perl_are_not_perfect_on_themselves() -> None:
    imperfect = {
        (setting.declaration.name, setting.parameters["variant"])
        for setting in SETTINGS
        if Trait.PERFECT_ON_ITSELF not in setting.traits
    }
    assert imperfect == {("rouge-w", "perl")}


# --- what follows for all of them ------------------------------------------------------------------------------------


def test_rouge_w_of_the_perl_chooses_by_a_share_that_it_does_not_print() -> None:
    short: Text = [[0, 1]]
    long: Text = [[*range(2, 14), *range(20, 28)]]
    candidate: Text = [[0], list(range(2, 14))]
    setting = measure("rouge-w:variant=perl,refs=best,stat=recall")
    # Of the words 1 of 2 and 12 of 20, in a row; the weight of the reference is raised a second time: 20^1.44.
    assert scores(setting, [candidate], [[short]]) == pytest.approx(1 / 2**1.2, abs=1e-5)
    assert scores(setting, [candidate], [[short, long]]) == pytest.approx(12 / 20**1.2, abs=1e-5)


def test_of_one_reference_all_ways_to_bring_several_together_are_the_same() -> None:
    candidates, others = (written(DataKind.TEXTS, count, full=False)[:80] for count in (80, 81))
    for setting in (setting for setting in SETTINGS if "refs" in setting.parameters):
        index = [parameter.name for parameter in setting.declaration.parameters].index("refs")
        mean = replace(setting, values=(*setting.values[:index], "mean", *setting.values[index + 1 :]))
        actual, expected = (scores(one, candidates, [[other] for other in others]) for one in (setting, mean))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12, err_msg=str(setting))


# --- limits ----------------------------------------------------------------------------------------------------------

LIMITED = [
    (declaration.name, parameter)
    for declaration in DECLARATIONS
    for parameter in declaration.parameters
    if parameter.type is not str
]


@pytest.mark.parametrize(("name", "parameter"), LIMITED, ids=lambda argument: getattr(argument, "name", argument))
def test_a_number_beyond_its_limits_is_an_error_and_at_them_is_not(name: str, parameter: Parameter) -> None:
    low, high = parameter.limits
    assert (low, high) == LIMITS[parameter.name]
    for bound in (low, high):
        assert measure(f"{name}:{parameter.name}={bound:.0f}").parameters[parameter.name] == bound
    little = 1 if parameter.type is int else 0.001
    for beyond in (low - little, high + little, math.nan, math.inf, -math.inf):
        with pytest.raises(InputError, match=f"{parameter.name}=.* in measure '{name}'; expected a .*number from"):
            measure(f"{name}:{parameter.name}={beyond}")


@pytest.mark.parametrize(
    "base",
    [setting for setting in SETTINGS if setting.parameters["stat"] == "f"],
    ids=str,
)
def test_at_the_limits_every_score_is_a_number(base: Measure) -> None:
    reads = base.declaration.reads
    candidates, references = written(reads, 12, full=False), [[text] for text in written(reads, 13, full=False)[:12]]
    low, high = base.bounds
    for index, parameter in enumerate(base.declaration.parameters):
        for bound in parameter.limits if parameter.type is not str else ():
            values = [*base.values]
            values[index] = parameter.type(bound)
            results = scores(replace(base, values=tuple(values)), candidates, references)
            assert np.isfinite(results).all(), f"{parameter.name}={bound}"
            assert ((results >= low) & (results <= high + 1e-9)).all(), f"{parameter.name}={bound}"


# --- mutants ---------------------------------------------------------------------------------------------------------


LIES: list[tuple[Callable[[Measure], None], str, dict[str, Any]]] = [
    *((check_perfection, name, {"traits": frozenset()}) for name in ("rouge-l", "esk", "r4c-rouge")),
    (check_perfection, "rouge-w:variant=perl", {"traits": frozenset({Trait.PERFECT_ON_ITSELF})}),
    (check_perfection, "wsk", {"better": Direction.LOWER}),
    (check_perfection, "r4c-align", {"better": Direction.LOWER}),
    (check_bounds, "rouge-l", {"bounds": (0.0, 1.0)}),
    (check_bounds, "rouge-l:variant=perl", {"bounds": (0.0, math.inf)}),
    (check_bounds, "rouge-n", {"bounds": (0.0, 0.9)}),
    (check_bounds, "rouge-su", {"bounds": (0.0, 2.0)}),
    (check_bounds, "wsk", {"bounds": (-1.0, 1.0)}),
    (check_bounds, "r4c-align", {"bounds": (0.1, 1.0)}),
]
"""Checks, measures and what they could declare wrongly; `test_traits` puts them to the checks."""
