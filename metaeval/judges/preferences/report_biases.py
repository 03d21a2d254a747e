"""Tables, notes, findings and plot of the biases of judges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.sentences import ALPHA, join_names
from metaeval.arrays import Floats
from metaeval.errors import join_all, pluralize
from metaeval.judges.preferences.biases import (
    FIRST,
    LONGER,
    MORE,
    NULL,
    SELF_PREFERENCE,
    Bias,
    Biases,
    ControlledStrengths,
)
from metaeval.judges.preferences.cells import INTERVAL, adjusted_by_judge, dots, value_cells
from metaeval.model.report import Note, Table, count, score, scores, stack, table, text
from metaeval.model.works import cite
from metaeval.render.plots.columns import has, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.stats.rank import best_first

MOST_NAMED = 2
"""Number of biases that the finding names."""

_IN_WORDS = {FIRST: "first outputs", LONGER: "outputs of twice the length", SELF_PREFERENCE: "its own family"}
"""What judges may be biased for."""

_SHARE = "share of verdicts for it at equal strength of the systems, without ties"
_AGAINST = "whose preference is held fixed, too"


def tables_of_biases(result: Biases) -> list[Table]:
    """The biases, and the strengths of the systems with what the model holds fixed."""
    tables = [_biases(result.estimates)] if result.estimates else []
    if result.strengths:
        tables.append(stack(map(_controlled_strengths, result.strengths)))
    return tables


def _adjusted(biases: Sequence[Bias]) -> Floats:
    """The p-values of the biases of each judge, adjusted together."""
    return adjusted_by_judge([one.judge for one in biases], [one.share.p for one in biases])


def _biases(biases: Sequence[Bias]) -> Table:
    against = [text("against", [one.against for one in biases], about=_AGAINST)]
    return table(
        "judge_biases",
        "Biases of judges at equal strength of the systems",
        text("judge", [one.judge for one in biases]),
        text("bias", [one.name for one in biases]),
        *(against if any(one.against for one in biases) else []),
        *value_cells(
            "share", (*np.array([one.share for one in biases]).T, _adjusted(biases)), "test that it is 0.5", _SHARE
        ),
        score("odds_ratio", np.exp([one.effect.value for one in biases]), about="odds of the share", detail=True),
        count("verdicts", [one.verdicts for one in biases], about="verdicts of the judge", detail=True),
    )


def _controlled_strengths(one: ControlledStrengths) -> Table:
    return table(
        "controlled_strengths",
        "Strengths of the systems without and with biases held fixed (Davidson)",
        text("by", one.by),
        text("system", one.systems),
        score("strength", one.plain, about="log odds of being preferred, with mean 0"),
        score(
            "controlled", one.controlled, about=f"with {join_all(one.controls)} held fixed", interval=("low", "high")
        ),
        *scores(("low", "high"), (one.low, one.high), about=INTERVAL),
        order=best_first(one.controlled),
        detail=True,
    )


def on_biases(result: Biases) -> list[str]:
    """The significant biases of judges, beyond those of people where these are known, and whose bias is unknown."""
    beyond = {(one.judge, one.name) for one in result.estimates if one.against}
    has_judges = any(one.judge != result.people for one in result.estimates)
    biases = []
    for one, p in zip(result.estimates, _adjusted(result.estimates).tolist(), strict=True):
        repeated = not one.against and (one.judge, one.name) in beyond
        if one.judge == result.people or repeated or p > ALPHA:
            continue
        direction = "for" if one.share.value > NULL else "against"
        name = _IN_WORDS.get(one.name, f"more {one.name.rpartition(MORE)[0]}")
        biases.append(f"{one.judge} {direction} {name} ({one.share.value:.0%})")
    sentences = []
    if len(biases) > MOST_NAMED:
        biases = [*biases[:MOST_NAMED], f"{len(biases) - MOST_NAMED} more"]
    if biases:
        sentences.append(f"Significant biases at equal strength (adjusted p ≤ {ALPHA}): {join_names(biases)}")
    elif has_judges:
        sentences.append(f"No judge has a significant bias at equal strength (adjusted p > {ALPHA})")
    reasons: dict[str, list[str]] = {}
    for judge, name, reason in result.unknown:
        if judge != result.people and name == FIRST:
            reasons.setdefault(reason, []).append(judge)
    for reason, judges in reasons.items():
        prefer = "prefers" if len(judges) == 1 else "prefer"
        sentences.append(f"Whether {join_names(judges)} {prefer} first outputs is unknown: {reason}")
    return sentences


def notes_on_biases(result: Biases) -> list[Note | str]:
    """How biases are adjusted, and which of them the verdicts do not tell."""
    notes: list[Note | str] = []
    if len(result.estimates) > 1:
        notes.append("p_adjusted of judge_biases: by Holm, for all tests of a judge; intervals are not adjusted")
    for judge, name, reason in result.unknown:
        notes.append(f"no bias {name} of {judge}: {reason}")
    for judge, number in result.incomplete.items():
        lack = f"{pluralize(number, 'verdict')} that lack a length or covariate"
        notes.append(f"biases of {judge}, except {FIRST}, are without {lack}")
    return notes


def methods_of_biases(result: Biases, clusters: str) -> list[str]:
    """How the biases were computed. clusters: what the verdicts are clustered by."""
    if not result.estimates:
        return []
    names = join_all(list(dict.fromkeys(one.name for one in result.estimates)))
    model = (
        f"the model of Davidson {cite('davidson1970')} with covariates, which holds the strengths of the systems fixed"
    )
    reduced = f"fitted to the verdicts of each with Firth's reduction of bias {cite('firth1993')}"
    errors = f"Standard errors are clustered by {clusters}, and p-values have Holm's adjustment {cite('holm1979')}"
    return [f"Biases ({names}) are coefficients of {model}, {reduced}.", f"{errors}."]


@plot(
    "judge_biases",
    title="Biases of judges at equal strength of the systems",
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def judge_biases(tables: Tables) -> Picture | None:
    """Each bias with its interval."""
    table = tables["judge_biases"]
    names = texts(table, "bias")
    if has(table, "against"):
        against = texts(table, "against")
        names = [f"{name} (against {by})" if by else name for name, by in zip(names, against, strict=True)]
    return dots(table, "judge", names, "share", "Share at equal strength")
