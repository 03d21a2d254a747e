"""Measures of sums: every sample of the items is summed again."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sklearn.metrics import f1_score

import metaeval as api
from metaeval.errors import InputError, UnknownName
from metaeval.measures.statistics import Derived, derive, f_score_of, parse_f_score, parse_ratio, ratio_of
from metaeval.model.scores import Direction, ItemScores
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.scoring.table import ItemSamples
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.read import read_study

SACREBLEU = Path(__file__).parents[2] / "docs/examples/metaeval-sacrebleu/metaeval_sacrebleu.py"
SYSTEMS, ITEMS = 4, 60

Numbers = NDArray[np.float64]


def counts() -> tuple[Numbers, Numbers]:
    """Edits and words, (S, N); some items without words."""
    draws = np.random.default_rng(5)
    words = np.tile(draws.integers(0, 40, size=ITEMS), (SYSTEMS, 1)).astype(np.float64)
    return draws.binomial(words.astype(int), [[0.1], [0.15], [0.3], [0.5]]).astype(np.float64), words


def derived() -> ItemScores:
    edits, words = counts()
    table = ItemScores(
        np.stack([edits, words]),
        ("edits", "words"),
        tuple("abcd"),
        tuple(map(str, range(ITEMS))),
        (Direction.LOWER,) * 2,
    )
    return derive(table, [Derived("wer", ("edits", "words"), ratio_of, ratio_of), "edits"], ["wer"])


def loop(items: list[int]) -> list[float]:
    """The word error rates of some items, by plain sums."""
    edits, words = counts()
    return [sum(edits[s][i] for i in items) / sum(words[s][i] for i in items) for s in range(SYSTEMS)]


def test_a_ratio_is_that_of_the_sums_and_not_the_mean_of_ratios() -> None:
    scores = derived()
    cube = scores.mean()
    assert (cube.measures, cube.directions[0]) == (("wer", "edits"), Direction.LOWER)
    np.testing.assert_allclose(cube.values[0], loop(list(range(ITEMS))), rtol=0, atol=1e-11)
    assert np.isnan(scores.values[0]).any()
    assert (np.abs(np.nanmean(scores.values[0], axis=1) - cube.values[0]) > 1e-4).all()
    assert scores.means == (1,)


def test_samples_and_halves_are_summed_again() -> None:
    samples, draws = ItemSamples(derived()), np.random.default_rng(1).integers(0, 3, size=(20, ITEMS))
    expected = [loop(np.repeat(np.arange(ITEMS), times).tolist()) for times in draws]
    np.testing.assert_allclose(samples.score_samples(draws).values[:, 0], expected, rtol=0, atol=1e-11)
    half = (draws > 0).astype(np.int64)
    halves = samples.score_halves(half, None).values[:, :, 0]
    for trial, (one, other) in enumerate(halves):
        np.testing.assert_allclose(one, loop(np.flatnonzero(half[trial]).tolist()), rtol=0, atol=1e-11)
        np.testing.assert_allclose(other, loop(np.flatnonzero(1 - half[trial]).tolist()), rtol=0, atol=1e-11)


def test_parts_are_those_of_leaving_groups_out() -> None:
    groups = np.arange(ITEMS) % 7
    (parts, _), whole = parts_of_item_scores(derived(), groups), np.array(loop(list(range(ITEMS))))
    sizes = np.bincount(groups)
    without = np.array([loop(np.flatnonzero(groups != group).tolist()) for group in range(7)])
    influence = (ITEMS - sizes)[:, np.newaxis] * -(whole - without)
    expected = -sizes[:, np.newaxis] * whole + influence - sizes[:, np.newaxis] / ITEMS * influence.sum(axis=0)
    np.testing.assert_allclose(parts.parts, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(parts.parts.sum(axis=0), -ITEMS * whole, rtol=0, atol=1e-9)


def test_f_of_sums_is_micro_f() -> None:
    draws = np.random.default_rng(3)
    gold, predicted = draws.integers(0, 2, size=(2, ITEMS, 9))
    right = (gold & predicted).sum(axis=1)
    sums = np.stack([right, predicted.sum(axis=1) - right, gold.sum(axis=1) - right], axis=-1).sum(axis=0)
    assert float(f_score_of(sums.astype(np.float64))) == pytest.approx(
        f1_score(gold, predicted, average="micro"), abs=1e-12
    )
    assert np.isnan(f_score_of(np.zeros(3)))
    assert np.isnan(ratio_of(np.array([2.0, 0.0])))


def table(write: Write, name: str = "asr.csv", worse: int = 0) -> str:
    edits, words = counts()
    edits[0] += worse
    rows = [f"{'abcd'[s]},{i},{edits[s, i]:.0f},{words[s, i]:.0f}" for s in range(SYSTEMS) for i in range(ITEMS)]
    return write(name, "system,item,edits,words\n" + "\n".join(rows) + "\n")


RATIO = ("--task", "table", "--ratio", "wer=edits/words", "--lower-is-better", "wer")


def test_the_command_line_yaml_and_python_say_the_same(metaeval: CommandLine, write: Write) -> None:
    path = table(write)
    config = write("asr.yaml", experiment_of(path))
    rows = metaeval.report("score", *RATIO, path)
    assert rows["tables"] == metaeval.tables("run", config)
    runs = api.read(path, task="table", ratios="wer=edits/words", lower_is_better="wer")
    assert api.score(runs).to_dict()["tables"]["scores"] == rows["tables"]["scores"]
    assert [row["wer"] for row in rows["tables"]["scores"]] == pytest.approx(loop(list(range(ITEMS))), abs=1e-11)
    assert list(rows["tables"]["scores"][0]) == ["system", "wer"]
    assert "|ratio:wer=edits/words|" in rows["signature"]


def experiment_of(path: str) -> str:
    data = f"task: table\n  runs: [{path}]\n  ratios: [wer=edits/words]\n  lower-is-better: [wer]"
    return f"data:\n  {data}\nscore: {{}}\n"


REFUSED: dict[tuple[str, ...], str] = {
    ("--ratio", "wer=edits"): "expected NAME=COLUMN1/COLUMN2",
    ("--f-score", "f=a,b"): "for example --f-score span-f1=tp,fp,fn",
    ("--ratio", "wer=edits/wrds"): "Did you mean 'words'?",
    ("--ratio", "edits=edits/words"): "measure 'edits', the name of a column",
    ("--ratio", "w=edits/words", "--f-score", "w=edits,words,words"): "measure 'w' again",
    ("--ratio", "accuracy=edits/words"): "--ratio 'accuracy=edits/words', whose name is a measure of metaeval",
    ("--f-score", "accuracy=edits,words,words"): "whose name is a measure of metaeval; expected a name of its own",
}


@pytest.mark.parametrize(("words", "message"), REFUSED.items())
def test_what_is_no_measure_of_sums_is_refused(
    metaeval: CommandLine, write: Write, words: tuple[str, ...], message: str
) -> None:
    outcome = metaeval("score", "--task", "table", *words, table(write))
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    with pytest.raises((InputError, UnknownName)):
        parse_ratio("a=b") if "ratio" in words[0] else parse_f_score("a=b")


COUNTS = "system,item,tp,fp,fn,words\na,1,3,1,0,5\na,2,2,0,2,7\nb,1,{tp},1,1,{words}\nb,2,1,1,1,4\n"
SPAN = ("--f-score", "span-f1=tp,fp,fn")


def test_negative_counts_are_refused_with_their_place(metaeval: CommandLine, write: Write) -> None:
    path = write("negative.csv", COUNTS.format(tp=-3, words=-5))
    message = metaeval.refuses("score", "--task", "table", path, *SPAN)
    assert "-3 in column 'tp' of system 'b', item '1'; expected 0 or more in measure 'span-f1'" in message
    message = metaeval.refuses("score", "--task", "table", path, "--ratio", "rate=fp/words")
    assert "-5 in column 'words' of system 'b', item '1'; expected 0 or more in measure 'rate'" in message
    # What is divided may be negative, such as a difference.
    rows = metaeval.report("score", "--task", "table", path, "--ratio", "rate=tp/fn")["tables"]["scores"]
    assert {row["system"]: row["rate"] for row in rows} == pytest.approx({"a": 2.5, "b": -1})


def test_a_column_of_a_measure_has_no_direction(metaeval: CommandLine, write: Write) -> None:
    call = ("score", "--task", "table", write("scores.csv", COUNTS.format(tp=3, words=5)), *SPAN)
    message = metaeval.refuses(*call, "--lower-is-better", "fp")
    assert "--lower-is-better fp, a column of measure 'span-f1', and no measure itself; expected a measure" in message
    assert "name the measure, --lower-is-better span-f1" in message
    metaeval.succeeds(*call, "-m", "fp", "-m", "span-f1", "--lower-is-better", "fp")


@pytest.mark.parametrize("command", ["similarity", "stability", "power", "compare", "plan", "summary"])
def test_every_analysis_of_a_table_takes_them(metaeval: CommandLine, write: Write, command: str) -> None:
    outcome = metaeval.succeeds(command, *RATIO, "-m", "wer", "-m", "edits", table(write), "-f", "json", "--seed", "3")
    assert '"wer"' in outcome.out


def test_a_missing_statistic_is_refused_where_other_items_are_kept(metaeval: CommandLine, write: Write) -> None:
    path = write("gap.csv", "system,item,edits,words\na,1,1,9\na,2,,9\na,3,0,9\nb,1,1,9\nb,2,2,9\nb,3,1,9\n")
    outcome = metaeval("score", *RATIO, path, "--on-missing", "pairwise")
    assert outcome.code == 2
    assert "missing cells in edits or words, of whose sums 'wer' is a function" in outcome.err
    dropped = metaeval.succeeds("score", *RATIO, path, "--on-missing", "drop", "-f", "csv")
    assert dropped.column("wer") == pytest.approx({"a": 1 / 18, "b": 2 / 18}, abs=1e-11)


def test_what_needs_sums_over_items_says_so(metaeval: CommandLine, write: Write) -> None:
    path = table(write)
    outcome = metaeval("power", *RATIO, "-m", "wer", "-m", "edits", "--test", "tukey", path)
    assert outcome.code == 2
    assert "--test tukey with wer; expected measures that are means over items" in outcome.err
    explained = metaeval.report("explain", "wer", "edits", *RATIO, path)
    assert "wer: no sum over items" in " ".join(explained["notes"])


def test_correlations_of_systems_are_of_the_sums_of_the_rated_items(metaeval: CommandLine, write: Write) -> None:
    path, rated = table(write), list(range(0, ITEMS, 2))
    people = np.random.default_rng(2).normal(size=(SYSTEMS, ITEMS))
    rows = [f"{'abcd'[s]},{i},{people[s, i]}" for s in range(SYSTEMS) for i in rated]
    human = write("human.csv", "system,item,value\n" + "\n".join(rows) + "\n")
    words = ("correlate", *RATIO, path, "--human", human, "--level", "system", "--coefficient", "pearson")
    correlations = metaeval.tables(*words, "--permutations", "99", "--resamples", "50")["correlations"]
    expected = np.corrcoef(-np.array(loop(rated)), people[:, rated].mean(axis=1))[0, 1]
    assert correlations[0]["value"] == pytest.approx(expected, abs=1e-9)


def test_a_baseline_keeps_the_statistics(metaeval: CommandLine, write: Write, tmp_path: Path) -> None:
    def experiment(name: str, worse: int) -> str:
        path = table(write, f"{name}.csv", worse)
        return write(f"{name}.yaml", experiment_of(path))

    baseline = str(tmp_path / "baseline.json")
    metaeval.succeeds("check", experiment("before", 0), "--save-baseline", baseline)
    same = metaeval.tables("check", experiment("same", 0), "--baseline", baseline)
    assert [row["difference"] for row in same["baseline"]] == [0.0] * SYSTEMS
    outcome = metaeval("check", experiment("after", 3), "--baseline", baseline, "-f", "json")
    assert outcome.code == 1
    worst: dict[str, Any] = json.loads(outcome.out)["tables"]["baseline"][0]
    assert (worst["system"], worst["measure"], worst["verdict"]) == ("a", "wer", "failed")


# Corpus BLEU and chrF


def translations() -> tuple[dict[str, list[str]], list[list[str]]]:
    """Made sentences, one or two references of each, and systems that change, drop and repeat words."""
    draws = random.Random(11)
    words = [
        *("the", "a", "cat", "dog", "river", "house", "of", "in", "on", "sat", "ran", "was"),
        *("seen", "by", "old", "young", "tree", ",", ".", "and", "then", "she", "he", "it"),
    ]
    references = [
        [" ".join(draws.choices(words, k=draws.randint(4, 25))) for _ in range(draws.choice((1, 2)))] for _ in range(80)
    ]

    def changed(text: str, share: float) -> str:
        return " ".join(draws.choice(words) if draws.random() < share else word for word in text.split())

    systems = {f"system{level}": [changed(group[-1], level / 10) for group in references] for level in (1, 3, 4)}
    systems["system1"][5] = ""
    return systems, references


def streams(references: list[list[str]], items: list[int]) -> list[list[Any]]:
    return [[of[index] if index < len(of) else None for of in (references[i] for i in items)] for index in range(2)]


def samples() -> ItemSamples:
    api.load_plugin(SACREBLEU)
    systems, references = translations()
    runs = api.from_texts(systems, references=references)
    config = runs.config.overlaid(measures=("corpus-bleu", "corpus-chrf", "rouge-l"))
    return ItemSamples(read_study(config).need(ITEM_SCORES, "a test"))


def test_corpus_bleu_and_chrf_are_those_of_sacrebleu_also_of_samples() -> None:
    systems, references = translations()
    item_samples = samples()
    draws = np.random.default_rng(4).integers(0, 2, size=(5, 80))
    draws[0] = 1
    values = item_samples.score_samples(draws).values
    np.testing.assert_array_equal(values[0, :2], item_samples.scores.mean().values[:2])
    for times, scores in zip(draws, values, strict=True):
        items = np.flatnonzero(times).tolist()
        oracles: tuple[Any, ...] = (BLEU(), CHRF())
        for index, oracle in enumerate(oracles):
            expected = [
                oracle.corpus_score([texts[i] for i in items], streams(references, items)).score
                for texts in systems.values()
            ]
            np.testing.assert_allclose(scores[index], expected, rtol=0, atol=1e-9)
