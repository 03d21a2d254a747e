"""Predictions of no class: an item that is in the gold total and in no predicted class, under every measure."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from metaeval.measures import Trait, measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import score_labels
from metaeval.scoring.parts import count_groups

LABELS = ["a", "b", "c"]
SCALE = ClassScale(("a", "b", "c"), ordered=True, weights=(0.5, 0.2, 0.3), misses=True)
Texts = list[str]


def mean_credit(credit: Callable[[int, int], float]) -> Callable[[Texts, Texts], float]:
    """The mean over items of the credit of gold and predicted position, 0 for a miss."""

    def mean(gold: Texts, predicted: Texts) -> float:
        pairs = zip(gold, predicted, strict=True)
        return sum(credit(LABELS.index(g), LABELS.index(p)) for g, p in pairs if p in LABELS) / len(gold)

    return mean


def of_classes(score: Callable[..., Any], **options: Any) -> Callable[[Texts, Texts], float]:
    return lambda gold, predicted: float(
        score(gold, predicted, labels=LABELS, average="macro", zero_division=0, **options)
    )


def areas(gold: Texts, predicted: Texts) -> list[float]:
    pairs = list(zip(gold, predicted, strict=True))
    of = {label: [(g == label, p == label) for g, p in pairs] for label in LABELS}
    rates = {
        label: [float(np.mean([p for g, p in both if g == side])) if any(g == side for g, _ in both) else np.nan
                for side in (True, False)]
        for label, both in of.items()
    }  # fmt: skip
    return [(true + 1 - false) / 2 for true, false in rates.values()]


def geometric(gold: Texts, predicted: Texts) -> float:
    recalls = metrics.recall_score(gold, predicted, labels=sorted(set(gold)), average=None)
    return float(np.prod(recalls) ** (1 / len(recalls)))


def harmonic(gold: Texts, predicted: Texts) -> float:
    precision, recall = (
        of_classes(score)(gold, predicted) for score in (metrics.precision_score, metrics.recall_score)
    )
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def proximity(gold: Texts, predicted: Texts) -> float:
    n = [gold.count(label) for label in LABELS]

    def of(i: int, j: int) -> float:
        between = n[i] / 2 + (sum(n[i + 1 : j + 1]) if i < j else sum(n[j:i]) if i > j else 0)
        return -float(np.log2(max(0.5, between) / len(gold)))

    pairs = [(LABELS.index(g), LABELS.index(p)) for g, p in zip(gold, predicted, strict=True) if p in LABELS]
    return sum(of(p, g) for g, p in pairs) / sum(of(j, j) * n[j] for j in range(3))


ORACLES: dict[str, Callable[[Texts, Texts], float]] = {
    "accuracy": metrics.accuracy_score,
    "weighted-accuracy:weights=inverse": lambda gold, predicted: float(
        np.mean(metrics.recall_score(gold, predicted, labels=sorted(set(gold)), average=None))
    ),
    "precision": of_classes(metrics.precision_score),
    "recall": of_classes(metrics.recall_score),
    "f1": of_classes(metrics.f1_score),
    "macro-f1": of_classes(metrics.f1_score),
    "f-beta": of_classes(metrics.fbeta_score, beta=2.0),
    "f1:class=b": lambda gold, predicted: float(
        metrics.f1_score(gold, predicted, labels=["b"], average="macro", zero_division=0)
    ),
    "weighted-f": lambda gold, predicted: float(
        metrics.f1_score(gold, predicted, labels=LABELS, average=None, zero_division=0) @ np.array([0.5, 0.2, 0.3])
    ),
    "f1-of-averages": harmonic,
    "gmr": geometric,
    "kappa:weights=none": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
    "auc": lambda gold, predicted: float(np.mean([a for a in areas(gold, predicted) if not np.isnan(a)])),
    "wauc": lambda gold, predicted: float(np.dot(areas(gold, predicted), [0.5, 0.2, 0.3])),
    "closeness": mean_credit(lambda g, p: 1 - abs(g - p) / max(g, 2 - g)),
    "closeness:norm=range": mean_credit(lambda g, p: 1 - abs(g - p) / 2),
    "decay": mean_credit(lambda g, p: 0.5 ** abs(g - p)),
    "cem-ord": proximity,
    "fnc1-score:scale=points,unrelated=a": lambda gold, predicted: sum(
        {(True, True): 0.25, (False, False): 0.25 + 0.75 * (g == p)}.get((g == "a", p == "a"), 0.0)
        for g, p in zip(gold, predicted, strict=True)
        if p in LABELS
    ),
}
REFUSING = ("kappa", "kappa:weights=quadratic", "alpha", "alpha:level=interval", "alpha:level=ratio", "mae",
            "mae:average=micro", "pearson", "spearman", "kendall", "pairwise-accuracy")  # fmt: skip


def runs_of(gold: Texts, predicted: Texts, scale: ClassScale = SCALE) -> LabelledRuns:
    codes = {label: code for code, label in enumerate(scale.predicted_labels)}
    arrays = [np.array([codes.get(label, 3) for label in labels], dtype=np.uint8) for labels in (gold, predicted)]
    return LabelledRuns(tuple(map(str, range(len(gold)))), arrays[0], arrays[1][np.newaxis], ("s",), scale)


ITEMS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, "junk"])), min_size=1, max_size=30)


@pytest.mark.parametrize("name", ORACLES)
@given(items=ITEMS)
def test_scores_are_those_of_an_extra_label_outside_the_scale(name: str, items: list[tuple[str, str]]) -> None:
    gold, predicted = (list(column) for column in zip(*items, strict=True))
    score = score_labels(runs_of(gold, predicted), [measure(name)]).values[0, 0]
    # scikit-learn says 0 or NaN, metaeval NaN, where there is nothing to compare.
    if np.isnan(score):
        assert len(set(gold)) < 3 or len(set(predicted)) == 1
    else:
        assert score == pytest.approx(ORACLES[name](gold, predicted), abs=1e-9)


def test_nominal_alpha_has_the_misses_as_a_category_of_their_own() -> None:
    random = np.random.default_rng(3)
    gold, predicted = random.choice(LABELS, 50).tolist(), random.choice([*LABELS, "junk"], 50).tolist()
    pooled = gold + predicted
    shares = np.array([pooled.count(label) for label in {*pooled}])
    expected = 1 - (shares * (shares - 1)).sum() / (100 * 99)
    observed = np.mean([g != p for g, p in zip(gold, predicted, strict=True)])
    score = score_labels(runs_of(gold, predicted), [measure("alpha:level=nominal")]).values[0, 0]
    assert score == pytest.approx(1 - observed / expected, abs=1e-9)


@given(items=ITEMS)
def test_parts_of_groups_sum_to_the_scores(items: list[tuple[str, str]]) -> None:
    gold, predicted = (list(column) for column in zip(*items, strict=True))
    runs = runs_of(gold, predicted)
    measures = [measure(name) for name in ("accuracy", "recall", "closeness", "cem-ord", "macro-f1")]
    scores = score_labels(runs, measures).values
    groups = count_groups(runs, np.arange(len(gold)), np.random.default_rng(1))
    for parts, score in zip(groups.parts(measures), scores, strict=True):
        assert parts.parts[:, 0].sum() == pytest.approx(len(gold) * score[0], abs=1e-6) or not parts.defined.all()


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
        of_gold = [row for row in labelled[name] if "zzz" not in (row.get("gold"), row.get("trivial_system"))]
        if analysis in ("robustness", "summary", "merge-classes --balance --trials 30", "explain --all"):
            continue  # trivial systems, balanced classes and orders of the cells differ: that they run is the test
        assert rows == of_gold, name


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
    table = metaeval.succeeds("check", config(files[0]), "--baseline", "old.json", "-f", "json")
    (row,) = json.loads(table.out)["tables"]["baseline"]
    gold, earlier = (Path(path).read_text().split()[1:] for path in (files[0], files[5]))
    assert (row["now"], row["earlier"]) == (1.0, sum(map(str.__eq__, gold, earlier)) / 120)
