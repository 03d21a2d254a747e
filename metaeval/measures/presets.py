"""Named sets of measures, and the explanation of a measure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib.resources import files

from metaeval.errors import InputError, UnknownName
from metaeval.measures.parameters import Parameter
from metaeval.measures.spec import REGISTRY, Declaration, Measure, ScaleType, Trait, measure
from metaeval.measures.statistics import statistics_of
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.model.works import WORKS, reference
from metaeval.names import is_pattern, match_names

PRESETS: dict[str, tuple[str, ...]] = {
    name: tuple(measures)
    for name, measures in json.loads((files(__package__) / "presets.json").read_text(encoding="utf-8")).items()
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


def select_measures(texts: Iterable[str], every: Callable[[], Iterable[Measure]]) -> list[Measure]:
    """The measures of names, and of patterns of the names of `every`; an unknown one is an `UnknownName`."""
    measures = []
    for text in texts:
        by_name = {str(candidate): candidate for candidate in every()} if is_pattern(text) else {text: measure(text)}
        if not (names := match_names([text], by_name)):
            raise UnknownName("measure", text, by_name)
        measures += [by_name[name] for name in names]
    return measures


def check_measure_names(texts: Iterable[str], kind: DataKind) -> None:
    """Raise an `InputError` for the name of an unknown measure or of one of other data, before data are read."""
    for text in texts:
        if not is_pattern(text):
            measure(text).check_reads(kind)


def candidates(scale: ClassScale) -> tuple[Measure, ...]:
    """The measures of labels that are usual on a scale, in the order of `CONVENTION`."""
    names = CONVENTION if scale.ordered and len(scale) > 2 else _OTHERS
    return tuple(candidate for name in names if fits(candidate := measure(name), scale))


def fitting(scale: ClassScale) -> tuple[Measure, ...]:
    """Every variant of every measure of labels that can be computed on a scale, without means of others."""
    declarations = (declaration for declaration in REGISTRY.values() if declaration.name != "mean")
    variants = (variant for declaration in declarations for variant in declaration.variants())
    return tuple(variant for variant in variants if fits(variant, scale))


def all_of(kind: DataKind) -> tuple[Measure, ...]:
    """Every measure of texts or of derivations, with default parameters."""
    return tuple(measure(declaration.name) for declaration in REGISTRY.values() if declaration.reads is kind)


def fits(candidate: Measure, scale: ClassScale) -> bool:
    """Whether a measure can be computed on a scale."""
    try:
        candidate.check(scale)
    except InputError:
        return False
    return True


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
        ("Question", _by_variant(variants, lambda variant: variant.question and f"{variant.question}?")),
        ("Formula", declaration.formula),
        ("Better", default.better.value),
        ("Range", _by_variant(variants, range_of)),
        ("Uses", _by_variant(variants, _uses)),
        ("Undefined", declaration.undefined),
        *((f"{parameter.name}=", _parameter(parameter)) for parameter in declaration.parameters),
        ("Properties", "; ".join(filter(None, (_trait(trait, variants) for trait in Trait)))),
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
    interval = " to ".join(f"{bound:g}".replace("-", "−").replace("inf", "∞") for bound in candidate.bounds)
    return f"{interval} for class weights that sum to 1" if candidate.declaration.sums_weights else interval


def _uses(candidate: Measure) -> str:
    if candidate.scale_type:
        data = "" if candidate.declaration.reads is DataKind.LABELS else f"{candidate.declaration.reads.value} and "
        return data + USES[candidate.scale_type]
    declaration = statistics_of(candidate) if candidate.declaration.reads is DataKind.ITEM_SCORES else None
    columns = ", ".join(declaration.statistics) if declaration is not None else ""
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
    names = [str(variant).partition(":")[2] for variant in variants if trait in variant.traits]
    return trait.value + (f" ({', '.join(names)})" if len(names) < len(variants) else "") if names else ""


def _parameter(parameter: Parameter) -> str:
    kinds = {float: "number", int: "whole number", str: "file" if parameter.names_file else "word"}
    kind = " | ".join(parameter.choices if parameter.is_choice else (kinds[parameter.type], *parameter.choices))
    default = parameter.format(parameter.default)
    return f"{parameter.meaning} ({kind}; {f'default {default}' if default else 'optional'})".lstrip()
