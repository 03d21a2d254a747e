"""The papers' numbers and their verdicts: what is wrong is found, and a changed figure has another verdict."""

from dataclasses import replace

import pytest
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.papers.material import NOTHING, Material, read_material
from metaeval.papers.published import PAPERS, TEXT, Location, Paper, Printed, Verdict, read_paper
from metaeval.papers.reproduction import check_paper
from metaeval.papers.rumours import weights_of
from metaeval.papers.tables import CheckedCell, printed_cells

pytestmark = pytest.mark.slow

EXACT, WITHIN, DIFFERS = Verdict.EXACT, Verdict.WITHIN_ROUNDING, Verdict.DIFFERS
UNATTAINABLE, NEEDS, CHANCE = Verdict.UNATTAINABLE, Verdict.NEEDS_DATA, Verdict.WITHIN_CHANCE

Verdicts = dict[Location, CheckedCell]


def verdicts_of(paper: Paper, material: Material = NOTHING) -> Verdicts:
    return {cell.location: cell for cell in check_paper(paper, material)}


def location(text: str) -> Location:
    """'2 | | MAE-mu | accuracy': table, part, row, column."""
    table, part, row, column = (word.strip() for word in text.split("|"))
    return Location(table, part, row, column)


def changed(paper: Paper, where: Location, text: str) -> Paper:
    """The paper with another figure in one location; a rank keeps its score."""
    if where.table == TEXT:
        statements = [
            replace(one, value=Printed(text)) if (one.name, one.about) == (where.row, where.column) else one
            for one in paper.statements
        ]
        return replace(paper, statements=tuple(statements))
    tables = []
    for table in paper.tables:
        if (table.number, table.part) == (where.table, where.part):
            column = where.column.removesuffix(" rank")
            old = table.cell(where.row, column)
            new = replace(old, rank=int(text)) if column != where.column else replace(old, text=text)
            row = table.row(where.row) | {column: new}
            table = replace(table, cells={**table.cells, where.row: row})
        tables.append(table)
    return replace(paper, tables=tuple(tables))


@pytest.fixture(scope="module")
def all_verdicts() -> dict[str, Verdicts]:
    return {key: verdicts_of(read_paper(key)) for key in PAPERS}


@pytest.mark.parametrize("key", PAPERS)
def test_every_printed_number_has_one_verdict_and_a_reason(key: str) -> None:
    cells = check_paper(read_paper(key))
    assert [(cell.location, cell.printed) for cell in cells] == list(printed_cells(read_paper(key)))
    assert len({cell.location for cell in cells}) == len(cells)
    assert all(cell.judgement.reason for cell in cells)
    # Whatever was computed was judged, and what was not is a choice, impossible, or waits for data.
    for cell in cells:
        if cell.judgement.computed is None:
            assert cell.judgement.verdict in (NEEDS, UNATTAINABLE, Verdict.GIVEN, DIFFERS)


IMPOSSIBLE = {
    "amemiya2021": """
2 | | MAE-mu | accuracy
6 | | MAE-M | mean
6 | | MAE-mu | mean
6 | | F1-mean | mean
text | 5.2 | caption tau | kappa
text | 5.2 | caption tau | alpha-ORD
text | 5.2 | tau of ranks 6 to 10 | kappa
text | 5.2 | tau of ranks 6 to 10 | alpha-ORD
text | 5.3 | highest tau Agree+Discuss | alpha-ORD
text | 5.3 | lowest tau Agree+Discuss | alpha-INT
""",
    "hirao2006": """
5 | | ROUGE-1 | Davg all
5 | | ROUGE-2 | Davg all
5 | | ROUGE-3 | Davg all
5 | | ROUGE-SU4 | mean content
6 | | ROUGE-1 | Davg all
6 | | ROUGE-2 | Davg all
6 | | ROUGE-2 | mean all
6 | | ROUGE-3 | Davg all
6 | | ROUGE-4 | D4 all
6 | | ROUGE-4 | D4 content
6 | | ROUGE-4 | D5 content
7 | | ROUGE-3 | mean all
8 | | ROUGE-S* | D4 all
8 | | WSK d=3 beta=2 | D5 all
8 | | WSK d=4 beta=3 | D1 all
""",
    "inoue2020": "text | 4.2 | share of derivable items |",
    "ordinal2022": "text | correlation | Pearson correlation of the works, about |",
    "scarton2020": "",
}
"""Cells that contradict the rest of their paper, found by hand."""


@pytest.mark.parametrize("key", PAPERS)
def test_what_can_not_be_right_is_found_and_nothing_else(all_verdicts: dict[str, Verdicts], key: str) -> None:
    errors = {where for where, cell in all_verdicts[key].items() if cell.judgement.verdict in (DIFFERS, UNATTAINABLE)}
    assert errors == {location(line) for line in IMPOSSIBLE[key].strip().splitlines() if line}


@pytest.mark.parametrize(
    ("key", "where", "words"),
    [
        ("amemiya2021", "2 | | MAE-mu | accuracy", "odd multiple of 1/91; the nearest are 45/91 and 47/91"),
        ("amemiya2021", "6 | | MAE-M | mean", "0.1721 is 47/273"),
        ("amemiya2021", "6 | | kappa | mean", "truncated"),
        ("amemiya2021", "text | 5.2 | caption tau | kappa", "0.8242 is 75/91"),
        ("amemiya2021", "text | 5.2 | tau of ranks 1 to 5 | kappa", "half Y"),
        ("amemiya2021", "text | 5.3 | highest tau Agree+Discuss | alpha-ORD", "the highest is 0.5384 of alpha-INT"),
        ("amemiya2021", "text | 5.3 | tau with balanced classes Disagree+Discuss | kappa", "0.4066 is 37/91, rounded"),
        ("hirao2006", "4 | short rho | D1 | D4", "with sys5 above sys6 in D4"),
        ("hirao2006", "8 | | ROUGE-S* | D4 all", "the nearest are 91/165 and 93/165; with one tie 0.553"),
        ("hirao2006", "4 | short r | D3 | D4", "the printed inputs allow 0.9686 to 0.9766"),
        ("hirao2006", "10 | short | d=3 | r", "at least the value in table 5: .940 of ESK d=3 beta=3"),
        ("ordinal2022", "text | correlation | Pearson correlation of the works, about |", "tau-b is 0.5930, which is"),
        ("scarton2020", "4 | | DFKI DKT | UPV", "it lies in 0.3507 to 0.4219"),
    ],
)
def test_reasons_come_from_arithmetic(all_verdicts: dict[str, Verdicts], key: str, where: str, words: str) -> None:
    assert words in all_verdicts[key][location(where)].judgement.reason


@pytest.mark.parametrize("length", ["short", "long"])
def test_every_cell_of_hirao_table_4_and_w_are_exact_or_within_rounding(
    all_verdicts: dict[str, Verdicts], length: str
) -> None:
    verdicts = all_verdicts["hirao2006"]
    cells = [cell for where, cell in verdicts.items() if where.table == "4" and where.part.startswith(length)]
    assert len(cells) == 2 * 15
    cells.append(verdicts[Location(TEXT, "4.2", "Kendall's W", length)])
    assert {cell.judgement.verdict for cell in cells} == {EXACT, WITHIN}


# A figure changed in a copy: where, the new text, the verdict before and after.
CHANGES = {
    "amemiya2021": [
        ("2 | | MAE-mu | accuracy", "0.4945", UNATTAINABLE, NEEDS),
        ("2 | | kappa | F1-mean", "0.6100", NEEDS, UNATTAINABLE),
        ("6 | | MAE-M | mean", "0.1355", DIFFERS, EXACT),
        ("6 | | kappa | mean", "0.5531", EXACT, DIFFERS),
        ("7 | ranks | kappa | consistency", "2", EXACT, DIFFERS),
        ("figure 3 | | BERT | both", "501", EXACT, DIFFERS),
        ("text | 5.2 | caption tau | kappa", "0.8681", DIFFERS, EXACT),
        ("text | 5.2 | tau of ranks 6 to 10 | kappa", "0.8000", DIFFERS, EXACT),
        ("text | 4 | systems |", "15", EXACT, DIFFERS),
    ],
    "hirao2006": [
        ("4 | short r | D1 | D2", ".972", EXACT, WITHIN),
        ("4 | short r | D1 | D2", ".975", EXACT, DIFFERS),
        ("4 | short rho | D1 | D4", ".717", WITHIN, EXACT),
        ("5 | | ROUGE-SU4 | mean content", ".873", DIFFERS, EXACT),
        ("5 | | ROUGE-1 | Davg all", ".918", DIFFERS, WITHIN),
        ("6 | | ROUGE-4 | D4 all", ".745", UNATTAINABLE, NEEDS),
        ("10 | short | d=3 | r", ".939", NEEDS, DIFFERS),
        ("10 | short | d=3 | lambda", ".35", NEEDS, UNATTAINABLE),
        ("text | 4.2 | Kendall's W | short", "0.855", WITHIN, EXACT),
        ("text | 5.1 | best mean rho of ROUGE, long | ROUGE-1", "0.860", EXACT, DIFFERS),
    ],
    "inoue2020": [
        ("1 | | train | 2 steps", "5,449", EXACT, DIFFERS),
        ("text | 1 | questions |", "4,748", EXACT, DIFFERS),
        ("text | 4.2 | answer found again | Yes", "94.7%", WITHIN, EXACT),
        ("text | 4.2 | share of derivable items |", "90.9%", DIFFERS, EXACT),
        ("text | 5.1 | gain in F by three references instead of one | entity", "8.9%", EXACT, WITHIN),
    ],
    "ordinal2022": [
        ("labels | | A | number", "7", EXACT, DIFFERS),
        ("values | | 1 apart | MAE", "0.80", EXACT, DIFFERS),
        ("pairs | | pair 3 | verdict", "right", EXACT, DIFFERS),
        ("text | correlation | Pearson correlation of the works, about |", "0.75", DIFFERS, EXACT),
        ("text | correlation | Pearson correlation of the works, about |", "0.76", DIFFERS, WITHIN),
    ],
    "scarton2020": [
        ("1 | counts | deny | 2017", "416", EXACT, DIFFERS),
        ("2 | | Turing | accuracy rank", "2", EXACT, DIFFERS),
        ("2 | | majority class | macro-F1", "0.214", EXACT, DIFFERS),
        ("3 | | all denies | wF2", "0.090", WITHIN, EXACT),
        ("3 | | all denies | wF2", "0.092", WITHIN, DIFFERS),
        ("3 | | Columbia | GMR rank", "7", WITHIN, EXACT),
        ("4 | | DFKI DKT | UPV", "0.430", NEEDS, DIFFERS),
        ("weights | | own | deny", "0.50", EXACT, DIFFERS),
        ("text | 1 | share of comments 2017 |", "67%", EXACT, DIFFERS),
    ],
}


@pytest.mark.parametrize(
    ("key", "where", "text", "before", "after"),
    [(key, *change) for key, changes in CHANGES.items() for change in changes],
)
def test_a_changed_figure_has_another_verdict(
    all_verdicts: dict[str, Verdicts], key: str, where: str, text: str, before: Verdict, after: Verdict
) -> None:
    assert all_verdicts[key][location(where)].judgement.verdict is before
    cell = verdicts_of(changed(read_paper(key), location(where), text))[location(where)]
    assert cell.printed.text == text
    assert cell.judgement.verdict is after, cell.judgement.reason


@pytest.mark.parametrize(
    ("key", "where", "text", "other", "after"),
    [
        ("amemiya2021", "4 | X | Athene | score", "0.2900", "text | 5.2 | caption tau | kappa", DIFFERS),
        ("amemiya2021", "6 | | kappa | Agree+Discuss", "0.4505", "6 | | kappa | mean", DIFFERS),
        ("amemiya2021", "3 | | kappa | tau", "0.7000", "7 | ranks | F1-mean | consistency", DIFFERS),
        ("hirao2006", "3 | short | D1 | sys1", ".350", "4 | short r | D1 | D2", DIFFERS),
        ("hirao2006", "3 | short | D1 | sys9", ".400", "text | 4.2 | Kendall's W | short", DIFFERS),
        ("hirao2006", "5 | | ESK d=2 beta=3 | mean all", ".960", "10 | short | d=2 | r", DIFFERS),
        ("ordinal2022", "works | | work 1 | score", "0.40", "pairs | | pair 1 | inferred", DIFFERS),
        ("scarton2020", "2 | | majority class | accuracy", "0.760", "2 | | majority class | macro-F1", DIFFERS),
        ("scarton2020", "4 | | DFKI DKT | UPV", "0.430", "4 | | DFKI DKT | Mama Edha", DIFFERS),
    ],
)
def test_a_changed_input_changes_what_follows_from_it(
    key: str, where: str, text: str, other: str, after: Verdict
) -> None:
    verdicts = verdicts_of(changed(read_paper(key), location(where), text))
    assert verdicts[location(other)].judgement.verdict is after, verdicts[location(other)].judgement.reason


# With public data


@pytest.fixture(scope="module")
def material() -> Material:
    return read_material(str(SHARED_DATA), PAPERS, weights=weights_of(read_paper("scarton2020")))


@needs_shared_data
def test_r4c_scores_are_exact_against_three_references_and_drawn_with_fewer(material: Material) -> None:
    verdicts = verdicts_of(read_paper("inoue2020"), material)
    by_row: dict[str, list[Verdict]] = {}
    for where, cell in verdicts.items():
        if where.table == "2":
            by_row.setdefault(where.row, []).append(cell.judgement.verdict)
    assert by_row["3 references"] == [EXACT] * 9
    for row in ("1 reference", "2 references"):
        assert set(by_row[row]) <= {CHANCE, EXACT}
    assert all(cell.judgement.computed is not None for where, cell in verdicts.items() if where.row == "CORE")
    far = changed(read_paper("inoue2020"), location("2 | | 1 reference | entity F"), "70.0")
    assert verdicts_of(far, material)[location("2 | | 1 reference | entity F")].judgement.verdict is DIFFERS


@needs_shared_data
def test_the_balanced_classes_have_as_many_items_as_the_rarest_in_gold(material: Material) -> None:
    where = location("text | 5.3 | items per class after balancing |")
    assert verdicts_of(read_paper("amemiya2021"), material)[where].judgement.verdict is EXACT
    other = changed(read_paper("amemiya2021"), where, "698")
    assert verdicts_of(other, material)[where].judgement.verdict is DIFFERS
