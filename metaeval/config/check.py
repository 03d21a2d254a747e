"""What a result has to stand up to."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, PYTHON, YAML, Path, Settings, Text, Texts, alpha, flag, path, several, whole


@dataclass(frozen=True, kw_only=True)
class CheckSettings(Settings):
    """Conditions on results, and the comparison with a baseline."""

    fail_if: Texts = several(
        Text(), (), "Conditions on cells of tables, none of which may hold", where=frozenset({YAML, PYTHON})
    )
    alpha: float = alpha("Level of significance")
    resamples: int = whole(1999, "Of the items, for it", at_least=1)
    baseline: Path = path(None, "An earlier run, kept by --save-baseline: no system may be significantly worse")
    save_baseline: Path = path(
        None, "Where nothing failed, keep this run there as a baseline", where=frozenset({COMMAND_LINE, PYTHON})
    )
    junit: Path = path(None, "Write the verdicts there as JUnit XML, too", where=frozenset({COMMAND_LINE}))
    github: bool | None = flag(
        None, "Annotations for GitHub Actions on standard error", default_text="where GITHUB_ACTIONS is true",
        where=frozenset({COMMAND_LINE}),
    )  # fmt: skip
