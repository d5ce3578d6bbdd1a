//! The global alignment kernel of time series, G(x, y) = Σ_π Π_{(i, j) ∈ π} κ(i, j) over all
//! alignments π, and its normalised form G(x, y)/√(G(x, x)·G(y, y)).

use super::alignment::{Alignment, Wide};
use crate::binding::Bound;
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::points::check_dim;
use crate::{Error, Kernel, Mercer, Points, Positive, Prepared, Samples, Scratch, Tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::ops::Range;

/// The global alignment kernel of time series: a soft version of dynamic time warping.
///
/// # Definition
/// An alignment of x₁, …, x_n and y₁, …, y_m leads from (1, 1) to (n, m) by steps (1, 0), (0, 1)
/// and (1, 1): K(x, y) = Σ_π Π_{(i, j) ∈ π} κ(i, j), the sum over all alignments π, with κ = g/(2 −
/// g), g = exp(−‖x_i − y_j‖²/(2σ²)), σ > 0. So κ = exp(−φ) for φ = ‖x_i − y_j‖²/(2σ²) + ln(2 −
/// exp(−‖x_i − y_j‖²/(2σ²))).
///
/// With a window T ≥ 1 ([`GlobalAlignment::windowed`]), g is replaced by ω·g, where ω = max(1 − |i
/// − j|/T, 0): alignments deviate from the diagonal by less than T steps, and K = 0 if |n − m| ≥ T.
/// Two empty series have K = 1; an empty and a non-empty one have K = 0.
///
/// It is Mercer. For any κ, K is the sum over all ways to repeat the vectors of x and of y to
/// series of a common length N of Π_t χ(x_t, y_t), where κ = Σ_{r ≥ 1} χ^r, that is, χ = κ/(1 + κ);
/// so K is Mercer if χ is Mercer and < 1. Here χ = ωg/2, which is Mercer because the triangular
/// kernel ω is Mercer on the integers. With κ = g instead, χ = g/(1 + g) is not Mercer.
///
/// # Shapes and units
/// A series is a [`Samples<f64>`](Samples) with one vector for each time step. Series may differ in
/// length but not in dimension.
///
/// # Numerics
/// Values are sums of positive terms, computed with a separate exponent, so that intermediate
/// results neither overflow nor underflow, whatever the lengths. The relative error is at most a
/// few round-offs for each pair of an alignment, plus |ln g| round-offs each. The *result* may
/// overflow: between constant series of n vectors it grows as (3 + √8)ⁿ, which is infinite from n ≈
/// 400 on and then reported as an error by the caller. Its logarithm,
/// [`ln_value`](GlobalAlignment::ln_value), has no such limit, nor has
/// [`NormalizedGlobalAlignment`](super::NormalizedGlobalAlignment), the recommended kernel. The
/// value is symmetric in x and y to the bit.
///
/// # Complexity
/// O(n·m·d) time for series of n and m vectors of dimension d and memory for min(n, m) values; with
/// a window, O(T·max(n, m)·d) time.
///
/// # References
/// Cuturi, Vert, Birkenes & Matsui (2007), *A kernel for time series based on global alignments*,
/// for the kernel and χ; Cuturi (2011), *Fast global alignment kernels*, for g/(2 − g) and the
/// window.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::GlobalAlignment};
/// let k = GlobalAlignment::new(1.0)?;
/// let (x, y) = (Samples::from_rows(&[[0.0], [0.0]])?, Samples::from_rows(&[[0.0], [0.0], [0.0]])?);
/// // Equal vectors have κ = 1, and there are five alignments.
/// assert_eq!(Kernel::<Vec<Samples<f64>>>::eval(&k, &x, &y), 5.0);
/// let far = Samples::from_rows(&[[2.0]])?;
/// let g = (-2.0_f64).exp();
/// let value = Kernel::<Vec<Samples<f64>>>::eval(&k, &x, &far);
/// assert!((value - (g / (2.0 - g)).powi(2)).abs() < 1e-16);
/// assert_eq!(k.to_string(), "global_alignment(sigma=1, window=0)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "GAK")]
#[doc(alias = "DTW")]
#[doc(alias = "dynamic time warping")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalAlignment {
    sigma: Positive,
    window: usize,
}

declared! {
    GlobalAlignment = "global_alignment", [];
    sigma: Domain::positive();
    window: Domain::count(0), Setting::Count(0);
    => Ok(Self { sigma: Positive::new("sigma", sigma)?, window })
}

impl GlobalAlignment {
    /// The kernel with bandwidth σ: vectors at distance σ have g = e^−½. A common choice is a
    /// multiple of the median distance of vectors of different series, times the root of the median
    /// length.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self { sigma: Positive::new("sigma", sigma)?, window: 0 })
    }

    /// The kernel of alignments that deviate from the diagonal by less than `window` steps.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0 and `window` ≥ 1.
    pub fn windowed(sigma: f64, window: usize) -> Result<Self, Error> {
        if window == 0 {
            return Err(Error::Parameter { name: "window", given: 0.0, allowed: "at least 1" });
        }
        Ok(Self { window, ..Self::new(sigma)? })
    }

    /// σ.
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma.get()
    }

    /// The window T; 0 if there is none.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }

    /// ln K(x, y), −∞ for K = 0; NaN for series of different dimensions.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::GlobalAlignment};
    /// let x = Samples::from_row_major(1, vec![0.0; 5000])?;
    /// let ln = GlobalAlignment::new(1.0)?.ln_value(&x, &x);
    /// // Delannoy's number grows as (3 + √8)ⁿ.
    /// assert!((ln / 5000.0 - (3.0 + 8.0_f64.sqrt()).ln()).abs() < 2e-3);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    #[must_use]
    pub fn ln_value(&self, x: &Samples<f64>, y: &Samples<f64>) -> f64 {
        self.alignment().sum::<false>(x, y).ln()
    }

    /// ∂K(x, y)/∂ln σ.
    pub(crate) fn slope(&self, x: &Samples<f64>, y: &Samples<f64>) -> f64 {
        let sum = self.alignment().sum::<true>(x, y);
        sum.value() * sum.slope
    }

    fn alignment(&self) -> Alignment {
        Alignment { sigma: self.sigma(), window: self.window }
    }
}

impl<P> Kernel<P> for GlobalAlignment
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        self.alignment().sum::<false>(x.borrow(), y.borrow()).value()
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        check_dims(points)
    }
}

impl<P> Mercer<P> for GlobalAlignment
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
}

/// The normalised global alignment kernel of time series, with K(x, x) = 1 for any length.
///
/// # Definition
/// K(x, y) = G(x, y)/√(G(x, x)·G(y, y)) for the [`GlobalAlignment`](super::GlobalAlignment) kernel
/// G, which is positive on the diagonal. It is Mercer, as G is: its features are divided by their
/// norms.
///
/// Prefer this kernel to G, which overflows for a few hundred vectors and is dominated by its
/// diagonal.
///
/// # Shapes and units
/// A series is a [`Samples<f64>`](Samples) with one vector for each time step. Series may differ in
/// length but not in dimension.
///
/// # Numerics
/// The quotient is computed from values with a separate exponent, not from logarithms, so its
/// relative error is three times that of G. K is 0 where it underflows. The value is symmetric in x
/// and y to the bit.
///
/// # Complexity
/// As for G; a Gram matrix computes G(x, x) once for each series.
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
/// // The same wave, sampled at other times, compared with a constant series.
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
    /// The kernel with bandwidth σ: vectors at distance σ have g = e^−½. A common choice is a
    /// multiple of the median distance of vectors of different series, times the root of the median
    /// length.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self::of(GlobalAlignment::new(sigma)?))
    }

    /// The kernel of alignments that deviate from the diagonal by less than `window` steps.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0 and `window` ≥ 1.
    pub fn windowed(sigma: f64, window: usize) -> Result<Self, Error> {
        Ok(Self::of(GlobalAlignment::windowed(sigma, window)?))
    }

    /// The normalised form of this kernel.
    const fn of(GlobalAlignment { sigma, window }: GlobalAlignment) -> Self {
        Self { sigma, window }
    }

    /// σ.
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma.get()
    }

    /// The window T; 0 if there is none.
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

    /// K(x, y) from G(x, x) and G(y, y). Clamped to 1, which rounding may exceed (Cauchy–Schwarz).
    fn value(&self, x: &Samples<f64>, own_x: Wide, y: &Samples<f64>, own_y: Wide) -> f64 {
        let value = self.alignment().sum::<false>(x, y).over_roots(own_x, own_y);
        if value > 1.0 { 1.0 } else { value }
    }

    /// A tile, given G(x, x) of its rows and columns.
    fn fill<P>(&self, tile: &Tile<'_, P>, rows: &[Wide], cols: &[Wide], mut out: MatMut<'_, f64>)
    where
        P: Points + ?Sized,
        P::Item: Borrow<Samples<f64>>,
    {
        for (j, (q, &own_y)) in tile.cols().zip(cols).enumerate() {
            let y = tile.b().item(q).borrow();
            for (i, (p, &own_x)) in tile.rows().zip(rows).enumerate() {
                out[(i, j)] = self.value(tile.a().item(p).borrow(), own_x, y, own_y);
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
        self.value(x, self.own(x), y, self.own(y))
    }

    fn block(&self, tile: &Tile<'_, P>, out: MatMut<'_, f64>, _: &mut Scratch<f64>) {
        let rows = self.owns(tile.a(), tile.rows());
        let cols = self.owns(tile.b(), tile.cols());
        self.fill(tile, &rows, &cols, out);
    }

    fn diag(&self, _: &P, _: usize) -> f64 {
        1.0
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        _: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<f64> + 'a>> {
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
        let (own_rows, own_cols) = (&self.rows[rows.clone()], &right[cols.clone()]);
        let tile = Tile::new(self.points.0, rows, self.points.1, cols);
        self.kernel.fill(&tile, own_rows, own_cols, out);
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

/// Rejects series of different dimensions.
fn check_dims<P>(series: &P) -> Result<(), Error>
where
    P: Points + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
    let dim = |i| Borrow::<Samples<f64>>::borrow(series.item(i)).dim();
    (1..series.len()).try_for_each(|i| check_dim(dim(0), dim(i)))
}
