"""`correct`: accepted files, tables, findings and errors."""

from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, csv_text, refusals, sentences
from judges.correct.studies import binary, made_up
from numpy.typing import NDArray

SCORES, LABELS = "sample_data/judged/scores.csv", "sample_data/judged/labels.csv"

Numbers = NDArray[np.float64]


def cells(judge: Numbers, human: Numbers) -> list[dict[str, Any]]:
    return [
        {
            "system": f"s{system}",
            "item": f"i{item}",
            "judge": judge[system, item],
            "human": None if np.isnan(human[system, item]) else human[system, item],
        }
        for system in range(len(judge))
        for item in range(judge.shape[1])
    ]


def scored(judge: Numbers, human: Numbers) -> str:
    return csv_text(cells(judge, human))


def labels_of(human: str, judge: str, number: int = 1) -> list[dict[str, Any]]:
    return [{"human_label": human, "judge_label": judge}] * number


def with_ids(rows: list[dict[str, Any]]) -> str:
    return csv_text([{"case_id": f"c{number}", **row} for number, row in enumerate(rows)])


LABELLED = [
    *labels_of("pass", "pass", 30),
    *labels_of("pass", "fail", 4),
    *labels_of("fail", "pass", 5),
    *labels_of("fail", "fail", 11),
]
OTHERS = [*labels_of("", "pass", 110), *labels_of("", "fail", 40)]


def test_a_file_of_labels_of_a_judge_and_of_a_person_takes_no_option(metaeval: CommandLine, write: Write) -> None:
    report = metaeval.report("correct", write("labels.csv", with_ids([*LABELLED, *OTHERS])))
    row = report["tables"]["corrected"][0]
    assert row["corrected"] == pytest.approx(145 / 200 * 30 / 35 + 55 / 200 * 4 / 15)
    assert sentences(report)[0].startswith("The corrected share of 'pass' is 0.695 (95 % interval ")


def test_words_rank_no_systems_unless_their_order_is_declared(metaeval: CommandLine, write: Write) -> None:
    rows = [{"system": name, **row} for name in "ab" for row in [*LABELLED, *OTHERS]]
    path = write("labels.csv", with_ids(rows))
    error = metaeval.refuses("correct", path)
    assert "declare them, the better one last, as in --labels 'fail<pass'" in error
    assert metaeval.tables("correct", path, "--labels", "fail<pass")["corrected_ranks"]


def test_a_tie_is_half_a_win(metaeval: CommandLine, write: Write) -> None:
    words = {0.0: "loss", 0.5: "tie", 1.0: "win", None: ""}
    rows = cells(*made_up(2, 60, 30, steps=1.0)[:2])
    numbers = [{**row, **{key: row[key] and (row[key] - 1) // 2 / 2 for key in ("judge", "human")}} for row in rows]
    labels = [{**row, **{key: words[row[key]] for key in ("judge", "human")}} for row in numbers]
    label_tables = metaeval.tables("correct", write("words.csv", csv_text(labels)), "--labels", "loss<tie<win")
    assert label_tables == metaeval.tables("correct", write("numbers.csv", csv_text(numbers)))


def test_no_rank_lies_outside_its_set_if_people_always_pass_a_system(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(1)
    human = (random.random((3, 80)) < np.array([[1.0], [0.6], [0.3]])).astype(np.float64)
    judge = np.where(random.random((3, 80)) < 0.8, human, 1 - human)
    human[:, 40:] = np.nan
    rows = metaeval.tables("correct", write("s.csv", scored(judge, human)))["corrected_ranks"]
    assert [row["rank_low"] is None for row in rows] == [True, False, False]
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in rows[1:])


def test_no_more_scores_are_promised_than_there_are_items(metaeval: CommandLine, write: Write) -> None:
    path = write("labels.csv", with_ids([*LABELLED, *OTHERS]))
    assert sentences(metaeval.report("correct", path, "--label", "1000"))[0].startswith("With 150 more human scores")
    path = write("none.csv", "item,judge\n" + "".join(f"i{item},{item % 2}\n" for item in range(20)))
    assert "from 20 human scores" in sentences(metaeval.report("correct", path, "--label", "1000"))[0]


def test_items_to_label_are_listed_before_anyone_has_scored(metaeval: CommandLine, write: Write) -> None:
    lines = "".join(f"i{item},{int(item % 4 > 0)},\n" for item in range(80))
    for path in (
        write("none.csv", "item,judge\n" + lines.replace(",\n", "\n")),
        write("empty.csv", "item,judge,human\n" + lines),
    ):
        report = metaeval.report("correct", path, "--label", "20")
        assert list(report["tables"]) == ["to_label"]
        assert sum(row["judge"] for row in report["tables"]["to_label"]) == 15
        assert "from 20 human scores of a system will be at most 0.43 wide" in sentences(report)[0]


def test_labels_that_are_listed_need_no_option_afterwards(metaeval: CommandLine, write: Write) -> None:
    rows = [*LABELLED, *OTHERS]
    path = write("labels.csv", with_ids(rows))
    report = metaeval.report("correct", path, "--label", "100")
    listed = {row["item"] for row in report["tables"]["to_label"]}
    promised = float(sentences(report)[0].partition("about ")[2].split()[0])
    for number, row in enumerate(rows):
        if f"c{number}" in listed:
            share = 30 / 35 if row["judge_label"] == "pass" else 4 / 15
            human = "pass" if hash_share(number) < share else "fail"
            rows[number] = {"judge_label": row["judge_label"], "human_label": human}
    more = [{key: row[key] for key in ("human_label", "judge_label")} for row in rows]
    row = metaeval.tables("correct", write("more.csv", with_ids(more)))["corrected"][0]
    assert row["labels"] == 150
    assert row["high"] - row["low"] == pytest.approx(promised, rel=0.15)


def hash_share(number: int) -> float:
    """A number from 0 to 1 that is as good as random."""
    return number * 0.6180339887 % 1


def test_a_judge_that_does_not_help_is_a_finding(metaeval: CommandLine, write: Write) -> None:
    rows = [*labels_of("pass", "pass", 20), *labels_of("fail", "pass", 10)]
    rows += [*labels_of("pass", "fail", 20), *labels_of("fail", "fail", 10), *OTHERS]
    report = metaeval.report("correct", write("labels.csv", with_ids(rows)), "--sampled-by", "random")
    row = report["tables"]["corrected"][0]
    assert [row["corrected"], row["low"], row["high"]] == [row["human"], row["human_low"], row["human_high"]]
    assert any("makes no interval narrower" in sentence for sentence in sentences(report))


def test_both_methods_on_request_and_why_one_is_refused(metaeval: CommandLine, write: Write) -> None:
    rows = [*labels_of("pass", "pass", 20), *labels_of("pass", "fail", 9), *labels_of("fail", "pass", 6)]
    path = write("labels.csv", with_ids([*rows, *labels_of("fail", "fail", 5), *labels_of("", "pass", 90)]))
    methods = metaeval.tables("correct", path, "--sampled-by", "verdict")["corrected_methods"]
    assert [row["method"] for row in methods] == ["human", "ppi", "rogan-gladen"]
    assert methods[2]["mean"] is None
    assert methods[2]["refused"].startswith("sensitivity 0.69 + specificity 0.455 − 1 = 0.144 (95 % interval -")


def test_a_preferred_system_loses_its_place(metaeval: CommandLine) -> None:
    out = metaeval.succeeds("correct", SCORES, "--cluster", "topic", "--notes").out
    assert "The correction changes the order of 1 of 6 pairs of 4 systems, 1 of them significantly." in out
    assert "other-large has the highest corrected mean" in out
    assert "clusters of topic" in out


def test_a_file_for_each_system_and_a_file_of_people_are_one_table(metaeval: CommandLine, write: Write) -> None:
    rows = cells(*made_up(2, 40, 20, steps=0.5)[:2])
    whole = metaeval.tables("correct", write("whole.csv", csv_text(rows)))
    for name in ("s0", "s1"):
        subset = [{key: row[key] for key in ("item", "judge", "human")} for row in rows if row["system"] == name]
        write(f"{name}.csv", csv_text(subset))
    assert metaeval.tables("correct", "s0.csv", "s1.csv") == whole
    judged = [{"measure": "judge", "system": row["system"], "item": row["item"], "value": row["judge"]} for row in rows]
    people = [
        {"measure": "human", **{key: row[key] for key in ("system", "item")}, "value": row["human"]}
        for row in rows
        if row["human"] is not None
    ]
    assert metaeval.tables("correct", write("j.csv", csv_text(judged)), write("h.csv", csv_text(people))) == whole


def test_names_of_columns_and_of_classes(metaeval: CommandLine, write: Write) -> None:
    judge, human = binary((20, 5), (30, 25), (100, 60))
    rows = cells(judge, human)
    plain = metaeval.tables("correct", write("plain.csv", csv_text(rows)))
    words = {0.0: "no", 1.0: "yes", None: None}
    labels = [
        {"system": row["system"], "q": row["item"], "gpt": words[row["judge"]], "ann": words[row["human"]]}
        for row in rows
    ]
    path = write("named.csv", csv_text(labels))
    options = ("--judge-column", "gpt", "--human-column", "ann", "--id-column", "q", "--labels", "no<yes")
    assert metaeval.tables("correct", path, *options) == plain


def test_clusters_of_another_file(metaeval: CommandLine, write: Write) -> None:
    rows = cells(*made_up(2, 40, 20)[:2])
    path = write("s.csv", csv_text([{**row, "topic": f"t{int(row['item'][1:]) // 4}"} for row in rows]))
    topics = write("t.csv", csv_text([{"id": f"i{item}", "topic": f"t{item // 4}"} for item in range(40)]))
    report = metaeval.report("correct", path, "--cluster", "topic")
    assert metaeval.tables("correct", path, "--cluster", f"{topics}:topic") == report["tables"]
    assert report["tables"]["corrected"][0]["low"] != metaeval.tables("correct", path)["corrected"][0]["low"]


def test_human_scores_without_the_judge_are_left_out_with_a_note(metaeval: CommandLine, write: Write) -> None:
    rows = cells(*made_up(1, 60, 40)[:2])
    report = metaeval.report("correct", write("kept.csv", csv_text(rows)))
    more = [*rows, {"system": "s0", "item": "x1", "judge": None, "human": 3}]
    outcome = metaeval.report("correct", write("more.csv", csv_text(more)))
    assert outcome["tables"] == report["tables"]
    assert "1 human score without one of the judge: not used" in outcome["notes"]


def simultaneous(contributions: Numbers, seed: int) -> tuple[Numbers, Numbers]:
    """Intervals of K sums over items, (N, K), whose largest deviation is that of random signs."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(20_000, len(contributions)))
    errors = np.sqrt((contributions**2).sum(axis=0))
    critical = np.quantile(np.abs(signs @ contributions / errors).max(axis=1), 0.95)
    return -critical * errors, critical * errors


@pytest.mark.parametrize("sampled_by", ["verdict", "class"])
def test_human_differences_are_those_of_human_scores_alone_with_simultaneous_intervals(
    metaeval: CommandLine, write: Write, sampled_by: str
) -> None:
    judge, human, _ = made_up(3, 700, 250)
    # People scored other items of the last system.
    human[2] = np.where(np.random.default_rng(4).random(700) < 0.4, judge[2] - 0.3, np.nan)
    judge, human = (np.where(np.isnan(scores), np.nan, scores > 3.2).astype(np.float64) for scores in (judge, human))
    rows = metaeval.tables("correct", write("s.csv", scored(judge, human)), "--sampled-by", sampled_by)[
        "corrected_differences"
    ]
    means, labels = np.nanmean(human, axis=1), (~np.isnan(human)).sum(axis=1)
    deviations = np.nan_to_num(human - means[:, np.newaxis]) / labels[:, np.newaxis]
    pairs = [(0, 1), (0, 2), (1, 2)]
    differences = np.array([means[one] - means[other] for one, other in pairs])
    low, high = simultaneous(np.stack([deviations[one] - deviations[other] for one, other in pairs], axis=1), 5)
    assert [row["human"] for row in rows] == pytest.approx(differences, abs=1e-9)
    assert [row["human_low"] for row in rows] == pytest.approx(differences + low, abs=0.03 * float(high.min()))
    assert [row["human_high"] for row in rows] == pytest.approx(differences + high, abs=0.03 * float(high.min()))


def test_with_human_scores_of_all_items_both_intervals_of_differences_are_equal(
    metaeval: CommandLine, write: Write
) -> None:
    report = metaeval.report("correct", write("s.csv", scored(*made_up(3, 60, 60)[:2])))
    for row in report["tables"]["corrected_differences"]:
        assert [row[name] for name in ("human", "human_low", "human_high")] == pytest.approx(
            [row[name] for name in ("difference", "low", "high")]
        )
    *_, last = claims = sentences(report)
    assert last == "Every item has a human score, so that the corrected means are those of people alone"
    assert not any("is worth" in sentence for sentence in claims)


def test_one_system_has_no_ranks(metaeval: CommandLine, write: Write) -> None:
    assert list(metaeval.tables("correct", write("s.csv", scored(*made_up(1, 60, 40)[:2])))) == ["corrected"]


def test_few_labels_are_the_first_finding(metaeval: CommandLine, write: Write) -> None:
    few = sentences(metaeval.report("correct", write("s.csv", scored(*made_up(1, 300, 12)[:2]))))
    assert few[0].startswith("12 items with human scores, fewer than 30: intervals")
    enough = sentences(metaeval.report("correct", write("s.csv", scored(*made_up(1, 300, 40)[:2]))))
    assert not any("fewer than 30" in sentence for sentence in enough)


def test_the_most_important_three_findings_are_kept(metaeval: CommandLine, write: Write) -> None:
    judge, complete, _ = made_up(3, 200, 200)
    human = np.where(judge[0] > np.quantile(judge[0], 0.8), complete, np.nan)
    few = sentences(metaeval.report("correct", write("s.csv", scored(judge, human)), "--sampled-by", "random"))
    assert len(few) == 3
    assert few[0].startswith("The labelled items are not a random sample")
    assert few[0].endswith("hold for items such as the labelled ones only")


def test_one_cluster_has_no_interval_that_could_be_too_narrow(metaeval: CommandLine, write: Write) -> None:
    path = write("s.csv", "item,judge,human,doc\n1,3,2,x\n2,2,1,x\n3,1,,y\n4,5,,y\n")
    report = metaeval.report("correct", path, "--cluster", "doc")
    assert sentences(report) == ["1 cluster of doc with human scores: no interval and no test, which take two"]
    assert not any("too narrow" in note for note in report["notes"])


def test_sentences_claim_no_more_than_the_tests(metaeval: CommandLine, write: Write) -> None:
    cells_of = "system,item,judge,human\na,1,2,1\na,2,3,2\na,3,1,1\nb,1,2,1\nb,2,1,2\nb,3,2,3\n"
    result = metaeval.report("correct", write("s.csv", cells_of))
    text = " ".join([*(finding["sentence"] for finding in result["findings"]), *result["notes"]])
    assert "changes the order of the 2 systems, whose corrected means do not differ significantly" in text
    assert "not significantly higher than the other" in text
    assert "3 items with human scores, fewer than 30: intervals are too narrow" in text


@refusals("""
s.csv --judge-column gpt => s.csv | header 'judge,human' | expected a column 'gpt' | --judge-column
huma.csv => huma.csv:1: | header 'huma,judge' | expected a column 'human' | did you mean 'huma'
nan.csv => nan.csv:3: | 'nan' | leave cells without a score empty
nan.csv --labels 'no<yes' => leave cells without a label empty
s.csv --judge-column judge --human-column judge => --judge-column judge and --human-column judge | two columns
s.csv --sampled-by class => scores other than 0 and 1 | --sampled-by verdict
s.csv --labels 'a<b<c<d' => 4 classes | expected two classes | loss<tie<win
chosen.csv => differs by 2 | a random sample | --sampled-by verdict | --sampled-by random
chosen.csv --sampled-by verdict => no human score | with the verdict 1 | --label 20
s.csv --labels 'no<yes' => s.csv:2: | one of no, yes
s.csv --interval-width 0 => a number above 0
s.csv --cluster topic => a column 'topic'
words.csv => words.csv:3: | 'good' | a finite number | --labels
twice.csv => twice.csv:3: score 'judge/a/i1' again, first on line 2 | remove 2 repeated scores
few.csv => few.csv: 1 human score of system 'b' | at least two
none.csv => no such file
chance.csv --sampled-by class => sensitivity 0.5 + specificity 0.5 − 1 = 0 | 'chance' | above 0
""")
def test_errors(metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]) -> None:
    write("s.csv", scored(*made_up(1, 20, 9)[:2]))
    write("huma.csv", "item,huma,judge\n1,2,3\n2,,3\n")
    write("nan.csv", "item,judge,human\n1,2,3\n2,1,nan\n")
    write("words.csv", "system,item,judge,human\na,1,3,2\na,2,good,2\n")
    write("twice.csv", "system,item,judge,human\na,i1,3,2\na,i1,3,2\n")
    scores = "".join(f"{item},{1 + 2 * (item < 30)},{2 if item < 30 else ''}\n" for item in range(90))
    write("chosen.csv", "item,judge,human\n" + scores)
    write("few.csv", "system,item,judge,human\na,1,3,2\na,2,3,1\nb,1,3,\nb,2,3,1\n")
    write("chance.csv", "item,judge,human\n1,1,1\n2,0,1\n3,1,0\n4,0,0\n5,1,\n")
    metaeval.refuses_with(parts, "correct", *words)


@pytest.mark.usefixtures("repository")
def test_a_system_that_is_excluded_is_not_corrected(metaeval: CommandLine) -> None:
    call = ("correct", "sample_data/judged/scores.csv")
    every = {row["system"]: row for row in metaeval.tables(*call)["corrected"]}
    report = metaeval.report(*call, "--exclude-system", "kin-*")
    rows = {row["system"]: row for row in report["tables"]["corrected"]}
    assert sorted(rows) == ["other-base", "other-large"]
    assert all(rows[name]["corrected"] == every[name]["corrected"] for name in rows)
    assert "exclude-systems:kin-*" in report["signature"]


def test_a_table_of_huge_scores_is_no_wider_than_a_screen(metaeval: CommandLine, write: Write) -> None:
    rows = [
        f"{item},{system},{item + 1}e200,{'' if item % 4 == 0 else f'{item}.5e200'}\n"
        for item in range(40)
        for system in "AB"
    ]
    shown = metaeval("correct", write("s.csv", f"item,system,judge,human\n{''.join(rows)}"), "-q").out
    table = shown[shown.index("system  ") :].splitlines()
    assert "e+201" in table[2]
    assert max(map(len, table)) <= 100
