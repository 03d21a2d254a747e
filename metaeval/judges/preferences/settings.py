"""Settings of the analysis of pairwise preferences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import PYTHON, YAML, AnalysisSettings, FilePath, Paths, Text, Texts, choice, several, text
from metaeval.settings.options import (
    OUTSIDE_YAML,
    cluster_column,
    excluded_measures,
    excluded_systems,
    group_column,
    human_names,
    replicate_column,
)

Ties: TypeAlias = Literal["discordant", "left-out", "half"]

MergeOrders: TypeAlias = Literal["tie", "drop"]


@dataclass(frozen=True, kw_only=True)
class PreferencesSettings(AnalysisSettings, section="preferences", in_signature=False):
    """Do metrics and judges prefer what people prefer?

    VERDICTS are files with a row for each verdict on two outputs: item, left, right (the systems in display order),
    winner (left, right or tie) and judge, and perhaps kind (human or judge) and weight; or item, better, worse; or the
    columns of FastChat, Chatbot Arena or AlpacaEval. Scores of metrics are in columns NAME-left and NAME-right, or
    NAME-better and NAME-worse.

    Computes how often metrics and judges prefer the system that people prefer, the biases of judges at equal strength
    of the systems (order, length, their own family), and the strengths of the systems by the model of Davidson (1970)
    with ranks for `correlate`.

    >>> import metaeval
    >>> verdicts = {"item": ["q1", "q2"], "better": ["A", "B"], "worse": ["B", "A"]}
    >>> verdicts |= {"bleu-better": [0.4, 0.2], "bleu-worse": [0.1, 0.3]}
    >>> metaeval.preferences(verdicts).to_pandas("metric_preferences")["tau"].item()
    0.0

    \b
    metaeval preferences sample_data/preferences/verdicts.csv --human ann --human bob
    metaeval preferences sample_data/preferences/verdicts.csv --judge kite --merge-orders tie --covariate lexi
    metaeval preferences sample_data/preferences/verdicts.csv --judge juno --judge kite --baseline Cedar
    metaeval preferences sample_data/preferences/verdicts.csv --judge kite --exclude-system Elm --exclude-measure lexi
    metaeval preferences sample_data/preferences/darr.csv --group lp
    """

    verdicts: Paths = several(FilePath(), (), "Files of verdicts", where=frozenset({YAML, PYTHON}))
    judges: Texts = several(
        Text(),
        (),
        "Judge to be evaluated, by name or pattern",
        flag="--judge",
        metavar="NAME",
        default_text="by the column kind or the form of the file; beside people all others",
    )
    humans: Texts = human_names(
        "Person, by name or pattern: only these count as people",
        "by the column kind or the form of the file; else all who are no judges",
    )
    baseline: str | None = text(
        None, "System against which the others have win rates", metavar="NAME", default_text="none"
    )
    ties: Ties = choice(
        "discordant",
        "Pairs that a metric ties: discordant (default), left-out, or half concordant",
        get_args(Ties),
        metavar="RULE",
        what="treatment of ties",
        default_text=None,
    )
    merge_orders: MergeOrders | None = choice(
        None,
        "One verdict for both orders of the same outputs; where they differ a tie, or none",
        get_args(MergeOrders),
        metavar="|".join(get_args(MergeOrders)),
        what="treatment of orders that differ",
        default_text="each order is a verdict",
    )
    covariates: Texts = several(
        Text(),
        (),
        "Property of outputs that may bias judges, in columns NAME-left and NAME-right, or their difference in NAME",
        flag="--covariate",
        metavar="NAME",
        default_text="none beside order, length and family",
    )
    exclude_systems: Texts = excluded_systems(where=OUTSIDE_YAML)
    exclude_measures: Texts = excluded_measures(where=OUTSIDE_YAML)
    lower_is_better: Texts = several(
        Text(), (), "Metric of which a lower score is better", metavar="NAME", default_text="none"
    )
    id_column: str | None = text(None, "Column of item ids", metavar="NAME", default_text="item, id, question_id, sid")
    judge_column: str | None = text(
        None,
        "Column of judges",
        metavar="NAME",
        default_text="judge, annotator, rater, worker, user, with _id or _name",
    )
    language_pair_column: str | None = text(
        None,
        "Column of language pairs, which are analysed one by one",
        metavar="NAME",
        default_text="language_pair, lp, if there is one",
    )
    clusters: str | None = cluster_column("Column whose values group the verdicts into clusters", "the items")
    group: str | None = group_column("verdicts")
    replicates: str | None = replicate_column("a judge")
