"""Settings of the audit of submissions."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, AnalysisSettings, Path, Text, Texts, path, several


@dataclass(frozen=True, kw_only=True)
class AuditSettings(AnalysisSettings, section="audit", in_signature=False):
    """Which submissions can be accepted?

    A submission is rejected if its file cannot be evaluated or if the metadata say that it is late. Others have a
    remark if they are identical or nearly identical to another one, shifted by some rows, constant, or without some
    class. A RUN is a folder with a file, a folder or a ZIP archive for each team, as in TEAM/RUN.csv.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no,yes")
    >>> metaeval.audit(runs, "accuracy").to_pandas()[["submission", "status", "remarks"]]
      submission    status              remarks
    0          a  accepted        equal to gold
    1          b  accepted  constant: always no

    \b
    metaeval audit --gold sample_data/fnc1/gold.csv sample_data/fnc1/systems --task fnc1 -m macro-f1
    metaeval audit --config configs/rumour2017.yaml -m macro-f1 --baseline steady --reports reports --overwrite
    """

    metadata: Path = path(
        None,
        "Table of the submissions with columns team, run, primary, late and track, each but the first optional",
        default_text="metadata.csv, .tsv, .json or .yaml in the folder of the submissions",
    )
    baselines: Texts = several(
        Text(),
        (),
        "Submission that is a baseline, which others may equal",
        flag="--baseline",
        metavar="NAME",
    )
    reports: Path = path(
        None, "Folder for one text file of each team with all reasons", metavar="DIR", where=frozenset({COMMAND_LINE})
    )
