"""The formats, the full precision of those for programs, and the escapes of those for papers and pages."""

import csv
import io
import json
import math
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from render.made_up import EXOTIC, SIGNATURE, SYSTEMS, report, scores_of, stance

from metaeval.errors import UnknownName, visible
from metaeval.model.report import Column, Kind, Table
from metaeval.render import FORMATS, render

NAMES = st.text(st.characters(exclude_categories=["Cs"]))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def test_formats_have_names() -> None:
    assert list(FORMATS) == ["table", "chart", "csv", "tsv", "json", "markdown", "latex", "html"]
    with pytest.raises(UnknownName, match="Did you mean 'markdown'") as caught:
        render(stance(), "markdwon")
    assert caught.value.close_matches == ("markdown",)


@pytest.mark.parametrize("format_name", FORMATS)
def test_every_format_ends_in_one_newline_shows_its_columns_and_can_be_encoded(format_name: str) -> None:
    assert re.search(r"[^\n]\n\Z", render(stance(), format_name))
    assert "accuracy" in render(report(scores_of([], [])), format_name) or format_name == "json"
    assert r"\udc80" in render(report(scores_of(["not\udc80utf-8"], [0.5])), format_name).replace(
        r"\textbackslash{}", "\\"
    ).replace(r"\\", "\\")
    render(report(scores_of(["\udc80"], [0.5])), format_name).encode("utf-8")


RENDERS = """
import sys
from metaeval.model.report import Column, Provenance, Report, Table
from metaeval.render import render
report = Report('c', 's', (Table('t', 'T', (Column('a'),), (('x',),)),), (), Provenance('0'))
for name in ('csv', 'tsv', 'json', 'markdown', 'latex'):
    render(report, name)
assert not {'rich', 'pandas', 'numpy', 'click'} & set(sys.modules)
render(report, 'table')
assert 'rich' in sys.modules
"""


def test_rich_is_imported_for_the_terminal_only() -> None:
    subprocess.run([sys.executable, "-c", RENDERS], check=True)


# CSV and TSV


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@given(st.lists(st.tuples(NAMES, FLOATS), min_size=1))
def test_csv_reads_back_to_the_same_names_and_floats(rows: list[tuple[str, float]]) -> None:
    names, values = zip(*rows, strict=True)
    header, *body = read_csv(render(report(scores_of(names, values)), "csv"))
    assert header == ["system", "accuracy"]
    assert [name for name, _ in body] == list(names)
    assert [float(cell).hex() for _, cell in body] == [value.hex() for value in values]


@given(st.lists(st.tuples(NAMES, FLOATS), min_size=1))
def test_tsv_reads_back_line_by_line_and_tab_by_tab(rows: list[tuple[str, float]]) -> None:
    names, values = zip(*rows, strict=True)
    unescaped = {r"\t": "\t", r"\n": "\n", r"\r": "\r", r"\\": "\\"}
    lines = render(report(scores_of(names, values)), "tsv").removesuffix("\n").split("\n")
    body = [line.split("\t") for line in lines[1:]]
    assert [re.sub(r"\\.", lambda match: unescaped[match[0]], name) for name, _ in body] == list(names)
    assert [float(cell).hex() for _, cell in body] == [value.hex() for value in values]


@pytest.mark.parametrize(("format_name", "separator"), [("csv", ","), ("tsv", "\t")])
def test_flags_counts_and_undefined_values_are_plain(format_name: str, separator: str) -> None:
    columns = (Column("s"), Column("trivial", Kind.FLAG), Column("n", Kind.COUNT), Column("x", Kind.SCORE))
    rows = (("a", True, 7064, math.nan), ("b", False, None, 1e-300))
    text = render(report(Table("t", "T", columns, rows)), format_name)
    assert text.replace(separator, ",") == "s,trivial,n,x\na,true,7064,\nb,false,,1e-300\n"


def test_undefined_values_at_the_end_keep_their_rows() -> None:
    column = Table("t", "T", (Column("x", Kind.SCORE),), ((1.0,), (None,), (math.nan,)))
    assert render(report(column), "tsv") == "x\n1.0\n\n\n"
    assert read_csv(render(report(column), "csv")) == [["x"], ["1.0"], [""], [""]]


# JSON


@given(st.lists(st.tuples(st.text(), FLOATS.filter(math.isfinite))), st.lists(st.text()), st.text())
def test_json_reads_back_to_the_report(rows: list[tuple[str, float]], notes: list[str], signature: str) -> None:
    names = [name for name, _ in rows]
    values = [value for _, value in rows]
    original = report(scores_of(names, values), notes=notes, signature=signature)
    parsed = json.loads(render(original, "json"))
    # A pair of surrogates in a name is the character that they encode, in JSON as in UTF-16.
    assert parsed == json.loads(json.dumps(original.to_dict()))
    assert [row["accuracy"].hex() for row in parsed["tables"]["scores"]] == [value.hex() for value in values]


def test_json_has_a_row_of_a_table_on_each_line() -> None:
    lines = render(stance(), "json").splitlines()
    assert all(sum(f'"{system}"' in line for line in lines) == 2 for system in SYSTEMS)


def test_json_keeps_what_people_wrote_readable() -> None:
    assert '"模型甲乙"' in render(report(scores_of(EXOTIC, [0.5] * len(EXOTIC))), "json")


# Markdown


def markdown_cells(text: str) -> list[str]:
    """The texts of the cells of a table, as a Markdown parser sees them; markup in one makes it differ."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    cells = [tokens[index + 1] for index, token in enumerate(tokens) if token.type in {"th_open", "td_open"}]
    assert all({child.type for child in cell.children or []} <= {"text", "text_special"} for cell in cells)
    return ["".join(child.content for child in cell.children or []) for cell in cells]


@given(NAMES)
def test_a_markdown_parser_reads_every_name_as_it_is(name: str) -> None:
    text = render(report(scores_of([name, "other"], [None, None])), "markdown")
    assert markdown_cells(text)[2].strip() == visible(name).strip()


@pytest.mark.parametrize("name", [*EXOTIC, "_a_", "**b**", "<b>c</b>", "`d`", "&amp;", "[e](f)", "\\|", "~~g~~"])
def test_markdown_takes_no_markup_from_names(name: str) -> None:
    text = render(report(scores_of([name, "other"], [None, None])), "markdown")
    assert markdown_cells(text) == ["system", "accuracy", visible(name).strip(), "—", "other", "—"]


def test_markdown_aligns_rounds_and_marks_the_best() -> None:
    lines = render(report(scores_of(["a", "atlas_large"], [0.55555, 0.75])), "markdown", digits=2).splitlines()
    assert lines[0] == "## Scores"
    assert lines[2:6] == ["| system | accuracy |", "| --- | ---: |", "| a | 0.56 |", "| atlas_large | **0.75** |"]
    assert lines[-1] == f"`{SIGNATURE}`"


def test_markdown_puts_ranks_in_parentheses_and_arrows_on_what_should_be_low() -> None:
    text = render(stance(), "markdown", every_column=True)
    assert "| ↓ mae:average=macro |" in text
    assert re.search(r"\| \*\*0\.\d{4}\*\* \(1\) \|", text)
    assert "ranks in parentheses; best in bold; ↓ lower is better; — undefined" in text


# LaTeX

LATEX_COMMANDS = re.compile(r"\\text[a-z]+\{\}|\\[&%$#_{}]|\{[\[\]*]\}|\{-\}|\$\\[a-z]+\$")


@given(NAMES)
def test_latex_leaves_no_special_character_of_a_name(name: str) -> None:
    text = render(report(scores_of([name], [0.5])), "latex")
    (row,) = [line for line in text.split("\n") if line.endswith(r" & 0.5000 \\")]
    rest = LATEX_COMMANDS.sub("", row.removesuffix(r" & 0.5000 \\"))
    assert not set(rest) & set("\\&%$#_{}~^<>[]*|")
    # Hyphens next to each other are the dashes of the name, and no others.
    assert sum(map(len, re.findall("-{2,}", rest))) == 3 * name.count("—") + 2 * name.count("–")


LATEX = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{Scores (best in bold)}
  \label{tab:scores}
  \begin{tabular}{lr}
    \toprule
    system & accuracy \\
    \midrule
    R\&D\_100\% & \textbf{0.75} \\
    b & $-$0.50 \\
    \bottomrule
  \end{tabular}
\end{table}
\par Note: 100\% of it
"""


def test_latex_is_a_booktabs_table() -> None:
    report_ = report(scores_of(["R&D_100%", "b"], [0.75, -0.5]), notes=["100% of it"])
    assert render(report_, "latex", digits=2, notes=True) == f"{LATEX}% {SIGNATURE}\n"


def test_latex_writes_undefined_ranks_and_arrows_as_commands() -> None:
    text = render(stance(), "latex", every_column=True)
    assert "--- (14)" in text
    assert r"\shortstack[r]{$\downarrow$ mae:\\average=macro}" in text
    assert not re.search("[—↓•]", text)


# What readers see in every format


def test_markdown_and_latex_have_the_tables_of_the_terminal() -> None:
    detail = Table("pairs", "Every pair", (Column("system"), Column("p", Kind.SCORE)), (("a", 0.123456),), detail=True)
    made = report(*stance().tables, detail)
    terminal = render(made, "table")
    assert "Every pair" not in terminal
    for name in ("markdown", "latex"):
        text = render(made, name)
        assert "Every pair" not in text
        assert "0.1235" not in text
        assert re.search(r"Not shown: .*tables pairs", text)
        numbers = re.findall(r"0\.\d{4}", text)
        assert sorted(numbers) == sorted(re.findall(r"0\.\d{4}", terminal))
        assert len(numbers) == len(SYSTEMS) * 9 - 2
