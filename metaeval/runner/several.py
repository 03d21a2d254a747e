"""A whole experiment file, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeVar

from metaeval import analyses
from metaeval.analyses.declaration import RUNS
from metaeval.analyses.merge_classes import compute as merging
from metaeval.analyses.merge_classes import tables as merging_tables
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.similarity import compute as similarity
from metaeval.analyses.similarity import tables as similarity_tables
from metaeval.analyses.similarity.compute import Similarities
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability import compute as stability
from metaeval.analyses.stability import tables as stability_tables
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.config import ExperimentConfig
from metaeval.errors import ConfigError
from metaeval.experiment.criteria import (
    consistency_table,
    discrimination_table,
    groups_table,
    sections_of,
    summary_tables,
)
from metaeval.experiment.plan_tables import plan_tables
from metaeval.experiment.plans import check_plan, find_plan
from metaeval.experiment.sensitivities import find_sensitivities, sensitivity_tables
from metaeval.io.dataset import Track
from metaeval.model.report import Report, Table
from metaeval.runner.one import check_analysis, part_of, section_of
from metaeval.settings import AnalysisSettings
from metaeval.study.human import People, people_of
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study
from metaeval.study.signature import Section
from metaeval.study.study import Part, Study, silently
from metaeval.work.checkpoint import Checkpoint, NoCheckpoint

Found = TypeVar("Found")

_ORDER = (
    *("score", "similarity", "stability", "merge-classes", "summary"),
    *("correlate", "agreement", "sensitivity", "robustness", "references"),
    *("power", "compare", "plan", "explain"),
)
SECTIONS = (
    *_ORDER,
    *(name for name in analyses.declared() if name not in _ORDER and analyses.analysis(name).in_experiments),
)

DETAILS = tuple(table for name in analyses.declared() for table in analyses.analysis(name).details)

_COMBINED = ("score", "similarity", "stability", "merge-classes", "summary")
"""Those that `_shared` runs."""


def run(
    config: ExperimentConfig, *, command_line: str = "", track: Track = silently, checkpoint: Checkpoint | None = None
) -> Report:
    """Every analysis that an experiment file has a section for, in one report; what two need is computed once.

    checkpoint: stores the outputs of sections; those that it has already are not computed again.
    """
    check_sections(config)
    return run_study(read_study(config, track=track), command_line=command_line, track=track, checkpoint=checkpoint)


def check_sections(config: ExperimentConfig) -> None:
    """Raise a `ConfigError` where there is no analysis to run."""
    if not any(wants(config, section) for section in SECTIONS):
        raise ConfigError(
            config.file.path if config.file else None,
            "",
            found="no analysis to run",
            expected=f"a section: {', '.join(f'{section}:' for section in SECTIONS)}",
            hint="add 'score: {}' for a table of systems and measures",
        )


def run_study(
    study: Study, *, command_line: str = "", track: Track = silently, checkpoint: Checkpoint | None = None
) -> Report:
    """Every analysis that the configuration of a study has a section for; checkpoint: as of `run`."""
    config = study.config
    with_people = wants(config, "sensitivity") or wants(config, "plan")
    needs_people = wants(config, "correlate") or (with_people and bool(config.data.human))
    people = people_of(study, track=track) if needs_people else None
    _check(study)
    checkpoint = checkpoint or NoCheckpoint()
    made = _made(study)
    files = people.files if people is not None else ()
    checkpoint.begin(study.report("run", Part([], files=files), command_line=command_line, sections=made))
    parts = [*_shared(study, track, checkpoint), *_single(study, people, track, checkpoint)]
    # A whole study has many tables; the long ones are for files.
    whole = Part(
        [replace(table, detail=table.detail or table.name in DETAILS) for part in parts for table in part.tables],
        list(dict.fromkeys(note for part in parts for note in part.notes)),
        list(dict.fromkeys(finding for part in parts for finding in part.findings)),
        [file for part in parts for file in part.files],
    )
    return study.report("run", whole, command_line=command_line, sections=made)


def _made(study: Study) -> list[Section]:
    """How the analyses were made."""
    config = study.config
    first = (config.similarity, config.stability, config.merge_classes)
    alike = config.similarity or SimilaritySettings(bootstrap=0)
    shared = sections_of(study, alike) if config.summary is not None else [each for each in first if each is not None]
    others = (_section(config, name) for name in SECTIONS if name not in _COMBINED)
    return [*shared, *(section for section in others if section is not None and _is_signed(section))]


def _is_signed(section: Section) -> bool:
    return getattr(section, "in_signature", True)


def _section(config: ExperimentConfig, name: str) -> Any:
    """The settings of an analysis that the experiment has a section for; None where it has none."""
    return config.others.get(name) or getattr(config, name.replace("-", "_"), None)


def wants(config: ExperimentConfig, section: str) -> bool:
    """Whether an experiment has a section for an analysis."""
    return _section(config, section) is not None


def _merging(study: Study) -> bool:
    config = study.config
    return config.merge_classes is not None or (config.summary is not None and isinstance(study, LabelStudy))


def _check(study: Study) -> None:
    """Raise where something does not go together: better told before hours of work than after."""
    if study.config.similarity is not None:
        similarity.check(study, study.config.similarity)
    if study.config.summary is not None or study.config.stability is not None:
        stability.check(study, study.config.settings_of(StabilitySettings))
    if _merging(study):
        merging.check(study, study.config.settings_of(MergeSettings))
    for name in SECTIONS:
        if not wants(study.config, name) or name in _COMBINED:
            continue
        if name not in analyses.PENDING and analyses.analysis(name).begins_with == RUNS:
            check_analysis(analyses.analysis(name), study)
        elif name in _PENDING_CHECKS:
            _PENDING_CHECKS[name](study)


def _shared(study: Study, track: Track, checkpoint: Checkpoint) -> Iterator[Part]:
    """The analyses that the summary puts together, and the scores."""
    config = study.config
    if config.score is not None:
        yield checkpoint.section("score", lambda: part_of(analyses.analysis("score"), study, track=track))
    criteria: list[Table] = []

    def analysed(
        name: str,
        find: Callable[..., Found],
        tables: Callable[[Study, Found], Part],
        criterion: Callable[[Study, Found], Table],
    ) -> Iterator[Part]:
        # What takes long is done once, and only where its tables or what the summary takes from it are not kept yet.
        found = cache(lambda: find(study, track=track))
        if wants(config, name):
            yield checkpoint.section(name, lambda: tables(study, found()))
        if config.summary is not None:
            criteria.extend(checkpoint.section(f"summary-{name}", lambda: Part([criterion(study, found())])).tables)

    def alike(study: Study, *, track: Track) -> Similarities:
        # Groups alone need no bootstrap.
        return similarity.analyse(study, config.similarity or SimilaritySettings(bootstrap=0), track=track)

    yield from analysed(
        "similarity",
        alike,
        lambda study, found: similarity_tables.tabulate(study, study.config.settings_of(SimilaritySettings), found),
        groups_table,
    )
    yield from analysed(
        "stability", *_with(stability.analyse, stability_tables.tabulate, StabilitySettings), consistency_table
    )
    if _merging(study):
        of_merges = _with(merging.analyse, merging_tables.tabulate, MergeSettings)
        yield from analysed("merge-classes", *of_merges, discrimination_table)
    if config.summary is not None:
        groups, consistency, *discrimination = criteria
        yield summary_tables(study, groups, consistency, discrimination[0] if discrimination else None)


def _with(
    analyse: Callable[..., Found], tabulate: Callable[..., Part], kind: type[AnalysisSettings]
) -> tuple[Callable[..., Found], Callable[[Study, Found], Part]]:
    return (
        lambda study, *, track: analyse(study, study.config.settings_of(kind), track=track),
        lambda study, found: tabulate(study, study.config.settings_of(kind), found),
    )


def _single(study: Study, people: People | None, track: Track, checkpoint: Checkpoint) -> Iterator[Part]:
    """The analyses that stand by themselves."""
    for name in SECTIONS:
        if name in _COMBINED or not wants(study.config, name):
            continue
        if name in analyses.PENDING:
            yield checkpoint.section(name, partial(_PENDING_PARTS[name], study, people, track))
        else:
            yield checkpoint.section(name, partial(section_of, analyses.analysis(name), study, track=track))


def _sensitivity(study: Study, people: People | None, _track: Track) -> Part:
    found, files = find_sensitivities(study)
    return sensitivity_tables(study, people, found).after(files=files)


_PENDING_PARTS: dict[str, Callable[[Study, People | None, Track], Part]] = {
    "sensitivity": _sensitivity,
    "plan": lambda study, people, track: plan_tables(study, people, find_plan(study, people, track=track)),
}
_PENDING_CHECKS: dict[str, Callable[[Study], object]] = {
    "plan": check_plan,
}
"""Of the analyses that are not folders yet."""
