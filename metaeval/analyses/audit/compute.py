"""The status of each submission, and what is remarkable about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metaeval.analyses.audit.pairs import SubmissionPairs, compare_predictions
from metaeval.analyses.audit.settings import AuditSettings
from metaeval.analyses.audit.shifts import Shifts, find_shifts
from metaeval.arrays import Bools
from metaeval.errors import conflict, first_of, leave_out, pluralize, raise_any, refuse, shortened, unknown
from metaeval.model.runs import ClassRuns, LabelledRuns, PatternRuns
from metaeval.model.scores import ItemScores
from metaeval.scoring.confusion import counts_of
from metaeval.study.doubts import LEAST_ITEMS, answers
from metaeval.study.study import Progress, Study
from metaeval.study.submissions import Entry, Metadata, entries_of, metadata_of

_NAMED = 3
"""Number of submissions that a remark names at most."""

_LONGEST = 120
"""Maximum length of the first problem in a remark."""

IDENTICAL, NEAR, BASELINE = "identical to another", "nearly identical to another", "equal to a baseline"
GOLD, SHIFTED, CONSTANT = "equal to gold", "shifted", "constant"
NEVER, MISSES, UNLISTED = "never predict some class", "incomplete", "not in the metadata"
ACCEPTED, REJECTED = "accepted", "rejected"

KINDS = (IDENTICAL, NEAR, BASELINE, GOLD, SHIFTED, CONSTANT, NEVER, MISSES, UNLISTED)
"""The kinds of remarks, in the order in which findings name them."""


@dataclass(frozen=True)
class Submission:
    """A submission.

    entry: its row in the metadata. score: under the official measure, NaN without one. reason: why it is rejected, ''
    if it is accepted. problems: all reasons, a line each. remarks: by kind.
    """

    name: str
    entry: Entry
    score: float = np.nan
    reason: str = ""
    problems: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """Whether it is accepted."""
        return REJECTED if self.reason else ACCEPTED


@dataclass(frozen=True)
class Audit:
    """Submissions, rejected ones included. systems: those of which `pairs` are."""

    submissions: tuple[Submission, ...]
    systems: tuple[str, ...]
    pairs: SubmissionPairs | None
    metadata: Metadata


def check(study: Study, settings: AuditSettings) -> None:
    """Raise an `InputError` for metadata that cannot be read, for baselines that do not exist, and for groups."""
    data = study.config.data
    if option := data.grouping:
        raise refuse(None, conflict(option, "audit", "all items of each submission", leave_out(option)))
    names = [*study.systems, *(run.system for run in data.invalid)]
    raise_any([unknown("baseline", name, names) for name in settings.baselines if name not in names])
    metadata_of(study, settings.metadata)


def analyse(study: Study, settings: AuditSettings, *, progress: Progress) -> Audit:
    """Audit the submissions of a study and those that could not be read."""
    check(study, settings)
    study.check_measures()
    metadata = metadata_of(study, settings.metadata)
    teams = entries_of(study, metadata)
    # Metadata may be of some submissions only, such as the late ones.
    are_complete = 2 * sum(entry.line > 0 for entry in teams.values()) > len(teams)
    remarks, pairs = _remarks(study, [teams[name].team for name in study.systems], settings.baselines)
    submissions = []
    for name, score, texts in zip(study.systems, study.scores.values[0].tolist(), remarks, strict=True):
        if are_complete and not teams[name].line:
            texts[UNLISTED] = UNLISTED
        reason = "late" if teams[name].late else ""
        problems = (reason,) if reason else ()
        submissions.append(Submission(name, teams[name], score=score, reason=reason, problems=problems, remarks=texts))
    for run in study.config.data.invalid:
        more = f" (and {pluralize(run.problems - 1, 'problem')} more)" if run.problems > 1 else ""
        late = ("late",) if teams[run.system].late else ()
        problems = (*late, *run.listing)
        submissions.append(
            Submission(run.system, teams[run.system], reason=shortened(run.reason, _LONGEST) + more, problems=problems)
        )
    absent = [entry for entry in metadata.entries if entry not in teams.values()]
    submissions += [Submission(entry.name, entry, reason="no file", problems=("no file",)) for entry in absent]
    return Audit(tuple(submissions), study.systems, pairs, metadata)


def _remarks(
    study: Study, teams: Sequence[str], baselines: Sequence[str]
) -> tuple[list[dict[str, str]], SubmissionPairs | None]:
    """The remarks on each system, by kind; and its pairs with the others, where systems predict classes."""
    runs: Any = getattr(study, "runs", None)
    remarks: list[dict[str, str]] = [{} for _ in study.systems]
    pairs = None
    if isinstance(runs, (LabelledRuns, PatternRuns)):
        pairs = compare_predictions(runs, teams)
    identical = _equal_answers(runs, len(study.systems)) if pairs is None else pairs.identical
    for index, others in enumerate(identical):
        same = [study.systems[other] for other in np.flatnonzero(others).tolist()]
        if equal_baselines := [name for name in same if name in baselines]:
            remarks[index][BASELINE] = f"equal to baseline {equal_baselines[0]}"
        if same := [name for name in same if name not in baselines]:
            remarks[index][IDENTICAL] = f"identical to {first_of(same, _NAMED)}"
    more_remarks: list[tuple[int, str, str]] = []
    if pairs is not None:
        more_remarks += [*_on_near_pairs(pairs, study.systems, len(study.items)), *_on_classes(runs)]
    if isinstance(runs, LabelledRuns):
        more_remarks += _on_shifts(find_shifts(runs))
    for index, kind, text in more_remarks:
        remarks[index][kind] = text
    return remarks, pairs


def _equal_answers(runs: Any, systems: int) -> Bools:
    """Which systems have equal outputs for all items, (S, S)."""
    if runs is None or isinstance(runs, ItemScores) or systems == 0:
        return np.zeros((systems, systems), dtype=np.bool_)
    keys = answers(runs)[0]
    codes = np.array([keys.index(key) for key in keys])
    equal: Bools = (codes[:, np.newaxis] == codes) & ~np.eye(systems, dtype=np.bool_)
    return equal


def _on_classes(runs: ClassRuns) -> Iterator[tuple[int, str, str]]:
    """Remarks on which classes systems predict."""
    labels = runs.scale.labels
    counts, frequencies = counts_of(runs)[:, : len(labels)], runs.gold_frequencies[: len(labels)]
    predicted, right = counts.sum(axis=1), np.einsum("scc->s", counts[:, :, : len(labels)])
    for index, (times, others) in enumerate(zip(*np.split(predicted, [len(labels)], axis=1), strict=True)):
        occurring, misses = np.flatnonzero(times).tolist(), int(others.sum())
        never = [labels[code] for code in np.flatnonzero((times == 0) & (frequencies >= LEAST_ITEMS))]
        if misses:
            yield index, MISSES, f"{pluralize(misses, 'prediction')} missing or of no class, which count as wrong"
        if len(occurring) == 1 and not misses:
            yield index, CONSTANT, f"constant: always {labels[occurring[0]]}"
        elif never:
            yield index, NEVER, f"never predicts {first_of(never, _NAMED)}"
        if right[index] == frequencies.sum():
            yield index, GOLD, "equal to gold"


def _on_near_pairs(pairs: SubmissionPairs, systems: Sequence[str], items: int) -> Iterator[tuple[int, str, str]]:
    """Remarks on the most similar submission of each that is nearly identical to one."""
    near = pairs.nearly_identical
    for index in np.flatnonzero(near.any(axis=1)).tolist():
        different = np.where(near[index], pairs.different[index], items + 1)
        other = int(different.argmin())
        text = f"nearly identical to {systems[other]}: {different[other]:,} of {pluralize(items, 'item')} differ"
        yield index, NEAR, f"{text}, {pairs.expected[index, other]:,.0f} expected"


def _on_shifts(shifts: Shifts) -> Iterator[tuple[int, str, str]]:
    for index in np.flatnonzero(shifts.significant).tolist():
        rows = int(shifts.rows[index])
        where = f"{pluralize(abs(rows), 'row')} {'before' if rows > 0 else 'after'}"
        shares = f"{shifts.shifted[index]:.0%} instead of {shifts.agreement[index]:.0%}"
        yield index, SHIFTED, f"shifted: predictions fit the item {where} theirs ({shares} equal gold)"
