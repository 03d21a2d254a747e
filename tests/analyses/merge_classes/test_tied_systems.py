"""Two systems with the same score, whose halves of items rank them in opposite orders."""

from __future__ import annotations

import metaeval


def test_tied_systems_have_no_reliability_and_no_table_without_numbers() -> None:
    gold = list("abc" * 4)
    shifted = [gold[(place + 1) % 3] for place in range(12)]
    systems = {"one": gold[:6] + shifted[6:], "other": shifted[:6] + gold[6:]}
    runs = metaeval.from_labels(systems, gold=gold, labels="a<b<c")
    report = metaeval.merge_classes(runs, ["accuracy", "mae"], permutations=99)
    tables = report.to_dict()["tables"]
    assert [(row["mean"], row["reliability"]) for row in tables["merge_classes"]] == [(None, None)] * 2
    assert [table.name for table in report.shown_and_details()[0]] == ["merge_classes"]
    assert report.findings == ()
