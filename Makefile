# What a contributor types. `make demo` needs git, make and Python 3.11 or newer; `make test` also npm,
# by which it fetches the Qdrant server that the tests run against.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEMO := $(VENV)/demo-index

.PHONY: demo test check format lint types bench eval models clean

# Everything the project needs to run and to be worked on. A changed pyproject installs anew.
$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(INSTALLED)
	$(BIN)/bythebook index examples/physical-ai --index $(DEMO) --base-url https://example.org/physical-ai/
	@echo
	$(BIN)/bythebook ask "What is the zero moment point?" --index $(DEMO)
	@echo
	$(BIN)/bythebook ask "How many watt-hours does the battery of a humanoid hold?" --index $(DEMO) || test $$? -eq 1

test: $(INSTALLED)
	$(BIN)/pytest

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED)
	$(BIN)/mypy

check: lint types test

bench: $(INSTALLED)
	$(BIN)/python tools/bench.py
	$(BIN)/python tools/bench_engines.py
	$(BIN)/python tools/bench_writer.py
	$(BIN)/python tools/bench_service.py

# For a person: the figures, and a report to read. `make check` makes the same run with the same
# floors inside the tests (tests/quality/test_sample_book.py), so it does not run this as well.
eval: $(INSTALLED)
	$(BIN)/bythebook index examples/physical-ai --index $(DEMO) --base-url https://example.org/physical-ai/
	@mkdir -p build
	$(BIN)/bythebook eval examples/questions*.jsonl --index $(DEMO) --floors tests/quality/floors.json --report build/eval.html

# Rebuilds the embedding model from the published weights and checks it against them. The reader is
# exported anew when READER names a checkpoint (training/README.md) and DATA the data it learnt from.
models: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models]'
	$(BIN)/python tools/build_minilm.py
	$(if $(READER),$(BIN)/python -m pip install --quiet -r training/requirements.txt)
	$(if $(READER),$(BIN)/python -m training.export --data $(DATA) --checkpoint $(READER))
	$(if $(READER),$(BIN)/python -m training.record)

clean:
	rm -rf $(VENV) build dist .bythebook bench*.json
