"""Rows of systems brought together with the rows of gold."""

import numpy as np
import pytest
from command_line import refusal

from metaeval.errors import InputError
from metaeval.io.files.source import SourceFiles
from metaeval.io.labels.join import Policies, Policy
from metaeval.io.texts.outputs import OutputIndex, join_outputs


def index(system: str, *items: str, empty: tuple[int, ...] = (), complete: bool = True) -> OutputIndex:
    """Rows of a system, or of gold where it is ''; every row of gold is a reference of its own."""
    blank = np.isin(np.arange(len(items)), empty)
    names = () if system else tuple(str(row) for row in range(len(items)))
    return OutputIndex(
        system, f"{system or 'gold'}.x", items, blank, lambda row: (f"{system}.x", row + 1), names, complete
    )


def test_references_of_an_item_come_together_in_their_order() -> None:
    joined = join_outputs(index("", "b", "a", "b", "c", "a"), [index("s", "a", "b", "c")], Policies())
    assert joined.items == ("b", "a", "c")
    assert joined.references.tolist() == [0, 2, 1, 4, 3]
    assert joined.reference_counts.tolist() == [2, 2, 1]
    assert [rows.tolist() for rows in joined.outputs] == [[1, 0, 2]]


def test_an_item_is_dropped_for_every_system_and_only_what_stays_is_told_as_empty() -> None:
    gold = index("", "a", "b", "b", empty=(0, 1))
    systems = [index("s", "b", empty=(0,)), index("t", "a", "b", empty=(0,))]
    joined = join_outputs(gold, systems, Policies(Policy("drop")))
    assert (joined.items, joined.references.tolist()) == (("b",), [1, 2])
    assert [rows.tolist() for rows in joined.outputs] == [[0], [1]]
    once = ("missing", "items_dropped", "empty_outputs", "empty_references")
    assert joined.repairs == {"extra_dropped": 0} | dict.fromkeys(once, 1)
    assert joined.notes == (
        "1 missing output: their items are dropped (s)",
        "dropped 1 item for every system",
        "1 empty output of s scores 0",
        "1 empty reference",
    )


def test_shares_are_told_where_several_systems_are_concerned() -> None:
    systems = [index("s", "a", "x", "y"), index("t", "a", "z"), index("u", "a")]
    joined = join_outputs(index("", "a"), systems, Policies(drop_extra=True))
    assert joined.notes == ("dropped 3 outputs for items without a reference (s 2, t 1)",)


def test_problems_of_all_systems_are_told_together() -> None:
    systems = [index("s", "a", "a"), index("t", "b", "tale1")]
    message = refusal(join_outputs, index("", "a", "b", "tale"), systems, Policies())
    for part in (
        "s.x:2: item 'a' again for 's', first on line 1",
        "s.x: no output of 's' for item 'b'",
        "t.x:2: item 'tale1'; expected an item with a reference",
        "t.x: no output of 't' for item 'a'",
        "did you mean 'tale'?",
    ):
        assert part in message


def test_what_could_not_be_read_is_not_missing_and_a_file_cut_short_suspected() -> None:
    assert join_outputs(index("", "a", "b"), [index("s", "a", complete=False)], Policies()).items == ("a", "b")
    gold = index("", "a", complete=False)
    assert join_outputs(gold, [index("s", "a", "b")], Policies()).items == ("a",)
    with pytest.raises(InputError, match=r"the file ends before item 'c': it may be truncated"):
        join_outputs(index("", "a", "b", "c"), [index("s", "a", "b")], Policies())
    items = [f"x{number}" for number in range(31)]
    with pytest.raises(InputError, match=r"(?s)item 'x19'.*and 11 more") as error:
        join_outputs(index("", "a"), [index("s", "a", *items)], Policies())
    assert "'x20'" not in str(error.value)


def test_a_file_opened_twice_is_one_file_unless_it_is_gold_and_run(tmp_path: object) -> None:
    path = f"{tmp_path}/a.txt"
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(b"\xe9")
    opened = SourceFiles()
    for role in ("run", "gold", "run"):
        opened.open(path, role)
    assert [file.role for file in opened.files] == ["gold", "run"]
    assert opened.notes == (f"{path} is not UTF-8: its lines that are not were read as cp1252",)
