"""The notebook runs, and shows what it promises."""

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
