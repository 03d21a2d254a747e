"""What a measure declares of itself, proved both ways: what it declares holds, what it does not declare fails.

Each check is a function of a measure, so that a measure which declares something wrong can be shown to fail it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE, VARIANTS, dense_counts, settings
from measures.text import test_text_traits as text_traits
from numpy.typing import NDArray

from metaeval.measures import REGISTRY, Measure, ScaleType, Trait, measure
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.testing import CHECKS_OF_COUNTS, HOLDS

TRAITS = [trait for trait in Trait if trait is not Trait.PERFECT_ON_ITSELF]
"""Those of measures of labels."""


def at_every_setting(check: Callable[[Measure, Sequence[Measure]], None]) -> Callable[[Measure], None]:
    """A check of `metaeval.testing`, also at another value of each free parameter."""
    return lambda variant: check(variant, settings(variant))


(
    check_defined,
    check_batch,
    check_traits,
    check_scale_type,
    check_perfection,
    check_within_bounds,
    check_undefined,
) = map(at_every_setting, CHECKS_OF_COUNTS)


def worst_counts() -> NDArray[np.float64]:
    """Systems that confuse the two ends: half the items each way, all items one way, and a single item."""
    counts = np.zeros((3, 4, 4))
    counts[0, 0, 3] = counts[0, 3, 0] = 1000
    counts[1, 0, 3] = 1000
    counts[2, 3, 0] = 1
    return counts


def check_bounds(variant: Measure) -> None:
    """No score lies outside the bounds, and some setting comes near the worst one, so that it is no idle promise."""
    low, high = variant.bounds
    worst = low if variant.better is Direction.HIGHER else high
    ends_only = replace(SCALE, weights=(0.5, 0.0, 0.0, 0.5))
    check_within_bounds(variant)
    nearest_to_worst = math.inf
    two_classes = ClassScale(("unrelated", "high"), ordered=True, weights=(0.5, 0.5))
    extremes = [setting(worst_counts(), ends_only) for setting in settings(variant)]
    for scores in (*extremes, variant(worst_counts()[:, ::3, ::3], two_classes)):
        assert ((scores >= low - 1e-9) & (scores <= high + 1e-9) | np.isnan(scores)).all(), str(variant)
        nearest_to_worst = min([nearest_to_worst, *np.abs(scores - worst)[~np.isnan(scores)]])
    assert nearest_to_worst < 0.01 or math.isinf(worst), f"{variant}: {worst} is never reached"


CHECKS = [check_defined, check_batch, check_traits, check_scale_type, check_perfection, check_bounds, check_undefined]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_measure_is_what_it_declares(variant: Measure, check: Callable[[Measure], None]) -> None:
    check(variant)


def test_every_registered_measure_is_put_to_the_checks() -> None:
    declarations = [declaration for declaration in REGISTRY.values() if declaration.reads is DataKind.LABELS]
    assert {variant.declaration for variant in VARIANTS} == set(declarations)
    for declaration in declarations:
        for parameter in declaration.parameters:
            values = {one.parameters[parameter.name] for one in EVERY_SETTING if one.declaration is declaration}
            assert values >= set(parameter.choices)
            assert len(values) > 1, f"{parameter.name} of {declaration.name} always stands at its default"


def test_every_measure_is_defined_on_the_dense_counts_of_the_checks() -> None:
    assert [setting for setting in EVERY_SETTING if not np.isfinite(setting(dense_counts(), SCALE)).all()] == []


def test_every_trait_has_a_check_and_is_declared_by_some_measures_and_not_by_others() -> None:
    assert set(HOLDS) == set(TRAITS)
    for trait in TRAITS:
        assert 0 < sum(trait in variant.traits for variant in VARIANTS) < len(VARIANTS)


LIES: list[tuple[Callable[[Measure], None], str, dict[str, Any]]] = [
    *(
        # A trait that it has and does not declare, or the other way round.
        (check_traits, name, {"traits": measure(name).traits ^ {trait}})
        for trait, names in {
            Trait.SYMMETRIC: ("recall", "accuracy"),
            Trait.CONSTANT_SCORES_ZERO: ("accuracy", "kappa"),
            Trait.REPLICATION_INVARIANT: ("alpha",),
            Trait.REVERSAL_INVARIANT: ("alpha:level=ratio",),
            Trait.ADDITIVE: ("kappa", "recall"),
        }.items()
        for name in names
    ),
    (check_scale_type, "kappa", {"scale": ScaleType.NOMINAL}),
    (check_scale_type, "accuracy", {"scale": ScaleType.ORDINAL}),
    (check_scale_type, "cem-ord", {"scale": ScaleType.INTERVAL}),
    (check_scale_type, "pearson", {"scale": ScaleType.ORDINAL}),
    (check_perfection, "mae", {"better": Direction.HIGHER}),
    (check_perfection, "accuracy", {"better": Direction.LOWER}),
    (check_perfection, "accuracy", {"bounds": (0.0, 2.0)}),
    (check_bounds, "kappa", {"bounds": (0.0, 1.0)}),
    (check_bounds, "accuracy", {"bounds": (-1.0, 1.0)}),
    (check_bounds, "mae", {"bounds": (0.0, 1.0)}),
    (check_undefined, "accuracy", {"undefined": "never"}),
    (check_defined, "accuracy", {"function": lambda counts: np.full(counts.shape[:-2], np.nan)}),
    (check_batch, "accuracy", {"function": lambda counts: np.trace(counts, axis1=-2, axis2=-1) / counts.sum()}),
]
"""Checks, measures and what they could declare wrongly."""


@pytest.mark.parametrize(("check", "name", "lie"), [*LIES, *text_traits.LIES])
def test_a_measure_that_declares_wrongly_is_found_out(
    check: Callable[[Measure], None], name: str, lie: dict[str, Any]
) -> None:
    honest = measure(name)
    check(honest)
    with pytest.raises(AssertionError):
        check(replace(honest, declaration=replace(honest.declaration, **lie)))


def test_every_check_has_a_mutant() -> None:
    for lies, checks in ((LIES, CHECKS), (text_traits.LIES, text_traits.CHECKS)):
        assert {check for check, _, _ in lies} == set(checks)
