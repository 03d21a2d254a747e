"""Tables and findings of `leaderboard`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.leaderboard.compute import BASELINE, BEST, FURTHER, LATE, PRIMARY, Leaderboard, Track
from metaeval.analyses.leaderboard.settings import LeaderboardSettings
from metaeval.analyses.sentences import join_names, on_outcome, too_few_groups
from metaeval.errors import first_of, join_all, pluralize
from metaeval.inference.standings import outcome_of
from metaeval.model.report import (
    FIRST_SYSTEMS,
    Cells,
    Finding,
    Note,
    Table,
    count,
    counts,
    flag,
    score,
    scores,
    stack,
    table,
    text,
)
from metaeval.model.works import cite
from metaeval.render.plots.canvas import Look, number
from metaeval.render.plots.columns import cells_of, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lines import Points, ScatterPlot
from metaeval.stats.rank import best_first
from metaeval.study.evidence import (
    how_tested,
    method_of_runs,
    methods_of_tests,
    notes_on_tests,
    population_of_scores,
    with_caution,
)
from metaeval.study.study import AnalysisOutput, Study, undefined_notes

ROLES = (PRIMARY, BEST, BASELINE, FURTHER, LATE)

MANY_ROWS = 15
"""Number of further submissions above which their table is shown on request only."""

_NAMED = 5
"""Number of names that a note lists."""

_CLAIMED = 2
"""Number of tracks up to which each has a finding."""

_WITHOUT_TRACK = "without a track"


def tabulate(study: Study, settings: LeaderboardSettings, result: Leaderboard) -> AnalysisOutput:
    """The standings, and the submissions that have no rank."""
    others = [index for index, role in enumerate(result.roles) if role in (FURTHER, LATE)]
    tables = [stack(_standings(study, settings, result, track) for track in result.tracks)]
    if others:
        tables.append(_further(study, settings, result, others))
    notes: list[Note | str] = [
        *_notes_on_submissions(result),
        *notes_on_tests(study, settings.permutations),
        *undefined_notes(study),
    ]
    findings = with_caution(study, [Finding("leaderboard", claim) for claim in _claims(study, settings, result)])
    return AnalysisOutput(tables, notes, findings, result.metadata.files, _methods(study, settings, result))


def _standings(study: Study, settings: LeaderboardSettings, result: Leaderboard, track: Track) -> Table:
    """A row for each team, and for each baseline, from the best score to the worst."""
    systems, standing = track.systems, track.standing
    roles = [result.roles[index] for index in systems.tolist()]
    ranks = [BASELINE if role == BASELINE else ranks for role, ranks in zip(roles, standing.ranks, strict=True)]
    low, high = (ends[systems] for ends in result.interval)
    about = f"95 % interval of this score, {population_of_scores(study)}"
    teams = sum(int(track.ranked.sum()) for track in result.tracks)
    title = f"{pluralize(teams, 'submission')} on {pluralize(len(study.items), 'item')}, ranked by {result.measure}"
    columns = [
        *_track_column(result, [track.name] * len(systems)),
        count("rank", standing.rank),
        *_names(result, systems.tolist()),
        score(
            result.measure,
            result.scores[systems],
            interval=("low", "high"),
            higher_is_better=result.sign > 0,
            digits=3,
        ),
        *scores(("low", "high"), (low, high), about=about),
        text("ranks", ranks, about="that the significant differences leave open, together"),
        *counts(("rank_low", "rank_high"), (standing.rank_low, standing.rank_high), detail=True),
        text("letters", standing.letters, about="rows that share a letter do not differ significantly"),
        *_other_scores(study, result, systems.tolist()),
        *_costs(settings, result, systems.tolist()),
        *_optimal(settings, result, track),
        text("role", roles, values=ROLES, about="a team is ranked by its primary or its best submission", detail=True),
    ]
    return table(
        "standings",
        title,
        *columns,
        *_metadata(result, systems.tolist(), columns),
        order=standing.best_first,
        # Of groups, the table over all of them is the answer.
        detail=study.config.data.member is not None,
        subject=title,
        # Of several tracks, the best of each are seen.
        first=FIRST_SYSTEMS if len(result.tracks) == 1 else 0,
    )


def _track_column(result: Leaderboard, tracks: Sequence[str]) -> list[Cells]:
    return [text("track", tracks)] if any(entry.track for entry in result.entries) else []


def _names(result: Leaderboard, rows: Sequence[int]) -> list[Cells]:
    """The submissions and their teams, which readers see where they are not the beginning of the name."""
    teams = [result.entries[index].team for index in rows]
    hides_teams = all(entry.is_told_by(name) for name, entry in zip(result.systems, result.entries, strict=True))
    return [text("system", [result.systems[index] for index in rows]), text("team", teams, detail=hides_teams)]


def _other_scores(study: Study, result: Leaderboard, rows: Sequence[int]) -> list[Cells]:
    """The scores under the other measures, and the F1 of each class."""
    measures = zip(study.measure_names, study.scores.values, study.scores.directions, strict=True)
    others = [
        score(name, values[rows], higher_is_better=direction.sign > 0, digits=3)
        for name, values, direction in measures
        if name != result.measure
    ]
    per_class = [
        score(f"f1_{label}", values[rows], head=label, higher_is_better=True, digits=2)
        for label, values in result.per_class.items()
    ]
    return [*others, *per_class]


def _costs(settings: LeaderboardSettings, result: Leaderboard, rows: Sequence[int]) -> list[Cells]:
    if settings.cost is None:
        return []
    return [score(settings.cost, [result.entries[index].cost for index in rows], higher_is_better=False, digits=2)]


def _optimal(settings: LeaderboardSettings, result: Leaderboard, track: Track) -> list[Cells]:
    about = f"no other is better in {result.measure} and {settings.cost}, or in one of them with the other equal"
    return [] if settings.cost is None else [flag("pareto", track.optimal, about=about)]


def _metadata(result: Leaderboard, rows: Sequence[int], others: Sequence[Cells]) -> list[Cells]:
    """The other columns of the metadata; those with the name of another column say so in theirs."""
    column_names = {column.name for column, _ in others}
    names = dict.fromkeys(name for entry in result.metadata.entries for name in entry.more)
    columns = []
    for name in names:
        cells = [result.entries[index].more.get(name, "") for index in rows]
        columns.append(text(f"metadata_{name}" if name in column_names else name, cells, detail=True, on_page=True))
    return columns


def _further(study: Study, settings: LeaderboardSettings, result: Leaderboard, others: Sequence[int]) -> Table:
    """The submissions without a rank: further ones of the teams, and late ones; the best first."""
    rows = [others[index] for index in best_first(result.sign * result.scores[others])]
    about = "further: another one of the team is ranked; late: it is not compared"
    columns = [
        *_track_column(result, [result.entries[index].track for index in rows]),
        *_names(result, rows),
        text("role", [result.roles[index] for index in rows], values=ROLES, about=about),
        score(result.measure, result.scores[rows], higher_is_better=result.sign > 0, digits=3),
        *_other_scores(study, result, rows),
        *_costs(settings, result, rows),
    ]
    title, metadata = "Submissions without a rank", _metadata(result, rows, columns)
    return table("further_submissions", title, *columns, *metadata, detail=len(rows) > MANY_ROWS)


def _claims(study: Study, settings: LeaderboardSettings, result: Leaderboard) -> list[str]:
    """Who has the best score, or where, who is better than the baseline, and what is Pareto-optimal."""
    tracks, too_few = result.tracks, [_too_few(settings, result, track) for track in result.tracks]
    if len(tracks) > _CLAIMED:
        claims = [_over_tracks(study, settings, result)]
    else:
        claims = [_on_track(study, settings, result, track) for track in tracks]
    if len(tracks) > 1:
        return claims + (too_few[0] if all(sentences == too_few[0] for sentences in too_few) else [])
    (track,) = tracks
    optimal = [result.systems[track.systems[row]] for row in np.flatnonzero(track.optimal).tolist()]
    claims += too_few[0] or _on_baseline(result, track)
    if optimal and len(track.systems) > 1:
        unknown = sum(math.isnan(result.entries[index].cost) for index in track.systems.tolist())
        among = f" (without {pluralize(unknown, 'submission')} of unknown {settings.cost})" if unknown else ""
        claims.append(f"Pareto-optimal in {result.measure} and {settings.cost}{among}: {join_names(optimal)}")
    return claims


def _on_track(study: Study, settings: LeaderboardSettings, result: Leaderboard, track: Track) -> str:
    """Who has the best score in a track."""
    prefix = f"{track.name or _WITHOUT_TRACK}: " if len(result.tracks) > 1 else ""
    systems = [result.systems[index] for index in track.systems.tolist()]
    outcome = outcome_of(systems, track.comparison)
    if outcome is None:
        alone = f"no other submission is compared with {systems[0]}"
        return f"{prefix}{alone if len(systems) == 1 else 'nothing can be tested'}"
    by_score = [systems[index] for index in track.standing.best_first]
    how = how_tested(study, f"adjusted p {'≤' if outcome.is_decided else '>'} {settings.alpha:g}")
    return f"{prefix}{on_outcome(outcome, by_score, result.measure)} ({how})"


def _over_tracks(study: Study, settings: LeaderboardSettings, result: Leaderboard) -> str:
    """In which tracks the best submissions are significantly better than all others."""
    winners = []
    for track in result.tracks:
        outcome = outcome_of([result.systems[index] for index in track.systems.tolist()], track.comparison)
        if outcome is not None and outcome.is_decided:
            winners.append(f"{join_all(outcome.best)} ({track.name or _WITHOUT_TRACK})")
    tracks, under = pluralize(len(result.tracks), "track"), f"under {result.measure}"
    if not winners:
        how = how_tested(study, f"adjusted p > {settings.alpha:g}")
        return f"in none of {tracks} is the best submission significantly better than all others {under} ({how})"
    better = f"significantly better than all others {under} in {len(winners)} of {tracks}"
    how = how_tested(study, f"adjusted p, level {settings.alpha:g}")
    return f"the best submissions are {better}: {join_names(winners)} ({how})"


def _too_few(settings: LeaderboardSettings, result: Leaderboard, track: Track) -> list[str]:
    return too_few_groups(
        {result.measure: track.comparison.tests},
        permutations=settings.permutations,
        alpha=settings.alpha,
        groups=result.groups,
        smallest_p=result.smallest_p,
    )


def _on_baseline(result: Leaderboard, track: Track) -> list[str]:
    """How many submissions are significantly better than the best baseline."""
    order, systems = track.comparison.order, [result.systems[index] for index in track.systems.tolist()]
    beside = np.flatnonzero(~track.ranked)
    if order is None or not len(beside) or np.isnan(track.comparison.scores[beside]).all():
        return []
    baseline = int(beside[np.nanargmax(track.comparison.scores[beside])])
    is_better, submissions = order.better[track.ranked, baseline], np.flatnonzero(track.ranked)
    better, than = int(is_better.sum()), f"significantly better than the baseline {systems[baseline]}"
    if len(submissions) == 1:
        return [f"{systems[submissions[0]]} is {'' if better else 'not '}{than}"]
    amount, verb = f"{better:,}" if better else "none", "are" if better > 1 else "is"
    return [f"{amount} of {len(submissions):,} submissions {verb} {than}"]


def _notes_on_submissions(result: Leaderboard) -> list[Note]:
    """Notes on late submissions, on scores of the best of several, and on rows of the metadata without a file."""
    late = [name for name, role in zip(result.systems, result.roles, strict=True) if role == LATE]
    several = {entry.team for entry, role in zip(result.entries, result.roles, strict=True) if role == FURTHER}
    best_of_several = [
        name
        for name, entry, role in zip(result.systems, result.entries, result.roles, strict=True)
        if role == BEST and entry.team in several
    ]
    notes = []
    if late:
        notes.append(f"late, and neither ranked nor compared: {first_of(late, _NAMED)}")
    if best_of_several:
        names = first_of(best_of_several, _NAMED)
        notes.append(f"the best of several submissions, chosen by these items, which makes it look better: {names}")
    if result.absent:
        notes.append(f"in the metadata, without a file: {first_of(result.absent, _NAMED)}")
    return [Note(note, on_input=True) for note in notes]


def _methods(study: Study, settings: LeaderboardSettings, result: Leaderboard) -> list[str]:
    pairs = sum(len(track.comparison.tests.p) for track in result.tracks)
    subject = f"The differences in {result.measure} of all ranked systems and baselines ({pairs:,} pairs)"
    tests = methods_of_tests(study, subject, permutations=settings.permutations)
    derivation = (
        f"P-values hold for all pairs together, by the largest statistic {cite('westfall1993')}; ranges of ranks and "
        f"letters derive from the pairs with p-values of at most {settings.alpha:g}."
    )
    return [*tests, *method_of_runs(study), derivation]


@plot(
    "pareto",
    title="Score against cost",
    needs=("standings",),
    example="leaderboard --config configs/rumour2017.yaml -m macro-f1 --metadata sample_data/rumoureval2017/teams.csv "
    "--cost seconds",
)
def pareto(tables: Tables) -> Picture | None:
    """A point for each submission: its cost and its score; Pareto-optimal ones are filled."""
    table = tables["standings"]
    if not has(table, "pareto"):
        return None
    names = [column.name for column in table.columns]
    cost, measure = names[names.index("pareto") - 1], names[names.index("low") - 1]
    systems, optimal = texts(table, "system"), [cell is True for cell in cells_of(table, "pareto")]
    x, y = numbers(table, cost), numbers(table, measure)
    low, high = numbers(table, "low"), numbers(table, "high")
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y)).tolist()
    if len(rows) < 2:
        return None
    points = Points(
        names=[systems[row] for row in rows],
        x=x[rows],
        y=y[rows],
        y_ends=np.array([low, high])[:, rows],
        look=[Look(filled=optimal[row], size=6.5) for row in rows],
    )
    is_lower_better = table.columns[names.index(measure)].higher_is_better is False
    form = ScatterPlot(
        panels=[points],
        across=f"{cost} (lower is better)",
        up=f"{measure} with its 95 % interval; filled: Pareto-optimal",
        is_reversed=is_lower_better,
    )
    best = [f"{systems[row]} ({number(x[row])}, {number(y[row])})" for row in rows if optimal[row]]
    alt = f"Scatter plot of {pluralize(len(rows), 'submission')}, {cost} against {measure}."
    return Picture(f"{alt} Pareto-optimal: {join_all(best)}." if best else alt, form.draw)
