"""docs/measures.md: every measure, what parameters and properties mean, the presets and the sources."""

from __future__ import annotations

from collections import Counter

from docs.writing import markdown_table
from metaeval.measures import REGISTRY, Declaration, measure
from metaeval.measures.parameters import Trait
from metaeval.measures.presets import PRESETS, explain
from metaeval.model.works import WORKS, reference

_INTRODUCTION = """\
# The measures

<!-- Made by docs/generate.py from the declarations in metaeval/measures; edit those. -->

The name of a measure is `name` or `name:parameter=value,parameter=value`. In formulas of measures of labels, `c_ij` is
the number of items of gold class j that were predicted as i, `n_j` the number of items of gold class j, `p_i` the
number of predictions of class i, and N the number of items. In formulas of measures of texts, `C` is the output, `R` a
reference, `m` the number of its words, and `c_i` and `r_j` are their sentences. `metaeval measures NAME` prints all
that this page has of a measure.
"""

SHARED = 3
"""Parameters of so many measures are explained once."""


def measures_page() -> str:
    """The page, from the declarations."""
    declarations = list(REGISTRY.values())
    facts = {declaration.name: explain(declaration) for declaration in declarations}
    often = Counter(fact for measure_facts in facts.values() for fact in measure_facts if fact[0].endswith("="))
    shared = {fact for fact, number in often.items() if number >= SHARED}
    meanings = [f"* **{name.removesuffix('=')}**: {_text(text)}" for name, text in often if (name, text) in shared]
    overview = [_overview_row(declaration, dict(facts[declaration.name])) for declaration in declarations]
    return (
        "\n\n".join(
            [
                _INTRODUCTION.rstrip(),
                markdown_table(["name", "title", "better", "range", "uses", "parameters"], overview),
                *(_details(declaration, facts[declaration.name], shared) for declaration in declarations),
                "## Shared parameters",
                "\n".join(meanings),
                "## Properties",
                _properties(declarations),
                "## Presets",
                _presets(),
                "## Sources",
                "\n".join(f"* {key}: {reference(key)}" for key in _sources(declarations)),
            ]
        )
        + "\n"
    )


def _overview_row(declaration: Declaration, facts: dict[str, str]) -> list[str]:
    defaults = " ".join(
        f"`{parameter.name}={parameter.format(parameter.default)}`" for parameter in declaration.parameters
    )
    title, better = declaration.title, declaration.better.value
    uses = measure(declaration.name).uses
    return [f"[`{declaration.name}`](#{declaration.name})", title, better, _text(facts["Range"]), uses, defaults]


def _details(declaration: Declaration, facts: tuple[tuple[str, str], ...], shared: set[tuple[str, str]]) -> str:
    """What only this measure has."""
    texts = dict(facts)
    undefined = "" if declaration.undefined in (None, "", "never") else f" Undefined: {_text(texts['Undefined'])}."
    source = f" [{declaration.source}](#sources)" if declaration.source in WORKS else f" {_text(declaration.source)}"
    lines = [f"{_text(texts.get('Meaning', declaration.title + '.'))} *{_text(texts['Question'])}*{undefined}{source}."]
    lines.append(f"`{texts['Formula']}`")
    parameter_facts = [fact for fact in facts if fact[0].endswith("=") and fact not in shared]
    if parameter_facts:
        lines.append("\n".join(f"* **{name.removesuffix('=')}**: {_text(text)}" for name, text in parameter_facts))
    return "\n\n".join([f"## {declaration.name}", *lines])


def _properties(declarations: list[Declaration]) -> str:
    """Which properties hold of which measures, and of which variants if not of all."""
    traits = list(Trait)
    legend = "\n".join(f"* **{_name(trait)}**: {trait.value}" for trait in traits)
    rows = []
    for declaration in declarations:
        variants = declaration.variants()
        holds = [
            [str(variant).partition(":")[2] for variant in variants if trait in variant.traits] for trait in traits
        ]
        cells = ["✓" if len(names) == len(variants) else ", ".join(names) for names in holds]
        if any(cells):
            rows.append([f"`{declaration.name}`", *cells])
    return f"{legend}\n\n{markdown_table(['measure', *map(_name, traits)], rows)}"


def _name(trait: Trait) -> str:
    return trait.name.lower().replace("_", " ")


def _presets() -> str:
    rows = [[f"`{name}`", ", ".join(f"`{text}`" for text in texts)] for name, texts in PRESETS.items()]
    every = "all variants of the measures of labels that the scale allows; all of texts or derivations"
    return markdown_table(["preset", "measures"], [*rows, ["`all`", every]])


def _sources(declarations: list[Declaration]) -> list[str]:
    return sorted({declaration.source for declaration in declarations} & set(WORKS))


def _text(text: str) -> str:
    return text.replace("*", "\\*").replace("_", "\\_").replace("|", "\\|")
