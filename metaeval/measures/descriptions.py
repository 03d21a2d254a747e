"""What is written about each measure in `descriptions.json`; what is computed with it is declared in the code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from metaeval.measures.sources import SOURCES


@dataclass(frozen=True)
class Description:
    """Texts about a measure; parameters: meanings of those that it does not share. The others: see `Declaration`."""

    title: str
    source: str
    formula: str
    undefined: str = "never (0 for an empty output or reference)"
    parameters: Mapping[str, str] = field(default_factory=dict)


DESCRIPTIONS: dict[str, Description] = {
    name: Description(**texts)
    for name, texts in json.loads((files(__package__) / "descriptions.json").read_text(encoding="utf-8")).items()
}
"""Texts by name of the measure."""


def description_of(name: str) -> Description:
    """The texts about a measure; a `ValueError` if there are none, or if they cite an unknown source."""
    if name not in DESCRIPTIONS:
        raise ValueError(f"measure {name!r} has no entry in measures/descriptions.json")
    description = DESCRIPTIONS[name]
    if description.source not in SOURCES:
        raise ValueError(f"measure {name!r} cites {description.source!r}, which is not in measures/sources.json")
    return description
