"""Writes the scoring program of Codabench and CodaLab, and the reference data that it reads.

program.zip    metadata.yaml and metadata (the command), score.py, requirements.txt
reference.zip  config.yaml (the experiment without runs), and the files that it names
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.read import read_config
from metaeval.errors import InputError, conflict, leave_out, refuse, repeated, setting, unreadable
from metaeval.io.files.source import READABLE
from metaeval.measures import Measure
from metaeval.measures import measure as parse_measure
from metaeval.model.scores import Direction
from metaeval.render.files import make_folder, reject_files, write_together
from metaeval.settings import YAML, options_of
from metaeval.study.capabilities import LABELS
from metaeval.study.read import read_study
from metaeval.study.study import required_gold
from metaeval.version import __version__

PROGRAM, REFERENCE, CONFIG = "program.zip", "reference.zip", "config.yaml"

_FILES = ("gold", "sources", "lexicon")
"""The options of the data that name files of the reference data."""

_UNUSED = ("runs", "human", "human_pool", "clusters", "only_systems", "exclude_systems", "skip_invalid", "engine")
"""Options that have no meaning for a single submission."""

_COMMAND = "command: python3 $program/score.py $input $output\n"

_ENTRY = f'''"""Scores a submission, as Codabench and CodaLab call it: python3 score.py INPUT OUTPUT."""

import sys

VERSION = "{__version__}"

try:
    import metaeval
except ImportError:
    sys.exit(f"The image of this task needs metaeval {{VERSION}}.")
if metaeval.__version__ != VERSION:
    sys.exit(f"The image of this task has metaeval {{metaeval.__version__}} and needs {{VERSION}}.")

from metaeval.runner.submission import score_submission

score_submission(*sys.argv[1:])
'''


def _store(files: dict[str, bytes], path: str, folder: str) -> str:
    """Add a file, or all files of a folder, to files by their names in an archive; the name there."""
    source, name = Path(path), f"{folder}/{Path(os.path.normpath(path)).name}"
    try:
        for file in [source] if source.is_file() else sorted(entry for entry in source.rglob("*") if entry.is_file()):
            member = name if file == source else f"{name}/{file.relative_to(source).as_posix()}"
            content = file.read_bytes()
            if files.setdefault(member, content) != content:
                raise refuse(path, repeated("file", member, hint="give the files different names"))
    except OSError as error:
        raise refuse(path, unreadable("file", error.strerror or error, READABLE)) from None
    if not any(member == name or member.startswith(f"{name}/") for member in files):
        raise refuse(path, "no file", "a file or a folder with files")
    return name


def write_scoring_program(config: ExperimentConfig, folder: str, *, overwrite: bool) -> list[LeaderboardColumn]:
    """Write the two archives to a folder; the columns of the leaderboard."""
    reject_files(folder, overwrite=overwrite)
    archives = _archives(config)
    columns = _leaderboard_columns(archives, config)
    make_folder(folder)
    write_together(folder, archives)
    return columns


def _archives(config: ExperimentConfig) -> dict[str, bytes]:
    """The two archives by their names; an experiment that cannot be scored is an `InputError`."""
    if option := config.data.grouping:
        raise refuse(None, conflict(option, "a scoring program", "all items", leave_out(option)))
    dropping = [name for name in ("on_missing", "on_unknown") if getattr(config.data, name).action == "drop"]
    if dropping:
        expected = "all items, because a submission could leave out difficult ones"
        hint = f"set {setting(dropping[0], 'error')}, or a policy that counts them as wrong"
        raise refuse(None, conflict(setting(dropping[0], "drop"), "a scoring program", expected, hint))
    required_gold(config, "gold")
    reference = _reference_data(config)
    program = {
        "metadata.yaml": _COMMAND,
        "metadata": _COMMAND,
        "score.py": _ENTRY,
        "requirements.txt": f"metaeval=={__version__}\n",
    }
    return {PROGRAM: _zipped({name: text.encode() for name, text in program.items()}), REFERENCE: _zipped(reference)}


@dataclass(frozen=True)
class LeaderboardColumn:
    """A column of the leaderboard in competition.yaml."""

    title: str
    key: str
    index: int
    sorting: str


def _leaderboard_columns(archives: Mapping[str, bytes], config: ExperimentConfig) -> list[LeaderboardColumn]:
    """The columns of the leaderboard, one for each measure; the reference data are read as a check.

    Raises an `InputError` where they cannot be read, or where two measures have one key.
    """
    import yaml

    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(io.BytesIO(archives[REFERENCE])).extractall(folder)
        path = Path(folder, CONFIG)
        # Plugins are loaded already, and each only once.
        whole = {key: value for key, value in yaml.safe_load(path.read_bytes()).items() if key != "plugins"}
        path.write_text(yaml.safe_dump(whole), encoding="utf-8")
        try:
            study = read_study(read_config(str(path)), needs_runs=False)
            study.check_measures()
            runs = study.find(LABELS)
            if runs is not None and "miss" in (config.data.on_missing.action, config.data.on_unknown.action):
                for measure in study.measures:
                    measure.check(replace(runs.scale, misses=True))
        except InputError as error:
            # The user knows the files by other paths.
            relpath = partial(os.path.relpath, start=folder)
            problems = [replace(problem, path=problem.path and relpath(problem.path)) for problem in error.problems]
            raise InputError(problems, hints=error.hints) from None
    measures: Sequence[Measure] = study.measures
    keys = [leaderboard_key(str(measure)) for measure in measures]
    for key in keys:
        if keys.count(key) > 1:
            raise refuse(None, repeated("key of the leaderboard", key, hint="leave out one of these measures"))
    return [
        LeaderboardColumn(measure.title, key, index, "desc" if measure.better is Direction.HIGHER else "asc")
        for index, (measure, key) in enumerate(zip(measures, keys, strict=True))
    ]


def leaderboard_key(measure: str) -> str:
    """The name of a measure in letters, digits and underscores, as in scores.json and on the leaderboard.

    >>> leaderboard_key("kappa:weights=linear")
    'kappa_weights_linear'
    """
    return re.sub(r"[^0-9A-Za-z]+", "_", measure).strip("_")


def _reference_data(config: ExperimentConfig) -> dict[str, bytes]:
    """The files of the reference data, with an experiment that names them."""
    import yaml

    files: dict[str, bytes] = {}
    data = {}
    for name, option in options_of(DataConfig).items():
        value = getattr(config.data, name)
        if YAML not in option.where or name in _UNUSED or value == getattr(DataConfig(), name):
            continue
        if name in _FILES and (name != "lexicon" or Path(value).exists()):
            value = _store(files, value, name)
        data[option.key] = _plain(value)
    measures = [parse_measure(name).with_files(partial(_store, files, folder="measures")) for name in config.measures]
    whole = {
        "plugins": [_store(files, path, "plugins") for path in config.plugins],
        "data": data,
        "measures": list(map(str, measures)),
        "preset": config.preset,
    }
    text = yaml.safe_dump({key: value for key, value in whole.items() if value}, sort_keys=False, allow_unicode=True)
    return {CONFIG: text.encode(), **files}


def _plain(value: object) -> object:
    """The value of an option as YAML has it."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    return list(map(str, value)) if isinstance(value, tuple) else str(value)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive of files, the same for the same files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return content.getvalue()
