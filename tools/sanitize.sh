#!/usr/bin/env bash
# Runs the tests of the compiled core under AddressSanitizer and UndefinedBehaviorSanitizer, and all that it shares over
# threads under ThreadSanitizer. Called by `make sanitize`, with PYTHON set to the interpreter of the development
# environment; arguments are handed on to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
site=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
library() { ${CXX:-g++} -print-file-name="lib$1.so"; }

# A core with the given sanitizers, in an environment of its own: build/NAME.
build() {
    "$PYTHON" -m venv --without-pip "build/$1"
    # The packages of the development environment, without its editable hott.
    echo "$site" > "$("build/$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth"
    "$PYTHON" -m pip --python "build/$1/bin/python" install --quiet --force-reinstall --no-deps --no-build-isolation \
        -C cmake.define.HOTT_SANITIZE="$2" -C build-dir="build/$1-core" .
}

build sanitize-memory address,undefined
build sanitize-threads thread

# Python itself and its libraries leak at exit by design; NumPy's and SciPy's own code is not under test.
ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(library asan) $(library ubsan)" build/sanitize-memory/bin/python -m pytest \
    tests/transport tests/topics/test_sampler.py tests/topics/test_foldin.py tests/distances/test_word.py \
    tests/distances/test_vector.py tests/test_threads.py -q -s -p no:cacheprovider -k "not larger_than_memory" "$@"

# The threads of other libraries are not under test. Interrupting ours is. Reports would be lost if pytest kept them (-s).
OPENBLAS_NUM_THREADS=1 TSAN_OPTIONS="halt_on_error=1 ignore_noninstrumented_modules=1" LD_PRELOAD="$(library tsan)" \
    build/sanitize-threads/bin/python -m pytest tests/test_threads.py tests/transport/test_batch.py::test_ctrl_c_stops_a_long_computation \
    -q -s -p no:cacheprovider "$@"
