"""Predictions of no class: an item that is in the gold total and in no predicted class, under every measure."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine, Write
from hypothesis import given
from hypothesis import strategies as st
from made_runs import labelled_runs
from measures.test_oracles import ORACLES, ask, scale_of
from raw_labels import LabelPair

from metaeval.measures import Trait, measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import score_labels

LABELS = ["a", "b", "c"]
SCALE = ClassScale(("a", "b", "c"), ordered=True, misses=True)
Texts = list[str]
COUNTING = (
    *("accuracy", "weighted-accuracy", "precision", "recall", "recall:class=c1", "f1", "f1:class=c1", "macro-f1"),
    *("f-beta", "weighted-f", "f1-of-averages", "gmr", "kappa:weights=none", "mcc", "auc", "wauc"),
    *("closeness:norm=gold", "closeness:norm=range", "decay", "cem-ord", "fnc1-score:scale=points"),
)
"""Measures whose oracles take predictions outside the scale."""
REFUSING = ("kappa", "kappa:weights=quadratic", "alpha", "alpha:level=interval", "alpha:level=ratio", "mae",
            "mae:average=micro", "pearson", "spearman", "kendall", "pairwise-accuracy")  # fmt: skip


def runs_of(gold: Texts, predicted: Texts, scale: ClassScale = SCALE) -> LabelledRuns:
    codes = {label: code for code, label in enumerate(LABELS)}
    arrays = [np.array([codes.get(label, 3) for label in labels], dtype=np.uint8) for labels in (gold, predicted)]
    return labelled_runs(arrays[0], arrays[1][np.newaxis], scale)


ITEMS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, "junk"])), min_size=1, max_size=30)


@pytest.mark.parametrize("name", COUNTING)
@given(items=ITEMS)
def test_scores_are_those_of_an_extra_label_outside_the_scale(name: str, items: list[tuple[str, str]]) -> None:
    gold, predicted = (list(column) for column in zip(*items, strict=True))
    runs = runs_of(gold, predicted, replace(scale_of(3), misses=True))
    score = score_labels(runs, [measure(name)]).values[0, 0]
    # scikit-learn says 0 or NaN, metaeval NaN, where there is nothing to compare.
    if np.isnan(score):
        assert len(set(gold)) < 3 or len(set(predicted)) == 1
    else:
        expected = ask(ORACLES[name], LabelPair(runs.gold.astype(int), runs.predicted[0].astype(int), 3))
        assert score == pytest.approx(expected, abs=1e-9)


def test_a_merge_keeps_the_misses() -> None:
    merged = SCALE.merge(["b", "c"])
    assert (merged.misses, merged.predicted_labels) == (True, ("a", "b+c", "(none)"))


@pytest.fixture
def files(write: Write) -> tuple[str, ...]:
    """A gold file and systems that leave some items out, or predict another class."""
    random = np.random.default_rng(11)
    gold = random.choice(LABELS, 120).tolist()
    lines = [f"{item},{label}" for item, label in enumerate(gold)]
    paths = [write("gold.csv", "\n".join(["id,label", *lines]))]
    for system in range(5):
        right = random.random(120) < 0.4 + 0.1 * system
        labels = np.where(right, gold, random.choice([*LABELS, "junk", "", "none"], 120)).tolist()
        paths.append(write(f"s{system}.csv", "\n".join(["id,label", *(f"{i},{x}" for i, x in enumerate(labels))])))
    return tuple(paths)


EQUAL = ("accuracy", "kappa:weights=none", "mcc", "alpha:level=nominal", "gmr")
"""Measures to which a class that gold never has is the same as no class."""
ANALYSES = ("score", "stability --trials 40", "similarity", "power", "compare", "plan", "summary", "robustness",
            "explain --all", "merge-classes --balance --trials 30")  # fmt: skip


@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_equals_that_of_a_class_that_gold_never_has(
    metaeval: CommandLine, files: tuple[str, ...], analysis: str
) -> None:
    measures = [word for name in EQUAL for word in ("-m", name)]
    tables = []
    for labels, policy in (("a,b,c", "miss"), ("a,b,c,zzz", "label:zzz")):
        merge = ("--merge", "a+b", "--merge", "b+c") if analysis.startswith("merge") else ()
        options = (*measures, "--labels", labels, "--on-missing", policy, "--on-unknown", policy, *merge, "-f", "json")
        out = metaeval.succeeds(*analysis.split(), *options, "--gold", files[0], *files[1:]).out
        tables.append(json.loads(out.replace("(none)", "zzz"))["tables"])
    missed, labelled = tables
    for name, rows in missed.items():
        gold_rows = [row for row in labelled[name] if "zzz" not in (row.get("gold"), row.get("trivial_system"))]
        if analysis in ("robustness", "summary", "merge-classes --balance --trials 30", "explain --all"):
            continue  # trivial systems, balanced classes and orders of the cells differ: that they run is the test
        for row, expected in zip(rows, gold_rows, strict=True):
            numbers = {column for column, value in expected.items() if isinstance(value, float)}
            assert [row[column] for column in numbers] == pytest.approx([expected[column] for column in numbers]), name
            assert all(row[column] == value for column, value in expected.items() if column not in numbers), name


@pytest.mark.parametrize("name", REFUSING)
def test_measures_without_a_place_for_a_miss_refuse_by_name(
    metaeval: CommandLine, files: tuple[str, ...], name: str
) -> None:
    assert Trait.COUNTS_MISSES not in measure(name).traits
    options = ("--labels", "a<b<c", "--on-missing", "miss", "--on-unknown", "miss")
    parts = (f"measure '{name}', in which a missing prediction has no place", "accuracy, macro-f1 or cem-ord", "worst")
    metaeval.refuses_with(parts, "score", "-m", name, *options, "--gold", files[0], *files[1:])


def test_measures_that_are_not_named_are_those_that_have_a_place_for_a_miss(
    metaeval: CommandLine, files: tuple[str, ...]
) -> None:
    options = ("--labels", "a<b<c", "--on-missing", "miss", "--on-unknown", "miss", "--gold", files[0], *files[1:])
    scored = metaeval.succeeds("score", "-f", "csv", *options)
    assert scored.out.splitlines()[0] == "system,cem-ord,accuracy,macro-f1,f1-of-averages"
    assert "left out, because a missing prediction has no place in them: alpha:level=ordinal" in scored.err
    chosen = metaeval.succeeds("score", "-f", "csv", "--preset", "all", *options).out.splitlines()[0]
    assert "accuracy" in chosen
    assert "mae" not in chosen


def test_only_predictions_that_miss_leave_measures_out(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    options = ("--labels", "a<b<c", "--on-missing", "miss", "--on-unknown", "drop", "--gold", files[0])
    assert "mae" in metaeval.succeeds("score", "-f", "csv", *options, f"same={files[0]}").out


def test_a_baseline_holds_misses(metaeval: CommandLine, files: tuple[str, ...], write: Write) -> None:
    def config(run: str) -> str:
        data = f"{{gold: {files[0]}, runs: [s={run}], labels: 'a,b,c', on-missing: miss, on-unknown: miss}}"
        return write("check.yaml", f"data: {data}\nmeasures: [accuracy]\ncheck: {{permutations: 99}}\n")

    metaeval.succeeds("check", config(files[5]), "--save-baseline", "old.json")
    (row,) = metaeval.tables("check", config(files[0]), "--baseline", "old.json")["baseline"]
    gold, earlier = (Path(path).read_text().split()[1:] for path in (files[0], files[5]))
    assert (row["now"], row["earlier"]) == (1.0, sum(map(str.__eq__, gold, earlier)) / 120)
