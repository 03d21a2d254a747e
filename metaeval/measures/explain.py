"""Descriptions of measures from the registry, as `metaeval measures NAME` prints them."""

from __future__ import annotations

import math
from collections.abc import Callable

from metaeval.measures.parameters import Parameter
from metaeval.measures.presets import PRESETS
from metaeval.measures.spec import Declaration, Measure, ScaleType, Trait, measure
from metaeval.measures.statistics import statistics_of
from metaeval.model.data_kind import DataKind
from metaeval.model.works import WORKS, reference

USES = {
    ScaleType.NOMINAL: "class names only",
    ScaleType.ORDINAL: "the order of the classes",
    ScaleType.INTERVAL: "the values of the classes (equally spaced unless declared)",
}


def explain(declaration: Declaration) -> tuple[tuple[str, str], ...]:
    """Headings and texts in reading order."""
    variants = declaration.variants()
    default = measure(declaration.name)
    facts = [
        ("Meaning", declaration.meaning),
        ("Question", _by_variant(variants, lambda each: f"{each.question}?")),
        ("Formula", declaration.formula),
        ("Better", default.better.value),
        ("Range", _by_variant(variants, range_of)),
        ("Uses", _by_variant(variants, _uses)),
        ("Undefined", declaration.undefined or "never"),
        *((f"{parameter.name}=", _parameter(parameter)) for parameter in declaration.parameters),
        ("Properties", "; ".join(filter(None, (_trait(each, variants) for each in Trait)))),
        ("Numbers", "also defined for numeric predictions (task scores)" if default.reads_numbers else ""),
        (
            "Presets",
            ", ".join(
                name
                for name, texts in PRESETS.items()
                if declaration.name in {text.partition(":")[0] for text in texts}
            ),
        ),
        ("Source", reference(declaration.source) if declaration.source in WORKS else declaration.source),
        ("Plugin", str(declaration.plugin or "")),
    ]
    return tuple((heading, text) for heading, text in facts if text)


def range_of(candidate: Measure) -> str:
    """Lowest and highest possible score.

    >>> range_of(measure("mae"))
    '0 to ∞'
    >>> range_of(measure("wauc"))
    '0 to 1 for class weights that sum to 1'
    """
    interval = " to ".join("∞" if math.isinf(bound) else f"{bound:g}".replace("-", "−") for bound in candidate.bounds)
    return f"{interval} for class weights that sum to 1" if candidate.declaration.sums_weights else interval


def _uses(candidate: Measure) -> str:
    if candidate.scale_type:
        data = "" if candidate.declaration.reads is DataKind.LABELS else f"{candidate.declaration.reads.value} and "
        return data + USES[candidate.scale_type]
    of_table = statistics_of(candidate) if candidate.declaration.reads is DataKind.ITEM_SCORES else None
    columns = ", ".join(of_table.statistics) if of_table is not None else ""
    return f"columns of a table: {columns}" if columns else f"{candidate.declaration.reads.value} and references"


def _by_variant(variants: tuple[Measure, ...], describe: Callable[[Measure], str]) -> str:
    """The text that all variants have in common, or each text with its variants."""
    variants_of: dict[str, list[str]] = {}
    for variant in variants:
        variants_of.setdefault(describe(variant), []).append(str(variant).partition(":")[2])
    if len(variants_of) == 1:
        return next(iter(variants_of))
    return "; ".join(f"{text or 'none'} ({', '.join(names)})" for text, names in variants_of.items())


def _trait(trait: Trait, variants: tuple[Measure, ...]) -> str:
    """What holds, and of which variants if not of all; '' if of none."""
    own = [str(each).partition(":")[2] for each in variants if trait in each.traits]
    return trait.value + (f" ({', '.join(own)})" if len(own) < len(variants) else "") if own else ""


def _parameter(parameter: Parameter) -> str:
    kinds = {float: "number", int: "whole number", str: "file" if parameter.names_file else "word"}
    kind = " | ".join(parameter.choices if parameter.is_choice else (kinds[parameter.type], *parameter.choices))
    default = parameter.format(parameter.default)
    return f"{parameter.meaning} ({kind}; {f'default {default}' if default else 'optional'})"
