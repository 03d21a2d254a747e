"""The plot of `contrast`: a heat map of verdicts."""

from __future__ import annotations

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.render.plots.columns import distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Categories

VERDICTS = SEES, WEAK, UNCLEAR, BLIND, INVERTS = "sees", "weak", "unclear", "blind", "inverts"

COLOURS = {SEES: "#0072B2", WEAK: "#56B4E9", UNCLEAR: "#e6e6e6", BLIND: "#E69F00", INVERTS: "#A33C00"}
"""Those of Okabe and Ito, with a darker vermilion."""


@plot("contrast", title="Which errors the measures see", example="contrast sample_data/contrast/texts.csv")
def contrast(tables: Tables) -> Picture | None:
    """A heat map of what each measure does with each phenomenon: sees, weak, blind or inverts, with its accuracy."""
    table = tables["contrast"]
    names, phenomena = (distinct(texts(table, column)) for column in ("measure", "phenomenon"))
    shape = len(names), len(phenomena)
    verdicts, accuracies = np.array(texts(table, "verdict")).reshape(shape), numbers(table, "accuracy").reshape(shape)
    if np.isnan(accuracies).all():
        return None
    heat = Categories(
        rows=names,
        columns=phenomena,
        values=accuracies,
        limits=(0.0, 1.0),
        what="numbers: accuracy",
        categories=verdicts,
        colours=COLOURS,
    )
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(phenomena), 'phenomenon', 'phenomena')}"
    counts = join_all([f"{verdict} {(verdicts == verdict).sum()}" for verdict in VERDICTS])
    return Picture(f"Heat map of the verdicts on {size}. Number of cells by verdict: {counts}.", heat.draw)
