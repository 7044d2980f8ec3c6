# One command surface for people and for CI. `make help` lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What the benchmarks read: DATA holds cases/, localization/ and tracing/, REPOS git directories as owner/name.
DATA ?= data
REPOS ?= repos

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests lint types imports test test-all demo demo-app bench bench-localization bench-tracing testbed lock schemas clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 22

setup: $(VENV)/.ready ## Create the environment and install what is missing

$(VENV)/.ready: requirements.lock pyproject.toml deploy/setup-system
	@deploy/setup-system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.6"
	@$(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --no-deps -e .
	@touch $@

demo: setup ## Fix two real, published vulnerabilities on this machine, with evidence
	@$(BIN)/python -m bot.demo

lint: setup ## Lint, format, types, import rule
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

setup-tests: setup
	@deploy/setup-tests

test: setup-tests lint ## Everything CI asks for, but slow checks
	@rm -f .coverage .coverage.*
	@# What fails beside others is run once more alone: some tests hold time limits, and machines are shared.
	@$(BIN)/pytest -q -n 2 -m "not slow" --cov --cov-report= || \
	  $(BIN)/pytest -q --last-failed --last-failed-no-failures none -m "not slow" --cov --cov-append --cov-report=
	@$(BIN)/coverage combine -q --append 2>/dev/null || true
	@$(BIN)/python -m tests.coverage_floors

test-all: setup-tests lint ## All tests, the slow ones too
	@$(BIN)/pytest -q -n 2

lock: ## Resolve the dependencies anew (the lock names no host)
	@$(BIN)/uv pip compile -q pyproject.toml --group dev --generate-hashes --no-annotate --no-header --universal -o requirements.lock

clean: ## Remove what the targets made
	rm -rf $(VENV) .demo .testbed .cache .mypy_cache .ruff_cache .pytest_cache .coverage*

schemas: setup ## Write the published JSON Schemas anew
	@$(BIN)/python -c "import json; from bot.output.schema import RunShape; print(json.dumps(RunShape.model_json_schema(), indent=2))" > docs/run.schema.json
	@$(BIN)/python -m bot.repo_config.schema

testbed: setup-tests ## Start a GitHub on this machine, until Ctrl-C
	@$(BIN)/python -m tests.testbed

demo-app: setup-tests ## Let a labelled issue become a draft pull request on the testbed
	@$(BIN)/python -m tests.testbed.demo

BENCH := .bench
LOCALIZATION := $(DATA)/localization
ALIASES := --alias django/django=felixxm/django --alias scikit-learn/scikit-learn=ogrisel/scikit-learn --alias matplotlib/matplotlib=anntzer/matplotlib

bench-localization: setup ## Measure file localization and write its page (DATA, REPOS; hours the first time)
	@$(BIN)/suture eval localization --data $(LOCALIZATION)/dev.jsonl.gz --history $(LOCALIZATION)/history.jsonl.gz \
	  --repos $(REPOS) $(ALIASES) --work $(BENCH)/localization --engines --all-files --into docs/benchmarks/localization.md
	@$(BIN)/suture eval localization --cases $(DATA)/cases --repos $(REPOS) --work $(BENCH)/security-cases \
	  --into docs/benchmarks/localization.md

bench-tracing: setup ## Measure the tracing of fix commits and write its page (DATA, REPOS)
	@$(BIN)/suture eval tracing --data $(DATA)/tracing/dev.csv --repos $(REPOS) --index $(BENCH)/tracing --markdown docs/benchmarks/tracing.md

bench-repair: setup ## Repair real flaws with rules alone; write its page, name what became worse (DATA, REPOS)
	@$(BIN)/suture eval repair --cases $(DATA)/cases --repos $(REPOS) --out $(BENCH)/repair \
	  --amendments docs/benchmarks/case-amendments.yaml --stored docs/benchmarks/repair.json \
	  --page docs/benchmarks/repair.md >/dev/null
	@cp $(BENCH)/repair/report.json docs/benchmarks/repair.json

bench: bench-repair ## Measure what needs no model and little time
