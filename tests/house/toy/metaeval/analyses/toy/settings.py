"""Which quantile of the differences is shown."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, Number, number


@dataclass(frozen=True, kw_only=True)
class ToySettings(AnalysisSettings, section="toy"):
    """How far apart are the systems?

    The differences of every two systems under every measure, and a quantile of them.

    \b
    metaeval toy --config configs/stance.yaml --quantile 0.9
    """  # noqa: D301 (click wants a real backspace)

    quantile: float = number(0.5, "Of the differences", kind=Number(at_least=0, at_most=1), metavar="Q")
