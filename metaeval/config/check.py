"""The settings of checks."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, PYTHON, YAML, Path, Settings, Text, Texts, alpha, flag, path, several, whole


@dataclass(frozen=True, kw_only=True)
class CheckSettings(Settings):
    """Conditions on results, and the comparison with a baseline."""

    fail_if: Texts = several(
        Text(), (), "Condition on cells of tables, which makes the check fail", where=frozenset({YAML, PYTHON})
    )
    baseline: Path = path(None, "Saved results of an earlier run; the check fails if a system is significantly worse")
    save_baseline: Path = path(
        None, "File in which this run is saved as a baseline, unless the check fails",
        where=frozenset({COMMAND_LINE, PYTHON}),
    )  # fmt: skip
    alpha: float = alpha("Significance level of the comparison with the baseline")
    permutations: int = whole(
        4999, "Number of random sign changes of the groups of items for the comparison with the baseline", at_least=1
    )
    junit: Path = path(None, "JUnit XML file of the verdicts", where=frozenset({COMMAND_LINE}))
    github: bool | None = flag(
        None, "Write annotations for GitHub Actions to standard error", default_text="if GITHUB_ACTIONS is true",
        where=frozenset({COMMAND_LINE}),
    )  # fmt: skip
