"""Scores a submission in a scoring program of Codabench or CodaLab; nothing that it writes has gold."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

from metaeval.config import ExperimentConfig
from metaeval.config.read import read_config
from metaeval.errors import InputError, Problem, UnknownName, refuse, visible, wrong_count
from metaeval.io.files.run_files import RunFile, files_in_folder
from metaeval.io.labels.tasks import TASKS
from metaeval.model.report import Report
from metaeval.model.runs import DataKind
from metaeval.registry import declaration
from metaeval.render import render
from metaeval.render.files import write_atomically
from metaeval.runner.one import run_analysis
from metaeval.runner.scoring_program import CONFIG, leaderboard_key
from metaeval.work.executor import at_work

_NAME = "submission"
_SHOWN = 20
"""Number of problems that a participant sees."""


def score_submission(input_folder: str, output_folder: str) -> None:
    """Read `ref` and `res` of the input, and write scores.json, scores.txt and detailed_results.html.

    Ends the process with a message for the participant where the submission is invalid.
    """
    submission = Path(input_folder, "res")
    try:
        config = read_config(str(Path(input_folder, "ref", CONFIG)))
        data = replace(config.data, runs=(f"{_NAME}={_run_in(submission, config)}",))
        config = replace(config, data=data)
        with at_work(config):
            report = run_analysis(declaration("score"), config)
    except (InputError, UnknownName) as error:
        sys.exit(_message(error, submission))
    except Exception as error:
        # Its text could contain labels.
        sys.exit(f"The submission could not be scored ({type(error).__name__}).")
    Path(output_folder).mkdir(parents=True, exist_ok=True)
    table = report.table("scores")
    row = next(record for record in table.records() if record["system"] == _NAME)
    measures = {leaderboard_key(name): row.get(name) for name in report.provenance.measures}
    scores = {key: score for key, score in measures.items() if isinstance(score, float) and math.isfinite(score)}
    page = render(_without_gold(report), "html")
    lines = "".join(f"{key}: {score!r}\n" for key, score in scores.items())
    for name, text in {
        "detailed_results.html": page,
        "scores.txt": lines,
        "scores.json": json.dumps(scores) + "\n",
    }.items():
        write_atomically(str(Path(output_folder, name)), [text])
    sys.stdout.write(lines)
    if undefined := [key for key in measures if key not in scores]:
        sys.stdout.write(f"undefined: {', '.join(undefined)}\n")


def _run_in(folder: Path, config: ExperimentConfig) -> str:
    """The file of a submission, or for texts the folder where it has several files."""
    runs: list[RunFile] = files_in_folder(str(folder), None)[0]
    if len(runs) == 1:
        return runs[0].path
    if TASKS[config.data.task].data_kind is DataKind.TEXTS:
        return str(folder)
    raise refuse(str(folder), wrong_count(len(runs), "file", 1, "", where=" in the submission"))


def _without_gold(report: Report) -> Report:
    """The report with the scores alone: counts of confusions, notes and hashes of files tell something about gold."""
    provenance = replace(report.provenance, files=(), repairs={}, command_line="")
    scores = replace(report.table("scores"), beside=None)
    return replace(report, tables=(scores,), findings=(), notes=(), notes_of={}, methods=(), provenance=provenance)


def _message(error: InputError | UnknownName, submission: Path) -> str:
    """What is wrong with the submission; of other files, that they are at fault."""
    problems = error.problems if isinstance(error, InputError) else ()
    paths = [(problem, Path(problem.path)) for problem in problems if problem.path is not None]
    in_submission = [problem for problem, path in paths if path.is_relative_to(submission)]
    if not in_submission:
        return "The reference data of this task cannot be used; please tell the organisers."
    if any(problem.found.startswith("gold label") for problem in in_submission):
        # Which of them differ would tell the others.
        return "The submission has gold labels; it should have predictions only."
    lines = [_line(problem, submission) for problem in in_submission[:_SHOWN]]
    if (more := len(in_submission) - _SHOWN) > 0:
        lines.append(f"and {more:,} more")
    return "\n".join(["The submission is invalid.", *lines])


def _line(problem: Problem, submission: Path) -> str:
    file = Path(str(problem.path)).relative_to(submission)
    return visible(str(replace(problem, path=None if str(file) == "." else str(file))))
