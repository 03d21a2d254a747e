"""Titles of measures in reports for readers."""

from dataclasses import replace

from render.made_up import report, scores_of

from metaeval.measures import REGISTRY, measure
from metaeval.model.report import Column, Finding, Note, Report, Table
from metaeval.render import FORMATS, render
from metaeval.render.sections import with_titles

TITLES = {"accuracy": "Accuracy", "mae": "Mean absolute error", "mae:average=micro": "Mean absolute error (micro)"}


def made(*tables: Table, finding: str = "accuracy is stable", titles: dict[str, str] = TITLES) -> Report:
    whole = report(*tables, notes=["mae:average=micro, mae and accuracy-like (accuracy_low)"])
    origin = replace(whole.provenance, titles=titles)
    return replace(whole, provenance=origin, findings=(Finding("score", finding),), notes_of={"score": (Note("mae"),)})


def test_columns_cells_and_sentences_have_titles_and_names_of_users_stay() -> None:
    columns = (Column("measure"), Column("system"), Column("mae:average=micro_low"))
    titled = with_titles(made(Table("t", "Under mae", columns, (("mae", "mae", "accuracy"),))))
    (table,) = titled.tables
    assert [column.name for column in table.columns] == ["measure", "system", "Mean absolute error (micro)_low"]
    assert table.title == "Under Mean absolute error"
    assert table.rows == (("Mean absolute error", "mae", "Accuracy"),)
    assert titled.findings[0].sentence == "Accuracy is stable"
    assert with_titles(made(finding="score.accuracy.a > mae: 1, mae:average=micro: 2.")).findings[0].sentence == (
        "score.accuracy.a > Mean absolute error: 1, Mean absolute error (micro): 2."
    )
    note = "Mean absolute error (micro), Mean absolute error and accuracy-like (Accuracy_low)"
    assert titled.notes == (Note(note),)
    assert titled.notes_of == {"score": (Note("Mean absolute error"),)}
    assert titled.signature == made().signature


def test_names_with_the_same_title_stay() -> None:
    twins = made(scores_of(["a"], [0.5]), titles={"accuracy": "A", "mae": "A"})
    assert with_titles(twins) == twins


def test_formats_for_papers_and_pages_have_titles_and_others_names() -> None:
    one = made(scores_of(["a", "b"], [0.5, 0.25]))
    usual = {name: "Accuracy" in render(one, name) for name in FORMATS if name != "json"}
    assert [name for name, titles in usual.items() if titles] == ["markdown", "latex", "html"]
    for name in ("csv", "table"):
        assert "Accuracy" in render(one, name, titles=True)
    assert "Accuracy" not in render(one, "latex", titles=False)


def test_titles_of_measures_with_parameters_differ_and_are_short() -> None:
    variants = [one for declared in REGISTRY.values() for one in declared.variants()]
    titles = [one.title for one in variants]
    assert len(set(titles)) == len(titles) > 40
    assert max(map(len, titles)) <= 55
    assert measure("rouge-su:skip=all,stem=porter").title == "ROUGE-SU (all, porter)"
