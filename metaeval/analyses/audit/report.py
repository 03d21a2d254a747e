"""Tables and findings of `audit`, and a text for each team on its submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

import numpy as np

from metaeval.analyses.audit.compute import ACCEPTED, KINDS, NEAR, NEVER, REJECTED, Audit, Submission
from metaeval.analyses.audit.pairs import SubmissionPairs
from metaeval.analyses.audit.settings import AuditSettings
from metaeval.errors import join_all, pluralize, visible
from metaeval.model.report import Cells, Finding, Report, Table, count, p_value, score, table, text
from metaeval.stats.rank import best_first
from metaeval.study.study import AnalysisOutput, Study, undefined_notes


def tabulate(study: Study, settings: AuditSettings, result: Audit) -> AnalysisOutput:
    """The status of every submission, pairs of similar submissions, and all reasons."""
    oriented = study.scores.directions[0].sign * np.array([submission.score for submission in result.submissions])
    submissions = [result.submissions[index] for index in best_first(oriented)]
    tables = [
        _statuses(study, submissions),
        *([_similar_pairs(result.systems, result.pairs)] if result.pairs is not None else []),
        _problems(result.submissions),
    ]
    return AnalysisOutput(tables, undefined_notes(study), _findings(result), result.metadata.files)


def _score(study: Study, submissions: Sequence[Submission]) -> Cells:
    """The scores under the official measure."""
    measure, direction = study.scores.measures[0], study.scores.directions[0]
    return score(measure, [row.score for row in submissions], higher_is_better=direction.sign > 0, digits=3)


def _statuses(study: Study, unsorted: Sequence[Submission]) -> Table:
    """Rejected submissions first, then those with remarks, then the others, each in their order."""
    submissions = sorted(unsorted, key=lambda submission: (not submission.reason, not submission.remarks))
    teams = [submission.entry.team for submission in submissions]
    tracks = [submission.entry.track for submission in submissions]
    shows_teams = not all(submission.entry.is_told_by(submission.name) for submission in submissions)
    return table(
        "audit",
        f"{pluralize(len(submissions), 'submission')} on {pluralize(len(study.items), 'item')}",
        text("submission", [submission.name for submission in submissions]),
        text("team", teams, detail=not shows_teams),
        *([text("track", tracks)] if any(tracks) else []),
        text("status", [submission.status for submission in submissions], values=(ACCEPTED, REJECTED)),
        _score(study, submissions),
        text(
            "remarks",
            ["; ".join(filter(None, [submission.reason, *submission.remarks.values()])) for submission in submissions],
            about="why it is rejected, by the first problem, or what is remarkable",
        ),
    )


def _similar_pairs(systems: Sequence[str], pairs: SubmissionPairs) -> Table:
    """The most similar submission of each, every pair once, from the least to the greatest ratio of differences."""
    few = np.where(pairs.independent > 0, pairs.different / np.maximum(pairs.expected, 1e-12), np.inf)
    few[pairs.constant[:, np.newaxis] & pairs.constant] = np.inf
    np.fill_diagonal(few, np.inf)
    nearest = few.argmin(axis=1) if len(systems) > 1 else np.zeros(0, dtype=np.intp)
    nearest_pairs = {
        (min(one, other), max(one, other)) for one, other in enumerate(nearest.tolist()) if few[one, other] < np.inf
    }
    rows = sorted(nearest_pairs, key=lambda pair: (few[pair], pair))
    one, other = np.array(rows, dtype=np.intp).reshape(-1, 2).T
    return table(
        "similar_pairs",
        "The most similar other submission of each",
        text("submission", [systems[index] for index in one.tolist()]),
        text("other", [systems[index] for index in other.tolist()]),
        count("different", pairs.different[one, other], about="items on which they differ"),
        score("expected", pairs.expected[one, other], digits=1, about=_EXPECTED),
        score("independent", pairs.independent[one, other], digits=1, about="if they were independent given gold"),
        p_value("p_adjusted", pairs.p[one, other], about=_TESTED),
        detail=True,
    )


_EXPECTED = (
    "by their confusion matrices, and by how much less than independent systems such submissions typically differ"
)
_TESTED = "of as few differences, Bonferroni-adjusted for all pairs of different teams"


def _problems(submissions: Sequence[Submission]) -> Table:
    """A row for each reason and each remark."""
    rows = [(run, line) for run in submissions for line in (*run.problems, *run.remarks.values())]
    return table(
        "problems",
        "All reasons and remarks",
        text("submission", [run.name for run, _ in rows]),
        text("team", [run.entry.team for run, _ in rows]),
        text("status", [run.status for run, _ in rows], values=(ACCEPTED, REJECTED)),
        text("problem", [line for _, line in rows]),
        detail=True,
    )


def _findings(result: Audit) -> list[Finding]:
    """How many submissions are accepted, why others are not, and how many have remarks of each kind."""
    submissions = result.submissions
    accepted = sum(not submission.reason for submission in submissions)
    late = sum(submission.reason == "late" for submission in submissions)
    absent = sum(submission.reason == "no file" for submission in submissions)
    invalid = len(submissions) - accepted - late - absent
    if len(submissions) == accepted == 1:
        first = f"The only submission is {ACCEPTED}"
    else:
        amount = "All" if accepted == len(submissions) else f"{accepted:,} of"
        first = f"{amount} {pluralize(len(submissions), 'submission')} {_are(accepted)} {ACCEPTED}"
    reasons = [f"{number:,} {_are(number)} {kind}" for number, kind in ((invalid, "invalid"), (late, "late")) if number]
    if absent:
        reasons.append(f"{absent:,} {'has' if absent == 1 else 'have'} no file")
    claims = ["; ".join(filter(None, [first, join_all(reasons)]))]
    clauses = []
    if pairs := 0 if result.pairs is None else int(result.pairs.nearly_identical.sum()) // 2:
        clauses.append(f"{pluralize(pairs, 'pair')} {_are(pairs)} nearly identical")
    times = Counter(kind for submission in submissions for kind in submission.remarks if kind != NEAR)
    kinds = [kind for kind in KINDS if times[kind]]
    if kinds:
        first = f"{pluralize(times[kinds[0]], 'submission')} {_predicate(kinds[0], times[kinds[0]])}"
        clauses.append(join_all([first, *(f"{times[kind]:,} {_predicate(kind, times[kind])}" for kind in kinds[1:])]))
    if clauses:
        claims.append("; ".join(clauses))
    return [Finding("audit", claim) for claim in claims]


def _predicate(kind: str, number: int) -> str:
    if kind == NEVER:
        return kind.replace("predict", "predicts") if number == 1 else kind
    return f"{_are(number)} {kind}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def team_texts(report: Report) -> dict[str, str]:
    """The text for each team of an audit, by the name of its file."""
    problems: dict[object, list[str]] = {}
    for row in report.table("problems").records():
        problems.setdefault(row["submission"], []).append(visible(str(row["problem"]).strip()))
    measure = next(iter(report.provenance.measures))
    lines: dict[str, list[str]] = {}
    for row in sorted(report.table("audit").records(), key=lambda row: str(row["submission"])):
        value = row[measure]
        score = f", {measure} {value:.4f}" if isinstance(value, float) else ""
        team_lines = lines.setdefault(str(row["team"]), [])
        team_lines += ["", f"{visible(str(row['submission']))}: {row['status']}{score}"]
        team_lines += [f"  {problem}" for problem in problems.get(row["submission"], [])]
    return {
        f"{_file_name(team)}.txt": "\n".join([f"Submissions of {visible(team)}", *team_lines, ""])
        for team, team_lines in lines.items()
    }


def _file_name(team: str) -> str:
    """A name of a file for each team, whose name may contain what names of files cannot; letters of any script stay."""
    return "".join(sign if sign.isalnum() else quote(sign, safe=" ") for sign in team)
