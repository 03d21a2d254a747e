"""Checks of measures, for the tests of those who write them.

    from metaeval.testing import check_measure

    def test_my_measure():
        check_measure("my-measure")

What a measure declares is compared with its scores of random cases: declared properties hold, others do not. Where it
declares nothing of a kind, nothing of this kind is checked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Array, Ints, Scores
from metaeval.errors import InputError
from metaeval.measures import Measure, ScaleType, Trait, measure
from metaeval.measures.statistics import StatisticsScore, statistics_of, text_statistics, uses_sums
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction

SCALE = ClassScale(
    ("unrelated", "low", "mid", "high"), ordered=True, values=(0.5, 1.0, 2.5, 3.0), weights=(0.1, 0.2, 0.3, 0.4)
)
"""Classes on which every measure of labels can be computed."""

TEXTS = (
    "The cat sat on the mat by the door.",
    "It rained in Oslo on the second day of May.",
    "He said: no, thank you!",
)
"""Texts without a common phrase."""


def check_measure(name: str, *, statistics: ArrayLike | None = None) -> None:
    """Check that a measure is what it declares, at its default parameters and at each of their choices.

    Counts and texts are made up. A batch has the scores of its parts; declared properties hold and others do not; a
    system without errors has the best score; no score is outside the bounds; NaN occurs where it is declared.

    Parameters
    ----------
    name
        Name of a measure.
    statistics : array_like (N, K), optional
        Statistics of some items, for a measure of columns of a table (default: random counts).

    Raises
    ------
    AssertionError
        If the measure is not what it declares.
    InputError
        If its function raises an error or returns something other than scores.
    """
    for variant in measure(name).declaration.variants():
        if variant.declaration.reads is DataKind.LABELS:
            for check in CHECKS_OF_COUNTS:
                check(variant, (variant,))
        elif variant.declaration.reads is DataKind.TEXTS:
            _check_texts(variant)
        else:
            _check_statistics(variant, statistics)


def alike(left: Scores, right: Scores) -> bool:
    """Whether scores are equal up to rounding."""
    return bool(np.allclose(left, right, rtol=1e-9, atol=1e-9, equal_nan=True))


# Counts


def dense_counts(matrices: int = 40, *, seed: int = 20201) -> Ints:
    """Confusion counts of systems better than chance, every cell filled; (matrices, 4, 4)."""
    random = np.random.default_rng(seed)
    return np.asarray(random.integers(1, 20, size=(matrices, 4, 4)) + 15 * np.eye(4, dtype=np.int64))


def sparse_counts(matrices: int = 60, *, seed: int = 20201) -> Ints:
    """A few items each, so that classes are absent in gold or in the predictions; (matrices, 4, 4)."""
    random = np.random.default_rng(seed)
    items: Ints = random.poisson(0.4, size=(matrices, 4, 4))
    return np.asarray(items[items.sum(axis=(1, 2)) > 0])


def all_counts() -> Ints:
    """Dense and sparse ones."""
    return np.concatenate([dense_counts(), sparse_counts()])


def perfect(counts: Array) -> Array:
    """The counts of a system without an error on the same gold."""
    return np.asarray(counts.sum(axis=-1, keepdims=True) * np.eye(counts.shape[-1], dtype=counts.dtype))


def _swapping_changes_nothing(setting: Measure) -> bool:
    counts = all_counts()
    return alike(setting(counts, SCALE), setting(counts.swapaxes(-1, -2), SCALE))


def _replication_changes_nothing(setting: Measure) -> bool:
    counts = all_counts()
    return alike(setting(counts, SCALE), setting(2 * counts, SCALE))


def _reversal_changes_nothing(setting: Measure) -> bool:
    """Names and weights go with their class; values are mirrored, so that distances stay."""
    assert SCALE.values is not None
    assert SCALE.weights is not None
    mirrored = tuple(min(SCALE.values) + max(SCALE.values) - value for value in SCALE.values[::-1])
    reversed_scale = ClassScale(SCALE.labels[::-1], ordered=True, values=mirrored, weights=SCALE.weights[::-1])
    counts = all_counts()
    return alike(setting(counts, SCALE), setting(counts[..., ::-1, ::-1], reversed_scale))


def _constant_scores_nothing(setting: Measure) -> bool:
    gold = all_counts().sum(axis=-1)
    gold = gold[(gold > 0).sum(axis=-1) > 1]
    constant = np.zeros((4, len(gold), 4, 4))
    for code in range(4):
        constant[code, :, :, code] = gold
    return alike(np.nan_to_num(setting(constant, SCALE)), np.zeros(constant.shape[:2]))


def _mixing_systems_mixes_scores(setting: Measure) -> bool:
    """Halfway between the counts of two systems on the same gold lies the score halfway."""
    counts = all_counts()
    for other in (perfect(counts), counts[..., ::-1], np.roll(counts, 1, axis=-1)):
        halfway = setting((counts + other) / 2, SCALE)
        if not alike(2 * halfway, setting(counts, SCALE) + setting(other, SCALE)):
            return False
    return True


def _missing_counts_as_wrong(setting: Measure) -> bool:
    """A missing prediction is worse than a right one, and neither low nor high: the order of the classes is no use."""
    counts = all_counts()
    missed = np.concatenate([counts, np.zeros((*counts.shape[:-1], 1), dtype=counts.dtype)], axis=-1)
    rows = np.arange(4)
    half = (missed[:, rows, rows] + 1) // 2
    missed[:, rows, rows] -= half
    missed[:, rows, 4] += half
    assert SCALE.weights is not None
    mirrored = ClassScale(SCALE.labels[::-1], ordered=True, weights=SCALE.weights[::-1])
    try:
        scores, reverse = setting(missed, SCALE), setting(missed[:, ::-1][..., [3, 2, 1, 0, 4]], mirrored)
    except (ValueError, InputError):
        return False
    decrease = setting.better.sign * (setting(counts, SCALE) - scores)
    dense = len(dense_counts())
    return alike(scores, reverse) and bool((decrease[:dense] > 0).all() and not (decrease < -1e-9).any())


HOLDS: dict[Trait, Callable[[Measure], bool]] = {
    Trait.SYMMETRIC: _swapping_changes_nothing,
    Trait.REPLICATION_INVARIANT: _replication_changes_nothing,
    Trait.REVERSAL_INVARIANT: _reversal_changes_nothing,
    Trait.CONSTANT_SCORES_ZERO: _constant_scores_nothing,
    Trait.ADDITIVE: _mixing_systems_mixes_scores,
    Trait.COUNTS_MISSES: _missing_counts_as_wrong,
}
"""How each property of a measure of labels is checked."""


def check_defined(_variant: Measure, settings: Sequence[Measure]) -> None:
    """Scores of systems with many items of every class are defined."""
    for setting in settings:
        _check_any_defined(setting, setting(dense_counts(), SCALE))


def _check_any_defined(setting: Measure, scores: Scores) -> None:
    undefined = setting.declaration.undefined
    declared = f", but it is declared for '{undefined}' only" if undefined else ""
    assert not np.isnan(scores).all(), f"{setting}: every score is NaN{declared}"


def check_batch(_variant: Measure, settings: Sequence[Measure]) -> None:
    """The scores of several matrices at once are those of each alone, whatever the axes before the classes."""
    counts = all_counts()
    for setting in settings:
        alone = np.array([float(setting(matrix, SCALE)) for matrix in counts])
        batch = setting(counts[: len(counts) // 2 * 2].reshape(2, -1, 4, 4), SCALE)
        assert alike(batch.ravel(), alone[: batch.size]), f"{setting}: a batch has other scores than its parts"


def check_traits(variant: Measure, settings: Sequence[Measure]) -> None:
    """A declared trait holds at every setting; another one fails at one setting at least."""
    for trait, holds in HOLDS.items() if variant.declaration.traits is not None else ():
        observed = all(holds(setting) for setting in settings)
        assert observed == (trait in variant.traits), f"{variant}: {trait.value}: {observed}"


def _relabelling_changes_nothing(setting: Measure) -> bool:
    assert SCALE.weights is not None
    counts, before = all_counts(), setting(all_counts(), SCALE)
    for order in itertools.permutations(range(4)):
        relabelled = replace(
            SCALE,
            labels=tuple(SCALE.labels[code] for code in order),
            weights=tuple(SCALE.weights[code] for code in order),
        )
        if not alike(before, setting(counts[:, order][:, :, order], relabelled)):
            return False
    return True


def _other_values_change_nothing(setting: Measure) -> bool:
    counts = all_counts()
    return alike(setting(counts, SCALE), setting(counts, replace(SCALE, values=(1.0, 2.0, 3.0, 7.0))))


def check_scale_type(_variant: Measure, settings: Sequence[Measure]) -> None:
    """Names only: relabelling changes nothing. Order: relabelling does, values do not. Values: they do."""
    for setting in settings:
        uses = f"{setting}: it does not use {setting.uses} classes as declared"
        assert _relabelling_changes_nothing(setting) == (setting.scale_type is ScaleType.NOMINAL), uses
        assert _other_values_change_nothing(setting) == (setting.scale_type is not ScaleType.INTERVAL), uses


def check_perfection(variant: Measure, settings: Sequence[Measure]) -> None:
    """No system beats the perfect one on the same gold, and the perfect one reaches the best value there is."""
    low, high = variant.bounds
    best = high if variant.better is Direction.HIGHER else low
    for setting in settings:
        counts = all_counts()
        ahead = variant.better.sign * (setting(perfect(counts), SCALE) - setting(counts, SCALE))
        assert (ahead[~np.isnan(ahead)] >= -1e-9).all(), f"{setting}: a system beats the perfect one"
        # On sparse counts, wrong predictions are more than a few, so that better and worse differ.
        assert (ahead[: len(dense_counts())] > 0).all(), f"{setting}: errors cost nothing"
        if math.isfinite(best):
            assert alike(setting(perfect(dense_counts()), SCALE), np.array(best)), f"{setting}: perfect is not {best}"


def check_within_bounds(variant: Measure, settings: Sequence[Measure]) -> None:
    """No score lies outside the bounds."""
    low, high = variant.bounds
    for setting in settings:
        scores = setting(all_counts(), SCALE)
        scores = scores[~np.isnan(scores)]
        assert (scores >= low - 1e-9).all(), f"{setting}: a score below {low:g}"
        assert (scores <= high + 1e-9).all(), f"{setting}: a score above {high:g}"


def check_undefined(variant: Measure, settings: Sequence[Measure]) -> None:
    """NaN occurs where classes are empty, constant or without items, unless it is declared never to."""
    if not variant.declaration.undefined:
        return
    edges = np.zeros((3, 4, 4))
    edges[1, 1, 1] = edges[2, 0, 3] = 5
    counts = np.concatenate([edges, all_counts()])
    never = variant.declaration.undefined.startswith("never")
    # What is declared may hold for one choice of a parameter only.
    tried = settings if never else (*settings, *variant.declaration.variants())
    observed = any(bool(np.isnan(setting(counts, SCALE)).any()) for setting in tried)
    assert observed != never, f"{variant}: undefined is declared as '{variant.declaration.undefined}'"


CHECKS_OF_COUNTS = (
    check_defined,
    check_batch,
    check_traits,
    check_scale_type,
    check_perfection,
    check_within_bounds,
    check_undefined,
)
"""Checks of measures of labels: of a measure, and the same at several values of its parameters."""


# Texts and statistics


def _check_texts(variant: Measure) -> None:
    """Of a measure of texts as they are written."""
    assert statistics_of(variant) is not None, f"{variant}: measures of tokens are checked by the tests of metaeval"
    outputs = [*TEXTS, "", "The cat sat.", "no, thank you"]
    references = [[text, TEXTS[0]] for text in TEXTS] + [[TEXTS[0]]] * 3
    batch = text_statistics(variant, outputs, references)
    alone = [text_statistics(variant, [one], [texts]) for one, texts in zip(outputs, references, strict=True)]
    assert np.allclose(batch, np.concatenate(alone), rtol=1e-6, atol=1e-9, equal_nan=True), (
        f"{variant}: the statistics of an item depend on other items"
    )
    _check_statistics(variant, batch)
    score = StatisticsScore(variant)
    right, wrong = (
        text_statistics(variant, texts, [[text] for text in TEXTS]) for texts in (TEXTS, (*TEXTS[1:], TEXTS[0]))
    )
    correct, incorrect = (
        float(score(rows.sum(axis=0)) if uses_sums(variant) else score(rows).mean()) for rows in (right, wrong)
    )
    assert not variant.better.sign * (correct - incorrect) < 0, (
        f"{variant}: {correct:g} for correct and {incorrect:g} for wrong outputs"
    )
    itself = alike(score.score_items(right), np.ones(len(TEXTS)))
    if variant.declaration.traits is not None:
        assert itself == (Trait.PERFECT_ON_ITSELF in variant.traits), (
            f"{variant}: {Trait.PERFECT_ON_ITSELF.value}: {itself}"
        )


def _check_statistics(variant: Measure, statistics: ArrayLike | None) -> None:
    """Of a function of statistics: axes, bounds, replication and the undefined case."""
    declaration, score = statistics_of(variant), StatisticsScore(variant)
    assert declaration is not None
    made_up = np.random.default_rng(20201).integers(1, 50, size=(12, len(declaration.statistics)))
    values = np.asarray(made_up if statistics is None else statistics, dtype=np.float64)
    rows = np.concatenate([values, np.cumsum(values, axis=0)]) if uses_sums(variant) else values
    alone = np.array([float(score.score_items(row)) for row in rows])
    batch = score.score_items(np.stack([rows, rows]))
    _check_any_defined(variant, batch)
    assert alike(batch, np.stack([alone, alone])), f"{variant}: a batch has other scores than its parts"
    if statistics is not None:
        score(rows if not uses_sums(variant) else values.sum(axis=0))
    if uses_sums(variant) and Trait.REPLICATION_INVARIANT in variant.traits:
        whole = values.sum(axis=0)
        assert alike(score(whole), score(2 * whole)), f"{variant}: {Trait.REPLICATION_INVARIANT.value}: False"
    nothing = score.score_items(np.zeros(values.shape[1]))
    never = declaration.undefined.startswith("never")
    defined = not bool(np.isnan(np.append(batch, nothing)).any())
    assert defined or not never, f"{variant}: undefined is declared as '{declaration.undefined}'"
