"""Named sets of measures, those of `presets.json` and `all`."""

from __future__ import annotations

import json
from pathlib import Path

from metaeval.errors import InputError, UnknownName
from metaeval.measures.spec import REGISTRY, Measure, measure
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale

PRESETS: dict[str, tuple[str, ...]] = {
    name: tuple(measures)
    for name, measures in json.loads(Path(__file__).with_name("presets.json").read_text(encoding="utf-8")).items()
}
"""Measures by preset."""

CANDIDATES, ALL = "candidates", "all"
PRESET_NAMES = (*PRESETS, CANDIDATES, ALL)
"""Names of presets; those of the last two depend on the data: `candidates` and `all`."""

_ORDERED = (
    *("kappa:weights=linear", "kappa:weights=quadratic", "alpha:level=ordinal", "alpha:level=interval"),
    *("cem-ord", "mae:average=macro", "mae:average=micro"),
)
_OTHERS = (
    *("mcc", "kappa:weights=none", "recall", "macro-f1", "f1-of-averages", "accuracy", "gmr"),
    *("weighted-f:beta=1", "weighted-f:beta=2", "wauc"),
)
CONVENTION = (*_ORDERED, *_OTHERS)
"""The measures of labels that are usual, in an order of convention.

Those of ordered classes come before those of any classes, and of both those that correct for chance come first.
"""


def preset(name: str) -> tuple[Measure, ...]:
    """The measures of a preset.

    Parameters
    ----------
    name
        Name of a preset other than `all`, which depends on the data.

    Raises
    ------
    UnknownName
        If there is no such preset.
    """
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESET_NAMES)
    return tuple(measure(text) for text in PRESETS[name])


def candidates(scale: ClassScale) -> tuple[Measure, ...]:
    """The measures of labels that are usual on a scale, in the order of `CONVENTION`."""
    names = CONVENTION if scale.ordered and len(scale) > 2 else _OTHERS
    return tuple(each for name in names if fits(each := measure(name), scale))


def fitting(scale: ClassScale) -> tuple[Measure, ...]:
    """Every variant of every measure of labels that can be computed on a scale."""
    variants = (variant for declaration in REGISTRY.values() for variant in declaration.variants())
    return tuple(variant for variant in variants if fits(variant, scale))


def all_of(kind: DataKind) -> tuple[Measure, ...]:
    """Every measure of texts or of derivations, with default parameters."""
    return tuple(measure(each.name) for each in REGISTRY.values() if each.reads is kind)


def fits(candidate: Measure, scale: ClassScale) -> bool:
    """Whether a measure can be computed on a scale."""
    try:
        candidate.check(scale)
    except InputError:
        return False
    return True
