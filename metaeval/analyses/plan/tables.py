"""Tables, notes and findings of `plan`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaeval.analyses.plan.compute import LARGE_SHARE, Goal, ranking_goal, share_text
from metaeval.analyses.plan.items import MAX_FACTOR
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.analyses.sentences import join_names
from metaeval.errors import pluralize, setting
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.study.human import HumanScores, human_scores_of
from metaeval.study.study import AnalysisOutput, Study, no_progress

MIN_ITEMS = 30
"""With fewer items a plan has no finding."""

MIN_RESAMPLES = 50
"""With fewer resamples, the middle 95 % is nearly the whole range."""


def tabulate(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> AnalysisOutput:
    """Tables, notes and findings of `plan`."""
    human = human_scores_of(study, progress=no_progress) if study.config.data.human else None
    units = join_names(list(dict.fromkeys(goal.unit for goal in result)))
    main = Table(
        "plan",
        f"Required numbers of {units}, estimated from a pilot of {_pilot(study, human)}",
        (
            *columns(Kind.TEXT, "measure", "goal", "unit"),
            *(*columns(Kind.COUNT, "needed", "low", "high"), Column("now", Kind.SCORE)),
        ),
        tuple(_row(goal) for goal in result),
    )
    heads = (Column("measure"), Column("goal"), Column("n", Kind.COUNT), *columns(Kind.SCORE, "value", "low", "high"))
    rows = tuple(row for goal in result for row in _curve(goal))
    curve = Table("plan_curve", "Values of other amounts", heads, rows, detail=True)
    output = AnalysisOutput([main, curve], _notes(study, settings, result), _findings(study, settings, result))
    return output if human is None else output.after(notes=human.notes, files=human.files)


def _pilot(study: Study, human: HumanScores | None) -> str:
    pilot = f"{pluralize(len(study.systems), 'system')} on {pluralize(len(study.items), 'item')}"
    return pilot if human is None else f"{pilot}, {pluralize(len(human.ratings.measures), 'annotator')}"


def _row(goal: Goal) -> tuple[Cell, ...]:
    required = goal.requirement
    amounts = (_whole(amount) for amount in (required.needed, required.low, required.high))
    return (goal.measure, goal.text, goal.unit, *amounts, required.now)


def _whole(amount: float) -> int | None:
    return math.ceil(amount) if math.isfinite(amount) else None


def _curve(goal: Goal) -> list[tuple[Cell, ...]]:
    required = goal.requirement
    columns = [column.tolist() for column in (required.sizes, required.value, required.lows, required.highs)]
    text = goal.text if goal.unit == "items" else f"{goal.text}, {goal.unit}"
    return [(goal.measure, text, round(size), *row) for size, *row in zip(*columns, strict=True)]


def _notes(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[str]:
    resamples = pluralize(settings.resamples, "resample")
    tau = (
        "tau: expected value between the rankings on two new test sets of that size, after differences of systems are "
        "corrected for chance; systems are assumed to be independent draws, some of which are close together: if they "
        "are evenly spaced, fewer items are enough, possibly fewer than low"
    )
    power = (
        f"power: of a paired test of two of these systems at {settings.alpha:g}, for the median pair of systems; "
        f"{share_text(LARGE_SHARE)} of pairs: for all but the pairs whose differences vary most"
    )
    interval = f"low, high: 95 % bootstrap interval ({resamples} of the pilot); now: the value at the size of the pilot"
    notes = [interval, tau, power]
    if any(goal.unit == "systems" for goal in result):
        notes.append(
            "interval: 95 % interval of the correlation with human scores over systems, if that number of systems or "
            "annotators is drawn from those of the pilot"
        )
    return [*notes, *_warnings(study, settings, result)]


def _warnings(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[str]:
    warnings = []
    if len(study.items) < MIN_ITEMS:
        warnings.append(
            f"{pluralize(len(study.items), 'item')} are too few to estimate how scores vary between items: the plan "
            "is a rough guess, and has no finding"
        )
    if settings.resamples < MIN_RESAMPLES:
        few = f"{pluralize(settings.resamples, 'resample')} {'is' if settings.resamples == 1 else 'are'} too few"
        warnings.append(f"{few} for low and high; use {setting('resamples', MIN_RESAMPLES)} or more")
    infinite = [goal for goal in result if math.isinf(goal.requirement.needed) or math.isinf(goal.requirement.high)]
    if infinite:
        units = join_names(list(dict.fromkeys(goal.unit for goal in infinite)))
        warnings.append(f"—: more than {MAX_FACTOR} times the {units} of the pilot, which is too far to extrapolate")
    undefined = [name for name, rows in zip(study.measure_names, study.scores.undefined.tolist(), strict=True) if rows]
    if undefined:
        warnings.append(f"systems without a score are left out: {join_names(undefined)}")
    for missing in dict.fromkeys(goal.missing for goal in result if goal.missing):
        names = dict.fromkeys(goal.measure for goal in result if goal.missing == missing)
        warnings.append(f"{join_names(list(names))}: {missing}")
    return warnings


def _findings(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[Finding]:
    if len(study.items) < MIN_ITEMS:
        return []
    purposes = {
        f"for rankings by {{measure}} to agree with tau {settings.tau:g}": [
            goal for goal in result if goal.text == ranking_goal(settings)
        ],
        f"to estimate the correlation of {{measure}} with human scores to an interval of width "
        f"{settings.interval_width:g}": [goal for goal in result if goal.unit == "systems"],
    }
    sentences = [_sentence(goals, purpose) for purpose, goals in purposes.items()]
    return [Finding("plan", sentence) for sentence in sentences if sentence]


def _sentence(goals: Sequence[Goal], purpose: str) -> str:
    """The smallest and the largest amount that a measure requires; purpose: with '{measure}' in it."""
    known = [goal for goal in goals if not math.isnan(goal.requirement.needed)]
    if not known:
        return ""
    known.sort(key=lambda goal: goal.requirement.needed)
    least, most = known[0], known[-1]
    amount, low, high = (_whole(getattr(least.requirement, name)) for name in ("needed", "low", "high"))
    beyond = f"more than {MAX_FACTOR} times the pilot"
    if amount is None:
        measure = "any measure" if len(goals) > 1 else least.measure
        return f"{MAX_FACTOR} times as many {least.unit} are not enough {purpose.format(measure=measure)}"
    interval = f"95 % interval: {low:,} to {beyond if high is None else f'{high:,}'}"
    text = f"{amount:,} {least.unit} ({interval}) are enough {purpose.format(measure=least.measure)}"
    if least is most:
        return text
    largest = _whole(most.requirement.needed)
    return f"{text}; {most.measure} requires {beyond if largest is None else f'{largest:,}'}"
