"""The native part: see the crate beside this package."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Points",
    "Model",
    "Map",
    "LazyGram",
    "TableModel",
    "Rounds",
    "Task",
    "Bound",
    "fit",
    "open",
    "parameters",
    "formula",
    "families",
    "gram",
    "nystroem",
    "random_fourier",
    "polynomial_sketch",
    "additive",
    "choose_features",
    "median_gamma",
    "mmd_test",
    "hsic_test",
    "leave_one_out",
    "left_out_errors",
    "jackknife_plus",
    "conformal_widths",
    "train",
    "plan",
    "suggested_task",
    "gather",
    "gather_partitions",
    "merge",
    "list_parts",
    "describe_part",
    "predict_part",
    "score_part",
    "total_score",
    "rounds_cost",
    "set_threads",
    "after_fork",
]

_Doubles = NDArray[np.float64]
_Floats = NDArray[np.floating[Any]]
_Whole = NDArray[np.int64]

@final
class Points:
    @staticmethod
    def dense(array: _Doubles) -> Points: ...
    @staticmethod
    def single(array: NDArray[np.float32]) -> Points: ...
    @staticmethod
    def sparse(dim: int, indptr: _Whole, indices: _Whole, data: _Doubles) -> Points: ...
    @staticmethod
    def texts(texts: list[str]) -> Points: ...
    @staticmethod
    def gram(array: _Doubles) -> Points: ...
    @staticmethod
    def cross(array: _Doubles) -> Points: ...
    kind: str
    def __len__(self) -> int: ...

@final
class Model:
    classes: list[int] | None
    labels: list[int] | None
    kind: str
    report: dict[str, Any]
    support: _Whole | None
    coefficients: _Floats | None
    intercepts: _Floats | None
    metric: _Doubles | None
    process: tuple[str, float, float] | None
    spectrum: list[_Doubles] | None
    eigenvalues: _Doubles | None
    points: str
    def predict(self, points: Points) -> NDArray[Any]: ...
    def decision(self, points: Points) -> _Floats | None: ...
    def probabilities(self, points: Points) -> _Floats | None: ...
    def reconstruction_errors(self, points: Points) -> _Doubles | None: ...
    def std(self, points: Points, with_noise: bool) -> _Floats | None: ...
    def covariance(self, points: Points, output: int, with_noise: bool) -> _Floats | None: ...
    def sample(self, points: Points, output: int, count: int, seed: int) -> _Floats | None: ...
    def to_bytes(self, json: bool = False) -> bytes: ...

@final
class Map:
    landmarks: _Floats | None
    dim: int
    @staticmethod
    def open(bytes: bytes, kind: str | None = None) -> Map: ...
    def transform(self, points: Points) -> _Floats: ...
    def evidence(self, points: Points) -> tuple[float, float, int, int]: ...
    def to_bytes(self) -> bytes: ...

@final
class LazyGram:
    def __new__(cls, formula: str, points: Points) -> LazyGram: ...
    def __len__(self) -> int: ...
    def product(self, v: _Doubles) -> _Doubles: ...

@final
class Bound:
    @staticmethod
    def pointwise(phases: bool, pairs: int) -> Bound: ...
    @staticmethod
    def uniform(dim: int, diameter: float, second_moment: float) -> Bound: ...
    @staticmethod
    def spectral_norm(points: int, norm: float) -> Bound: ...
    @staticmethod
    def relative_spectral(points: int, lambda_: float) -> Bound: ...
    def failure(self, features: int, error: float) -> float: ...
    def features(self, error: float, failure: float) -> int: ...
    def error(self, features: int, failure: float) -> float: ...

@final
class TableModel:
    task: str
    method: str
    kernel: str
    columns: list[str]
    target: str | None
    report: dict[str, Any]
    best_score: float | None
    leaderboard: list[dict[str, Any]] | None
    class_type: str
    notes: list[str]
    @staticmethod
    def open(bytes: bytes) -> TableModel: ...
    def predict(self, stream: bytes) -> list[Any]: ...
    def probabilities(self, stream: bytes) -> tuple[list[str], list[list[float]]] | None: ...
    def to_bytes(self, json: bool = False) -> bytes: ...

@final
class Rounds:
    groups: int
    state: dict[str, Any]
    model: TableModel | None
    @staticmethod
    def start(order: str, parts: list[str]) -> Rounds: ...
    @staticmethod
    def start_partitions(order: str, count: int, sample: bytes) -> Rounds: ...
    @staticmethod
    def open(bytes: bytes) -> Rounds: ...
    def to_bytes(self) -> bytes: ...
    def matches(self, order: str, parts: list[str]) -> None: ...
    def group(self, group: int) -> tuple[int, int]: ...
    def task(self) -> bytes | None: ...
    def next(self, sums: bytes, memory: int | None = None) -> None: ...

@final
class Task:
    @staticmethod
    def open(bytes: bytes) -> Task: ...
    def gather(self, group: int, memory: int | None = None) -> bytes: ...
    def gather_partitions(self, group: int, tables: list[bytes], memory: int | None = None) -> bytes: ...

def fit(
    learner: str,
    formula: str,
    points: Points,
    y: NDArray[Any] | None,
    weights: _Doubles | None,
    settings: dict[str, Any],
    memory: int | None = None,
    callback: Callable[[int, int, float], object] | None = None,
    keep: bool = False,
) -> Model: ...
def open(bytes: bytes, points: str | None = None) -> Model: ...
def parameters(learner: str) -> list[tuple[str, Any, str]]: ...
def formula(text: str, gamma: float | None = None) -> str: ...
def families() -> list[str]: ...
def gram(formula: str, a: Points, b: Points | None = None) -> _Floats: ...
def nystroem(formula: str, points: Points, landmarks: int, seed: int) -> Map: ...
def random_fourier(formula: str, dim: int, features: int, phases: bool, seed: int) -> Map: ...
def polynomial_sketch(
    gamma: float, coef0: float, degree: int, dim: int, features: int, seed: int
) -> Map: ...
def additive(kernel: str, dim: int, steps: int, interval: float | None = None) -> Map: ...
def choose_features(
    formula: str,
    points: Points,
    error: float | None = None,
    failure: float = 0.01,
    features: int | None = None,
    memory: int | None = None,
) -> tuple[str, int, float, tuple[str, float | None], int, str]: ...
def median_gamma(points: Points, seed: int) -> float: ...
def mmd_test(
    formula: str,
    x: Points,
    y: Points,
    permutations: int,
    seed: int,
    memory: int | None = None,
    callback: Callable[[int, int, float], object] | None = None,
) -> tuple[float, float, _Doubles]: ...
def hsic_test(
    first: str,
    second: str,
    x: Points,
    y: Points,
    permutations: int,
    seed: int,
    memory: int | None = None,
    callback: Callable[[int, int, float], object] | None = None,
) -> tuple[float, float, _Doubles]: ...
def leave_one_out(
    formula: str, points: Points, y: _Doubles, weights: _Doubles | None, lambda_: float
) -> _Doubles: ...
def left_out_errors(
    formula: str,
    points: Points,
    y: _Doubles,
    weights: _Doubles | None,
    lambdas: list[float],
    folds: list[int] | None = None,
) -> list[float]: ...
def jackknife_plus(
    formula: str,
    points: Points,
    y: _Doubles,
    weights: _Doubles | None,
    lambda_: float,
    queries: Points,
    coverage: float,
) -> tuple[_Doubles, _Doubles]: ...
def conformal_widths(residuals: _Doubles, coverage: float) -> list[float]: ...
def train(
    stream: bytes,
    task: str,
    target: str | None = None,
    kernel: str | None = None,
    method: str | None = None,
    tune: int | None = None,
    weights: str | None = None,
    groups: str | None = None,
    landmarks: int | None = None,
    settings: list[tuple[str, bool | float | str]] = ...,
    seed: int = 0,
    callback: Callable[[int, int, float], object] | None = None,
    keep: bool = False,
    class_type: str | None = None,
    contest: float | None = None,
    metric: str | None = None,
) -> TableModel: ...
def suggested_task(stream: bytes, target: str) -> tuple[str, str]: ...
def plan(
    stream: bytes,
    target: str | None = None,
    kernel: str | None = None,
    landmarks: int | None = None,
    memory: int | None = None,
    seed: int = 0,
) -> tuple[str, dict[str, Any]]: ...
def set_threads(threads: int | None) -> None: ...
def after_fork(threads: int) -> None: ...
def gather(task: bytes, group: int, memory: int | None = None) -> bytes: ...
def gather_partitions(task: bytes, group: int, tables: list[bytes], memory: int | None = None) -> bytes: ...
def merge(a: bytes, b: bytes) -> bytes: ...
def list_parts(paths: list[str], rows: int) -> list[str]: ...
def describe_part(part: str) -> str: ...
def predict_part(model: TableModel, part: str, memory: int | None = None) -> list[Any]: ...
def score_part(model: TableModel, part: str, memory: int | None = None) -> str: ...
def total_score(scored: list[str]) -> tuple[float | None, int]: ...
def rounds_cost(
    rows: float,
    columns: float,
    features: int,
    functions: float,
    descends: bool,
    workers: list[float],
    flops: float | None = None,
    bandwidth: float | None = None,
) -> tuple[list[float], float, float, str]: ...
