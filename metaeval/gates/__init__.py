"""Gates: conditions on the cells of results, and comparisons with baselines of earlier runs.

    stability.cem-ord.mean < 0.6
    scores.mysystem.macro-f1 < baseline - 0.01

`parsing`, `cells` and `judging` depend on reports only; `baselines` and `baseline_items` also on studies.
"""

from metaeval.gates.conditions import (
    Gate,
    GateProblem,
    GateSyntaxError,
    Outcome,
    Verdict,
    judge,
    parse_gate,
    parse_gates,
)

__all__ = ["Gate", "GateProblem", "GateSyntaxError", "Outcome", "Verdict", "judge", "parse_gate", "parse_gates"]
