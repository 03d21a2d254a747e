"""Tables and findings of what revised gold changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.compare.revision import Change, Revision
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import all_or_names, join_names
from metaeval.arrays import Indices
from metaeval.errors import pluralize
from metaeval.inference.pairs import PairTests
from metaeval.model.report import (
    FIRST_SYSTEMS,
    Cells,
    Finding,
    Table,
    count,
    p_value,
    score,
    scores,
    stack,
    table,
    text,
)
from metaeval.stats.rank import best_first
from metaeval.study.evidence import how_tested, with_caution
from metaeval.study.study import AnalysisOutput, Study

REVERSED, LOST, GAINED = "significantly reversed", "no longer significant", "newly significant"


def with_revision(
    study: Study, settings: CompareSettings, systems: Indices, revision: Revision, output: AnalysisOutput
) -> AnalysisOutput:
    """The output on the revision, followed by the tables on gold as it was."""
    names = [study.systems[index] for index in systems.tolist()]
    several, signs = len(revision.changes) > 1, [direction.sign for direction in study.scores.directions]
    rows = list(zip(study.measure_names, revision.changes, signs, strict=True))
    labels = "gold" if revision.labels is None else pluralize(revision.labels, "gold label")
    system_table = stack(_by_system(names, *row, settings=settings, several=several, labels=labels) for row in rows)
    pair_table = stack(_by_pair(names, *row, settings=settings, several=several) for row in rows)
    levels = tuple(how_tested(study, f"adjusted p {sign} {settings.alpha:g}", "items") for sign in "≤>")
    claims = _on_one(names, revision.changes[0], labels, levels)
    tables = [system_table, pair_table]
    if several:
        claims = _on_several(study.measure_names, revision.changes, labels, levels)
        tables.append(_by_measure(study.measure_names, revision.changes, labels))
    method = (
        "Changes by the revised gold were tested by the differences of what each group of items adds to the scores "
        "by both, for all systems, and for all pairs of systems, together."
    )
    return output._replace(
        tables=[*tables, *(replace(original, detail=True) for original in output.tables)],
        findings=with_caution(study, [Finding("compare", claim) for claim in claims]),
        files=[*output.files, *revision.files],
        methods=[*output.methods, method],
    )


def _by_measure(measures: Sequence[str], changes: Sequence[Change], labels: str) -> Table:
    """What the revision changes under each measure."""
    verdicts = [_verdicts(change) for change in changes]
    about = "pairs of systems whose order changes"
    return table(
        "revision_by_measure",
        f"What the revision of {labels} changes under each measure",
        text("measure", measures),
        count("ranks", [_count_rank_changes(change) for change in changes], about="systems whose rank changes"),
        count("swapped", [int(change.swapped.sum()) for change in changes], about=about),
        count(
            "by_more", [int(change.beyond.sum()) for change in changes], about="those that do so by more than chance"
        ),
        *(
            count(name, [row.count(verdict) for row in verdicts], about=f"pairs that are {verdict}")
            for name, verdict in (("reversed", REVERSED), ("lost", LOST), ("gained", GAINED))
        ),
    )


def _count_rank_changes(change: Change) -> int:
    before, after = change.ranks
    return int((before != after).sum())


def _by_system(
    names: Sequence[str],
    measure: str,
    change: Change,
    sign: int,
    *,
    settings: CompareSettings,
    several: bool,
    labels: str,
) -> Table:
    """The scores and ranks of the systems before and after, the best after the revision first."""
    tests, (old, new) = change.score_tests, change.ranks
    return table(
        "revision",
        f"{len(names)} systems before and after the revision of {labels}",
        text("measure", measure, detail=not several),
        text("system", names),
        score("before", change.before * sign, digits=3, higher_is_better=sign > 0),
        score("after", change.after * sign, digits=3, higher_is_better=sign > 0),
        *_change(tests, sign, settings, "for all systems together"),
        count("rank_before", old, where=~np.isnan(change.before), head="rank before"),
        count("rank_after", new, where=~np.isnan(change.after), head="after"),
        order=best_first(change.after),
        detail=several,
        first=FIRST_SYSTEMS,
    )


def _by_pair(
    names: Sequence[str], measure: str, change: Change, sign: int, *, settings: CompareSettings, several: bool
) -> Table:
    """The differences of all pairs before and after."""
    tests = change.pair_tests
    return table(
        "revision_pairs",
        "Differences of all pairs of systems (system − other) before and after the revision",
        text("measure", measure, detail=not several),
        text("system", [names[index] for index in tests.one.tolist()]),
        text("other", [names[index] for index in tests.other.tolist()]),
        score("before", change.old.difference * sign),
        p_value("p_before", change.old.p, about="adjusted for all pairs"),
        score("after", change.new.difference * sign),
        p_value("p_after", change.new.p, about="adjusted for all pairs"),
        *_change(tests, sign, settings, "of the change, adjusted for all pairs"),
        text("verdict", _verdicts(change), values=(REVERSED, LOST, GAINED, "")),
        detail=True,
    )


def _change(tests: PairTests, sign: int, settings: CompareSettings, about: str) -> list[Cells]:
    """The changes with their intervals and tests; about: what the adjusted p-value is of."""
    intervals = f"{100 * (1 - settings.alpha):g} % intervals, for all of them together"
    return [
        score("change", tests.difference * sign, interval=("low", "high")),
        *scores(("low", "high"), tests.interval(sign), about=intervals),
        p_value("p", tests.raw, about="of this change alone", detail=True),
        p_value("p_adjusted", tests.p, head="p", about=about),
    ]


def _verdicts(change: Change) -> list[str]:
    before, after = change.old.directions, change.new.directions
    conditions = [before * after < 0, (before != 0) & (after == 0), (before == 0) & (after != 0)]
    verdicts: list[str] = np.select(conditions, [REVERSED, LOST, GAINED], "").tolist()
    return verdicts


def _on_one(names: Sequence[str], change: Change, labels: str, levels: Sequence[str]) -> list[str]:
    """Whether ranks move by more than chance, and the pairs whose significance changes.

    levels: what p-values are of changes that are significant, and of those that are not.
    """
    what, pairs = f"the revision of {labels}", pluralize(int(change.swapped.sum()), "pair")
    if change.beyond.any():
        swaps = _leaders_before_and_after(change, np.flatnonzero(change.beyond))
        which = join_names([f"{names[after]} is now above {names[before]}" for before, after in swaps])
        number = int(change.beyond.sum())
        claims = [f"{what} swaps {pairs} of systems, {number} by more than chance ({levels[0]}): {which}"]
    elif change.swapped.any():
        claims = [f"{what} swaps {pairs} of systems, none by more than chance ({levels[1]})"]
    else:
        claims = [f"{what} swaps no two systems"]
    verdicts = _verdicts(change)
    counts = {words: verdicts.count(words) for words in (REVERSED, LOST, GAINED)}
    parts = [f"{number} {'is' if number == 1 else 'are'} {words}" for words, number in counts.items() if number]
    if parts:
        claims.append(f"of the {pluralize(len(verdicts), 'pair')}, {join_names(parts)}")
    return claims


def _on_several(measures: Sequence[str], changes: Sequence[Change], labels: str, levels: Sequence[str]) -> list[str]:
    """Under which measures ranks move by more than chance."""
    rows = list(zip(measures, changes, strict=True))
    beyond = [name for name, change in rows if change.beyond.any()]
    swapped = [name for name, change in rows if change.swapped.any() and name not in beyond]
    what = f"the revision of {labels}"
    if beyond:
        under = all_or_names(beyond, len(measures))
        return [f"{what} swaps systems by more than chance under {under} ({levels[0]})"]
    if swapped:
        under = all_or_names(swapped, len(measures))
        return [f"{what} swaps systems under {under}, but none by more than chance ({levels[1]})"]
    return [f"{what} swaps no two systems under {all_or_names(measures, len(measures))}"]


def _leaders_before_and_after(change: Change, pairs: Indices) -> list[tuple[int, int]]:
    """For each pair the system that was ahead, and the one that is."""
    ahead = change.old.difference[pairs] > 0
    one, other = change.old.one[pairs], change.old.other[pairs]
    return list(zip(np.where(ahead, one, other).tolist(), np.where(ahead, other, one).tolist(), strict=True))
