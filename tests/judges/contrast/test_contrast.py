"""`contrast`: equality with plain counts, what is known to be seen, accepted files, and errors."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals, sentences
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest

import metaeval as api
from metaeval.judges.contrast import study as contrast_study
from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.stats.intervals import ShareInterval, share_interval

SAMPLE = str(Path(__file__).resolve().parents[3] / "sample_data/contrast/texts.csv")
SCORES = "item,phenomenon,severity,m-good,m-bad,err-good,err-bad\n"


def of(result: dict[str, Any], table: str = "contrast") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = result["tables"][table]
    return rows


def accuracies(result: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {(row["measure"], row["phenomenon"]): row["accuracy"] for row in of(result)}


def scored(rows: int, seed: int) -> Iterator[tuple[str, str, str, str, str, str, str]]:
    random = np.random.default_rng(seed)
    for _ in range(rows):
        item, severity = str(random.integers(9)), str(random.integers(1, 4))
        scores = random.integers(0, 4, 4).astype(str)
        yield item, random.choice(["order", "number"]), severity, *scores


# Numbers


@pytest.mark.parametrize("seed", [1, 2])
def test_shares_are_those_of_a_plain_count(metaeval: CommandLine, write: Write, seed: int) -> None:
    rows = list(scored(60, seed))
    path = write("c.csv", SCORES + "".join(",".join(row) + "\n" for row in rows))
    result = metaeval.report("contrast", path, "--lower-is-better", "err")
    for cell in of(result):
        column, sign = (3, 1) if cell["measure"] == "m" else (5, -1)
        pairs = [(sign * int(row[column]), sign * int(row[column + 1])) for row in rows if row[1] == cell["phenomenon"]]
        better, ties = sum(good > bad for good, bad in pairs), sum(good == bad for good, bad in pairs)
        assert cell["pairs"] == len(pairs)
        assert cell["accuracy"] == pytest.approx(better / len(pairs))
        assert cell["ties"] == pytest.approx(ties / len(pairs))
        assert cell["tau"] == pytest.approx((better - (len(pairs) - better)) / len(pairs))
        assert cell["low"] <= cell["accuracy"] <= cell["high"]
        assert (cell["p"] <= 0.05) == (not cell["low"] <= 0.5 <= cell["high"])
    for cell in of(result, "contrast_severity"):
        column, sign = (3, 1) if cell["measure"] == "m" else (5, -1)
        losses = [(int(row[2]), sign * (int(row[column]) - int(row[column + 1]))) for row in rows]
        wins = [(one > other) + (one == other) / 2 for mild, other in losses for severe, one in losses if severe > mild]
        assert cell["pairs"] == len(wins)
        assert cell["ordered"] == pytest.approx(sum(wins) / len(wins))


def test_rouge_sees_and_misses_what_is_known(metaeval: CommandLine) -> None:
    measures = ("rouge-n:n=1,stat=recall", "rouge-n:n=1,stat=f", "rouge-n:n=2,stat=f", "rouge-l:stat=recall")
    options = [word for name in measures for word in ("-m", name)]
    result = metaeval.report("contrast", SAMPLE, *options)
    shares = accuracies(result)
    for name in measures:
        assert shares[name, "number"] == shares[name, "untranslated copy"] == 1
        assert shares[name, "negation"] == 0, "the bad one has more words of the reference"
        assert shares[name, "word order"] == (0 if name.startswith("rouge-n:n=1") else 1)
        assert shares[name, "repetition"] == ("recall" not in name), "recall does not count words too many"
    ties = {(row["measure"], row["phenomenon"]): row["ties"] for row in of(result)}
    assert ties["rouge-n:n=1,stat=f", "word order"] == 1, "the words are the same"
    assert ties["rouge-n:n=1,stat=f", "negation"] == 0
    findings = sentences(result)
    assert findings[0] == (
        "Every measure inverts negation (the bad output wins 100% of pairs); "
        "rouge-n:n=1,stat=recall and rouge-n:n=1,stat=f are blind to word order "
        "(ties in 100% of pairs), rouge-n:n=1,stat=recall and rouge-l:stat=recall are blind to "
        "repetition, too"
    )
    assert "Every measure sees number and untranslated copy (accuracy 1.00, adjusted p ≤ 0.05)" in findings
    (alone,) = (text for text in sentences(metaeval.report("contrast", SAMPLE, *options[:2])) if " sees " in text)
    assert alone == f"{measures[0]} sees number and untranslated copy (accuracy 1.00, adjusted p ≤ 0.05)"


def test_a_label_is_judged_within_the_data_set_of_all_pairs() -> None:
    gold, good, bad = ["no", "yes", "may", "no"], ["no", "yes", "may", "may"], ["may", "no", "no", "yes"]
    names = {"no": 0, "may": 1, "yes": 2}
    result = api.contrast(
        {"phenomenon": list("abca"), "gold": gold, "good": good, "bad": bad},
        ["mae:average=micro", "accuracy"],
        labels="no<may<yes",
    )
    assert accuracies(result.to_dict())["accuracy", "a"] == 0.5, "two wrong labels tie"

    def error(predicted: list[str]) -> int:
        return sum(abs(names[one] - names[other]) for one, other in zip(gold, predicted, strict=True))

    for index, name in enumerate("abca"):
        with_bad = [bad[index] if row == index else label for row, label in enumerate(good)]
        assert error(with_bad) > error(good)
        assert accuracies(result.to_dict())["mae:average=micro", name] == 1


def test_pairs_with_an_undefined_score_are_left_out_and_counted() -> None:
    result = api.contrast(
        {"phenomenon": ["a", "a"], "gold": ["x", "x"], "good": ["x", "x"], "bad": ["y", "y"]},
        ["kappa:weights=none", "accuracy"],
        labels="x<y",
    ).to_dict()
    kappa, accuracy = of(result)
    assert (kappa["pairs"], kappa["undefined"], kappa["accuracy"]) == (0, 2, None)
    assert (accuracy["pairs"], accuracy["accuracy"]) == (2, 1)
    assert any("undefined" in note for note in result["notes"])


# Files


TEXTS = {"eng_sent": "a big cat", "mt_sent": "a big cat", "pert_sent": "a cat"}
DEMETR = {"id": 1, **TEXTS, "pert_name": "p", "lang_tag": "x", "pert_check": True, "severity": "minor"}


def test_the_objects_of_demetr_are_read(metaeval: CommandLine, write: Write) -> None:
    changes: Any = (
        {},
        {"pert_check": False},
        {"severity": "base", "pert_name": "q", "pert_sent": "a big cat"},
        {"id": 2},
    )
    objects = [{**DEMETR, **change} for change in changes]
    result = metaeval.report("contrast", write("d.json", json.dumps(objects)), "-m", "rouge-l")
    assert {(row["phenomenon"], row["accuracy"], row["pairs"]) for row in of(result)} == {("p", 1.0, 2), ("q", 0.0, 1)}
    assert "read as: good mt_sent, bad pert_sent, phenomenon pert_name; not read: lang_tag" in result["notes"]
    assert "1 pair left out, whose text could not be changed ('pert_check' is false)" in result["notes"]
    assert "1 pair whose bad output is the reference, which is no error (q)" in result["notes"]
    assert result["signature"].endswith("severities:minor")


def test_the_scores_of_rewardbench_are_read_from_columns(metaeval: CommandLine, write: Write) -> None:
    scores = {"scores_chosen": [0.5, 0.1, [2]], "scores_rejected": [0.1, 0.5, 1]}
    texts = {"text_chosen": ["a", "b", "c"], "text_rejected": [["d"], ["e", "f"], "g"]}
    columns = {"id": [1, 2, 3], "subset": ["x", "x", "y"], **scores, **texts, "model": "m"}
    result = metaeval.report("contrast", write("r.json", json.dumps(columns, indent=4)))
    assert accuracies(result) == {("scores", "x"): 0.5, ("scores", "y"): 1.0}


def test_the_columns_of_aces_are_read(metaeval: CommandLine, write: Write) -> None:
    write(
        "aces.tsv",
        "source\tgood-translation\tincorrect-translation\treference\tphenomena\tBLEU-good\tBLEU-bad\n"
        "x\tit sat down\tit ran\tit sat\taddition\t20\t30\n",
    )
    result = metaeval.report("contrast", "aces.tsv")
    shares = accuracies(result)
    assert shares["BLEU", "addition"] == 0
    assert shares["rouge-l", "addition"] == 1, "texts beside scores are scored by the preset of texts"
    only = metaeval.report("contrast", "aces.tsv", "-m", "BLEU")
    assert set(accuracies(only)) == {("BLEU", "addition")}


def test_several_files_are_one_set_and_clusters_are_named(metaeval: CommandLine, write: Write) -> None:
    write("a.csv", "item,phenomenon,doc,m-good,m-bad\n1,a,x,1,0\n2,a,x,1,0\n")
    write("b.csv", "item,phenomenon,doc,m-good,m-bad\n3,a,y,1,0\n3,b,y,1,0\n")
    whole = metaeval.report("contrast", "a.csv", "b.csv")
    assert [row["pairs"] for row in of(whole)] == [3, 1]
    clustered = metaeval.report("contrast", "a.csv", "b.csv", "--cluster", "doc")
    assert of(clustered)[0]["low"] < of(whole)[0]["low"], "two clusters say less than three items"
    assert "clusters:doc" in clustered["signature"]


def test_severities_are_numbers_or_in_a_declared_order(metaeval: CommandLine, write: Write) -> None:
    rows = [("mild", 3, 2), ("fatal", 3, 0), ("mild", 2, 1), ("", 0, 9), ("fatal", 3, 1)]
    text = "".join(f"{n},a,{s},{good},{bad}\n" for n, (s, good, bad) in enumerate(rows))
    write("words.csv", "item,phenomenon,severity,m-good,m-bad\n" + text)
    write("numbers.csv", Path("words.csv").read_text().replace("mild", "2").replace("fatal", "10"))
    message = metaeval.refuses("contrast", "words.csv")
    assert "words.csv:2: severity 'mild'; expected one of neutral, minor" in message
    assert "with < between them, in --severities: fatal, mild." in message
    notes = metaeval.report("contrast", "numbers.csv")["notes"]
    assert "1 pair without a severity, left out of the tables of severities" in notes
    for options in (("words.csv", "--severities", "mild<fatal"), ("numbers.csv",)):
        (row,) = of(metaeval.report("contrast", *options), "contrast_severity")
        assert (row["ordered"], row["pairs"]) == (1, 4)


@pytest.mark.parametrize("declared", ["", "minor<major"])
def test_no_advice_on_severities_is_an_order_in_which_a_result_would_be_reversed(
    metaeval: CommandLine, write: Write, declared: str
) -> None:
    severities = ("critical", "base", "minor", "major")
    path = write("c.csv", SCORES + "".join(f"{name},a,{name},1,0,1,0\n" for name in severities))
    options = ["--severities", declared] if declared else []
    message = metaeval.refuses("contrast", path, *options)
    partial_order, unknown = ("minor<major", "base, critical") if declared else ("minor<major<critical", "base")
    assert f"insert {unknown} into --severities '{partial_order}'" in message
    advice = re.findall(r"--severities '(.*?)'", message)
    assert advice
    assert all("base" in metaeval.refuses("contrast", path, "--severities", order) for order in advice)


def test_the_severities_of_mqm_are_known_in_any_case(metaeval: CommandLine, write: Write) -> None:
    rows = [("Minor", 1), ("Major", 2), ("critical", 3), ("minor", 1)]
    text = "".join(f"{item},a,{name},9,{9 - loss},1,1\n" for item, (name, loss) in enumerate(rows))
    report = metaeval.report("contrast", write("c.csv", SCORES + text))
    assert report["signature"].endswith("severities:minor<major<critical")
    assert [row["ordered"] for row in of(report, "contrast_severity")] == [1, 0.5]


# Verdicts


def pairs_of(outcomes: Mapping[str, Mapping[str, str]]) -> str:
    """Pairs in which measures prefer the good output (+) or the bad one (-), or tie (=), by phenomenon and measure."""
    measures = list(next(iter(outcomes.values())))
    lines = ["item,phenomenon," + ",".join(f"{name}-good,{name}-bad" for name in measures)]
    for phenomenon, by_measure in outcomes.items():
        for item, signs in enumerate(zip(*by_measure.values(), strict=True)):
            scores = ",".join({"+": "2,1", "-": "1,2", "=": "1,1"}[sign] for sign in signs)
            lines.append(f"{phenomenon}{item},{phenomenon},{scores}")
    return "\n".join(lines) + "\n"


KINDS = {
    "sees": "+" * 40,
    "weak": "+" * 28 + "-" * 12,
    "unclear": "+-" * 20,
    "blind": "=" * 40,
    "inverts": "-" * 40,
}


def test_a_measure_that_prefers_the_bad_output_inverts_and_one_that_ties_is_blind(
    metaeval: CommandLine, write: Write
) -> None:
    path = write("c.csv", pairs_of({name: {"m": signs} for name, signs in KINDS.items()}))
    result = metaeval.report("contrast", path)
    assert {row["phenomenon"]: row["verdict"] for row in of(result)} == {name: name for name in KINDS}
    assert sentences(result) == [
        ("m inverts inverts (the bad output wins 100% of pairs); m is blind to blind (ties in 100% of pairs)"),
        "m sees sees (accuracy 1.00, adjusted p ≤ 0.05); m sees weak only weakly (accuracy 0.70)",
    ]
    (counts,) = of(result, "contrast_verdicts")
    assert [counts[name] for name in KINDS] == [1, 1, 1, 1, 1]
    (row,) = (row for row in of(metaeval.report("contrast", path, "--margin", "0.7")) if row["phenomenon"] == "weak")
    assert row["verdict"] == "sees"


@given(st.integers(0, 25), st.integers(0, 25), st.integers(0, 25))
def test_a_verdict_is_what_exact_binomial_tests_say(better: int, worse: int, ties: int) -> None:
    pairs = better + worse + ties
    assume(pairs > 1)
    sides = {"m-good": [2] * better + [1] * (worse + ties), "m-bad": [1] * better + [2] * worse + [1] * ties}
    result = api.contrast({"phenomenon": ["a"] * pairs, **sides})
    (row,) = of(result.to_dict())
    assert row["p"] == pytest.approx(float(binomtest(better, pairs).pvalue))
    if better + worse > 1:
        assert row["p_without_ties"] == pytest.approx(float(binomtest(better, better + worse).pvalue))
    expected = "unclear"
    if row["p"] <= 0.05:
        inverts = better + worse > 1 and row["p_without_ties"] <= 0.05 and worse > better
        above = "sees" if better >= 0.75 * pairs else "weak"
        expected = above if better > pairs / 2 else "inverts" if inverts else "blind"
    assert row["verdict"] == expected
    assert not (row["verdict"] == "blind" and not ties)


def test_the_direction_is_doubted_of_a_measure_that_inverts_and_sees_nothing(
    metaeval: CommandLine, write: Write
) -> None:
    path = write("c.csv", pairs_of({name: {"ter": "-" * 40, "m": signs} for name, signs in KINDS.items()}))

    def sentence(*options: str) -> str:
        return sentences(metaeval.report("contrast", path, *options))[0]

    doubt = "if a lower ter is better, declare it with --lower-is-better"
    assert doubt in sentence("-m", "ter")
    assert "declare" not in sentence("-m", "m"), "it sees something"
    assert "declare" not in sentence("-m", "ter", "--lower-is-better", "ter")


def test_measures_and_systems_are_chosen_by_patterns(metaeval: CommandLine, write: Write) -> None:
    header = "item,system,lang,phenomenon,bleu-1-good,bleu-1-bad,bleu-4-good,bleu-4-bad,chrf-good,chrf-bad\n"
    rows = [
        (item, system, lang, *(2, 1 + (lang == "de")), *(2, 1), *(2, 1 + (system == "B")))
        for item, system, lang in product(range(9), "AB", ("de", "fr"))
    ]
    text = "".join(f"{item},{system},{lang},x,{','.join(map(str, scores))}\n" for item, system, lang, *scores in rows)
    path = write("c.csv", header + text)

    def shares(*options: str) -> dict[tuple[str, str], float]:
        return accuracies(metaeval.report("contrast", path, *options))

    assert shares("-m", "bleu*") == {("bleu-1", "x"): 0.5, ("bleu-4", "x"): 1}
    assert shares("-m", "bleu-4", "-m", "*") == shares("-m", "bleu-4", "-m", "bleu-1", "-m", "chrf")
    assert shares("--exclude-measure", "bleu*") == shares("-m", "chrf") == {("chrf", "x"): 0.5}
    assert shares("-m", "chrf", "--exclude-system", "B") == {("chrf", "x"): 1}
    metaeval.refuses_with(
        ("--exclude-measure 'ter'; expected one of bleu-1",), "contrast", path, "--exclude-measure", "ter"
    )
    metaeval.refuses_with(("no measure is left",), "contrast", path, "--exclude-measure", "*")
    metaeval.refuses_with(("--exclude-system 'C'; expected one of A, B",), "contrast", path, "--exclude-system", "C")
    texts = metaeval.report("contrast", SAMPLE, "--exclude-measure", "rouge-n*")
    assert {name for name, _ in accuracies(texts)} == {"rouge-l", "rouge-su:skip=4"}


def test_identical_outputs_are_noted() -> None:
    result = api.contrast({"phenomenon": ["a"], "reference": ["it sat"], "good": ["it"], "bad": ["it"]}, "rouge-l")
    assert any("1 pair with the same output" in note for note in result.to_dict()["notes"])


@refusals("""
none.csv => no such file
broken.csv => 4 problems | broken.csv:3: no phenomenon | broken.csv:3: value 'x' in column 'm-bad'; expected a finite
    | broken.csv:4: no item | broken.csv:4: no value in column 'm-good'
half.csv => half.csv:1: header 'phenomenon,m-good'; expected a column 'm-bad'
nothing.csv => nothing.csv:1: header 'item,phenomenon,good,bad'; expected a column 'reference' | NAME-good and NAME-bad
one.csv => one.csv:1: header 'item,phenomenon,good,gold'; expected a column 'bad' | good, bad and reference or gold
scores.csv -m cross-entropy:epsilon=0 => no columns 'cross-entropy:epsilon=0-good'
unnamed.csv => unnamed.csv:1: header 'item,good,bad' | a column 'phenomenon'
labels.csv => labels.csv:1: labels without classes; expected --labels | disagree<discuss<agree
labels.csv --labels x<z => labels.csv:2: value 'y' in column 'bad'; expected one of x, z
labels.csv --labels x<y -m rouge-l => measure 'rouge-l', which reads texts
scores.csv -m bleu => scores.csv:1: no columns 'bleu-good' and 'bleu-bad' of --measure bleu; expected one of m
    | add these columns
scores.csv --cluster doc => scores.csv:1: header | a column 'doc' | --cluster
scores.csv --lower-is-better n => scores.csv:1: no columns 'n-good' and 'n-bad' of --lower-is-better n | one of m
    | correct --lower-is-better
scores.csv other.csv => other.csv | the same columns in all files
reserved.csv => phenomenon 'measure'
empty.csv => empty.csv:2: no reference
""")
def test_errors(metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]) -> None:
    write("broken.csv", "item,phenomenon,m-good,m-bad\n1,a,.5,.4\n2,,.5,x\n,a,,.4\n")
    write("half.csv", "phenomenon,m-good\na,1\n")
    write("nothing.csv", "item,phenomenon,good,bad\n1,a,x,y\n")
    write("one.csv", "item,phenomenon,good,gold\n1,a,x,x\n")
    write("unnamed.csv", "item,good,bad\n1,x,y\n")
    write("labels.csv", "item,phenomenon,gold,good,bad\n1,a,x,x,y\n")
    write("scores.csv", "item,phenomenon,m-good,m-bad\n1,a,1,0\n")
    write("other.csv", "item,phenomenon,n-good,n-bad\n1,a,1,0\n")
    write("reserved.csv", "phenomenon,m-good,m-bad\nmeasure,1,0\n")
    write("empty.csv", "phenomenon,reference,good,bad\na,,x,y\n")
    metaeval.refuses_with(parts, "contrast", *words)


def test_without_a_phenomenon_that_all_see_who_sees_most_is_named_or_that_none_does(
    metaeval: CommandLine, write: Write
) -> None:
    def claims(items: int) -> list[str]:
        text = ""
        for phenomenon, number in product("ab", range(items)):
            odd, good = number % 2, 1 if phenomenon == "a" else number % 2
            text += f"{phenomenon}{number},{phenomenon},{good},{1 - good},{odd},{1 - odd}\n"
        path = write("c.csv", "item,phenomenon,m-good,m-bad,n-good,n-bad\n" + text)
        return sentences(metaeval.report("contrast", path))

    assert claims(20) == ["m sees the most phenomena (1 of 2, adjusted p ≤ 0.05)"]
    none = "No measure significantly sees or inverts a phenomenon (adjusted p > 0.05)"
    assert claims(3) == [f"{none}; a and b have few pairs"]


@pytest.mark.parametrize("scale", [1, 1e-9, 1e6])
def test_equal_losses_tie_whatever_the_rounding_errors_of_the_scores(
    metaeval: CommandLine, write: Write, scale: float
) -> None:
    assert 0.8 - 0.7 > 0.3 - 0.2
    sides = {"1": (0.8, 0.7), "2": (0.3, 0.2), "3": (0.9, 0.8)}
    text = "".join(
        f"{item},a,{severity},{good * scale!r},{bad * scale!r},{-good * scale!r},{-bad * scale!r}\n"
        for severity, (good, bad) in sides.items()
        for item in range(12)
    )
    report = metaeval.report("contrast", write("c.csv", SCORES + text), "--lower-is-better", "err")
    assert [row["ordered"] for row in of(report, "contrast_severity")] == [0.5, 0.5]
    assert len({row["loss"] for row in of(report, "contrast_losses")}) == 1
    assert sentences(report)[-1] == "No measure loses significantly more score for more severe errors"


@pytest.mark.parametrize(
    ("losses", "trend"),
    [
        ([[0.1] * 9 + [0.3], [0.12] * 10, [0.9] * 10], "more under m (in 97% of pairs, though not from each severity"),
        ([[3] * 15, [2] * 15, [1] * 15], "less under m (in 0% of pairs)"),
    ],
)
def test_equal_mean_losses_do_not_rise_and_losses_that_fall_are_said_to(
    metaeval: CommandLine, write: Write, losses: list[list[float]], trend: str
) -> None:
    text = "".join(
        f"{severity}.{item},a,{severity},1,{1 - loss!r},1,1\n"
        for severity, severity_losses in enumerate(losses)
        for item, loss in enumerate(severity_losses)
    )
    report = metaeval.report("contrast", write("c.csv", SCORES + text))
    means = [row["loss"] for row in of(report, "contrast_losses") if row["measure"] == "m"]
    assert means == pytest.approx([np.mean(severity_losses) for severity_losses in losses])
    assert f"More severe errors cost significantly {trend}" in sentences(report)[-1]


def test_contrasts_that_would_take_minutes_are_refused(metaeval: CommandLine, write: Write) -> None:
    labels = ",".join(f"c{code}" for code in range(700))
    rows = [f"a,c{pair % 700},c{pair % 700},c{(pair // 700 * 7 + pair + 1) % 700}\n" for pair in range(60_000)]
    path = write("labels.csv", "phenomenon,gold,good,bad\n" + "".join(dict.fromkeys(rows)))
    error = metaeval.refuses("contrast", path, "--labels", labels, "-m", "accuracy", "-m", "mcc")
    assert "different pairs of 700 classes, scored by 2 measures: about" in error
    numbers = [f"a,{row}.5,{row % 3},{row % 2}\n" for row in range(1001)]
    path = write("scores.csv", "phenomenon,severity,m-good,m-bad\n" + "".join(numbers))
    assert "1,001 different severities; expected at most 1,000" in metaeval.refuses("contrast", path)


def test_blocks_of_pairs_of_labels_have_the_scores_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    scale, measures = ClassScale.parse("a<b<c"), [measure(name) for name in ("accuracy", "cem-ord")]
    labels = np.random.default_rng(1).integers(3, size=(3, 40))
    whole = contrast_study.score_labels(measures, scale, labels)
    monkeypatch.setattr(contrast_study, "_CELLS_AT_ONCE", 20)
    np.testing.assert_array_equal(contrast_study.score_labels(measures, scale, labels), whole)


def test_phenomena_are_counted_together_and_each_is_as_if_it_were_alone(
    metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, calls = np.random.default_rng(3), []

    def noted(*counts: Any) -> ShareInterval:
        calls.append(counts)
        return share_interval(*counts)

    monkeypatch.setattr("metaeval.judges.contrast.compute.share_interval", noted)
    header, rows = "item,phenomenon,m-good,m-bad\n", []
    for number in range(300):
        for item, good, bad in random.integers(0, [[20, 3, 3]] * random.integers(2, 40)).tolist():
            rows.append(f"{item},p{number},{good},{bad}\n")
    result = of(metaeval.report("contrast", write("many.csv", header + "".join(rows))))
    assert len(calls) <= 12
    for number in (0, 7, 150, 299):
        alone = write("one.csv", header + "".join(row for row in rows if f",p{number}," in row))
        (expected,) = of(metaeval.report("contrast", alone))
        for name in ("accuracy", "low", "high", "p", "ties", "pairs"):
            assert result[number][name] == pytest.approx(expected[name]), name
