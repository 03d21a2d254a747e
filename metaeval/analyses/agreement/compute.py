"""Do annotators agree? And would a judge do as well?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.judges import Judges
from metaeval.analyses.agreement.ratings import Ratings
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment, Level
from metaeval.analyses.agreement.study import AgreementStudy
from metaeval.errors import InputError
from metaeval.stats.agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    leave_one_out,
    pairwise,
    shared_units,
)
from metaeval.stats.agreement_bootstrap import (
    CORRELATIONS,
    Correlation,
    Estimate,
    Statistic,
    ceiling,
    coefficient_of,
    draw_units,
    estimate,
    mean_of_pairs,
    of_complete_units,
    of_pairs,
)
from metaeval.stats.judges import AlternativeAnnotators, alternative_annotator_test
from metaeval.stats.rank_correlation import kendall_w_permutation_p
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import Track

PERMUTATIONS = 1000
"""Of the ranks of each annotator, for the p-value of Kendall's W."""


@dataclass(frozen=True)
class JudgeTests:
    """The alternative annotator test of J judges. compared: units of each that two annotators rated, (J,)."""

    names: tuple[str, ...]
    alignment: Alignment
    test: AlternativeAnnotators
    compared: NDArray[np.intp]


@dataclass(frozen=True)
class Agreement:
    """How far A annotators agree.

    undefined_pairs: pairs of annotators for whom a statistic is undefined, by its name, where it is a mean over pairs.
    correlations: of every two annotators, (A, A), and with_others: of each with the mean of the others, (A,); both
    empty where the ratings have no order. shared_units: median over the pairs. judges: None where there are none.
    """

    estimates: tuple[Estimate, ...]
    undefined_pairs: Mapping[str, int]
    correlations: Mapping[Correlation, NDArray[np.float64]]
    with_others: Mapping[Correlation, NDArray[np.float64]]
    shared_units: float
    judges: JudgeTests | None


def check(study: AgreementStudy, settings: AgreementSettings) -> None:
    """Whether levels and alignment go with the scale of the ratings."""
    levels_of(study.ratings, settings)
    if study.judges is not None:
        _check_judges(study.judges, study.ratings, study.alignment)


def analyse(study: AgreementStudy, settings: AgreementSettings, *, track: Track) -> Agreement:
    """Every statistic that the ratings allow, and the test of every judge."""
    ratings = study.ratings
    judges = test_each_judge(study.judges, ratings, settings, study.alignment) if study.judges is not None else None
    statistics = _statistics(ratings, levels_of(ratings, settings), seed=study.config.seed)
    draw_of_unit, _ = ratings.draws
    draws = draw_units(draw_of_unit, resamples=settings.resamples, seed=study.config.seed)
    estimates = tuple(
        estimate(statistic, ratings.values, draws) for statistic in track(statistics, "Bootstrap of agreement")
    )
    of_every_two = CORRELATIONS if ratings.ordered else ()
    every_two = np.triu_indices(len(ratings.annotators), k=1)
    return Agreement(
        estimates,
        {
            each.name: int(np.isnan(of_pairs(ratings.values, each.pairs)).sum())
            for each in statistics
            if each.pairs is not None
        },
        {name: pairwise(ratings.values, coefficient_of(name)) for name in of_every_two},
        {name: leave_one_out(ratings.values, coefficient_of(name)) for name in of_every_two},
        float(np.median(shared_units(ratings.values)[every_two])),
        judges,
    )


def levels_of(ratings: Ratings, settings: AgreementSettings) -> tuple[Level, ...]:
    """The levels of alpha; where none are set, those that make sense: only the user knows that ratings are ratios."""
    nominal: tuple[Level, ...] = ("nominal",) if ratings.categories else ()
    levels = settings.levels or ((*nominal, "ordinal", "interval") if ratings.ordered else nominal)
    beyond = [level for level in levels if level != "nominal"]
    if beyond and not ratings.ordered:
        raise InputError.at(
            found=f"alpha of level {', '.join(beyond)} with labels that have no order",
            expected="level nominal, or an ordered scale",
            hint="declare the order, as in --labels 'low<mid<high'",
        )
    return levels


def _statistics(ratings: Ratings, levels: Sequence[Level], *, seed: int) -> tuple[Statistic, ...]:
    compared = int((ratings.given >= 2).sum())
    alphas = [Statistic(f"alpha:level={level}", partial(krippendorff_alpha, level=level), compared) for level in levels]
    kappas = []
    if ratings.categories:
        kappas.append(Statistic("fleiss", fleiss_kappa, compared))
        weights_of: tuple[Literal["none", "linear", "quadratic"], ...] = ("none", "linear", "quadratic")
        for weights in weights_of if ratings.ordered else weights_of[:1]:
            kappas.append(mean_of_pairs(f"cohen:weights={weights}", partial(cohen_kappa, weights=weights), compared))
    if not ratings.ordered:
        return (*alphas, *kappas)
    means = [mean_of_pairs(f"mean {name}", coefficient_of(name), compared) for name in CORRELATIONS]
    ceilings = [Statistic(f"ceiling {name}", ceiling(coefficient_of(name)), compared) for name in CORRELATIONS]
    return (*alphas, *kappas, *_concordances(ratings, seed=seed), *means, *ceilings)


def _concordances(ratings: Ratings, *, seed: int) -> tuple[Statistic, Statistic]:
    """Kendall's W corrected for ties, and not; with one p, because permutations leave the ties as they are."""
    complete = int((ratings.given == len(ratings.annotators)).sum())
    random = generator(seed_for(seed, "permutations of ranks"))
    p = kendall_w_permutation_p(ratings.values, replicates=PERMUTATIONS, random=random)
    uncorrected = of_complete_units(lambda concordance: concordance.uncorrected)
    return (
        Statistic("kendall-w", of_complete_units(lambda concordance: concordance.w), complete, p=p),
        # Units that a bootstrap draws twice tie, for which this one has no correction.
        Statistic("kendall-w uncorrected", uncorrected, complete, resampled=False, p=p),
    )


def test_each_judge(judges: Judges, ratings: Ratings, settings: AgreementSettings, alignment: Alignment) -> JudgeTests:
    """The alternative annotator test of each judge."""
    _check_judges(judges, ratings, alignment)
    test = alternative_annotator_test(judges.values, ratings.values, alignment=alignment, epsilon=settings.epsilon)
    compared = (~np.isnan(judges.values) & (ratings.given >= 2)).sum(axis=-1)
    return JudgeTests(judges.names, alignment, test, compared)


def _check_judges(judges: Judges, ratings: Ratings, alignment: Alignment) -> None:
    for name, values in zip(judges.names, judges.values, strict=True):
        if not (~np.isnan(values) & (ratings.given > 0)).any():
            raise InputError.at(
                found=f"judge '{name}', who rated none of {ratings.what} that annotators rated",
                expected="ratings of the same things",
                hint="ratings go together by item, and by system where there is such a column: check these names",
            )
    if alignment == "rmse" and not ratings.ordered:
        raise InputError.at(
            found="--alignment rmse with labels that have no order",
            expected="--alignment accuracy, or an ordered scale",
        )
