"""The notebook runs, and shows what it promises; the stubs say what the native part has."""

import os
import pathlib
import subprocess
import sys

import kernrs
import pytest

PACKAGE = pathlib.Path(kernrs.__file__).parent.parent
NOTEBOOK = pathlib.Path(__file__).parent.parent / "examples" / "tour.ipynb"


def test_the_notebook_runs(tmp_path):
    pytest.importorskip("nbconvert")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", str(NOTEBOOK), "--output-dir", str(tmp_path)]
    # The process of the notebook finds the package that these tests do.
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.returncode == 0, done.stderr[-3000:]
    page = (tmp_path / "tour.html").read_text()
    for part in ("<th>gap</th>", "0.5*rbf(gamma=0.001)", "TableModel(", "<th>MiB</th>", "of the trace unexplained"):
        assert part in page, part


def test_stubs(tmp_path):
    pytest.importorskip("mypy")
    # Only the native part has stubs.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nignore_missing_imports = True\nignore_errors = True\n[mypy-kernrs._native]\nignore_errors = False\n")
    command = [sys.executable, "-m", "mypy.stubtest", "kernrs._native", "--concise", "--mypy-config-file", str(settings)]
    # mypy looks into the folder where packages are installed by itself, and refuses to be told.
    where = {} if PACKAGE.name == "site-packages" else {"MYPYPATH": str(PACKAGE), "PYTHONPATH": str(PACKAGE)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **where})
    assert done.returncode == 0, done.stdout + done.stderr
