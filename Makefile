# make site    set up an environment of its own, build the board of the bundled sample track, say where it lies
# make test    set up, and run the tests
# make check   what a change has to pass before the tests: lint, types, layers, generated files, workflows
#
# The steps of .github/workflows are these targets and no others; beside the above:
# make validate    say everything that is wrong with the submissions
# make replay      answer every committed run again from its recorded calls, and compare the records
# make workflows   audit the workflows, and hold them and the issue forms against GitHub's schemas
# make chromium    have a browser for the browser tests

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
BIN := .venv/bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-input -c constraints.txt

.DEFAULT_GOAL := site
.PHONY: site serve test check validate replay workflows chromium clean

site: .venv/installed
	@$(BIN)/leaderboard build
	@echo "Or from here: make serve"

serve: .venv/installed
	@$(BIN)/leaderboard serve

# What measures, or uses all cores itself, runs alone; the rest on two cores, a file's tests on one of them.
test: .venv/installed-dev
	@mkdir -p build
	$(BIN)/pytest --durations=5 -m "model or performance" | tee build/tests-alone.txt
	$(BIN)/pytest --durations=8 -m "not (model or performance)" -n 2 --dist loadfile | tee build/tests.txt
	@tail -qn 1 build/tests-alone.txt build/tests.txt

validate: .venv/installed
	$(BIN)/leaderboard check

replay: .venv/installed-dev
	$(BIN)/pytest tests/test_bundled_board.py -k replays_from_its_recorded_calls

workflows: .venv/installed-dev
	$(BIN)/zizmor --offline --pedantic --strict-collection --no-progress .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml

check: .venv/installed-dev workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m leaderboard.submissions.json_schema --check
	$(BIN)/python -m leaderboard.cli.reference --check
	$(BIN)/leaderboard check

# GitHub's machines have one; Debian's is installed where there is none.
chromium:
	@command -v chromium || command -v chromium-browser || { \
	    as_root=$$(test "$$(id -u)" = 0 || echo sudo); \
	    $$as_root apt-get update -qq && \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; }

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
