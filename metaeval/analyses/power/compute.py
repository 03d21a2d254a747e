"""How well does a measure tell systems apart? Discriminative power, as in Sakai (2006, 2007, 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.sentences import listed
from metaeval.errors import InputError
from metaeval.stats.pairs import all_pairs, bootstrap_test, critical_range, p_of_ranges
from metaeval.stats.resample import seed_for
from metaeval.stats.tests import ranges_by_chance
from metaeval.study.capabilities import ADDITIVE
from metaeval.study.differences import bootstrap_scores, check_testable
from metaeval.study.study import Study, Track

Numbers = NDArray[np.float64]

BOOTSTRAP, TUKEY = "bootstrap", "tukey"


@dataclass(frozen=True)
class Power:
    """What a measure finds of the differences of every two systems, whose order is that of `stats.pairs.all_pairs`.

    difference, p: (P,), oriented. needed: any two systems with a larger difference are told apart. undefined: resamples
    without a difference, which are left out, of the pair that has most of them.
    """

    difference: Numbers
    p: Numbers
    needed: float
    undefined: int = 0

    def different(self, *, alpha: float) -> NDArray[np.bool_]:
        """Which pairs are told apart, (P,)."""
        found: NDArray[np.bool_] = self.p <= alpha
        return found

    def share(self, *, alpha: float) -> float:
        """Discriminative power: the share of pairs told apart, of those with a p-value."""
        tested = int((~np.isnan(self.p)).sum())
        return float(self.different(alpha=alpha).sum() / tested) if tested else float("nan")

    def smallest(self, *, alpha: float) -> float:
        """The smallest difference that was found significant; NaN where none was."""
        found = np.abs(self.difference[self.different(alpha=alpha)])
        return float(found.min()) if len(found) else float("nan")


def power_by_bootstrap(scores: Numbers, drawn: Numbers, *, alpha: float) -> Power:
    """From paired bootstrap tests of every two systems, each by itself.

    needed: the largest of the pairs' critical differences (Sakai 2006). scores: (S,), oriented. drawn: (B, S).
    """
    found = bootstrap_test(scores, drawn, all_pairs(len(scores)), alpha=alpha)
    needed = float(np.nanmax(found.critical)) if not np.isnan(found.critical).all() else float("nan")
    undefined = int(found.undefined[~np.isnan(found.value)].max(initial=0))
    return Power(found.value, found.p, needed, undefined)


def power_by_tukey(items: Numbers, *, resamples: int, seed: np.random.SeedSequence, alpha: float) -> Power:
    """From randomised Tukey HSD, whose level holds for all pairs at once (Carterette 2012; Sakai 2012).

    items: oriented scores of single items, (S, N). A system without a score of some item has no score: its pairs are
    not tested.
    """
    scores = items.mean(axis=1)
    ranges = ranges_by_chance(items, resamples=resamples, seed=seed)
    pairs = all_pairs(len(items))
    value = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return Power(value, p_of_ranges(np.abs(value), ranges), critical_range(ranges, alpha=alpha))


Powers = dict[int, tuple[str, Power]]
"""By place of the measure: the test, and its results."""


def check(study: Study, settings: PowerSettings) -> None:
    """Raise an `InputError` where nothing can be tested, or the test does not fit a measure."""
    check_testable(study)
    if settings.test != TUKEY:
        return
    additive = study.need(ADDITIVE, "--test tukey")
    other = [name for place, name in enumerate(study.measure_names) if place not in additive.places]
    if other:
        raise InputError.at(
            found=f"--test tukey, and {listed(other)}",
            expected="measures that are means over items",
            hint="say --test auto, or leave these measures out",
        )


def analyse(study: Study, settings: PowerSettings, *, track: Track) -> Powers:
    """Test the difference of every two systems under every measure."""
    check(study, settings)
    additive = study.find(ADDITIVE) if settings.test != BOOTSTRAP else None
    powers: Powers = {}
    if additive is not None:
        for place in track(additive.places, "Permutations of systems"):
            # The same permutations for every measure, as the samples of the bootstrap are.
            seed = seed_for(study.config.seed, "power")
            items = additive.worths(place)
            power = power_by_tukey(items, resamples=settings.resamples, seed=seed, alpha=settings.alpha)
            powers[place] = (TUKEY, power)
    rest = [place for place in range(len(study.measure_names)) if place not in powers]
    return dict(sorted({**powers, **_by_bootstrap(study, rest, settings, track)}.items()))


def _by_bootstrap(study: Study, places: Sequence[int], settings: PowerSettings, track: Track) -> Powers:
    """Paired bootstrap tests under the measures of these places."""
    if not places:
        return {}
    # To score samples is expensive: only under the measures that are tested.
    narrowed = study.with_measures(places)
    drawn = bootstrap_scores(narrowed, settings.resamples, track=track)
    scores = narrowed.scores.oriented().values
    numbers = [narrowed.measure_names.index(study.measure_names[place]) for place in places]
    return {
        place: (BOOTSTRAP, power_by_bootstrap(scores[number], drawn[:, number], alpha=settings.alpha))
        for place, number in zip(places, numbers, strict=True)
    }
