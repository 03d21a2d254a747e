"""Runs made by hand, of codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from metaeval.model.runs import LabelledRuns, TextRuns, TokenizedTexts, Word
from metaeval.model.scale import ClassScale

Text = list[list[int]]
"""Sentences of codes of words."""


def labelled_runs(
    gold: ArrayLike, predicted: ArrayLike, scale: ClassScale, systems: Sequence[str] = ()
) -> LabelledRuns:
    """Class codes of gold (N,) and of systems (S, N), which are s0, s1 … unless they are named."""
    codes = np.asarray(predicted)
    names = tuple(systems) or tuple(f"s{number}" for number in range(len(codes)))
    return LabelledRuns(tuple(map(str, range(codes.shape[1]))), np.asarray(gold), codes, names, scale)


def text_runs(
    outputs: Sequence[Sequence[Text]],
    references: Sequence[Sequence[Text]],
    words: Sequence[Word],
    sources: Sequence[Text] | None = None,
) -> TextRuns:
    """Outputs of systems s0, s1 …, and the references of items i0, i1 …"""
    return TextRuns(
        tuple(f"i{number}" for number in range(len(references))),
        tuple(f"s{number}" for number in range(len(outputs))),
        tuple(map(TokenizedTexts.of, outputs)),
        TokenizedTexts.of([text for item_references in references for text in item_references]),
        np.array([len(item_references) for item_references in references], dtype=np.intp),
        tuple(words),
        None if sources is None else TokenizedTexts.of(sources),
    )
