# Everything a developer or a curious user needs; each target sets up what it uses. Needs Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
DEMO := runs/falling-cloth
SHIPPED := src/signorini/compilation/shipped
SCENES ?= 1000
SOAK_PAGE := $(if $(filter 1000,$(SCENES)),--page docs/campaign.md)

# Reference data of the papers' authors and others, beside the checkout on our machines; tests that need it skip otherwise.
ifndef SIGNORINI_EXTERNAL_DATA
ifneq ($(wildcard ../shared/data/.),)
export SIGNORINI_EXTERNAL_DATA := $(abspath ../shared/data)
endif
endif

.DEFAULT_GOAL := help
.PHONY: help demo test soak coverage lint bench problems kernels docs site wheel dist clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

demo: $(VENV)/.render ## drop a cloth on the ground; make a picture and a film of it
	$(BIN)/signorini run falling-cloth -o $(DEMO) --force
	@$(BIN)/signorini render $(DEMO) -o $(DEMO)/picture.png >/dev/null
	@$(BIN)/signorini render $(DEMO) --film -o $(DEMO)/film.mp4 >/dev/null
	@echo
	@echo "run:     $(DEMO)"
	@echo "picture: $(DEMO)/picture.png"
	@echo "film:    $(DEMO)/film.mp4"

test: $(VENV)/.dev ## run the tests (the long studies are in bench)
	$(BIN)/signorini warmup
	$(BIN)/python -m pytest -n 2 -m "not slow"

soak: $(VENV)/.dev ## run 1,000 random scenes, or go on with them, and publish their table (docs/campaign.md); SCENES=20: fewer, no page
	$(BIN)/signorini bench random --scenes $(SCENES) --jobs 2 --csv runs/soak.csv --watch support.watched_steps:watched $(SOAK_PAGE)

coverage: $(VENV)/.dev ## measure which lines of the package the unit tests run (compiled kernels do not show)
	$(BIN)/python -m coverage run --source=src/signorini -m pytest -q -m "not slow" tests/unit
	$(BIN)/python -m coverage report --skip-covered --omit="*_kernels.py"

lint: $(VENV)/.dev ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(VENV)/.dev ## run the long studies and the benchmarks
	$(BIN)/python -m pytest -m slow
	@set -e; for script in $(sort $(wildcard benchmarks/*.py benchmarks/*/*.py)); do echo "== $$script"; $(BIN)/python $$script; done

problems: $(VENV)/.dev ## make the collection of contact problems anew
	$(BIN)/python -m signorini.studies.problems.collection problems

kernels: $(VENV)/.dev ## record anew, from all tests, which kernels the package calls (for signorini warmup)
	$(BIN)/python -m pytest -n 2 -p support.kernel_recorder -m "not slow" --deselect tests/unit/compilation/test_warmup.py::test_every_kernel_of_the_list_exists

docs: $(VENV)/.dev ## build the documentation site into site/; a warning is an error
	$(BIN)/python -m sphinx -b html -q -W --keep-going -d build/doctrees docs site
	@echo "site: site/index.html"

site: docs ## build the documentation site and open it in the browser
	$(BIN)/python -m webbrowser -t "file://$(CURDIR)/site/index.html"

dist: $(VENV)/.dev ## build the wheel and the source distribution of a release into dist/, and check them
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	SIGNORINI_DIST=$(CURDIR)/dist $(BIN)/python -m pytest -q tests/docs/test_wheel.py -m slow

wheel: $(VENV)/.dev ## build a wheel that brings compiled kernels for x86-64-v3 along
	rm -rf $(SHIPPED)
	NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= SIGNORINI_CACHE_DIR=$(SHIPPED) $(BIN)/signorini warmup
	rm -f $(SHIPPED)/last-cleaning $(SHIPPED)/*/locks
	$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w dist .
	rm -rf $(SHIPPED)

clean: ## remove the environment, results and caches
	rm -rf $(VENV) runs build dist site docs/api .pytest_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Signorini needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.render: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e ".[render]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/.render
