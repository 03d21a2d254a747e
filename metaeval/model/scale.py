"""The classes of a task: their names, and their order, values and weights where these are declared."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.digits import number_of
from metaeval.errors import (
    UnknownName,
    describe,
    empty,
    excluded,
    invalid,
    raise_any,
    refuse,
    repeated,
    setting,
    unknown,
    wrong_count,
    wrong_type,
)
from metaeval.names import quoted, split_names, unquoted

_LARGEST = 1e100
"""Maximum class value, whose square no sum of items makes overflow."""

NO_CLASS = "(none)"
"""Stands for a missing prediction in tables."""


@dataclass(frozen=True)
class ClassScale:
    """Class labels in declared order.

    Parameters
    ----------
    labels
        At least two names.
    ordered
        Whether the labels are ordered from low to high.
    values
        One number per class, strictly increasing; None for equal steps. NaN: undeclared, as for a merged class.
    weights
        One non-negative weight per class, as in Scarton et al. (2020); None: undeclared.
    misses
        Whether some predictions are of no class and count as wrong; their code is C.
    merged
        Classes that a merge removed: a measure of one of them is undefined.

    Examples
    --------
    >>> ClassScale.parse("disagree<discuss<agree").ordered
    True
    """

    labels: tuple[str, ...]
    ordered: bool = False
    values: tuple[float, ...] | None = None
    weights: tuple[float, ...] | None = None
    misses: bool = False
    merged: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for label in self.labels:
            if not isinstance(label, str):
                raise refuse(None, wrong_type(describe(label), " as a class", "a text"))
        where = f" in the scale '{self}'"
        if len(self.labels) < 2:
            ordinal, nominal = setting("labels", "disagree<discuss<agree"), setting("labels", "agree,disagree")
            hint = f"declare the classes, as in {ordinal} or {nominal}"
            raise refuse(None, wrong_count(len(self.labels), "label", 2, " or more", where=where, hint=hint))
        for label in self.labels:
            if not label:
                raise refuse(None, empty(f"name of a class{where}", "one for each"))
            if self.labels.count(label) > 1:
                raise refuse(None, repeated("class", label, where=where, hint=""))
        if self.values is not None:
            self._check_one_each(self.values, "value")
            self._check_values(self.values)
        if self.weights is not None:
            self._check_one_each(self.weights, "weight")
            self._check_weights(self.weights)

    def _check_one_each(self, numbers: tuple[float, ...], kind: str) -> None:
        if len(numbers) != len(self.labels):
            raise refuse(None, wrong_count(len(numbers), f"class {kind}", len(self.labels), ", one for each class"))

    def _check_values(self, values: tuple[float, ...]) -> None:
        if not self.ordered:
            hint = f"declare the order, as in {setting('labels', '<'.join(self.labels))}"
            raise refuse(None, excluded("class values", f"the scale '{self}' has no order", "an ordered scale", hint))
        numbers = [value for value in values if not math.isnan(value)]
        if any(abs(value) > _LARGEST for value in numbers) or any(map(operator.ge, numbers, numbers[1:])):
            expected = f"values that rise from low to high, between {-_LARGEST:g} and {_LARGEST:g}"
            raise refuse(None, invalid("class values", _numbers(values), expected))

    def _check_weights(self, weights: tuple[float, ...]) -> None:
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) == 0:
            raise refuse(None, invalid("class weights", _numbers(weights), "finite numbers of at least 0, not all 0"))

    @classmethod
    def parse(cls, text: str) -> ClassScale:
        """A scale from a text.

        Parameters
        ----------
        text
            `'low<mid<high'` (ordered) or `'support,deny,query'` (nominal); a label with `,`, `<` or `=` is in double
            quotes.

        Examples
        --------
        >>> ClassScale.parse("support,deny").labels
        ('support', 'deny')
        """
        ordered = len(split_names(text, "<")) > 1
        if ordered and len(split_names(text)) > 1:
            hint = "write labels that contain commas in double quotes"
            expected = "'low<mid<high' for ordered classes, or 'a,b,c' for classes without order"
            raise refuse(None, invalid("scale", text, expected, hint=hint))
        return cls(tuple(map(unquoted, split_names(text, "<" if ordered else ","))), ordered)

    def __str__(self) -> str:
        return ("<" if self.ordered else ",").join(map(quoted, self.labels))

    def __len__(self) -> int:
        return len(self.labels)

    def code(self, label: str) -> int:
        """Position of a label, from 0.

        Parameters
        ----------
        label
            A class.

        Raises
        ------
        UnknownName
            If the label is outside the scale.
        """
        try:
            return self.labels.index(label)
        except ValueError:
            raise UnknownName("class", label, self.labels) from None

    def with_weights(self, weights: Mapping[str, float]) -> ClassScale:
        """The same scale with other weights.

        Parameters
        ----------
        weights
            A weight for every class; a missing or unknown class is an `InputError`.
        """
        return replace(self, weights=self._for_every_class(weights, "weight"))

    def with_values(self, values: Mapping[str, float]) -> ClassScale:
        """The same scale with other values.

        Parameters
        ----------
        values
            A value for every class; a missing or unknown class is an `InputError`.
        """
        return replace(self, values=self._for_every_class(values, "value"))

    def _for_every_class(self, numbers: Mapping[str, float], kind: str) -> tuple[float, ...]:
        problems = [unknown("class", label, self.labels) for label in numbers if label not in self.labels]
        problems += [
            empty(f"class {kind} for '{label}'", "one for each class") for label in self.labels if label not in numbers
        ]
        raise_any(problems, f"name every class in {setting(f'class_{kind}s')}")
        try:
            return tuple(float(numbers[label]) for label in self.labels)
        except (TypeError, ValueError):
            text = ", ".join(f"{label}: {number!r}" for label, number in numbers.items())
            raise refuse(None, invalid(f"class {kind}s", text, "numbers")) from None

    @property
    def codes(self) -> int:
        """Number of codes of predictions: C, and one more if some are of no class."""
        return len(self.labels) + self.misses

    @property
    def predicted_labels(self) -> tuple[str, ...]:
        """The labels of these codes."""
        return self.labels + (NO_CLASS,) * self.misses

    @property
    def positions(self) -> NDArray[np.float64]:
        """0, 1, … C − 1, shape (C,)."""
        return np.arange(len(self.labels), dtype=np.float64)

    def class_values(self) -> NDArray[np.float64]:
        """The declared values, or the positions where none are declared; shape (C,).

        A merged class without a value of its own is an error.
        """
        if self.values is None:
            return self.positions
        for label, value in zip(self.labels, self.values, strict=True):
            if math.isnan(value):
                hint = f"declare it in {setting('merged_values')}, or leave the values undeclared for equal steps"
                expected = "a declared value, because this measure computes with class values"
                raise refuse(None, empty(f"value for the merged class '{label}'", expected, hint))
        return np.array(self.values)

    def class_weights(self) -> NDArray[np.float64]:
        """The declared class weights, shape (C,); undeclared weights are an error."""
        if self.weights is None:
            expected = "declared weights, because this measure weighs the classes"
            hint = f"declare a weight for each of {', '.join(self.labels)} in {setting('class_weights')}"
            raise refuse(None, empty(f"class weights for the scale '{self}'", expected, hint))
        return np.array(self.weights)

    def merge(self, labels: Sequence[str], *, value: float = math.nan) -> ClassScale:
        """The scale in which some classes are merged into one, at the position of the first of them.

        The merged class is called `a+b` in declared order; its weight is the sum of their weights.

        Parameters
        ----------
        labels
            At least two classes.
        value
            Value of the merged class, where the scale has values; NaN: undeclared.

        Examples
        --------
        >>> ClassScale.parse("disagree<discuss<agree").merge(["agree", "discuss"]).labels
        ('disagree', 'discuss+agree')
        """
        groups = self.merged_groups(labels)
        values, weights = self.values, self.weights
        return ClassScale(
            tuple("+".join(self.labels[code] for code in group) for group in groups),
            self.ordered,
            values and tuple(values[group[0]] if len(group) == 1 else value for group in groups),
            weights and tuple(sum(weights[code] for code in group) for group in groups),
            misses=self.misses,
            merged=(*self.merged, *(self.labels[code] for group in groups if len(group) > 1 for code in group)),
        )

    def merged_groups(self, labels: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """The old codes of every class of `merge(labels)`.

        Parameters
        ----------
        labels
            At least two classes.

        Examples
        --------
        >>> ClassScale.parse("a,b,c").merged_groups(["c", "a"])
        ((0, 2), (1,))
        """
        codes = sorted({self.code(label) for label in labels})
        if len(codes) < 2:
            raise refuse(None, wrong_count(len(codes), "label", 2, " or more", where=" in a merge of classes"))
        groups: list[tuple[int, ...]] = [(code,) for code in range(len(self.labels)) if code not in codes]
        groups.insert(codes[0], tuple(codes))
        return tuple(groups)


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def rising_numbers(labels: Sequence[str]) -> dict[str, float] | None:
    """The labels as finite increasing numbers; None where they are not."""
    try:
        numbers = {label: number_of(label, float) for label in labels}
    except ValueError:
        return None
    values = list(numbers.values())
    rising = all(low < high for low, high in itertools.pairwise(values))
    return numbers if rising and all(map(math.isfinite, values)) else None


def in_numeric_order(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels from low to high; () where they are not different numbers.

    >>> in_numeric_order(["10", "9.5"]), in_numeric_order(["1", "1.0"]), in_numeric_order(["1", "a"])
    (('9.5', '10'), (), ())
    """
    try:
        order = tuple(sorted(labels, key=lambda label: number_of(label, float)))
    except ValueError:
        return ()
    return order if rising_numbers(order) else ()
