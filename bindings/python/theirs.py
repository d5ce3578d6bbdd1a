"""scikit-learn's own tests of machines, kernel ridge regression, kernel approximation and components, run against kernrs.

Run it where kernrs and scikit-learn are installed: ``python theirs.py``. docs/decisions/python.md explains the kinds of its failures.
"""

import pathlib
import sys
import tempfile

import pytest
import sklearn

#: The files, with the line before which the names are replaced, and the lines that replace them.
FILES = {
    "svm/tests/test_svm.py": (
        "# toy sample",
        "import kernrs\n"
        "for _name in ('SVC', 'NuSVC', 'SVR', 'NuSVR', 'OneClassSVM'):\n"
        "    setattr(svm, _name, getattr(kernrs, _name))\n"
        "    globals()[_name] = getattr(kernrs, _name)\n",
    ),
    "tests/test_kernel_ridge.py": ("X, y = make_regression", "from kernrs import KernelRidge\n"),
    "tests/test_kernel_approximation.py": ("# generate data", "from kernrs import Nystroem, RBFSampler\n"),
    "decomposition/tests/test_kernel_pca.py": ("def test_kernel_pca(", "from kernrs import KernelPCA\n\n\n"),
}


def main():
    """Writes the changed files to a folder, and runs them."""
    root = pathlib.Path(sklearn.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        for name, (place, lines) in FILES.items():
            before, found, after = (root / name).read_text().partition(place)
            if not found:
                raise SystemExit(f"{name} has no line `{place}` any more")
            (pathlib.Path(folder) / pathlib.Path(name).name).write_text(before + lines + found + after)
        options = [*sys.argv[1:], "-q", "--tb=line", "-p", "no:cacheprovider", "-p", "sklearn.conftest", "-W", "ignore"]
        return pytest.main([*options, folder])


if __name__ == "__main__":
    sys.exit(main())
