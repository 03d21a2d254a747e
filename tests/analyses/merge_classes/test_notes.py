"""Notes of `merge-classes`."""

from __future__ import annotations

from command_line import CommandLine, Write


def test_many_merges_of_distant_classes_have_one_note(metaeval: CommandLine, write: Write) -> None:
    labels = [f"c{number}" for number in range(6)]
    rows = [
        f"{item},{labels[item % 6]},{labels[(item + (item % 5 == 0)) % 6]},{labels[item % 4]}" for item in range(60)
    ]
    table = write("wide.csv", "\n".join(["id,gold,a,b", *rows, ""]))
    call = ("--gold", table, "--labels", "<".join(labels), "-m", "accuracy", "-m", "mae", "--permutations", "9")
    notes = [note for note in metaeval.report("merge-classes", *call)["notes"] if "not adjacent" in note]
    found = "10 merges are of classes that are not adjacent, such as c0 and c2"
    assert notes == [f"{found}: the merged class takes the position of the lowest of them"]
    notes = metaeval.report("merge-classes", *call, "--merge", "c0+c2", "--merge", "c1+c4")["notes"]
    assert [note for note in notes if "not adjacent" in note] == [
        "c0 and c2 are not adjacent: the merged class takes the position of c0",
        "c1 and c4 are not adjacent: the merged class takes the position of c1",
    ]
