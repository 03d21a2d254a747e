"""Measures of other packages and of single files: loading their code, and errors of it.

A plugin is a Python file, or a package with an entry point in the group `metaeval.measures`. Its functions are declared
with the decorators of metaeval's own measures. Loading a plugin runs its code: files are those that the user names,
packages those that are installed, which are imported when a measure is looked up that metaeval does not have.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from types import ModuleType

from metaeval.errors import InputError, MetaevalError, describe, empty, refuse, unreadable, wrong_type
from metaeval.measures.plugin_calls import CORRECT, LOADING, RESULTS_ALONE, Plugin, line_of
from metaeval.measures.spec import REGISTRY
from metaeval.steps import open_bytes

ENTRY_POINTS = "metaeval.measures"
"""The group of entry points of packages with measures."""

_LOCK = RLock()
"""Threads of a worker may load the same plugin."""

_files: dict[str, Plugin] = {}
_packages: dict[str, Plugin] = {}


def load_plugin(path: str | os.PathLike[str]) -> Plugin:
    """Run a Python file that declares measures, which are then known by their names.

    A file that is loaded already is not run again, unless it has changed.

    Parameters
    ----------
    path
        Path of the file. Its code is run.

    Returns
    -------
    Plugin
        Name, version and hash of the file.

    Raises
    ------
    InputError
        If the file cannot be read, raises an error, or declares no measure or an invalid one.
    """
    expected = "a Python file that declares measures"
    if not isinstance(path, (str, os.PathLike)):
        raise refuse(None, wrong_type(describe(path), " as a plugin", expected))
    path = os.fspath(path)
    try:
        with open_bytes(path) as source:
            content = source.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or error
        raise refuse(path, unreadable("plugin", reason, "correct its path")) from None
    file = str(Path(path).resolve())
    sha256 = hashlib.sha256(content).hexdigest()
    with _LOCK:
        previous = _files.get(file)
        if previous is not None and previous.sha256 == sha256:
            return previous
        module = ModuleType(f"metaeval_plugin_{Path(path).stem}_{sha256[:8]}")
        module.__file__ = file
        with _errors_located(path):
            tree = ast.parse(content, path)
            plugin = Plugin(
                name=Path(path).stem, version=_version(tree), path=path, sha256=sha256, load_again=load_again, file=file
            )
            if previous is not None:
                _forget(previous)
            # `dataclasses` and `typing` look names up in the module of a class or function.
            sys.modules[module.__name__] = module
            with _declared_by(plugin), RESULTS_ALONE:
                exec(compile(tree, path, "exec"), module.__dict__)
                if not _declared(plugin):
                    decorators = "label_measure, text_measure, item_measure or sum_measure"
                    expected = f"functions that are decorated with {decorators} of metaeval"
                    raise refuse(path, empty("measure", expected, CORRECT))
        _files[file] = plugin
        return plugin


def load_again(plugin: Plugin) -> None:
    """Load the same plugin in another process; an `InputError` where that is not possible."""
    if plugin.file and plugin.file not in _files:
        # A worker of a cluster may have plugins of an earlier client, with the same names.
        for other in list(_files.values()):
            _forget(other)
    try:
        here = load_plugin(plugin.file) if plugin.file else _installed(plugin.name)
    except InputError as error:
        here, found = None, error.problems[0].found
    else:
        found = "not installed" if here is None else f"version {here}"
    if here is None or here.sha256 != plugin.sha256:
        hint = "put the file in a folder that all machines share, or install the same package on all of them"
        raise refuse(plugin.file or None, f"plugin {plugin.name} on a worker: {found}", f"{plugin} as here", hint)


def load_installed() -> None:
    """Import the packages with an entry point in the group `metaeval.measures`, once."""
    with _LOCK:
        if LOADING:
            return
        for entry in entry_points(group=ENTRY_POINTS):
            if entry.value not in _packages:
                _packages[entry.value] = _load_package(entry)


def _installed(name: str) -> Plugin | None:
    load_installed()
    return next((plugin for plugin in _packages.values() if plugin.name == name), None)


def _load_package(entry: EntryPoint) -> Plugin:
    package = entry.module.partition(".")[0]
    name, version = (entry.dist.name, entry.dist.version) if entry.dist is not None else (package, "")
    with _errors_located(f"package {name}"):
        plugin = Plugin(name, version, name, _hash_of(package), load_again)
        with _declared_by(plugin), RESULTS_ALONE:
            entry.load()
    _adopt(package, plugin)
    return plugin


def _hash_of(package: str) -> str:
    """The hash of all Python files of a package or module, which is not imported."""
    spec = find_spec(package)
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec is not None else []
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    if spec is not None and spec.origin is not None and not folders:
        files = [Path(spec.origin)]
    content = hashlib.sha256()
    for path in files:
        content.update(path.read_bytes())
    return content.hexdigest()


def _version(tree: ast.Module) -> str:
    """The value of `__version__` in the code of a file."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if "__version__" in names:
                return str(node.value.value)
    return ""


@contextmanager
def _declared_by(plugin: Plugin) -> Iterator[None]:
    """Let measures that are declared within the context belong to a plugin; after an error, none of them is known."""
    REGISTRY.load_own()
    LOADING.append(plugin)
    try:
        yield
    except BaseException:
        _forget(plugin)
        raise
    finally:
        LOADING.pop()


def _declared(plugin: Plugin) -> list[str]:
    """The names of the measures of a plugin."""
    return [name for name, declaration in REGISTRY.registered_items() if declaration.plugin == plugin]


def _forget(plugin: Plugin) -> None:
    """Remove the measures of a plugin."""
    for name in _declared(plugin):
        REGISTRY.remove(name)
    _files.pop(plugin.file, None)


def _adopt(package: str, plugin: Plugin) -> None:
    """Let measures belong to a package that was imported before metaeval looked for it."""
    for name, declaration in REGISTRY.registered_items():
        if declaration.plugin is None and declaration.decorated.__module__.partition(".")[0] == package:
            REGISTRY.remove(name)
            REGISTRY.register(name, replace(declaration, plugin=plugin))


@contextmanager
def _errors_located(path: str) -> Iterator[None]:
    """Turn what the code of a plugin raises while it is loaded into an `InputError` with its line."""
    try:
        yield
    except (MetaevalError, KeyboardInterrupt):
        raise
    except BaseException as error:
        line = error.lineno if isinstance(error, SyntaxError) else line_of(error, path)
        raise refuse((path, line), unreadable("plugin", f"{type(error).__name__}: {error}", CORRECT)) from None
