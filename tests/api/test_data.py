"""Data in memory are checked as files are, and give the same numbers to the last bit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import metaeval as api

pytestmark = pytest.mark.usefixtures("repository")

ORDER = "disagree<discuss<agree"
LABELS = {"gold": ["yes", "no", "yes"], "a": ["yes", "no", "no"], "b": ["no", "no", "yes"]}


def two(**options: Any) -> api.Runs:
    return api.from_labels({"a": LABELS["a"], "b": LABELS["b"]}, gold=LABELS["gold"], labels="no<yes", **options)


@pytest.fixture(scope="module")
def fnc1_frame() -> pd.DataFrame:
    folder = Path(__file__).resolve().parents[2] / "sample_data/fnc1"
    paths = {"gold": folder / "gold.csv", **{path.stem: path for path in sorted((folder / "systems").glob("*.csv"))}}
    return pd.DataFrame({name: pd.read_csv(path)["Stance"] for name, path in paths.items()})


@pytest.fixture
def fnc1_files() -> api.Runs:
    # Data in memory have the clusters that are passed with them.
    return api.read(
        "sample_data/fnc1/systems", gold="sample_data/fnc1/gold.csv", task="fnc1", labels=ORDER, clusters="none"
    )


@pytest.mark.slow
def test_labels_in_memory_score_as_in_files(fnc1_frame: pd.DataFrame, fnc1_files: api.Runs) -> None:
    in_memory = api.from_frame(fnc1_frame, labels=ORDER, task="fnc1")
    assert in_memory.systems == fnc1_files.systems
    assert api.score(in_memory).to_dict()["tables"] == api.score(fnc1_files).to_dict()["tables"]
    sampled = [api.stability(runs, "stance-nine", trials=50).to_dict() for runs in (in_memory, fnc1_files)]
    assert sampled[0]["tables"] == sampled[1]["tables"]
    assert sampled[0]["signature"] == sampled[1]["signature"].replace("|clusters:none", "")
    summaries = [
        api.summary(runs, ["cem-ord", "accuracy"], trials=30).to_dict()["tables"] for runs in (in_memory, fnc1_files)
    ]
    assert summaries[0] == summaries[1]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, lambda values: pd.Series(values, index=[7, 8, 9])])
def test_sequences_arrays_and_series_are_the_same(kind: Any) -> None:
    runs = api.from_labels({name: kind(LABELS[name]) for name in "ab"}, gold=kind(LABELS["gold"]), labels="no<yes")
    assert api.score(runs, "stance-nine").to_dict() == api.score(two(), "stance-nine").to_dict()


def test_mappings_are_joined_by_id() -> None:
    gold = {"q1": "yes", "q2": "no", "q3": "yes"}
    runs = api.from_labels({"a": {"q3": "no", "q2": "no", "q1": "yes"}, "b": LABELS["b"]}, gold=gold, labels="no<yes")
    assert runs.items == ("q1", "q2", "q3")
    assert api.score(runs, "accuracy").to_dict()["tables"] == api.score(two(), "accuracy").to_dict()["tables"]


def test_ids_of_a_mapping_that_gold_does_not_have_are_refused_or_dropped() -> None:
    systems = {"a": {"1": "yes", "2": "no", "9": "no"}}
    with pytest.raises(api.InputError, match="id '9'"):
        api.from_labels(systems, gold=["yes", "no"], labels="no<yes")
    assert api.from_labels(systems, gold=["yes", "no"], labels="no<yes", on_extra="drop").items == ("1", "2")


def test_a_label_outside_the_classes_is_told_by_system_and_place() -> None:
    with pytest.raises(api.InputError) as raised:
        api.from_labels({"a": ["yes", "no"], "b": ["no", "maybe"]}, gold=["yes", "no"], labels="no<yes")
    assert "system 'b':2: prediction 'maybe'; expected one of no, yes" in str(raised.value)
    with pytest.raises(api.InputError, match="gold:1: gold label 'perhaps'"):
        api.from_labels({"a": ["yes", "no"]}, gold=["perhaps", "no"], labels="no<yes")


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, ""])
def test_a_missing_prediction_follows_the_policy(nothing: object) -> None:
    systems: dict[str, list[object]] = {"a": ["yes", nothing, "no"], "b": list(LABELS["b"])}
    with pytest.raises(api.InputError, match=r"system 'a':2: no prediction for id '2'"):
        api.from_labels(systems, gold=LABELS["gold"], labels="no<yes")
    dropped = api.from_labels(systems, gold=LABELS["gold"], labels="no<yes", on_missing="drop")
    assert dropped.items == ("1", "3")
    with_label = api.from_labels(systems, gold=LABELS["gold"], labels="no<yes", on_missing="label:no")
    assert api.score(with_label, "accuracy").to_dict()["tables"] == api.score(two(), "accuracy").to_dict()["tables"]


def test_labels_that_happen_to_look_like_a_header_are_labels() -> None:
    runs = api.from_labels({"gold": ["label", "no"], "id": ["label", "no"]}, gold=["label", "no"])
    assert runs.systems == ("gold", "id")
    assert api.score(runs, "accuracy").to_dict()["tables"]["scores"][0]["accuracy"] == 1.0


def test_numbers_are_predictions_with_the_task_scores() -> None:
    files = api.read_config("configs/ordinal.yaml")
    folder = Path("sample_data/works")
    gold = pd.read_csv(folder / "gold.csv", dtype=str).set_index("id")["label"].to_dict()
    systems = {
        path.stem: pd.read_csv(path, dtype={"id": str}).set_index("id")["score"].to_dict()
        for path in sorted((folder / "systems").glob("*.csv"))
    }
    in_memory = api.from_labels(systems, gold=gold, task="scores", labels="G<F<E<D<C<B<A")
    measures = ["pearson", "spearman", "kendall"]
    assert api.score(in_memory, measures).to_dict()["tables"] == api.score(files, measures).to_dict()["tables"]


def test_a_task_without_labels_is_refused() -> None:
    with pytest.raises(api.InputError, match="task of labels 'texts'"):
        two(task="texts")


def test_a_frame_names_its_columns() -> None:
    frame = pd.DataFrame({"id": ["x", "y"], "truth": ["yes", "no"], "a": ["yes", "no"], "note": ["?", "!"]})
    runs = api.from_frame(frame, gold="truth", item="id", systems=["a"], labels="no<yes")
    assert (runs.systems, runs.items) == (("a",), ("x", "y"))
    with pytest.raises(api.UnknownName, match="unknown column 'gold'"):
        api.from_frame(frame)
    with pytest.raises(api.InputError, match="system 'note':1"):
        api.from_frame(frame, gold="truth", item="id", labels="no<yes")


def test_the_order_of_ids_and_of_a_twin_is_checked() -> None:
    frame = pd.DataFrame({"id": ["x", "x"], "gold": ["yes", "no"], "a": ["yes", "no"]})
    with pytest.raises(api.InputError, match="id 'x' again"):
        api.from_frame(frame, item="id", labels="no<yes")


def test_texts_in_memory_score_as_in_files() -> None:
    folder = Path("sample_data/news")
    lines = [json.loads(line) for line in (folder / "references.jsonl").read_text(encoding="utf-8").splitlines()]
    references: dict[str, list[object]] = {}
    for line in lines:
        references.setdefault(line["item"], []).append(line.get("sentences", line.get("text")))
    systems: dict[str, dict[str, object]] = {}
    for text in (folder / "systems.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        systems.setdefault(line["system"], {})[line["item"]] = line.get("sentences", line.get("text"))
    in_memory = api.from_texts(systems, references=references)
    files = api.read(folder / "systems.jsonl", gold=folder / "references.jsonl", task="texts")
    for function in (api.score, api.references):
        one, other = (function(runs, ["rouge-l", "rouge-n:n=1"]).to_dict() for runs in (in_memory, files))
        assert one["tables"] == other["tables"]
        assert one["signature"] == other["signature"]
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "sources").glob("*.txt"))}
    with_texts = api.from_texts(systems, references=references, sources=sources)
    with_files = api.read(
        folder / "systems.jsonl", gold=folder / "references.jsonl", task="texts", sources=folder / "sources"
    )
    tables = [api.robustness(runs, "rouge-l").to_dict()["tables"] for runs in (with_texts, with_files)]
    assert tables[0] == tables[1]


def test_a_missing_text_is_told_by_system_and_item() -> None:
    systems: dict[str, list[object]] = {"a": ["It rained.", None], "b": ["It rained.", "We stayed."]}
    with pytest.raises(api.InputError, match="no output of 'a' for item '2'"):
        api.from_texts(systems, references=["It rained.", "We stayed."])


def test_a_table_in_memory_scores_as_in_a_file() -> None:
    frame = pd.read_csv("sample_data/tsc3/human.csv")
    in_memory = api.from_scores(frame, human="D5")
    files = api.read("sample_data/tsc3/human.csv", task="table", human="D5")
    assert api.score(in_memory).to_dict()["tables"] == api.score(files).to_dict()["tables"]
    tables = [api.correlate(runs, resamples=20, permutations=20).to_dict()["tables"] for runs in (in_memory, files)]
    assert tables[0] == tables[1]


def test_an_array_of_scores_is_the_table_of_its_names() -> None:
    values = np.random.default_rng(5).random((2, 3, 4))
    in_memory = api.from_scores(values, measures=["x", "y"], systems=["a", "b", "c"], lower_is_better="y")
    scores = api.score(in_memory, per_item=True)
    assert scores.to_pandas("item_scores")["value"].to_list() == values.ravel().tolist()
    assert [column.higher_is_better for column in scores.main.columns] == [None, True, False]
    with pytest.raises(api.InputError, match=r"shape \(2, 3, 4\)"):
        api.from_scores(values, measures=["x"], systems=["a", "b", "c"])


def test_a_missing_score_follows_the_policy() -> None:
    frame: dict[str, list[object]] = {
        "system": ["a", "a", "b", "b"],
        "item": ["1", "2", "1", "2"],
        "bleu": [0.5, None, 0.25, 0.5],
    }
    with pytest.raises(api.InputError, match="no score for bleu/a/2"):
        api.from_scores(frame)
    assert api.from_scores(frame, on_missing="drop").items == ("1",)


def test_people_may_be_a_data_frame() -> None:
    frame = pd.read_csv("sample_data/tsc3/human.csv")
    people, measures = frame[frame["measure"] == "D5"], frame[frame["measure"] != "D5"]
    beside = api.correlate(api.from_scores(measures), human=people, resamples=20, permutations=20)
    inside = api.correlate(api.from_scores(frame, human="D5"), resamples=20, permutations=20)
    assert beside.to_dict()["tables"] == inside.to_dict()["tables"]
    assert {file.path for file in beside.provenance.files} == {"<scores>", "<ratings>"}


def test_ratings_in_memory_agree_as_in_a_file() -> None:
    result = api.agreement(pd.read_csv("sample_data/tsc3/human.csv"))
    assert result.to_dict()["tables"] == api.agreement("sample_data/tsc3/human.csv").to_dict()["tables"]


def test_the_provenance_tells_data_in_memory_by_their_hash() -> None:
    provenance = api.score(two(), "accuracy").provenance
    (file,) = provenance.files
    assert (file.path, file.role, len(file.sha256)) == ("<labels>", "memory", 64)
    assert provenance.command_line == ""


def test_runs_say_what_they_are() -> None:
    assert repr(two()) == "Runs(2 systems on 3 items, task labels)"


def test_runs_may_be_named() -> None:
    runs = api.read(
        {"base": "sample_data/fnc1/systems/atlas_base.csv"}, gold=Path("sample_data/fnc1/gold.csv"), task="fnc1"
    )
    assert runs.systems == ("base",)
