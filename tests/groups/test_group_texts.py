"""What groups of items lack, titles and notes of their tables, and the verdicts of groups beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, refusals

import metaeval
from metaeval.analyses.plan.goals import Requirement
from metaeval.analyses.recommend.report import on_groups
from metaeval.errors import InputError, UnknownName
from metaeval.model.report import AnalysisOutput, Column, Table, group_report, merged_output

SYSTEMS = {"zh": "abc", "de": "abd", "ru": "abc"}


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two measures of 12 items in three groups; system d is only in de, c in the others; measure m2 is not in ru."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(4)
    heads: dict[str, list[str]] = {"most": ["lp,system,item,m1,m2"], "ru": ["lp,system,item,m1"], "few": []}
    for group, systems in SYSTEMS.items():
        for index, system in enumerate(systems):
            for item in range(12):
                one, other = (random.normal(index, 1, 2)).round(3)
                row = f"{group},{system},{item},{one}"
                heads["ru" if group == "ru" else "most"].append(row + ("" if group == "ru" else f",{other}"))
                if group != "ru" or item == 0:
                    heads["few"].append(row)
    heads["few"].insert(0, "lp,system,item,m1")
    for name, lines in heads.items():
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(*runs: str, **options: Any) -> Any:
    return metaeval.read([*runs] or ["most.csv", "ru.csv"], task="table", group="lp", **options)


def test_groups_without_a_system_that_is_named_are_left_out_with_a_note() -> None:
    result = metaeval.compare(read(), "m1", systems=["a", "d"], permutations=99)
    assert result.groups == ("de",)
    assert "groups without system 'd' are left out: zh, ru" in map(str, result.notes)
    alone = metaeval.compare(read(), "m1", systems=["a", "b"], permutations=99)
    assert group_report(alone, "ru").groups == ()
    assert not any("left out" in note for note in map(str, alone.notes))


def test_groups_without_a_measure_that_is_named_are_left_out_and_others_have_a_note() -> None:
    result = metaeval.score(read(), "m2")
    assert result.groups == ("zh", "de")
    assert "groups without measure 'm2' are left out: ru" in map(str, result.notes)
    every = metaeval.score(read())
    assert every.groups == ("zh", "de", "ru")
    assert "measure m2 is not in ru" in map(str, every.notes)
    over = {row["system"]: row["m2"] for row in every.to_dict()["tables"]["scores_over_groups"]}
    assert over["a"] is None


def test_a_name_of_no_group_is_an_error_and_one_name_for_each_group_names_the_groups() -> None:
    with pytest.raises(UnknownName, match="unknown system 'e'") as error:
        metaeval.compare(read(), "m1", systems=["e", "a"])
    assert set(error.value.known) == set("abcd")
    # Each group lacks another one of these systems.
    with pytest.raises(InputError, match=r"group 'zh': unknown system 'd'(?s:.)*group 'de': unknown system 'c'"):
        metaeval.compare(read(), "m1", systems=["c", "d"])


@refusals("""
score --task table most.csv --group system => --group system, the column of the systems; expected a column that divides
score --task table most.csv --group item => the column of the items; expected a column that divides the items
score --task table most.csv --group measure => the column of the measures
score --task table most.csv --group m2 -m m2 => --group m2, the column of the scores
correlate --task table most.csv --group m2 --human m2 => --group m2, the column of the human scores
stability --task table few.csv --group lp =>
    group 'ru': 0 items in each half | merge the group with another one | leave out
compare --task table few.csv --group lp => group 'ru': 1 item; expected at least two | another one in the column lp
compare --task table most.csv --group lp -m m1 --system d --baseline d => group 'de': one system (d)
""")
def test_errors_say_what_to_do_about_a_group(metaeval: CommandLine, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, *words)


def test_titles_say_what_tables_show_and_notes_on_hidden_columns_are_not_printed(metaeval: CommandLine) -> None:
    words = ("stability", "--task", "table", "most.csv", "--group", "lp", "--trials", "20", "--permutations", "99")
    shown = metaeval.succeeds(*words)
    titles = ["Stability of rankings by lp: mean", "Stability of rankings over 2 groups (lp): mean"]
    assert [title for title in titles if title not in shown.out] == []
    assert "\nranks in parentheses" in shown.out
    assert "share a letter" not in shown.out
    assert "share a letter" in metaeval.succeeds(*words, "--table", "stability").out


def test_an_upper_end_at_the_largest_amount_is_open() -> None:
    nothing = np.empty(0)
    ends = [
        Requirement(4.0, 1.0, high, 0.5, nothing, nothing, nothing, nothing, most=960.0).high for high in (959.2, 959.0)
    ]
    assert ends == [float("inf"), 959.0]


def verdicts(**advice: str) -> list[str]:
    """The findings on groups, of the measure that is advised in each."""
    outputs = {}
    for group, measure in advice.items():
        verdict = Table("verdict", "", tuple(map(Column, ("outcome", "measure"))), (("use", measure),))
        outputs[group] = AnalysisOutput([verdict])
    merged = {table.name: table for table in merged_output(outputs).tables}
    return [finding.sentence for finding in on_groups(merged)]


def test_the_first_finding_on_verdicts_says_which_measure_each_group_advises() -> None:
    assert verdicts(a="f1", b="f1") == ["the groups agree: both groups advise f1"]
    assert verdicts(a="f1", b="f1", c="mcc") == ["the 3 groups do not agree: a and b advise f1; c advises mcc"]
    assert verdicts(a="f1", b="") == ["the 2 groups do not agree: a advises f1; b none"]
    assert verdicts(a="", b="") == ["no measure is advised in any of the 2 groups"]


def test_verdicts_of_groups_stand_beside_each_other(metaeval: CommandLine) -> None:
    words = ("recommend", "--task", "table", "most.csv", "--group", "lp", "--permutations", "99", "--halves", "0")
    report = metaeval.report(*words)
    by_group = {(row["group"], row["measure"]): row["verdict"] for row in report["tables"]["recommend"]}
    table = report["tables"]["recommend_by_group"]
    assert by_group == {(group, row["measure"]): row[group] for row in table for group in ("zh", "de")}
    assert not {"recommend_over_groups", "recommend_ranks_by_group"} & set(report["tables"])
    assert report["findings"][0]["sentence"] == "the groups agree: both groups advise m1"
    assert "Evidence on 2 measures and 3 pairs of systems by lp" in metaeval.succeeds(*words).out
