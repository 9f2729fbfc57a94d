# Needs make and Python 3.11 or later, nothing else. `make help` lists what there is.

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench torture clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 12

demo: $(STAMP) ## Build a made-up memory in a private PostgreSQL, look after it, report
	"$(BIN)/memory-maintenance" demo --again

test: $(STAMP) ## Run the tests (PYTEST_ARGS="-k decay" to choose)
	"$(BIN)/python" -m pytest -n auto $(PYTEST_ARGS)

lint: $(STAMP) ## Check style, types and the direction of imports
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	"$(BIN)/lint-imports"

bench: $(STAMP) ## Measure (takes minutes)
	"$(BIN)/python" -m benchmarks

torture: $(STAMP) ## Run the property and fault tests with many more examples
	HYPOTHESIS_PROFILE=torture "$(BIN)/python" -m pytest -n auto tests/property tests/faults $(PYTEST_ARGS)
	HYPOTHESIS_PROFILE=torture "$(BIN)/python" -m pytest -n auto -m torture tests/integration $(PYTEST_ARGS)

clean: ## Remove the virtual environment and all caches
	rm -rf "$(VENV)" build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything is installed anew when the dependencies change. The package itself is linked, not copied,
# so that its code needs no new installation.
$(STAMP): pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'error: Python 3.11 or later is needed, and $(PYTHON) is older or missing' >&2; \
	  echo '  try: make PYTHON=python3.12 $(MAKECMDGOALS)' >&2; exit 2; }
	"$(PYTHON)" -m venv "$(VENV)"
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch "$(STAMP)"
