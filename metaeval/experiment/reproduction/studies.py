"""Studies of the papers made again on other, public systems: which of the findings hold there?"""

from __future__ import annotations

from metaeval.experiment.reproduction.material import Material
from metaeval.io.dataset import Track
from metaeval.model.report import Table


def study_tables(material: Material, track: Track) -> tuple[list[Table], list[str]]:  # noqa: ARG001
    """The nine-measure study on the systems that were found, beside the paper's; nothing without them."""
    return [], []
