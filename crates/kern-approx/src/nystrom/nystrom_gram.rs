//! Nyström approximation of a given Gram matrix.

use super::inverse_root::Root;
use super::landmark_source::{OfGram, Source};
use super::nystrom_method::Output;
use super::{Nystrom, NystromReport};
use crate::Error;
use crate::panels::non_finite;
use crate::transform::CHUNK;
use faer::{Mat, MatMut, MatRef};
use kern_core::memory::{Pages, converted};
use kern_core::{Points, Samples, Scalar, Scratch};
use kern_gram::{
    GramOperator, LowRankGram, MemoryBudget, Precomputed, parallel, tile_ranges, zeros,
};

impl Nystrom<Precomputed> {
    /// Parameters for a precomputed Gram matrix, see [`fit_gram`](Nystrom::fit_gram).
    pub fn precomputed() -> Self {
        Self::new(Precomputed)
    }

    /// Draws landmarks from the points of a Gram matrix and approximates it.
    ///
    /// # Errors
    /// As [`fit`](Nystrom::fit).
    ///
    /// # Complexity
    /// As [`fit_transform`](Nystrom::fit_transform), with entries of the Gram matrix instead of
    /// kernel evaluations.
    ///
    /// # Examples
    /// ```
    /// use kern_approx::{Nystrom, Selection};
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_gram::{DenseGram, GramOperator, MemoryBudget};
    /// let budget = MemoryBudget::mebibytes(4);
    /// let x = Samples::from_rows(&[[0.0], [0.1], [0.2], [2.0], [2.1]])?;
    /// let gram = DenseGram::new(&Rbf::new(1.0)?, &x, &budget)?;
    /// let nystrom = Nystrom::precomputed().landmarks(4).selection(Selection::RandomPivots);
    /// let fit = nystrom.fit_gram(&gram, &budget)?;
    /// let low_rank = fit.operator()?;
    /// let left: f64 = gram.diag().iter().zip(low_rank.diag()).map(|(g, l)| g - l).sum();
    /// assert!((fit.report().trace_error - left).abs() < 1e-15 && left < 1e-3);
    /// # Ok::<(), kern_approx::Error>(())
    /// ```
    pub fn fit_gram<T, G>(self, gram: &G, budget: &MemoryBudget) -> Result<NystromGram<T>, Error>
    where
        T: Scalar,
        G: GramOperator<T> + ?Sized,
    {
        let source = OfGram(gram);
        self.check_size(gram.size())?;
        self.require::<T>(gram.size(), Output::Features, budget)?;
        if let Some(block) = self.factor_suffices() {
            let factor = self.pivots(&source, block)?;
            let (report, root) = (factor.report(), Root::of_factor(&factor.lower)?);
            let features = Samples::from_pages(report.rank, factor.features)?;
            return Ok(NystromGram { landmarks: factor.pivots, root, features, report });
        }
        let landmarks = self.chosen(&source)?;
        let root =
            Root::of_gram(converted(source.entries(&landmarks, &landmarks)?.as_ref())?, self.rank)?;
        let features = features(&source, &landmarks, &root)?;
        let report = NystromReport::of(&source.diag(), &features, landmarks.len());
        Ok(NystromGram { landmarks, root, features, report })
    }
}

/// The features of all points.
fn features<T: Scalar>(
    source: &dyn Source<T>,
    landmarks: &[usize],
    root: &Root<T>,
) -> Result<Samples<T>, Error> {
    let (n, dim) = (source.size(), root.dim());
    let (mut values, mut found) = (Pages::zeroed(dim.saturating_mul(n))?, None);
    source.with_rows(landmarks, &mut |kernel| {
        let tasks = values.chunks_mut(dim * CHUNK).zip(tile_ranges(n, CHUNK)).collect();
        let bad = parallel::map_init(tasks, Scratch::new, |scratch, (values, points)| {
            let (start, mut bad) = (points.start, None);
            let out = MatMut::from_column_major_slice_mut(values, dim, points.len());
            root.apply(out, scratch, |mut out, scratch| {
                kernel(points, out.as_mut(), scratch);
                bad = non_finite(out.as_ref());
            });
            bad.map(|(b, j, given)| (landmarks[b], start + j, given))
        });
        found = bad.into_iter().flatten().next();
    })?;
    match found {
        Some((row, col, given)) => Err(kern_gram::Error::NotFinite { row, col, given }.into()),
        None => Ok(Samples::from_pages(dim, values)?),
    }
}

/// The Nyström approximation ZᵀZ of a Gram matrix, where Z holds the D × n features of its points.
///
/// # Complexity
/// Memory for n·D values, and for the root, which [`extend`](NystromGram::extend) uses.
///
/// # Examples
/// New points are mapped by their kernel values with the landmarks:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Kernel, Points, Samples, kernels::Linear};
/// use kern_core::faer::Mat;
/// use kern_gram::{DenseGram, MemoryBudget};
/// let budget = MemoryBudget::mebibytes(1);
/// let x = Samples::from_rows(&[[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])?;
/// let gram = DenseGram::new(&Linear, &x, &budget)?;
/// let fit = Nystrom::precomputed().landmarks(3).fit_gram(&gram, &budget)?;
/// let new = [3.0, -1.0];
/// let values = Mat::from_fn(fit.landmarks().len(), 1, |i, _| {
///     Kernel::<Samples<f64>>::eval(&Linear, x.item(fit.landmarks()[i]), &new)
/// });
/// let z = fit.extend(values.as_ref())?;
/// assert!((z.squared_norm_l2() - 10.0).abs() < 1e-13);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NystromGram<T: Scalar> {
    landmarks: Vec<usize>,
    root: Root<T>,
    features: Samples<T>,
    report: NystromReport,
}

impl<T: Scalar> NystromGram<T> {
    /// The indices of the landmarks.
    #[must_use]
    pub fn landmarks(&self) -> &[usize] {
        &self.landmarks
    }

    /// The features of the n points.
    #[must_use]
    pub fn features(&self) -> &Samples<T> {
        &self.features
    }

    /// The report on the residual of the Gram matrix.
    #[must_use]
    pub fn report(&self) -> NystromReport {
        self.report
    }

    /// The approximation as an operator, which borrows the features.
    ///
    /// # Errors
    /// [`Error::Gram`] if a feature is not finite.
    pub fn operator(&self) -> Result<LowRankGram<MatRef<'_, T>>, Error> {
        let (dim, n) = (self.features.dim(), self.features.len());
        let z = MatRef::from_column_major_slice(self.features.as_slice(), dim, n);
        Ok(LowRankGram::new(z.transpose())?)
    }

    /// The features of new points from their kernel values with the landmarks.
    ///
    /// # Shapes and units
    /// `values` is landmarks × points, the result D × points.
    ///
    /// # Errors
    /// [`Error::Gram`] unless there is a row for every landmark.
    pub fn extend(&self, values: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let shape = (self.landmarks.len(), values.ncols());
        kern_gram::Error::check_shape("the kernel values", shape, values.shape())?;
        let mut out = zeros(self.root.dim(), values.ncols())?;
        self.root.apply(out.as_mut(), &mut Scratch::new(), |mut to, _| to.copy_from(values));
        Ok(out)
    }
}
