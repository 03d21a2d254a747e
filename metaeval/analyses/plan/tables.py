"""The tables of `plan`, and what to say of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaeval.analyses.plan.compute import MOST_PAIRS, Goal, ranking_goal, share_text
from metaeval.analyses.plan.items import BEYOND
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.study.differences import MIN_ITEMS
from metaeval.study.human import People, people_of
from metaeval.study.study import Part, Study, silently

FEW_RESAMPLES = 50
"""Of fewer, the middle 95 % is next to the whole range."""


UNITS = ("items", "systems", "annotators")


def tabulate(study: Study, settings: PlanSettings, found: Sequence[Goal]) -> Part:
    """The tables of `plan`, and what to say of them."""
    people = people_of(study, track=silently) if study.config.data.human else None
    title = f"What is enough, by a pilot of {_pilot(study, people)}"
    main = Table(
        "plan",
        title,
        (
            *(Column(name) for name in ("measure", "goal", "unit")),
            *(Column(name, Kind.COUNT) for name in ("needed", "low", "high")),
            Column("now", Kind.SCORE),
        ),
        tuple(_row(goal) for goal in found),
    )
    curve = Table(
        "plan_curve",
        "What other amounts would do",
        (
            *(Column(name) for name in ("measure", "goal")),
            Column("n", Kind.COUNT),
            *(Column(name, Kind.SCORE) for name in ("value", "low", "high")),
        ),
        tuple(row for goal in found for row in _curve(goal)),
        detail=True,
    )
    notes = [*(people.notes if people is not None else ()), *_notes(study, settings, found)]
    return Part([main, curve], notes, _findings(study, settings, found), people.files if people is not None else ())


def _pilot(study: Study, people: People | None) -> str:
    systems, items = counted(len(study.systems), "system"), counted(len(study.items), "item")
    if people is None:
        return f"{systems} on {items}"
    return f"{systems} on {items}, {counted(len(people.ratings.measures), 'annotator')}"


def _row(goal: Goal) -> tuple[Cell, ...]:
    planned = goal.planned
    amounts = (_whole(amount) for amount in (planned.needed, planned.low, planned.high))
    return (goal.measure, goal.text, goal.unit, *amounts, planned.now)


def _whole(amount: float) -> int | None:
    return math.ceil(amount) if math.isfinite(amount) else None


def _curve(goal: Goal) -> list[tuple[Cell, ...]]:
    planned = goal.planned
    columns = (planned.sizes, planned.value, planned.lows, planned.highs)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    told = goal.text if goal.unit == "items" else f"{goal.text}, {goal.unit}"
    return [(goal.measure, told, round(size), value, low, high) for size, value, low, high in rows]


def _notes(study: Study, settings: PlanSettings, found: Sequence[Goal]) -> list[str]:
    units = {goal.unit for goal in found}
    resamples = counted(settings.resamples, "resample")
    bounds = (
        f"low and high bound the middle 95 % of what is likely by {resamples} of the pilot; now: what its own size does"
    )
    agreeing = (
        "tau: between the rankings on two new test sets of that size, on average; what chance adds to differences of "
        "systems is taken off, and systems are taken for independent draws, some of which lie close together: where "
        "they are evenly spaced, fewer items do, perhaps fewer than low"
    )
    found_in = (
        f"power: of a paired test of two of these systems at {settings.alpha:g}, by the median pair of systems; "
        f"{share_text(MOST_PAIRS)} of pairs: enough for all but those whose difference varies most"
    )
    notes = [bounds, agreeing, found_in]
    if "systems" in units:
        notes.append(
            "interval: of the correlation with people over systems, with so many systems or annotators drawn from the "
            "pilot's and all else the same"
        )
    return [*notes, *_warnings(study, settings, found)]


def _warnings(study: Study, settings: PlanSettings, found: Sequence[Goal]) -> list[str]:
    warnings = []
    if len(study.items) < MIN_ITEMS:
        warnings.append(
            f"{counted(len(study.items), 'item')} tell little of how items differ: the plan is a rough guess, and no "
            "finding"
        )
    resamples = settings.resamples
    if resamples < FEW_RESAMPLES:
        warnings.append(
            f"{counted(resamples, 'resample')}: too few to trust low and high; take {FEW_RESAMPLES} or more"
        )
    units = {goal.unit for goal in found if math.isinf(goal.planned.needed) or math.isinf(goal.planned.high)}
    if units:
        named = ", ".join(unit for unit in UNITS if unit in units)
        warnings.append(f"—: more than {BEYOND} times the {named} of the pilot, beyond which it tells too little")
    undefined = [name for name, rows in zip(study.measure_names, study.scores.undefined.tolist(), strict=True) if rows]
    if undefined:
        warnings.append(f"systems without a score are left out: {listed(undefined)}")
    for missing in dict.fromkeys(goal.missing for goal in found if goal.missing):
        names = dict.fromkeys(goal.measure for goal in found if goal.missing == missing)
        warnings.append(f"{listed(list(names))}: {missing}")
    return warnings


def _findings(study: Study, settings: PlanSettings, found: Sequence[Goal]) -> list[Finding]:
    if len(study.items) < MIN_ITEMS:
        return []
    ranking = [goal for goal in found if goal.text == ranking_goal(settings)]
    systems = [goal for goal in found if goal.unit == "systems"]
    sentences = [
        _sentence(ranking, "for rankings by {measure} to agree by tau " + f"{settings.tau:g}"),
        _sentence(
            systems,
            "to know how {measure} correlates with people to an interval of width " + f"{settings.interval_width:g}",
        ),
    ]
    return [Finding("plan", sentence) for sentence in sentences if sentence]


def _sentence(goals: Sequence[Goal], purpose: str) -> str:
    """How much the measure takes that takes least, and the one that takes most; purpose: with '{measure}' in it."""
    known = sorted(
        (goal for goal in goals if not math.isnan(goal.planned.needed)), key=lambda goal: goal.planned.needed
    )
    if not known:
        return ""
    least, most = known[0], known[-1]
    amount, low, high = _row(least)[3:6]
    if not isinstance(amount, int):
        whom = "any measure" if len(goals) > 1 else least.measure
        return f"{BEYOND} times as many {least.unit} are not enough {purpose.format(measure=whom)}"
    interval = f"95 % {low:,} to {high:,}" if high is not None else f"95 % from {low:,} on"
    told = f"{amount:,} {least.unit} ({interval}) are enough {purpose.format(measure=least.measure)}"
    if least is most:
        return told
    worst = _whole(most.planned.needed)
    return (
        f"{told}; {most.measure} takes {f'{worst:,}' if worst is not None else f'more than {BEYOND} times the pilot'}"
    )
