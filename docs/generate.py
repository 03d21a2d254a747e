"""Writes the pages that derive from the registry. `python docs/generate.py --check` only says which are stale."""

from __future__ import annotations

import sys
from pathlib import Path

from metaeval.measures import REGISTRY, Declaration, measure
from metaeval.measures.explain import explain
from metaeval.measures.presets import PRESETS

FOLDER = Path(__file__).resolve().parent

_INTRODUCTION = """\
# The measures

<!-- Made by docs/generate.py from the declarations in metaeval/measures; edit those. -->

A measure is named as on the command line: `name`, or `name:parameter=value,parameter=value`. In formulas of measures of
labels `c_ij` counts the items of gold class j that were predicted as i, `n_j` the items of gold class j, `p_i` the
predictions of class i, and N all items. In those of texts `C` is the output, `R` a reference, `m` its words, `c_i` and
`r_j` their sentences. `metaeval measures NAME` prints what stands here.
"""


def measures_page() -> str:
    """docs/measures.md: every measure, then the presets."""
    overview = [
        "| name | title | better | uses | parameters |",
        "|---|---|---|---|---|",
        *(_overview_row(declaration) for declaration in REGISTRY.values()),
    ]
    details = [_details(declaration) for declaration in REGISTRY.values()]
    presets = [
        "## Presets",
        "| preset | measures |\n|---|---|\n"
        + "\n".join(f"| `{name}` | {', '.join(f'`{text}`' for text in texts)} |" for name, texts in PRESETS.items())
        + "\n| `all` | what the scale allows of the measures of labels, in every variant; all of texts, derivations |",
    ]
    return "\n\n".join([_INTRODUCTION.rstrip(), "\n".join(overview), *details, *presets]) + "\n"


def _overview_row(declaration: Declaration) -> str:
    parameters = " ".join(
        f"`{parameter.name}={parameter.format(parameter.default)}`" for parameter in declaration.parameters
    )
    uses = measure(declaration.name).uses
    cells = (
        f"[`{declaration.name}`](#{declaration.name})",
        declaration.title,
        declaration.better.value,
        uses,
        parameters,
    )
    return f"| {' | '.join(cells)} |"


def _details(declaration: Declaration) -> str:
    facts = [
        f"* **{heading.removesuffix('=')}**: {_marked_up(heading, text)}" for heading, text in explain(declaration)
    ]
    return f"## {declaration.name}\n\n{declaration.title}.\n\n" + "\n".join(facts)


def _marked_up(heading: str, text: str) -> str:
    return f"`{text}`" if heading == "Formula" else text.replace("*", "\\*").replace("_", "\\_")


PAGES = {"measures.md": measures_page}


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` name those that are stale; 0 when all is well."""
    texts = {FOLDER / name: page() for name, page in PAGES.items()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.name} is stale; run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(texts[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
