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
    "fit",
    "open",
    "parameters",
    "formula",
    "families",
    "gram",
    "nystroem",
    "random_fourier",
    "train",
    "plan",
    "set_threads",
    "after_fork",
]

_Doubles = NDArray[np.float64]
_Whole = NDArray[np.int64]

@final
class Points:
    @staticmethod
    def dense(array: _Doubles) -> Points: ...
    @staticmethod
    def sparse(dim: int, indptr: _Whole, indices: _Whole, data: _Doubles) -> Points: ...
    @staticmethod
    def texts(texts: list[str]) -> Points: ...
    @staticmethod
    def gram(array: _Doubles) -> Points: ...
    @staticmethod
    def cross(array: _Doubles) -> Points: ...
    def __len__(self) -> int: ...

@final
class Model:
    classes: list[int] | None
    labels: list[int] | None
    kind: str
    report: dict[str, Any]
    support: _Whole | None
    coefficients: _Doubles | None
    intercepts: _Doubles | None
    def predict(self, points: Points) -> NDArray[Any]: ...
    def decision(self, points: Points) -> _Doubles | None: ...
    def probabilities(self, points: Points) -> _Doubles | None: ...
    def to_bytes(self, json: bool = False) -> bytes: ...

@final
class Map:
    landmarks: _Doubles | None
    dim: int
    @staticmethod
    def open(bytes: bytes) -> Map: ...
    def transform(self, points: Points) -> _Doubles: ...
    def to_bytes(self) -> bytes: ...

@final
class LazyGram:
    def __new__(cls, formula: str, points: Points) -> LazyGram: ...
    def __len__(self) -> int: ...
    def product(self, v: _Doubles) -> _Doubles: ...

@final
class TableModel:
    task: str
    method: str
    kernel: str
    target: str | None
    report: dict[str, Any]
    best_score: float | None
    @staticmethod
    def open(bytes: bytes) -> TableModel: ...
    def predict(self, stream: bytes) -> list[Any]: ...
    def probabilities(self, stream: bytes) -> tuple[list[str], list[list[float]]] | None: ...
    def to_bytes(self, json: bool = False) -> bytes: ...

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
def open(bytes: bytes) -> Model: ...
def parameters(learner: str) -> list[tuple[str, Any, str]]: ...
def formula(text: str, gamma: float | None = None) -> str: ...
def families() -> list[str]: ...
def gram(formula: str, a: Points, b: Points | None = None) -> _Doubles: ...
def nystroem(formula: str, points: Points, landmarks: int, seed: int) -> Map: ...
def random_fourier(formula: str, dim: int, features: int, phases: bool, seed: int) -> Map: ...
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
    settings: list[tuple[str, float]] = ...,
    seed: int = 0,
    callback: Callable[[int, int, float], object] | None = None,
    keep: bool = False,
) -> TableModel: ...
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
