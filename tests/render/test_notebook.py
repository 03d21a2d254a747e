"""What a notebook shows."""

from metaeval.model.report import Column, Finding, Kind, Note, Provenance, Report, Table
from metaeval.render.result import MAX_ROWS, fragment


def report(*tables: Table) -> Report:
    findings = (Finding("score", "a & b tie"),)
    return Report("score", "metaeval:0|scale:a<b", tables, (Note("1 < 2"),), Provenance("0"), findings)


def scores(rows: int, *, detail: bool = False) -> Table:
    columns = (Column("system"), Column("accuracy", Kind.SCORE, higher_is_better=True))
    cells = tuple((f"s{number}", number / rows) for number in range(rows))
    return Table("details" if detail else "scores", "A <table>", columns, cells, detail=detail)


def test_text_of_anybody_is_escaped_and_needs_nothing_from_elsewhere() -> None:
    page = fragment(report(scores(2)))
    assert not any(word in page for word in ("<script", "http", "src=", "url("))
    assert "<b>0.5000</b>" in page
    assert "best in bold" in page
    for text in ("A &amp; b tie", "<summary>1 note</summary><p><small>1 &lt; 2", "A &lt;table&gt;", "scale:a&lt;b"):
        assert text in page


def test_a_long_table_is_cut_and_says_how_to_get_the_rest() -> None:
    page = fragment(report(scores(MAX_ROWS + 1)))
    assert page.count("<tr>") == MAX_ROWS + 1
    assert f"the first {MAX_ROWS} of {MAX_ROWS + 1} rows; to_pandas(&#x27;scores&#x27;) returns all" in page
    assert "returns all" not in fragment(report(scores(MAX_ROWS)))


def test_details_are_named_and_not_shown() -> None:
    page = fragment(report(scores(2), scores(3, detail=True)))
    assert "Not shown: to_pandas(&#x27;details&#x27;)" in page
    assert page.count("<table>") == 1
