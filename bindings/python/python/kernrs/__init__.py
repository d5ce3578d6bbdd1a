"""Kernel methods, fast and certified, in the manner of scikit-learn.

Estimators have scikit-learn's names and conventions. ``kernel=`` takes scikit-learn's names, a formula such as
``"0.5*rbf(gamma=0.1) + linear"``, a :class:`Kernel`, ``"precomputed"`` or a callable; points are arrays, CSR matrices
or lists of strings.

>>> from kernrs import SVC
>>> model = SVC(kernel="spectrum(k=2)").fit(["GATTACA", "GATTAGA", "CCGGC", "CGGCC"], ["a", "a", "b", "b"])
>>> model.predict(["GATTA"]).tolist()
['a']
"""

from ._config import config, get_config, progress
from ._frames import Plan, TableModel, plan, read_table_model, train
from ._kernels import Kernel, LazyGram, families, gram
from ._maps import Nystroem, RBFSampler
from ._models import hyper_parameters, load, save
from ._clusters import KernelKMeans, SoftKernelKMeans
from ._linear import KernelLogisticRegression, KernelPerceptron, KernelRidge, KernelRidgeClassifier
from ._linear import KernelSGDClassifier, KernelSGDRegressor
from ._neighbors import KNeighborsClassifier, KNeighborsRegressor
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__version__ = "0.1.0"

__all__ = [
    "SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM",
    "KernelRidge", "KernelRidgeClassifier", "KernelLogisticRegression", "KernelPerceptron",
    "KernelSGDClassifier", "KernelSGDRegressor",
    "KernelKMeans", "SoftKernelKMeans", "KNeighborsClassifier", "KNeighborsRegressor",
    "Nystroem", "RBFSampler", "Kernel", "LazyGram", "gram", "families",
    "TableModel", "train", "read_table_model", "Plan", "plan", "save", "load", "hyper_parameters", "config", "get_config",
    "progress",
]
