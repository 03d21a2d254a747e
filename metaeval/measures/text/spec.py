"""Declarations of measures that compare with references: what they have in common, and their decorator.

    @reference_measure("rouge-l", title="…", …)
    def rouge_l(comparison: Comparison, *, variant: Variant = "equations", refs: Pooling = "mean", …) -> Rouge: …

Such a measure gives recall, precision and F of every item at once; its parameter `stat` chooses. A measure of texts is
further has token filters: `words`, `stem`, `stopwords` and `exceptions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from metaeval.measures.parameters import Parameter, read_parameters
from metaeval.measures.sources import SOURCES
from metaeval.measures.spec import REGISTRY, ByParameter, Declaration, Measure, Trait
from metaeval.measures.text.overlap import Rouge
from metaeval.model.data_kind import DataKind
from metaeval.model.scores import Direction

Compare = TypeVar("Compare", bound=Callable[..., Rouge])

STAT = Parameter(
    "stat", "stat", str, "f", ("f", "recall", "precision"), "the share of the reference that is there (recall), the "
    "share of the output that is right (precision), or their weighted harmonic mean", common=True,
)  # fmt: skip

TOKEN_FILTERS = (
    Parameter("words", "words", str, "all", ("all", "content"), "which words count; content: nouns, verbs, "
              "adjectives and unknown words, where the tokenizer tells", common=True),
    Parameter("stem", "stem", str, "none", ("none", "porter"), "whether words longer than three letters are cut to "
              "their stems", common=True),
    Parameter("stopwords", "stopwords", str, None, (), "file of words to leave out, one a line", common=True,
              names_file=True),
    Parameter("exceptions", "exceptions", str, None, (), "file of irregular forms and what to put for them where words "
              "are stemmed", common=True, names_file=True),
)  # fmt: skip
"""The token filters of a measure of texts; see `measures.text.token_filters`."""

SHARED_MEANINGS = {
    "variant": "equations: the formulas of the papers; perl: the numbers of ROUGE-1.5.5 to their last printed digit",
    "refs": "several references: mean of the scores, pooled (hits and totals summed), best (the highest recall, the "
    "first on a tie)",
    "beta": "how much more recall matters than precision in F",
}
"""Parameters that mean the same wherever they occur."""

LIMITS = {
    "beta": (0.0, 1e6),
    "lambda": (0.0, 1.0),
    "d": (1, 1000),
    "n": (1, 1000),
    "skip": (0, 1_000_000),
    "weight": (1.0, 5.0),
}
"""Lowest and highest values of parameters, by name."""


Grid = Callable[..., Rouge]
"""A measure for several values of some parameters at once: (*values of each, in the order of the signature, N)."""


@dataclass(frozen=True, eq=False)
class ReferenceDeclaration(Declaration):
    """A declaration of a measure that compares with references.

    function: (comparison, *, parameters) -> `Rouge`, (N,) each. grid: the same for several values of the parameters
    `gridded` at once. needs_lexicon: whether it uses the semantic labels of words.
    """

    grid: Grid | None = None
    gridded: tuple[str, ...] = ()
    needs_lexicon: bool = False


def needs_lexicon(measure: Measure) -> bool:
    """Whether a measure uses the semantic labels of words."""
    return isinstance(measure.declaration, ReferenceDeclaration) and measure.declaration.needs_lexicon


def reference_measure(
    name: str,
    *,
    title: str,
    source: str,
    formula: str,
    reads: DataKind = DataKind.TEXTS,
    traits: frozenset[Trait] | ByParameter[frozenset[Trait]] = frozenset({Trait.PERFECT_ON_ITSELF}),
    bounds: tuple[float, float] | ByParameter[tuple[float, float]] = (0.0, 1.0),
    parameters: Mapping[str, str] | None = None,
    grid: Grid | None = None,
    gridded: tuple[str, ...] = (),
    needs_lexicon: bool = False,
) -> Callable[[Compare], Compare]:
    """Declare a function as a measure of texts or derivations; see `ReferenceDeclaration` for the words.

    parameters: what those mean that are not in `SHARED_MEANINGS`.
    """

    def declare(function: Compare) -> Compare:
        if source not in SOURCES:
            raise ValueError(f"measure {name!r} cites {source!r}, which is not in measures.sources")
        code = function.__kwdefaults__ or {}
        meanings = {key: meaning for key, meaning in SHARED_MEANINGS.items() if key in code} | dict(parameters or {})
        own = read_parameters(function, meanings, common=tuple(SHARED_MEANINGS), limits=LIMITS)
        REGISTRY.register(
            name,
            ReferenceDeclaration(
                name=name,
                title=title,
                function=function,
                better=Direction.HIGHER,
                bounds=bounds,
                scale=None,
                source=source,
                formula=formula,
                undefined="never; an empty output or reference scores 0",
                traits=traits,
                parameters=(*own, STAT, *(TOKEN_FILTERS if reads is DataKind.TEXTS else ())),
                reads=reads,
                grid=grid,
                gridded=gridded,
                needs_lexicon=needs_lexicon,
            ),
        )
        return function

    return declare
