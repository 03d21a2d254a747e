"""Tables, notes and findings of the agreement of judges with people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.sentences import join_names
from metaeval.errors import join_all, pluralize, setting
from metaeval.judges.preferences.cells import adjusted_by_judge, differences, dots, than_others, value_cells
from metaeval.judges.preferences.groups import SIGNS
from metaeval.judges.preferences.judges import AGREEMENT, JudgeComparison, JudgeStatistic
from metaeval.judges.preferences.study import PEOPLE, PreferencesStudy
from metaeval.model.report import Note, Table, count, stack, table, text
from metaeval.render.plots.columns import texts
from metaeval.render.plots.declaration import Picture, Tables, plot

_VERDICTS = "verdicts behind the share; of agreement and flips pairs of verdicts on the same outputs"


def tables_of_judges(
    study: PreferencesStudy, statistics: Sequence[JudgeStatistic], comparisons: Sequence[JudgeComparison]
) -> list[Table]:
    """Shares and differences of judges."""
    judges = [study.people if one.judge == PEOPLE else one.judge for one in statistics]
    names = text("judge", judges), text("statistic", [one.name for one in statistics])
    of = f"judges with {study.people}" if study.judged.any() else f"{study.people} with each other"
    shares = np.array([one.share for one in statistics]).T
    adjusted = adjusted_by_judge(judges, shares[3])
    tables = [
        table(
            "judge_preferences",
            f"Agreement of {of}, and with themselves",
            *names,
            *value_cells("share", (*shares, adjusted), "test that the share is 0.5"),
            count("verdicts", [one.verdicts for one in statistics], about=_VERDICTS, detail=True),
        )
    ]
    if comparisons:
        tables.append(stack(_differences_of_judges(one, study.people) for one in comparisons))
    return tables


def _differences_of_judges(one: JudgeComparison, people: str) -> Table:
    return table(
        "judge_differences",
        f"Differences of judges' agreement with {people} (judge − other), with simultaneous 95 % intervals",
        text("judge", [one.judges[index] for index in one.tests.one]),
        text("other", [one.judges[index] for index in one.tests.other]),
        text("statistic", one.statistic),
        *differences(one.tests),
        detail=True,
    )


def on_judges(
    study: PreferencesStudy, statistics: Sequence[JudgeStatistic], comparisons: Sequence[JudgeComparison]
) -> list[str]:
    """The judge that agrees most with people, where judges are compared, else the agreement of each."""
    people = study.people
    first = next((one for one in comparisons if one.order.best(one.judges)), None)
    if first is None:
        shares = {one.judge: one.share for one in statistics if one.name == AGREEMENT}
        if len(shares) > 1:
            shares.pop(PEOPLE, None)
        if len(shares) != 1:
            agreements = join_names([f"{judge} {share.value:.0%}" for judge, share in shares.items()])
            return [f"Agreement with {people}: {agreements} of pairs of verdicts"] if shares else []
        ((judge, share),) = shares.items()
        interval = f"95 % interval {share.low:.0%} to {share.high:.0%}"
        agree = f"{people} agree with each other" if judge == PEOPLE else f"{judge} agrees with {people}"
        return [f"{agree} in {share.value:.0%} of pairs of verdicts ({interval})"]
    best = first.order.best(first.judges)
    index, judges = first.judges.index(best[0]), int(first.order.defined.sum())
    agreement = f"{first.order.scores[index]:.0%} of {pluralize(first.comparisons, 'comparison')}"
    if len(best) > 1:
        return [f"{join_names(best)} have the same agreement with {people} ({agreement}), the highest of {judges}"]
    than = than_others(int(first.order.better[index].sum()), judges - 1, "better")
    return [f"{best[0]} agrees best with {people} ({agreement}){than}"]


def notes_on_judges(
    study: PreferencesStudy, statistics: Sequence[JudgeStatistic], comparisons: Sequence[JudgeComparison]
) -> list[Note | str]:
    """What the shares are, and how judges are compared."""
    judges, people = [name for name, _ in study.judges], study.people
    with_agreement = {one.judge for one in statistics if one.name == AGREEMENT}
    alone = [name for name in judges if name not in with_agreement and not study.judged.all()]
    notes: list[Note | str] = []
    if alone:
        notes.append(f"no agreement with {people} of {join_all(alone)}: no verdicts on the same outputs")
    if sum(not math.isnan(one.share.p) for one in statistics) > 1:
        tests = "by Holm, for all tests of a judge"
        notes.append(f"p_adjusted of judge_preferences: {tests}; intervals are not adjusted")
    if comparisons:
        where = f"on the {pluralize(comparisons[0].comparisons, 'comparison')} that {people} and every judge judged"
        if comparisons[0].excluded:
            where += f", without {comparisons[0].excluded:,} that some judge did not judge"
        tests = f"tests of all pairs of judges, by {SIGNS:,} random signs of clusters, for each statistic by itself"
        notes.append(f"differences of judges: {where}; {tests}")
    elif len(judges) > 1 and not study.judged.all():
        why = f"there is no comparison that {people} and every judge judged"
        notes.append(f"no tests of differences of judges: {why}; name fewer judges with {setting('judges')}")
    return notes


@plot(
    "judge_preferences",
    title="Agreement of judges with people, and with themselves",
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def judge_preferences(tables: Tables) -> Picture | None:
    """Each share of a judge's verdicts with its interval."""
    table = tables["judge_preferences"]
    return dots(table, "judge", texts(table, "statistic"), "share", "Share of verdicts")
