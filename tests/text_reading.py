"""Texts read as `metaeval score --task texts` reads them, and all that the data sets say."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import TypeVar

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.io.dataset import Dataset
from metaeval.io.files import large_source, source
from metaeval.io.labels.policies import Policies, Policy
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.texts import spill
from metaeval.io.texts.summaries import read_texts
from metaeval.measures.text.vocabulary import vocabulary_of
from metaeval.model.texts import Encoder, TextRuns

Item = TypeVar("Item")
WORST = Policies(Policy("worst"), drop_extra=True)


def untracked(items: Sequence[Item], doing: str) -> Iterable[Item]:
    assert doing
    return items


def read(
    gold: str,
    *runs: str,
    memory: int = spill.MEMORY,
    executor: Executor | None = None,
    encoder: Encoder | None = None,
    policies: Policies = WORST,
) -> Dataset[TextRuns]:
    return read_texts(
        gold,
        runs,
        encoder=encoder or vocabulary_of("whitespace"),
        columns=Columns(),
        policies=policies,
        track=untracked,
        memory=memory,
        executor=executor,
    )


def told(dataset: Dataset[TextRuns]) -> dict[str, object]:
    """All that a data set says, down to the codes."""
    runs = dataset.runs
    texts = (runs.references, *runs.outputs)
    return {
        "numbers": [[np.asarray(row).tolist() for row in (each.codes, each.lengths, each.sizes)] for each in texts],
        "words": runs.words,
        "items": runs.items,
        "systems": runs.systems,
        "counts": runs.reference_counts.tolist(),
        "touched": dataset.repairs,
        "notes": dataset.notes,
        "files": dataset.files,
        "paths": dataset.paths,
    }


def outcome(gold: str, *runs: str, memory: int = spill.MEMORY, executor: Executor | None = None) -> object:
    """What reading says, or the message of its error."""
    try:
        return told(read(gold, *runs, memory=memory, executor=executor))
    except InputError as error:
        return str(error)


@contextlib.contextmanager
def streaming(stretch: int = 7) -> Iterator[None]:
    """Every file is read in chunks of so many bytes, and looked through in as small ones."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"LARGE": 0, "LARGE_PACKED": 0, "CHUNK": stretch}.items():
            patch.setattr(large_source, name, value)
        patch.setattr(source, "_AT_ONCE", stretch)
        yield


def row(item: object, text: object, **more: object) -> str:
    return json.dumps({"item": item, "text": text, **more}, ensure_ascii=False) + "\n"
