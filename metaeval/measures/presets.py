"""Named sets of measures, those of `presets.json` and `all`."""

from __future__ import annotations

import json
from importlib.resources import files

from metaeval.errors import InputError, UnknownName
from metaeval.measures.spec import REGISTRY, Measure, measure
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale

PRESETS: dict[str, tuple[str, ...]] = {
    name: tuple(measures)
    for name, measures in json.loads((files(__package__) / "presets.json").read_text(encoding="utf-8")).items()
}
"""Measures by preset."""

PRESET_NAMES = (*PRESETS, "all")
"""Names of presets; `all` is every measure that the data allow."""


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


def fitting(scale: ClassScale) -> tuple[Measure, ...]:
    """Every variant of every measure of labels that can be computed on a scale."""
    variants = (variant for declaration in REGISTRY.values() for variant in declaration.variants())
    return tuple(variant for variant in variants if _fits(variant, scale))


def all_of(kind: DataKind) -> tuple[Measure, ...]:
    """Every measure of texts or of derivations, with default parameters."""
    return tuple(measure(each.name) for each in REGISTRY.values() if each.reads is kind)


def _fits(candidate: Measure, scale: ClassScale) -> bool:
    """Whether a measure can be computed on the scale."""
    try:
        candidate.check(scale)
    except InputError:
        return False
    return True
