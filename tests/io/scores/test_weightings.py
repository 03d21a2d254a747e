"""Files of weightings of classes: their contents, and their errors."""

import hashlib
from pathlib import Path

import pytest
from command_line import Write, refusal
from hypothesis import given
from hypothesis import strategies as some

from metaeval.errors import InputError
from metaeval.io.scores.table import read_weightings

HEAD = "weights,support,deny,query,comment\n"


def refused(write: Write, text: str) -> str:
    return refusal(read_weightings, write("weights.csv", text))


def test_every_row_is_a_weighting_by_its_name(write: Write) -> None:
    text = HEAD + "paper,.40,.40,.15,.05\n\n mama edha ,0.157, 0.396 ,0.399,4.8e-2\neven,1,1,1,1\n"
    weightings, opened = read_weightings(write("weights.csv", text))
    assert weightings == {
        "paper": {"support": 0.4, "deny": 0.4, "query": 0.15, "comment": 0.05},
        "mama edha": {"support": 0.157, "deny": 0.396, "query": 0.399, "comment": 0.048},
        "even": {"support": 1, "deny": 1, "query": 1, "comment": 1},
    }
    assert list(weightings) == ["paper", "mama edha", "even"]
    (file,) = opened.files
    assert (file.path, file.role) == ("weights.csv", "weights")
    assert file.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_tabs_quotes_and_classes_in_any_order_are_read(write: Write) -> None:
    weightings, _ = read_weightings(write("weights.tsv", "name\tdeny\tsupport\na, b\t1\t2\n"))
    assert weightings == {"a, b": {"deny": 1, "support": 2}}
    weightings, _ = read_weightings(write("weights.csv", 'name,"deny, or doubt",support\r\n"a, b",1,0\r\n'))
    assert weightings == {"a, b": {"deny, or doubt": 1, "support": 0}}


@given(
    names=some.lists(some.text("abcxyz .-", min_size=1).map(str.strip).filter(bool), unique=True, min_size=1),
    number=some.floats(min_value=0, allow_infinity=False),
)
def test_a_weight_is_read_to_its_last_digit(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], number: float
) -> None:
    path: Path = tmp_path_factory.mktemp("weights") / "weights.csv"
    path.write_text("weights,a,b\n" + "".join(f"{name},{number!r},1\n" for name in names))
    weightings, _ = read_weightings(str(path))
    assert weightings == {name: {"a": number, "b": 1.0} for name in names}


def test_every_cell_that_is_no_weight_is_told_with_its_line(write: Write) -> None:
    message = refused(write, HEAD + "a,.4,.4,x,.05\n\nb,1,-1,inf,nan\nc,1,1,1,\n a,1,1,1,1\n")
    for part in (
        "weights.csv:2: weight 'x' in column 'query'; expected a finite number of at least 0",
        "weights.csv:4: weight '-1' in column 'deny'",
        "weights.csv:4: weight 'inf' in column 'query'",
        "weights.csv:4: weight 'nan' in column 'comment'",
        "weights.csv:5: no weight in column 'comment'",
        "weights.csv:6: weighting 'a' again; expected every weighting once",
    ):
        assert part in message


def test_absent_broken_nameless_and_bare_files_are_refused(write: Write) -> None:
    with pytest.raises(InputError, match=r"weights\.csv: no such file"):
        read_weightings("weights.csv")
    bare = refused(write, HEAD)
    assert "weights.csv:1: a header and no rows" in bare
    assert "item" not in bare
    assert "weights.csv:2" in refused(write, HEAD + ",1,1,1,1\n")
    assert "weights.csv:2: 4 cells; expected 5" in refused(write, HEAD + "a,1,1,1\n")
    assert "weights.csv:1: column 'support' again" in refused(write, "weights,support,support\na,1,2\n")
