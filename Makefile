VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: demo test install accuracy clean install-pi uninstall-pi

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

install: $(VENV)/.installed

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check pytest hypothesis ruff mypy import-linter gpiod
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

accuracy: $(VENV)/.installed
	$(BIN)/python benchmarks/accuracy.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache

install-pi:
	systemd/install

uninstall-pi:
	systemd/install --uninstall
