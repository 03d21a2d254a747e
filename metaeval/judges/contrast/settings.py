"""Settings of the contrasts of good and bad outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.settings import (
    PYTHON,
    YAML,
    AnalysisSettings,
    FilePath,
    Number,
    Paths,
    Texts,
    number,
    numbers_by_name,
    several,
    text,
)
from metaeval.settings.kinds import Text
from metaeval.settings.options import (
    OUTSIDE_YAML,
    classes,
    cluster_column,
    excluded_measures,
    excluded_systems,
    group_column,
    replicate_column,
)

if TYPE_CHECKING:
    from metaeval.study.runs import LabelsOption


MARGIN = Number(above=0.5, at_most=1, expected="an accuracy above 0.5 and at most 1")


@dataclass(frozen=True, kw_only=True)
class ContrastSettings(AnalysisSettings, section="contrast"):
    """Which errors does a measure see?

    PAIRS are files with a row for each pair of a good and a bad output: item, phenomenon (what is wrong with the bad
    one), and good, bad and reference (texts), gold, good and bad (labels), or NAME-good and NAME-bad (scores of another
    tool). A measure sees an error if it scores the good output strictly better. Without files, pairs of small confusion
    matrices are generated from the classes of labels or task: an item predicted nearer to its class, or correctly, is
    the good side. They may be 7 classes at most, because each further one has about three times as many pairs.

    Computes, for each measure and phenomenon, accuracy, ties and the Kendall-like score of ACES (Amrhein et al. 2022),
    with intervals by cluster; whether the measure sees the error, sees it weakly, is blind to it (ties), or inverts it
    (prefers the bad output); and with a column 'severity' whether the loss of score grows with the severity.

    >>> import metaeval
    >>> pairs = {
    ...     "phenomenon": ["order", "number"],
    ...     "reference": ["the cat saw the dog", "we met at 5"],
    ...     "good": ["the cat saw a dog", "we met about 5"],
    ...     "bad": ["a dog saw the cat", "we met about 6"],
    ... }
    >>> result = metaeval.contrast(pairs, "rouge-n:n=1")
    >>> result.to_pandas().set_index("phenomenon")["accuracy"].to_dict()
    {'order': 0.0, 'number': 1.0}

    \b
    metaeval contrast sample_data/contrast/texts.csv
    metaeval contrast sample_data/contrast/texts.csv -m rouge-l --cluster item --severities 'minor<major<critical'
    metaeval contrast sample_data/contrast/texts.csv --margin 0.9 --group severity --exclude-measure 'rouge-n*'
    metaeval contrast --labels 'disagree<discuss<agree' -m cem-ord -m accuracy
    """

    pairs: Paths = several(FilePath(), (), "Files of pairs", where=frozenset({YAML, PYTHON}))
    task: str | None = text(
        None,
        "Task whose classes are those of the labels, such as fnc1 or rumoureval2017",
        metavar="TASK",
        default_text=None,
        where=OUTSIDE_YAML,
    )
    labels: LabelsOption = classes(
        "Classes of labels, also to generate pairs: 'disagree<discuss<agree' with order, 'support,deny' without",
        signed=False,
    )
    class_weights: Mapping[str, float] | None = numbers_by_name(
        "Class weights for weighted measures", where=OUTSIDE_YAML
    )
    class_values: Mapping[str, float] | None = numbers_by_name(
        "Values of ordered classes (default: equally spaced)", metavar="a=1,b=5", where=OUTSIDE_YAML
    )
    tokenizer: str | None = text(
        None,
        "Tokenizer of texts: rouge (default), whitespace, characters or japanese",
        metavar="NAME",
        default_text=None,
        where=OUTSIDE_YAML,
    )
    margin: float = number(
        0.75,
        "Accuracy from which a measure sees an error, below which it sees it weakly",
        kind=MARGIN,
        metavar="A",
    )
    severities: str | None = text(
        None,
        "Severities from mild to severe, as in 'minor<major<critical'",
        metavar="NAMES",
        default_text="numbers, or neutral<minor<major<critical",
    )
    clusters: str | None = cluster_column(
        "Column whose values group the pairs into clusters", "document, or else the item"
    )
    group: str | None = group_column("pairs")
    replicates: str | None = replicate_column("metrics in columns NAME-good and NAME-bad")
    exclude_systems: Texts = excluded_systems(where=OUTSIDE_YAML)
    exclude_measures: Texts = excluded_measures(where=OUTSIDE_YAML)
    lower_is_better: Texts = several(
        Text(),
        (),
        "Scores of another tool for which lower is better",
        metavar="NAME",
        default_text=None,
        where=OUTSIDE_YAML,
    )
