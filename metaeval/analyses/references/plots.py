"""The plot of `references`."""

from __future__ import annotations

from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lines import curves_of, picture_of


@plot("references_rankings", title="Rankings by the number of references", needs=("references_rankings",))
def references_rankings(tables: Tables) -> Picture | None:
    """Kendall's tau-b with the ranking against all references, a line for each measure."""
    curves = curves_of(tables["references_rankings"], "references", "tau")
    return picture_of(curves, "references for each item", "tau-b with the ranking against all references")
