"""The shipped sample data: made by its generator, and as its page describes it."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scripts import script
from text_reading import in_letters, read

from metaeval.io.labels.join import Policies

FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
STANCES = ("disagree", "discuss", "agree")

FNC1_SYSTEMS = sorted((FOLDER / "fnc1" / "systems").iterdir())
RUMOUR_SYSTEMS = sorted((FOLDER / "rumoureval2017" / "systems").iterdir())
FNC1_FILES = [FOLDER / "fnc1" / "gold.csv", *FNC1_SYSTEMS]
RUMOUR_FILES = [FOLDER / "rumoureval2017" / "gold.json", *RUMOUR_SYSTEMS]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script(FOLDER / "generate.py")


def csv_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, strict=True))


def fnc1_rows(path: Path) -> list[tuple[str, str, str]]:
    return [(headline, body_id, stance) for headline, body_id, stance in csv_rows(path)[1:]]


def stance_positions(path: Path) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([STANCES.index(stance) for _, _, stance in fnc1_rows(path)], dtype=np.int64)


def rumour_labels(path: Path) -> dict[str, str]:
    labels: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return labels


def stance_accuracy(path: Path) -> float:
    return float(np.mean(stance_positions(path) == stance_positions(FNC1_FILES[0])))


def stance_error(path: Path) -> float:
    return float(np.mean(np.abs(stance_positions(path) - stance_positions(FNC1_FILES[0]))))


def rumour_accuracy(path: Path) -> float:
    gold, predicted = rumour_labels(RUMOUR_FILES[0]), rumour_labels(path)
    return sum(gold[i] == predicted[i] for i in gold) / len(gold)


# --- The generator -----------------------------------------------------------------------------------------


def test_the_generator_rewrites_the_shipped_files_bit_for_bit(generator: ModuleType, tmp_path: Path) -> None:
    assert generator.main([], folder=tmp_path) == 0
    written = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    shipped = {
        path.relative_to(FOLDER): path.read_bytes()
        for name in (
            *("fnc1", "rumoureval2017", "works", "tsc3", "news", "r4c", "formats", "seeds", "reviews", "judged"),
            "contrast",
            "preferences",
        )
        for path in (FOLDER / name).rglob("*")
        if path.is_file()
    }
    assert written == shipped


def test_the_check_names_files_that_are_changed_missing_or_unknown_and_mends_none(
    generator: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generator.main([], folder=tmp_path)
    changed, missing, unknown = (
        tmp_path / "fnc1/gold.csv",
        tmp_path / "rumoureval2017/gold.json",
        tmp_path / "works/systems/stray.csv",
    )
    changed.write_bytes(changed.read_bytes().replace(b"\n", b"\r\n"))
    missing.unlink()
    unknown.write_bytes(b"id,score\n")
    assert generator.main(["--check"], folder=tmp_path) == 1
    named = capsys.readouterr().out.splitlines()
    assert named == ["fnc1/gold.csv", "rumoureval2017/gold.json", "works/systems/stray.csv"]
    assert not missing.exists()


# --- FNC-1 -------------------------------------------------------------------------------------------------


def test_gold_has_the_counts_of_the_tasks() -> None:
    counts = Counter(stance for _, _, stance in fnc1_rows(FNC1_FILES[0]))
    assert counts == {"disagree": 139, "discuss": 893, "agree": 381}
    counts = Counter(rumour_labels(RUMOUR_FILES[0]).values())
    assert counts == {"support": 94, "deny": 71, "query": 106, "comment": 778}


# --- The page of the data ------------------------------------------------------------------------------


def test_the_page_states_the_accuracy_of_every_system() -> None:
    row = r"^\| `(\w+)` \|.*?\| (0\.\d{3}) (?:\| (0\.\d{3}) )?\|$"
    stated = set(re.findall(row, PAGE, flags=re.MULTILINE))
    stances = {(p.stem, f"{stance_accuracy(p):.3f}", f"{stance_error(p):.3f}") for p in FNC1_SYSTEMS}
    rumours = {(p.stem, f"{rumour_accuracy(p):.3f}", "") for p in RUMOUR_SYSTEMS}
    assert stated == stances | rumours


def test_the_page_states_the_mean_human_score_of_every_system() -> None:
    stated = dict(re.findall(r"^\| `(\w+)` \|.*\| (0\.\d\d) \|$", PAGE, flags=re.MULTILINE))
    scores = pd.read_csv(FOLDER / "tsc3/human.csv")
    assert stated == {system: f"{mean:.2f}" for system, mean in scores.groupby("system")["value"].mean().items()}
    assert len(scores) == len(scores[["measure", "item"]].drop_duplicates()) * len(stated)


def test_the_page_describes_every_system() -> None:
    systems = [path.stem for name in ("works", "news", "r4c") for path in (FOLDER / name / "systems").iterdir()]
    assert [system for system in systems if f"| `{system}` |" not in PAGE] == []


@pytest.mark.parametrize(
    "paths", [["news/references.jsonl", "news/systems.jsonl"], ["news/settings.xml"]], ids=["json", "settings"]
)
def test_every_layout_gives_the_sentences_of_the_folders(paths: list[str]) -> None:
    texts, folders = (
        read(*(str(FOLDER / path) for path in each), policies=Policies())
        for each in (paths, ["news/references", "news/systems"])
    )
    assert in_letters(texts.runs) == in_letters(folders.runs)
