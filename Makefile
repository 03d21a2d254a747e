# `make demo` runs two sample experiments, `make test` runs the checks.
# Both need only python3 (3.11 or newer), make and a package index.

PYTHON ?= python3
BIN := .venv/bin
METAEVAL := $(BIN)/metaeval

.PHONY: demo test test-slow test-fast lint types contracts pytest size golden golden-check bench simulate soak fuzz \
	docs versions test-lowest release-check lock clean

demo: .venv/installed
	$(METAEVAL) run configs/stance.yaml
	$(METAEVAL) run configs/news.yaml

# What to run before a commit; less than five minutes on two cores.
test: lint types contracts pytest

# The tests that are marked as slow: browsers, simulations, worker processes, whole commands run twice.
test-slow: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

# The tests of functions, without whole commands and pages; less than a minute.
test-fast: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --fast tests

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

contracts: .venv/dev
	$(BIN)/lint-imports

pytest: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

# Lines, lines of code and files by package.
size:
	$(PYTHON) checks/size.py

# Record the output of all commands in .golden/ before a change, and compare it after the change; several minutes each.
golden: .venv/dev
	PYTHONPATH=checks $(BIN)/python -m golden record

golden-check: .venv/dev
	PYTHONPATH=checks $(BIN)/python -m golden check

# Measure speed relative to other tools, and write the page of benchmarks.
bench: .venv/dev
	$(BIN)/python -m benchmarks --page docs/benchmarks.md --json docs/assets/benchmarks.json

# Simulate the levels, the coverage and the power of tests and intervals, for the page of simulations; several minutes.
simulate: .venv/dev
	PYTHONPATH=tests:checks $(BIN)/python -m simulations

# Run ten thousand commands in one process, whose memory must not grow; several minutes.
soak: .venv/dev
	$(BIN)/python tests/faults/soak.py 10000 1000

# Read 100,000 broken files in one process, and 3,000 in processes of their own, and try 2,000 pairs of options; hours.
fuzz: .venv/dev
	$(BIN)/python tests/faults/fuzz.py 100000 3000
	$(BIN)/python tests/faults/option_pairs.py 2000 0

# The documentation site in site/, with the pages that are generated from the code; a broken link is an error.
docs: .venv/dev
	$(BIN)/python docs/generate.py
	$(BIN)/python -m mkdocs build --strict

# The samples with the lowest and with the newest versions of packages, with each Python of the machine; three minutes.
versions: .venv/dev
	$(BIN)/python checks/versions.py

# The fast tests on the lowest versions; ten minutes.
test-lowest: .venv/dev
	$(BIN)/python checks/versions.py --tests

# The sdist and the wheel in dist/, and what is to do before a release.
release-check: .venv/dev
	$(BIN)/python checks/release.py

# The versions of `make test` in constraints.txt: the newest ones.
lock: .venv/dev
	$(BIN)/python -m uv pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras --no-header --no-annotate \
		pyproject.toml --output-file constraints.txt

.venv/installed: pyproject.toml hatch_build.py
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --editable .
	touch $@

.venv/dev: .venv/installed constraints.txt
	$(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
