# make run [URL…]   start an archive here and collect a website with it
# make test         run the checks and the tests
# make help         the rest

PYTHON ?= python3
VENV ?= .venv
ARCHIVE ?= var
URL ?=
BASE_PORT ?=

# What stands after `make run` on the command line is not a goal but a URL.
ifeq ($(firstword $(MAKECMDGOALS)),run)
export DLWEB_URLS := $(URL) $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
.DEFAULT: ; @:
endif

.PHONY: help run test lint format reference lock wheel clean
.PHONY: benchmark benchmark-hip benchmark-extraction benchmark-analysis benchmark-frontier
.PHONY: benchmark-storage benchmark-replay benchmark-warc benchmark-streaming
.DEFAULT_GOAL := help

help:
	@echo 'make run                 collect the built-in demonstration website, and keep the archive'
	@echo 'make run https://…       collect these websites instead (URL="…" for one that holds a =)'
	@echo '    ARCHIVE=folder       where the archive is kept, instead of var'
	@echo '    BASE_PORT=7300       first of its hundred ports, instead of 7100'
	@echo 'make test                run the checks and the tests; with CI=1 those that take long too'
	@echo 'make lint                run the checks only: ruff, mypy, import-linter'
	@echo 'make reference           renew what is written from the code: etc/quickstart.yaml, docs/reference'
	@echo 'make benchmark           compare crawls with Scrapy, wget and httrack (installs Scrapy)'
	@echo 'make benchmark-hip       compare HIP with AMP, ZeroMQ and gRPC (installs the last two)'
	@echo 'make benchmark-extraction compare finding links with lxml, selectolax and resiliparse'
	@echo 'make benchmark-analysis  compare telling languages with langdetect and py3langid'
	@echo 'make benchmark-frontier  measure what a crawl remembers'
	@echo 'make benchmark-storage   compare a storage node with nginx, twisted.web and SeaweedFS'
	@echo 'make benchmark-replay    compare the proxy with pywb (installs it beside)'
	@echo 'make benchmark-warc      compare import and export with FastWARC and warcio'
	@echo 'make benchmark-streaming compare listening to radio with ffmpeg and streamripper'
	@echo 'make lock                choose the newest versions of what we depend on'
	@echo 'make wheel               build the wheel in dist/'
	@echo 'make clean               remove what was built; archives stay'

run: $(VENV)/installed
	@set -f; exec $(VENV)/bin/dlweb run --archive '$(ARCHIVE)' \
	  $(if $(BASE_PORT),--base-port '$(BASE_PORT)') -- $$DLWEB_URLS

test: lint
	$(VENV)/bin/pytest $(if $(CI),,-m 'not slow')

lint: $(VENV)/installed-tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy

format: $(VENV)/installed-tests
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

reference: $(VENV)/installed
	$(VENV)/bin/python -m agents.archive.reference
	$(VENV)/bin/python -P -m agents.parsers.reference

benchmark: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/crawl.py

benchmark-hip: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/hip.py

benchmark-extraction: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/extraction.py

benchmark-analysis: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/analysis.py

benchmark-frontier: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/frontier.py

benchmark-storage: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/storage.py

benchmark-replay: $(VENV)/installed-benchmarks $(VENV)-pywb/bin/uwsgi
	PYWB=$(abspath $(VENV)-pywb/bin) $(VENV)/bin/python benchmarks/replay.py

benchmark-warc: $(VENV)/installed-benchmarks
	$(VENV)/bin/python benchmarks/warc.py

benchmark-streaming: $(VENV)/installed
	$(VENV)/bin/python benchmarks/streaming.py

# pywb wants libraries that would replace ours.
$(VENV)-pywb/bin/uwsgi:
	$(PYTHON) -m venv $(VENV)-pywb
	$(VENV)-pywb/bin/pip install -q pywb==2.10.0 uwsgi==2.0.31

wheel: $(VENV)/installed
	rm -rf build
	$(VENV)/bin/pip wheel -q --no-deps --no-build-isolation --wheel-dir dist .

clean:
	rm -rf $(VENV) $(VENV)-pywb build dist *.egg-info .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# Installing: exactly what the lock files name, each with its hash, and then this folder itself.

install = $(VENV)/bin/pip install -q --disable-pip-version-check --require-hashes -r $(1) && \
  $(VENV)/bin/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . && \
  touch $@ || { \
  echo 'Installing into $(VENV) failed; what is above says why. It needs the Python package index'; \
  echo '(a network, or a mirror that pip is configured for) and some 300 MB of disk. When that is'; \
  echo 'mended run the same command again; make VENV=/another/folder installs elsewhere.'; \
  exit 1; }

$(VENV)/bin/pip:
	@command -v $(PYTHON) >/dev/null || { \
	  echo 'dlweb needs Python 3.11 or newer, and there is no "$(PYTHON)" here.'; \
	  echo 'On Debian: sudo apt-get install python3 python3-venv; or name one: make PYTHON=/path/to/python3.11'; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "dlweb needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1)."; \
	  echo 'Name a newer one: make PYTHON=/path/to/python3.11'; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$$($(PYTHON) -V) lacks the module that makes virtual environments."; \
	  echo 'On Debian: sudo apt-get install python3-venv'; \
	  exit 1; }
	@echo 'Making the virtual environment $(VENV) …'
	@$(PYTHON) -m venv $(VENV) || { \
	  echo 'It could not be made; what is above says why. Make this folder writable for this user,'; \
	  echo 'free some space, or name another place for it: make VENV=/another/folder'; \
	  exit 1; }

$(VENV)/installed: requirements.lock setup.cfg pyproject.toml | $(VENV)/bin/pip
	@echo 'Installing what dlweb needs into $(VENV) …'
	@$(call install,requirements.lock)

$(VENV)/installed-tests: requirements-tests.lock setup.cfg pyproject.toml | $(VENV)/bin/pip
	@echo 'Installing what the tests need into $(VENV) …'
	@$(call install,requirements-tests.lock)

$(VENV)/installed-benchmarks: requirements-benchmarks.lock setup.cfg pyproject.toml | $(VENV)/bin/pip
	@echo 'Installing what the benchmarks need into $(VENV) …'
	@$(call install,requirements-benchmarks.lock)

# Locking: the index is never named, so that a mirror serves as well.

compile = $(VENV)-lock/bin/uv pip compile setup.cfg --universal --python-version 3.11 --upgrade \
  --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'make lock' -q

# Not needed, but wanted by whoever installs from here: parsers of documents and of scripts.
optional = --extra documents --extra javascript

lock:
	@test -x $(VENV)-lock/bin/uv || { $(PYTHON) -m venv $(VENV)-lock && $(VENV)-lock/bin/pip install -q uv; }
	$(compile) --extra build $(optional) -o requirements.lock
	$(compile) --extra build $(optional) --extra postgresql --extra s3 --extra tests --extra checks -c requirements.lock -o requirements-tests.lock
	$(compile) --extra build $(optional) --extra benchmarks -c requirements.lock -o requirements-benchmarks.lock
