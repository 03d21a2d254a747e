"""Tables, notes and findings of `contrast`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.contrast.compute import Contrasts, Severities
from metaeval.analyses.contrast.settings import ContrastSettings
from metaeval.analyses.contrast.study import ContrastStudy, size_of
from metaeval.analyses.sentences import ALPHA, join_names, value_range
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.model.works import METAEVAL, cite
from metaeval.study.study import AnalysisOutput
from metaeval.version import __version__

SEEN, UNCLEAR, MISSED = "sees", "unclear", "misses"
VERDICTS = (SEEN, UNCLEAR, MISSED)

READABLE_ROWS = 40
"""Number of rows of the main table up to which a terminal shows it."""

MAX_FINDINGS = 8
"""Maximum number of sentences on what measures miss."""

MIN_CLUSTERS = 10
"""Number of clusters below which intervals are much wider than needed, by simulation."""


def tabulate(study: ContrastStudy, settings: ContrastSettings, result: Contrasts) -> AnalysisOutput:
    """Tables of what each measure sees.

    `contrast`: measure, phenomenon, pairs, accuracy, low, high, ties, tau, p, adjusted_p, verdict, undefined.
    `contrast_accuracy`: measure, one column per phenomenon. With severities `contrast_severity`: measure, ordered, low,
    high, p, adjusted_p, pairs; and `contrast_losses`: measure, severity, loss, pairs.
    """
    tables = [_main(study, result), _matrix(study, result)]
    if result.severities is not None:
        tables += [_severity(study, result.severities), _losses(study, result.severities)]
    return AnalysisOutput(tables, _notes(study, result), _findings(study, result), methods=_methods(study, result))


def verdicts(result: Contrasts) -> NDArray[np.str_]:
    """Whether each measure sees each phenomenon in more than half of the pairs, (M, P)."""
    different = result.adjusted_p <= ALPHA
    return np.where(different, np.where(result.accuracy > 0.5, SEEN, MISSED), UNCLEAR)


def _main(study: ContrastStudy, result: Contrasts) -> Table:
    ties = result.ties / np.maximum(result.pairs, 1)
    shown = verdicts(result)
    rows: list[tuple[Cell, ...]] = []
    for row, name in enumerate(study.names):
        for place, phenomenon in enumerate(study.pairs.phenomena):
            at = row, place
            accuracy, defined = float(result.accuracy[at]), int(result.pairs[at])
            interval = (float(result.low[at]), float(result.high[at]))
            tested = (float(result.p[at]), float(result.adjusted_p[at]))
            share_of_ties = float(ties[at]) if defined else float("nan")
            verdict = None if np.isnan(result.p[at]) else str(shown[at])
            rows.append((name, phenomenon, defined, accuracy, *interval, share_of_ties, 2 * accuracy - 1, *tested,
                         verdict, int(result.undefined[at])))  # fmt: skip
    heads = (
        Column("measure"), Column("phenomenon"), Column("pairs", Kind.COUNT),
        Column("accuracy", Kind.SCORE, higher_is_better=True),
        *columns(Kind.SCORE, "low", "high", "ties", "tau", "p"), Column("adjusted_p", Kind.SCORE, head="adjusted p"),
        Column("verdict", values=VERDICTS), Column("undefined", Kind.COUNT),
    )  # fmt: skip
    title = f"Which errors the measures see: {size_of(study.pairs)}"
    return Table("contrast", title, heads, tuple(rows), detail=len(rows) > READABLE_ROWS)


def _matrix(study: ContrastStudy, result: Contrasts) -> Table:
    heads = (Column(name, Kind.SCORE, higher_is_better=True) for name in study.pairs.phenomena)
    rows = tuple((name, *own) for name, own in zip(study.names, result.accuracy.tolist(), strict=True))
    title = "Accuracy: share of the pairs in which the good output has the strictly better score"
    return Table("contrast_accuracy", title, (Column("measure"), *heads), rows)


def _severity(study: ContrastStudy, severities: Severities) -> Table:
    order = severities.order
    numbers = np.stack([order.share, order.low, order.high, order.p, severities.adjusted_p], axis=1).tolist()
    rows = tuple(
        (name, *own, pairs) for name, own, pairs in zip(study.names, numbers, order.pairs.tolist(), strict=True)
    )
    heads = (
        Column("measure"), Column("ordered", Kind.SCORE, higher_is_better=True),
        *columns(Kind.SCORE, "low", "high", "p"), Column("adjusted_p", Kind.SCORE, head="adjusted p"),
        Column("pairs", Kind.COUNT),
    )  # fmt: skip
    title = f"How often the more severe of two errors costs more ({' < '.join(study.pairs.severities)})"
    return Table("contrast_severity", title, heads, rows)


def _losses(study: ContrastStudy, severities: Severities) -> Table:
    rows = tuple(
        (name, severity, loss, pairs)
        for name, losses, counts in zip(
            study.names, severities.losses.tolist(), severities.counts.tolist(), strict=True
        )
        for severity, loss, pairs in zip(study.pairs.severities, losses, counts, strict=True)
    )
    heads = (Column("measure"), Column("severity"), Column("loss", Kind.SCORE), Column("pairs", Kind.COUNT))
    return Table("contrast_losses", "Mean loss of score by severity", heads, rows, detail=len(rows) > READABLE_ROWS)


def _notes(study: ContrastStudy, result: Contrasts) -> list[str]:
    clusters, pairs = study.pairs.clusters, study.pairs
    over = "pairs" if clusters is None else f"clusters of {clusters.column}"
    accuracy = "accuracy: share of pairs in which the good output has the strictly better score"
    tested = "p: against an accuracy of one half, Holm-adjusted over all rows"
    notes = [
        f"{accuracy}; ties: share with equal scores; tau: 2 · accuracy − 1, in which ties count as wrong (ACES)",
        f"low, high: 95 % interval over {over}; {tested}; verdict by adjusted p ≤ {ALPHA:g}",
    ]
    codes = np.arange(len(pairs)) if clusters is None or clusters.codes is None else clusters.codes
    number = [len(np.unique(codes[pairs.phenomenon == place])) for place in range(len(pairs.phenomena))]
    few = [name for name, own in zip(pairs.phenomena, number, strict=True) if own < MIN_CLUSTERS]
    if few:
        notes.append(f"fewer than {MIN_CLUSTERS} {over} in {join_names(few)}: intervals are wide, and hardly any test "
                     "can be significant")  # fmt: skip
    undefined = int(result.undefined.sum())
    if undefined:
        notes.append(f"{pluralize(undefined, 'score')} of pairs undefined (—), left out")
    if study.scale is not None:
        notes.append("labels: the score of all pairs with good labels, against that with the bad label in one of them")
    if result.severities is not None:
        notes.append("ordered: share of pairs of rows of different severity in which the more severe one loses more "
                     "score, ties ½; jackknife over clusters")  # fmt: skip
    return notes


def _findings(study: ContrastStudy, result: Contrasts) -> list[Finding]:
    """What measures miss, the same for several in one sentence; what all see; and the order of severities."""
    shown, phenomena = verdicts(result), study.pairs.phenomena
    by_missed: dict[tuple[int, ...], list[int]] = {}
    for row, own in enumerate(shown):
        if (own == MISSED).any():
            by_missed.setdefault(tuple(np.flatnonzero(own == MISSED).tolist()), []).append(row)
    sentences = []
    for missed, rows in sorted(by_missed.items(), key=lambda each: (-len(each[0]), each[1]))[:MAX_FINDINGS]:
        names = [study.names[row] for row in rows]
        accuracy = value_range(result.accuracy[np.ix_(rows, missed)].ravel().tolist())
        verb = "misses" if len(names) == 1 else "miss"
        what = join_names([phenomena[place] for place in missed])
        sentences.append(f"{join_names(names)} {verb} {what} (accuracy {accuracy}, adjusted p ≤ {ALPHA:g})")
    if len(by_missed) > MAX_FINDINGS:
        others = sum(len(rows) for rows in by_missed.values())
        sentences.append(f"{pluralize(others, 'measure')} in all miss at least one of the phenomena")
    seen = [name for place, name in enumerate(phenomena) if (shown[:, place] == SEEN).all()]
    if seen and len(study.names) > 1:
        sentences.append(f"every measure sees {join_names(seen)}")
    sentences += _on_severities(study, result.severities)
    return [Finding("contrast", sentence) for sentence in sentences]


def _on_severities(study: ContrastStudy, severities: Severities | None) -> list[str]:
    """The measures whose losses grow with the severity."""
    if severities is None or np.isnan(severities.adjusted_p).all():
        return []
    share = severities.order.share
    grows = np.flatnonzero((severities.adjusted_p <= ALPHA) & (share > 0.5)).tolist()
    if not grows:
        return ["no measure loses significantly more score for more severe errors"]
    names = [study.names[row] for row in grows]
    ordered = value_range([float(share[row]) for row in grows])
    above = f"{ordered} of the pairs of rows, significantly above one half"
    text = f"the more severe of two errors costs more score under {join_names(names)} (in {above})"
    rest = [name for row, name in enumerate(study.names) if row not in grows]
    return [f"{text}; not significantly under {join_names(rest)}" if rest else text]


def _methods(study: ContrastStudy, result: Contrasts) -> Sequence[str]:
    software, number = f"metaeval {__version__} {cite(METAEVAL)}", pluralize(len(study.names), "measure")
    shares = "the share of pairs in which the good output has the strictly better score"
    score, intervals = f"the Kendall-like score of ACES {cite('amrhein2022')}", "those of Clopper and Pearson"
    effective = f"an effective number of pairs {cite('korn1998')}"
    sentences = [
        f"We tested {number} on {size_of(study.pairs)} with {software}, by {shares} and {score}.",
        f"Intervals are {intervals} with {effective}; p-values against one half are Holm-adjusted {cite('holm1979')}.",
    ]
    if result.severities is not None:
        sentences.append(f"Whether losses grow with the severity of errors, as in DEMETR {cite('karpinska2022')}, was "
                         "tested by Somers' D with a jackknife over clusters.")  # fmt: skip
    return sentences
