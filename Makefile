# Everything a fresh clone needs is python3 (3.10 or newer) with its venv module, and make.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test lint docs bench kernels ci clean

help:
	@echo "make demo     decode the recording that ships with the package: a picture, a table, JSON"
	@echo "make test     run all tests"
	@echo "make lint     format and check: ruff, mypy --strict, import layers"
	@echo "make docs     build the documentation into docs/_build"
	@echo "make bench    time this package against others"
	@echo "make kernels  lower the kernels anew, after a change to one"
	@echo "make ci       all that has to be green before a change is taken (.ci/run)"
	@echo "make clean    remove what these made, the environment too"

demo:
	@$(PYTHON) tools/setup_env.py
	@$(BIN)/hailo-decode demo

test:
	@$(PYTHON) tools/setup_env.py test
	@$(BIN)/python -m pytest -q

lint:
	@$(PYTHON) tools/setup_env.py dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs:
	@$(PYTHON) tools/setup_env.py docs
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench:
	@$(PYTHON) tools/setup_env.py
	@$(BIN)/python bench/compare.py

kernels:
	@$(PYTHON) tools/setup_env.py dev
	@$(BIN)/python tools/lower_kernels.py

ci:
	@.ci/run

clean:
	rm -rf .venv .venv-* dist build docs/_build demo-out bench/results .hypothesis
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find hailo_decode tests bench tools fixtures -name __pycache__ -prune -exec rm -rf {} +
