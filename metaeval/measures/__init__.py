"""Every measure. Those of labels are registered by importing this package, those of other data when they are needed."""

# The order of the imports is the order of the documentation.
# isort: off
from metaeval.measures import overall, per_class, agreement, ordinal, association, shared_tasks, composite

# isort: on
from metaeval.measures.presets import PRESETS, all_of, candidates, fits, fitting, preset, select_measures
from metaeval.measures.spec import REGISTRY, Declaration, Measure, ScaleType, Trait, index_of_measure, measure

__all__ = [
    "measure",
    "index_of_measure",
    "select_measures",
    "preset",
    "candidates",
    "fits",
    "fitting",
    "all_of",
    "PRESETS",
    "REGISTRY",
    "Declaration",
    "Measure",
    "ScaleType",
    "Trait",
    "overall",
    "per_class",
    "agreement",
    "ordinal",
    "association",
    "shared_tasks",
    "composite",
]


def register_others() -> None:
    """Register the measures of texts, derivations and distributions."""
    from metaeval.measures import distributions  # noqa: F401
