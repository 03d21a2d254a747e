"""Tables, notes and findings of `items`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.items.compute import Items, labels_of, systems_needed
from metaeval.analyses.items.settings import ItemsSettings
from metaeval.analyses.sentences import join_names
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import pluralize
from metaeval.model.report import Cells, Finding, Note, Table, count, p_value, score, stack, table, text
from metaeval.model.runs import LabelledRuns
from metaeval.study.study import AnalysisOutput, Study

SHOWN = 10
"""Number of suspicious and of disputed items in their tables; the table of all items has the others."""

MOST_CLASSES = 10
"""Number of gold classes up to which the items of each are counted."""

VERDICTS = {
    "suspicious": "",
    "all_right": "",
    "all_wrong": "",
    "equal": "all systems have the same score",
    "discriminating": "better systems score significantly higher",
}
"""What an item can be, with its meaning in the table of counts where that is needed."""


@dataclass(frozen=True)
class Reading:
    """The items under a measure and what they are. kinds: for each of `VERDICTS` the items that are so, (N,)."""

    items: Items
    kinds: dict[str, Bools]

    @classmethod
    def of(cls, items: Items, alpha: float) -> Reading:
        """With the items that are significant at a level."""
        kinds = (
            items.preference.significant(alpha),
            items.dead(right=True),
            items.dead(right=False),
            items.equal & (items.right is None),
            items.discrimination.significant(alpha),
        )
        return cls(items, dict(zip(VERDICTS, kinds, strict=True)))

    @property
    def lowest(self) -> Indices:
        """The items on which better systems are wrong more often than is expected, the lowest correlation first."""
        below = np.nan_to_num(self.items.preference.values - self.items.expected)
        return np.asarray(np.argsort(below, kind="stable")[: int((below < 0).sum())])

    @property
    def disputed(self) -> Indices:
        """The items, those on which systems disagree most first."""
        return np.asarray(np.argsort(-np.nan_to_num(self.items.disagreement), kind="stable"))


def tabulate(study: Study, settings: ItemsSettings, result: Sequence[Items]) -> AnalysisOutput:
    """All items, how many there are of each kind, and those that are suspicious or disputed."""
    runs = labels_of(study)
    readings = [Reading.of(items, settings.alpha) for items in result]
    columns = [_columns(study, runs, reading, several=len(result) > 1) for reading in readings]

    def subset_table(name: str, title: str, rows: Sequence[Indices], *, detail: bool = True) -> Table:
        subsets = zip(columns, rows, strict=True)
        return stack(table(name, title, *cells, order=order.tolist(), detail=detail) for cells, order in subsets)

    under = " under each measure" if len(result) > 1 else ""
    untested = "" if any(items.preference.is_tested for items in result) else " (not tested)"
    lower = "score lower" if runs is None else "predict another class"
    lowest = [reading.lowest[:SHOWN] for reading in readings]
    tables = [
        subset_table("items", f"All {len(study.items):,} items{under}", [np.arange(len(study.items))] * len(result)),
        _counts(runs, readings),
        subset_table(
            "suspicious",
            f"Up to {SHOWN} items on which better systems {lower}{under}{untested}",
            lowest,
            detail=not any(map(len, lowest)),
        ),
        subset_table(
            "disputed",
            f"Up to {SHOWN} items on which systems disagree most{under}",
            [reading.disputed[:SHOWN] for reading in readings],
        ),
    ]
    findings = [Finding("items", claim) for claim in _claims(study, runs, readings[0], settings.alpha)]
    return AnalysisOutput(tables, _notes(study, runs, result), findings, methods=_methods(runs))


def _columns(study: Study, runs: LabelledRuns | None, reading: Reading, *, several: bool) -> list[Cells]:
    """The columns of all items under a measure."""
    items, rest = reading.items, "with the systems' scores on the other items"
    alone, adjusted = "one-sided, for this item alone", "adjusted for all items"
    columns = [text("measure", items.measure, detail=not several), text("item", list(study.items))]
    difficulty, disagreement = "mean score of the systems", "standard deviation of the scores of the systems"
    if runs is not None and items.others is not None:
        difficulty = "share of the systems that are right"
        disagreement = "share of the pairs of systems that predict different classes"
        names, (codes, share) = np.array(runs.scale.predicted_labels, dtype=object), items.others
        columns += [
            text("gold", names[runs.gold]),
            text("other", np.where(share > 0, names[codes], ""), about="most frequent other prediction"),
            score("share", share, about="share of the systems that predict other", digits=2),
        ]
    correlation, p, p_adjusted = items.discrimination.values, items.discrimination.p, items.discrimination.adjusted
    columns += [
        score("difficulty", items.difficulty, about=difficulty, digits=2),
        score("disagreement", items.disagreement, about=disagreement, digits=2, detail=True),
        score("discrimination", correlation, about=f"rank correlation {rest}", digits=2, detail=runs is not None),
        p_value("p", p, about=alone, detail=True),
        p_value("p_adjusted", p_adjusted, about=adjusted, detail=True),
    ]
    preference, untested = items.preference, not items.preference.is_tested
    if runs is not None:
        about = f"rank correlation of predicting gold instead of other {rest}"
        columns.append(score("preference", preference.values, about=about, digits=2))
    verdicts = np.select(list(reading.kinds.values()), list(reading.kinds), "")
    return [
        *columns,
        p_value("p_negative", preference.p, about=alone, detail=True),
        p_value("p_negative_adjusted", preference.adjusted, head="p", about=adjusted, detail=untested),
        text("verdict", verdicts, values=(*VERDICTS, ""), detail=True),
    ]


def _counts(runs: LabelledRuns | None, readings: Sequence[Reading]) -> Table:
    """How many items there are of each kind, by measure, or of labels by gold class."""
    every = np.ones(len(readings[0].items.equal), dtype=np.bool_)
    key, names = "measure", [reading.items.measure for reading in readings]
    rows = [(reading, every) for reading in readings]
    if runs is not None:
        key, names = "gold", ["all"]
        if len(runs.scale) <= MOST_CLASSES:
            names += runs.scale.labels
            rows += [(readings[0], runs.gold == code) for code in range(len(runs.scale))]
    binary = any(reading.items.right is not None for reading in readings)
    visibility = {
        "all_right": binary,
        "all_wrong": binary,
        "equal": any(reading.kinds["equal"].any() for reading in readings),
        "discriminating": any(reading.items.discrimination.is_tested for reading in readings),
        "suspicious": any(reading.items.preference.is_tested for reading in readings),
    }
    better = "better systems score significantly lower"
    about = {**VERDICTS, "suspicious": better if runs is None else "better systems significantly predict another class"}
    return table(
        "item_counts",
        f"Number of items by {'gold class' if runs is not None else key}",
        text(key, names),
        count("items", [int(mask.sum()) for _, mask in rows]),
        *(
            count(kind, [int(reading.kinds[kind][mask].sum()) for reading, mask in rows], about=about[kind])
            for kind, is_shown in visibility.items()
            if is_shown
        ),
        score("difficulty", [_mean(reading.items.difficulty[mask]) for reading, mask in rows], digits=2),
        score("discrimination", [_mean(reading.items.discrimination.values[mask]) for reading, mask in rows], digits=2),
    )


def _mean(values: Floats) -> float:
    """The mean of the defined values; NaN without any."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _notes(study: Study, runs: LabelledRuns | None, result: Sequence[Items]) -> list[Note | str]:
    notes: list[Note | str] = []
    for items in result:
        if items.copies:
            under = f"{items.measure}: " if len(result) > 1 else ""
            copies = (
                f"{pluralize(items.copies, 'system')} {'is' if items.copies == 1 else 'are'} left out of correlations"
            )
            notes.append(f"{under}{copies}, equal to another one on every item")
    if runs is None:
        return notes
    if study.config.measures:
        notes.append("labels are right or wrong here: the measures are not used")
    below = [label for code, label in enumerate(runs.scale.labels) if result[0].expected[runs.gold == code].any()]
    if below:
        these = "this class" if len(below) == 1 else "these classes"
        notes.append(
            f"the preference for {join_names(below)} is negative on average, because weaker systems predict {these} "
            "more often: an item is suspicious below the mean of its class"
        )
    return notes


def _claims(study: Study, runs: LabelledRuns | None, reading: Reading, alpha: float) -> list[str]:
    """How many items discriminate, how many are dead, and which gold to check; of several measures by the first."""
    items = reading.items
    under = "" if runs is not None or len(study.measure_names) == 1 else f" under {items.measure}"
    number, systems = pluralize(len(items.equal), "item"), pluralize(len(study.systems), "system")
    dead = {kind: int(reading.kinds[kind].sum()) for kind in ("all_right", "all_wrong", "equal")}
    constant = ""
    if dead["all_right"] or dead["all_wrong"]:
        constant = f"; all are right on {dead['all_right']:,} and wrong on {dead['all_wrong']:,}"
    elif dead["equal"]:
        constant = f"; all have the same score on {dead['equal']:,}"
    varying = int((~items.equal).sum())
    if items.discrimination.is_tested:
        positive = int(reading.kinds["discriminating"].sum())
        verb = "discriminates" if positive == 1 else "discriminate"
        claims = [f"{positive:,} of {number} {verb} between the {systems}{under} (adjusted p ≤ {alpha:g}){constant}"]
    else:
        claims = [f"the {systems} differ on {varying:,} of {number}{under}{constant}"]
    if items.preference.is_tested:
        suspicious = [row for row in reading.lowest.tolist() if reading.kinds["suspicious"][row]]
        claims.append(_on_suspicious([str(study.items[row]) for row in suspicious], runs))
    elif varying:
        fewest = systems_needed(varying, alpha, binary=items.right is not None)
        few = f"{systems} are too few for {pluralize(varying, 'item')} (at least {fewest} are needed)"
        claims.append(f"nothing is tested: {few}")
    if items.others is not None:
        same = int((reading.kinds["all_wrong"] & (items.others.share == 1)).sum())
        if same:
            claims.append(f"on {same:,} of the {dead['all_wrong']:,} items that all get wrong, all predict one class")
    return claims


def _on_suspicious(names: Sequence[str], runs: LabelledRuns | None) -> str:
    what, lower = ("reference", "score lower") if runs is None else ("gold label", "predict another class")
    if not names:
        return f"on no item do better systems significantly {lower}"
    return f"check the {what}{'s' if len(names) > 1 else ''} of {join_names(names)}: better systems {lower} there"


def _methods(runs: LabelledRuns | None) -> list[str]:
    """Sentences for a paper."""
    discrimination = (
        "The discrimination of an item is the rank correlation of its scores with the systems' scores on all other "
        "items, tested by the normal approximation of the permutation distribution."
    )
    preference = (
        "A gold label is suspicious if the same correlation of predicting it (1), the most frequent other class (−1) "
        "or neither (0) is below 0 and below its mean over the items of the class."
    )
    family = (
        "P-values are one-sided and adjusted for the rate of false discoveries (Benjamini and Hochberg 1995) among the "
        "items that could be significant (Tarone 1990)."
    )
    return [discrimination, family] if runs is None else [discrimination, preference, family]
