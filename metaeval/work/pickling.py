"""Pickles for clusters, in which arrays keep the order of their axes in memory; extra `distributed`.

numpy before 2.4 pickles arrays in C or Fortran order only. Sums over an axis would then add in another order, with
other last bits.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

Content = TypeVar("Content")


@dataclass(frozen=True)
class Parcel(Generic[Content]):
    """An object, also a function without a name, that arrives pickled and is unpickled by `unpacked`.

    Dask fails where a worker cannot unpickle what arrives; a parcel always can be, even without this package.

    >>> arrived = pickle.loads(pickle.dumps(Parcel(lambda: "hello")))
    >>> unpacked(arrived)()
    'hello'
    """

    content: Content

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return partial, (pickle.loads, _pickled(self.content))


def unpacked(parcel: Parcel[Content] | partial[Content]) -> Content:
    """The content of a parcel, before or after it was sent."""
    return parcel.content if isinstance(parcel, Parcel) else parcel()


def _pickled(content: object) -> bytes:
    from cloudpickle import Pickler

    class _Pickler(Pickler):  # type: ignore[misc]
        def reducer_override(self, value: object) -> Any:
            if type(value) is np.ndarray and value.ndim > 1 and not value.flags.forc:
                order = np.argsort([-abs(stride) for stride in value.strides], kind="stable")
                return np.transpose, (np.ascontiguousarray(value.transpose(order)), np.argsort(order).tolist())
            return super().reducer_override(value)

    file = io.BytesIO()
    _Pickler(file, protocol=pickle.HIGHEST_PROTOCOL).dump(content)
    return file.getvalue()
