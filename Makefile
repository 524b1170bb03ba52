# Two commands to know: `make demo` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Deterministic timing and no oversubscription when tests run on several processes.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo test test-slow test-integrations test-random test-matrix check format bench-quick bench-medium bench-speed clean docs torture coverage mutation threads

demo: $(VENV)/.demo
	rm -rf demo-output && mkdir demo-output
	$(BIN)/warpfront tune examples/boosting.toml --storage sqlite:///demo-output/boosting.db
	$(BIN)/warpfront report examples/boosting.toml --storage sqlite:///demo-output/boosting.db --output demo-output

test: $(VENV)/.dev
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto

test-slow: $(VENV)/.dev
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto -m slow

# Ray Tune (410 MB with pyarrow) and Weights & Biases (60 MB), which the other tests do without.
test-integrations: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,ray,trackers]' tensorboard
	$(ONE_THREAD) $(BIN)/python -m pytest -m 'slow or not slow' tests/integrations/ray \
	  tests/integrations/trackers src/warpfront/integrations

# The same tests with other random examples every time.
test-random: $(VENV)/.dev
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --hypothesis-profile random

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation, into site/: the gallery is run, its pictures are drawn, links are checked.
docs: $(VENV)/.docs
	$(ONE_THREAD) $(BIN)/python docs/make/gallery.py
	$(BIN)/python -m mkdocs build --strict

# warpfront and random search on six tasks, three seeds; minutes. Goes on where it was stopped.
bench-quick: $(VENV)/.dev
	$(BIN)/python -m benchmarks run --tier quick --anew
	$(BIN)/python -m benchmarks report --tier quick

# The table of the README from the archived runs. ANEW=--anew repeats them: hours, and it makes the
# environments of the competitors.
MEDIUM := warpfront warpfront-paper turbo turbo+ hebo pysot optuna-tpe optuna-gp
bench-medium: $(VENV)/.dev
	$(BIN)/python -m benchmarks run --tier medium --methods $(MEDIUM) --seeds 0-4 $(ANEW)
	$(BIN)/python -m benchmarks run --tier medium --methods warpfront hebo --seeds 0-9 $(ANEW)
	$(BIN)/python -m benchmarks report --tier medium

bench-speed: $(VENV)/.dev
	$(BIN)/python -m benchmarks.speed

# Kills, stops, full disks, hostile objectives, tampered states: one table of what was lost. An hour or
# two; fewer of each with KILLS=10.
KILLS := 100
torture: $(VENV)/.dev
	$(ONE_THREAD) $(BIN)/python -m tests.torture --kills $(KILLS)

# Which lines and branches of src/ the default suite runs; fails below `fail_under` in pyproject.toml.
coverage: $(VENV)/.dev
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --cov --cov-report=term:skip-covered

# The share of small changes to the core that its tests notice. CHANGES=0 makes all of them.
CHANGES := 20
mutation: $(VENV)/.dev
	$(ONE_THREAD) $(BIN)/python -m tests.mutation --changes $(CHANGES)

# Runs with one and with two BLAS threads, and where they part ways; an hour.
threads: $(VENV)/.dev
	$(BIN)/python -m tests.threads

# The oldest and the newest supported Python, NumPy and Optuna, where these interpreters are installed.
test-matrix:
	$(PYTHON) tests/matrix.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[demo]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) .bench demo-output site docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis
