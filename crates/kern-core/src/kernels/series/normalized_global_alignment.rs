//! The global alignment kernel with unit diagonal.

use super::alignment::{Alignment, Wide};
use super::{GlobalAlignment, check_dims};
use crate::bound::Bound;
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::{Error, Kernel, Mercer, Points, Positive, Samples, Scratch, Tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::ops::Range;

/// The global alignment kernel of time series, normalised: 1 for equal ones, whatever their length.
///
/// # Definition
/// K(x, y) = G(x, y)/√(G(x, x)·G(y, y)) for [`GlobalAlignment`](super::GlobalAlignment) G, which is > 0 on the diagonal. It is
/// Mercer, as G is: the features are divided by their norms.
///
/// It is the kernel to use: G itself exceeds the greatest number for a few hundred vectors, and is dominated by its diagonal.
///
/// # Shapes and units
/// A series is a [`Samples<f64>`](Samples), a vector for each time. Lengths may differ, dimensions may not.
///
/// # Numerics
/// The quotient is one of numbers that have an exponent of their own, not of logarithms, so the error is relative: that of
/// G, three times. K is 0 where it is less than any number. The order of x and y changes no bit.
///
/// # Complexity
/// As that of G; G(x, x) once for each series of a Gram matrix.
///
/// # References
/// Cuturi (2011), *Fast global alignment kernels*.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::NormalizedGlobalAlignment};
/// let k = NormalizedGlobalAlignment::new(1.0)?;
/// let wave = |n: usize| {
///     let numbers = (0..n).map(|i| (6.28 * i as f64 / n as f64).sin());
///     Samples::from_row_major(1, numbers.collect())
/// };
/// let (x, y, flat) = (wave(1000)?, wave(1010)?, Samples::from_row_major(1, vec![0.0; 1000])?);
/// let value = |x, y| Kernel::<Vec<Samples<f64>>>::eval(&k, x, y);
/// assert_eq!(value(&x, &x), 1.0);
/// // The same wave, sampled at other times, against none.
/// assert!(value(&x, &y) > 1e10 * value(&x, &flat));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "GAK")]
#[doc(alias = "DTW")]
#[doc(alias = "dynamic time warping")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalizedGlobalAlignment {
    sigma: Positive,
    window: usize,
}

declared! {
    NormalizedGlobalAlignment = "normalized_global_alignment", [unit_diagonal];
    sigma: Domain::positive();
    window: Domain::count(0), Setting::Count(0);
    => Ok(Self { sigma: Positive::new("sigma", sigma)?, window })
}

impl NormalizedGlobalAlignment {
    /// Vectors at the distance σ have g = e^−½. A usual choice is a multiple of the median distance of vectors of
    /// different series, times the root of the median length.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self::of(GlobalAlignment::new(sigma)?))
    }

    /// Alignments that leave the diagonal by less than `window` steps.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0 and `window` ≥ 1.
    pub fn windowed(sigma: f64, window: usize) -> Result<Self, Error> {
        Ok(Self::of(GlobalAlignment::windowed(sigma, window)?))
    }

    /// The kernel of this sum.
    const fn of(GlobalAlignment { sigma, window }: GlobalAlignment) -> Self {
        Self { sigma, window }
    }

    /// σ.
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma.get()
    }

    /// T; 0 if there is none.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }

    /// ∂K(x, y)/∂ln σ.
    pub(crate) fn slope(&self, x: &Samples<f64>, y: &Samples<f64>) -> f64 {
        let sum = |x, y| self.alignment().sum::<true>(x, y);
        let (between, x, y) = (sum(x, y), sum(x, x), sum(y, y));
        between.over_roots(x, y) * (between.slope - 0.5 * (x.slope + y.slope))
    }

    fn alignment(&self) -> Alignment {
        GlobalAlignment { sigma: self.sigma, window: self.window }.alignment()
    }

    /// G(x, x).
    fn own(&self, x: &Samples<f64>) -> Wide {
        self.alignment().sum::<false>(x, x)
    }

    /// G(x, x) of a range of points.
    fn owns<P>(&self, points: &P, range: Range<usize>) -> Vec<Wide>
    where
        P: Points + ?Sized,
        P::Item: Borrow<Samples<f64>>,
    {
        range.map(|i| self.own(points.item(i).borrow())).collect()
    }

    /// K, from the values that are known. Cauchy and Schwarz hold but for rounding.
    fn value(&self, (x, own): (&Samples<f64>, Wide), (y, others): (&Samples<f64>, Wide)) -> f64 {
        let value = self.alignment().sum::<false>(x, y).over_roots(own, others);
        if value > 1.0 { 1.0 } else { value }
    }

    /// A tile, from G(x, x) of its rows and columns.
    fn fill<P>(&self, tile: &Tile<'_, P>, owns: (&[Wide], &[Wide]), mut out: MatMut<'_, f64>)
    where
        P: Points + ?Sized,
        P::Item: Borrow<Samples<f64>>,
    {
        for (j, (q, &others)) in tile.cols().zip(owns.1).enumerate() {
            let y = tile.b().item(q).borrow();
            for (i, (p, &own)) in tile.rows().zip(owns.0).enumerate() {
                out[(i, j)] = self.value((tile.a().item(p).borrow(), own), (y, others));
            }
        }
    }
}

impl<P> Kernel<P> for NormalizedGlobalAlignment
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        let (x, y) = (x.borrow(), y.borrow());
        self.value((x, self.own(x)), (y, self.own(y)))
    }

    fn block(&self, tile: &Tile<'_, P>, out: MatMut<'_, f64>, _: &mut Scratch<f64>) {
        let rows = self.owns(tile.a(), tile.rows());
        let cols = self.owns(tile.b(), tile.cols());
        self.fill(tile, (&rows, &cols), out);
    }

    fn diag(&self, _: &P, _: usize) -> f64 {
        1.0
    }

    fn bind<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Bound<f64> + 'a>> {
        let rows = self.owns(a, 0..a.len());
        let cols = (!std::ptr::addr_eq(a, b)).then(|| self.owns(b, 0..b.len()));
        Some(Box::new(Sides { kernel: self, points: (a, b), rows, cols }))
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        check_dims(points)
    }
}

/// Both collections with G(x, x) of their points.
struct Sides<'a, P: ?Sized> {
    kernel: &'a NormalizedGlobalAlignment,
    points: (&'a P, &'a P),
    rows: Vec<Wide>,
    /// None if both are the same collection.
    cols: Option<Vec<Wide>>,
}

impl<P> Bound<f64> for Sides<'_, P>
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, f64>,
        _: &mut Scratch<f64>,
    ) {
        let right = self.cols.as_ref().unwrap_or(&self.rows);
        let owns = (&self.rows[rows.clone()], &right[cols.clone()]);
        self.kernel.fill(&Tile::new(self.points.0, rows, self.points.1, cols), owns, out);
    }

    fn diag(&self, _: usize) -> Option<f64> {
        Some(1.0)
    }
}

impl<P> Mercer<P> for NormalizedGlobalAlignment
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
}
