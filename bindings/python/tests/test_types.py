"""Types: the stubs are what the package has, and what users write passes mypy --strict."""

import os
import pathlib
import shutil
import subprocess
import sys

import kernrs
import pytest

PACKAGE = pathlib.Path(kernrs.__file__).parent
WHERE = {} if PACKAGE.parent.name == "site-packages" else {"MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}

#: A script of a user; a line with a mistake is marked.
SCRIPT = '''
from __future__ import annotations
import numpy as np
from numpy.typing import NDArray
import kernrs
from kernrs import distributed

x: NDArray[np.float64] = np.zeros((4, 2))
y: NDArray[np.int64] = np.array([0, 1, 0, 1])
model = kernrs.SVC(C=10.0, kernel=0.5 * kernrs.Kernel("rbf", gamma=0.1) + kernrs.Kernel("linear")).fit(x, y)
share: float = model.score(x, y)
found: NDArray[np.int64] = model.predict(x)
names: list[str] = kernrs.families()
components: NDArray[np.float64] = kernrs.KernelPCA(2, kernel="rbf").fit(x).eigenvalues_
likelihood: float = kernrs.GaussianProcessClassifier().fit(x, y).log_marginal_likelihood_value_
process = kernrs.GaussianProcessRegressor("rbf(gamma=1)", alpha=0.1).fit(x, y)
mean, deviation = process.predict(x, return_std=True)
formula: str = process.kernel_.formula
machine = kernrs.RecursiveFeatureMachineRegressor(alpha=0.1).fit(x, y)
matrix: NDArray[np.float64] = machine.feature_matrix_
ends = kernrs.jackknife_plus(kernrs.KernelRidge(kernel="rbf"), x, y, x, coverage=0.8)
features = kernrs.Nystroem(n_components=3).fit_transform(x)
certificate: float = kernrs.Nystroem().fit(x).certificate(x).relative_error
with kernrs.config(memory=2**30, interrupt="keep"):
    plan: kernrs.Plan = kernrs.plan(x, kernel="rbf")
table = kernrs.train({"a": [1.0, 2.0], "b": ["x", "y"]}, "b", tune=3)
kernrs.save(table, "model.kern")
bound: int = kernrs.ErrorBound.pointwise().n_components(error=0.1, failure=0.01)
clusters = kernrs.KernelKMeans(3).fit_predict(x)
model_of_files: kernrs.TableModel = distributed.fit(kernrs.KernelRidge(), ["a.parquet"], target="y", features=100)
r2: float = distributed.score(model_of_files, "a.parquet")
distributed.fit(kernrs.KernelRidge(), "a.parquet", targets="y")  # mistake: call-arg
kernrs.SVC(C="ten")  # mistake: arg-type
kernrs.SVC(c=1.0)  # mistake: call-arg
names.predict(x)  # mistake: attr-defined
text: str = model.score(x, y)  # mistake: assignment
'''


def run(module, *arguments, cwd):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**os.environ, **WHERE})


def test_a_script_passes_mypy_but_for_its_mistakes(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = run("mypy", "--strict", "--no-color-output", "script.py", cwd=tmp_path)
    lines = SCRIPT.split("\n")
    expected = {(number + 1, line.split("mistake: ")[1]) for number, line in enumerate(lines) if "mistake: " in line}
    errors = [line for line in done.stdout.split("\n") if ": error: " in line]
    found = {(int(line.split(":")[1]), line.rsplit("[", 1)[1].rstrip("]")) for line in errors}
    assert found == expected, done.stdout + done.stderr


def test_the_stubs_pass_mypy(tmp_path):
    # Elsewhere, since mypy takes what lies beside files that it is given for modules of the user.
    (tmp_path / "kernrs").mkdir()
    for name in ("__init__.pyi", "_native.pyi", "distributed.pyi"):
        shutil.copy(PACKAGE / name, tmp_path / "kernrs" / name)
    done = run("mypy", "--strict", "kernrs", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_what_the_package_has(tmp_path):
    settings = tmp_path / "mypy.ini"
    # The modules behind the package have no stubs, and none are wanted: users see the package alone.
    settings.write_text("[mypy]\nignore_missing_imports = True\nignore_errors = True\n[mypy-kernrs,kernrs._native,kernrs.distributed]\nignore_errors = False\n")
    allowed = tmp_path / "allowed"
    # What scikit-learn puts into classes: the requests of metadata; and private names.
    allowed.write_text("kernrs\\..*\\.set_.*_request\nkernrs\\..*\\._.*\nkernrs\\.(.*\\.)?__.*__\nkernrs\\._[a-z]\\w*(?<!_native)(\\..*)?\n")
    arguments = ["kernrs", "--concise", "--mypy-config-file", str(settings), "--allowlist", str(allowed), "--ignore-unused-allowlist"]
    done = run("mypy.stubtest", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    native = run("mypy.stubtest", "kernrs._native", "--concise", "--mypy-config-file", str(settings), cwd=tmp_path)
    assert native.returncode == 0, native.stdout + native.stderr
