"""Every measure of labels: importing this package fills the registry."""

# Importing registers, so this is the order of the documentation.
# isort: off
from metaeval.measures import overall, per_class, agreement, ordinal, association, shared_tasks

# isort: on
from metaeval.measures.presets import PRESETS, preset
from metaeval.measures.spec import REGISTRY, Declaration, Measure, ScaleType, Trait, measure

__all__ = [
    "measure", "preset", "PRESETS", "REGISTRY", "Declaration", "Measure", "ScaleType", "Trait",
    "overall", "per_class", "agreement", "ordinal", "association", "shared_tasks",
]  # fmt: skip
