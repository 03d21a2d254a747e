"""Objects on their way between processes, in which arrays keep the order of their axes in memory; extra `distributed`.

Usual pickles put every array into the order of its indices. Sums over it would then be made in another order, and their
last bits be others.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Content = TypeVar("Content")


@dataclass(frozen=True)
class Parcel(Generic[Content]):
    """An object that is packed when it is pickled, and arrives as something that `unpacked` opens.

    Functions that have no name can be sent, too. Who receives it need not have what is in it, nor this package, before
    it is opened: Dask comes to a stop where what arrives can't be made.

    >>> arrived = pickle.loads(pickle.dumps(Parcel(lambda: "hello")))
    >>> unpacked(arrived)()
    'hello'
    """

    content: Content

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return partial, (pickle.loads, _pack(self.content))


def unpacked(parcel: Parcel[Content] | partial[Content]) -> Content:
    """What is in a parcel, whether it has been on its way or not."""
    return parcel.content if isinstance(parcel, Parcel) else parcel()


def _pack(content: object) -> bytes:
    from cloudpickle import Pickler

    class _Packing(Pickler):  # type: ignore[misc]
        def reducer_override(self, value: object) -> Any:
            if type(value) is np.ndarray and value.ndim > 1 and not value.flags.forc:
                order = np.argsort([-abs(stride) for stride in value.strides], kind="stable")
                back = np.argsort(order).tolist()
                return _with_axes, (np.ascontiguousarray(value.transpose(order)), back)
            return super().reducer_override(value)

    packed = io.BytesIO()
    _Packing(packed, protocol=pickle.HIGHEST_PROTOCOL).dump(content)
    return packed.getvalue()


def _with_axes(array: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    return array.transpose(axes)
