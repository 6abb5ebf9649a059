#!/usr/bin/env bash
# Runs the transport tests on a core built with AddressSanitizer and UndefinedBehaviorSanitizer.
# Called by `make sanitize`, with PYTHON set to the interpreter of the development environment.
set -euo pipefail
cd "$(dirname "$0")/.."
site=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$PYTHON" -m venv --without-pip build/sanitize
# The packages of the development environment, without its editable hott.
echo "$site" > "$(build/sanitize/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth"
"$PYTHON" -m pip --python build/sanitize/bin/python install --quiet --force-reinstall --no-deps --no-build-isolation \
    -C cmake.define.HOTT_SANITIZE=ON -C build-dir=build/sanitize-core .
# Python itself and its libraries leak at exit by design; NumPy's and SciPy's own code is not under test.
export ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(${CXX:-g++} -print-file-name=libasan.so) $(${CXX:-g++} -print-file-name=libubsan.so)"
build/sanitize/bin/python -m pytest tests/transport -q -p no:cacheprovider -k "not larger_than_memory" "$@"
