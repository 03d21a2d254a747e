"""`agreement` of a judge with people in one table: which columns are whose, numbers, groups, runs, several judges."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, precision_score, recall_score

import metaeval as api

HUMAN = ["fail" if item % 4 == 0 else "pass" for item in range(80)]
JUDGE = [{"fail": "pass", "pass": "fail"}[label] if item % 9 == 0 else label for item, label in enumerate(HUMAN)]


def csv(**columns: Sequence[object]) -> str:
    """A table of columns by name."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def by_row(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of rows."""
    return csv(**dict(zip(header, zip(*rows, strict=True), strict=True)))


def labels(**more: Sequence[object]) -> str:
    """The labels of a human and a judge; more: further columns."""
    return csv(case_id=[f"c{item}" for item in range(80)], human_label=HUMAN, judge_label=JUDGE, **more)


def by_statistic(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["statistic"]: row for row in report["tables"]["judge_statistics"]}


def test_one_judge_and_one_human_need_no_option(metaeval: CommandLine, write: Write) -> None:
    topics = [f"a topic of {item}, in words" for item in range(80)]
    report = metaeval.report("agreement", write("labels.csv", labels(question=[f'"{topic}"' for topic in topics])))
    (judged,) = report["tables"]["judge_agreement"]
    equal = sum(map(str.__eq__, HUMAN, JUDGE))
    wilson = binomtest(equal, 80).proportion_ci(method="wilson")
    assert (judged["judge"], judged["items"], judged["positive"]) == ("judge_label", 80, "fail")
    ends = [judged[f"agreement{end}"] for end in ("", "_low", "_high")]
    assert ends == pytest.approx([equal / 80, wilson.low, wilson.high])
    rows = by_statistic(report)
    assert rows["mcc"]["value"] == pytest.approx(matthews_corrcoef(HUMAN, JUDGE))
    assert rows["cohen:weights=none"]["value"] == pytest.approx(cohen_kappa_score(HUMAN, JUDGE))
    for row in report["tables"]["judge_classes"]:
        expected = [score(HUMAN, JUDGE, pos_label=row["label"]) for score in (recall_score, precision_score)]
        assert [row["recall"], row["precision"]] == pytest.approx(expected)
    assert [row["label"] for row in report["tables"]["judge_classes"]] == ["fail", "pass"]
    differ = [f"c{item}" for item in range(80) if HUMAN[item] != JUDGE[item]]
    assert [row["item"] for row in report["tables"]["judge_disagreements"]] == differ
    assert set(report["tables"]["judge_disagreements"][0]) == {"item", "human_label", "judge_label"}
    sentence = report["findings"][0]["sentence"]
    assert sentence.startswith("judge_label agrees with the human on 89 % [80, 94] of 80 items; it finds 8")
    assert sentence.endswith("of what the human labels fail")
    assert any("not read: question" in note for note in report["notes"])


@pytest.mark.parametrize(
    ("header", "options"),
    [
        ("human,judge", ()),
        ("gold,prediction", ()),
        ("annotator,judge_gpt", ()),
        ("Human Label,LLM Label", ()),
        ("human_label,model", ()),
        ("a,b", ("--human", "a", "--judge", "b")),
        ("first,second", ("--judge", "second")),
        ("first,second", ("--human", "first")),
    ],
)
def test_columns_are_told_by_names_or_options(
    metaeval: CommandLine, write: Write, header: str, options: tuple[str, ...]
) -> None:
    rows = labels().splitlines()[1:]
    with_ids = metaeval.report("agreement", write("ids.csv", "\n".join([f"id,{header}", *rows])), *options)
    without = "\n".join([header, *(row.partition(",")[2] for row in rows)])
    alone = metaeval.report("agreement", write("two.csv", without), *options)
    expected = metaeval.report("agreement", write("labels.csv", labels()))
    for report in (with_ids, alone):
        for name in ("judge_statistics", "judge_classes"):
            rows_of = [{**row, "judge": ""} for row in report["tables"][name]]
            assert rows_of == [{**row, "judge": ""} for row in expected["tables"][name]]


def test_tables_in_memory_and_json_say_the_same(metaeval: CommandLine, write: Write) -> None:
    expected = metaeval.tables("agreement", write("labels.csv", labels()))["judge_statistics"]
    assert api.agreement({"human": HUMAN, "judge_label": JUDGE}).to_dict()["tables"]["judge_statistics"] == expected
    lines = "".join(
        f'{{"human": "{one}", "judge_label": "{other}"}}\n' for one, other in zip(HUMAN, JUDGE, strict=True)
    )
    assert metaeval.tables("agreement", write("l.jsonl", lines))["judge_statistics"] == expected


def test_positive_names_the_class_of_the_finding(metaeval: CommandLine, write: Write) -> None:
    path = write("labels.csv", labels())
    report = metaeval.report("agreement", path, "--positive", "pass")
    recall = {row["label"]: row["recall"] for row in report["tables"]["judge_classes"]}
    (judged,) = report["tables"]["judge_agreement"]
    assert (judged["tpr"], judged["tnr"]) == (recall["pass"], recall["fail"])
    assert report["findings"][0]["sentence"].endswith("of what the human labels pass")
    assert "expected one of fail, pass" in metaeval.refuses("agreement", path, "--positive", "good")


def test_numbers_have_limits_of_agreement_and_reliability(metaeval: CommandLine, write: Write) -> None:
    # Shrout & Fleiss (1979), judges 1 and 3 of table 2.
    report = metaeval.report("agreement", write("n.csv", csv(human=[9, 6, 8, 7, 10, 6.5], judge=[5, 3, 6, 2, 6, 4])))
    differences = np.array([-4, -3, -2, -5, -4, -2.5])
    rows = by_statistic(report)
    assert rows["shift"]["value"] == pytest.approx(differences.mean())
    limits = [differences.mean() + side * 1.959964 * differences.std(ddof=1) for side in (-1, 1)]
    assert [rows["lower limit"]["value"], rows["upper limit"]["value"]] == pytest.approx(limits, abs=1e-5)
    assert {"icc(2,1)", "icc(2,k)", "icc(3,1)", "icc(3,k)"} < set(rows)
    assert rows["icc(2,1)"]["value"] < rows["icc(3,1)"]["value"] < rows["icc(3,k)"]["value"]
    assert all(row["low"] < row["value"] < row["high"] for row in rows.values() if row["low"] is not None)
    assert "judge_classes" not in report["tables"]
    assert report["findings"][0]["sentence"].startswith("judge differs from the human by -3.4 [-4.6, -2.2] on average")


def test_whole_numbers_are_classes_too_and_two_of_them_classes_only(metaeval: CommandLine, write: Write) -> None:
    scale = [1 + item % 5 for item in range(60)]
    judge = [min(5, rating + (item % 7 == 0)) for item, rating in enumerate(scale)]
    several = metaeval.report("agreement", write("several.csv", csv(human=scale, judge=judge)))
    assert {"gwet-ac1", "gwet-ac2:weights=quadratic", "cohen:weights=linear", "icc(2,1)"} < set(by_statistic(several))
    assert len(several["tables"]["judge_classes"]) == 5
    two = metaeval.report(
        "agreement",
        write("two.csv", csv(human=[int(rating > 3) for rating in scale], judge=[int(rating > 3) for rating in judge])),
    )
    assert set(by_statistic(two)) == {"agreement", "alpha:level=nominal", "cohen:weights=none", "gwet-ac1", "mcc"}


def test_groups_of_outputs_are_compared_with_the_others(metaeval: CommandLine, write: Write) -> None:
    family = ["own" if item < 40 else "other" for item in range(80)]
    judge = [label if item < 40 or item % 3 else "fail" for item, label in enumerate(HUMAN)]
    path = write("g.csv", csv(id=range(80), human=HUMAN, judge=judge, family=family))
    report = metaeval.report("agreement", path, "--group", "family")
    rows = {(row["statistic"], row["group"]): row for row in report["tables"]["judge_groups"]}
    assert set(rows) == {
        (statistic, group) for statistic in ("agreement", "recall fail", "recall pass") for group in ("own", "other")
    }
    one, other = rows["agreement", "own"], rows["agreement", "other"]
    assert one["difference"] == pytest.approx(one["value"] - other["value"])
    assert (one["difference_low"], one["p_adjusted"]) == (pytest.approx(-other["difference_high"]), other["p_adjusted"])
    assert one["p"] <= one["p_adjusted"] < 0.05
    assert report["findings"][1]["sentence"].startswith("judge agrees 25 points more with people on own than on other")
    assert report["findings"][1]["sentence"].endswith("; 1 more difference is significant")
    # A group of the outputs, which differs between the systems of an item.
    twice = csv(
        system=[name for name in "AB" for _ in range(80)],
        item=[*range(80)] * 2,
        human=HUMAN * 2,
        judge=[*JUDGE, *judge],
    )
    by_system = metaeval.report("agreement", write("s.csv", twice), "--group", "system")
    assert [row["items"] for row in by_system["tables"]["judge_groups"] if row["statistic"] == "agreement"] == [80, 80]
    mixed = write("m.csv", csv(id=[1, 1, 2], human=list("aba"), judge=list("aba"), run=[1, 2, 1], g=list("xyx")))
    metaeval.refuses_with(
        ("m.csv:3: group 'y' for item '1'; expected 'x'",), "agreement", mixed, "--group", "g", "--replicate", "run"
    )


def test_of_many_groups_the_most_different_are_shown(metaeval: CommandLine, write: Write) -> None:
    path = write("g.csv", labels(family=[f"g{item % 40}" for item in range(80)]))
    lines = metaeval.succeeds("agreement", path, "--group", "family").out.splitlines()
    assert len(lines) <= 45
    assert any("108 rows of judge_groups" in line for line in lines)
    rows = metaeval.tables("agreement", path, "--group", "family")["judge_groups"]
    p = [row["p"] for row in rows if row["p"] is not None]
    assert len(rows) == 120
    assert p == sorted(p)


def test_a_column_of_kinds_says_who_is_a_judge(metaeval: CommandLine, write: Write) -> None:
    raters = {"ann": "human", "bob": "Person", "kite": "llm", "juno": "judge", "eve": ""}
    rows = [
        (name, item, (item * (index + 2)) % 7 % 3, kind)
        for index, (name, kind) in enumerate(raters.items())
        for item in range(30)
    ]
    header = ("annotator", "item", "label", "kind")
    kinds = write("kinds.csv", by_row(header, rows))
    plain = write("plain.csv", by_row(header[:3], [row[:3] for row in rows]))
    people, judges = ("--human", "ann", "--human", "bob"), ("--judge", "kite", "--judge", "juno")

    def tables(*arguments: str) -> dict[str, Any]:
        return metaeval.tables("agreement", *arguments)

    report = metaeval.report("agreement", kinds)
    assert report["tables"] == tables(plain, *people, *judges)
    assert not any("not read" in note for note in report["notes"])
    left_out = "left out, because the column of kinds says nothing of them: eve; fill it, or set --human"
    assert left_out in report["notes"]
    # Names in settings come before the column, and where it names no people, all others are.
    assert tables(kinds, "--human", "eve") == tables(plain, "--human", "eve", *judges)
    assert tables(kinds, "--human", "kite") == tables(plain, "--human", "kite", "--judge", "juno")
    judge_rows = [(*row, kind if kind in ("llm", "judge") else "") for *row, kind in rows]
    open_kinds = write("open.csv", by_row(header, judge_rows))
    others = ("--human", "ann", "--human", "bob", "--human", "eve")
    assert tables(open_kinds) == tables(plain, *others, *judges)
    alone = write("alone.csv", by_row(header, [(*row[:3], "llm") for row in rows]))
    assert tables(alone) == tables(plain), "judges alone are annotators"
    metaeval.refuses_with(
        ("k.csv:3: kind 'robot'; expected one of human, person",),
        "agreement",
        write("k.csv", "annotator,item,label,kind\nann,1,1,human\nkite,1,1,robot\n"),
    )


FAMILIES = [("a", "b", "c")[item % 3] for item in range(120)]


def test_a_group_whose_errors_cancel_in_the_agreement_is_found_by_its_recall(
    metaeval: CommandLine, write: Write
) -> None:
    human = ["fail" if item % 4 == 0 else "pass" for item in range(120)]
    # All that people fail passes in one family; in the others as many are wrong, of either label.
    wrong = {item for item in range(120) if (item % 4 == 0 if item % 3 == 0 else item % 4 == 1)}
    judge = [{"fail": "pass", "pass": "fail"}[label] if item in wrong else label for item, label in enumerate(human)]
    path = write("g.csv", csv(id=range(120), human=human, judge=judge, family=FAMILIES))
    report = metaeval.report("agreement", path, "--group", "family")
    clear = [row for row in report["tables"]["judge_groups"] if row["p_adjusted"] <= 0.05]
    assert clear
    assert all(row["statistic"] != "agreement" for row in clear)
    sentence = report["findings"][1]["sentence"]
    assert sentence.startswith("judge finds 100 points less of what people label fail on a than on the other groups")
    assert sentence.endswith(f"; {len(clear) - 1} more differences are significant")


def test_a_group_that_a_judge_rates_higher_is_found_though_it_agrees_as_often(
    metaeval: CommandLine, write: Write
) -> None:
    human = [2 + item // 3 % 3 for item in range(120)]
    higher = {"a": 1, "b": -1, "c": 0}
    judge = [
        label + (higher[family] or (1, -1)[item % 2]) * (item % 5 > 1)
        for item, (label, family) in enumerate(zip(human, FAMILIES, strict=True))
    ]
    path = write("g.csv", csv(id=range(120), human=human, judge=judge, family=FAMILIES))
    sentence = metaeval.report("agreement", path, "--group", "family")["findings"][1]["sentence"]
    assert sentence.startswith("judge rates 0.9 higher against people on a than on the other groups")


def repeated(judge: Callable[[int, int], str], human: Callable[[int, int], str] = lambda item, _: HUMAN[item]) -> str:
    pairs = [(item, run) for item in range(80) for run in range(3)]
    return csv(
        id=[item for item, _ in pairs],
        run=[f"r{run}" for _, run in pairs],
        human=[human(*pair) for pair in pairs],
        judge=[judge(*pair) for pair in pairs],
    )


def test_repeated_runs_are_compared_with_each_other_and_with_people(metaeval: CommandLine, write: Write) -> None:
    other = {"fail": "pass", "pass": "fail"}
    # Wrong on every fourth item in all runs, and on every eighth in one.
    text = repeated(
        lambda item, run: other[HUMAN[item]] if item % 4 == 1 or (item % 8 == 2 and run == 0) else HUMAN[item]
    )
    report = metaeval.report("agreement", write("r.csv", text), "--replicate", "run")
    (runs,) = report["tables"]["judge_runs"]
    assert (runs["runs"], runs["consistency"]) == (3, pytest.approx(1 - 10 * 2 / 3 / 80))
    (judged,) = report["tables"]["judge_agreement"]
    assert (judged["items"], judged["agreement"]) == (80, pytest.approx(1 - (20 + 10 / 3) / 80))
    assert runs["excess"] == pytest.approx(runs["consistency"] - judged["agreement"])
    assert runs["excess_low"] > 0
    assert runs["p"] < 0.001
    assert "Two runs of judge agree on 92 % [" in report["findings"][1]["sentence"]
    assert "differ more from people (p < 0.001)" in report["findings"][1]["sentence"]
    shown = metaeval.succeeds("agreement", write("r.csv", text), "--replicate", "run").out
    assert "pairs of labels by people, and by the judge" in shown
    # Errors that each run makes alone: runs differ more from each other than from people.
    alone = repeated(lambda item, run: other[HUMAN[item]] if item % 4 == run else HUMAN[item])
    noisy = metaeval.report("agreement", write("a.csv", alone), "--replicate", "run")
    assert noisy["tables"]["judge_runs"][0]["excess_high"] < 0
    assert noisy["findings"][1]["sentence"].endswith("and differ less from people (p < 0.001)")
    # Three equal runs are worth one.
    equal = metaeval.report("agreement", write("e.csv", repeated(lambda item, _: JUDGE[item])), "--replicate", "run")
    once = metaeval.report("agreement", write("o.csv", labels()))
    low = [result["tables"]["judge_agreement"][0]["agreement_low"] for result in (equal, once)]
    assert low[0] == pytest.approx(low[1], abs=0.01)
    contradictory = repeated(lambda item, _: JUDGE[item], lambda item, run: "pass" if run else HUMAN[item])
    message = "c.csv:3: label 'pass' for item '0'; expected 'fail', as in the other runs of the judge"
    assert message in metaeval.refuses("agreement", write("c.csv", contradictory), "--replicate", "run")


def test_judges_on_the_same_items_share_letters_where_they_do_not_differ(metaeval: CommandLine, write: Write) -> None:
    worse = [label if item % 3 else "fail" for item, label in enumerate(HUMAN)]
    similar = [label if item % 10 else "fail" for item, label in enumerate(HUMAN)]
    path = write("j.csv", csv(id=range(80), human=HUMAN, judge_a=worse, judge_b=similar, judge_c=JUDGE))
    report = metaeval.report("agreement", path)
    rows = {row["judge"]: row for row in report["tables"]["judge_agreement"]}
    assert {name: row["letters"] for name, row in rows.items()} == {"judge_b": "a", "judge_c": "a", "judge_a": "b"}
    assert next(iter(rows)) == "judge_b"
    assert {row["judge"] for row in report["tables"]["judge_statistics"]} == set(rows)
    assert (
        "judge_b agrees most with people, significantly more than 1 of 2 other judges"
        in report["findings"][1]["sentence"]
    )
    shown = metaeval.succeeds("agreement", path).out
    assert max(map(len, shown.split("Not shown")[0].splitlines()[2:])) <= 100


def test_people_and_judges_may_be_patterns_and_systems_left_out(metaeval: CommandLine, write: Write) -> None:
    more = {"ann_1": HUMAN, "ann_2": HUMAN, "bob": JUDGE, "llm_a": JUDGE, "llm_b": HUMAN}
    path = write("p.csv", csv(id=range(80), **more))
    report = metaeval.report("agreement", path, "--human", "ann*", "--judge", "llm*")
    by_name = metaeval.report(
        "agreement", path, *["--human", "ann_1", "--human", "ann_2", "--judge", "llm_a", "--judge", "llm_b"]
    )
    assert report["tables"]["judge_agreement"] == by_name["tables"]["judge_agreement"]
    assert {row["judge"] for row in report["tables"]["judge_agreement"]} == {"llm_a", "llm_b"}
    long = [(item, name, label) for name, labels in more.items() for item, label in enumerate(labels)]
    path = write("long.csv", by_row(("item", "annotator", "label"), long))
    options = ("--labels", "fail,pass", "--human", "ann*", "--judge", "llm*")
    judged = metaeval.tables("agreement", path, *options)["judge_agreement"]
    assert {row["judge"]: row["agreement"] for row in judged} == {
        row["judge"]: row["agreement"] for row in report["tables"]["judge_agreement"]
    }
    metaeval.refuses_with(("'eve*'",), "agreement", path, "--labels", "fail,pass", "--human", "eve*")
    systems = csv(system=["old"] * 40 + ["new"] * 40, item=[*range(40)] * 2, human=HUMAN, judge=JUDGE)
    left = metaeval.report("agreement", write("s.csv", systems), "--exclude-system", "o*")
    assert left["tables"]["judge_agreement"][0]["items"] == 40
    assert "excluded systems (1): old" in left["notes"]
    metaeval.refuses_with(
        ("--exclude-system 'x*'; expected one of old, new",), "agreement", "s.csv", "--exclude-system", "x*"
    )


def test_two_people_are_the_yardstick_of_the_judge(metaeval: CommandLine, write: Write) -> None:
    second = [label if item % 12 else "pass" for item, label in enumerate(HUMAN)]
    path = write("p.csv", csv(id=range(80), human_1=HUMAN, human_2=second, judge=JUDGE))
    report = metaeval.report("agreement", path)
    assert list(report["tables"])[:2] == ["agreement", "judge_agreement"]
    assert "judges" in report["tables"]
    people = sum(map(str.__eq__, HUMAN, second)) / 80
    (judged,) = report["tables"]["judge_agreement"]
    pairs = [sum(map(str.__eq__, human, JUDGE)) / 80 for human in (HUMAN, second)]
    assert judged["agreement"] == pytest.approx(np.mean(pairs))
    assert f"two people agree on {100 * people:.0f} %" in report["findings"][1]["sentence"]


def test_clusters_widen_shares(metaeval: CommandLine, write: Write) -> None:
    topic = [item // 8 for item in range(80)]
    judge = [label if item // 8 % 3 else "fail" for item, label in enumerate(HUMAN)]
    path = write("c.csv", csv(id=range(80), human=HUMAN, judge=judge, topic=topic))
    width = [
        row["agreement_high"] - row["agreement_low"]
        for row in (
            metaeval.tables("agreement", path, *options)["judge_agreement"][0]
            for options in ((), ("--cluster", "topic"))
        )
    ]
    assert width[1] > 1.5 * width[0]


@refusals("""
case.csv => label 'Pass'; expected 'pass' | --map-labels Pass=pass
letters.csv => label 'A'; expected 'a' | --map-labels A=a,B=b
numbers.csv => label 'yes'; expected a number, as '1' is
words.csv => some in common | --map-labels bad=no
alone.csv => some in common | set --labels fail,pass.
missing.csv => missing.csv:3: label 'NA', but it is a word for a missing value | leave the cell empty
constant.csv => one label, 'yes', in every row | --labels
criteria.csv => columns of 2 criteria, such as human_a and judge_a | --human human_a --judge judge_a
people.csv --group bob => --group bob; expected a table with a column of people's
twice.csv => score 'human/1' again
groups.csv --group h => expected a column 'h'
groups.csv --group g => groups.csv:3: no value of 'g' | correct these rows, or leave them out
three.csv --human x => expected a column 'judge' | --judge
""")
def test_what_is_no_label_is_told(
    metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]
) -> None:
    write("case.csv", csv(human=["Pass", "fail"], judge=["pass", "fail"]))
    write("letters.csv", csv(human="AB", judge="ab"))
    write("numbers.csv", csv(human=["yes", "no"], judge="10"))
    write("words.csv", csv(human=["yes", "no"], judge=["good", "bad"]))
    # To map the only label of one to that of the other would make them equal.
    write("alone.csv", csv(human=["fail"], judge=["pass"]))
    write("missing.csv", csv(human=["yes", "no"], judge=["yes", "NA"]))
    write("constant.csv", csv(human=["yes", "yes"], judge=["yes", "yes"]))
    write("criteria.csv", csv(human_a="12", human_b="12", judge_a="12", judge_b="12"))
    write("people.csv", csv(id="12", ann="12", bob="12"))
    write("twice.csv", csv(id="11", human="ab", judge="ab"))
    write("groups.csv", csv(id="12", human="yn", judge="yn", g=["a", ""]))
    write("three.csv", csv(id="12", x="ab", y="ab", z="ab"))
    metaeval.refuses_with(parts, "agreement", *words)


def test_one_group_is_compared_with_none(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},{'yn'[item % 2]},{'yn'[item % 3 % 2]},a\n" for item in range(12))
    path = write("l.csv", f"case_id,human_label,judge_label,g\n{rows}")
    findings = metaeval.report("agreement", path, "--group", "g")["findings"]
    assert not any("group" in finding["sentence"] for finding in findings)
