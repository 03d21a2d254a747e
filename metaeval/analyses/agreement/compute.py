"""Statistics of the agreement of annotators, and the tests of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.judges import Judges
from metaeval.analyses.agreement.ratings import MATCHED_BY, Ratings
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment, Level
from metaeval.analyses.agreement.statistics import (
    CORRELATIONS,
    Correlation,
    Estimate,
    Statistic,
    coefficient_of,
    estimate,
    of_complete_units,
    of_pairs,
    single,
    with_others,
)
from metaeval.analyses.agreement.study import AgreementStudy
from metaeval.errors import InputError, setting
from metaeval.inference.clusters import deal_groups
from metaeval.inference.parts import draw_signs
from metaeval.stats.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, leave_one_out, pairwise
from metaeval.stats.judges import AlternativeAnnotators, alternative_annotator_test
from metaeval.stats.rank_correlation import kendall_w_permutation_p
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import Progress

PERMUTATIONS = 1000
"""Number of permutations of the ranks of each annotator, for the p-value of Kendall's W."""

SIGNS = 4999
"""Number of random signs of clusters, for the tests of judges."""


@dataclass(frozen=True)
class JudgeTests:
    """The alternative annotator test of J judges. compared: units of each judge that two annotators rated, (J,)."""

    names: tuple[str, ...]
    alignment: Alignment
    test: AlternativeAnnotators
    compared: NDArray[np.intp]


@dataclass(frozen=True)
class Agreement:
    """The agreement of A annotators.

    correlations: of each pair of annotators, (A, A), and with_others: of each with the mean of the others, (A,); both
    empty for unordered ratings. judges: None without judges.
    """

    estimates: tuple[Estimate, ...]
    correlations: Mapping[Correlation, NDArray[np.float64]]
    with_others: Mapping[Correlation, NDArray[np.float64]]
    judges: JudgeTests | None


def check(study: AgreementStudy, settings: AgreementSettings) -> None:
    """Raise an `InputError` where the levels or the alignment do not suit the ratings."""
    levels_of(study.ratings, settings)
    if study.judges is not None:
        _check_judges(study.judges, study.ratings, study.alignment)


def analyse(study: AgreementStudy, settings: AgreementSettings, *, progress: Progress) -> Agreement:
    """Compute every statistic that the ratings allow, and test every judge."""
    check(study, settings)
    ratings = study.ratings
    statistics = _statistics(ratings, levels_of(ratings, settings), seed=study.config.seed)
    clusters, *_ = study.clusters
    groups = deal_groups(np.bincount(clusters), generator(seed_for(study.config.seed, "groups")))[clusters]
    estimates = tuple(
        estimate(statistic, ratings.values, groups) for statistic in progress(statistics, "Jackknife of agreement")
    )
    correlations = CORRELATIONS if ratings.ordered else ()
    return Agreement(
        estimates,
        {name: pairwise(ratings.values, coefficient_of(name)) for name in correlations},
        {name: leave_one_out(ratings.values, coefficient_of(name)) for name in correlations},
        None if study.judges is None else _test_judges(study.judges, study, settings, groups),
    )


def levels_of(ratings: Ratings, settings: AgreementSettings) -> tuple[Level, ...]:
    """The levels of alpha; by default all that suit the ratings but ratio, which only the user can know."""
    nominal: tuple[Level, ...] = ("nominal",) if ratings.categories else ()
    levels = settings.levels or ((*nominal, "ordinal", "interval") if ratings.ordered else nominal)
    ordered = [level for level in levels if level != "nominal"]
    if ordered and not ratings.ordered:
        raise InputError.at(
            found=f"alpha of level {', '.join(ordered)} with labels that have no order",
            expected="level nominal, or an ordered scale",
            hint=f"declare the order, as in {setting('labels', 'low<mid<high')}",
        )
    return levels


def _statistics(ratings: Ratings, levels: Sequence[Level], *, seed: int) -> tuple[Statistic, ...]:
    compared = ratings.raters >= 2
    alphas = [
        Statistic(f"alpha:level={level}", single(partial(krippendorff_alpha, level=level)), compared)
        for level in levels
    ]
    kappas = []
    if ratings.categories:
        kappas.append(Statistic("fleiss", single(fleiss_kappa), compared))
        weights_of: tuple[Literal["none", "linear", "quadratic"], ...] = ("none", "linear", "quadratic")
        for weights in weights_of if ratings.ordered else weights_of[:1]:
            kappa = of_pairs(partial(cohen_kappa, weights=weights))
            kappas.append(Statistic(f"cohen:weights={weights}", kappa, compared, of_pairs=True))
    if not ratings.ordered:
        return (*alphas, *kappas)
    means = [
        Statistic(f"mean {name}", of_pairs(coefficient_of(name)), compared, of_pairs=True) for name in CORRELATIONS
    ]
    ceilings = [Statistic(f"ceiling {name}", with_others(coefficient_of(name)), compared) for name in CORRELATIONS]
    return (*alphas, *kappas, *_concordances(ratings, seed=seed), *means, *ceilings)


def _concordances(ratings: Ratings, *, seed: int) -> tuple[Statistic, Statistic]:
    """Kendall's W with and without correction for ties; they share a p-value, because permutations keep the ties."""
    complete = ratings.raters == len(ratings.annotators)
    random = generator(seed_for(seed, "permutations of ranks"))
    p = kendall_w_permutation_p(ratings.values, replicates=PERMUTATIONS, random=random)
    corrected = of_complete_units(lambda concordance: concordance.w)
    uncorrected = of_complete_units(lambda concordance: concordance.uncorrected)
    return (
        Statistic("kendall-w", corrected, complete, lowest=0.0, p=p),
        Statistic("kendall-w uncorrected", uncorrected, complete, lowest=0.0, p=p),
    )


def _test_judges(
    judges: Judges, study: AgreementStudy, settings: AgreementSettings, groups: NDArray[np.intp]
) -> JudgeTests:
    """Test every judge; groups: of whole clusters, (U,)."""
    ratings, clusters = study.ratings, None
    if settings.clusters is not None:
        random = generator(seed_for(study.config.seed, "signs"))
        clusters = groups, draw_signs(random, int(groups.max()) + 1, SIGNS)
    test = alternative_annotator_test(
        judges.values, ratings.values, alignment=study.alignment, epsilon=settings.epsilon, clusters=clusters
    )
    compared = (~np.isnan(judges.values) & (ratings.raters >= 2)).sum(axis=-1)
    return JudgeTests(judges.names, study.alignment, test, compared)


def _check_judges(judges: Judges, ratings: Ratings, alignment: Alignment) -> None:
    for name, values in zip(judges.names, judges.values, strict=True):
        if not (~np.isnan(values) & (ratings.raters > 0)).any():
            raise InputError.at(
                found=f"judge '{name}', who rated none of {ratings.description} that the annotators rated",
                expected="ratings of the same units",
                hint=MATCHED_BY,
            )
    if alignment == "rmse" and not ratings.ordered:
        raise InputError.at(
            found=f"{setting('alignment', 'rmse')} with labels that have no order",
            expected=f"{setting('alignment', 'accuracy')}, or an ordered scale",
        )
