"""Which quantile of the differences is shown."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, Number, number


@dataclass(frozen=True, kw_only=True)
class ToySettings(AnalysisSettings, section="toy"):
    """How far apart are the systems?

    The differences of every two systems under every measure, and a quantile of them.

    >>> import metaeval
    >>> metaeval.toy("configs/stance.yaml", ["accuracy", "macro-f1"], quantile=0.9).main.name
    'toy'

    \b
    metaeval toy --config configs/stance.yaml --quantile 0.9
    """

    quantile: float = number(0.5, "Quantile of the differences", kind=Number(at_least=0, at_most=1), metavar="Q")
