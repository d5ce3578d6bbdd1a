#!/usr/bin/env bash
# Builds the wheel and runs the tests of the package, in an environment that this makes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
environment=target/python
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check ".[test]"
# From the tests' folder, so that the installed package is tested and not the sources beside it.
cd tests
"../$environment/bin/python" -m pytest --quiet -p no:cacheprovider .
