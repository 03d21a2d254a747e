"""Made-up reports: fourteen systems under nine measures, and difficult names."""

import math
from collections.abc import Sequence

import numpy as np

from metaeval.model.report import Cell, Column, Kind, Provenance, Report, Table, as_notes

MEASURES = (
    "alpha:level=ordinal",
    "alpha:level=interval",
    "mae:average=macro",
    "mae:average=micro",
    "cem-ord",
    "kappa:weights=linear",
    "accuracy",
    "macro-f1",
    "f1-of-averages",
)
SYSTEMS = (
    "always_discuss",
    "atlas_base",
    "atlas_large",
    "cautious_discuss",
    "eager_agree",
    "even_recall",
    "neighbour_net",
    "neighbour_tree",
    "neighbour_words",
    "no_disagree",
    "opposite_net",
    "opposite_tree",
    "opposite_words",
    "random_guess",
)
TRIVIAL = ("always_discuss", "random_guess")
EXOTIC = (
    "[red]x[/]",
    "模型甲乙",
    "a|b",
    "R&D_100%",
    "two\nlines",
    "\x1b[31mred",
    ":smile:",
    "*[tab]\t",
    "~^\\{}#$<>--",
)
SIGNATURE = "metaeval:0.1.0|task:fnc1|n:7064|systems:14|scale:disagree<discuss<agree|seed:20201"


def report(*tables: Table, notes: Sequence[str] = (), signature: str = SIGNATURE) -> Report:
    return Report("score", signature, tables, as_notes(notes), Provenance("0.1.0"))


def scores_of(names: Sequence[str], values: Sequence[Cell], *, higher_is_better: bool = True) -> Table:
    """A column of scores under names."""
    columns = (Column("system"), Column("accuracy", Kind.SCORE, higher_is_better))
    return Table("scores", "Scores", columns, tuple(zip(names, values, strict=True)))


def stance() -> Report:
    """Scores and ranks; the trivial systems flagged; two scores of one system undefined."""
    rng = np.random.default_rng(20201)
    # Four decimals, none twice, so that a test can look for a cell by its text.
    values = 0.0001 * rng.permutation(np.arange(1000, 9999))[: len(SYSTEMS) * len(MEASURES)].reshape(len(SYSTEMS), -1)
    values[0, [0, 5]] = math.nan
    lower = [name.startswith("mae") for name in MEASURES]
    oriented = np.nan_to_num(np.where(lower, -values, values), nan=-np.inf)
    ranks = 1 + (oriented[None, :, :] > oriented[:, None, :]).sum(axis=1)
    scores = Table(
        "scores",
        "Scores of 14 systems under 9 measures",
        (
            Column("system"),
            Column("trivial", Kind.FLAG),
            *(Column(name, Kind.SCORE, not is_lower) for name, is_lower in zip(MEASURES, lower, strict=True)),
        ),
        tuple((name, name in TRIVIAL, *map(float, row)) for name, row in zip(SYSTEMS, values, strict=True)),
        beside=Table(
            "ranks",
            "Ranks",
            (Column("system"), *(Column(name, Kind.COUNT) for name in MEASURES)),
            tuple((name, *map(int, row)) for name, row in zip(SYSTEMS, ranks, strict=True)),
        ),
    )
    notes = (
        "2 scores are undefined: always_discuss predicts one class only, so kappa and alpha divide by zero there.",
        "Predictions outside the scale were dropped for every system.",
    )
    return report(scores, notes=notes)
