"""The shipped texts and derivations: readable, and as their page describes them."""

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies
from metaeval.io.texts.summaries import read_texts
from metaeval.measures.text.vocabulary import vocabulary_of
from metaeval.model.runs import TextRuns, TokenizedTexts

Item = TypeVar("Item")
FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
TOPICS = {"tsc3": ["t1", "t2", "t3", "t4", "t5"], "news": ["n1", "n2", "n3", "n4", "n5", "n6"]}
TEXT_SYSTEMS = ["abstract_fair", "abstract_good", "extract", "lead", "repeat", "tfidf_words"]
STEP_SYSTEMS = ["careful", "core", "swapped", "verbose"]
ITEMS = [f"q{number:02d}" for number in range(1, 13)]


def sentences(path: str) -> list[str]:
    return (FOLDER / path).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def unchanged(items: Sequence[Item], description: str) -> Sequence[Item]:
    return items


def read(gold: str, *runs: str, tokenizer: str = "whitespace") -> TextRuns:
    return read_texts(
        str(FOLDER / gold),
        [str(FOLDER / run) for run in runs],
        encoder=vocabulary_of(tokenizer),
        columns=Columns(),
        policies=Policies(),
        progress=unchanged,
    ).runs


def texts_in(told: TokenizedTexts, forms: Sequence[str]) -> list[list[list[str]]]:
    """Texts as lists of sentences, these as lists of words."""
    words = iter([forms[code] for code in told.codes])
    lengths = iter(told.lengths.tolist())
    return [[[next(words) for _ in range(next(lengths))] for _ in range(size)] for size in told.sizes.tolist()]


def words_of(runs: TextRuns) -> dict[str, list[list[list[str]]]]:
    """The texts of the references (as '') and of each system."""
    said = {"": runs.references, **dict(zip(runs.systems, runs.outputs, strict=True))}
    return {system: texts_in(told, [word.form for word in runs.words]) for system, told in said.items()}


@cache
def human_means() -> dict[str, dict[str, float]]:
    """Data set to system to the mean over topics."""
    with (FOLDER / "tsc3/human.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {(row["measure"], row["system"], row["item"]) for row in rows} == {
        (f"D{number}", system, topic) for number in range(1, 6) for system in TEXT_SYSTEMS for topic in TOPICS["tsc3"]
    }
    assert len(rows) == 150
    assert all(re.fullmatch(r"0\.\d|1\.0", row["value"]) for row in rows)
    means: dict[str, dict[str, float]] = {}
    for row in rows:
        of_set = means.setdefault(row["measure"], dict.fromkeys(TEXT_SYSTEMS, 0.0))
        of_set[row["system"]] += float(row["value"]) / len(TOPICS["tsc3"])
    return means


def test_the_page_states_the_mean_human_score_of_every_system() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `(\w+)` \|.*\| (0\.\d\d) \|$", page, flags=re.MULTILINE)
    means = {system: np.mean([of_set[system] for of_set in human_means().values()]) for system in TEXT_SYSTEMS}
    assert dict(stated) == {system: f"{mean:.2f}" for system, mean in means.items()}


@pytest.mark.parametrize(
    "paths", [["news/references.jsonl", "news/systems.jsonl"], ["news/settings.xml"]], ids=["json", "settings"]
)
def test_every_layout_gives_the_sentences_of_the_folders(paths: list[str]) -> None:
    texts, folders = read(*paths), read("news/references", "news/systems")
    assert texts.items == folders.items
    assert words_of(texts) == words_of(folders)


def test_the_page_describes_every_system_of_texts_and_derivations() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [system for system in [*TEXT_SYSTEMS, *STEP_SYSTEMS] if f"| `{system}` |" not in page] == []
