"""Objects on their way between processes, in which arrays keep the order of their axes in memory; extra `distributed`.

Usual pickles put every array into the order of its indices. Sums over it would then be made in another order, and their
last bits be others.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Content = TypeVar("Content")


@dataclass(frozen=True)
class Parcel(Generic[Content]):
    """An object that arrives as its content when it is pickled; functions that have no name can be sent, too."""

    content: Content

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        from cloudpickle import Pickler

        class _Packing(Pickler):  # type: ignore[misc]
            def reducer_override(self, value: object) -> Any:
                if type(value) is np.ndarray and value.ndim > 1 and not value.flags.forc:
                    order = np.argsort([-abs(stride) for stride in value.strides], kind="stable")
                    back = np.argsort(order).tolist()
                    return _with_axes, (np.ascontiguousarray(value.transpose(order)), back)
                return super().reducer_override(value)

        packed = io.BytesIO()
        _Packing(packed, protocol=pickle.HIGHEST_PROTOCOL).dump(self.content)
        return pickle.loads, (packed.getvalue(),)


def _with_axes(array: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    return array.transpose(axes)
