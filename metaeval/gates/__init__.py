"""Gates: conditions on the cells of results, for pipelines that need an exit code.

    stability.cem-ord.mean < 0.6
    correlations.rouge-l.kendall.low < 0.3
    scores.mysystem.macro-f1 < baseline - 0.01

A small language of its own: nothing of a condition is ever executed as Python.
"""

from metaeval.gates.judging import Outcome, Verdict, judge
from metaeval.gates.mistakes import ConditionError, Mistake
from metaeval.gates.parsing import Gate, parse_gate, parse_gates

__all__ = ["ConditionError", "Gate", "Mistake", "Outcome", "Verdict", "judge", "parse_gate", "parse_gates"]
