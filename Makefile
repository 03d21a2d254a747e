# `make demo` shows metaeval at work, `make test` checks everything.
# Both need only python3 (3.11 or newer), make and a package index.

PYTHON ?= python3
BIN := .venv/bin
METAEVAL := $(BIN)/metaeval

.PHONY: demo test test-fast lint types contracts pytest house golden golden-check bench soak docs clean

demo: .venv/installed
	$(METAEVAL) run configs/stance.yaml
	$(METAEVAL) run configs/news.yaml

test: lint types contracts pytest

# For the inner loop, within a minute: what tests/conftest.py does not call slow.
test-fast: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n auto --fast tests

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

contracts: .venv/dev
	$(BIN)/lint-imports

pytest: .venv/dev
	$(BIN)/python -m pytest -n auto

# The targets of the architecture with their current values; a target that is missed is an error.
house: .venv/dev
	PYTHONPATH=tests $(BIN)/python -m house

# What every command prints and writes, recorded in .golden/ before a change and compared after it; some minutes each.
golden: .venv/dev
	PYTHONPATH=tests $(BIN)/python -m golden record

golden-check: .venv/dev
	PYTHONPATH=tests $(BIN)/python -m golden check

# Ratios against peers, measured side by side, into the page of benchmarks; how fast something is fails nothing.
bench: .venv/dev
	$(BIN)/python -m benchmarks --page docs/benchmarks.md --json docs/assets/benchmarks.json

# Ten thousand commands in one process, whose memory has to stay as it is; minutes, and a line a thousand.
soak: .venv/dev
	$(BIN)/python tests/faults/soak.py

# The documentation site, in site/: pages that derive from the code, then all of it; a broken link is an error.
docs: .venv/dev
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
