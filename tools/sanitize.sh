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

# Threads that count their tasks, by the header in the given folder, under ThreadSanitizer.
counting() {
    echo '#include "parallel.hpp"
    int main() {
        auto rest = [](auto, auto, auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
        hott::parallel_for(100, 4, rest, [](auto, auto) {});
    }' |
        ${CXX:-g++} -std=c++17 -g -fsanitize=thread -pthread -I "$1" -x c++ - -o build/counting
    TSAN_OPTIONS="halt_on_error=1 exitcode=66" build/counting
}

# A race that is put there on purpose must be reported, or silence says nothing.
mkdir -p build/planted
sed 's/next{0}, finished{0};/next{0}; std::int64_t finished = 0;/' csrc/parallel.hpp > build/planted/parallel.hpp
counting csrc
code=0
counting build/planted 2> build/planted/report || code=$?
if [ "$code" != 66 ] || ! grep -q "data race" build/planted/report; then
    echo "ThreadSanitizer did not see the race in build/planted/parallel.hpp" >&2
    exit 1
fi

build sanitize-memory address,undefined
build sanitize-threads thread

# Python itself and its libraries leak at exit by design; NumPy's and SciPy's own code is not under test.
ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(library asan) $(library ubsan)" build/sanitize-memory/bin/python -m pytest \
    tests/transport tests/embeddings/encoder tests/topics/test_sampler.py tests/topics/test_foldin.py tests/distances/test_word.py \
    tests/distances/test_vector.py tests/compute/test_threads.py -q -s -p no:cacheprovider -k "not larger_than_memory" "$@"

# The threads of other libraries are not under test. Interrupting ours is. Reports would be lost if pytest kept them (-s).
OPENBLAS_NUM_THREADS=1 TSAN_OPTIONS="halt_on_error=1 ignore_noninstrumented_modules=1" LD_PRELOAD="$(library tsan)" \
    build/sanitize-threads/bin/python -m pytest tests/compute/test_threads.py tests/transport/test_batch.py::test_ctrl_c_stops_a_long_computation \
    -q -s -p no:cacheprovider "$@"
