"""Statistics of the agreement of annotators, and the tests of judges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from metaeval.analyses.agreement.against import Against, Kind, compare
from metaeval.analyses.agreement.estimates import CORRELATIONS, Estimate, Statistic, estimate, widening
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment, Level
from metaeval.analyses.agreement.study import MATCHED_BY, AgreementStudy, Judges, Ratings, class_values, names_of_values
from metaeval.arrays import Indices
from metaeval.errors import not_given, one_of, pluralize, refuse, setting, too_many, unordered
from metaeval.inference.clusters import MAX_GROUPS, deal_groups
from metaeval.inference.parts import Signs
from metaeval.stats.agreement import (
    COEFFICIENTS,
    PairCoefficients,
    check_ratio,
    coefficients_with_others,
    pair_coefficients,
)
from metaeval.stats.correlation import kendall_w_permutation_p
from metaeval.stats.judges import AlternativeAnnotators, alternative_annotator_test
from metaeval.stats.leave_out import MOST_VALUES_OF_RATIO, alpha_without, concordance_without, fleiss_without
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import Progress, refuse_long_work

PERMUTATIONS = 1000
"""Number of permutations of the ranks of each annotator, for the p-value of Kendall's W."""

SIGNS = 4999
"""Number of random signs of clusters, for the tests of judges."""

_SAFE_EXPONENT = 200
"""Ratings between 2⁻²⁰⁰ and 2²⁰⁰ are taken as they are: products of squares over all pairs stay finite."""


@dataclass(frozen=True)
class JudgeTests:
    """The alternative annotator test of J judges.

    tests: by alignment, that of the study first; without the other one for labels without order. units: numbers of
    units of each judge that two annotators rated, (J,).
    """

    names: tuple[str, ...]
    tests: dict[Alignment, AlternativeAnnotators]
    units: Indices

    @property
    def test(self) -> AlternativeAnnotators:
        """The test by the alignment of the study."""
        return next(iter(self.tests.values()))


@dataclass(frozen=True)
class Agreement:
    """The agreement of A annotators.

    wider: see `widening`. pairs: coefficients of pairs of annotators, by name. with_others: correlations of each with
    the mean of the others; empty for unordered ratings. All of these are empty for one annotator. judges: None without
    judges, or for one annotator. against: None without judges.
    """

    wider: float
    estimates: tuple[Estimate, ...]
    pairs: Mapping[str, PairCoefficients]
    with_others: Mapping[str, PairCoefficients]
    judges: JudgeTests | None
    against: Against | None


def check(study: AgreementStudy, settings: AgreementSettings) -> None:
    """Raise an `InputError` where levels or alignment do not suit the ratings, or the work would take too long."""
    if "ratio" in levels_of(study, settings):
        check_ratio(study.ratings.values)
    _check_work(study, settings)
    if settings.positive is not None:
        _check_positive(study, settings.positive)
    if study.judges is not None:
        _check_judges(study.judges, study.ratings, study.alignment)


def _check_positive(study: AgreementStudy, positive: str) -> None:
    """Raise an `InputError` for a class that is none of the labels."""
    found = setting("positive", positive)
    if study.judges is None:
        raise refuse(None, not_given("judge", "judges", f" for {found}"))
    both = np.concatenate([study.ratings.values, study.judges.values])
    names = names_of_values(study, np.unique(both[~np.isnan(both)])) if study.ratings.categories else None
    if positive not in (names or {}).values():
        raise refuse(None, found, one_of([*names.values()]) if names else "labels, not numbers", kind="unknown")


def _check_work(study: AgreementStudy, settings: AgreementSettings) -> None:
    """Refuse what would take more than about half a minute, from the measured costs of each part of the work."""
    ratings, annotators = study.ratings, len(study.ratings.annotators)
    number, units = int(ratings.raters.sum()), ratings.values.shape[1]
    groups = min(len(np.unique(study.clusters[0])), MAX_GROUPS)
    pairs, common = math.comb(annotators, 2), int((ratings.raters * (ratings.raters - 1) // 2).sum())
    if "ratio" in settings.levels:
        values = len(np.unique(ratings.values[~np.isnan(ratings.values)]))
        if values > MOST_VALUES_OF_RATIO:
            found = f"{values:,} different ratings for alpha of level ratio, which compares all of them,"
            hint = "round the ratings, use level interval, or take a random sample of the units"
            raise refuse(None, too_many(found, MOST_VALUES_OF_RATIO, hint))
    nanoseconds = number * (10 * groups + 400) + annotators**2 * units // 10 + min(pairs, common) * units + 2000 * pairs
    if ratings.ordered:
        ranks = (annotators - 1) * int((ratings.raters == annotators).sum())
        nanoseconds += (common + number) * (800 + (6 * groups if groups < units else 0)) + 20 * PERMUTATIONS * ranks
    refuse_long_work(
        nanoseconds,
        f"{pluralize(number, 'rating')} by {annotators:,} annotators, who share {common:,} units in pairs",
        "take a random sample of the units or of the annotators",
    )


def analyse(study: AgreementStudy, settings: AgreementSettings, *, progress: Progress) -> Agreement:
    """Compute every statistic that the ratings allow, and test every judge."""
    check(study, settings)
    study, exponent = _in_unit(study)
    ratings = study.ratings
    clusters, *_ = study.clusters
    groups = deal_groups(np.bincount(clusters), generator(seed_for(study.config.seed, "groups")))[clusters]
    against = None if study.judges is None else _against(study, settings, groups, exponent)
    if len(ratings.annotators) < 2:
        return Agreement(math.inf, (), {}, {}, judges=None, against=against)
    pairs = pair_coefficients(ratings.values, _names_of_pairs(ratings), groups)
    with_others = coefficients_with_others(ratings.values, CORRELATIONS if ratings.ordered else (), groups)
    statistics = _statistics(ratings, levels_of(study, settings), pairs, with_others, groups, seed=study.config.seed)
    wider = widening(ratings.values, groups)
    estimates = tuple(
        estimate(statistic, ratings.values, groups, wider=wider)
        for statistic in progress(statistics, "Jackknife of agreement")
    )
    judges = None if study.judges is None else _test_judges(study.judges, study, settings, groups)
    return Agreement(wider, estimates, pairs, with_others, judges=judges, against=against)


def _against(study: AgreementStudy, settings: AgreementSettings, groups: Indices, exponent: int) -> Against:
    """The judges against people; groups: of whole clusters, (U,). exponent: see `_in_unit`."""
    ratings, judges = study.ratings, study.judges
    assert judges is not None
    both = np.concatenate([ratings.values, judges.values])
    all_ratings = both[~np.isnan(both)]
    values = np.unique(all_ratings) if study.scale is None else np.ldexp(class_values(study.scale), -exponent)
    whole = np.ldexp(all_ratings, exponent)
    categories = ratings.categories and bool(study.scale is not None or (whole == np.rint(whole)).all())
    labels = study.scale.labels if study.scale is not None else [f"{value:g}" for value in np.ldexp(values, exponent)]
    # Two whole numbers are two classes.
    two = categories and len(values) <= 2
    kind = Kind(
        values=values,
        labels=tuple(labels) if categories else (),
        exponent=exponent,
        categories=categories,
        ordered=ratings.ordered and not two,
        numeric=(study.scale is None or ratings.by_system) and not two,
        levels=("nominal",) if two and not settings.levels else levels_of(study, settings),
    )
    runs = [(name, judges.values[list(rows)]) for name, rows in study.runs.items()]
    random = generator(seed_for(study.config.seed, "signs of judges"))
    return compare(ratings.values, runs, (study.clusters[0], groups), kind, parts=study.groups, random=random)


def _in_unit(study: AgreementStudy) -> tuple[AgreementStudy, int]:
    """The study with ratings whose squares and sums neither overflow nor vanish, and the exponent of their unit.

    Floats too large or too small are divided by a power of two, which loses no digit; no coefficient depends on the
    unit.
    """
    judges = study.judges
    largest = max(
        float(np.nanmax(np.abs(side.values), initial=0.0)) for side in (study.ratings, judges) if side is not None
    )
    exponent = int(np.frexp(largest)[1])
    if not largest or abs(exponent) < _SAFE_EXPONENT:
        return study, 0
    ratings = replace(study.ratings, values=np.ldexp(study.ratings.values, -exponent))
    judges = judges and replace(judges, values=np.ldexp(judges.values, -exponent))
    return replace(study, ratings=ratings, judges=judges), exponent


def _names_of_pairs(ratings: Ratings) -> list[str]:
    """The coefficients of pairs that suit the ratings; weights are those of Cohen's kappa."""
    weights = ["none", *(["linear", "quadratic"] if ratings.ordered else [])] if ratings.categories else []
    return [name for name in COEFFICIENTS if name in weights or (ratings.ordered and name in CORRELATIONS)]


def levels_of(study: AgreementStudy, settings: AgreementSettings) -> tuple[Level, ...]:
    """The levels of alpha; by default that of the ratings, and then all others but ratio, which only the user knows.

    It is nominal for labels without order, ordinal for ordered labels, and interval for numbers.
    """
    ratings = study.ratings
    default: Level = "interval" if study.scale is None or ratings.by_system else "ordinal"
    lower: tuple[Level, ...] = ("nominal",) if ratings.categories else ()
    others = [level for level in ("ordinal", "interval", *lower) if level != default]
    levels = settings.levels or ((default, *others) if ratings.ordered else ("nominal",))
    ordered_levels = [level for level in levels if level != "nominal"]
    if ordered_levels and not ratings.ordered:
        found = f"alpha of level {', '.join(ordered_levels)}"
        raise refuse(None, unordered(found, "low<mid<high", f", or leave out {setting('levels')}"))
    return levels


def _statistics(
    ratings: Ratings,
    levels: Sequence[Level],
    pairs: Mapping[str, PairCoefficients],
    with_others: Mapping[str, PairCoefficients],
    groups: Indices,
    *,
    seed: int,
) -> tuple[Statistic, ...]:
    comparable = ratings.raters >= 2
    # A mean over pairs of k ratings of a unit is lowest where all of them differ: not all pairs can be opposite.
    lowest = -1 / (float(ratings.raters[comparable].mean()) - 1)
    alphas = [
        Statistic(f"alpha:level={level}", partial(alpha_without, level=level), comparable, lowest) for level in levels
    ]
    kappas = [Statistic("fleiss", fleiss_without, comparable, lowest)] if ratings.categories else []
    kappas += [
        Statistic(f"cohen:weights={name}", coefficients, comparable, lowest)
        for name, coefficients in pairs.items()
        if name not in CORRELATIONS
    ]
    if not ratings.ordered:
        return (*alphas, *kappas)
    means = [Statistic(f"mean {name}", pairs[name], comparable, lowest) for name in CORRELATIONS]
    ceilings = [Statistic(f"ceiling {name}", coefficients, comparable) for name, coefficients in with_others.items()]
    return (*alphas, *kappas, *_concordances(ratings, groups, seed=seed), *means, *ceilings)


def _concordances(ratings: Ratings, groups: Indices, *, seed: int) -> tuple[Statistic, Statistic]:
    """Kendall's W with and without correction for ties; they share a p-value, because permutations keep the ties."""
    complete = ratings.raters == len(ratings.annotators)
    random = generator(seed_for(seed, "permutations of ranks"))
    p = kendall_w_permutation_p(ratings.values, replicates=PERMUTATIONS, random=random)
    # A last group without units is all of them.
    concordances = concordance_without(ratings.values, groups, int(groups.max()) + 2)
    corrected, uncorrected = (PairCoefficients(concordance[-1:], concordance[:-1]) for concordance in concordances)
    return (
        Statistic("kendall-w", corrected, complete, lowest=0.0, p=p),
        Statistic("kendall-w uncorrected", uncorrected, complete, lowest=0.0, p=p),
    )


def _test_judges(judges: Judges, study: AgreementStudy, settings: AgreementSettings, groups: Indices) -> JudgeTests:
    """Test every judge; groups: of whole clusters, (U,)."""
    ratings, clusters = study.ratings, None
    if settings.clusters is not None:
        random = generator(seed_for(study.config.seed, "signs"))
        clusters = groups, Signs.draw(random, int(groups.max()) + 1, SIGNS).matrix
    other: Alignment = "accuracy" if study.alignment == "rmse" else "rmse"
    tests = {
        alignment: alternative_annotator_test(
            judges.values, ratings.values, alignment=alignment, epsilon=settings.epsilon, clusters=clusters
        )
        for alignment in (study.alignment, other)[: 2 if ratings.ordered else 1]
    }
    units = (~np.isnan(judges.values) & (ratings.raters >= 2)).sum(axis=-1)
    return JudgeTests(judges.names, tests, units)


def _check_judges(judges: Judges, ratings: Ratings, alignment: Alignment) -> None:
    for name, values in zip(judges.names, judges.values, strict=True):
        if not (~np.isnan(values) & (ratings.raters > 0)).any():
            found = f"judge '{name}', who rated none of {ratings.description} that the annotators rated"
            raise refuse(None, found, "ratings of the same units", MATCHED_BY, kind="conflict")
    if alignment == "rmse" and not ratings.ordered:
        otherwise = f", or leave out {setting('alignment')}"
        raise refuse(None, unordered(setting("alignment", "rmse"), "low<mid<high", otherwise))
