"""Policies for predictions that are missing, outside the scale, or of unknown items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import refuse, setting, unknown
from metaeval.io.systems import EVERY_SYSTEM, SystemChoice
from metaeval.model.labels import Codes
from metaeval.model.scale import ClassScale

ACTIONS = ("error", "drop", "miss", "worst", "label:NAME", "pairwise")

Action = Literal["error", "drop", "miss", "worst", "label", "pairwise"]
_SIMPLE_ACTIONS: tuple[Action, ...] = ("error", "drop", "miss", "worst", "pairwise")


@dataclass(frozen=True)
class Policy:
    """The treatment of an item without a usable prediction of a system.

    action: 'error', 'drop' (the item, for all systems), 'miss' (the item counts as wrong: it is in the gold total and
    in no predicted class), 'worst' (the class farthest from gold), 'label', or for tables of scores 'pairwise' (each
    comparison uses the cells that both sides have).
    label: the class that replaces the prediction, for 'label'.
    """

    action: Action = "error"
    label: str = ""

    @classmethod
    def parse(cls, text: str, *, option: str) -> Policy:
        """The policy of one of `ACTIONS`; option: its name in messages."""
        action, colon, label = text.partition(":")
        if action == "label" and colon and label.strip():
            return cls("label", label.strip())
        for simple in _SIMPLE_ACTIONS:
            if text == simple:
                return cls(simple)
        problem = unknown(option, text, ACTIONS)
        raise refuse(None, problem, hint=problem.hint or "choose one of these")

    def __str__(self) -> str:
        return f"label:{self.label}" if self.action == "label" else self.action


ERROR = Policy()


@dataclass(frozen=True)
class Policies:
    """The policies of the join.

    on_missing: an item without a prediction. on_unknown: a label outside the scale, or text for a number.
    drop_extra: whether predictions for unknown ids are dropped; otherwise they are an error.
    drop_gold: gold labels whose items are left out. systems: those that are evaluated.
    """

    on_missing: Policy = ERROR
    on_unknown: Policy = ERROR
    drop_extra: bool = False
    drop_gold: tuple[str, ...] = ()
    systems: SystemChoice = EVERY_SYSTEM

    @property
    def may_miss(self) -> bool:
        """Whether some predictions may count as wrong without being of a class."""
        return "miss" in (self.on_missing.action, self.on_unknown.action)

    def reject_substitutes(self, where: str) -> None:
        """Reject policies of predicted classes; where: why there are no classes."""
        for policy, name in ((self.on_missing, "on_missing"), (self.on_unknown, "on_unknown")):
            if policy.action in ("miss", "worst", "label"):
                found = f"{setting(name, str(policy))}, but {where}"
                expected = "error, drop or, for tables of scores, pairwise"
                raise refuse(None, found, expected, kind="conflict")

    def reject_pairwise(self) -> None:
        """Reject the policy of tables of scores for other data."""
        for policy, name in ((self.on_missing, "on_missing"), (self.on_unknown, "on_unknown")):
            if policy.action == "pairwise":
                found = f"{setting(name, 'pairwise')}, but the data are no table of scores"
                expected = f"another policy, such as {setting(name, 'drop')}"
                raise refuse(None, found, expected, kind="conflict")


def substitutes(scale: ClassScale) -> str:
    """The policies for labels besides 'error', in messages."""
    return "drop, miss, worst or label:NAME" if scale.ordered else "drop, miss or label:NAME"


def farthest_classes(scale: ClassScale) -> tuple[Codes, NDArray[np.bool_]]:
    """The class farthest from each, (C,), and whether there are two; of these the first declared is used.

    A nominal scale is an `InputError`.

    >>> farthest_classes(ClassScale.parse("low<mid<high"))
    (array([2, 0, 0]), array([False,  True, False]))
    """
    if not scale.ordered:
        found = f"policy 'worst' on the nominal scale '{scale}', in which no class is farthest from another"
        hint = "choose miss, under which such an item counts as wrong, drop or label:NAME"
        raise refuse(None, found, "an ordered scale", hint, kind="conflict")
    values = scale.class_values()
    distance = np.abs(values[:, np.newaxis] - values)
    farthest = distance.argmax(axis=1)
    tied = (distance == distance.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return farthest, tied
