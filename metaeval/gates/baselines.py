"""Compares the systems of a run with an earlier run of theirs: are any significantly worse?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.config import CheckConfig
from metaeval.errors import InputError, counted
from metaeval.experiment.blocks import in_blocks
from metaeval.experiment.findings import listed
from metaeval.experiment.item_study import ItemStudy
from metaeval.experiment.label_study import LabelStudy, runs_with_ids, score_runs
from metaeval.experiment.study import Part, Study
from metaeval.gates.baseline_items import REMEDY, Baseline
from metaeval.io.dataset import Track
from metaeval.model.labels import LabelledRuns, NumericRuns
from metaeval.model.report import Cell, Column, Finding, Kind, Report, Table
from metaeval.model.scores import ScoreCube
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.numeric_samples import NumericSamples
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.scoring.table import ItemSamples
from metaeval.stats.drops import max_t_drops
from metaeval.stats.intervals import percentile_interval

FAILED, UNDEFINED, PASSED = _VERDICTS = ("failed", "undefined", "passed")
_NUMBERS = ("earlier", "now", "difference", "low", "high", "p")

Rows = list[tuple[Cell, ...]]


def find_drops(study: Study, earlier: Report, *, path: str, track: Track) -> Part:
    """The systems of a study against an earlier run of theirs on the same items, by a paired bootstrap.

    Table `baseline`: system, measure, earlier, now, difference (now − earlier, as measured), low, high (its 95 %
    interval), p, verdict; the worst first. `failed`: significantly worse at the level `check.alpha`, which is the
    probability of any false alarm in the whole table. `undefined`: the score is undefined in one of the runs or in the
    resamples, or the system is only in the baseline. `passed`: neither, or undefined in both runs. Systems that only
    this run has are noted.

    earlier: with the items that `baseline_items.with_items` adds. path: its file, for messages. Other items, gold,
    scale or references are an `InputError`, and so is a baseline without any of the systems or measures.
    """
    settings = study.config.check or CheckConfig()
    if 1 / (settings.resamples + 1) > settings.alpha:
        found = f"{counted(settings.resamples, 'resample')}, with which p is never below the level {settings.alpha:g}"
        least = math.ceil(1 / settings.alpha) - 1
        raise InputError.at(found=found, expected=f"at least {least}", hint="increase resamples of check")
    study.check_measures()
    baseline = Baseline(earlier, path)
    baseline.check_comparable(study)
    if isinstance(study, ItemStudy):
        pairs = _pair_items(study, baseline)
    else:
        assert isinstance(study, LabelStudy)
        pairs = _pair_labels(study, baseline)
    # Observed differences are scored as the resamples are, so that rounding is the same on both sides of the test.
    observed = _differences(pairs.samples.score_samples(pairs.samples.multiplicities[np.newaxis]))[0]
    config = study.config
    plan = bootstrap(pairs.samples, replicates=settings.resamples, seed=config.seed, memory=config.block_memory)
    label = "Comparing with the baseline"
    drawn = np.concatenate(in_blocks(plan, _differences, workers=config.workers, track=track, doing=label))
    return _tabulate(pairs, observed, drawn, settings.alpha, len(study.items))


class _Pairs(NamedTuple):
    """Scores of both runs.

    samples: the items. scores: of the systems now and, after them, of the same systems earlier, (M, 2 S).
    missing: of systems that are only in the baseline. notes: on names that only one run has.
    """

    samples: Samples
    scores: ScoreCube
    missing: ScoreCube | None
    notes: list[str]


def _pair_labels(study: LabelStudy, baseline: Baseline) -> _Pairs:
    runs, measures = runs_with_ids(study, "a comparison with a baseline"), study.measures
    systems, predicted = baseline.predictions(runs)
    names, missing, notes = _match(runs.systems, systems, "system", baseline)
    now, before = dict(zip(runs.systems, runs.predicted, strict=True)), dict(zip(systems, predicted, strict=True))

    def runs_of(names: Sequence[str], rows: list[NDArray[Any]]) -> LabelledRuns | NumericRuns:
        changes: dict[str, Any] = {"systems": tuple(names), "predicted": np.array(rows)}
        return replace(runs, **changes)

    both = runs_of(names * 2, [*(now[name] for name in names), *(before[name] for name in names)])
    samples = NumericSamples(both, measures) if isinstance(both, NumericRuns) else LabelSamples(both, measures)
    lost = score_runs(runs_of(missing, [before[name] for name in missing]), measures) if missing else None
    return _Pairs(samples, score_runs(both, measures), lost, notes)


def _pair_items(study: ItemStudy, baseline: Baseline) -> _Pairs:
    scores = study.item_scores
    earlier = baseline.item_scores(scores)
    names, missing, notes = _match(scores.systems, earlier.systems, "system", baseline)
    measures, _, more_notes = _match(scores.measures, earlier.measures, "measure", baseline)
    values = scores.values[[scores.measures.index(measure) for measure in measures]]
    now, before = (
        dict(zip(each.systems, np.moveaxis(array, 1, 0), strict=True))
        for each, array in ((scores, values), (earlier, earlier.values))
    )
    rows = np.stack([*(now[name] for name in names), *(before[name] for name in names)], axis=1)
    both = replace(earlier, values=rows, systems=tuple(names * 2))
    lost = None
    if missing:
        rows = np.stack([before[name] for name in missing], axis=1)
        lost = replace(earlier, values=rows, systems=tuple(missing)).mean()
    return _Pairs(ItemSamples(both), both.mean(), lost, notes + more_notes)


def _match(now: Sequence[str], before: Sequence[str], what: str, baseline: Baseline) -> tuple[list[str], ...]:
    """The names of both runs, those that are missing now, and notes on the names of one run only."""
    both = [name for name in now if name in before]
    if not both:
        found, hint = f"a baseline with other {what}s ({listed(before)})", f"compare the same {what}s, or {REMEDY}"
        raise InputError.at(baseline.path, found=found, expected=f"some of {listed(now)}", hint=hint)
    new, missing = ([name for name in names if name not in both] for names in (now, before))
    only = {"this run": new, "the baseline": missing}
    notes = [
        f"{counted(len(names), what)} only in {where}, not compared: {listed(names)}"
        for where, names in only.items()
        if names
    ]
    return both, missing, notes


def _differences(cube: ScoreCube) -> NDArray[np.float64]:
    """Now − earlier, with the sign at which higher is better: (..., M, S)."""
    now, earlier = np.split(cube.oriented().values, 2, axis=-1)
    return np.asarray(now - earlier)


def _tabulate(
    pairs: _Pairs, observed: NDArray[np.float64], drawn: NDArray[np.float64], alpha: float, items: int
) -> Part:
    """The table, the method, and the finding. observed: (M, S). drawn: of resamples, (B, M, S)."""
    test = max_t_drops(observed.ravel(), drawn.reshape(len(drawn), -1))
    scores, p = pairs.scores, test.p.reshape(observed.shape)
    systems = scores.systems[: observed.shape[1]]
    now, earlier = np.split(scores.values, 2, axis=1)
    signs = np.array([direction.sign for direction in scores.directions])
    low, high = percentile_interval(drawn * signs[:, np.newaxis])
    numbers = np.stack([earlier, now, now - earlier, low, high, p], axis=-1)
    numbers[np.isnan(p), 3:5] = np.nan
    # A score that is undefined in both runs has lost nothing.
    unknown = np.where(np.isnan(earlier) & np.isnan(now), PASSED, UNDEFINED)
    verdicts = np.where(np.isnan(p), unknown, np.where(p <= alpha, FAILED, PASSED))
    ranks = np.array([_VERDICTS.index(verdict) for verdict in verdicts.ravel()])
    places = [divmod(place, len(systems)) for place in np.lexsort([-test.statistic, test.p, ranks]).tolist()]
    rows: Rows = [
        (systems[system], scores.measures[measure], *numbers[measure, system].tolist(), str(verdicts[measure, system]))
        for measure, system in places
    ]
    missing = _rows_of_missing(pairs.missing) if pairs.missing is not None else []
    names = list(dict.fromkeys(str(row[0]) for row in missing))
    title = f"Now and in the baseline: {counted(len(systems), 'system')} on {counted(items, 'item')}"
    table = Table(
        "baseline",
        title + (f", {counted(len(names), 'system')} missing" if names else ""),
        (*map(Column, ("system", "measure")), *(Column(name, Kind.SCORE) for name in _NUMBERS), Column("verdict")),
        tuple(sorted([*rows, *missing], key=lambda row: _VERDICTS.index(str(row[-1])))),
    )
    method = (
        f"baseline: paired bootstrap, {counted(len(drawn), 'resample')} of the items; p: one-sided, adjusted for "
        f"{counted(len(rows), 'comparison')} (max-t, Westfall & Young), so that {alpha:g} is the probability of any "
        "false alarm; low, high: 95 % interval of each difference by itself"
    )
    undefined = np.where(np.isnan(p), 0, np.isnan(drawn).sum(axis=0)).max(axis=1).tolist()
    notes = [
        f"{name} is undefined in up to {times:,} of {len(drawn):,} resamples, which are left out"
        for name, times in zip(scores.measures, undefined, strict=True)
        if times
    ]
    return Part([table], [*pairs.notes, method, *notes], [_finding(rows, names)])


def _rows_of_missing(scores: ScoreCube) -> Rows:
    """The earlier scores of systems that this run does not have."""
    unknown = (math.nan,) * (len(_NUMBERS) - 1)
    return [
        (system, measure, scores.values[row, column].item(), *unknown, UNDEFINED)
        for column, system in enumerate(scores.systems)
        for row, measure in enumerate(scores.measures)
    ]


def _finding(rows: Rows, missing: Sequence[str]) -> Finding:
    """The finding on the scores of both runs, and on the systems that this run does not have."""
    failed, undefined = ([row for row in rows if row[-1] == verdict] for verdict in (FAILED, UNDEFINED))
    sentence = f"{len(failed) or 'none'} of {counted(len(rows), 'score')} {'are' if len(failed) > 1 else 'is'} "
    sentence += "significantly worse than in the baseline"
    if failed:
        sentence += f": {listed([f'{row[0]} by {row[1]} ({row[3]:.4g}, was {row[2]:.4g})' for row in failed])}"
    if undefined:
        names = listed([f"{row[0]} by {row[1]}" for row in undefined])
        sentence += f"; {len(undefined)} cannot be compared, because undefined: {names}"
    if missing:
        count = counted(len(missing), "system")
        sentence += f"; {count} of the baseline cannot be compared, because missing: {listed(missing)}"
    return Finding("check", sentence)
