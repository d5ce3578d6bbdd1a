"""Points of Python as points of kern."""

import numpy as np
from scipy import sparse

from . import _native
from ._arrow import without_index


def is_texts(points):
    """Tells whether these are strings: a list, a tuple, a series or an array of one dimension."""
    if isinstance(points, str) or sparse.issparse(points) or not hasattr(points, "__len__"):
        return False
    if getattr(points, "ndim", 1) != 1 or len(points) == 0:
        return False
    return all(isinstance(item, str) for item in points)


def texts_of(points):
    """Points for a kernel that may act on strings: arrays of Arrow as lists, and anything else unchanged. Mixed lists are refused."""
    if isinstance(points, (str, bytes)):
        raise ValueError(f"points must be a list of strings, got one {type(points).__name__}")
    if hasattr(points, "to_pylist") and not hasattr(points, "column_names"):
        points = points.to_pylist()
    if sparse.issparse(points) or not hasattr(points, "__len__") or getattr(points, "ndim", 1) != 1:
        return points
    strange = [(place, item) for place, item in enumerate(points) if not isinstance(item, str)]
    if strange and (len(strange) < len(points) or isinstance(strange[0][1], bytes)):
        raise ValueError(f"all points must be strings; point {strange[0][0]} is {strange[0][1]!r}")
    return points


def canonical(points):
    """The same points, and if they are in the CSR format without duplicates and with sorted indices, in a copy if need be.

    Nothing is written to the matrix of the caller, whom other threads may share it with; not even the flags that SciPy keeps.
    """
    if not sparse.issparse(points) or points.format != "csr":
        return points
    same = type(points)((points.data, points.indices, points.indptr), shape=points.shape)
    if same.has_canonical_format:
        return points
    same = same.copy()
    same.sum_duplicates()
    return same


def refuse_complex(points):
    """Refuses points whose imaginary parts would be dropped."""
    if points.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: points must be real, got {points.dtype}")


def both_of(a, b):
    """Two collections as points, in single precision if both are."""
    single = all(getattr(points, "dtype", None) == np.float32 for points in (a, b))
    return [points_of(points, dtype=np.float32 if single else np.float64) for points in (a, b)]


def points_of(points, as_sparse=None, dtype=None):
    """Points that the native part takes: arrays in C order, of doubles or single precision, are not copied.

    A model that was learned from sparse points is asked about sparse points, and one of dense points about dense ones of
    its precision, ``dtype``.
    """
    points = without_index(points)
    if as_sparse is not None and sparse.issparse(points) != as_sparse and not is_texts(points):
        points = sparse.csr_array(points) if as_sparse else points.toarray()
    if is_texts(points):
        return _native.Points.texts([str(item) for item in points])
    if sparse.issparse(points):
        refuse_complex(points)
        csr = canonical(sparse.csr_array(points))
        parts = (csr.indptr.astype(np.int64), csr.indices.astype(np.int64), csr.data.astype(np.float64))
        return _native.Points.sparse(csr.shape[1], *parts)
    array = np.asarray(points)
    refuse_complex(array)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead")
    if dtype is None:
        dtype = np.float32 if array.dtype == np.float32 else np.float64
    array = np.ascontiguousarray(array, dtype=dtype)
    return _native.Points.single(array) if dtype == np.float32 else _native.Points.dense(array)
