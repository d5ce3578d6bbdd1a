"""Kernel methods, fast and certified, in the manner of scikit-learn.

Estimators have scikit-learn's names and conventions. ``kernel=`` takes scikit-learn's names, a formula such as
``"0.5*rbf(gamma=0.1) + linear"``, a :class:`Kernel`, ``"precomputed"`` or a callable; points are arrays, CSR matrices
or lists of strings.

>>> from kernrs import SVC
>>> model = SVC(kernel="spectrum(k=2)").fit(["GATTACA", "GATTAGA", "CCGGC", "CGGCC"], ["a", "a", "b", "b"])
>>> model.predict(["GATTA"]).tolist()
['a']
"""

from ._bounds import ErrorBound, FeatureChoice, choose_features
from ._clusters import KernelKMeans, SoftKernelKMeans, SpectralClustering
from ._components import KernelPCA
from ._config import config, get_config, progress
from ._dependence import PermutationTest, hsic_test, mmd_test
from ._feature_machine import RecursiveFeatureMachineClassifier, RecursiveFeatureMachineRegressor
from ._frames import Plan, TableModel, plan, read_table_model, train
from ._gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from ._intervals import SplitConformalRegressor, jackknife_plus
from ._kernels import Kernel, LazyGram, families, gram
from ._linear import KernelLogisticRegression, KernelPerceptron, KernelRidge, KernelRidgeClassifier, KernelRidgeCV
from ._linear import KernelSGDClassifier, KernelSGDRegressor
from ._maps import AdditiveChi2Sampler, Certificate, Nystroem, PolynomialCountSketch, RBFSampler
from ._models import hyper_parameters, load, save
from ._neighbors import KNeighborsClassifier, KNeighborsRegressor
from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM, QuantileSVR

__version__ = "0.1.0"

__all__ = [
    "SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "QuantileSVR",
    "KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier", "KernelLogisticRegression", "KernelPerceptron",
    "KernelSGDClassifier", "KernelSGDRegressor", "GaussianProcessClassifier", "GaussianProcessRegressor",
    "RecursiveFeatureMachineClassifier", "RecursiveFeatureMachineRegressor",
    "KernelKMeans", "SoftKernelKMeans", "SpectralClustering", "KNeighborsClassifier", "KNeighborsRegressor",
    "SplitConformalRegressor", "jackknife_plus",
    "KernelPCA", "Nystroem", "RBFSampler", "PolynomialCountSketch", "AdditiveChi2Sampler", "Certificate",
    "ErrorBound", "FeatureChoice", "choose_features",
    "PermutationTest", "mmd_test", "hsic_test",
    "Kernel", "LazyGram", "gram", "families",
    "TableModel", "train", "read_table_model", "Plan", "plan", "save", "load", "hyper_parameters", "config", "get_config",
    "progress",
]
