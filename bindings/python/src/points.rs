//! The Python class of points.

use crate::error::value;
use kern_core::faer::MatRef;
use kern_core::memory::Shared;
use kern_core::{Samples, Scalar, SparseSamples};
use kern_gram::{GivenPoints, PrecomputedGram};
use numpy::{Element, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// Points of one of the supported kinds.
#[pyclass(frozen, module = "kernrs._native")]
pub(crate) struct Points(pub(crate) Kind);

/// The kinds of points.
pub(crate) enum Kind {
    Dense(Samples<f64>),
    Single(Samples<f32>),
    Sparse(SparseSamples<f64>),
    Texts(Vec<String>),
    Given(GivenPoints<f64>),
}

pub(crate) const DENSE: &str = "vectors";
pub(crate) const SINGLE: &str = "vectors in single precision";
pub(crate) const SPARSE: &str = "sparse vectors";
pub(crate) const TEXTS: &str = "strings";
pub(crate) const GIVEN: &str = "a given Gram matrix";

impl Kind {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Dense(_) => DENSE,
            Self::Single(_) => SINGLE,
            Self::Sparse(_) => SPARSE,
            Self::Texts(_) => TEXTS,
            Self::Given(_) => GIVEN,
        }
    }

    pub(crate) fn len(&self) -> usize {
        use kern_core::Points as _;
        match self {
            Self::Dense(points) => points.len(),
            Self::Single(points) => points.len(),
            Self::Sparse(points) => points.len(),
            Self::Texts(points) => points.len(),
            Self::Given(points) => points.len(),
        }
    }
}

/// The values of an array owned by Python. They stay in place for the lifetime of this object.
///
/// As with NumPy and scikit-learn, writing to the array during a fit gives a wrong fit.
struct Lent<T> {
    _owner: Py<PyArray2<T>>,
    first: *const T,
    len: usize,
}

impl<T: Element + Scalar> Lent<T> {
    /// The rows of an array in C order.
    fn rows(array: &PyReadonlyArray2<'_, T>) -> PyResult<Samples<T>> {
        let dim = array.shape()[1];
        let numbers = array.as_slice().map_err(value)?;
        let (first, len) = (numbers.as_ptr(), numbers.len());
        let owner = (**array).clone().unbind();
        let lent: Shared<T> = Arc::new(Self { _owner: owner, first, len });
        Samples::from_shared(dim, lent).map_err(value)
    }
}

// SAFETY: the values are only read, and Python counts references to their owner, which any thread
// may release.
unsafe impl<T: Send + Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Lent<T> {}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `first` and `len` describe a contiguous array that the owner keeps alive; an
        // array whose buffer has other owners cannot be resized in place.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

#[pymethods]
impl Points {
    /// The rows of an array in C order, without a copy.
    #[staticmethod]
    fn dense(array: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        Ok(Self(Kind::Dense(Lent::rows(&array)?)))
    }

    /// The rows of an array of single precision in C order, without a copy.
    #[staticmethod]
    fn single(array: PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        Ok(Self(Kind::Single(Lent::rows(&array)?)))
    }

    /// The rows of a matrix in CSR format.
    #[staticmethod]
    fn sparse(
        dim: usize,
        indptr: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        data: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let place = |&i: &i64| usize::try_from(i).map_err(value);
        let starts: Vec<usize> =
            indptr.as_slice().map_err(value)?.iter().map(place).collect::<PyResult<_>>()?;
        let column = |&i: &i64| u32::try_from(i).map_err(value);
        let columns: Vec<u32> =
            indices.as_slice().map_err(value)?.iter().map(column).collect::<PyResult<_>>()?;
        let values = data.as_slice().map_err(value)?.to_vec();
        Ok(Self(Kind::Sparse(
            SparseSamples::from_csr(dim, &starts, &columns, &values).map_err(value)?,
        )))
    }

    /// Strings.
    #[staticmethod]
    fn texts(texts: Vec<String>) -> Self {
        Self(Kind::Texts(texts))
    }

    /// The points of a Gram matrix.
    #[staticmethod]
    fn gram(array: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let gram = PrecomputedGram::new(matrix(&array)?.to_owned()).map_err(value)?;
        Ok(Self(Kind::Given(GivenPoints::of_gram(gram))))
    }

    /// Queries given by their kernel values with all points of a Gram matrix, one row per query.
    #[staticmethod]
    fn cross(array: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let values = matrix(&array)?.to_owned();
        Ok(Self(Kind::Given(GivenPoints::of_cross(values).map_err(value)?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The name of the kind of points.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("Points({} of kind {})", self.0.len(), self.0.name())
    }
}

/// An array in C order as a matrix.
pub(crate) fn matrix<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<MatRef<'a, f64>> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    Ok(MatRef::from_row_major_slice(array.as_slice().map_err(value)?, rows, columns))
}
