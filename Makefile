VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: demo test browser install accuracy coverage agreement mutants fuzz clean install-pi uninstall-pi

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

install: $(VENV)/.installed

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check pytest hypothesis ruff mypy import-linter ogxm gpiod httpx playwright pypdf
	# its text is read by a test; it cannot be imported without libcamera
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps picamera2==0.3.38
	touch $@

demo: $(VENV)/.installed
	$(BIN)/gammonwatch demo

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

# the pages in a real Chromium (apt-get install chromium): minutes, so not part of test
browser: $(VENV)/.dev
	$(BIN)/python -m pytest -m browser tests/web

accuracy: $(VENV)/.installed
	$(BIN)/python benchmarks/accuracy.py

coverage: $(VENV)/.dev
	$(BIN)/pip install --quiet --disable-pip-version-check coverage
	$(BIN)/coverage run -m pytest tests/rules
	$(BIN)/coverage report

# The tools below are no part of an install: bgsage, gvformat and atheris get a venv of their own, beside the project's.
$(VENV)-extras/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-extras
	$(VENV)-extras/bin/pip install --quiet --disable-pip-version-check pytest hypothesis coverage ogxm bgsage gammonview atheris --editable .
	touch $@

agreement: $(VENV)-extras/.installed
	$(VENV)-extras/bin/python benchmarks/rules_agreement.py

mutants: $(VENV)-extras/.installed
	nice -n 10 $(VENV)-extras/bin/python benchmarks/clause_breaks.py
	nice -n 10 $(VENV)-extras/bin/python benchmarks/mutate_rules.py --sample 650 --seed 1

fuzz: $(VENV)-extras/.installed
	for tool in atheris hypothesis; do for reader in mat sgf snowie ogxm ids notation; do \
		nice -n 10 $(VENV)-extras/bin/python benchmarks/fuzz_readers.py $$reader --with $$tool || exit 1; done; done

clean:
	rm -rf $(VENV) $(VENV)-extras .mypy_cache .pytest_cache .ruff_cache

install-pi:
	systemd/install

uninstall-pi:
	systemd/install --uninstall
