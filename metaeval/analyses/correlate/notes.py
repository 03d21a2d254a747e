"""Notes and methods of `correlate`, and how they and the findings name what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.correlate.compute import (
    CALIBRATED,
    MEAN_OF_SCORES,
    SOFT,
    Correlations,
    clusters_used,
    has_items,
)
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.sentences import every, join_names
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import Clusters
from metaeval.inference.pairs import fewest_permutations
from metaeval.model.report import Note
from metaeval.model.works import cite
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import FEW_CELLS, notes_on_clusters, units_of
from metaeval.study.human import HumanScores
from metaeval.study.study import Study, not_ranked_notes

FEW_SYSTEMS = 8
"""Number of systems below which a correlation of their scores says little."""


@dataclass(frozen=True)
class Sampling:
    """What intervals and tests of correlations draw and swap, in words."""

    study: Study
    settings: CorrelateSettings
    humans: HumanScores

    @property
    def has_items(self) -> bool:
        """Whether measures and people have scores of single items."""
        return has_items(self.study, self.humans)

    @property
    def clusters(self) -> tuple[Clusters, ...]:
        """The clusters of items that are drawn or swapped whole."""
        return clusters_used(self.study, self.humans, self.settings)

    def units(self, kind: str) -> str:
        """What the bootstrap draws, or a test gives signs."""
        if kind == "systems" or not self.has_items:
            return "systems"
        items = units_of(self.study) if self.clusters else "items"
        return items if kind == "items" else f"systems and {items}"

    @property
    def swapped(self) -> str:
        """What the test swaps."""
        units = self.units(self.settings.test)
        return "cells" if units == "systems and items" else units.replace("systems and ", "each system's ")

    def test_name(self, part: Correlations) -> str:
        """The test of differences in a few words."""
        if self.settings.test == "williams":
            return "Williams' test"
        if part.coefficient not in (CALIBRATED, SOFT):
            return f"{pluralize(self.settings.permutations, 'permutation')} of {self.swapped}"
        return f"Student's t of the effects of {self.units(self._kind(part))}"

    def test_in_words(self, part: Correlations) -> str:
        """The test of differences with the works that it is from."""
        if self.settings.test == "williams":
            return f"Williams' test {cite('williams1959')}"
        if part.coefficient in (CALIBRATED, SOFT):
            return self.test_name(part)
        swapped = self.swapped.replace("cells", "each cell (system × item)")
        return f"random swaps {cite('deutsch2021')} of their standardised scores of {swapped}"

    def too_few(self, part: Correlations) -> str:
        """The units of the test, where their signs alone could show no difference; else ''."""
        kind = self._kind(part)
        if kind == "systems" or not self.has_items:
            units, name = len(self.study.systems), "system"
        elif self.clusters:
            units, name = len(self.clusters[0].sizes), "cluster"
        else:
            units, name = len(self.study.items), "item"
        few = self.settings.test != "williams" and 2.0 ** (1 - units) > self.settings.alpha
        return pluralize(units, name) if few else ""

    def has_fixed_systems(self, part: Correlations) -> bool:
        """Whether the test says nothing of other systems: swaps of cells keep what measures favour some systems by."""
        about_items = ("items",) if part.coefficient in (CALIBRATED, SOFT) else ("items", "both")
        return self.settings.test in about_items and self.has_items

    def intervals_in_words(self, level: str, *, cited: bool = True) -> str:
        """How the intervals at a level are made."""
        settings = self.settings
        units, student = self.units(settings.interval), "by Student's t of Fisher's z"
        bonett = f" {cite('bonett2000')}" if cited else ""
        cameron = f" {cite('cameron2011')}" if cited else ""
        if settings.interval == "fisher":
            return f"{student}, with the variances of independent pairs{bonett}"
        if level != "system":
            return f"{student}, with a jackknife of {units}{cameron if ' and ' in units else ''}"
        if settings.interval == "items":
            resamples = pluralize(settings.resamples, "bootstrap resample")
            return f"{student}, with its deviation over {resamples} of {units} (seed {self.study.config.seed})"
        return (
            f"for other systems {student}, with the variances of independent pairs{bonett}, or of Pearson's r with "
            "that of a jackknife where it is larger"
        )

    def _kind(self, part: Correlations) -> str:
        """The setting `test`; of acc-eq at level system the test is always by systems."""
        return "systems" if (part.coefficient, part.level) == (CALIBRATED, "system") else self.settings.test


def methods(sampling: Sampling, result: Sequence[Correlations]) -> list[str]:
    """Sentences for a paper."""
    settings, raters = sampling.settings, sampling.humans.ratings.measures
    seed = f"seed {sampling.study.config.seed}"
    works = {SOFT: f" {cite('thompson2024')}", CALIBRATED: f" {cite('deutsch2023')}"}
    names = (f"{part.coefficient}{works.get(part.coefficient, '')} at level {part.level}" for part in result)
    pairs = ", ".join(dict.fromkeys(names))
    of = (
        f"the mean of the human scores of {join_names(raters)}"
        if _pooled(result)
        else (f"the human scores {join_names(raters)}" + (", each by itself" if len(raters) > 1 else ""))
    )
    sentences = [f"Measures were correlated with {of} ({pairs})."]
    if settings.partial is not None:
        sentences.append(
            f"Correlations are partial: measures and human scores were replaced by their residuals in linear "
            f"regressions on {settings.partial}."
        )
    if any(part.influence is not None and part.influence.outliers.any() for part in result):
        rule = f"by their median absolute deviation {cite('mathur2020')}"
        sentences.append(f"Systems are outliers if their human scores are 2.5 deviations from the median, {rule}.")
    if has_intervals(result):
        how = [sampling.intervals_in_words(level) for level in _levels(result)]
        sentences.append(f"95 % confidence intervals are {'; '.join(dict.fromkeys(how))}.")
    kinds: dict[str, dict[str, None]] = {}
    for part in result:
        if part.test is not None:
            kinds.setdefault(sampling.test_in_words(part), {})[part.coefficient] = None
    if kinds:
        several = (f"{how} ({join_names(list(coefficients))})" for how, coefficients in kinds.items())
        draws = f" ({settings.permutations:,} permutations, {seed})" if settings.test != "williams" else ""
        test = (", with ".join(several) if len(kinds) > 1 else next(iter(kinds))) + draws
        claim = f"Differences of two measures in the correlation with human scores were tested with {test}"
        adjusted = (
            f"by Holm's method {cite('holm1979')}"
            if settings.test == "williams"
            else (f"for all pairs of measures by the largest standardised difference {cite('westfall1993')}")
        )
        sentences.append(f"{claim}; p-values are adjusted {adjusted}.")
    return sentences


def notes(sampling: Sampling, result: Sequence[Correlations]) -> list[Note | str]:
    """Notes on intervals, tests, raters and systems."""
    study, humans = sampling.study, sampling.humans
    return [
        *_on_intervals(sampling, result),
        *_on_tests(sampling, result),
        *not_ranked_notes(study, "correlations are of the systems and items with both scores"),
        *_on_decisions(sampling.settings, result),
        *_on_undefined(result),
        *_on_raters(humans, result),
        *_on_few_systems(result),
        *_on_outliers(study, result),
        *_on_clusters(sampling),
        *_on_gaps(study, humans),
    ]


def _pooled(result: Sequence[Correlations]) -> bool:
    return any(part.human == MEAN_OF_SCORES for part in result)


def has_intervals(result: Sequence[Correlations]) -> bool:
    """Whether some correlation has an interval."""
    return any(not np.isnan(part.low).all() for part in result)


def _on_intervals(sampling: Sampling, result: Sequence[Correlations]) -> Iterator[str]:
    if not has_intervals(result):
        return
    for level in _levels(result):
        yield f"intervals at level {level} are {sampling.intervals_in_words(level, cited=False)}"
    if sampling.settings.interval == "fisher" and any(part.level in ("item", "by-system") for part in result):
        yield "at levels item and by-system Fisher's interval is for a single correlation, not for their mean"


def _levels(result: Sequence[Correlations]) -> list[str]:
    """The levels of the correlations that have intervals of `COEFFICIENTS`."""
    return list(dict.fromkeys(part.level for part in result if part.coefficient not in (CALIBRATED, SOFT)))


def _on_tests(sampling: Sampling, result: Sequence[Correlations]) -> Iterator[str]:
    settings = sampling.settings
    first = next((part for part in result if part.test is not None), None)
    if first is not None:
        pairs = every(math.comb(len(first.measures), 2), "pair")
        yield (
            f"best, rank: {sampling.test_name(first)}, p_adjusted for {pairs} of measures, at {settings.alpha:g}; a "
            "new rank begins at the first measure that is significantly worse than one of the rank before (WMT)"
        )
        swapped = any(part.test is not None and part.coefficient not in (CALIBRATED, SOFT) for part in result)
        if swapped and settings.test in ("both", "items") and sampling.has_items:
            others = f"with {setting('test', 'systems')} they are about other systems"
            yield f"tests by {sampling.swapped} are about other items of these systems; {others}"
        yield from _on_shared_units(result)
        if settings.test != "williams" and settings.permutations < (fewest := fewest_permutations(settings.alpha)):
            few = f"{settings.permutations:,} permutations are too few for a difference to be significant"
            yield f"{few}: use at least {setting('permutations', fewest)}"
    untested = sorted(
        {part.coefficient for part in result if part.test is None}
        - {part.coefficient for part in result if part.test is not None}
    )
    if untested and settings.test != "none" and len(result[0].measures) > 1:
        yield f"not tested (—): {', '.join(untested)}"


def _on_decisions(settings: CorrelateSettings, result: Sequence[Correlations]) -> Iterator[str]:
    errors = [part.error for part in result if part.error is not None]
    if errors:
        flips = pluralize(settings.permutations, "sign flip")
        yield f"{SOFT}: from {flips}, with a Monte Carlo standard error of at most {np.max(errors):.4f}"
    tested_coefficients = {part.coefficient for part in result if part.test is not None}
    coefficients = [name for name in (CALIBRATED, SOFT) if name in tested_coefficients]
    if coefficients:
        yield (
            f"{join_names(coefficients)}: differences are tested by Student's t of what items, systems or both add to "
            f"them; with {setting('test', 'items')} they are about other items of these systems, else about other "
            "systems, too"
        )


def _on_undefined(result: Sequence[Correlations]) -> Iterator[str]:
    for kind in dict.fromkeys((part.level, part.coefficient) for part in result):
        parts = [part for part in result if (part.level, part.coefficient) == kind]
        level, coefficient = kind
        unit = "system" if level in ("system", "by-system") else "item" if level == "item" else "cell"
        most = max(int(part.left_out.max()) for part in parts)
        if most:
            yield f"{coefficient} at level {level} excludes up to {pluralize(most, unit)}: constant, or without scores"
        elif any(np.isnan(part.values).any() for part in parts):
            yield f"{coefficient} at level {level} is undefined (—) where all scores or all ratings are constant"


def _on_raters(humans: HumanScores, result: Sequence[Correlations]) -> Iterator[str]:
    if _pooled(result):
        yield (
            f"{MEAN_OF_SCORES}: correlation with the mean of all raters; human ceiling: mean correlation of each rater "
            "with the mean of the others, for comparison"
        )
    elif len(humans.ratings.measures) > 1:
        pool = setting("human_pool", "mean")
        yield f"the human scores are analysed apart, as dimensions; raters of the same thing are pooled with {pool}"


def _on_few_systems(result: Sequence[Correlations]) -> Iterator[str]:
    """A warning with the width of the widest interval where there are few systems."""
    part = next((part for part in result if part.level == "system"), None)
    top = None if part is None else part.leader
    if part is None or top is None or part.units[top] >= FEW_SYSTEMS:
        return
    few = f"warning: a correlation of {pluralize(int(part.units[top]), 'system')} says little"
    widths = np.nan_to_num(part.high - part.low)
    widest = int(np.argmax(widths))
    wide = f": the 95 % interval of {part.measures[widest]} ({part.coefficient}) is {widths[widest]:.2f} wide"
    yield few + wide if widths[widest] else few


def _on_outliers(study: Study, result: Sequence[Correlations]) -> Iterator[str]:
    at_level_system = [part for part in result if part.influence is not None]
    parts = [part for part in at_level_system if part.human == MEAN_OF_SCORES] or at_level_system
    outliers = {part.human: part.influence.outliers for part in parts if part.influence is not None}
    for human, is_outlier in outliers.items():
        if is_outlier.any():
            names = join_names([study.systems[index] for index in np.flatnonzero(is_outlier).tolist()])
            yield (
                f"outliers by {human}: {names} (more than 2.5 deviations from the median, Mathur et al. 2020); "
                "correlation_influence has the values without them"
            )


def _on_clusters(sampling: Sampling) -> list[Note | str]:
    study = sampling.study
    if sampling.clusters:
        soft = [f"{SOFT} flips whole {units_of(study)}"] if SOFT in sampling.settings.coefficients else []
        return [*soft, *notes_on_clusters(study)]
    # That clusters play no role is said where the analysis runs.
    return [*notes_on_clusters(study)] if sampling.has_items and not study.origin.clusters else []


def _on_shared_units(result: Sequence[Correlations]) -> list[str]:
    """A note where two measures are compared on fewer units than one of them has."""
    for part in result:
        units = part.units
        off_diagonal = ~np.eye(len(units), dtype=bool)
        if part.test is not None and (part.overlap < np.maximum(units, units[:, np.newaxis]))[off_diagonal].any():
            return ["two measures are compared where both have a score: n in correlation_differences is their number"]
    return []


def _on_gaps(study: Study, humans: HumanScores) -> list[str]:
    """Warnings of measures that lack scores of which there are human ones."""
    if not study.has_gaps or not humans.by_item:
        return []
    rated = ~np.isnan(humans.ratings.values).all(axis=0)
    scored = ~np.isnan(study.need(ITEM_SCORES, "correlations").values)
    shares = (scored & rated).sum(axis=(1, 2)) / max(int(rated.sum()), 1)
    return [
        f"warning: {name} has {100 * share:.0f} % of the scores of which there are human ones"
        for name, share in zip(study.measure_names, shares.tolist(), strict=True)
        if share < FEW_CELLS
    ]
