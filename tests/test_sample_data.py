"""The shipped sample data: made by its generator, and as its page describes it."""

import json
import re
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from scripts import script
from text_reading import in_letters, read

from metaeval.io.labels.join import Policies

FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
STANCES = ("disagree", "discuss", "agree")

FNC1, RUMOURS = FOLDER / "fnc1", FOLDER / "rumoureval2017"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script(FOLDER / "generate.py")


def stances(path: Path) -> "pd.Series[int]":
    return pd.read_csv(path)["Stance"].map(STANCES.index)


def rumours(path: Path) -> "pd.Series[str]":
    return pd.Series(json.loads(path.read_text(encoding="utf-8"))).sort_index()


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
    paths = capsys.readouterr().out.splitlines()
    assert paths == ["fnc1/gold.csv", "rumoureval2017/gold.json", "works/systems/stray.csv"]
    assert not missing.exists()


# --- The page of the data ------------------------------------------------------------------------------


def test_gold_has_the_counts_of_the_tasks() -> None:
    assert stances(FNC1 / "gold.csv").value_counts(sort=False).sort_index().tolist() == [139, 893, 381]
    counts = rumours(RUMOURS / "gold.json").value_counts().to_dict()
    assert counts == {"support": 94, "deny": 71, "query": 106, "comment": 778}


def test_the_page_states_the_accuracy_of_every_system() -> None:
    row = r"^\| `(\w+)` \|.*?\| (0\.\d{3}) (?:\| (0\.\d{3}) )?\|$"
    stated = set(re.findall(row, PAGE, flags=re.MULTILINE))
    gold = stances(FNC1 / "gold.csv")
    errors = {path.stem: (stances(path) - gold).abs() for path in (FNC1 / "systems").iterdir()}
    rows = {(name, f"{(error == 0).mean():.3f}", f"{error.mean():.3f}") for name, error in errors.items()}
    labels = rumours(RUMOURS / "gold.json")
    rows |= {(path.stem, f"{(rumours(path) == labels).mean():.3f}", "") for path in (RUMOURS / "systems").iterdir()}
    assert stated == rows


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
        read(*(str(FOLDER / path) for path in pair), policies=Policies())
        for pair in (paths, ["news/references", "news/systems"])
    )
    assert in_letters(texts.runs) == in_letters(folders.runs)
