"""Several subtasks, or phases, of a shared task: an overall order of the teams, and what differs between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metaeval.analyses.leaderboard.compute import Leaderboard
from metaeval.analyses.leaderboard.settings import LeaderboardSettings
from metaeval.analyses.sentences import best_of, join_names, value_range
from metaeval.arrays import Bools, Floats
from metaeval.errors import pluralize
from metaeval.model.report import FIRST_SYSTEMS, Finding, Table, count, score, scores, stack, table, text
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide
from metaeval.study.study import AnalysisOutput

Team = tuple[str, str]
"""A track and a team."""


@dataclass(frozen=True)
class Change:
    """The changes of the differences of pairs of teams from one subtask to another, arrays (P,).

    before, after: oriented differences, the first team less the second. low, high: simultaneous interval of after −
    before.
    """

    before: Floats
    after: Floats
    low: Floats
    high: Floats

    @property
    def significant(self) -> Bools:
        """Whether the interval excludes 0."""
        return np.asarray((self.low > 0) | (self.high < 0))


def tabulate(results: Mapping[str, Leaderboard], settings: LeaderboardSettings, *, seed: int) -> AnalysisOutput:
    """The teams that every subtask ranks, by mean rank; pairs that mean scores order differently; and changes."""
    by_group = {group: _teams(result) for group, result in results.items()}
    teams = [team for team in next(iter(by_group.values())) if all(team in rows for rows in by_group.values())]
    if not any(_in_one_track(teams, pair) for pair in combinations(range(len(teams)), 2)):
        return AnalysisOutput([])
    ranks = np.array([_ranks(result, by_group[group], teams) for group, result in results.items()])
    values = np.array([_scores(result, by_group[group], teams) for group, result in results.items()])
    sign = next(iter(results.values())).sign
    rank, mean = ranks.mean(axis=0), values.mean(axis=0)
    names = [team if not track else f"{track}: {team}" for track, team in teams]
    # Teams of different tracks are not compared.
    one, other = np.array([pair for pair in combinations(range(len(teams)), 2) if _in_one_track(teams, pair)]).T
    pairs = [pair for pair in find_reordered_pairs(rank, mean * sign) if _in_one_track(teams, pair)]
    changes = {
        (first, second): change_between(
            _differences(results[first], by_group[first], teams), _differences(results[second], by_group[second], teams)
        )
        for first, second in combinations(results, 2)
    }
    taus = [tau_of_pairs(*both) for both in combinations(values[:, one] - values[:, other], 2)]
    measure = next(iter(results.values())).measure
    order = np.lexsort((-mean * sign, rank, [track for track, _ in teams])).tolist()
    tables = [
        table(
            "subtasks",
            f"{pluralize(len(teams), 'team')} over {pluralize(len(results), 'subtask')}: {measure}",
            text("team", names),
            score("mean_rank", rank, higher_is_better=False, digits=2, about="ties share the mean of their ranks"),
            score("mean_score", mean, higher_is_better=sign > 0, digits=3),
            *(
                score(group, group_scores, higher_is_better=sign > 0, digits=3)
                for group, group_scores in zip(results, values, strict=True)
            ),
            order=order,
            first=FIRST_SYSTEMS,
        ),
        _between(changes, taus),
    ]
    if len(pairs):
        tables.append(_reordered_pairs(names, pairs, rank, mean))
    if any(change.significant.any() for change in changes.values()):
        tables.append(_changed_pairs(names, changes, sign))
    findings = _between_findings(changes, taus, len(one))
    if len({track for track, _ in teams}) == 1:
        findings.insert(0, _first(names, rank, mean * sign, f"{len(pairs)} of {pluralize(len(one), 'pair')}"))
    return AnalysisOutput(tables, [_NOTE], findings)


_NOTE = (
    "the difference of two teams changes significantly between two subtasks if the interval of its change, from the "
    "simultaneous intervals of both (MOVER), excludes 0; for all pairs of teams together, of each two subtasks alone"
)


def _in_one_track(teams: Sequence[Team], pair: tuple[int, int]) -> bool:
    return teams[pair[0]][0] == teams[pair[1]][0]


def tau_of_pairs(before: Floats, after: Floats) -> float:
    """Tau-b of two rankings from the differences of pairs, (P,).

    >>> round(tau_of_pairs(np.array([1.0, 2.0, 0.0]), np.array([0.5, -1.0, 3.0])), 2)
    0.0
    """
    one, other = np.sign(before), np.sign(after)
    return float(divide(one @ other, np.sqrt((one @ one) * (other @ other))))


def _teams(result: Leaderboard) -> dict[Team, tuple[int, int]]:
    """The track of each team that has a rank, and its row there."""
    rows_by_team = {}
    for index, track in enumerate(result.tracks):
        for row in np.flatnonzero(track.ranked).tolist():
            rows_by_team[track.name, result.entries[track.systems[row]].team] = index, row
    return rows_by_team


def _ranks(result: Leaderboard, rows: Mapping[Team, tuple[int, int]], teams: Sequence[Team]) -> list[float]:
    """The rank of each team in a subtask; ties share the mean of their ranks."""
    ranks = []
    for track in result.tracks:
        track_ranks = np.full(len(track.systems), np.nan)
        heights = track.comparison.order.scores if track.comparison.order is not None else track.comparison.scores
        track_ranks[track.ranked] = mean_ranks(-heights[track.ranked])
        track_ranks[np.isnan(heights)] = np.nan
        ranks.append(track_ranks)
    return [float(ranks[rows[team][0]][rows[team][1]]) for team in teams]


def _scores(result: Leaderboard, rows: Mapping[Team, tuple[int, int]], teams: Sequence[Team]) -> list[float]:
    """The score of each team in a subtask."""
    indices = [result.tracks[track].systems[row] for track, row in (rows[team] for team in teams)]
    return [float(result.scores[index]) for index in indices]


def find_reordered_pairs(mean_rank: Floats, mean_score: Floats) -> list[tuple[int, int]]:
    """Pairs of which the first is ahead by the mean rank, and the other by the mean score; higher scores are better."""
    ahead = mean_rank[:, np.newaxis] < mean_rank
    behind = mean_score[:, np.newaxis] < mean_score
    return [(one, other) for one, other in np.argwhere(ahead & behind).tolist()]


def _differences(result: Leaderboard, rows: Mapping[Team, tuple[int, int]], teams: Sequence[Team]) -> Floats:
    """The oriented differences of pairs of teams in a subtask, and the ends of their simultaneous intervals, (3, P).

    NaN for teams of different tracks.
    """
    size = len(teams)
    values = np.full((3, size, size), np.nan)
    for index, track in enumerate(result.tracks):
        member = {row: number for number, (of, row) in enumerate(rows[team] for team in teams) if of == index}
        tests = track.comparison.tests
        for one, other, *estimate in zip(
            tests.one.tolist(), tests.other.tolist(), tests.difference, tests.low, tests.high, strict=True
        ):
            if one in member and other in member:
                difference, low, high = estimate
                values[:, member[one], member[other]] = estimate
                values[:, member[other], member[one]] = -difference, -high, -low
    return values[:, *np.triu_indices(size, k=1)]


def change_between(before: Floats, after: Floats) -> Change:
    """The changes of differences between independent samples of items, with intervals from those of both.

    The method of variance estimates recovery (Zou & Donner 2008): the distances of the estimates from the ends of their
    intervals are standard errors in disguise, and their squares add up.
    """
    (first, first_low, first_high), (second, low, high) = before, after
    change = second - first
    return Change(
        before=first,
        after=second,
        low=change - np.hypot(second - low, first_high - first),
        high=change + np.hypot(high - second, first - first_low),
    )


def _between(changes: Mapping[tuple[str, str], Change], taus: Sequence[float]) -> Table:
    """How similarly two subtasks rank the teams, and how many pairs change significantly."""
    return table(
        "between_subtasks",
        "Rankings of two subtasks",
        text("subtask", [first for first, _ in changes]),
        text("other", [second for _, second in changes]),
        score("tau", taus, digits=2, about="tau-b of the scores of the teams"),
        count("pairs", [int((~np.isnan(change.low)).sum()) for change in changes.values()]),
        count(
            "swapped",
            [int((change.before * change.after < 0).sum()) for change in changes.values()],
            about="pairs of teams of which the other one is ahead",
        ),
        count(
            "changed",
            [int(change.significant.sum()) for change in changes.values()],
            about="pairs whose difference changes significantly",
        ),
    )


def _reordered_pairs(names: Sequence[str], pairs: Sequence[tuple[int, int]], rank: Floats, mean: Floats) -> Table:
    one, other = np.array(pairs).T
    return table(
        "reordered_pairs",
        "Pairs of teams of which the first is ahead by mean rank, and the other by mean score",
        text("team", [names[index] for index in one.tolist()]),
        text("other", [names[index] for index in other.tolist()]),
        *scores(("mean_rank", "mean_rank_other"), (rank[one], rank[other])),
        *scores(("mean_score", "mean_score_other"), (mean[one], mean[other])),
        detail=True,
    )


def _changed_pairs(names: Sequence[str], changes: Mapping[tuple[str, str], Change], sign: int) -> Table:
    one, other = np.triu_indices(len(names), k=1)
    tables = []
    for (first, second), change in changes.items():
        rows = np.flatnonzero(change.significant)
        ends = np.sort(np.stack([change.low, change.high])[:, rows] * sign, axis=0)
        part = table(
            "changed_pairs",
            "Pairs of teams whose difference changes significantly (team − other)",
            text("subtask", [first] * len(rows)),
            text("subtask_other", [second] * len(rows)),
            text("team", [names[index] for index in one[rows].tolist()]),
            text("other", [names[index] for index in other[rows].tolist()]),
            score("before", change.before[rows] * sign, about="difference in the first subtask"),
            score("after", change.after[rows] * sign, about="difference in the second subtask"),
            score("change", (change.after - change.before)[rows] * sign, interval=("low", "high")),
            *scores(("low", "high"), ends, about="simultaneous interval for all pairs of teams"),
            detail=True,
        )
        tables.append(part)
    return stack(tables)


def _first(names: Sequence[str], rank: Floats, oriented: Floats, reordered_pairs: str) -> Finding:
    """Who is first by either mean, and whether the choice between them matters."""
    by_rank, by_score = best_of(names, -rank), best_of(names, oriented)
    if by_rank == by_score:
        first = f"{join_names(by_rank)} {'is' if len(by_rank) == 1 else 'are'} first by mean rank and by mean score"
    else:
        first = f"{join_names(by_rank)} first by mean rank, {join_names(by_score)} by mean score"
    return Finding("leaderboard", f"{first}, which order {reordered_pairs} of teams differently")


def _between_findings(changes: Mapping[tuple[str, str], Change], taus: Sequence[float], pairs: int) -> list[Finding]:
    """Whether the choice of the subtask matters; pairs: number of the pairs of teams."""
    counts = [int(change.significant.sum()) for change in changes.values()]
    if len(changes) == 1:
        amount = pluralize(pairs, "pair")
        how = f"change significantly for {counts[0]} of {amount}" if counts[0] else "change significantly for no pair"
        claims = [f"{' and '.join(*changes)} rank the teams with tau {taus[0]:.2f}; differences {how}"]
    else:
        pairs_of_subtasks = pluralize(len(changes), "pair")
        number = sum(map(bool, counts))
        claims = [
            f"two subtasks rank the teams with tau {value_range(taus)}",
            f"differences of teams change significantly between {number or 'none'} of {pairs_of_subtasks} of subtasks",
        ]
    return [Finding("leaderboard", claim) for claim in claims]
