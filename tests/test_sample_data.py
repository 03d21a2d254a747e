"""The shipped sample data: made by its generator, in the native forms, and fit for telling measures apart."""

import csv
import importlib.util
import json
import re
import sys
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
STANCES = ("disagree", "discuss", "agree")
RUMOUR_LABELS = ("support", "deny", "query", "comment")

FNC1_SYSTEMS = sorted((FOLDER / "fnc1" / "systems").iterdir())
RUMOUR_SYSTEMS = sorted((FOLDER / "rumoureval2017" / "systems").iterdir())
WORK_SYSTEMS = sorted((FOLDER / "works" / "systems").iterdir())
FNC1_FILES = [FOLDER / "fnc1" / "gold.csv", *FNC1_SYSTEMS]
RUMOUR_FILES = [FOLDER / "rumoureval2017" / "gold.json", *RUMOUR_SYSTEMS]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """`sample_data/generate.py`, which is a script and in no package."""
    spec = importlib.util.spec_from_file_location("sample_data_generator", FOLDER / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def csv_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, strict=True))


@cache
def fnc1_rows(path: Path) -> list[tuple[str, str, str]]:
    return [(headline, body_id, stance) for headline, body_id, stance in csv_rows(path)[1:]]


@cache
def stance_positions(path: Path) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([STANCES.index(stance) for _, _, stance in fnc1_rows(path)], dtype=np.int64)


@cache
def rumour_labels(path: Path) -> dict[str, str]:
    labels: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return labels


def stance_accuracy(path: Path) -> float:
    return float(np.mean(stance_positions(path) == stance_positions(FNC1_FILES[0])))


def stance_error(path: Path) -> float:
    return float(np.mean(np.abs(stance_positions(path) - stance_positions(FNC1_FILES[0]))))


def rumour_recalls(path: Path) -> list[float]:
    gold, predicted = rumour_labels(RUMOUR_FILES[0]), rumour_labels(path)
    sizes, found = Counter(gold.values()), Counter(gold[i] for i in gold if gold[i] == predicted[i])
    return [found[label] / sizes[label] for label in RUMOUR_LABELS]


def rumour_accuracy(path: Path) -> float:
    gold, predicted = rumour_labels(RUMOUR_FILES[0]), rumour_labels(path)
    return sum(gold[i] == predicted[i] for i in gold) / len(gold)


def kendall_tau_a(first: list[float], second: list[float]) -> float:
    """Concordant minus discordant pairs over all pairs, counted one by one."""
    pairs = list(combinations(range(len(first)), 2))
    return float(sum(np.sign((first[i] - first[j]) * (second[i] - second[j])) for i, j in pairs)) / len(pairs)


# --- The generator -----------------------------------------------------------------------------------------


def test_the_generator_rewrites_the_shipped_files_bit_for_bit(generator: ModuleType, tmp_path: Path) -> None:
    assert generator.main([], folder=tmp_path) == 0
    written = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    shipped = {
        path.relative_to(FOLDER): path.read_bytes()
        for name in (
            *("fnc1", "rumoureval2017", "works", "tsc3", "news", "r4c", "formats", "seeds", "reviews", "judged"),
            "contrast",
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


@pytest.mark.parametrize("percent", [((50, 40), (0, 100)), ((50, 50),), ((50, 50), (100,))])
def test_a_profile_whose_rows_do_not_sum_to_a_hundred_is_refused(
    generator: ModuleType, percent: tuple[tuple[int, ...], ...]
) -> None:
    with pytest.raises(ValueError, match="sum to 100"):
        generator.SystemProfile("broken", percent)


# --- FNC-1 -------------------------------------------------------------------------------------------------


def test_gold_has_the_counts_of_the_tasks() -> None:
    counts = Counter(stance for _, _, stance in fnc1_rows(FNC1_FILES[0]))
    assert counts == {"disagree": 139, "discuss": 893, "agree": 381}
    counts = Counter(rumour_labels(RUMOUR_FILES[0]).values())
    assert counts == {"support": 94, "deny": 71, "query": 106, "comment": 778}


def test_ten_pairs_occur_twice_and_are_labelled_alike() -> None:
    for path in FNC1_FILES:
        rows = fnc1_rows(path)
        times = Counter(row[:2] for row in rows)
        assert Counter(times.values()) == {1: 1393, 2: 10}, path
        assert len(set(rows)) == len(times), path


def test_headlines_put_a_csv_reader_to_the_test() -> None:
    headlines = [headline for headline, _, _ in fnc1_rows(FNC1_FILES[0])]
    assert 5 <= sum("\n" in headline for headline in headlines) <= 30
    assert sum("," in headline for headline in headlines) > 100
    assert sum('"' in headline for headline in headlines) > 100
    assert sum("–" in headline for headline in headlines) > 50
    assert sum("ó" in headline for headline in headlines) > 20
    assert len(set(headlines)) > 500


def test_accuracies_of_the_stance_systems_range_from_chance_to_strong_and_rank_otherwise_than_errors() -> None:
    assert len({path.read_bytes() for path in FNC1_FILES}) == 15
    accuracies = [stance_accuracy(path) for path in FNC1_SYSTEMS]
    assert min(accuracies) == pytest.approx(0.33, abs=0.02)
    assert max(accuracies) == pytest.approx(0.85, abs=0.02)
    accuracies = [stance_accuracy(path) for path in FNC1_SYSTEMS]
    closeness = [-stance_error(path) for path in FNC1_SYSTEMS]
    assert 0 < kendall_tau_a(accuracies, closeness) < 0.9
    assert kendall_tau_a(accuracies, accuracies) > 0.9


@pytest.mark.parametrize("kind", ["net", "tree", "words"])
def test_neighbour_and_opposite_systems_of_equal_accuracy_differ_in_mean_absolute_error(kind: str) -> None:
    neighbour, opposite = (FOLDER / f"fnc1/systems/{name}_{kind}.csv" for name in ("neighbour", "opposite"))
    assert stance_accuracy(neighbour) == pytest.approx(stance_accuracy(opposite), abs=0.01)
    assert stance_error(opposite) > 1.4 * stance_error(neighbour)


def test_the_degenerate_stance_systems_never_give_the_answers_they_lack() -> None:
    given = {path.stem: {stance for _, _, stance in fnc1_rows(path)} for path in FNC1_SYSTEMS}
    assert {name: answers for name, answers in given.items() if answers != set(STANCES)} == {
        "no_disagree": {"discuss", "agree"},
        "always_discuss": {"discuss"},
    }


def test_stance_systems_miss_the_same_items_more_often_than_chance() -> None:
    gold = stance_positions(FNC1_FILES[0])
    real = [path for path in FNC1_SYSTEMS if path.stem not in {"random_guess", "always_discuss"}]
    for stance in range(3):
        members = gold == stance
        missed = np.array([stance_positions(path)[members] != stance for path in real])
        # A system that misses none or all of a class has no correlation to show.
        varied = missed[missed.any(axis=1) & ~missed.all(axis=1)]
        assert np.corrcoef(varied).min() > 0


# --- RumourEval 2017 ---------------------------------------------------------------------------------------


def test_rumour_systems_spread_as_in_the_paper() -> None:
    assert len({path.read_bytes() for path in RUMOUR_FILES}) == 9
    accuracies = [rumour_accuracy(path) for path in RUMOUR_SYSTEMS]
    # Table 2 of Scarton et al. (2020): 0.635 to 0.784.
    assert min(accuracies) == pytest.approx(0.635, abs=0.01)
    assert max(accuracies) == pytest.approx(0.784, abs=0.01)
    most, least = max(RUMOUR_SYSTEMS, key=rumour_accuracy), min(RUMOUR_SYSTEMS, key=rumour_accuracy)
    assert "deny" not in rumour_labels(most).values()
    assert np.ptp(rumour_recalls(least)) < 0.01
    assert min(rumour_recalls(least)) > max(min(rumour_recalls(p)) for p in RUMOUR_SYSTEMS if p != least)


# --- Works -------------------------------------------------------------------------------------------------


def work_values() -> list[float]:
    """Gold ranks as numbers, A as 6 down to G as 0."""
    return [float("GFEDCBA".index(label)) for _, label in csv_rows(FOLDER / "works/gold.csv")[1:]]


def work_scores(name: str) -> list[float]:
    return [float(score) for _, score in csv_rows(FOLDER / f"works/systems/{name}.csv")[1:]]


def test_the_works_are_those_of_the_article() -> None:
    ids = [f"work{number}" for number in range(1, 9)]
    gold, *systems = (csv_rows(path) for path in [FOLDER / "works/gold.csv", *WORK_SYSTEMS])
    assert gold == [["id", "label"], *map(list, zip(ids, "FCEGACDA", strict=True))]
    assert [path.stem for path in WORK_SYSTEMS] == ["article", "coarse", "perfect_order", "reversed"]
    assert all(rows[0] == ["id", "score"] and [row[0] for row in rows[1:]] == ids for rows in systems)
    assert work_scores("article") == [0.15, 0.30, 0.35, 0.25, 0.55, 0.45, 0.20, 0.40]


def test_the_works_systems_correlate_with_the_ranks_as_described() -> None:
    article = 1.5375 / (33.5 * 0.1246875) ** 0.5
    for name, pearson in (("article", article), ("perfect_order", 1.0), ("reversed", -1.0)):
        assert np.corrcoef(work_values(), work_scores(name))[0, 1] == pytest.approx(pearson, abs=1e-9)


# --- The page of the data ------------------------------------------------------------------------------


def test_the_page_states_the_accuracy_of_every_system() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    row = r"^\| `(\w+)` \|.*?\| (0\.\d{3}) (?:\| (0\.\d{3}) )?\|$"
    stated = set(re.findall(row, page, flags=re.MULTILINE))
    stances = {(p.stem, f"{stance_accuracy(p):.3f}", f"{stance_error(p):.3f}") for p in FNC1_SYSTEMS}
    rumours = {(p.stem, f"{rumour_accuracy(p):.3f}", "") for p in RUMOUR_SYSTEMS}
    assert stated == stances | rumours


def test_the_page_describes_every_works_system() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in WORK_SYSTEMS if f"| `{path.stem}` |" not in page] == []
