"""Named sets of measures."""

from __future__ import annotations

from metaeval.errors import InputError, UnknownName
from metaeval.measures.spec import REGISTRY, Measure, measure
from metaeval.model.scale import ClassScale

PRESETS: dict[str, tuple[str, ...]] = {
    "stance-nine": (
        "alpha:level=ordinal",
        "alpha:level=interval",
        "mae:average=macro",
        "mae:average=micro",
        "cem-ord",
        "kappa:weights=linear",
        "accuracy",
        "macro-f1",
        "f1-of-averages",
    ),
    "rumour-six": ("accuracy", "macro-f1", "gmr", "wauc", "weighted-f:beta=1", "weighted-f:beta=2"),
    "fnc1": ("fnc1-score", "accuracy", "macro-f1"),
    "nominal": ("accuracy", "macro-f1", "gmr", "kappa:weights=none", "mcc"),
    "numeric": ("pearson", "spearman", "kendall", "pairwise-accuracy:min-gap=1"),
}
"""Measures by preset."""

PRESET_NAMES = (*PRESETS, "all")
"""What can stand after `--preset`; `all` is every measure that a scale allows."""


def preset(name: str, scale: ClassScale) -> tuple[Measure, ...]:
    """The measures of a preset; of `all`, those that can be computed on the scale, every variant of each."""
    if name == "all":
        return tuple(
            candidate
            for declaration in REGISTRY.values()
            for candidate in declaration.variants()
            if _fits(candidate, scale)
        )
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESET_NAMES)
    return tuple(measure(text) for text in PRESETS[name])


def _fits(candidate: Measure, scale: ClassScale) -> bool:
    """Whether a measure can be computed on the scale."""
    try:
        candidate.check(scale)
    except InputError:
        return False
    return True
