"""Tables, notes and findings of `power`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.power.compute import TUKEY, Powers
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.sentences import Numbers, Superlative
from metaeval.errors import pluralize
from metaeval.model.report import Finding, Note, Table, count, joined, notes_on_columns, score, table, text
from metaeval.model.works import cite
from metaeval.stats.pairs import all_pairs
from metaeval.stats.tests import compact_letters
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, notes_on_gaps, notes_on_untested, units_of
from metaeval.study.study import AnalysisOutput, Study, untested_notes


def tabulate(study: Study, settings: PowerSettings, result: Powers) -> AnalysisOutput:
    """Tables, notes and findings of `power`."""
    names, alpha = study.measure_names, settings.alpha
    shares = np.array([power.share(alpha=alpha) for power in result.measures])
    order = np.argsort(-np.nan_to_num(shares, nan=-1), kind="stable").tolist()
    low = high = np.full(len(names), np.nan)
    letters: str | list[str] = ""
    if result.comparison is not None:
        low, high = np.maximum(result.comparison.low, 0.0), np.minimum(result.comparison.high, 1.0)
        letters = compact_letters(shares, result.comparison.p <= alpha)
    main = table(
        "power",
        f"Discriminative power: pairs of {len(study.systems)} systems that differ significantly at {alpha:g}",
        text("measure", names),
        text("test", settings.test),
        count("pairs", [int((~np.isnan(power.p)).sum()) for power in result.measures]),
        count("different", [int(power.different(alpha=alpha).sum()) for power in result.measures]),
        score("power", shares, higher_is_better=True),
        score("ci_low", low),
        score("ci_high", high),
        score(
            "needed",
            [power.needed for power in result.measures],
            about="every larger difference of two systems is significant",
        ),
        score(
            "smallest",
            [power.smallest(alpha=alpha) for power in result.measures],
            about="the smallest significant one",
        ),
        text("letters", letters),
        order=order,
        subject="Discriminative power",
    )
    notes: list[Note | str] = [*notes_on_columns(main, ["needed", "smallest"]), *_notes(study, settings)]
    p = None if result.comparison is None else result.comparison.p
    return AnalysisOutput(
        [main, _differences(study, result, order)],
        notes,
        findings(names, shares, p, alpha=alpha),
        methods=_methods(study, settings),
    )


def _methods(study: Study, settings: PowerSettings) -> list[str]:
    pairs, alpha = f"all systems ({math.comb(len(study.systems), 2):,} pairs)", f"{settings.alpha:g}"
    what = f"The differences of {pairs}"
    power = f"Discriminative power {cite('sakai2006')} is the share of pairs whose p-value, adjusted for all pairs, "
    power += f"is at most {alpha}"
    if settings.test == TUKEY:
        draws = f"{settings.permutations:,} permutations of the systems within items, seed {study.config.seed}"
        return [
            f"{what} were tested with the randomised Tukey HSD test {cite('carterette2012')} ({draws}).",
            f"{power}.",
        ]
    intervals = (
        "its 95 % intervals on other items, and the p-values of differences between measures, adjusted for all pairs "
        "of measures, come from the same signs."
    )
    return [*methods_of_tests(study, what, permutations=settings.permutations), f"{power}; {intervals}"]


def _differences(study: Study, result: Powers, order: Sequence[int]) -> Table:
    systems, others = all_pairs(len(study.systems)).T
    tables = []
    for index in order:
        power, sign = result.measures[index], study.scores.directions[index].sign
        columns = [
            text("measure", study.measure_names[index]),
            text("system", [study.systems[system] for system in systems]),
            text("other", [study.systems[system] for system in others]),
            score("difference", power.difference * sign),
            score("p", power.raw),
            score("p_adjusted", power.p),
        ]
        if study.has_gaps:
            columns.append(count("items", len(study.items) if power.shared is None else power.shared))
        ascending = np.argsort(power.p, kind="stable")
        columns.insert(1, count("rank", np.argsort(ascending) + 1))
        title = "Differences of each two systems, the smallest adjusted p first: the ASL curve"
        tables.append(table("power_differences", title, *columns, order=ascending.tolist(), detail=True))
    return joined(tables)


def _notes(study: Study, settings: PowerSettings) -> list[Note | str]:
    permutations = pluralize(settings.permutations, "permutation")
    if settings.test == TUKEY:
        level = "its level holds for all pairs together if all systems have the same variance, items are independent"
        others = "its range increases with the differences between the systems, so that its power depends on which"
        return [
            f"tukey: randomised Tukey HSD, {permutations} of the systems within items; {level}",
            f"tukey: {others} other systems take part",
            *untested_notes(study, "tests"),
        ]
    signs = f"random signs of the differences of {units_of(study)} ({permutations})"
    power = "95 % interval of the power on other items; measures that share a letter do not differ significantly"
    return [
        f"permutation: {signs}, adjusted for all pairs of a measure",
        Note(f"ci_low, ci_high: {power} in power (adjusted p > {settings.alpha:g})", ("ci_low", "ci_high", "letters")),
        *notes_on_clusters(study),
        *notes_on_gaps(study),
        *notes_on_untested(study, "tests", permutations=settings.permutations),
    ]


POWERFUL = Superlative(
    ("distinguishes the most pairs", "distinguish the most pairs"),
    ("distinguishes significantly fewer", "distinguish significantly fewer"),
    ("no two measures differ significantly in power", ": none distinguishes the most pairs"),
    "{:.0%}".format,
    statistic="power ",
)


def findings(names: Sequence[str], shares: Numbers, p: Numbers | None, *, alpha: float) -> list[Finding]:
    """The measures that distinguish most pairs, and those that distinguish significantly fewer.

    shares: power, (M,). p: adjusted p-values of the differences, (M, M); None where not tested.
    """
    known = shares[~np.isnan(shares)]
    if not len(known):
        return []
    if p is None:
        return [Finding("power", f"measures distinguish {POWERFUL.span(known)} of the pairs of systems at {alpha:g}")]
    return [Finding("power", POWERFUL.sentence(names, shares, p, alpha=alpha))]
