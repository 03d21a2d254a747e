"""Versions of what decides on numbers, here and on the workers of a cluster; extra `distributed`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError, counted
from metaeval.io.labels.tasks import TASKS
from metaeval.io.parquet.files import parquet_bytes
from metaeval.model.data_kind import DataKind

if TYPE_CHECKING:
    from distributed import Client

Versions = Mapping[str, str | None]
"""Of Python and of packages; None for one that is missing."""

_ALWAYS = ("metaeval", "numpy", "scipy")
_OF_MATERIAL = {DataKind.TEXTS: ("snowballstemmer",), DataKind.DERIVATIONS: ("rapidfuzz",)}
_OF_PARQUET = ("duckdb", "pyarrow")


def deciding_packages(config: ExperimentConfig) -> tuple[str, ...]:
    """The packages that workers use for the data of an experiment and that decide on its numbers.

    >>> deciding_packages(ExperimentConfig())
    ('metaeval', 'numpy', 'scipy')
    """
    material = TASKS[config.data.task].material
    return (*_ALWAYS, *(_OF_PARQUET if _is_parquet(config.data) else _OF_MATERIAL.get(material, ())))


def _is_parquet(data: DataConfig) -> bool:
    """Whether these are labels in Parquet, which workers may be asked to count."""
    if TASKS[data.task].material is not DataKind.LABELS or data.gold is None or data.memory:
        return False
    return parquet_bytes(data.gold, data.runs) is not None


def versions_here(packages: Sequence[str]) -> Versions:
    """The versions that this process has; of packages without which it does, none."""
    from distributed.versions import get_package_info

    found = get_package_info(packages)
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: found[name] for name in packages}}


def check_workers(client: Client, cluster: str, ours: Versions) -> None:
    """Raise an `InputError` where a worker has other packages than we have, which might make other numbers.

    cluster: what messages call it. It is Dask that asks, so that workers need not have metaeval to answer.
    """
    packages = [name for name in ours if name != "python"]
    workers = client.get_versions(packages=packages)["workers"]
    check_versions(cluster, ours, {address: _told(worker, packages) for address, worker in workers.items() if worker})


def check_versions(cluster: str, ours: Versions, theirs: Mapping[str, Versions]) -> None:
    """Raise an `InputError` where versions differ; theirs: of each worker by its address.

    A package that is not there where the command runs is not needed.
    """
    needed = [name for name in ours if ours[name] is not None]
    wrong = {address: other for address, found in theirs.items() if (other := _other(needed, ours, found))}
    for address, other in wrong.items():
        raise InputError.at(
            found=f"{counted(len(wrong), 'worker')} of {cluster} with other versions: "
            + ", ".join(f"{name} {theirs[address][name] or 'missing'}" for name in other)
            + f" on {address}",
            expected=", ".join(f"{name} {ours[name]}" for name in other) + " as here",
            hint="install the same versions on every machine, as with one image or one environment for all",
        )


def _other(needed: Sequence[str], ours: Versions, theirs: Versions) -> list[str]:
    return [name for name in needed if ours[name] != theirs[name]]


def _told(found: Mapping[str, Any], packages: Sequence[str]) -> Versions:
    """As `get_versions` tells them."""
    python = ".".join(str(found["host"]["python"]).split(".")[:2])
    return {"python": python, **{name: found["packages"].get(name) for name in packages}}
