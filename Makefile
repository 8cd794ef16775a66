# Two commands on a fresh machine: `make demo` and `make test`. Both set up what they need below .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WITH_VENV = PATH="$(abspath $(BIN)):$$PATH"
BUILD_REQUIREMENTS := scikit-build-core pybind11 cmeel-eigen cmake ninja
SOURCES := $(shell find cpp python shaders CMakeLists.txt pyproject.toml -type f -not -name '*.so' -not -path '*/__pycache__/*')

# What calls the C++ core: files, samples, the stages. The rest is Python and would only run slowly under the sanitizers.
STAGE_TESTS := $(wildcard tests/test_[0-7]_*.py tests/test_8_surface*.py tests/test_8_fine*.py) tests/test_core_stub.py

.PHONY: demo test bench figures docs lint core sanitize wheel clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	$(BIN)/ruckle demo -o out

test: $(VENV)/installed
	$(BIN)/python -m pytest -n auto

bench: $(VENV)/installed
	$(BIN)/ruckle bench stages
	$(BIN)/ruckle bench labels
	$(BIN)/ruckle bench paths
	$(BIN)/ruckle bench surface
	$(BIN)/ruckle bench render

# The guide, the notebooks executed anew, and the reference made from docstrings: docs/_build/index.html.
docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --no-build-isolation --config-settings=build-dir=build/module ".[docs]"
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build

# Every figure of the thesis on our data, with an index page.
figures: $(VENV)/installed
	$(BIN)/ruckle figures -o figures

lint: $(VENV)/developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy examples/*.py
	find cpp examples -name '*.h' -o -name '*.cpp' -o -name '*.c' | xargs $(BIN)/clang-format --dry-run --Werror

# The C++ library alone, without Python: built, tested, installed, and found by the example's find_package.
core: $(VENV)/environment
	$(WITH_VENV) cmake --preset release -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(WITH_VENV) cmake --build --preset release
	$(WITH_VENV) ctest --preset release

# The C++ tests, then the Python tests of the stages, under the address and undefined-behaviour sanitizers.
sanitize: $(VENV)/installed
	$(WITH_VENV) cmake --preset sanitize -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(WITH_VENV) cmake --build --preset sanitize
	$(WITH_VENV) ctest --preset sanitize
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --upgrade --target build/sanitized \
		--config-settings=build-dir=build/sanitized-module --config-settings=cmake.define.RUCKLE_SANITIZE=ON \
		--config-settings=cmake.build-type=RelWithDebInfo --config-settings=install.strip=false .
	LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libubsan.so) $$(c++ -print-file-name=libstdc++.so.6)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=build/sanitized RUCKLE_SANITIZED=1 \
		$(BIN)/python -m pytest -n auto -q --capture=sys $(STAGE_TESTS)

wheel: $(VENV)/environment
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist out figures

# What the machine lacks is installed where that is allowed, else named with the command that installs it. Without OpenGL
# all but pictures and films works, so that its driver is only recommended.
$(VENV)/environment:
	@missing=""; \
	command -v c++ >/dev/null || missing="$$missing g++"; \
	command -v $(PYTHON) >/dev/null || missing="$$missing python3"; \
	$(PYTHON) -c "import ensurepip" 2>/dev/null || missing="$$missing python3-venv"; \
	$(PYTHON) -c "import os, sysconfig; os.stat(os.path.join(sysconfig.get_path('include'), 'Python.h'))" 2>/dev/null \
		|| missing="$$missing python3-dev"; \
	wanted=""; \
	if command -v apt-get >/dev/null; then \
		$(PYTHON) -c "import ctypes; ctypes.CDLL('libEGL.so.1')" 2>/dev/null || wanted="libegl1"; \
		ls /usr/lib/*/dri/*_dri.so /usr/lib/*/libEGL_nvidia.so.0 2>/dev/null | grep -q . || wanted="$$wanted libgl1-mesa-dri"; \
	fi; \
	if [ -n "$$missing$$wanted" ]; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing $$wanted; \
		elif [ -n "$$missing" ]; then \
			echo "missing:$$missing; install with: sudo apt-get install$$missing $$wanted" >&2; exit 1; \
		else \
			echo "for pictures and films, which need OpenGL: sudo apt-get install $$wanted" >&2; \
		fi; \
	fi
	@$(PYTHON) -c "import sys; sys.exit(f'$(PYTHON) is Python {sys.version.split()[0]}; ruckle needs 3.11 or newer: make PYTHON=...' if sys.version_info < (3, 11) else 0)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(BUILD_REQUIREMENTS)
	touch $@

$(VENV)/installed: $(VENV)/environment $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation --config-settings=build-dir=build/module ".[test]"
	touch $@

$(VENV)/developer: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --no-build-isolation --config-settings=build-dir=build/module ".[dev]"
	touch $@
