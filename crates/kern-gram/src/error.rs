//! The error type of this crate.

/// An error of a Gram matrix.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{DenseGram, MemoryBudget};
/// let x = Samples::from_rows(&[[0.0]; 1000])?;
/// let error = DenseGram::new(&Linear, &x, &MemoryBudget::mebibytes(1)).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "a dense Gram matrix needs 8000000 bytes, the memory budget is 1048576; \
///      a blocked Gram matrix would fit"
/// );
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The points or the kernel are invalid.
    #[error(transparent)]
    Core(#[from] kern_core::Error),
    /// An allocation would exceed the memory budget.
    #[error("{what} needs {needed} bytes, the memory budget is {allowed}; {instead}")]
    Budget {
        /// The object that was to be allocated.
        what: &'static str,
        /// Its size in bytes.
        needed: u64,
        /// The budget in bytes.
        allowed: u64,
        /// Advice on what would fit.
        instead: &'static str,
    },
    /// A matrix does not have the shape that an operation needs.
    #[error("{what} must be {expected_rows} x {expected_cols}, got {rows} x {cols}")]
    Shape {
        /// The matrix that was given.
        what: &'static str,
        /// Rows that are required.
        expected_rows: usize,
        /// Columns that are required.
        expected_cols: usize,
        /// Rows that were given.
        rows: usize,
        /// Columns that were given.
        cols: usize,
    },
    /// A kernel value is NaN or infinite.
    #[error("kernel value ({row}, {col}) must be finite, got {given}")]
    NotFinite {
        /// Row index.
        row: usize,
        /// Column index.
        col: usize,
        /// The value.
        given: f64,
    },
    /// A matrix has a zero diagonal and non-zero entries elsewhere: it contains distances, not
    /// kernel values.
    #[error(
        "no Gram matrix: its diagonal is 0, and its greatest entry is {largest}; of distances d, take exp(-gamma*d^2)"
    )]
    Distances {
        /// The largest |G_ij|.
        largest: f64,
    },
    /// A product is NaN or infinite although all kernel values are finite: the right-hand side is
    /// not finite, or a sum overflows.
    #[error(
        "entry ({row}, {col}) of the product must be finite, got {given}; see the right-hand side"
    )]
    ProductNotFinite {
        /// Row index.
        row: usize,
        /// Column index.
        col: usize,
        /// The value.
        given: f64,
    },
    /// K + nλI is not positive definite in floating-point arithmetic.
    #[error(
        "the kernel matrix plus {shift:?} on the diagonal is not positive definite \
         (pivot {pivot}); use a larger lambda, or a kernel that is Mercer on this data"
    )]
    NotPositiveDefinite {
        /// The value added to the diagonal, nλ.
        shift: f64,
        /// The index of the pivot that was not positive.
        pivot: usize,
    },
    /// The work was given up at the caller's request
    /// ([`interruptible`](crate::interruptible)).
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// [`Error::Shape`] unless the shapes are equal.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub fn check_shape(
        what: &'static str,
        (expected_rows, expected_cols): (usize, usize),
        (rows, cols): (usize, usize),
    ) -> Result<(), Self> {
        if (expected_rows, expected_cols) == (rows, cols) {
            Ok(())
        } else {
            Err(Self::Shape { what, expected_rows, expected_cols, rows, cols })
        }
    }
}
