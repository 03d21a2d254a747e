"""Texts read as `metaeval score --task texts` reads them, and the contents of the data sets."""

from __future__ import annotations

import json
from concurrent.futures import Executor

import numpy as np

from metaeval.errors import InputError
from metaeval.io.dataset import Dataset
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies, Policy
from metaeval.io.texts.summaries import MEMORY, read_texts
from metaeval.measures.text.vocabulary import vocabulary_of
from metaeval.model.runs import Encoder, TextRuns, TokenizedTexts
from metaeval.study.study import no_progress

WORST = Policies(Policy("worst"), drop_extra=True)


def read(
    gold: str,
    *runs: str,
    memory: int = MEMORY,
    executor: Executor | None = None,
    encoder: Encoder | None = None,
    policies: Policies = WORST,
    columns: Columns | None = None,
    needs_runs: bool = True,
) -> Dataset[TextRuns]:
    return read_texts(
        gold,
        runs,
        encoder=encoder or vocabulary_of("whitespace"),
        columns=columns or Columns(),
        policies=policies,
        progress=no_progress,
        memory=memory,
        executor=executor,
        needs_runs=needs_runs,
    )


def in_letters(runs: TextRuns) -> dict[str, object]:
    """The content of runs, independent of the codes: texts as sentences with blanks between their words."""

    def sentences(texts: TokenizedTexts) -> list[list[str]]:
        return [[" ".join(runs.words[code].form for code in sentence) for sentence in text] for text in texts.nested()]

    return {
        "items": runs.items,
        "references": sentences(runs.references),
        "counts": runs.reference_counts.tolist(),
        **{name: sentences(texts) for name, texts in zip(runs.systems, runs.outputs, strict=True)},
    }


def content_of(dataset: Dataset[TextRuns]) -> dict[str, object]:
    """The whole content of a data set, including the codes."""
    runs = dataset.runs
    texts = (runs.references, *runs.outputs)
    return {
        "numbers": [[np.asarray(row).tolist() for row in (text.codes, text.lengths, text.sizes)] for text in texts],
        "words": runs.words,
        "items": runs.items,
        "systems": runs.systems,
        "counts": runs.reference_counts.tolist(),
        "repairs": dataset.repairs,
        "notes": dataset.notes,
        "files": dataset.files,
        "paths": dataset.paths,
    }


def outcome(gold: str, *runs: str, memory: int = MEMORY, executor: Executor | None = None) -> object:
    """The content that was read, or the message of the error."""
    try:
        return content_of(read(gold, *runs, memory=memory, executor=executor))
    except InputError as error:
        return str(error)


def row(item: object, text: object, **more: object) -> str:
    return json.dumps({"item": item, "text": text, **more}, ensure_ascii=False) + "\n"


def references_of(texts: dict[str, list[str]]) -> str:
    """A file of references, of which an item has some."""
    return "".join(
        row(item, text, reference=str(number)) for item, some in texts.items() for number, text in enumerate(some)
    )


def outputs_of(systems: dict[str, dict[str, str]]) -> str:
    """A file of outputs by system and item."""
    return "".join(row(item, text, system=name) for name, texts in systems.items() for item, text in texts.items())


def encode(encoder: Encoder, sentence: str) -> list[int]:
    """The words of one sentence in the vocabulary of an encoder."""
    codes: list[int] = encoder.encode_all([sentence])[0].tolist()
    return codes
