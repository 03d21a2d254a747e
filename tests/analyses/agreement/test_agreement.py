"""`agreement`: results for annotators and judges, accepted files, and errors."""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from command_line import CommandLine, Write, sentences
from numpy.typing import NDArray
from two_annotators import cohen_kappa, correlation

from metaeval.stats.agreement import fleiss_kappa, krippendorff_alpha
from metaeval.stats.correlation import kendall_w
from metaeval.stats.judges import alternative_annotator_test

Numbers = NDArray[np.float64]
PEOPLE = ("ann", "bob", "cy")


def statistics(report: dict[str, Any], column: str = "value") -> dict[str, float]:
    return {row["statistic"]: row[column] for row in report["tables"]["agreement"]}


def made_up(annotators: int = 3, units: int = 60, *, missing: float = 0.1) -> Numbers:
    random = np.random.default_rng(annotators * units)
    truth = random.integers(1, 6, size=units)
    noisy = np.clip(truth + random.integers(-1, 2, size=(annotators, units)), 1, 5).astype(np.float64)
    return np.where(random.random(noisy.shape) < missing, np.nan, noisy)


def cell(value: float) -> str:
    return "" if np.isnan(value) else f"{value:g}"


def wide(ratings: Numbers, names: Sequence[str] = PEOPLE) -> str:
    rows = (f"i{number}," + ",".join(map(cell, unit)) for number, unit in enumerate(ratings.T))
    return f"item,{','.join(names)}\n" + "\n".join(rows) + "\n"


def tidy(ratings: Numbers, names: Sequence[str] = PEOPLE, header: str = "annotator,item,label") -> str:
    rows = (
        f"{name},i{unit},{rating:g}\n"
        for name, row in zip(names, ratings, strict=True)
        for unit, rating in enumerate(row)
        if not np.isnan(rating)
    )
    return f"{header}\n" + "".join(rows)


def label_table(ratings: Numbers) -> str:
    return "id,label\n" + "".join(
        f"i{unit},{rating:g}\n" for unit, rating in enumerate(ratings) if not np.isnan(rating)
    )


def assert_same_intervals(one: dict[str, Any], other: dict[str, Any]) -> None:
    for end in ("low", "high"):
        for name in ("fleiss", "cohen:weights=none", "mean pearson", "ceiling pearson"):
            assert statistics(one, end)[name] == pytest.approx(statistics(other, end)[name], abs=1e-9)


# Tables and numbers


def test_the_numbers_are_those_of_the_coefficients(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up(missing=0.2)
    report = metaeval.report("agreement", write("r.csv", wide(ratings)), "--level", "ordinal", "--level", "ratio")
    values = statistics(report)
    pairs = [ratings[[one, other]] for one, other in ((0, 1), (0, 2), (1, 2))]
    expected = {
        "alpha:level=ordinal": krippendorff_alpha(ratings, level="ordinal"),
        "alpha:level=ratio": krippendorff_alpha(ratings, level="ratio"),
        "fleiss": fleiss_kappa(ratings),
        "cohen:weights=linear": np.mean([cohen_kappa(pair, weights="linear") for pair in pairs]),
        "kendall-w": kendall_w(ratings).w,
        "kendall-w uncorrected": kendall_w(ratings).uncorrected,
        "mean spearman": np.mean([correlation(pair, coefficient="spearman") for pair in pairs]),
        "mean kendall-b": np.mean([correlation(pair, coefficient="kendall-b") for pair in pairs]),
    }
    for name, value in expected.items():
        assert values[name] == pytest.approx(float(value), abs=1e-12), name
    raters = (~np.isnan(ratings)).sum(axis=0)
    units = statistics(report, "units")
    assert (units["fleiss"], units["kendall-w"]) == ((raters >= 2).sum(), (raters == 3).sum())
    rated, alone = (raters > 0).sum(), (raters == 1).sum()
    partial = rated - (raters == 3).sum()
    assert f"{alone} of {rated} units excluded: only one annotator rated them" in report["notes"]
    assert f"kendall-w excludes {partial} of {rated} units: not all 3 annotators rated them" in report["notes"]
    others = np.array(
        [np.mean(unit[~np.isnan(unit)]) if not np.isnan(unit).all() else np.nan for unit in ratings[1:].T]
    )
    row = report["tables"]["leave_one_out"][0]
    with_others = correlation(np.stack([ratings[0], others]), coefficient="pearson")
    assert row["pearson"] == pytest.approx(float(with_others), abs=1e-12)
    assert row["ratings"] == (~np.isnan(ratings[0])).sum()
    ceiling = np.mean([row["spearman"] for row in report["tables"]["leave_one_out"]])
    assert values["ceiling spearman"] == pytest.approx(ceiling, abs=1e-12)


def test_intervals_hold_the_value_and_p_is_of_permutations(metaeval: CommandLine, write: Write) -> None:
    report = metaeval.report("agreement", write("r.csv", wide(made_up(missing=0))))
    for row in report["tables"]["agreement"]:
        is_w = row["statistic"].startswith("kendall-w")
        assert row["p"] == (pytest.approx(1 / 1001) if is_w else None)
        assert row["low"] < row["value"] < row["high"] <= 1
    assert "intervals are Wilson's, with a jackknife over the 60 items and Student's t" in report["notes"]
    assert not any("intervals may be too narrow" in note for note in report["notes"])


def test_all_cells_of_an_item_are_drawn_together(metaeval: CommandLine, write: Write) -> None:
    # One system repeated three times: more cells, but the same items and the same uncertainty.
    ratings = made_up(missing=0.1, units=40)
    lines = wide(ratings).splitlines()
    cells = [f"{system},{line}\n" for system in "abc" for line in lines[1:]]
    many = metaeval.report("agreement", write("many.csv", f"system,{lines[0]}\n" + "".join(cells)))
    once = metaeval.report("agreement", write("once.csv", wide(ratings)))
    assert_same_intervals(many, once)
    compared, number = ((~np.isnan(ratings)).sum(axis=0) >= 2).sum(), 3 * (~np.isnan(ratings)).sum()
    assert f"intervals are Wilson's, with a jackknife over the {compared} items and Student's t" in many["notes"]
    shown = metaeval.succeeds("agreement", "many.csv").out
    assert f"\nAgreement of 3 annotators on {number} ratings of 120 cells (3 systems × 40 items)\n" in shown


# Forms of files


def test_every_form_says_the_same(metaeval: CommandLine, write: Write) -> None:
    # The first rated everything, so that the items come in one order everywhere.
    ratings = made_up()
    ratings[0] = np.nan_to_num(ratings[0], nan=3)
    write("wide.csv", wide(ratings))
    write("tidy.csv", tidy(ratings))
    write("measure.csv", tidy(ratings, header="measure,id,value"))
    write("rater.tsv", tidy(ratings, header="rater,item,score").replace(",", "\t"))
    write("own.csv", tidy(ratings, header="who,what,stars"))
    write(
        "lines.jsonl",
        "".join(
            json.dumps({"annotator": name, "item": f"i{unit}", "label": None if np.isnan(rating) else rating}) + "\n"
            for name, row in zip(PEOPLE, ratings, strict=True)
            for unit, rating in enumerate(row)
        ),
    )
    for name, row in zip(PEOPLE, ratings, strict=True):
        write(f"folder/{name}.csv", label_table(row))
    expected = metaeval.tables("agreement", "wide.csv")
    for path in ("tidy.csv", "measure.csv", "rater.tsv", "lines.jsonl", "folder"):
        assert metaeval.tables("agreement", path) == expected, path
    renamed = ("--judge-column", "who", "--id-column", "what", "--label-column", "stars")
    assert metaeval.tables("agreement", "own.csv", *renamed) == expected
    files = ("ann=folder/ann.csv", "bob=folder/bob.csv", "cy=folder/cy.csv")
    assert metaeval.tables("agreement", *files) == expected


def test_words_are_codes_of_the_declared_scale(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up()
    number = write("number.csv", tidy(ratings))
    words = dict(zip("12345", ("bad", "poor", "fair", "good", "best"), strict=True))
    text = "\n".join(line[:-1] + words.get(line[-1:], line[-1:]) for line in tidy(ratings).splitlines()) + "\n"
    path = write("words.csv", text)
    scale = ("--labels", "<".join(words.values()))
    levels = [word for level in ("nominal", "ordinal", "interval", "ratio") for word in ("--level", level)]
    report, expected = (metaeval.report("agreement", *call, *levels) for call in ((path, *scale), (number,)))
    assert report["tables"] == expected["tables"]
    assert "|scale:bad<poor<fair<good<best|" in report["signature"]
    apart = metaeval.report("agreement", path, *scale, "--class-values", "bad=0,poor=1,fair=2,good=3,best=9")
    assert statistics(apart)["alpha:level=ordinal"] == pytest.approx(statistics(expected)["alpha:level=ordinal"])
    assert statistics(apart)["mean pearson"] != pytest.approx(statistics(expected)["mean pearson"])
    numbers = metaeval.report("agreement", number, "--labels", "1<2<3<4<5", "--level", "ratio")
    assert statistics(numbers)["alpha:level=ratio"] == pytest.approx(statistics(expected)["alpha:level=ratio"])


def test_ordered_classes_that_are_numbers_have_positions_unless_values_are_declared(
    metaeval: CommandLine, write: Write
) -> None:
    path = write("r.csv", "item,a,b\n1,1,2\n2,2,2\n3,10,10\n4,2,1\n5,10,2\n")
    scale = ("--labels", "1<2<10")
    plain, equal, values = (
        metaeval.tables("agreement", path, *scale, *options)["agreement"]
        for options in ((), ("--class-values", "1=0,2=1,10=2"), ("--class-values", "1=1,2=2,10=10"))
    )
    assert plain == equal
    numbers = {row["statistic"]: row["value"] for row in plain}
    # Of scikit-learn and krippendorff, on 0, 1 and 2.
    expected = {"cohen:weights=linear": 0.2105, "cohen:weights=quadratic": 0.4, "alpha:level=interval": 0.4490}
    assert {name: numbers[name] for name in expected} == pytest.approx(expected, abs=5e-5)
    with_values = {row["statistic"]: row["value"] for row in values}
    assert with_values["cohen:weights=linear"] == pytest.approx(0.4792, abs=5e-5)


def test_labels_of_two_annotators_and_of_a_judge_are_counted_against_each_other(
    metaeval: CommandLine, write: Write
) -> None:
    two = write("two.csv", "item,a,b\n1,low,low\n2,high,high\n3,high,low\n4,high,\n5,low,low\n")
    judge = write("judge.csv", "item,label\n1,low\n2,low\n3,high\n4,high\n")
    scale = ("--labels", "low<high", "--class-values", "low=1,high=5")
    rows = metaeval.tables("agreement", two, *scale, "--judge", f"j={judge}")["agreement_confusions"]
    counts: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        counts.setdefault((row["annotator"], row["other"]), []).append(row["units"])
    assert [(row["label"], row["other_label"]) for row in rows[:4]] == [*product(("low", "high"), repeat=2)]
    assert counts == {("a", "b"): [2, 0, 1, 1], ("j", "a"): [1, 1, 0, 2], ("j", "b"): [1, 1, 1, 0]}
    three = write("three.csv", "item,a,b,c\n1,low,low,low\n2,high,high,low\n3,high,low,low\n")
    assert "agreement_confusions" not in metaeval.tables("agreement", three, *scale)


def test_names_without_order_have_no_correlations(metaeval: CommandLine, write: Write) -> None:
    path = write("r.csv", "item,a,b\n1,yes,yes\n2,no,no\n3,no,yes\n4,perhaps,perhaps\n")
    report = metaeval.report("agreement", path, "--labels", "yes,no,perhaps")
    assert list(report["tables"]) == ["agreement", "agreement_confusions"]
    assert list(statistics(report)) == ["alpha:level=nominal", "fleiss", "cohen:weights=none"]
    refused = metaeval.refuses("agreement", path, "--labels", "yes,no,perhaps", "--level", "ordinal")
    assert "declare the order, as in --labels 'low<mid<high'" in refused


def test_the_alpha_of_the_level_of_the_ratings_comes_first(metaeval: CommandLine, write: Write) -> None:
    path = write("r.csv", wide(made_up(missing=0)))
    for options, level in (
        ((), "interval"),
        (("--labels", "1<2<3<4<5"), "ordinal"),
        (("--labels", "1,2,3,4,5"), "nominal"),
        (("--level", "ratio", "--level", "ordinal"), "ratio"),
    ):
        report = metaeval.report("agreement", path, *options)
        assert next(iter(statistics(report))) == f"alpha:level={level}"
        value = report["tables"]["agreement"][0]["value"]
        sentence = f"The agreement of 3 annotators is alpha:level={level} {value:.2f} ("
        assert report["findings"][0]["sentence"].startswith(sentence)


def test_ratings_that_exist_are_counted(metaeval: CommandLine, write: Write) -> None:
    # Each system rated on items of its own, and an item that was never rated.
    rows = "s,1,1,2\ns,2,2,2\ns,3,3,4\nt,4,4,4\nt,5,5,\nt,6,,\n"
    report = metaeval.report("agreement", write("r.csv", f"system,item,a,b\n{rows}"))
    assert "|units:5|" in report["signature"]
    assert "1 of 5 units excluded: only one annotator rated them" in report["notes"]
    shown = metaeval.succeeds("agreement", "r.csv").out
    assert "\nAgreement of 2 annotators on 9 ratings of 5 cells (2 systems and 5 items)\n" in shown
    assert "perhaps too narrow with only 4 items)" in report["findings"][0]["sentence"]


@pytest.mark.parametrize("names", [[f"w{number}" for number in range(21)], [f"{n:036d}" for n in range(4)]])
def test_pairs_of_many_annotators_or_long_names_are_summarised(
    metaeval: CommandLine, write: Write, names: list[str]
) -> None:
    ratings = made_up(len(names), 30)
    ratings[0] = np.nan
    ratings[0, 0] = 3
    report = metaeval.report("agreement", write("r.csv", wide(ratings, names)))
    assert list(report["tables"]) == ["agreement", "agreement_pairs", "leave_one_out"]
    pairs = {
        f"{one}, {other}": float(correlation(ratings[[names.index(one), names.index(other)]], coefficient="pearson"))
        for index, one in enumerate(names)
        for other in names[index + 1 :]
    }
    correlations = {pair: r for pair, r in pairs.items() if not np.isnan(r)}
    lowest, highest = (end(correlations, key=lambda pair: correlations[pair]) for end in (min, max))
    row = report["tables"]["agreement_pairs"][0]
    assert row == {
        "correlation": "pearson",
        "pairs": len(correlations),
        "mean": pytest.approx(np.mean(list(correlations.values()))),
        "lowest": pytest.approx(correlations[lowest]),
        "lowest_pair": lowest,
        "highest": pytest.approx(correlations[highest]),
        "highest_pair": highest,
    }
    assert row["pairs"] < len(pairs)
    assert "leave_one_out" not in metaeval.succeeds("agreement", "r.csv").out.split("Not shown")[0]


# Judges


@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-1000])
def test_no_result_depends_on_the_unit(metaeval: CommandLine, write: Write, unit: float) -> None:
    ratings = made_up(4) / 8
    plain, huge = (
        "item,ann,bob,cy,llm\n" + "".join(f"i{row},{','.join(cells)}\n" for row, cells in enumerate(texts))
        for texts in (
            [["" if np.isnan(value) else repr(float(value * scale)) for value in column] for column in ratings.T]
            for scale in (1.0, unit)
        )
    )
    paths = write("plain.csv", plain), write("huge.csv", huge)
    first, second = (metaeval.tables("agreement", path, "--judge", "llm") for path in paths)
    # Huge numbers are whole, so that they have kappas as well.
    rows = {row["statistic"]: row for row in second["agreement"]}
    plain_rows = first.pop("agreement")
    assert plain_rows == [rows[row["statistic"]] for row in plain_rows]
    del second["agreement"], first["judge_disagreements"], second["judge_disagreements"]
    second.pop("judge_classes", None)
    rows = {row["statistic"]: row for row in second.pop("judge_statistics")}
    for row in first.pop("judge_statistics"):
        times = unit if row["statistic"] in ("shift", "lower limit", "upper limit") else 1
        assert rows[row["statistic"]] == row | {name: row[name] * times for name in ("value", "low", "high")}
    assert first.pop("judge_agreement")[0]["icc"] == second.pop("judge_agreement")[0]["icc"]
    assert second == first


def test_judges_are_files_or_annotators(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up(5, 90, missing=0)
    names = (*PEOPLE, "dee", "llm")
    path = write("r.csv", wide(ratings, names))
    random = np.random.default_rng(4).integers(1, 6, size=90).astype(np.float64)
    write("judges/noise.csv", label_table(random))
    write("judges/llm2.csv", label_table(ratings[4]))
    report = metaeval.report("agreement", path, "--judge", "llm", "--judge", "judges", "--epsilon", "0.1")
    rows = {row["judge"]: row for row in report["tables"]["judges"]}
    both: tuple[tuple[str, Literal["accuracy", "rmse"]], ...] = (("", "rmse"), ("other_", "accuracy"))
    for prefix, alignment in both:
        test = alternative_annotator_test([ratings[4], random], ratings[:4], alignment=alignment, epsilon=0.1)
        for name, index in (("llm", 0), ("llm2", 0), ("noise", 1)):
            assert rows[name][f"{prefix}winning_rate"] == test.winning_rate[index]
            assert rows[name][f"{prefix}passes"] is bool(test.passes[index])
            assert rows[name][f"{prefix}advantage"] == pytest.approx(test.advantage[index])
    for name in rows:
        assert (rows[name]["annotators"], rows[name]["units"], rows[name]["left_out"]) == (4, 90, 0)
    assert next(reversed(rows)) == "noise"
    assert "judges:3|epsilon:0.1|alignment:rmse" in report["signature"]
    assert any(
        "4 of 4 annotators tested on fewer than 100 units, where the test is liberal" in n for n in report["notes"]
    )
    assert [file["role"] for file in report["provenance"]["files"]] == ["ratings", "judge", "judge"]
    near = metaeval.report("agreement", path, "--judge", "judges/noise.csv", "--alignment", "accuracy")
    test = alternative_annotator_test([random], ratings, alignment="accuracy")
    assert near["tables"]["judges"][0]["advantage"] == pytest.approx(test.advantage[0])
    by_default = {("1<2<3<4<5",): "rmse", ("1,2,3,4,5",): "accuracy"}
    for labels, default_alignment in by_default.items():
        labelled = metaeval.report("agreement", path, "--judge", "llm", "--labels", *labels)
        assert f"alignment:{default_alignment}" in labelled["signature"]
        assert ("other_passes" in labelled["tables"]["judges"][0]) == (default_alignment == "rmse")
    rates = [rows["llm2"][f"{prefix}winning_rate"] for prefix in ("", "other_")]
    assert rates == [0.25, 0.5]
    assert sentences(report)[1:] == [
        "By rmse, llm, llm2 and noise fail the alternative annotator test (winning rate 0.00 to 0.25)",
        "By accuracy, llm and llm2 pass the alternative annotator test (winning rate 0.50), noise fails it (0.00)",
    ]


def test_annotators_with_few_units_are_left_out_and_counted(metaeval: CommandLine, write: Write) -> None:
    path = write("r.csv", wide(made_up(3, 29, missing=0)))
    report = metaeval.report("agreement", path, "--judge", "cy")
    undefined = {"winning_rate": None, "passes": None, "advantage": None}
    row = {"judge": "cy", **undefined, "annotators": 0, "units": 29, "left_out": 2}
    assert report["tables"]["judges"] == [row | {f"other_{name}": None for name in undefined}]
    assert any("fewer than 30 units" in note and "cy cannot be tested" in note for note in report["notes"])


def test_judges_are_tested_on_whole_clusters(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up(4, 60, missing=0)
    path = write("r.csv", wide(np.repeat(ratings, 3, axis=1), (*PEOPLE, "dee")))
    threads = "item,thread\n" + "".join(f"i{number},t{number // 3}\n" for number in range(180))
    report, without = (
        metaeval.report("agreement", path, "--judge", "dee", *options, "--methods")
        for options in (("--cluster", f"{write('threads.csv', threads)}:thread"), ())
    )
    (judge,), (alone,) = (result["tables"]["judges"] for result in (report, without))
    assert {name: judge[name] for name in ("advantage", "units", "left_out")} == {
        name: alone[name] for name in ("advantage", "units", "left_out")
    }
    assert (
        "judges are tested by 4,999 random signs of the sums over clusters of thread, instead of the t-test"
        in (report["notes"])
    )
    assert any("3 of 3 annotators tested on fewer than 100 clusters of thread" in note for note in report["notes"])
    assert "4,999 random signs of the sums over clusters of thread (seed 20201)" in " ".join(report["methods"])
    for text in (*without["notes"], *without["methods"]):
        assert "signs" not in text
    few = "item,thread\n" + "".join(f"i{number},t{number % 9}\n" for number in range(180))
    left_out = metaeval.report("agreement", path, "--judge", "dee", "--cluster", f"{write('few.csv', few)}:thread")
    assert left_out["tables"]["judges"][0]["left_out"] == 3
    assert any("fewer than 30 units or 10 clusters of thread that" in note for note in left_out["notes"])


# Findings and notes


def test_tests_that_ignore_clusters_say_what_they_assume(metaeval: CommandLine) -> None:
    path, assumption = "sample_data/tsc3/human.csv", "as if units were independent: p is too small if those of one item"
    notes = metaeval.report("agreement", path, "--judge", "D5")["notes"]
    assert sum(assumption in note for note in notes) == 2
    assert not any(assumption in note for note in metaeval.report("agreement", path, "--by", "system")["notes"])
    clustered = metaeval.report("agreement", path, "--judge", "D5", "--cluster", "item")["notes"]
    assert not any(note.startswith("judges are tested by a t-test") for note in clustered)


def test_somebody_who_agrees_with_nobody_is_named(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up(4, missing=0)
    ratings[2] = 6 - ratings[2]
    report = metaeval.report("agreement", write("r.csv", wide(ratings, (*PEOPLE, "dee"))))
    note = next(note for note in report["notes"] if note.startswith("low agreement with the other annotators"))
    assert "cy (-" in note
    assert "ann (" not in note


def test_constant_ratings_are_undefined_and_told(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up(missing=0)
    ratings[1] = 3
    report = metaeval.report("agreement", write("r.csv", wide(ratings)))
    assert report["tables"]["agreement_pearson"][1]["bob"] is None
    assert "no correlation with bob: constant ratings" in report["notes"]
    assert any("mean pearson" in note and "2 of 3 pairs of annotators excluded" in note for note in report["notes"])
    report = metaeval.report("agreement", write("same.csv", wide(np.full((3, 20), 4.0))), "--methods")
    assert set(statistics(report).values()) == {None}
    assert "every statistic is undefined: all ratings are equal, or too few" in report["notes"]
    assert report["findings"][0]["sentence"].endswith(" is undefined: all ratings are equal, or too few")
    assert not any("jackknife" in text for text in (*report["notes"], *report["methods"]))
    assert metaeval.succeeds("agreement", "same.csv").out.count("nan") == 0


def test_a_statistic_that_is_undefined_without_some_item_has_no_interval(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},{item},{item // 8}\n" for item in range(1, 9))
    report = metaeval.report("agreement", write("r.csv", f"item,a,b\n{rows}"))
    assert statistics(report)["mean pearson"] is not None
    assert statistics(report, "low")["mean pearson"] is None
    note = next(note for note in report["notes"] if note.startswith("no interval for"))
    assert "mean pearson" in note
    assert "alpha" not in note
    assert note.endswith("undefined if some item is left out")


@pytest.mark.parametrize("ratings", [(1, 2, 1, 2, 1), (1, 2, 3, 4, 5), (1, 1, 2, 2, 3, 3, 4, 4, 5, 5)])
@pytest.mark.parametrize("reverse", [False, True])
def test_no_interval_is_a_point_or_without_its_value(
    metaeval: CommandLine, write: Write, ratings: Sequence[int], *, reverse: bool
) -> None:
    rows = "".join(f"{item},{one},{6 - one if reverse else one}\n" for item, one in enumerate(ratings))
    estimates = metaeval.tables("agreement", write("r.csv", f"item,a,b\n{rows}"))["agreement"]
    with_interval = [row for row in estimates if row["low"] is not None]
    assert len(with_interval) >= 6
    for row in with_interval:
        assert -1 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert row["high"] - row["low"] > 0.1


def test_few_units_of_other_ratings_have_no_interval_and_a_note(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},{int(item < 2)},{int(item < 3)}\n" for item in range(30))
    report = metaeval.report("agreement", write("r.csv", f"item,a,b\n{rows}"), "--methods")
    assert set(statistics(report, "low").values()) == {None}
    assert statistics(report)["alpha:level=nominal"] > 0.7
    note = "no intervals: 3 of 30 units have ratings other than the most frequent one, too few to know the agreement"
    assert any(text.startswith(note) for text in report["notes"])
    assert "95 %" not in report["findings"][0]["sentence"]
    assert not any("jackknife" in text for text in (*report["notes"], *report["methods"]))


def test_intervals_leave_out_whole_clusters(metaeval: CommandLine, write: Write) -> None:
    # Every item three times, in a cluster of its own.
    ratings = made_up(missing=0.1, units=40)
    rows = tidy(np.repeat(ratings, 3, axis=1)).splitlines()
    cluster = [int(row.split(",")[1][1:]) // 3 for row in rows[1:]]
    thrice = [f"{rows[0]},thread", *(f"{row},t{thread}" for row, thread in zip(rows[1:], cluster, strict=True))]
    many = metaeval.report("agreement", write("many.csv", "\n".join(thrice) + "\n"), "--cluster", "thread")
    once = metaeval.report("agreement", write("once.csv", wide(ratings)))
    assert_same_intervals(many, once)
    assert "intervals are Wilson's, with a jackknife over the 38 clusters of thread and Student's t" in many["notes"]
    assert "clusters:thread" in many["signature"]
    lines = wide(np.repeat(ratings, 3, axis=1)).splitlines()
    columns = [f"{lines[0]},thread", *(f"{line},t{number // 3}" for number, line in enumerate(lines[1:]))]
    in_wide = metaeval.report("agreement", write("wide.csv", "\n".join(columns) + "\n"), "--cluster", "thread")
    assert statistics(in_wide, "low") == pytest.approx(statistics(many, "low"), abs=1e-9)
    threads = "item,thread\n" + "".join(f"i{number},t{number // 3}\n" for number in range(40))
    apart = metaeval.report("agreement", "once.csv", "--cluster", f"{write('threads.csv', threads)}:thread")
    note = next(note for note in apart["notes"] if "intervals may be too narrow" in note)
    # A cluster has no item that all three rated.
    assert note.startswith("13 clusters of thread with comparable ratings, fewer than 30: ")


def test_unequal_clusters_and_missing_ratings_have_intervals(metaeval: CommandLine, write: Write) -> None:
    ratings = made_up(missing=0.3, units=50)
    threads = "item,thread\n" + "".join(f"i{number},t{int(number**0.5)}\n" for number in range(50))
    report = metaeval.report(
        "agreement", write("r.csv", wide(ratings)), "--cluster", f"{write('t.csv', threads)}:thread"
    )
    assert all(row["low"] < row["value"] < row["high"] for row in report["tables"]["agreement"])


WIDE = "item,ann,bob\n1,yes,yes\n2,no,yes\n3,maybe,maybe\n4,no,no\n5,yes,\n"


def test_few_words_are_classes_without_an_order(metaeval: CommandLine, write: Write) -> None:
    path = write("r.csv", WIDE)
    report, declared = (metaeval.report("agreement", path, *more) for more in ((), ("--labels", "maybe,no,yes")))
    assert report["tables"]["agreement"] == declared["tables"]["agreement"]
    note = "the classes are the labels of the ratings, without an order: maybe,no,yes"
    assert sum(text.startswith(note) for text in report["notes"]) == 1
    as_texts = WIDE + "".join(f"{item},text {item},no\n" for item in range(6, 20))
    metaeval.refuses_with(["score 'yes' for ann/1"], "agreement", write("texts.csv", as_texts))
    metaeval.refuses_with(["score 'yes' for ann/1"], "agreement", write("mixed.csv", WIDE + "6,1,2\n"))


# What is refused

TWO = "item,ann,bob\n1,3,3\n2,4,5\n"
WORDS = "item,ann,bob\n1,low,high\n2,mid,3\n"
NAMES = "system,item,a,b,c\ns,1,yes,no,no\ns,2,no,no,yes\n"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("item,ann\n1,3\n2,4\n", (), ".csv: 1 annotator (ann); expected at least two"),
        ("item,ann,bob\n1,3,\n2,,5\n", (), "2 items, none of which two annotators rated"),
        (WORDS, (), "r.csv:2: score 'low' for ann/1; expected a finite number | --labels 'low<mid<high'"),
        (WORDS, ("--labels", "low<high"), "r.csv:3: score 'mid' for ann/2; expected one of low, high"),
        (TWO, ("--labels", "1<2<3<4"), "r.csv:3: score '5' for bob/2; expected one of 1, 2, 3, 4"),
        (WORDS, ("--labels", "low"), "1 label in the scale"),
        (TWO, ("--class-values", "a=1,b=2"), "class values without classes"),
        (TWO, ("--cluster", "thread", "--by", "system"), "clusters thread with --by system; expected items as units"),
        (TWO, ("--cluster", "thread"), "a column 'thread'"),
        (TWO, ("--judge", "bo"), "judge 'bo'; expected a file of ratings | did you mean 'bob'?"),
        (TWO, ("--judge", "llm.csv"), "llm.csv: no such file"),
        (TWO, ("--judge", "judge.csv"), "judge 'judge', who rated none of 2 items that the annotators rated"),
        (TWO, ("--judge", "judge.csv", "--judge", "judge2.csv"), "score 'judge/8' again, first on line 2 of judge.csv"),
        (TWO, ("--judge", "r.csv"), "a judge called 'ann', like one of the annotators"),
        (TWO, ("--by", "system"), "--by system with ratings that name no system"),
        ("item,ann,bob\n1,-3,3\n2,4,5\n", ("--level", "ratio"), "rating '-3' for alpha of level ratio"),
        (TWO, ("--judge-column", "who"), "expected a column 'who'"),
        (TWO, ("--id-column", "what"), "expected a column 'what'"),
        (TWO, ("--label-column", "stars"), "expected a column 'stars'"),
        ("annotator,item,label\na,1,2\na,1,3\n", (), "r.csv:3: score 'a/1' again | with --judge-column"),
        ("annotator,item,label\n,1,2\nb,1,1\n", (), "no value of 'annotator'"),
        # Names without order have no mean and no distance.
        (NAMES, ("--labels", "yes,no", "--by", "system"), "which compares means"),
        (
            NAMES,
            ("--labels", "yes,no", "--judge", "c", "--alignment", "rmse"),
            "--alignment rmse of classes without an order",
        ),
    ],
)
def test_what_is_wrong_is_told(
    metaeval: CommandLine, write: Write, content: str, options: tuple[str, ...], message: str
) -> None:
    write("judge.csv", "id,label\n8,3\n9,4\n")
    write("judge2.csv", "annotator,id,label\njudge,8,3\njudge,1,4\n")
    metaeval.refuses_with(message.split(" | "), "agreement", write("r.csv", content), *options)


def test_no_ratings_at_all(metaeval: CommandLine) -> None:
    assert "RATINGS" in metaeval.refuses("agreement")


def test_too_much_work_and_memory_is_refused_before_it_begins(metaeval: CommandLine, write: Write) -> None:
    by_many = wide(made_up(1000, 300, missing=0.0), [f"a{number}" for number in range(1000)])
    work = "300,000 ratings by 1,000 annotators, who share 149,850,000 units in pairs: about 2 min of work"
    metaeval.refuses_with((work, "sample of the units or of the annotators"), "agreement", write("r.csv", by_many))
    rows = (f"a{pair},i{pair},{1 + pair % 5}\nb{pair},i{pair},3\n" for pair in range(5000))
    path = write("r.csv", "annotator,item,rating\n" + "".join(rows))
    empty = "10,000 ratings by 10,000 annotators of 5,000 items, but their table of 0.4 GB is nearly empty"
    metaeval.refuses_with((empty,), "agreement", path)
    path = write("r.csv", wide(np.arange(30_002.0).reshape(2, -1), PEOPLE[:2]))
    metaeval.refuses_with(("30,002 different ratings for alpha of level ratio",), "agreement", path, "--level", "ratio")


def test_the_signature_counts_the_files_however_they_are_named(metaeval: CommandLine, write: Write) -> None:
    text = "item,label\n1,1\n2,2\n3,1\n"
    paths = [write("raters/a.csv", text), write("raters/b.csv", text)]
    signatures = {metaeval.report("agreement", *files)["signature"] for files in (paths, ["raters"], ["raters/*.csv"])}
    assert len(signatures) == 1
    assert "|files:2|" in signatures.pop()


def test_gold_among_annotators_is_told_and_a_judge_may_have_a_column(metaeval: CommandLine, write: Write) -> None:
    report = metaeval.report("agreement", write("w.csv", "item,judge,gold,ann\n1,1,1,1\n2,2,2,1\n3,1,2,2\n"))
    assert "|annotators:3|units:3|" in report["signature"]
    assert any(note.startswith("'gold' counts as an annotator: ") for note in report["notes"])
    assert "'judge' counts as a person: if it is a judge, name it with --judge judge" in report["notes"]
    path = write("l.csv", "item,ann,llm_label,judith\n1,1,1,1\n2,2,2,1\n3,1,2,2\n")
    about = [note for note in metaeval.report("agreement", path)["notes"] if "counts as a person" in note]
    assert about == ["'llm_label' counts as a person: if it is a judge, name it with --judge llm_label"]
    path = write("ids.csv", "item,worker_id,stars\n1,7,1\n1,8,2\n2,7,3\n2,8,3\n")
    metaeval.refuses_with(("header 'item,worker_id,stars'", "--label-column"), "agreement", path)
    assert "|annotators:2|units:2|" in metaeval.report("agreement", path, "--label-column", "stars")["signature"]


@pytest.mark.parametrize(
    ("labels", "items", "is_told"),
    [("yes,no,Yes,No", 10, True), ("yes,no,Yes,No", 9, False), ("yes<no<Yes<No", 20, True), ("yes,no", 10, False)],
)
def test_agreement_by_chance_is_a_warning(
    metaeval: CommandLine, write: Write, labels: str, items: int, is_told: bool
) -> None:
    classes = labels.replace("<", ",").split(",")
    rows = "".join(f"{item},{classes[item % 2]},{classes[item % 2 - 2]}\n" for item in range(items))
    report = metaeval.report("agreement", write("a.csv", f"item,x,y\n{rows}"), "--labels", labels)
    warning = "annotators agree no better than chance: are their labels the same classes?"
    assert (warning in report.get("warnings", ())) is is_told


def test_one_system_is_enough_for_single_ratings_but_not_for_means_of_systems(
    metaeval: CommandLine, write: Write
) -> None:
    rows = [f"A,{item},{item % 5},{(item + item % 3) % 5}\n" for item in range(20)]
    path = write("one.csv", "system,item,ann,bob\n" + "".join(rows))
    assert metaeval.tables("agreement", path)["agreement"]
    parts = ("--by system with one system (A); expected at least two", "compare the single ratings")
    metaeval.refuses_with(parts, "agreement", path, "--by", "system")
