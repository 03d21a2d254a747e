"""What a measure declares of itself, proved both ways: what it declares holds, what it does not declare fails.

Each check is a function of a measure, so that a measure which declares something wrong can be shown to fail it.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE, VARIANTS, all_counts, dense_counts, settings
from measures.text import test_text_traits as text_traits
from numpy.typing import NDArray

from metaeval.measures import REGISTRY, Measure, ScaleType, Trait, measure
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction

Scores = NDArray[np.float64]


def alike(left: Scores, right: Scores) -> bool:
    return bool(np.allclose(left, right, rtol=1e-9, atol=1e-9, equal_nan=True))


def swapping_changes_nothing(measure: Measure) -> bool:
    counts = all_counts()
    return alike(measure(counts, SCALE), measure(counts.swapaxes(-1, -2), SCALE))


def replication_changes_nothing(measure: Measure) -> bool:
    counts = all_counts()
    return alike(measure(counts, SCALE), measure(2 * counts, SCALE))


def reversal_changes_nothing(measure: Measure) -> bool:
    """Names and weights go with their class; values are mirrored, so that distances stay."""
    assert SCALE.values is not None
    assert SCALE.weights is not None
    mirrored = tuple(min(SCALE.values) + max(SCALE.values) - value for value in SCALE.values[::-1])
    reversed_scale = ClassScale(SCALE.labels[::-1], ordered=True, values=mirrored, weights=SCALE.weights[::-1])
    counts = all_counts()
    return alike(measure(counts, SCALE), measure(counts[..., ::-1, ::-1], reversed_scale))


def constant_scores_nothing(measure: Measure) -> bool:
    gold = all_counts().sum(axis=-1)
    gold = gold[(gold > 0).sum(axis=-1) > 1]
    constant = np.zeros((4, len(gold), 4, 4))
    for code in range(4):
        constant[code, :, :, code] = gold
    return alike(np.nan_to_num(measure(constant, SCALE)), np.zeros(constant.shape[:2]))


def mixing_systems_mixes_scores(measure: Measure) -> bool:
    """Halfway between the counts of two systems on the same gold lies the score halfway."""
    counts = all_counts()
    for other in (perfect(counts), counts[..., ::-1], np.roll(counts, 1, axis=-1)):
        halfway = measure((counts + other) / 2, SCALE)
        if not alike(2 * halfway, measure(counts, SCALE) + measure(other, SCALE)):
            return False
    return True


TRAITS = [trait for trait in Trait if trait is not Trait.PERFECT_ON_ITSELF]
"""Those of measures of labels."""

HOLDS: dict[Trait, Callable[[Measure], bool]] = {
    Trait.SYMMETRIC: swapping_changes_nothing,
    Trait.REPLICATION_INVARIANT: replication_changes_nothing,
    Trait.REVERSAL_INVARIANT: reversal_changes_nothing,
    Trait.CONSTANT_SCORES_ZERO: constant_scores_nothing,
    Trait.ADDITIVE: mixing_systems_mixes_scores,
}


def check_traits(variant: Measure) -> None:
    """A declared trait holds at every setting; one that is not declared fails at one setting at least."""
    for trait, holds in HOLDS.items():
        found = all(holds(setting) for setting in settings(variant))
        assert found == (trait in variant.traits), f"{variant}: {trait.value}: {found}"


def relabelling_changes_nothing(measure: Measure) -> bool:
    assert SCALE.weights is not None
    counts, before = all_counts(), measure(all_counts(), SCALE)
    for order in itertools.permutations(range(4)):
        relabelled = replace(
            SCALE,
            labels=tuple(SCALE.labels[code] for code in order),
            weights=tuple(SCALE.weights[code] for code in order),
        )
        if not alike(before, measure(counts[:, order][:, :, order], relabelled)):
            return False
    return True


def other_values_change_nothing(measure: Measure) -> bool:
    counts = all_counts()
    return alike(measure(counts, SCALE), measure(counts, replace(SCALE, values=(1.0, 2.0, 3.0, 7.0))))


def check_scale_type(variant: Measure) -> None:
    """Names only: relabelling changes nothing. Order: relabelling does, values do not. Values: they do."""
    for setting in settings(variant):
        assert relabelling_changes_nothing(setting) == (setting.scale_type is ScaleType.NOMINAL), str(setting)
        assert other_values_change_nothing(setting) == (setting.scale_type is not ScaleType.INTERVAL), str(setting)


def perfect(counts: NDArray[Any]) -> NDArray[Any]:
    """The counts of a system without an error on the same gold."""
    return np.asarray(counts.sum(axis=-1, keepdims=True) * np.eye(counts.shape[-1], dtype=counts.dtype))


def check_perfection(variant: Measure) -> None:
    """No system beats the perfect one on the same gold, and the perfect one reaches the best value there is."""
    low, high = variant.bounds
    best = high if variant.better is Direction.HIGHER else low
    for setting in settings(variant):
        counts = all_counts()
        ahead = variant.better.sign * (setting(perfect(counts), SCALE) - setting(counts, SCALE))
        assert (ahead[~np.isnan(ahead)] >= -1e-9).all(), f"{setting}: a system beats the perfect one"
        # On sparse counts, wrong predictions are more than a few, so that better and worse differ.
        assert (ahead[: len(dense_counts())] > 0).all(), f"{setting}: errors cost nothing"
        if math.isfinite(best):
            assert alike(setting(perfect(dense_counts()), SCALE), np.array(best)), f"{setting}: perfect is not {best}"


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
    nearest_to_worst = math.inf
    for setting in settings(variant):
        extreme = setting(worst_counts(), ends_only)
        scores = np.concatenate([setting(all_counts(), SCALE), extreme])
        scores = scores[~np.isnan(scores)]
        assert (scores >= low - 1e-9).all(), str(setting)
        assert (scores <= high + 1e-9).all(), str(setting)
        nearest_to_worst = min(nearest_to_worst, np.nanmin(np.abs(extreme - worst)))
    assert nearest_to_worst < 0.01 or math.isinf(worst), f"{variant}: {worst} is never reached"


CHECKS = [check_traits, check_scale_type, check_perfection, check_bounds]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_measure_is_what_it_declares(variant: Measure, check: Callable[[Measure], None]) -> None:
    check(variant)


def test_every_registered_measure_is_put_to_the_checks() -> None:
    declarations = [declaration for declaration in REGISTRY.values() if declaration.reads is DataKind.LABELS]
    assert {variant.declaration for variant in VARIANTS} == set(declarations)
    for declaration in declarations:
        for parameter in declaration.parameters:
            taken = {one.parameters[parameter.name] for one in EVERY_SETTING if one.declaration is declaration}
            assert taken >= set(parameter.choices)
            assert len(taken) > 1, f"{parameter.name} of {declaration.name} always stands at its default"


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
