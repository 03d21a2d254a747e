"""Have systems become worse than in an earlier run?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import listed
from metaeval.config import CheckConfig, ExperimentConfig
from metaeval.errors import InputError, counted
from metaeval.experiment.baseline_items import REMEDY, Baseline
from metaeval.io.dataset import Track
from metaeval.model.labels import LabelledRuns, NumericRuns
from metaeval.model.report import Cell, Column, Finding, Kind, Report, Table
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.numeric_samples import NumericSamples
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.scoring.table import ItemSamples
from metaeval.stats.drops import max_t_drops
from metaeval.stats.intervals import percentile_interval
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy, runs_with_ids, score_runs
from metaeval.study.study import Part, Study
from metaeval.work.blocks import in_blocks

Numbers = NDArray[np.float64]

FAILED, UNDEFINED, PASSED = "failed", "undefined", "passed"
_WORST_FIRST = (FAILED, UNDEFINED, PASSED)
_NUMBERS = ("earlier", "now", "difference", "low", "high", "p")


def find_drops(study: Study, earlier: Report, *, path: str, track: Track) -> Part:
    """The systems of a study against an earlier run of theirs on the same items, by a paired bootstrap.

    Table `baseline`: system, measure, earlier, now, difference (now − earlier, as measured), low, high (the middle
    95 % of it), p, verdict; the worst first. `failed`: significantly worse at the level `check.alpha`, which is the
    chance of any false alarm in the whole table. `undefined`: the score is undefined now or was, or it is in the
    samples; what is not known can't be passed. So are all scores of a system that only the baseline has. `passed`:
    neither, or undefined in both runs, so that nothing is lost. A system that only this run has is noted.

    earlier: with the items that `baseline_items.with_items` adds. path: of it, for messages. Other items, gold, scale,
    references are an `InputError`, and so is a baseline without any of the systems or measures.
    """
    wanted = study.config.check or CheckConfig()
    if 1 / (wanted.resamples + 1) > wanted.alpha:
        raise InputError.at(
            found=f"{counted(wanted.resamples, 'resample')}, with which p is never below the level {wanted.alpha:g}",
            expected=f"at least {math.ceil(1 / wanted.alpha) - 1}",
            hint="raise --resamples, or 'resamples:' under 'check:' in the config",
        )
    study.check_measures()
    baseline = Baseline(earlier, path)
    baseline.check_comparable(study)
    paired, notes = _pair(study, baseline)
    part = _compare(paired, study.config, wanted, track).part(wanted.alpha, len(study.items))
    return part.after(notes=notes)


@dataclass(frozen=True)
class _Paired:
    """Runs of now and, after them, the earlier ones of the same systems.

    scores: of all items, (M, 2 S). gone: earlier ones of systems that are not there now; None where all are.
    """

    samples: Samples
    scores: ScoreCube
    gone: ScoreCube | None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.scores.systems[: len(self.scores.systems) // 2]


def _pair(study: Study, baseline: Baseline) -> tuple[_Paired, list[str]]:
    """The systems that both have, those that are gone, and what to say of the others."""
    if isinstance(study, ItemStudy):
        return _pair_scores(study.item_scores, baseline)
    assert isinstance(study, LabelStudy)
    runs, measures = runs_with_ids(study, "a comparison with a baseline"), study.measures
    systems, predicted = baseline.predictions(runs)
    shared = _shared(runs.systems, systems, "system", baseline)
    lost = _runs_like(runs, [systems[place] for place in shared.gone], predicted[shared.gone])
    both = _runs_like(
        runs,
        [runs.systems[place] for place in shared.now] * 2,
        np.concatenate([runs.predicted[shared.now], predicted[shared.before]]),
    )
    samples = NumericSamples(both, measures) if isinstance(both, NumericRuns) else LabelSamples(both, measures)
    gone = score_runs(lost, measures) if lost.systems else None
    return _Paired(samples, score_runs(both, measures), gone), shared.notes


def _runs_like(
    runs: LabelledRuns | NumericRuns, systems: Sequence[str], predicted: NDArray[Any]
) -> LabelledRuns | NumericRuns:
    """Runs of other systems on the same items; predicted: (S, N)."""
    if isinstance(runs, NumericRuns):
        return replace(runs, predicted=predicted, systems=tuple(systems))
    return replace(runs, predicted=predicted, systems=tuple(systems))


def _pair_scores(scores: ItemScores, baseline: Baseline) -> tuple[_Paired, list[str]]:
    earlier = baseline.item_scores(scores)
    shared = _shared(scores.systems, earlier.systems, "system", baseline)
    measures = _shared(scores.measures, earlier.measures, "measure", baseline)
    both = np.concatenate([scores.values[measures.now][:, shared.now], earlier.values[:, shared.before]], axis=1)
    names = tuple(scores.systems[place] for place in shared.now) * 2
    # Laid out as what was read, so that sums are the same to the last digit.
    paired = replace(earlier, values=np.ascontiguousarray(both), systems=names)
    lost = tuple(earlier.systems[place] for place in shared.gone)
    values = np.ascontiguousarray(earlier.values[:, shared.gone])
    gone = replace(earlier, values=values, systems=lost).mean() if lost else None
    return _Paired(ItemSamples(paired), paired.mean(), gone), [*shared.notes, *measures.notes]


class _Shared(NamedTuple):
    """Where the names that both have stand among those of now and before, those that are gone, notes on the others."""

    now: list[int]
    before: list[int]
    gone: list[int]
    notes: list[str]


def _shared(now: Sequence[str], before: Sequence[str], what: str, baseline: Baseline) -> _Shared:
    """Match names; at least one has to be in both."""
    both = [name for name in now if name in before]
    if not both:
        raise InputError.at(
            baseline.path,
            found=f"a baseline with other {what}s ({listed(before)})",
            expected=f"some of {listed(now)}",
            hint=f"compare runs of the same {what}s, or {REMEDY}",
        )
    new, gone = [name for name in now if name not in both], [name for name in before if name not in both]
    notes = [
        f"{counted(len(names), what)} only in {where}, not compared: {listed(names)}"
        for names, where in ((new, "this run"), (gone, "the baseline"))
        if names
    ]
    places = [before.index(name) for name in both]
    return _Shared([now.index(name) for name in both], places, [before.index(name) for name in gone], notes)


def _compare(paired: _Paired, config: ExperimentConfig, wanted: CheckConfig, track: Track) -> _Comparison:
    # As the samples are scored, so that rounding is the same on both sides of the test.
    whole = paired.samples.score_samples(paired.samples.multiplicities[np.newaxis])
    observed = _differences(whole)[0]
    plan = bootstrap(paired.samples, replicates=wanted.resamples, seed=config.seed, memory=config.block_memory)
    drawn = np.concatenate(
        in_blocks(plan, _differences, workers=config.workers, track=track, doing="Comparing with the baseline")
    )
    test = max_t_drops(observed.ravel(), drawn.reshape(len(drawn), -1))
    shape = observed.shape
    return _Comparison(paired, drawn, test.statistic.reshape(shape), test.p.reshape(shape))


def _differences(cube: ScoreCube) -> Numbers:
    """Now − earlier, turned so that higher is better: (..., M, S)."""
    values = cube.oriented().values
    systems = len(cube.systems) // 2
    return np.asarray(values[..., :systems] - values[..., systems:])


@dataclass(frozen=True)
class _Comparison:
    """What was found. drawn: differences of samples, higher is better, (B, M, S). statistic, p: (M, S)."""

    paired: _Paired
    drawn: Numbers
    statistic: Numbers
    p: Numbers

    def part(self, alpha: float, items: int) -> Part:
        """The table, and what to say of it."""
        rows = self._rows(alpha)
        gone = self.paired.gone.systems if self.paired.gone is not None else ()
        title = f"Now and in the baseline: {counted(len(self.paired.systems), 'system')} on {counted(items, 'item')}"
        table = Table(
            "baseline",
            title + (f", {counted(len(gone), 'system')} gone" if gone else ""),
            (
                Column("system"),
                Column("measure"),
                *(Column(name, Kind.SCORE) for name in _NUMBERS),
                Column("verdict"),
            ),
            tuple(sorted((*rows, *self._rows_of_gone()), key=lambda row: _WORST_FIRST.index(str(row[-1])))),
        )
        method = (
            f"baseline: paired bootstrap, {counted(len(self.drawn), 'sample')} of the items; p: one-sided, adjusted "
            f"for {counted(len(rows), 'comparison')} (max-t, Westfall & Young), so that {alpha:g} is the chance of any "
            "false alarm; low and high bound the middle 95 % of each difference by itself"
        )
        return Part([table], [method, *self._undefined_notes()], [_finding(rows, gone)])

    def _rows(self, alpha: float) -> tuple[tuple[Cell, ...], ...]:
        scores = self.paired.scores
        systems = self.paired.systems
        now, earlier = scores.values[:, : len(systems)], scores.values[:, len(systems) :]
        signs = np.array([direction.sign for direction in scores.directions])
        low, high = percentile_interval(self.drawn * signs[:, np.newaxis])
        verdicts = _verdicts(earlier, now, self.p, alpha)
        numbers = np.stack([earlier, now, now - earlier, low, high, self.p], axis=-1)
        numbers[np.isnan(self.p), 3:5] = np.nan
        # What is undefined comes last among those of its verdict.
        kinds = np.array([_WORST_FIRST.index(verdict) for verdict in verdicts])
        worst = np.lexsort([-self.statistic.ravel(), self.p.ravel(), kinds])
        places = [divmod(place, len(systems)) for place in worst.tolist()]
        return tuple(
            (systems[system], scores.measures[measure], *numbers[measure, system].tolist(), verdicts[place])
            for (measure, system), place in zip(places, worst.tolist(), strict=True)
        )

    def _rows_of_gone(self) -> Iterator[tuple[Cell, ...]]:
        """What they scored; of now there is nothing to be told."""
        if self.paired.gone is None:
            return
        scores = self.paired.gone
        unknown = (math.nan,) * (len(_NUMBERS) - 1)
        for place, system in enumerate(scores.systems):
            for measure, earlier in zip(scores.measures, scores.values[:, place].tolist(), strict=True):
                yield system, measure, earlier, *unknown, UNDEFINED

    def _undefined_notes(self) -> list[str]:
        undefined = np.where(np.isnan(self.p), 0, np.isnan(self.drawn).sum(axis=0)).max(axis=1)
        return [
            f"{name} is undefined in up to {times:,} of {len(self.drawn):,} samples, which are left out"
            for name, times in zip(self.paired.scores.measures, undefined.tolist(), strict=True)
            if times
        ]


def _verdicts(earlier: Numbers, now: Numbers, p: Numbers, alpha: float) -> list[str]:
    """A verdict for each measure and system, those of a measure together."""
    known = np.where(p <= alpha, FAILED, PASSED)
    # What was undefined and still is has lost nothing.
    unknown = np.where(np.isnan(earlier) & np.isnan(now), PASSED, UNDEFINED)
    verdicts: list[str] = np.where(np.isnan(p), unknown, known).ravel().tolist()
    return verdicts


def _finding(rows: Sequence[tuple[Cell, ...]], gone: Sequence[str]) -> Finding:
    """rows: of what was compared. gone: the systems that only the baseline has."""
    failed = [row for row in rows if row[-1] == FAILED]
    undefined = [row for row in rows if row[-1] == UNDEFINED]
    told = [f"{row[0]} by {row[1]} ({row[3]:.4g}, was {row[2]:.4g})" for row in failed]
    worse = f"{len(failed)} of {counted(len(rows), 'score')}" if failed else f"none of {counted(len(rows), 'score')}"
    verb = "are" if len(failed) > 1 else "is"
    sentence = f"{worse} {verb} significantly worse than in the baseline"
    sentence += f": {listed(told)}" if failed else ""
    if undefined:
        named = listed([f"{row[0]} by {row[1]}" for row in undefined])
        sentence += f"; {len(undefined)} can't be compared, because undefined: {named}"
    if gone:
        sentence += f"; {counted(len(gone), 'system')} of the baseline can't be compared, because gone: {listed(gone)}"
    return Finding("check", sentence)
