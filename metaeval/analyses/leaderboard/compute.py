"""Where the submissions of a shared task stand under its official measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.analyses.leaderboard.settings import LeaderboardSettings
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import excluded, first_of, none_left, raise_any, refuse, setting, unknown
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.standings import Comparison, Standing
from metaeval.measures import index_of_measure, measure
from metaeval.names import quoted
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import score_counts
from metaeval.stats.intervals import Interval
from metaeval.stats.rank import best_first, pareto_optimal
from metaeval.study.capabilities import LABELS
from metaeval.study.evidence import check_testable, gather_evidence_of_runs
from metaeval.study.intervals import intervals_under
from metaeval.study.study import Progress, Study
from metaeval.study.submissions import Entry, Metadata, entries_of, metadata_of

PRIMARY, BEST, BASELINE, FURTHER, LATE = "primary", "best", "baseline", "further", "late"

_NAMED = 3
"""Number of late submissions that an error names."""


@dataclass(frozen=True)
class Track:
    """The submissions of a track that are compared: that of each team, and the baselines; one family of tests.

    systems: their indices, (F,). ranked: those that have a rank, (F,). optimal: those of which no other has a better
    score at no higher cost, or the same at a lower one, (F,); none without costs.
    """

    name: str
    systems: Indices
    ranked: Bools
    comparison: Comparison
    standing: Standing
    optimal: Bools


@dataclass(frozen=True)
class Leaderboard:
    """The standing of S submissions under the official measure.

    measure, sign: the official measure, and −1 where lower is better. entries: the row of the metadata of each, or one
    with the team alone. roles: 'primary' or 'best' of the run by which its team is ranked, 'baseline', 'further' or
    'late'. scores, interval: in the direction of the measure, (S,). absent: submissions of the metadata without a file.
    groups: number of the groups of items. smallest_p: with so many groups. per_class: F1 by class, (S,).
    """

    measure: str
    sign: int
    systems: tuple[str, ...]
    entries: Sequence[Entry]
    roles: Sequence[str]
    tracks: Sequence[Track]
    scores: Floats
    interval: Interval
    metadata: Metadata
    absent: Sequence[str]
    groups: int
    smallest_p: float
    per_class: Mapping[str, Floats] = field(default_factory=dict)


def check(study: Study, settings: LeaderboardSettings) -> None:
    """Raise an `InputError` for metadata, names and columns that do not exist, and where nothing can be ranked."""
    check_testable(study)
    raise_any([unknown("baseline", name, study.systems) for name in settings.baselines if name not in study.systems])
    _official(study, settings)
    if settings.per_class:
        study.need(LABELS, "the F1 of each class")
    metadata = metadata_of(study, settings.metadata, settings.cost)
    entries_by_name = entries_of(study, metadata)
    entries = [entries_by_name[name] for name in study.systems]
    _check_late(study, entries, metadata)
    if all(entry.late or name in settings.baselines for name, entry in zip(study.systems, entries, strict=True)):
        hint = f"name fewer with {setting('baselines')}"
        raise refuse(None, none_left("submission", "all of them are baselines or late", hint))


def _check_late(study: Study, entries: Sequence[Entry], metadata: Metadata) -> None:
    """Raise an `InputError` where all submissions are late, or where late ones may change the items of the others."""
    late = [name for name, entry in zip(study.systems, entries, strict=True) if entry.late]
    if len(late) == len(study.systems):
        hint = f"change the column 'late' of {setting('metadata')}"
        path = next((file.path for file in metadata.files), None)
        raise refuse(path, none_left("submission", "all of them are late", hint))
    names = f"late submissions ({first_of(late, _NAMED)})"
    expected, hint = "numbers that no late submission changes", f"leave them out with {setting('exclude_systems')}"
    if late and study.origin.repairs.get("items_dropped"):
        policy = setting("on_missing", "drop")
        hint = f"set {setting('on_missing', 'miss')}, or {hint}"
        raise refuse(None, excluded(f"{policy} with {names}", "items are dropped for all systems", expected, hint))
    if late and study.has_repeated_runs:
        raise refuse(None, excluded(f"repeated runs with {names}", "their variances are pooled", expected, hint))


def _official(study: Study, settings: LeaderboardSettings) -> int:
    """The index of the official measure."""
    if settings.sort_by is None:
        return 0
    index = index_of_measure(settings.sort_by, study.measure_names)
    if index is None:
        raise refuse(None, unknown("measure", settings.sort_by, study.measure_names, f" of {setting('sort_by')}"))
    return index


def analyse(study: Study, settings: LeaderboardSettings, *, progress: Progress) -> Leaderboard:
    """Rank the submissions, and test the differences of those that are ranked."""
    check(study, settings)
    official = _official(study, settings)
    metadata = metadata_of(study, settings.metadata, settings.cost)
    entries_by_name = entries_of(study, metadata)
    entries = [entries_by_name[name] for name in study.systems]
    oriented = study.scores.filled(study.config.ranked_as).oriented().values[official]
    roles = _roles(study.systems, entries, oriented, settings.baselines)
    evidence_by_measure = gather_evidence_of_runs(study, "a leaderboard", permutations=settings.permutations)
    evidence, sign = evidence_by_measure[official], study.scores.directions[official].sign
    names = dict.fromkeys(entry.track for entry, role in zip(entries, roles, strict=True) if role in (PRIMARY, BEST))
    tracks = [
        _track(name, evidence, entries, roles, sign=sign, alpha=settings.alpha)
        for name in progress(sorted(names), "Tests of differences")
    ]
    return Leaderboard(
        measure=study.measure_names[official],
        sign=sign,
        systems=study.systems,
        entries=entries,
        roles=roles,
        tracks=tracks,
        scores=study.scores.values[official],
        interval=intervals_under(study, official, evidence),
        metadata=metadata,
        absent=[entry.name for entry in metadata.entries if entry not in entries_by_name.values()],
        groups=len(evidence.groupings[0].sizes),
        smallest_p=evidence.smallest_p,
        per_class=_per_class(study) if settings.per_class else {},
    )


def _roles(systems: Sequence[str], entries: Sequence[Entry], oriented: Floats, baselines: Sequence[str]) -> list[str]:
    """The role of each submission; oriented: its score under the official measure, by which the best is chosen."""
    roles = [
        LATE if entry.late else BASELINE if name in baselines else ""
        for name, entry in zip(systems, entries, strict=True)
    ]
    # The primary submission of a team, or else its best; of equal ones the first.
    candidates = [index for index in best_first(oriented) if not roles[index]]
    teams: set[tuple[str, str]] = set()
    for index in sorted(candidates, key=lambda index: not entries[index].primary):
        team = entries[index].team, entries[index].track
        roles[index] = FURTHER if team in teams else PRIMARY if entries[index].primary else BEST
        teams.add(team)
    return roles


def _track(
    name: str, evidence: Evidence, entries: Sequence[Entry], roles: Sequence[str], *, sign: int, alpha: float
) -> Track:
    """The standing in a track; a baseline without a track is in each."""
    is_ranked = [role in (PRIMARY, BEST) and entry.track == name for entry, role in zip(entries, roles, strict=True)]
    is_beside = [role == BASELINE and entry.track in ("", name) for entry, role in zip(entries, roles, strict=True)]
    systems = np.flatnonzero(np.array(is_ranked) | np.array(is_beside))
    ranked = np.array(is_ranked)[systems]
    subset = evidence.select(systems)
    comparison = Comparison.of(subset, compare_pairs(subset, alpha=alpha), ordered=True)
    costs = np.array([entries[index].cost for index in systems.tolist()])
    standing = Standing.of(comparison, sign=sign, ranked=ranked)
    optimal = pareto_optimal(comparison.scores, -costs)
    return Track(name, systems, ranked, comparison=comparison, standing=standing, optimal=optimal)


def _per_class(study: Study) -> dict[str, Floats]:
    """The F1 of each class."""
    runs = study.need(LABELS, "the F1 of each class")
    measures = [measure(f"f1:class={quoted(label)}") for label in runs.scale.labels]
    cube = score_counts(counts_of(runs), measures, scale=runs.scale, systems=runs.systems)
    return dict(zip(runs.scale.labels, cube.values, strict=True))
