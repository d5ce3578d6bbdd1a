//! Arrays for Python.

use crate::error::value;
use crate::run::with_signals;
use kern_core::Scalar;
use kern_core::faer::MatRef;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::fmt::Display;

/// A matrix as an array in C order.
pub(crate) fn array<'py, T: Element + Copy>(
    py: Python<'py>,
    values: MatRef<'_, T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let (rows, columns) = values.shape();
    let mut numbers = Vec::with_capacity(rows * columns);
    for i in 0..rows {
        numbers.extend((0..columns).map(|j| values[(i, j)]));
    }
    PyArray1::from_vec(py, numbers).reshape([rows, columns])
}

/// An array in C order that `fill` writes while the GIL is released: arrays at least as large as
/// the points are allocated only once.
pub(crate) fn filled<'py, T, E>(
    py: Python<'py>,
    shape: (usize, usize),
    fill: impl FnOnce(&mut [T]) -> Result<(), E> + Send,
) -> PyResult<Bound<'py, PyArray2<T>>>
where
    T: Element + Scalar,
    E: Display + Send,
{
    // Allocated by NumPy, which raises MemoryError; the Rust crate panics.
    let zeros = py.import("numpy")?.call_method1("zeros", (shape, numpy::dtype::<T>(py)))?;
    let array = zeros.cast_into::<PyArray2<T>>()?;
    let mut values = array.readwrite();
    let numbers = values.as_slice_mut().map_err(value)?;
    with_signals(py, || fill(numbers))?.map_err(value)?;
    drop(values);
    Ok(array)
}
