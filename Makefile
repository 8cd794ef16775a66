# On a new machine, run `make demo` or `make test`. Both first create a virtual environment in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# MAKEFLAGS is empty because ninja cannot connect to the job server of a parallel make
WITH_VENV = MAKEFLAGS= PATH="$(abspath $(BIN)):$$PATH"
JOBS := $(shell getconf _NPROCESSORS_ONLN)
# Length of a fuzz run in seconds, and its random seed.
SECONDS ?= 60
SEED := $(or $(SEED),$(shell expr $$(date +%s) % 1000000))

SOURCES := $(shell find cpp python shaders CMakeLists.txt pyproject.toml -type f -not -name '*.so' -not -path '*/__pycache__/*')

# Tests that run with sanitizers, because they mainly test the C++ core.
STAGE_TESTS := tests/mesh/test_animation.py tests/mesh/test_topology.py tests/field tests/paths tests/surface tests/test_core_stub.py

# Environment variables for a Python process that loads a core compiled with sanitizers.
SANITIZED = LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libubsan.so) \
	$$(c++ -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 RUCKLE_SANITIZED=1

.PHONY: demo options stub test bench figures docs web lint core sanitize fuzz fuzz-files fuzz-calls fuzz-c memory threads release \
	wheel fresh \
	blender test-blender clean
.DELETE_ON_ERROR:

demo: $(VENV)/ruckle $(VENV)/with-render,plot
	@echo "drawing the demo into out/"
	$(BIN)/ruckle demo -o out

# Generate all files with option declarations from the tables cpp/options/*.toml.
options:
	$(PYTHON) cpp/options/generate.py

# Generate the type stub of the compiled core from its signatures.
stub: $(VENV)/ruckle $(VENV)/with-dev
	$(BIN)/python cpp/bindings/stub.py

test: $(VENV)/ruckle $(VENV)/with-test
	$(BIN)/python -m pytest -n auto --dist worksteal

bench: $(VENV)/ruckle $(VENV)/with-test
	$(BIN)/ruckle bench stages
	$(BIN)/ruckle bench labels
	$(BIN)/ruckle bench paths
	$(BIN)/ruckle bench surface
	$(BIN)/ruckle bench render
	$(BIN)/ruckle bench bits

# Build the guide, the executed notebooks and the reference from docstrings: docs/_build/index.html. With KEPT=1 notebooks are
# not executed and show their stored pictures. If Emscripten is available, the first page is the browser demo.
docs: $(VENV)/ruckle $(VENV)/with-docs $(if $(shell command -v emcc),web)
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going $(if $(KEPT),-t kept_notebooks) docs docs/_build

# Build the npm package, the page (one self-contained file) and the JavaScript of the notebook view. Needs Emscripten and npm
# (Debian: apt install emscripten npm). Without access to the npm registry, only the core is built.
web: build/web/built
build/web/built: $(VENV)/with-render $(SOURCES) build/web/libraries $(shell find examples/web -name node_modules -prune -o -type f -print)
	@echo "compiling the core for the browser, which takes some minutes once"
	$(WITH_VENV) $(BIN)/python examples/web/build.py -o $(@D)
	touch $@

# Download three.js and the other libraries of the page in the versions of the lock file.
build/web/libraries: examples/web/package-lock.json
	@mkdir -p $(@D)
	npm ci --prefix examples/web --no-audit --no-fund --loglevel=error && touch $@ \
		|| echo "without libraries of the npm registry: the page and its tests are left out" >&2

# Draw all figures of the papers with the packaged samples, with an index page.
figures: $(VENV)/ruckle $(VENV)/with-render,plot
	$(BIN)/ruckle figures -o figures

lint: $(VENV)/ruckle $(VENV)/with-dev
	$(BIN)/python docs/english.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find python/ruckle -name '*.py' | xargs $(BIN)/numpydoc lint
	$(BIN)/mypy
	$(BIN)/mypy examples/*.py
	find cpp examples -name '*.h' -o -name '*.cpp' -o -name '*.c' | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/lizard --languages cpp --CCN 20 --Threshold nloc=75 --warnings_only cpp examples
	$(BIN)/lizard --languages python --CCN 20 --warnings_only python examples
	find cpp python shaders tests examples -regex '.*\.\(py\|h\|cpp\|c\|glsl\|vert\|tesc\|tese\|geom\|frag\)' | xargs wc -l \
		| awk '$$1 > 600 && $$2 != "total" { print $$2 ": longer than 600 lines"; long = 1 } END { exit long }'

# Build and test the C++ library without Python. One test installs it and builds an example with find_package.
core: $(VENV)/environment
	$(WITH_VENV) cmake --preset release -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(WITH_VENV) cmake --build --preset release
	$(WITH_VENV) ctest --preset release --parallel $(JOBS)

# Run the C++ tests, then the Python tests of the stages, under the address and undefined-behaviour sanitizers.
sanitize: build/sanitized $(VENV)/with-test
	$(WITH_VENV) ctest --preset sanitize --parallel $(JOBS)
	$(SANITIZED) PYTHONPATH=build/sanitized \
		$(BIN)/python -m pytest -n auto --dist worksteal -q --capture=sys $(STAGE_TESTS)

# Fuzz all file readers with mutated files, and the core with random calls under sanitizers: make fuzz SECONDS=36000 SEED=7.
# Inputs that fail are written to finds/.
fuzz: fuzz-files fuzz-calls fuzz-c

# Fuzz the C interface with random calls, and with invalid saved states that have valid checksums.
fuzz-c: build/sanitized
	for target in fuzz_step fuzz_c fuzz_c_layers fuzz_c_garment; do \
		build/sanitize/cpp/tests/$$target seconds=$$(($(SECONDS) / 12)) $(SEED)000000 || exit 1; done

fuzz-files: $(VENV)/ruckle $(VENV)/with-test
	cd tests && $(abspath $(BIN))/python -m fuzz --but call --jobs $(JOBS) --seed $(SEED) \
		--seconds $$(($(SECONDS) / 2)) --finds ../finds

fuzz-calls: build/sanitized $(VENV)/with-test
	cd tests && $(SANITIZED) PYTHONPATH=../build/sanitized $(abspath $(BIN))/python -m fuzz call --seed $(SEED) \
		--seconds $$(($(SECONDS) / 6)) --finds ../finds

# Run tests and fuzz targets of the core under Clang's memory sanitizer, which finds values that nobody has set. It needs Clang and
# the sources of its C++ library (Debian: apt install clang-16 libclang-rt-16-dev; apt-get source llvm-toolchain-16), because
# std::map and std::to_string of a library without the sanitizer give false reports: make memory LLVM=../llvm-toolchain-16-16.0.6
CLANG ?= 16
memory: build/libcxx/built
	CC=clang-$(CLANG) CXX=clang++-$(CLANG) CXXFLAGS="-nostdinc++ -isystem $(abspath $(<D))/include/c++/v1" \
		LDFLAGS="-fsanitize=memory -nostdlib++ -L$(abspath $(<D))/lib -Wl,-rpath,$(abspath $(<D))/lib -lc++ -lc++abi" \
		$(WITH_VENV) cmake --preset memory -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(WITH_VENV) cmake --build --preset memory
	$(WITH_VENV) ctest --preset memory --parallel $(JOBS)

build/libcxx/built: $(VENV)/environment
	$(WITH_VENV) cmake -G Ninja -S "$(or $(LLVM),$(error LLVM=... names the folder of the sources of LLVM))/runtimes" -B $(@D) \
		-DCMAKE_C_COMPILER=clang-$(CLANG) -DCMAKE_CXX_COMPILER=clang++-$(CLANG) -DCMAKE_BUILD_TYPE=Release \
		-DLLVM_USE_SANITIZER=MemoryWithOrigins "-DLLVM_ENABLE_RUNTIMES=libcxx;libcxxabi" -DLIBCXXABI_USE_LLVM_UNWINDER=OFF \
		-DLIBCXX_INCLUDE_BENCHMARKS=OFF -DLLVM_INCLUDE_TESTS=OFF -DLIBCXX_INCLUDE_TESTS=OFF -DLIBCXXABI_INCLUDE_TESTS=OFF
	$(WITH_VENV) cmake --build $(@D) --target cxx cxxabi
	touch $@

# Run the tests that use threads under the thread sanitizer.
threads: $(VENV)/environment
	$(WITH_VENV) cmake --preset thread -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(WITH_VENV) cmake --build --preset thread
	$(WITH_VENV) ctest --preset thread

# Build the core, its tests and the Python package with sanitizers.
build/sanitized: $(VENV)/environment $(SOURCES)
	$(WITH_VENV) cmake --preset sanitize -DPython_EXECUTABLE=$(abspath $(BIN))/python \
		-Dpybind11_DIR=$$($(BIN)/python -m pybind11 --cmakedir)
	$(WITH_VENV) cmake --build --preset sanitize
	rm -rf $@ && mkdir -p $@
	cp -r python/ruckle $@
	$(WITH_VENV) cmake --install build/sanitize --component python --prefix $@

# Pack the C library with headers, shaders and examples into dist/ruckle-VERSION-SYSTEM-PROCESSOR.tar.gz.
release: core
	$(WITH_VENV) cpack --config build/release/CPackConfig.cmake -B dist

# Build the wheel, with only the build requirements of pyproject.toml. The build reuses the build folder of `make core`.
wheel: build/wheel
build/wheel: $(VENV)/environment $(SOURCES)
	@echo "compiling ruckle, which takes some minutes once"
	@rm -f dist/ruckle-*.whl
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --check-build-dependencies \
		--config-settings=build-dir=build/release --wheel-dir dist .
	mkdir -p build && touch $@

# Test the wheel in an environment without compiler or source tree.
fresh: build/wheel
	@set -e; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	$(PYTHON) -m venv "$$folder/venv"; \
	"$$folder/venv/bin/python" -m pip install --quiet dist/ruckle-*.whl; \
	cd "$$folder"; PATH=/nonexistent venv/bin/ruckle run sawing --frames 0:3 -o sawing.npz --quiet

# Build the extension for Blender with the C library: dist/ruckle_wrinkles-*.zip. If Blender is installed, it validates the zip.
blender: $(VENV)/environment
	$(WITH_VENV) cmake --preset release -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(WITH_VENV) cmake --build --preset release --target ruckle_c
	$(BIN)/python examples/blender/build.py build/release/libruckle_c.so -o dist

# Test the extension in Blender, installed as the package `bpy`. It needs Python 3.11 and another NumPy, so it has a separate
# virtual environment. If the package cannot be installed, the tests are skipped with a message.
test-blender: build/wheel
	@set -e; missing() { echo "the extension was not tested in Blender: $$1"; exit 0; }; \
	$(BIN)/python -c "import sys; sys.exit(sys.version_info[:2] != (3, 11))" || missing "bpy needs Python 3.11"; \
	echo "fetching Blender, 400 MB once"; \
	[ -x build/bpy/bin/python ] || $(BIN)/python -m venv build/bpy; \
	build/bpy/bin/python -m pip install --quiet "bpy==5.0.*" "pytest>=8" hypothesis "$$(echo dist/ruckle-*.whl)[render,usd,alembic]" scipy \
		|| missing "its package cannot be installed"; \
	build/bpy/bin/python -m pip install --quiet --no-deps --force-reinstall dist/ruckle-*.whl; \
	build/bpy/bin/python -c "import bpy" || missing "its package cannot be loaded"; \
	build/bpy/bin/python -m pytest -q tests/blender

clean:
	rm -rf $(VENV) build dist out figures

# Install missing system packages if make runs as root; otherwise print the command that installs them. A missing OpenGL driver
# is not an error, because only pictures and films need OpenGL.
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
	@echo "setting up $(VENV), with what compiles ruckle"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet cmake ninja \
		$$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
	touch $@

# Install the wheel. The next rule installs the packages of an extra, such as `render`.
$(VENV)/ruckle: build/wheel
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall dist/ruckle-*.whl
	touch $@

$(VENV)/with-%: pyproject.toml | $(VENV)/ruckle
	@echo "fetching what $* needs"
	$(BIN)/python -m pip install --quiet --no-compile "$$(echo dist/ruckle-*.whl)[$*]"
	touch $@
