"""Tests whether systems are significantly worse than in an earlier run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import join_names
from metaeval.config import CheckSettings
from metaeval.errors import InputError, pluralize
from metaeval.gates.baseline_items import REMEDY, Baseline
from metaeval.io.dataset import Progress
from metaeval.model.report import Cell, Column, Finding, Kind, Report, Table
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.scoring.table import ItemSamples
from metaeval.stats.intervals import percentile_interval
from metaeval.stats.tests import max_t_drops
from metaeval.study.capabilities import ITEM_SCORES, PREDICTIONS, Predictions
from metaeval.study.study import AnalysisOutput, Study
from metaeval.work.blocks import map_blocks

FAILED, UNDEFINED, PASSED = _VERDICTS = ("failed", "undefined", "passed")
_NUMBERS = ("earlier", "now", "difference", "low", "high", "p")

Numbers = NDArray[np.float64]
Row = NDArray[Any]
"""The labels or numbers of a system, (N,), or its item scores, (M, N)."""

_Score = Callable[[list[str], list[Row]], tuple[Samples, ScoreCube]]
_Sides = tuple[Mapping[str, Row], Mapping[str, Row], _Score, list[str]]
"""The systems now and earlier, a function that scores them, and notes."""


def find_drops(study: Study, earlier: Report, *, path: str, progress: Progress) -> AnalysisOutput:
    """Compare the systems of a study with an earlier run on the same items, by a paired bootstrap.

    Table `baseline`: system, measure, earlier, now, difference (now − earlier, as measured), low, high (its 95 %
    interval), p, verdict; the worst first. `failed`: significantly worse at the level `check.alpha`, which is the
    probability of any false alarm in the whole table. `undefined`: the score is undefined in one of the runs or in the
    resamples, or the system is missing now. `passed`: neither, or undefined in both runs.

    earlier: with the items that `baseline_items.with_items` adds; with other items, gold, scale or references, or
    without any of the systems or measures, an `InputError`. path: its file, for messages.
    """
    settings = study.config.check or CheckSettings()
    if 1 / (settings.resamples + 1) > settings.alpha:
        found = f"{pluralize(settings.resamples, 'resample')}, with which p is never below the level {settings.alpha:g}"
        expected = f"at least {math.ceil(1 / settings.alpha) - 1}"
        raise InputError.at(found=found, expected=expected, hint="increase resamples of check")
    study.check_measures()
    baseline = Baseline(earlier, path)
    baseline.check_comparable(study)
    samples, scores, missing, notes = _pair(study, baseline)
    # Observed differences are computed as those of resamples, so that rounding errors are the same.
    observed = _differences(samples.score_samples(samples.multiplicities[np.newaxis]))[0]
    config = study.config
    plan = bootstrap(samples, replicates=settings.resamples, seed=config.seed, memory=config.block_memory)
    label = "Comparing with the baseline"
    drawn = np.concatenate(map_blocks(plan, _differences, workers=config.workers, progress=progress, description=label))
    return _tabulate(scores, missing, observed, drawn, settings.alpha, len(study.items)).after(notes=notes)


def _pair(study: Study, baseline: Baseline) -> tuple[Samples, ScoreCube, ScoreCube | None, list[str]]:
    """The items, the scores of systems now and earlier, (M, 2 S), those of systems missing now, and notes."""
    items = study.find(ITEM_SCORES)
    if items is None:
        predictions = study.need(PREDICTIONS, "a comparison with a baseline")
        now, before, score, notes = _pair_predictions(predictions, baseline)
    else:
        now, before, score, notes = _pair_items(items, baseline)
    names, missing, more_notes = _match(list(now), list(before), "system", baseline)
    samples, scores = score(names * 2, [*(now[name] for name in names), *(before[name] for name in names)])
    lost = score(missing, [before[name] for name in missing])[1] if missing else None
    return samples, scores, lost, more_notes + notes


def _pair_predictions(predictions: Predictions, baseline: Baseline) -> _Sides:
    def score(systems: list[str], rows: list[Row]) -> tuple[Samples, ScoreCube]:
        return predictions.score(systems, np.array(rows))

    now = dict(zip(predictions.runs.systems, predictions.runs.predicted, strict=True))
    return now, baseline.predictions(predictions), score, []


def _pair_items(scores: ItemScores, baseline: Baseline) -> _Sides:
    all_before = baseline.item_scores(scores.items)
    measures, _, notes = _match(scores.measures, list(all_before), "measure", baseline)
    places = [scores.measures.index(measure) for measure in measures]
    now = dict(zip(scores.systems, np.moveaxis(scores.values[places], 1, 0), strict=True))
    before = {it: np.array([all_before[measure][it] for measure in measures]) for it in all_before[measures[0]]}

    def score(systems: list[str], rows: list[Row]) -> tuple[Samples, ScoreCube]:
        directions = tuple(scores.directions[place] for place in places)
        some = ItemScores(np.stack(rows, axis=1), tuple(measures), tuple(systems), scores.items, directions)
        return ItemSamples(some), some.mean()

    return now, before, score, notes


def _match(now: Sequence[str], before: Sequence[str], what: str, baseline: Baseline) -> tuple[list[str], ...]:
    """The names in both runs, those missing now, and notes on names in one run only."""
    both = [name for name in now if name in before]
    if not both:
        found, hint = f"a baseline with other {what}s ({join_names(before)})", f"compare the same {what}s, or {REMEDY}"
        raise InputError.at(baseline.path, found=found, expected=f"some of {join_names(now)}", hint=hint)
    new, missing = ([name for name in names if name not in both] for names in (now, before))
    only = [("this run", new)] * bool(new) + [("the baseline", missing)] * bool(missing)
    notes = [f"{pluralize(len(each), what)} only in {where}, not compared: {join_names(each)}" for where, each in only]
    return both, missing, notes


def _differences(cube: ScoreCube) -> Numbers:
    """Now − earlier, oriented so that higher is better, (..., M, S)."""
    now, earlier = np.split(cube.oriented().values, 2, axis=-1)
    return np.asarray(now - earlier)


def _tabulate(
    scores: ScoreCube, lost: ScoreCube | None, observed: Numbers, drawn: Numbers, alpha: float, items: int
) -> AnalysisOutput:
    """The table, the method, and the finding. observed: (M, S). drawn: of resamples, (B, M, S)."""
    test = max_t_drops(observed.ravel(), drawn.reshape(len(drawn), -1))
    p = test.p.reshape(observed.shape)
    systems = scores.systems[: observed.shape[1]]
    now, earlier = np.split(scores.values, 2, axis=1)
    signs = np.array([direction.sign for direction in scores.directions])
    low, high = percentile_interval(drawn * signs[:, np.newaxis])
    numbers = np.stack([earlier, now, now - earlier, low, high, p], axis=-1)
    numbers[np.isnan(p), 3:5] = np.nan
    # A score that is undefined in both runs is not worse.
    unknown = np.where(np.isnan(earlier) & np.isnan(now), PASSED, UNDEFINED)
    verdicts = np.where(np.isnan(p), unknown, np.where(p <= alpha, FAILED, PASSED))
    ranks = np.array([_VERDICTS.index(verdict) for verdict in verdicts.ravel()])
    places = [divmod(place, len(systems)) for place in np.lexsort([-test.statistic, test.p, ranks]).tolist()]
    rows: list[tuple[Cell, ...]] = [
        (systems[system], scores.measures[measure], *numbers[measure, system].tolist(), str(verdicts[measure, system]))
        for measure, system in places
    ]
    names = lost.systems if lost is not None else ()
    missing: list[tuple[Cell, ...]] = [
        (name, measure, float(score), *[math.nan] * (len(_NUMBERS) - 1), UNDEFINED)
        for (name, measure), score in zip(
            product(names, scores.measures), lost.values.T.flat if lost else (), strict=True
        )
    ]
    title = f"Now and in the baseline: {pluralize(len(systems), 'system')} on {pluralize(items, 'item')}"
    table = Table(
        "baseline",
        title + (f", {pluralize(len(names), 'system')} missing" if names else ""),
        (*map(Column, ("system", "measure")), *(Column(name, Kind.SCORE) for name in _NUMBERS), Column("verdict")),
        tuple(sorted([*rows, *missing], key=lambda row: _VERDICTS.index(str(row[-1])))),
    )
    method = (
        f"baseline: paired bootstrap, {pluralize(len(drawn), 'resample')} of the items; p: one-sided, adjusted for "
        f"{pluralize(len(rows), 'comparison')} (max-t, Westfall & Young), so that {alpha:g} is the probability of any "
        "false alarm; low, high: 95 % interval of each difference by itself"
    )
    undefined = np.where(np.isnan(p), 0, np.isnan(drawn).sum(axis=0)).max(axis=1).tolist()
    notes = [
        f"{name} is undefined in up to {times:,} of {len(drawn):,} resamples, which are left out"
        for name, times in zip(scores.measures, undefined, strict=True)
        if times
    ]
    return AnalysisOutput([table], [method, *notes], [_finding(rows, names)])


def _finding(rows: Sequence[tuple[Cell, ...]], missing: Sequence[str]) -> Finding:
    """The finding on the scores of both runs and on missing systems."""
    failed, undefined = ([row for row in rows if row[-1] == verdict] for verdict in (FAILED, UNDEFINED))
    verb = "are" if len(failed) > 1 else "is"
    sentence = (
        f"{len(failed) or 'none'} of {pluralize(len(rows), 'score')} {verb} significantly worse than in the baseline"
    )
    if failed:
        sentence += f": {join_names([f'{row[0]} by {row[1]} ({row[3]:.4g}, was {row[2]:.4g})' for row in failed])}"
    if undefined:
        names = join_names([f"{row[0]} by {row[1]}" for row in undefined])
        sentence += f"; {len(undefined)} cannot be compared, because undefined: {names}"
    if missing:
        count = pluralize(len(missing), "system")
        sentence += f"; {count} of the baseline cannot be compared, because missing: {join_names(missing)}"
    return Finding("check", sentence)
