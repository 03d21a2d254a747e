"""A text for each team on its submissions."""

from __future__ import annotations

from urllib.parse import quote

from metaeval.errors import visible
from metaeval.model.report import Report


def team_texts(report: Report) -> dict[str, str]:
    """The text for each team of an audit, by the name of its file."""
    problems: dict[object, list[str]] = {}
    for row in report.table("problems").records():
        problems.setdefault(row["submission"], []).append(visible(str(row["problem"]).strip()))
    measure = next(iter(report.provenance.measures))
    lines: dict[str, list[str]] = {}
    for row in sorted(report.table("audit").records(), key=lambda row: str(row["submission"])):
        value = row[measure]
        score = f", {measure} {value:.4f}" if isinstance(value, float) else ""
        of_team = lines.setdefault(str(row["team"]), [])
        of_team += ["", f"{visible(str(row['submission']))}: {row['status']}{score}"]
        of_team += [f"  {problem}" for problem in problems.get(row["submission"], [])]
    return {
        f"{_file_name(team)}.txt": "\n".join([f"Submissions of {visible(team)}", *of_team, ""])
        for team, of_team in lines.items()
    }


def _file_name(team: str) -> str:
    """A name of a file for each team, whose name may contain what names of files cannot; letters of any script stay."""
    return "".join(sign if sign.isalnum() else quote(sign, safe=" ") for sign in team)
