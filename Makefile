# make site    set up an environment of its own, build the board of the bundled sample track, say where it lies
# make test    set up, and run the tests
# make check   what a change has to pass before the tests: lint, types, layers, generated files

PYTHON ?= python3
BIN := .venv/bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-input -c constraints.txt

.DEFAULT_GOAL := site
.PHONY: site test check serve clean

site: .venv/installed
	@$(BIN)/leaderboard build
	@echo "Or from here: make serve"

serve: .venv/installed
	@$(BIN)/leaderboard serve

test: .venv/installed-dev
	$(BIN)/pytest --durations=8

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m leaderboard.submissions.json_schema --check
	$(BIN)/leaderboard check

clean:
	rm -rf .venv build

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; name another with: make PYTHON=python3.12")'
	@echo "Setting up an environment in .venv: some 100 packages, 1 GB, a minute or two"
	@$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	@$(PIP_INSTALL) -e .
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml constraints.txt
	@$(PIP_INSTALL) -e '.[dev]'
	@touch $@ .venv/installed
