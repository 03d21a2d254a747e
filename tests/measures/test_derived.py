"""Ratios and F-scores of columns: what is refused."""

import pytest
from command_line import CommandLine, Write

ROWS = "system,item,tp,fp,fn,words\na,1,3,1,0,5\na,2,2,0,2,7\nb,1,{tp},1,1,{words}\nb,2,1,1,1,4\n"
SPAN = ("--f-score", "span-f1=tp,fp,fn")


def test_negative_counts_are_refused_with_their_place(metaeval: CommandLine, write: Write) -> None:
    path = write("negative.csv", ROWS.format(tp=-3, words=-5))
    message = metaeval.refuses("score", "--task", "table", path, *SPAN)
    assert "-3 in column 'tp' of system 'b', item '1'; expected 0 or more in measure 'span-f1'" in message
    message = metaeval.refuses("score", "--task", "table", path, "--ratio", "rate=fp/words")
    assert "-5 in column 'words' of system 'b', item '1'; expected 0 or more in measure 'rate'" in message
    # What is divided may be negative, such as a difference.
    rows = metaeval.report("score", "--task", "table", path, "--ratio", "rate=tp/fn")["tables"]["scores"]
    assert {row["system"]: row["rate"] for row in rows} == pytest.approx({"a": 2.5, "b": -1})


def test_a_column_of_a_measure_has_no_direction(metaeval: CommandLine, write: Write) -> None:
    call = ("score", "--task", "table", write("scores.csv", ROWS.format(tp=3, words=5)), *SPAN)
    message = metaeval.refuses(*call, "--lower-is-better", "fp")
    assert "--lower-is-better fp, a column of measure 'span-f1', and no measure itself; expected a measure" in message
    assert "name the measure, --lower-is-better span-f1" in message
    metaeval.succeeds(*call, "-m", "fp", "-m", "span-f1", "--lower-is-better", "fp")
