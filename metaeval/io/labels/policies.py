"""Policies for predictions that are missing, outside the scale, or of unknown items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, did_you_mean, setting
from metaeval.model.labels import Codes
from metaeval.model.scale import ClassScale

ACTIONS = ("error", "drop", "worst", "label:NAME")
SUBSTITUTES = "drop, worst or label:NAME"
"""The policies for labels besides 'error', in messages."""

Action = Literal["error", "drop", "worst", "label"]
_SIMPLE_ACTIONS: tuple[Action, ...] = ("error", "drop", "worst")


@dataclass(frozen=True)
class Policy:
    """The treatment of an item without a usable prediction of a system.

    action: 'error', 'drop' (the item, for all systems), 'worst' (the class farthest from gold) or 'label'.
    label: the class that replaces the prediction, for 'label'.
    """

    action: Action = "error"
    label: str = ""

    @classmethod
    def parse(cls, text: str, *, option: str) -> Policy:
        """The policy of `error`, `drop`, `worst` or `label:NAME`; option: its name in messages."""
        action, colon, label = text.partition(":")
        if action == "label" and colon and label.strip():
            return cls("label", label.strip())
        for simple in _SIMPLE_ACTIONS:
            if text == simple:
                return cls(simple)
        raise InputError.at(found=f"{option} {text}", expected=", ".join(ACTIONS), hint=did_you_mean(text, ACTIONS))

    def __str__(self) -> str:
        return f"label:{self.label}" if self.action == "label" else self.action


ERROR = Policy()


@dataclass(frozen=True)
class Policies:
    """The policies of the join.

    on_missing: an item without a prediction. on_unknown: a label outside the scale, or text for a number.
    drop_extra: whether predictions for unknown ids are dropped; otherwise they are an error.
    drop_gold: gold labels whose items are left out.
    """

    on_missing: Policy = ERROR
    on_unknown: Policy = ERROR
    drop_extra: bool = False
    drop_gold: tuple[str, ...] = ()

    def reject_substitutes(self, where: str) -> None:
        """Reject policies that replace predictions by classes; where: why there are no classes."""
        for policy, name in ((self.on_missing, "on_missing"), (self.on_unknown, "on_unknown")):
            if policy.action in ("worst", "label"):
                found = f"{setting(name, str(policy))}, but {where}"
                raise InputError.at(found=found, expected="error or drop", hint="choose one of these")


def farthest_classes(scale: ClassScale) -> tuple[Codes, NDArray[np.bool_]]:
    """The class farthest from each, (C,), and whether there are two; of these the first declared is used.

    A nominal scale is an `InputError`.

    >>> farthest_classes(ClassScale.parse("low<mid<high"))
    (array([2, 0, 0]), array([False,  True, False]))
    """
    if not scale.ordered:
        raise InputError.at(
            found=f"policy 'worst' on the nominal scale '{scale}', in which no class is farthest from another",
            expected="an ordered scale",
            hint=f"declare the order, as in {setting('labels', '<'.join(scale.labels))}, or choose label:NAME",
        )
    values = scale.class_values()
    distance = np.abs(values[:, np.newaxis] - values)
    farthest = distance.argmax(axis=1)
    tied = (distance == distance.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return farthest, tied
