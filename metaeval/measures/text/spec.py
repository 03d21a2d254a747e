"""Declarations of measures that compare outputs with references.

Such a measure computes recall, precision and F of every item, from which its parameter `stat` chooses. A measure of
texts also has token filters: `words`, `stem`, `stopwords` and `exceptions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from metaeval.measures.declare import register
from metaeval.measures.parameters import common_parameter, read_parameters
from metaeval.measures.spec import ByParameter, Declaration, Measure, Trait
from metaeval.measures.text.overlap import Rouge
from metaeval.model.runs import DataKind
from metaeval.model.scores import Direction

Compare = TypeVar("Compare", bound=Callable[..., Rouge])

STAT = common_parameter(
    "stat",
    "share of the reference that the output matches (recall), share of the output that the reference matches "
    "(precision), or their weighted harmonic mean (f)",
    *("f", "recall", "precision"),
)

TOKEN_FILTERS = (
    common_parameter(
        "words",
        "all words, or content words only (nouns, verbs, adjectives and unknown words; needs a tokenizer with parts of "
        "speech)",
        *("all", "content"),
    ),
    common_parameter(
        "stem", "stemming of words with more than three letters by Porter's algorithm", *("none", "porter")
    ),
    common_parameter("stopwords", "file of stop words to leave out, one per line"),
    common_parameter("exceptions", "file of irregular forms and their base forms, which replace stems"),
)
"""The token filters of a measure of texts; see `measures.text.token_filters`."""

SHARED_MEANINGS = {
    "variant": "equations: formulas of the papers; perl: scores of ROUGE-1.5.5 to the last printed digit",
    "refs": "how several references are combined: mean of the scores, pooled (matches and totals summed), or the best, "
    "which is the first with the highest recall (best, as ROUGE-1.5.5 -f B) or F (best-f, as rouge-score)",
    "beta": "weight of recall relative to precision in F",
}
"""Meanings of parameters that several measures share."""

LIMITS = {
    "beta": (0.0, 1e6),
    "lambda": (0.0, 1.0),
    "d": (1, 1000),
    "n": (1, 1000),
    "skip": (0, 1_000_000),
    "weight": (1.0, 5.0),
}
"""Lowest and highest values of parameters, by name."""

EXAMPLES = {"n": "2", "skip": "all", "weight": "2", "d": "3", "lambda": "0.9", "beta": "3"}
"""Values of parameters other than the defaults, at which tests compute the measures."""


@dataclass(frozen=True, eq=False)
class ReferenceDeclaration(Declaration):
    """A declaration of a measure that compares outputs with references.

    function: (comparison, *, parameters) -> `Rouge`. gridded: parameters of which it takes several values at once, to
    scores (*values of each, N) in the order of the signature. needs_lexicon: whether it uses semantic labels of words.
    """

    gridded: tuple[str, ...] = ()
    needs_lexicon: bool = False


def needs_lexicon(measure: Measure) -> bool:
    """Whether a measure uses semantic labels of words."""
    return isinstance(measure.declaration, ReferenceDeclaration) and measure.declaration.needs_lexicon


def reference_measure(
    name: str,
    *,
    reads: DataKind = DataKind.TEXTS,
    traits: frozenset[Trait] | ByParameter[frozenset[Trait]] = frozenset({Trait.PERFECT_ON_ITSELF}),
    parameters: Mapping[str, str] | None = None,
    **declared: Any,
) -> Callable[[Compare], Compare]:
    """Declare a function as a measure of texts or derivations.

    parameters: meanings of those that are not in `SHARED_MEANINGS`. declared: fields of `ReferenceDeclaration`.
    """

    def declare(function: Compare) -> Compare:
        code = function.__kwdefaults__ or {}
        meanings = {key: meaning for key, meaning in SHARED_MEANINGS.items() if key in code} | dict(parameters or {})
        read = read_parameters(function, meanings, common=tuple(SHARED_MEANINGS), limits=LIMITS, examples=EXAMPLES)
        declaration = ReferenceDeclaration(
            name=name,
            function=function,
            better=Direction.HIGHER,
            undefined="never (0 for an empty output or reference)",
            traits=traits,
            parameters=(*read, STAT, *(TOKEN_FILTERS if reads is DataKind.TEXTS else ())),
            reads=reads,
            **declared,
        )
        register(declaration)
        return function

    return declare
