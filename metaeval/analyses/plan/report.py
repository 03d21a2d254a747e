"""Tables, notes and findings of `plan`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.plan.compute import LARGE_SHARE, Goal, Purpose
from metaeval.analyses.plan.goals import DRAWS, MAX_FACTOR, Requirement
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.analyses.sentences import all_or_names, components_of, join_names, table_of_designs
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import Clusters
from metaeval.model.report import Finding, Note, Table, count, counts, score, table, text
from metaeval.model.works import cite
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import numbers, rows_by
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.lines import MAX_LINES, Curve, LinePanel, LinePlot
from metaeval.study.capabilities import REPLICATES
from metaeval.study.evidence import methods_of_tests, notes_on_clusters
from metaeval.study.human import HumanScores, human_scores_of
from metaeval.study.study import AnalysisOutput, Study, no_progress, untested_notes

MIN_ITEMS = 30
"""With fewer items a plan is a rough guess."""

MIN_TAU = 0.65
"""Of rankings on the pilot; with less, simulated systems in groups look like ones that are not, and the tau of eight
times as many items is overestimated by 0.2."""

MIN_RESAMPLES = 50
"""With fewer resamples, the middle 95 % is nearly the whole range."""


def tabulate(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> AnalysisOutput:
    """Tables, notes and findings of `plan`."""
    human = human_scores_of(study, progress=no_progress) if study.config.data.human else None
    # Where no number is known, the goal for the median pair of systems says why.
    result = [goal for goal in result if not (goal.missing and goal.purpose is Purpose.MOST_DIFFERENCES)]
    units = list(dict.fromkeys(goal.unit for goal in result))
    requirements = [goal.requirement for goal in result]
    estimates, low, high = zip(*map(amounts, requirements), strict=True)
    main = table(
        "plan",
        f"Required numbers of {join_names(units)}, estimated from {_pilot(study, human)}",
        text("measure", [goal.measure for goal in result]),
        text("goal", [goal.text for goal in result]),
        text("unit", [goal.unit for goal in result], detail=True),
        count("needed", estimates, about="amount that the goal requires", detail=True),
        *counts(("low", "high"), (low, high), about="95 % interval", detail=True),
        count(
            "limit",
            [math.floor(requirement.most) if math.isfinite(requirement.most) else None for requirement in requirements],
            about="largest amount that is extrapolated to",
            detail=True,
        ),
        score(
            "now", [goal.requirement.now for goal in result], about="the value at the size of the pilot", detail=True
        ),
        *(
            count(f"clusters of {clusters.column}", [_clusters(study, goal, clusters) for goal in result], detail=True)
            for clusters in study.origin.clusters
        ),
        text(
            "required",
            [amount_text(goal, with_unit=len(units) > 1) for goal in result],
            about="the amount that is enough (95 % interval)",
        ),
    )
    notes = _notes(study, settings, result)
    tables = [main, _curves(result)]
    if study.has(REPLICATES) and len(study.origin.clusters) < 2:
        tables.append(table_of_designs(study, components_of(study, "a plan of runs"), "plan_designs"))
    findings, methods = _findings(study, settings, result), _methods(study, settings, result)
    output = AnalysisOutput(tables, notes, findings, methods=methods)
    return output if human is None else output.after(notes=human.notes, files=human.files)


def _curves(result: Sequence[Goal]) -> Table:
    """The values of other amounts."""
    names, goals, sizes = [], [], []
    for goal in result:
        curve_sizes = goal.requirement.sizes.tolist()
        names += [goal.measure for _ in curve_sizes]
        goals += [goal.text if goal.unit == "items" else f"{goal.text}, {goal.unit}" for _ in curve_sizes]
        sizes += [round(amount) for amount in curve_sizes]
    return table(
        "plan_curve",
        "Values of other amounts",
        text("measure", names),
        text("goal", goals),
        count("n", sizes, about="amount in the unit of the goal"),
        score(
            "value",
            np.concatenate([goal.requirement.value for goal in result]),
            about="what the goal is about, with that amount",
        ),
        score("low", np.concatenate([goal.requirement.lows for goal in result])),
        score("high", np.concatenate([goal.requirement.highs for goal in result])),
        detail=True,
    )


def _methods(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[str]:
    result = [goal for goal in result if not goal.missing]
    correlation_goals = [goal for goal in result if goal.purpose is Purpose.DIFFERENCE_OF_CORRELATIONS]
    item_goals = [
        goal for goal in result if goal.unit == "items" and goal.purpose is not Purpose.DIFFERENCE_OF_CORRELATIONS
    ]
    sentences = []
    if item_goals and len(study.systems) > 1:
        subject = f"The differences of all systems ({math.comb(len(study.systems), 2):,} pairs)"
        tau = (
            "The expected tau between the rankings on two test sets of half of the items was computed from these "
            "differences in standard errors, and extended to other numbers of items as a line in the log odds of "
            "sin(π τ / 2), whose slope is shrunk towards 1."
        )
        sentences = [*methods_of_tests(study, subject, permutations=settings.permutations), tau]
    if len(study.systems) > 1 and any(goal.purpose is not Purpose.RANKING for goal in item_goals):
        sentences.append(f"Power is that of the same test, adjusted for all pairs at {settings.alpha:g}.")
    units = list(dict.fromkeys(goal.unit for goal in result if goal.purpose is Purpose.CORRELATION))
    if units:
        sampling = f"Numbers of {join_names(units)} were planned by drawing them from the pilot with replacement"
        resamples = pluralize(settings.resamples, "bootstrap resample")
        sentences.append(f"{sampling} {DRAWS:,} times, with {resamples} for the intervals (seed {study.config.seed}).")
    if correlation_goals:
        sentences.append(
            f"Power for a difference of {settings.correlation_delta:g} between two measures' Pearson correlations with "
            f"human scores is that of a permutation test {cite('deutsch2021')} that swaps whole systems (two-sided, "
            f"{settings.alpha:g}); the variance of the difference was estimated by jackknives over systems and items."
        )
    return sentences


def _pilot(study: Study, human: HumanScores | None) -> str:
    pilot = f"{pluralize(len(study.systems), 'system')} on {pluralize(len(study.items), 'item')}"
    groups = [f"{len(clusters.sizes):,} of {clusters.column}" for clusters in study.origin.clusters]
    pilot += f" (clusters: {', '.join(groups)})" if groups else ""
    return pilot if human is None else f"{pilot}, {pluralize(len(human.ratings.measures), 'annotator')}"


def amounts(requirement: Requirement) -> tuple[int | None, ...]:
    """The amount that is required, and its interval; None beyond the largest amount."""
    return _whole(requirement.amount), _whole(requirement.low), _whole(requirement.high)


def amount_text(goal: Goal, *, with_unit: bool = False) -> str:
    """What a goal requires with its interval in parentheses, or why no number is known."""
    requirement, (estimate, low, high) = goal.requirement, amounts(goal.requirement)
    if math.isnan(requirement.amount):
        return goal.missing
    if estimate is not None:
        at_most = "at most " if requirement.amount <= requirement.least else ""
        amount = at_most + (pluralize(estimate, goal.unit.removesuffix("s")) if with_unit else f"{estimate:,}")
    elif math.isfinite(requirement.most):
        amount = f"> {math.floor(requirement.most):,}{f' {goal.unit}' if with_unit else ''}"
    else:
        amount = "never enough"
    interval = _interval(requirement)
    return f"{amount} ({interval})" if interval and (low, high) != (estimate, estimate) else amount


def _interval(requirement: Requirement) -> str:
    """The 95 % interval of an amount, of which an end may be unknown; '' where both are."""
    low, high = _whole(requirement.low), _whole(requirement.high)
    has_low = low is not None and not requirement.low <= requirement.least
    if high is None:
        return f"from {low:,}" if has_low else ""
    return f"{low:,} to {high:,}" if has_low else f"up to {high:,}"


def _clusters(study: Study, goal: Goal, clusters: Clusters) -> int | None:
    """The clusters that the required items are in, if clusters stay as large as in the pilot."""
    if goal.unit != "items":
        return None
    return _whole(goal.requirement.amount / len(study.items) * len(clusters.sizes))


def _whole(amount: float) -> int | None:
    """An amount as a whole number; None beyond the largest amount."""
    return math.ceil(amount) if math.isfinite(amount) else None


def _notes(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[Note | str]:
    tau = (
        "tau: expected value between the rankings on two new test sets of that size; beyond half of the pilot the log "
        "odds of the reliability sin(π τ / 2) are extended as a line in log n"
    )
    power = (
        f"power: of the test of compare and power, adjusted for all pairs at {settings.alpha:g}, for the median pair "
        f"of systems; {100 * LARGE_SHARE:.0f} % of pairs: for all but the pairs whose differences vary most"
    )
    notes: list[Note | str] = [tau, power]
    if len(study.systems) == 1:
        notes = [
            "score: until the 95 % interval of the score of the system is so wide, if other items vary as these do"
        ]
    elif settings.delta is None:
        notes.append("difference: what 1 % of the items made wrong costs the measure")
    if any(goal.purpose is Purpose.CORRELATION for goal in result):
        resamples = pluralize(settings.resamples, "bootstrap resample")
        notes.append(
            "interval: 95 % interval of the correlation with human scores over systems, if that number of systems "
            f"or annotators is drawn from those of the pilot; its low, high: {resamples}"
        )
    if any(goal.purpose is Purpose.DIFFERENCE_OF_CORRELATIONS for goal in result):
        notes.append(
            "difference in correlation: of Pearson's r with human scores at level system, from the median other "
            f"measure, by the test systems of correlate (two-sided, {settings.alpha:g}); new systems and items vary as "
            "those of the pilot, the difference is that on data of the new size, and errors on an item are independent "
            "between systems; items: with the systems of the pilot; systems: with its items; low, high: as for normal "
            "scores"
        )
    if study.origin.clusters:
        notes.append("needed clusters: if clusters stay as large as in the pilot; new items are in new clusters")
    return [*notes, *notes_on_clusters(study), *_warnings(study, settings, result)]


def _warnings(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[str]:
    warnings = []
    if settings.resamples < MIN_RESAMPLES and any(goal.purpose is Purpose.CORRELATION for goal in result):
        few = f"{pluralize(settings.resamples, 'resample')} {'is' if settings.resamples == 1 else 'are'} too few"
        warnings.append(
            f"{few} for low and high of systems and annotators; use {setting('resamples', MIN_RESAMPLES)} or more"
        )
    never = [goal for goal in result if math.isinf(goal.requirement.most)]
    if never:
        names = join_names([goal.measure for goal in never])
        warnings.append(
            f"{names}: no number of items is enough for a {never[0].text}, because with "
            f"{pluralize(len(study.systems), 'system')} the variation between systems remains: see systems"
        )
    ends = [goal.requirement for goal in result if not math.isinf(goal.requirement.most)]
    if any(math.isinf(requirement.amount) or math.isinf(requirement.high) for requirement in ends):
        warnings.append(f"numbers above {MAX_FACTOR} times those of the pilot are too far to extrapolate to")
    if any(requirement.low <= requirement.least for requirement in ends):
        warnings.append("at most, up to: smaller numbers are not considered, so that needed and low are upper bounds")
    unstable = [goal.measure for goal in result if goal.purpose is Purpose.RANKING and goal.requirement.now < MIN_TAU]
    if unstable:
        warnings.append(
            "if systems come in groups, larger numbers of items may have a tau lower by 0.2 than planned for "
            f"{join_names(unstable)}: rankings with an expected tau (now) below {MIN_TAU:g} do not show groups"
        )
    return [*warnings, *untested_notes(study, "the plan")]


def _findings(study: Study, settings: PlanSettings, result: Sequence[Goal]) -> list[Finding]:
    if len(study.items) < MIN_ITEMS:
        few = f"{pluralize(len(study.items), 'item')} are too few to estimate how scores vary between items"
        return [Finding("plan", f"{few}: the plan is a rough guess")]
    width, difference = settings.interval_width, f"correlation differences of {settings.correlation_delta:g}"
    purposes = {
        (Purpose.RANKING, "items"): f"for rankings to agree with tau {settings.tau:g}",
        (Purpose.SCORE, "items"): f"for a score within ± {width / 2:g} (95 %)",
        (Purpose.CORRELATION, "systems"): f"for {width:g}-wide intervals of correlations with human scores",
        (Purpose.DIFFERENCE_OF_CORRELATIONS, "systems"): f"for power {settings.power:g} with {difference}",
    }
    findings = []
    for key, purpose in purposes.items():
        if goals := [goal for goal in result if (goal.purpose, goal.unit) == key]:
            findings.append(Finding("plan", requirement_sentence(goals, purpose)))
    return findings


def requirement_sentence(goals: Sequence[Goal], purpose: str) -> str:
    """The smallest and the largest amount that a measure requires for a purpose, or why no amount is known."""
    known_goals = [goal for goal in goals if not math.isnan(goal.requirement.amount)]
    if not known_goals:
        reasons = join_names(list(dict.fromkeys(goal.missing for goal in goals)))
        return f"no number of {goals[0].unit} is known {purpose}: {reasons}"
    known_goals.sort(key=lambda goal: goal.requirement.amount)
    least, most, unit = known_goals[0].requirement, known_goals[-1].requirement, known_goals[0].unit
    amount, low, high = amounts(least)
    if amount is None:
        lows = [goal.requirement.low for goal in known_goals if math.isfinite(goal.requirement.low)]
        may, lower = ("may not be", f" (95 % interval: from {_whole(min(lows)):,})") if lows else ("are not", "")
        names = [goal.measure for goal in known_goals]
        under = "any measure" if len(names) == len(goals) > 1 else join_names(names)
        return f"{math.floor(least.most):,} {unit} {may} enough {purpose} under {under}{lower}"
    is_bound, interval = least.amount <= least.least, _interval(least)
    lowest = [goal.measure for goal in known_goals if amounts(goal.requirement)[0] == amount]
    sentence = f"{'at most ' if is_bound else ''}{amount:,} {unit} under {all_or_names(lowest, len(goals))}"
    if len(lowest) == 1 and interval and not is_bound and (low, high) != (amount, amount):
        sentence += f" (95 % interval: {interval})"
    if len(lowest) < len(known_goals):
        largest = _whole(most.amount)
        more = f"over {math.floor(most.most):,}" if largest is None else f"{largest:,}"
        sentence += f" to {more} under {known_goals[-1].measure}"
    return f"{sentence} are enough {purpose}"


MAX_PANELS = 6
MAX_DESCRIBED = 9
"""Of more lines, the alternative text describes only the ends of the highest and of the lowest."""


@plot(
    "plan_curve",
    title="Values by the amount of data",
    example="plan --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1",
)
def plan_curve(tables: Tables) -> Picture | None:
    """A panel for each goal, with a line and its band for each measure, and the goal as a line."""
    by_goal = _drawn_curves(tables["plan_curve"])
    if not by_goal:
        return None
    selection = {goal: curves[:MAX_LINES] for goal, curves in list(by_goal.items())[:MAX_PANELS]}
    lines = max(len(by_goal[goal]) - MAX_LINES for goal in selection)
    remark = not_shown((len(by_goal) - MAX_PANELS, "more goal"), (lines, "more measure"))
    panels = []
    for goal, curves in selection.items():
        across = next((unit for unit in ("systems", "annotators") if goal.endswith(unit)), "items")
        panels.append(LinePanel(curves=curves, across=across, title=goal, level=target_of(goal)))
    descriptions = "; ".join(f"{goal}: {_description(curves)}" for goal, curves in selection.items())
    alt = f"Curves by the amount of data, a panel for each goal. {descriptions}. {remark}".strip()
    return Picture(alt, LinePlot(panels=panels, remark=remark, logarithmic="x").draw)


def _description(curves: Sequence[Curve]) -> str:
    """The ends of the lines, or only those of the highest and the lowest."""
    if len(curves) <= MAX_DESCRIBED:
        return ", ".join(f"{one.text} from {_end(one, 0)} to {_end(one, -1)}" for one in curves)
    highest, lowest = (choose(curves, key=lambda one: one.y[-1]) for choose in (max, min))
    return f"highest end {highest.text}, {_end(highest, -1)}; lowest {lowest.text}, {_end(lowest, -1)}"


def _end(curve: Curve, index: int) -> str:
    return f"{number(float(curve.y[index]))} with {curve.x[index]:,.0f}"


def _drawn_curves(table: Table) -> dict[str, list[Curve]]:
    """The lines of each goal, those with at least two known points."""
    columns = np.array([numbers(table, name) for name in ("n", "value", "low", "high")])
    has_value = (columns[0] > 0) & ~np.isnan(columns[1])
    curves: dict[str, list[Curve]] = {}
    for (goal, measure), every_row in rows_by(table, "goal", "measure").items():
        kind, difference = kind_of(goal)
        rows = every_row[has_value[every_row]]
        x, y, low, high = columns[:, rows[np.argsort(columns[0, rows], kind="stable")]]
        if len(set(x.tolist())) > 1:
            text = f"{measure} ({difference})" if difference else measure
            curves.setdefault(kind, []).append(Curve(measure, x, y, low, high, text=text))
    return curves


def target_of(goal: str) -> float:
    """The value in the text of a goal; NaN where there is none.

    >>> target_of("tau ≥ 0.9"), target_of("difference of 0.05 with power 0.8, 90 % of pairs"), target_of("ranking")
    (0.9, 0.8, nan)
    """
    values = re.findall(r"(?:[≥≤±]|\bpower|\bwidth)\s*(\d*\.?\d+)", goal)
    return float(values[-1]) if values else math.nan


def kind_of(goal: str) -> tuple[str, str]:
    """The text of a goal without the difference, which is specific to a measure, and this difference.

    >>> kind_of("difference of 0.05 with power 0.8")
    ('difference with power 0.8', '0.05')
    """
    match = re.match(r"difference of (\S+) ", goal)
    return (goal.replace(f" of {match[1]}", "", 1), match[1]) if match else (goal, "")
