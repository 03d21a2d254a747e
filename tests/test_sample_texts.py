"""The shipped texts and derivations: readable, and as their page describes them."""

import re
from pathlib import Path

import pandas as pd
import pytest
from text_reading import in_letters, read

from metaeval.io.labels.join import Policies

FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
TEXT_SYSTEMS = ["abstract_fair", "abstract_good", "extract", "lead", "repeat", "tfidf_words"]
STEP_SYSTEMS = ["careful", "core", "swapped", "verbose"]


def test_the_page_states_the_mean_human_score_of_every_system() -> None:
    stated = dict(re.findall(r"^\| `(\w+)` \|.*\| (0\.\d\d) \|$", PAGE, flags=re.MULTILINE))
    scores = pd.read_csv(FOLDER / "tsc3/human.csv")
    assert stated == {system: f"{mean:.2f}" for system, mean in scores.groupby("system")["value"].mean().items()}
    assert len(scores) == len(scores[["measure", "item"]].drop_duplicates()) * len(TEXT_SYSTEMS)


@pytest.mark.parametrize(
    "paths", [["news/references.jsonl", "news/systems.jsonl"], ["news/settings.xml"]], ids=["json", "settings"]
)
def test_every_layout_gives_the_sentences_of_the_folders(paths: list[str]) -> None:
    texts, folders = (
        read(*(str(FOLDER / path) for path in each), policies=Policies())
        for each in (paths, ["news/references", "news/systems"])
    )
    assert in_letters(texts.runs) == in_letters(folders.runs)


def test_the_page_describes_every_system_of_texts_and_derivations() -> None:
    assert [system for system in [*TEXT_SYSTEMS, *STEP_SYSTEMS] if f"| `{system}` |" not in PAGE] == []
