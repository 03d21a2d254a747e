"""The study of this analysis: verdicts on pairs of outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import join_names
from metaeval.config import ExperimentConfig
from metaeval.errors import Gathered, did_you_mean, not_given, one_of, pluralize, refuse, setting
from metaeval.io.files.run_files import files_of_scores, reject_repeated_files
from metaeval.io.files.source import SourceFiles
from metaeval.judges.preferences.settings import PreferencesSettings
from metaeval.judges.preferences.verdicts import Named, Verdicts, read_verdicts
from metaeval.model.report import AnalysisOutput, Note, Report
from metaeval.study.study import Progress, Sources, report_of


@dataclass(frozen=True)
class PreferencesStudy:
    """Verdicts of people and judges. judged: verdicts of the judges to be evaluated, (V,)."""

    config: ExperimentConfig
    origin: Sources
    verdicts: Verdicts
    judged: NDArray[np.bool_]

    @property
    def contents(self) -> str:
        """What the files contain."""
        verdicts = self.verdicts
        on_items = f"{pluralize(len(verdicts.items), 'verdict')} on {pluralize(verdicts.number_of_items, 'item')}"
        return f"{on_items} and {pluralize(len(verdicts.systems), 'system')}"

    def report(
        self, command: str, part: AnalysisOutput, *, command_line: str, sections: Sequence[object] = ()
    ) -> Report:
        """A report with the signature and the provenance of these verdicts."""
        settings, verdicts = self.config.settings_of(PreferencesSettings), self.verdicts
        fields: list[tuple[str, str | int]] = [
            ("verdicts", len(verdicts.items)),
            ("items", verdicts.number_of_items),
            ("systems", len(verdicts.systems)),
            ("judges", ",".join(settings.judges) or "none"),
            ("ties", settings.ties),
        ]
        if settings.clusters:
            fields.append(("clusters", settings.clusters))
        fields += [("resamples", settings.resamples), ("seed", self.config.seed)]
        return report_of(command, part, fields, self.origin, command_line=command_line)


def read(config: ExperimentConfig, settings: PreferencesSettings, *, progress: Progress) -> PreferencesStudy:
    """Read the files of verdicts; their problems are one `InputError`."""
    if not settings.verdicts:
        raise refuse(config.file.path if config.file else None, not_given("file of verdicts", "verdicts"))
    gathered = Gathered()
    sources = SourceFiles(config.data.open)
    named = Named(settings.id_column, settings.language_pair_column, settings.clusters)
    files = []
    named_files = files_of_scores(settings.verdicts)
    reject_repeated_files(file.path for file in named_files)
    for file in progress(named_files, "Reading verdicts"):
        with gathered.errors():
            files.append(read_verdicts(sources.open(file.path, "verdicts"), named, file.system))
    gathered.raise_any()
    verdicts = Verdicts.of([frame for frame, _ in files], settings.lower_is_better)
    known = verdicts.names_of_judges
    for name in settings.judges:
        if name not in known:
            rule = "a file without a column 'judge' is of a judge with the name of the file"
            raise refuse(
                None, setting("judges", name), one_of(known), did_you_mean(name, known) or rule, kind="unknown"
            )
    judged = np.isin(verdicts.judges, [known.index(name) for name in settings.judges])
    notes = [
        *dict.fromkeys(note for _, notes_on_file in files for note in notes_on_file),
        *sources.notes,
        *_people(verdicts, settings.judges),
        *_repeated(verdicts),
    ]
    origin = Sources((), sources.files, {}, tuple(notes))
    return PreferencesStudy(config, origin, verdicts, judged)


def _people(verdicts: Verdicts, judges: Sequence[str]) -> list[Note | str]:
    """A note on who counts as people, which a judge does that was forgotten."""
    people = [name for name in verdicts.names_of_judges if name not in judges]
    if not people:
        remedy = f"name fewer judges with {setting('judges')}, or add verdicts of people"
        reason = "no agreement with people, no strengths and no human_scores: no verdict is by people"
        return [Note(reason, absent="human_scores", remedy=remedy)]
    names = join_names(people)
    if not judges:
        return [f"every judge counts as people ({names}): name those to be evaluated with {setting('judges')}"]
    return [f"people: {names}; every judge that {setting('judges')} does not name counts as one"]


def _repeated(verdicts: Verdicts) -> list[str]:
    """A note on verdicts of one judge on the same item and systems in the same order."""
    keys = np.stack([verdicts.judges, verdicts.items, verdicts.left, verdicts.right, verdicts.language_pairs])
    again = keys.shape[1] - np.unique(keys, axis=1).shape[1]
    return [f"{pluralize(again, 'verdict')} repeated by the same judge on the same outputs; all count"] if again else []
