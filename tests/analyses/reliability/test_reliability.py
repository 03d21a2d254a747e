"""`metaeval reliability`, repeated runs of systems, and the variance components."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import CommandLine, Write, sentences
from label_studies import label_study
from numpy.typing import NDArray
from scipy.special import betaln

from metaeval.inference.parts import Components
from metaeval.stats.trials import passed_all

Numbers = NDArray[np.float64]
TRUE = dict(zip(("system", "run", "cluster", "item", "system_cluster", "system_item", "run_cluster", "run_item"),
                (1.0, 0.1, 0.3, 0.5, 0.2, 0.4, 0.15, 0.6), strict=True))  # fmt: skip


def draw(random: np.random.Generator, runs: Numbers, sizes: Any, **variances: float) -> tuple[Numbers, Any, Any]:
    """Scores (R, N) from the model, the system of each run, and the cluster of each item; sizes: of the clusters."""
    clusters = len(sizes)
    codes = np.repeat(np.arange(clusters), sizes)
    systems, items = np.repeat(np.arange(len(runs)), runs.astype(int)), len(codes)
    shapes = {
        "system": (len(runs), 1), "cluster": (1, clusters), "item": (1, items),
        "system_cluster": (len(runs), clusters), "system_item": (len(runs), items),
        "run": (len(systems), 1), "run_cluster": (len(systems), clusters), "run_item": (len(systems), items),
    }  # fmt: skip
    scores = np.zeros((len(systems), items))
    for name, shape in shapes.items():
        part = random.normal(0, np.sqrt(variances.get(name, 0.0)), shape)
        part = part[:, codes] if "cluster" in name else part
        scores += part[systems] if "run" not in name and len(part) > 1 else part
    return scores, systems, codes


@pytest.mark.parametrize(
    ("runs", "parts"), [([1, 2, 3, 2, 1, 4], list(TRUE)), ([4], [name for name in TRUE if "system" not in name])]
)
def test_components_are_unbiased_with_unequal_clusters_and_runs_and_of_one_system(
    runs: list[int], parts: list[str]
) -> None:
    random, variances = np.random.default_rng(4), {name: TRUE[name] for name in parts}
    estimates = []
    for _ in range(300):
        components = Components.of(*draw(random, np.array(runs), random.integers(1, 8, size=12), **variances))
        estimates.append([getattr(components, name) for name in parts])
    values = np.array(estimates)
    error = (values.mean(axis=0) - list(variances.values())) / (values.std(axis=0) / np.sqrt(len(values)))
    assert (np.abs(error) < 4).all(), dict(zip(parts, error.round(1), strict=True))


def test_the_error_of_a_score_is_its_deviation_between_tests() -> None:
    random, errors, scores = np.random.default_rng(6), [], []
    parts = {name: TRUE[name] for name in ("item", "system_item", "run", "run_item")}
    for _ in range(400):
        sample = draw(random, np.full(4, 3), np.ones(30, dtype=np.intp), **parts)
        errors.append(Components.of(*sample).error())
        scores.append(sample[0][:3].mean())
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(scores), rel=0.1)


def trials(systems: dict[str, Any], items: int, number: int, *, seed: int = 1) -> tuple[str, dict[str, Numbers]]:
    """A table of trials with success or failure; systems: their probabilities of success. And the trials, (N, T)."""
    random = np.random.default_rng(seed)
    successes = {name: (random.random((items, number)) < rate).astype(float) for name, rate in systems.items()}
    rows = [
        f"{name},i{item},d{item // 4},{trial},{success[item, trial]:g}\n"
        for name, success in successes.items()
        for item, trial in np.ndindex(success.shape)
    ]
    return "system,item,doc,trial,success\n" + "".join(rows), successes


def test_pass_k_is_the_share_of_sets_of_trials_that_all_succeed(metaeval: CommandLine, write: Write) -> None:
    probabilities = np.random.default_rng(2).beta(2, 1, (24, 1))
    content, successes = trials({"agent": probabilities, "other": probabilities**2, "never": 0.0}, 24, 5)
    options = ("--task", "table", write("t.csv", content), "--replicate", "trial")
    report = metaeval.report("reliability", *options)
    rows = {(row["system"], row["k"]): row for row in report["tables"]["pass_k"]}
    assert set(rows) == {(name, k) for name in successes for k in range(1, 6)}
    for name, success in successes.items():
        for k in range(1, 6):
            sets = [success[:, list(chosen)].all(axis=1) for chosen in combinations(range(5), k)]
            assert rows[name, k]["value"] == pytest.approx(np.mean(sets))
            low, value, high = (rows[name, k][end] for end in ("low", "value", "high"))
            assert 0 <= low <= value < high <= 1
            assert low < value or value == 0
    assert any(sentence["sentence"].startswith("3 systems succeed under success on") for sentence in report["findings"])
    clustered = metaeval.tables("reliability", *options, "--cluster", "doc")["pass_k"]
    assert [row["value"] for row in clustered] == [row["value"] for row in report["tables"]["pass_k"]]
    assert [row["low"] for row in clustered] != [row["low"] for row in report["tables"]["pass_k"]]


def test_a_single_system_has_an_error_and_pass_k(metaeval: CommandLine, write: Write) -> None:
    content, successes = trials({"agent": 0.7}, 30, 3)
    path = write("t.csv", content)
    report = metaeval.report("reliability", "--task", "table", path, "--replicate", "trial")
    (row,) = report["tables"]["reliability"]
    assert row["score"] == pytest.approx(successes["agent"].mean())
    assert "coefficient" not in row
    assert {entry["component"] for entry in report["tables"]["components"]} == {"run", "item", "run × item"}
    claims = sentences(report)
    assert any(sentence.startswith("the score of agent under success has a standard error of") for sentence in claims)
    every = successes["agent"].all(axis=1).mean()
    assert any(f"in one trial, on {every:.0%} in all of 3 (pass^3, 95 % interval" in sentence for sentence in claims)
    values = successes["agent"][:, 0]
    once = "system,item,success\n" + "".join(f"agent,i{item},{value:g}\n" for item, value in enumerate(values))
    alone = metaeval.report("reliability", "--task", "table", write("o.csv", once))
    assert alone["tables"]["reliability"][0]["error"] == pytest.approx(values.std(ddof=1) / np.sqrt(30))
    assert "twice the items would make it" in alone["findings"][0]["sentence"]


def test_scores_that_are_no_successes_have_no_pass_k(metaeval: CommandLine) -> None:
    path = "sample_data/seeds/scores.csv"
    report = metaeval.report("reliability", "--task", "table", path, "--replicate", "seed", "-m", "exact-match")
    assert "pass_k" in report["tables"]
    scores = metaeval.report("reliability", "--task", "table", path, "--replicate", "seed", "-m", "overlap")
    assert "pass_k" not in scores["tables"]


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "shape"), [(12, (2, 1)), (30, (0.5, 0.5)), (100, (8, 1)), (15, (2, 1))])
def test_intervals_of_pass_k_cover(clusters: int, shape: tuple[float, float]) -> None:
    items = 60 if clusters == 15 else clusters
    codes = np.sort(np.arange(items) % clusters)
    true = [np.exp(betaln(shape[0] + k, shape[1]) - betaln(*shape)) for k in (1, 2, 3, 4)]
    covered = np.zeros(4)
    for seed in range(600):
        random = np.random.default_rng(seed)
        alike = random.random(items) < 0.5
        probabilities = np.where(alike, random.beta(*shape, clusters)[codes], random.beta(*shape, items))
        passes = passed_all(random.binomial(4, probabilities), 4, codes)
        covered += [estimate.low <= value <= estimate.high for estimate, value in zip(passes, true, strict=True)]
    assert (covered / 600 > 0.925).all(), covered / 600


def test_two_way_components_are_those_of_the_textbook() -> None:
    scores = np.random.default_rng(1).normal(size=(5, 7)) + np.arange(5)[:, np.newaxis]
    components = Components.of(scores, np.arange(5))
    rows, columns = scores.mean(axis=1, keepdims=True), scores.mean(axis=0, keepdims=True)
    error = ((scores - rows - columns + scores.mean()) ** 2).sum() / 24
    assert components.system_item == pytest.approx(error, abs=1e-12)
    assert components.item == pytest.approx((5 * columns.var(ddof=1) - error) / 5, abs=1e-12)
    assert components.system == pytest.approx((7 * rows.var(ddof=1) - error) / 7, abs=1e-12)
    # Cronbach's alpha, and the ICC of absolute agreement of means.
    alpha = 7 / 6 * (1 - scores.var(axis=0, ddof=1).sum() / scores.sum(axis=1).var(ddof=1))
    assert components.coefficient() == pytest.approx(alpha, abs=1e-12)
    between, items = 7 * rows.var(ddof=1), 5 * columns.var(ddof=1)
    assert components.coefficient(absolute=True) == pytest.approx((between - error) / (between + (items - error) / 5))
    assert (components.run, components.run_item, components.cluster) == (0, 0, 0)
    alone = Components.of(scores[:1], np.array([0]))
    assert np.isnan([alone.system, alone.coefficient(), *alone.interval()]).all()
    singletons = Components.of(scores, np.arange(5), np.random.default_rng(2).permutation(7))
    assert singletons.coefficient() == pytest.approx(components.coefficient(), abs=1e-12)


@pytest.mark.parametrize("power", [-900, -100, 100, 900])
def test_a_coefficient_and_its_interval_depend_on_no_unit(power: int) -> None:
    sizes = np.random.default_rng(3).integers(1, 8, size=12)
    scores, systems, codes = draw(np.random.default_rng(3), np.array([1, 2, 3, 2, 1, 4]), sizes, **TRUE)
    one, other = Components.of(scores, systems, codes), Components.of(np.ldexp(scores, power), systems, codes)
    assert (other.coefficient(), *other.interval()) == pytest.approx((one.coefficient(), *one.interval()))
    assert np.ldexp(other.item, 2 * (other.exponent - power)) == pytest.approx(one.item)


@pytest.mark.parametrize(("systems", "runs", "clusters"), [(14, 1, 30), (8, 3, 30)])
def test_intervals_cover(systems: int, runs: int, clusters: int) -> None:
    parts = {"system": 0.02, "cluster": 0.1, "item": 0.3, "system_cluster": 0.1, "system_item": 0.5}
    parts |= {"run": 0.005, "run_item": 0.3} if runs > 1 else {}
    random, covered = np.random.default_rng(6), 0
    for _ in range(200):
        components = Components.of(*draw(random, np.full(systems, runs), random.integers(1, 8, size=clusters), **parts))
        truth = replace(components, **{name: parts.get(name, 0.0) for name in TRUE}).coefficient()  # type: ignore[arg-type]
        low, high = components.interval()
        covered += low <= truth <= high
    # Binomial 99.9 % below .95; above it, negative estimates make the interval wider.
    assert covered >= 179


def test_intervals_are_wider_where_a_few_systems_differ_much_more() -> None:
    random = np.random.default_rng(1)
    noise, outlier = random.normal(size=(12, 50)), np.arange(12)[:, np.newaxis] == 3
    spread = np.linspace(-1, 1, 12)[:, np.newaxis]
    even, skewed = (Components.of(noise + shift, np.arange(12)) for shift in (spread, spread + 8 * outlier))
    assert even.widening == 1
    assert skewed.widening > 1.6
    for components in (even, skewed):
        low, high = components.interval()
        assert 0 <= low < components.coefficient() < high < 1
    without_error = Components.of(np.add.outer(np.arange(5.0), np.arange(4.0)), np.arange(5))
    assert np.isnan(without_error.interval()).all()


def test_a_note_names_the_measures_under_which_a_few_systems_differ_much_more(
    metaeval: CommandLine, write: Write
) -> None:
    random = np.random.default_rng(2)
    rows = [
        f"s{system},i{item},{(system == 3) * 9 + random.normal():.4f},{system + random.normal():.4f}\n"
        for system, item in product(range(12), range(20))
    ]
    report = metaeval.report(
        "reliability", "--task", "table", write("t.csv", f"system,item,bleu,comet\n{''.join(rows)}")
    )
    note = "a few systems differ much more than the others under bleu: intervals are wider there"
    assert any(text.startswith(note) for text in report["notes"])


@pytest.fixture
def table(write: Write) -> str:
    """Three runs of four systems on 30 items in 10 documents, under two measures."""
    random = np.random.default_rng(8)
    rows = [
        f"{system},{seed},i{item},d{item // 3},{random.normal(skill, 0.4):.3f},{random.normal(skill, 0.4):.3f}"
        for skill, system in enumerate("abcd")
        for seed, item in product(range(3), range(30))
    ]
    return write("runs.csv", "\n".join(["system,seed,item,doc,bleu,comet", *rows]) + "\n")


RUNS = ("--task", "table", "--replicate", "seed")


def test_scores_are_means_over_the_runs(metaeval: CommandLine, table: str, write: Write) -> None:
    runs = pd.read_csv(table)
    runs = runs[runs["seed"] < 2]
    means = runs.groupby(["system", "item", "doc"], as_index=False, sort=False)[["bleu", "comet"]].mean()
    plain, table = write("means.csv", means.to_csv(index=False)), write("two.csv", runs.to_csv(index=False))
    for command in ("score", "similarity", "stability", "compare", "power", "plan", "recommend", "summary"):
        options = {"stability": ("--trials", "20"), "recommend": ("--halves", "2"), "score": ()}.get(command, ())
        few = () if command in ("score", "summary") else ("--permutations", "99")
        repeated = metaeval.report(command, *RUNS, table, *options, *few)
        averaged = metaeval.report(command, "--task", "table", plain, *options, *few)
        assert "runs:8" in repeated["signature"]
        assert any("means over 2 runs of each system (8 in all)" in note for note in repeated["notes"])
        for name, rows in averaged["tables"].items():
            for row, other in zip(rows, repeated["tables"][name], strict=True):
                assert row == pytest.approx(other, abs=1e-9, nan_ok=True), (command, name)


def test_three_runs_are_random_in_tests_of_differences(metaeval: CommandLine, table: str, write: Write) -> None:
    runs = pd.read_csv(table)
    # The first seed is lucky.
    runs.loc[runs["seed"] == 0, ["bleu", "comet"]] += 2
    means = runs.groupby(["system", "item", "doc"], as_index=False, sort=False)[["bleu", "comet"]].mean()
    plain, lucky = write("means.csv", means.to_csv(index=False)), write("lucky.csv", runs.to_csv(index=False))
    repeated = metaeval.report("compare", *RUNS, lucky, "--permutations", "499")
    averaged = metaeval.report("compare", "--task", "table", plain, "--permutations", "499")
    assert "(for other items and other runs of the systems, " in repeated["findings"][0]["sentence"]
    assert "other runs" not in averaged["findings"][0]["sentence"]
    for row, other in zip(repeated["tables"]["comparisons"], averaged["tables"]["comparisons"], strict=True):
        assert row["difference"] == pytest.approx(other["difference"])
        assert row["low"] < other["low"] < other["high"] < row["high"]
        assert row["p"] > other["p"]
        assert (row["p_adjusted"] <= 0.05) == (not row["low"] <= 0 <= row["high"]) == bool(row["better"])
    different = [
        metaeval.tables("power", *options, "--permutations", "499")["power"][0]["different"]
        for options in ((*RUNS, lucky), ("--task", "table", plain))
    ]
    assert different[0] < different[1]


def runs_of_labels(write: Write, shares: dict[str, float]) -> list[str]:
    """Options that name gold and the runs of systems, which know these shares of the items."""
    gold, *paths = label_study(write, shares, 240, classes="012")
    return ["--gold", gold, *(f"{name}={path}" for name, path in zip(shares, paths, strict=True))]


def test_runs_of_labels_have_the_parts_of_their_means(metaeval: CommandLine, write: Write) -> None:
    shares = {f"{system}@{seed}": share for system, share in (("worse", 0.1), ("better", 0.95)) for seed in range(3)}
    data = runs_of_labels(write, shares)
    (row,) = metaeval.tables("compare", "--labels", "0,1,2", *data, "-m", "macro-f1")["comparisons"]
    assert (row["better"], row["p"] < 0.01) == ("better", True)
    assert row["low"] < row["difference"] < row["high"] < 0


def test_the_tables_are_those_of_the_components(metaeval: CommandLine, table: str) -> None:
    report = metaeval.report("reliability", *RUNS, table, "--cluster", "doc")
    frame = pd.read_csv(table)
    scores = frame.pivot_table(index=["system", "seed"], columns="item", values="bleu", sort=False).to_numpy()
    components = Components.of(scores, np.repeat(np.arange(4), 3), np.repeat(np.arange(10), 3))
    bleu, _ = report["tables"]["reliability"]
    assert bleu["coefficient"] == pytest.approx(components.coefficient(), abs=1e-9)
    assert (bleu["systems"], bleu["items"], bleu["runs"]) == (4, 30, pytest.approx(3))
    shares = [row["share"] for row in report["tables"]["components"] if row["measure"] == "bleu"]
    assert len(shares) == 8
    assert sum(shares) == pytest.approx(1)
    designs = {(row["items"], row["runs"]): row for row in report["tables"]["designs"] if row["measure"] == "bleu"}
    assert designs[30, 3]["coefficient"] == pytest.approx(bleu["coefficient"], abs=1e-9)
    assert designs[60, 5]["coefficient"] >= designs[30, 3]["coefficient"]
    assert report["tables"]["designs"] == metaeval.tables("plan", *RUNS, table, "--cluster", "doc")["plan_designs"]
    assert "clusters:doc" in report["signature"]


def test_files_are_runs_of_a_system(metaeval: CommandLine, write: Write) -> None:
    shares = {"svm@1": 0.6, "svm@2": 0.6, "bert@1": 0.8, "bert@2": 0.8, "rule": 0.5}
    _, gold, *runs = runs_of_labels(write, shares)
    data = ("--gold", gold, "--labels", "0<1<2", "-m", "accuracy", "-m", "mcc")
    single = {row["system"]: row for row in metaeval.tables("score", *data, *runs[:1], *runs[3:4])["scores"]}
    assert set(single) == {"svm", "bert"}
    scores = {row["system"]: row for row in metaeval.tables("score", *data, *runs)["scores"]}
    assert set(scores) == {"svm", "bert", "rule"}
    first = metaeval.tables("score", *data, runs[0])["scores"][0]
    second = metaeval.tables("score", *data, runs[1])["scores"][0]
    for name in ("accuracy", "mcc"):
        assert scores["svm"][name] == pytest.approx((first[name] + second[name]) / 2, abs=1e-11)
    compared = metaeval.report("compare", *data, *runs, "--permutations", "99")
    assert {row["system"] for row in compared["tables"]["comparisons"]} <= {"svm", "bert", "rule"}
    printed = metaeval.succeeds("reliability", *data, *runs, "--notes")
    assert "left out, because their score is no mean over items, or undefined: mcc" in printed.out
    assert "1 to 2 runs of each system (5 in all)" in printed.err
    refused = metaeval.refuses("merge-classes", *data, *runs)
    assert "with repeated runs of a system" in refused
    assert "name one run of each system, without '@'" in refused


def test_crossed_clusters_are_refused(metaeval: CommandLine, repository: Path) -> None:
    crossed = metaeval.refuses("reliability", "--config", "configs/stance.yaml", "-m", "accuracy")
    assert "clusters by headline and body, which cross each other" in crossed
    assert "name one, as in --cluster headline" in crossed


def test_runs_that_are_not_there_and_human_scores_of_runs_are_refused(metaeval: CommandLine, table: str) -> None:
    assert "a column 'sead'" in metaeval.refuses("score", "--task", "table", table, "--replicate", "sead")
    human = metaeval.refuses("correlate", *RUNS, table, "--human", "comet", "-m", "bleu")
    assert "expected a file of human scores" in human
