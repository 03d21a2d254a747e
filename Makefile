# `make demo` shows metaeval at work, `make test` checks everything. Both need python3 (3.11 or newer), make and a package index.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: test clean

.venv/dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

test: .venv/dev
	$(BIN)/python -m pytest

clean:
	rm -rf .venv
