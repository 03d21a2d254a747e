"""Objects on their way: the same arrays in the same order wherever they arrive."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from worker_processes import PATIENCE

from metaeval.work.processes import Parcel, unpacked_parcel

Array = Parcel[NDArray[np.float64]] | partial[NDArray[np.float64]]


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_arrays_keep_the_order_of_their_axes_on_their_way(axes: tuple[int, ...]) -> None:
    array = np.arange(24.0).reshape(2, 3, 4).transpose(axes)
    arrived, same = unpacked_parcel(pickle.loads(pickle.dumps(Parcel((array, lambda: array)))))
    assert np.array_equal(arrived, array)
    assert arrived.strides == array.strides == same().strides


def test_a_parcel_that_is_passed_on_unopened_is_the_same() -> None:
    array = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
    passed_on = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(Parcel(array)))))
    assert unpacked_parcel(passed_on).strides == array.strides


@pytest.mark.slow
def test_who_receives_a_parcel_need_not_have_metaeval() -> None:
    code = (
        "import pickle, sys; sys.modules['metaeval'] = None; arrived = pickle.load(sys.stdin.buffer)\n"
        "try: arrived()\n"
        "except ModuleNotFoundError as error: print(error.name)"
    )
    sent = pickle.dumps(Parcel(Parcel))
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
    assert done.stdout.split() == [b"metaeval.work"]


@pytest.mark.slow
def test_every_worker_has_arrays_in_the_same_order(scheduler: str) -> None:
    from distributed import Client

    def strides(parcel: Array) -> tuple[int, ...]:
        return unpacked_parcel(parcel).strides

    array = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
    with Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        sent = client.scatter(Parcel(array), broadcast=True, hash=False)
        # Only the first has it from here, the second from the first.
        results = [client.submit(strides, sent, workers=[worker], pure=False).result() for worker in client.nthreads()]
    assert results == [array.strides] * 2
