"""Rankings by the number of references."""

from __future__ import annotations

from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lineplot import curves_of, picture_of


@plot("references_rankings", title="Rankings by the number of references", needs=("references_rankings",))
def references_rankings(tables: Tables) -> Picture | None:
    """Kendall's tau of the ranking by fewer references with the ranking by all, a line a measure."""
    curves = curves_of(tables["references_rankings"], "references", "tau")
    return picture_of(curves, "references for each item", "tau-b with the ranking against all references")
