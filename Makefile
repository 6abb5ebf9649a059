# Every target sets up what it needs: a virtual environment, the build, the dependencies.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= $(HOTT_DATA)

.PHONY: demo test lowest lint docs pictures paper.html links bench benchmarks sanitize processors campaign paper build clean

demo: $(VENV)/.demo
	$(BIN)/hott demo

# Neighbouring tests share what they build, so each process gets a run of them and takes over from others at the end.
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# The tests with the oldest dependencies that pyproject.toml allows, in an environment of their own.
LOWEST := .venv-lowest
EXTRAS := documents,parquet,plots,explore,dask,pandas
lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/pip install --quiet "uv>=0.5,<1"
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct ".[$(EXTRAS)]"
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python pytest pytest-xdist hypothesis httpx psutil
	$(LOWEST)/bin/python -m pytest -n auto --dist worksteal tests/cli tests/explorer tests/storage tests/index/test_index.py tests/index/test_search.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/prose.py

# The documentation site, in build/site, with a live explorer of the bundled articles. Warnings and links that lead
# nowhere are errors; the notebooks run once and are kept.
docs: $(VENV)/.docs
	rm -rf build/site
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	$(BIN)/hott demo -o build/demo > build/demo.txt
	$(BIN)/hott export build/demo/demo.hott -o build/site/explorer
	$(BIN)/python tools/check_links.py build/site
	@echo "open build/site/index.html"

# The pictures of the README and the docs, in Chromium: after every change of the page.
pictures: $(VENV)/.dev
	$(BIN)/python tools/make_pictures.py

# The paper for JOSS as a page, which needs pandoc.
paper.html:
	mkdir -p build && cd paper && pandoc paper.md --citeproc --standalone --fail-if-warnings -o ../build/paper.html

# Links of the site to other sites, which needs a network.
links: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -b linkcheck docs build/links

# docs/benchmarks.md from the benchmarks against others (DATA=folder for real corpora, QUICK=1 for small settings).
benchmarks: $(VENV)/.dev
	$(BIN)/python benchmarks/page.py $(if $(DATA),--data "$(DATA)") $(if $(QUICK),--quick)

# Speed against the peers, in one run. With DATA=folder of the paper's data sets (docs/reproduction.md) on real corpora,
# and the neighbour search too; on made-up topics without it.
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/transport.py $(if $(DATA),--data "$(DATA)")
	$(if $(DATA),$(BIN)/python benchmarks/neighbors.py --data "$(DATA)")

# Every table and figure of the paper from DATA=folder of its data sets (reproduction/README.md): hours, QUICK=1 minutes.
# VECTORS=glove, bundled or glove,bundled; without it those of each protocol. JOBS=16 for so many processes.
paper: $(VENV)/.dev
	$(BIN)/python -m reproduction all $(if $(DATA),--data "$(DATA)") $(if $(VECTORS),--vectors $(VECTORS)) \
		$(if $(QUICK),--quick) $(if $(JOBS),--jobs $(JOBS))

# The core under AddressSanitizer and UndefinedBehaviorSanitizer, and its threads under ThreadSanitizer.
sanitize: $(VENV)/.dev
	PYTHON=$(abspath $(BIN)/python) tools/sanitize.sh

# Numbers and tests as if on other processors: BLAS kernels, threads, vector instructions. TESTS=tests/topics for a part.
processors: $(VENV)/.dev
	$(BIN)/python tools/processors.py $(TESTS)

# Try to break it: kills, full disks, forged files, hostile input, many clients, hard problems (docs/robustness.md).
# MINUTES=600 for a night, SEED=17 for the same numbers again.
MINUTES ?= 5
CAMPAIGN = --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))
campaign: $(VENV)/.dev
	$(BIN)/python tools/campaign $(CAMPAIGN)

# Rebuild the compiled core after a change in csrc/.
build: $(VENV)/.build-tools
	$(BIN)/pip install --quiet --no-build-isolation --no-deps -e .

clean:
	rm -rf $(VENV) $(LOWEST) build hott-demo

CORE := $(wildcard csrc/*) CMakeLists.txt pyproject.toml

$(VENV)/.build-tools:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet "scikit-build-core>=0.10,<2" "nanobind>=2.4,<4" "cmake>=3.18,<5" "ninja>=1.11,<2"
	touch $@

$(VENV)/.demo: $(VENV)/.build-tools $(CORE)
	$(BIN)/pip install --quiet --no-build-isolation -e ".[plots]"
	touch $@

$(VENV)/.dev: $(VENV)/.build-tools $(CORE)
	$(BIN)/pip install --quiet --no-build-isolation -e ".[dev]"
	touch $@ $(VENV)/.demo

$(VENV)/.docs: $(VENV)/.build-tools $(CORE)
	$(BIN)/pip install --quiet --no-build-isolation -e ".[docs,documents,parquet,plots,explore,dask]" pandas
	touch $@
