"""Reports about a study: provenance and the fields of the signature."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.config import DEFAULT_MEMORY, ExperimentConfig
from metaeval.inference.clusters import Clusters
from metaeval.io.dataset import Dataset
from metaeval.measures.spec import Measure
from metaeval.model.report import AnalysisOutput, Provenance, Report, SourceFile, signature
from metaeval.settings import AnalysisSettings
from metaeval.version import __version__


@dataclass(frozen=True)
class Sources:
    """Where the data of a study come from; see `io.dataset.Dataset`."""

    paths: tuple[str, ...]
    files: tuple[SourceFile, ...]
    repairs: Mapping[str, int]
    notes: tuple[str, ...]
    clusters: tuple[Clusters, ...] = ()

    @classmethod
    def of(cls, dataset: Dataset[object], more: Sequence[str] = ()) -> Sources:
        """The sources of a data set; more: further notes."""
        return cls(dataset.paths, dataset.files, dataset.repairs, (*dataset.notes, *more), dataset.clusters)


def report_of(
    command: str, output: AnalysisOutput, settings: Sequence[tuple[str, object]], origin: Sources, *,
    command_line: str, measures: Iterable[Measure] = (),
) -> Report:  # fmt: skip
    """A report with its signature and provenance; settings: names and values of the fields of the signature."""
    return Report(
        command,
        signature(__version__, settings),
        tuple(output.tables),
        (*origin.notes, *output.notes),
        Provenance(
            __version__,
            command_line,
            tuple(dict.fromkeys((*origin.files, *output.files))),
            {"python": platform.python_version(), "numpy": np.__version__},
            dict(settings),
            origin.repairs,
            {str(measure): measure.title for measure in measures},
        ),
        tuple(output.findings),
        tuple(output.methods),
    )


def signature_fields(
    config: ExperimentConfig, sections: Sequence[AnalysisSettings], *, trivial: bool, clusters: Sequence[str] = ()
) -> list[tuple[str, str | int]]:
    """Names and values in the order of the signature; defaults are left out.

    sections: the settings of the analyses; with several, each field is prefixed with the name of its analysis.
    trivial: whether trivial systems were scored. clusters: the columns of clusters of the items, named or not.
    """
    data = config.data
    optional: dict[str, str] = {
        "drop-gold": ",".join(data.drop_gold),
        "on-missing": str(data.on_missing) if data.on_missing.action != "error" else "",
        "on-unknown": str(data.on_unknown) if data.on_unknown.action != "error" else "",
        "on-extra": data.on_extra if data.on_extra != "error" else "",
        "clusters": ",".join(any(each.uses_clusters for each in sections) * (data.clusters or tuple(clusters))),
        "undefined": config.undefined if config.undefined != "skip" else "",
        "trivial": "yes" if trivial else "",
        # A smaller block draws its trials from other seeds.
        "memory": str(config.block_memory) if sections and config.block_memory < DEFAULT_MEMORY else "",
    }
    changed = [(name, value) for name, value in optional.items() if value]
    analyses = [
        (f"{section.section}.{name}" if len(sections) > 1 else name, value)
        for section in sections
        for name, value in section.signature()
    ]
    return [*changed, ("seed", config.seed), *analyses]
