"""Every measure: importing this package fills the registry."""

# The order of the imports is the order of the documentation.
# isort: off
from metaeval.measures import overall, per_class, agreement, ordinal, association, shared_tasks
from metaeval.measures.text import ngrams, subsequences, kernel_scores, derivations
from metaeval.measures.distributions import divergences

# isort: on
from metaeval.measures.presets import PRESETS, all_of, candidates, fits, fitting, preset
from metaeval.measures.spec import REGISTRY, Declaration, Measure, ScaleType, Trait, measure

__all__ = [
    "measure", "preset", "candidates", "fits", "fitting", "all_of", "PRESETS", "REGISTRY", "Declaration", "Measure",
    "ScaleType", "Trait", "overall", "per_class", "agreement", "ordinal", "association", "shared_tasks",
    "ngrams", "subsequences", "kernel_scores", "derivations", "divergences",
]  # fmt: skip
