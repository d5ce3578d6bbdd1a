//! Views of Gram operators, and checks of them.

use crate::views::{
    Centered, Conjugated, PlusDiagonal, Scaled, SchurProduct, Selected, Submatrix, Sum,
};
use crate::{Error, GramOperator, MemoryBudget, blocks, psd, zeros};
use faer::{Mat, MatMut};
use kern_core::Scalar;
use std::ops::Range;

/// Extension methods of operators. Every [`GramOperator`] has them. Methods that create an operator
/// take ownership of the one they are called on, which may be a reference.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::{GramExt, GramOperator, LazyGram, MemoryBudget};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [4.0]])?;
/// let k = Rbf::new(0.5)?;
/// let gram = LazyGram::new(&k, &x)?;
/// let training = (&gram).select(&[0, 1, 2])?;
/// assert_eq!(training.plus_ridge(0.1)?.diag(), [1.1; 3]);
/// let centered = gram.centered()?;
/// let sums = centered.apply(kern_core::faer::mat![[1.0], [1.0], [1.0], [1.0]].as_ref())?;
/// assert!(sums.norm_max() < 1e-15);
/// # Ok::<(), kern_gram::Error>(())
/// ```
pub trait GramExt<T: Scalar>: GramOperator<T> {
    /// The operator restricted to the points with these indices, in that order: for example the
    /// training part of a cross-validation fold.
    ///
    /// # Errors
    /// An index out of bounds.
    ///
    /// # Complexity
    /// A product computes |I|² entries, or takes a product with the whole operator where that is
    /// cheaper.
    fn select(self, indices: &[usize]) -> Result<Selected<Self>, Error>
    where
        Self: Sized,
    {
        Selected::new(self, indices)
    }

    /// The rectangular matrix of some rows and columns: for example between the test and training
    /// points of a cross-validation fold.
    ///
    /// # Errors
    /// An index out of bounds.
    ///
    /// # Complexity
    /// As for [`select`](GramExt::select).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, faer::mat, kernels::Linear};
    /// use kern_gram::{CrossOperator, GramExt, LazyGram};
    /// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
    /// let cross = LazyGram::new(&Linear, &x)?.submatrix(&[2], &[0, 1])?;
    /// assert_eq!(cross.apply(mat![[1.0], [1.0]].as_ref())?, mat![[9.0]]);
    /// # Ok::<(), kern_gram::Error>(())
    /// ```
    fn submatrix(self, rows: &[usize], cols: &[usize]) -> Result<Submatrix<Self>, Error>
    where
        Self: Sized,
    {
        Submatrix::new(self, rows, cols)
    }

    /// factor·G.
    ///
    /// # Errors
    /// [`kern_core::Error::Parameter`] unless the factor is finite and ≥ 0.
    fn scaled(self, factor: T) -> Result<Scaled<Self, T>, Error>
    where
        Self: Sized,
    {
        Scaled::new(self, factor)
    }

    /// D·G·D with a diagonal matrix D of these factors, of either sign.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are n factors, [`kern_core::Error::Parameter`] unless they are
    /// finite.
    fn conjugated(self, factors: Vec<T>) -> Result<Conjugated<Self, T>, Error>
    where
        Self: Sized,
    {
        Conjugated::new(self, factors)
    }

    /// The normalised matrix G_ij/√(G_ii·G_jj), whose diagonal entries are exactly one; a point
    /// with G_ii = 0 has zeros.
    ///
    /// # Errors
    /// [`kern_core::Error::Parameter`] if an entry of the diagonal is negative.
    fn normalized(self) -> Result<Conjugated<Self, T>, Error>
    where
        Self: Sized,
    {
        Conjugated::normalizing(self)
    }

    /// G + λI.
    ///
    /// # Errors
    /// [`kern_core::Error::Parameter`] unless λ is finite and ≥ 0.
    fn plus_ridge(self, lambda: T) -> Result<PlusDiagonal<Self, T>, Error>
    where
        Self: Sized,
    {
        let n = self.size();
        PlusDiagonal::new(self, vec![lambda; n])
    }

    /// G + diag(δ).
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are n values, [`kern_core::Error::Parameter`] unless they are
    /// finite and ≥ 0.
    fn plus_diagonal(self, addend: Vec<T>) -> Result<PlusDiagonal<Self, T>, Error>
    where
        Self: Sized,
    {
        PlusDiagonal::new(self, addend)
    }

    /// H·G·H, H = I − 1·1ᵀ/n: the Gram matrix of centred features. Its rows sum to zero.
    ///
    /// # Errors
    /// As [`apply`](GramOperator::apply).
    ///
    /// # Complexity
    /// One product, for the row means.
    fn centered(self) -> Result<Centered<Self, T>, Error>
    where
        Self: Sized,
    {
        Centered::new(self)
    }

    /// The sum with an operator of the same size.
    ///
    /// # Errors
    /// [`Error::Shape`].
    fn plus<B: GramOperator<T>>(self, other: B) -> Result<Sum<Self, B>, Error>
    where
        Self: Sized,
    {
        Sum::new(self, other)
    }

    /// The entrywise product with an operator of the same size.
    ///
    /// # Errors
    /// [`Error::Shape`].
    ///
    /// # Complexity
    /// A product computes all n² entries of both, a block of columns at a time: O(n) memory.
    fn schur_product<B: GramOperator<T>>(self, other: B) -> Result<SchurProduct<Self, B>, Error>
    where
        Self: Sized,
    {
        SchurProduct::new(self, other)
    }

    /// All entries as a new matrix.
    ///
    /// # Errors
    /// [`Error::Budget`] or [`Error::NotFinite`].
    fn to_dense(&self, budget: &MemoryBudget) -> Result<Mat<T>, Error> {
        let n = self.size();
        let instead = "products with the operator need no such memory";
        budget.check::<T>("a dense Gram matrix", n, n, instead)?;
        let mut out = zeros(n, n)?;
        self.columns_into(&Vec::from_iter(0..n), out.as_mut())?;
        Ok(out)
    }

    /// Σᵢ G_ii, summed in double precision.
    fn trace(&self) -> f64 {
        self.diag().into_iter().map(Scalar::to_f64).sum()
    }

    /// √Σᵢⱼ G_ij², summed in double precision.
    ///
    /// # Errors
    /// [`Error::NotFinite`].
    ///
    /// # Complexity
    /// All n² entries, a block of columns at a time: O(n) memory.
    fn frobenius_norm(&self) -> Result<f64, Error> {
        let n = self.size();
        let mut sum = 0.0;
        let fill = |cols: Range<usize>, block: MatMut<'_, T>| {
            self.columns_into(&Vec::from_iter(cols), block)
        };
        blocks::for_each_block((n, n), fill, |_, block| {
            let squares = block.col_iter().flat_map(|column| column.iter().map(|v| v.to_f64()));
            sum += squares.map(|v| v * v).sum::<f64>();
        })?;
        Ok(sum.sqrt())
    }

    /// Checks that the operator is positive semi-definite, up to rounding
    /// ([`tolerance::smallest_eigenvalue`](crate::tolerance::smallest_eigenvalue)).
    ///
    /// # Errors
    /// [`kern_core::Error::Indefinite`] with the smallest eigenvalue if it is not,
    /// [`Error::Budget`], [`Error::NotFinite`].
    ///
    /// # Complexity
    /// All eigenvalues: O(n³) on one thread, and four matrices of n² doubles.
    ///
    /// # Examples
    /// ```
    /// use kern_core::faer::mat;
    /// use kern_gram::{GramExt, MemoryBudget, PrecomputedGram};
    /// let budget = MemoryBudget::mebibytes(1);
    /// let indefinite = PrecomputedGram::new(mat![[1.0, 2.0], [2.0, 1.0]])?;
    /// let error = indefinite.check_psd(&budget).unwrap_err();
    /// assert!(error.to_string().starts_with("not positive semi-definite: eigenvalue -1"));
    /// indefinite.plus_ridge(1.0)?.check_psd(&budget)?;
    /// # Ok::<(), kern_gram::Error>(())
    /// ```
    fn check_psd(&self, budget: &MemoryBudget) -> Result<(), Error> {
        psd::check(self, budget)
    }
}

impl<T: Scalar, G: GramOperator<T> + ?Sized> GramExt<T> for G {}
