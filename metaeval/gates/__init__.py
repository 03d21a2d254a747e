"""Gates: conditions on the cells of results, for pipelines that need an exit code, and baselines of earlier runs.

    stability.cem-ord.mean < 0.6
    scores.mysystem.macro-f1 < baseline - 0.01

What reads and judges conditions knows reports only; `check`, `baselines` and `baseline_items` know studies, too.
"""

from metaeval.gates.judging import Outcome, Verdict, judge
from metaeval.gates.parsing import Gate, GateProblem, GateSyntaxError, parse_gate, parse_gates

__all__ = ["Gate", "GateProblem", "GateSyntaxError", "Outcome", "Verdict", "judge", "parse_gate", "parse_gates"]
