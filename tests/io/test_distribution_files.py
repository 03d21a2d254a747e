"""Files of distributions: probabilities, counts and votes."""

from functools import partial

import numpy as np
import pytest
from command_line import CommandLine, Write, refusal

from metaeval.errors import InputError
from metaeval.io.dataset import Dataset
from metaeval.io.distributions import read_distributions
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies, Policy
from metaeval.model.runs import DistributionRuns
from metaeval.model.scale import ClassScale
from metaeval.study.study import no_progress

SCALE = ClassScale(("low", "mid", "high"), ordered=True)
GOLD = "item,low,mid,high\nq1,3,1,0\nq2,0,0,2\n"
RUN = "item,low,mid,high\nq2,.2,.3,.5\nq1,1,0,0\n"


def read(
    gold: str, *runs: str, scale: ClassScale | None = SCALE, policies: Policies | None = None,
    columns: Columns | None = None,
) -> Dataset[DistributionRuns]:  # fmt: skip
    return read_distributions(
        gold, runs, scale=scale, columns=columns or Columns(), policies=policies or Policies(), progress=no_progress
    )


refused = partial(refusal, read)


def test_rows_are_divided_by_their_sums_and_joined_by_item(write: Write) -> None:
    dataset = read(write("gold.csv", GOLD), write("svm.csv", RUN))
    runs = dataset.runs
    assert (runs.items, runs.systems) == (("q1", "q2"), ("svm",))
    assert runs.gold.tolist() == [[0.75, 0.25, 0], [0, 0, 1]]
    assert runs.predicted[0].tolist() == [[1, 0, 0], pytest.approx([0.2, 0.3, 0.5])]
    assert dataset.notes == ()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("svm.csv", "id,high,note,low,mid\nq2,.5,x,.2,.3\nq1,0,y,1,0\n"),
        ("svm.csv", "item,low,mid,high\nq2,2,3,5\nq1,1e300,0,0\n"),
        ("svm.jsonl", '{"item": "q1", "low": 1, "mid": 0, "high": 0}\n{"item": "q2", "low": 2, "mid": 3, "high": 5}\n'),
        ("all.csv", "system,item,low,mid,high\nsvm,q2,.2,.3,.5\nsvm,q1,1,0,0\n"),
        ("svm.csv", "item,label,count\nq2,mid,3\nq1,low,1\nq2,low,2\nq2,high,5\n"),
    ],
    ids=["other columns", "large", "JSON lines", "systems", "votes"],
)
def test_the_same_distributions_written_otherwise(write: Write, name: str, written: str) -> None:
    gold = write("gold.csv", GOLD)
    plain, other = read(gold, write("svm.csv", RUN)).runs, read(gold, write(name, written)).runs
    assert other.systems == plain.systems
    assert np.allclose(other.predicted, plain.predicted, rtol=0, atol=1e-15)


def test_votes_of_raters_are_gold(write: Write) -> None:
    votes = "id,annotator,label\nq2,x,high\nq1,x,low\nq1,y,mid\nq1,z,low\nq1,w,low\nq2,y,high\n"
    counts, voted = (
        read(write(name, text), write("svm.csv", RUN)).runs for name, text in (("g.csv", GOLD), ("v.csv", votes))
    )
    assert voted.items == ("q2", "q1")
    assert voted.gold[::-1].tolist() == counts.gold.tolist()
    stars = votes.replace("label", "stars")
    star_runs = read(write("v.csv", stars), write("w.csv", stars), columns=Columns(label="stars")).runs
    assert star_runs.predicted[0].tolist() == star_runs.gold.tolist() == voted.gold.tolist()


def test_without_declared_classes_they_are_those_of_gold_without_order(write: Write) -> None:
    dataset = read(write("gold.csv", GOLD), write("svm.csv", RUN), scale=None)
    assert str(dataset.runs.scale) == "low,mid,high"
    votes = read(
        write("v.csv", "item,label\nq1,low\nq2,high\n"), write("w.csv", "item,label\nq1,high\nq2,high\n"), scale=None
    )
    assert str(votes.runs.scale) == "high,low"
    assert votes.runs.predicted.tolist() == [[[1, 0], [1, 0]]]
    message = refused(write("gold.csv", GOLD), write("svm.csv", "item,low,mid,hi\nq1,1,0,0\n"), scale=None)
    assert message.splitlines() == [
        "2 problems", "  svm.csv:1: header 'item,low,mid,hi'; expected a column 'high'",
        "  svm.csv:1: column 'hi'; expected one of low, mid, high",
        "What to do: did you mean 'hi'?", "What to do: declare the classes with labels, or correct the header.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "where"),
    [("item,low\nq1,1\n", "gold.csv:1: 1 gold label"), ("item,label\nq1,low\n", "gold.csv: 1 gold label")],
)
def test_gold_of_one_class_is_refused_with_its_file(write: Write, text: str, where: str) -> None:
    message = refused(write("gold.csv", text), write("svm.csv", text), scale=None)
    assert f"{where} 'low'; expected 2 or more" in message
    assert "declare the classes with labels" in message


def test_probabilities_of_many_classes_sum_to_1_up_to_the_decimals_they_are_written_with(write: Write) -> None:
    def write_shares(share: str, name: str = "gold.csv") -> str:
        header = ",".join(f"c{number}" for number in range(60))
        return write(name, f"item,{header}\nq1,{','.join([share] * 60)}\n")

    for right in ("0.02", "0.0167", "1.67"):
        read(write_shares(right), write_shares(right, "run.csv"), scale=None)
    assert "but its sum is 1.116; expected probabilities" in refused(
        write_shares("0.0186"), write_shares("0.0186", "run.csv"), scale=None
    )


def test_probabilities_sum_to_1_or_100_and_counts_to_anything(write: Write) -> None:
    gold = write("gold.csv", GOLD)
    for right in (".333,.333,.333", ".33,.33,.33", "33.3,33.3,33.3"):
        runs = read(gold, write("svm.csv", f"item,low,mid,high\nq1,{right}\nq2,1,0,0\n")).runs
        assert np.allclose(runs.predicted[0, 0], 1 / 3)
    for wrong, total in ((".806,.806,0", "1.612"), ("0.2,0.2,0.2", "0.6"), ("2.5,2,0", "4.5"), ("1,1,0", "2")):
        message = refused(gold, write("svm.csv", f"item,low,mid,high\nq2,.5,.5,0\nq1,{wrong}\n"))
        assert f"svm.csv:3: item 'q1', but its sum is {total}; expected probabilities that sum to 1" in message
        assert "write votes with a column 'count'" in message
    missing = refused(
        gold, write("svm.csv", "item,low,mid,high\nq1,.2,.2,.6\nq2,1,0,0\n"), scale=ClassScale(("low", "mid"))
    )
    assert "if ignored columns (high) are classes, add them to labels" in missing
    # Counts of one system beside probabilities of another.
    both = "system,item,low,mid,high\na,q1,2,3,0\na,q2,1,0,0\nb,q1,.5,.5,0\nb,q2,1,0,0\n"
    assert read(gold, write("all.csv", both)).runs.predicted[0, 0].tolist() == pytest.approx([0.4, 0.6, 0])


def test_all_problems_of_a_file_are_told_at_once_with_their_lines(write: Write) -> None:
    run = "item,low,mid,high\nq1,,0,1\nq2,-0.5,1,0\nq3,0,0,0\nq4,inf,0,1\nq5,1,x,nan\n,1,0,0\n"
    lines = refused(write("gold.csv", GOLD), write("svm.csv", run)).splitlines()
    number = "expected a finite number of at least 0"
    assert lines[0] == "7 problems"
    assert lines[1:-1] == [
        f"  svm.csv:2: no value in column 'low'; {number}", f"  svm.csv:3: value '-0.5' in column 'low'; {number}",
        "  svm.csv:4: no number above 0 for item 'q3'; expected at least one",
        f"  svm.csv:5: value 'inf' in column 'low'; {number}", f"  svm.csv:6: value 'x' in column 'mid'; {number}",
        f"  svm.csv:6: value 'nan' in column 'high'; {number}", "  svm.csv:7: no id; expected one in every row",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("item,low,high\nq1,1,0\n", "svm.csv:1: header 'item,low,high'; expected a column 'mid'"),
        ("name,low,mid,high\nq1,1,0,0\n", "svm.csv:1: header 'name,low,mid,high'; expected a column 'item'"),
        (RUN + "q1,0,0,1\n", "svm.csv:4: item 'q1' again for 'svm', first on line 3"),
        (RUN + "q9,0,0,1\n", "svm.csv:4: item 'q9'; expected an item with a reference"),
        ("item,low,mid,high\nq1,1,0,0\n", "svm.csv: no output of 'svm' for item 'q2'"),
        ("item,label\nq1,lo\nq2,\n", "svm.csv:2: label 'lo'; expected one of low, mid, high\n  svm.csv:3: no label"),
        ("item,rater,label\nq1,x,low\nq2,x,low\nq1,x,mid\n",
         "svm.csv:4: rater 'x' again for item 'q1', first on line 2"),
        ("item,label,count\nq1,low,-1\nq2,low,1\n", "svm.csv:2: value '-1' in column 'count'"),
        ("item,label,count\nq1,low,0\nq2,low,1\n", "svm.csv:2: no number above 0 for item 'q1'"),
        ("system,item,low,mid,high\n,q1,1,0,0\n", "svm.csv:2: no name of the system"),
        ("", "svm.csv: the file is empty"),
    ],
)  # fmt: skip
def test_an_invalid_file_is_refused_with_its_line(write: Write, run: str, message: str) -> None:
    assert message in refused(write("gold.csv", GOLD), write("svm.csv", run))


def test_problems_of_several_files_are_one_error(write: Write) -> None:
    message = refused(
        write("gold.csv", GOLD + "q3,0,0,0\n"), write("a.csv", RUN), write("b.csv", RUN.replace("1", "-1"))
    )
    assert "gold.csv:4: no number above 0 for item 'q3'" in message
    assert "b.csv:3: value '-1' in column 'low'" in message
    undeclared = refused(
        write("gold.csv", GOLD + "q3,0,0,0\n"), write("b.csv", RUN.replace("q1,1", "q1,-1")), scale=None
    )
    assert "gold.csv:4" in undeclared
    assert "b.csv:3" in undeclared


def test_policies_drop_items_and_others_have_no_meaning(write: Write) -> None:
    gold, run = write("gold.csv", GOLD), write("svm.csv", "item,low,mid,high\nq1,1,0,0\nq9,1,0,0\n")
    dataset = read(gold, run, policies=Policies(Policy("drop"), drop_extra=True))
    assert (dataset.runs.items, dataset.runs.gold.tolist()) == (("q1",), [[0.75, 0.25, 0]])
    with pytest.raises(InputError, match=r"on_missing='worst', but no class replaces a distribution"):
        read(gold, run, policies=Policies(Policy("worst")))


def test_two_files_of_one_system_and_a_name_for_several_are_refused(write: Write) -> None:
    several = write("all.csv", "system,item,low,mid,high\na,q1,1,0,0\na,q2,1,0,0\nb,q1,1,0,0\nb,q2,1,0,0\n")
    gold = write("gold.csv", GOLD)
    assert read(gold, several).runs.systems == ("a", "b")
    assert "2 systems for the name 'x'" in refused(gold, f"x={several}")
    assert "system 'a' again" in refused(gold, several, write("a.csv", RUN))


def test_the_command_line_scores_files(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", GOLD), write("svm.csv", RUN)
    options = ("score", "--task", "distributions", "--gold", gold, run, "-f", "csv")
    outcome = metaeval.succeeds(*options, "--labels", "low<mid<high")
    assert outcome.column("nmd")["svm"] == pytest.approx(((0.25 + 0) / 2 + (0.2 + 0.5) / 2) / 2)
    assert list(outcome.rows()[0])[1:] == [
        "nmd",
        "rnod",
        "rsnod",
        "jsd",
        "nvd",
        "wasserstein",
        "cross-entropy",
        "brier",
    ]
    valued = metaeval.succeeds(
        *options, "--labels", "low<mid<high", "--class-values", "low=0,mid=1,high=5", "-m", "wasserstein"
    )
    assert valued.column("wasserstein")["svm"] == pytest.approx((0.25 + 0.2 + 0.5 * 4) / 2)
    assert list(metaeval.succeeds(*options, "--preset", "all").rows()[0])[1:] == [
        "jsd",
        "nvd",
        "cross-entropy",
        "brier",
    ]
    assert "on the nominal scale 'low,mid,high'" in metaeval.refuses(*options, "-m", "nmd")
