#!/usr/bin/env bash
# Builds the wheel and runs the tests of the package, in an environment that this makes: those of the stubs and of a user's script
# with mypy --strict, and the examples of the pages, are among them. With --prepare it only gets the packages that tests
# need, which is more waiting than work.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
environment=${KERNRS_ENVIRONMENT:-target/python}
mkdir -p "$environment"
# Whoever comes while the environment is being prepared waits.
if command -v flock >/dev/null; then
  exec 9>"$environment/.lock"
  flock 9
fi
python3 -m venv "$environment"
environment=$(cd "$environment" && pwd)
pip() { "$environment/bin/pip" --quiet --disable-pip-version-check "$@"; }
if [ "${1:-}" = --prepare ]; then
  "$environment/bin/python" - >"$environment/requirements.txt" <<'PYTHON'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print("\n".join(project["dependencies"] + project["optional-dependencies"]["test"]))
PYTHON
  pip install --requirement "$environment/requirements.txt"
  exit
fi
# More than the workspace's tests are optimised takes minutes of the compiler, and no test asks for it.
pip install --config-settings "build-args=--profile checked" ".[test]"
"$environment/bin/python" stubs.py --check
# From the tests' folder, so that the installed package is tested and not the sources beside it.
cd tests
# Tests that are left out say why; those of one cluster run in one process.
"$environment/bin/python" -m pytest --quiet -rs -p no:cacheprovider --numprocesses auto --dist loadgroup .
