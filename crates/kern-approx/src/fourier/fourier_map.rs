//! The random Fourier feature map, and the last step of every Fourier map: from phases to features.
//!
//! Notation: m frequencies ω, stored in turns ω/2π; d is the dimension of the samples.

use super::FourierForm;
use crate::panels::{PANEL, check_dim, largest, widened};
use crate::{Error, tolerance};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::products::matmul;
use kern_core::tile::for_each_column;
use kern_core::{
    FeatureMap, NonNegative, Points, Samples, Scalar, Scratch, SparseSamples, Vectors,
};
use kern_gram::tile_ranges;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A random Fourier feature map; see [`RandomFourier`](crate::RandomFourier) for the definition.
///
/// The same map accepts f32 and f64 samples.
///
/// # Complexity
/// d·m multiplications, m cosines (and sines) per point; a panel of 128 KiB of temporary memory.
///
/// # Numerics
/// Phases are computed and reduced to one turn in double precision, cosine and sine then in the
/// type of the samples. Heavy-tailed spectra such as the Laplacian's require this: among 10⁴
/// frequencies of a Cauchy distribution some exceed 10³·γ, and a phase of 10⁶ has an error of 0.06
/// in single precision. So f32 features differ from the f64 features of the same points by a few
/// round-offs, and f64 features have an absolute error of (d + 2)·u·Σⱼ|ω_j·x_j| + 3u before
/// scaling. Data far from the origin loses digits; centre it (the kernel is shift-invariant).
///
/// # Examples
/// ```
/// use kern_approx::{FeatureMap, RandomFourier};
/// use kern_core::{Samples, Scratch, faer::Mat, kernels::Rbf};
/// let map = RandomFourier::new(Rbf::new(0.5)?).dim(100).sample(3)?;
/// let x = Samples::from_rows(&[[1.0_f32, 2.0, 3.0]])?;
/// let mut z = Mat::zeros(map.dim(), 1);
/// map.transform_into(&x, 0..1, z.as_mut(), &mut Scratch::new());
/// assert!((z.squared_norm_l2() - 1.0).abs() < 1e-6); // K(x, x)
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct FourierMap {
    /// m × d: ω/2π, one frequency per row, so that products with few samples read contiguous
    /// columns.
    #[serde(with = "kern_core::serde_mat")]
    turns: Mat<f64>,
    /// The phases b/2π; `None` in the paired form.
    offsets: Option<Vec<f64>>,
    /// κ(0).
    mass: f64,
}

/// The serialised form, before validation.
#[derive(Deserialize)]
struct Packed {
    #[serde(with = "kern_core::serde_mat")]
    turns: Mat<f64>,
    offsets: Option<Vec<f64>>,
    mass: f64,
}

impl TryFrom<Packed> for FourierMap {
    type Error = Error;
    fn try_from(Packed { turns, offsets, mass }: Packed) -> Result<Self, Error> {
        if turns.ncols() == 0 || turns.nrows() == 0 {
            return Err(Error::Invalid { what: "there are no frequencies" });
        }
        if offsets.as_ref().is_some_and(|offsets| offsets.len() != turns.nrows()) {
            return Err(Error::Invalid { what: "frequencies and phases differ in number" });
        }
        let finite = offsets.iter().flatten().all(|b| b.is_finite());
        if !finite || turns.row_iter().any(|w| w.iter().any(|w| !w.is_finite())) {
            return Err(Error::Invalid { what: "a frequency or phase is not finite" });
        }
        Self::new(turns, offsets, mass)
    }
}

impl FourierMap {
    /// Creates a map from finite frequencies (in turns, at least one) and as many phases, or none.
    pub(super) fn new(
        turns: Mat<f64>,
        offsets: Option<Vec<f64>>,
        mass: f64,
    ) -> Result<Self, Error> {
        let mass = NonNegative::new("the mass of the kernel's spectrum", mass)?.get();
        Ok(Self { turns, offsets, mass })
    }

    /// The number of features, D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.wave().dim()
    }

    /// The dimension of the samples, d.
    #[must_use]
    pub fn input_dim(&self) -> usize {
        self.turns.ncols()
    }

    /// The form: paired or with random phases.
    #[must_use]
    pub fn form(&self) -> FourierForm {
        self.wave().form()
    }

    /// The frequencies in turns, ω/2π: an m × d matrix, one frequency per row.
    #[must_use]
    pub fn frequencies(&self) -> MatRef<'_, f64> {
        self.turns.as_ref()
    }

    fn wave(&self) -> Wave<'_> {
        let offsets = self.offsets.as_deref();
        Wave { count: self.turns.nrows(), offsets, mass: self.mass }
    }

    /// The largest Σⱼ|ω_j| in turns: a bound on the phase per unit of the largest coordinate.
    fn reach(&self) -> f64 {
        self.turns.row_iter().map(|w| w.norm_l1()).fold(0.0, f64::max)
    }

    fn check_input<P: Vectors>(&self, points: &P) -> Result<(), kern_core::Error> {
        check_dim(self.input_dim(), points.dim())?;
        check_reach(largest(points), self.reach())
    }
}

impl<T: Scalar> FeatureMap<Samples<T>> for FourierMap {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn transform_into(
        &self,
        points: &Samples<T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.dim(), range.len()), "the output must be D x points");
        let (wave, m) = (self.wave(), self.turns.nrows());
        let mut panel = vec![0.0; PANEL.0.min(m) * PANEL.1.min(range.len())];
        for samples in tile_ranges(range.len(), PANEL.1) {
            let x = widened(points, range.start + samples.start..range.start + samples.end);
            let x = MatRef::from_column_major_slice(&x, points.dim(), samples.len());
            let mut out = out.as_mut().subcols_mut(samples.start, samples.len());
            for chunk in tile_ranges(m, PANEL.0) {
                let (rows, cols) = (chunk.len(), samples.len());
                let panel = &mut panel[..rows * cols];
                let product = MatMut::from_column_major_slice_mut(panel, rows, cols);
                let omega = self.turns.as_ref().subrows(chunk.start, rows);
                matmul(product, Accum::Replace, omega, x, 1.0);
                for_each_column(out.as_mut(), scratch, |j, features| {
                    wave.write(&mut panel[j * rows..(j + 1) * rows], chunk.start, features);
                });
            }
        }
    }

    /// Checks that the dimension matches, and that every phase keeps a fractional part
    /// ([`tolerance::MAX_TURNS`](crate::tolerance::MAX_TURNS)).
    fn check(&self, points: &Samples<T>) -> Result<(), kern_core::Error> {
        self.check_input(points)
    }

    /// True: products with the coordinates of a point, and a cosine each.
    fn is_expensive(&self) -> bool {
        false
    }
}

/// Phases are sums over the stored entries: m multiplications for each entry.
impl<T: Scalar> FeatureMap<SparseSamples<T>> for FourierMap {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn transform_into(
        &self,
        points: &SparseSamples<T>,
        range: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.dim(), range.len()), "the output must be D x points");
        let (wave, mut phases) = (self.wave(), vec![0.0; self.turns.nrows()]);
        for_each_column(out, scratch, |j, features| {
            phases.fill(0.0);
            for entry in points.item(range.start + j) {
                let turns = self.turns.col(entry.feature as usize);
                if let Some(turns) = turns.try_as_col_major() {
                    f64::axpy(entry.value.to_f64(), turns.as_slice(), &mut phases);
                }
            }
            wave.write(&mut phases, 0, features);
        });
    }

    fn check(&self, points: &SparseSamples<T>) -> Result<(), kern_core::Error> {
        self.check_input(points)
    }
}

/// Cosines and sines, or cosines with random phases, of `count` frequencies.
pub(super) struct Wave<'a> {
    /// m, the number of frequencies.
    pub(super) count: usize,
    /// The phases b/2π; `None` in the paired form.
    pub(super) offsets: Option<&'a [f64]>,
    /// κ(0).
    pub(super) mass: f64,
}

impl Wave<'_> {
    pub(super) fn form(&self) -> FourierForm {
        if self.offsets.is_some() { FourierForm::Phase } else { FourierForm::Paired }
    }

    /// D.
    pub(super) fn dim(&self) -> usize {
        match self.form() {
            FourierForm::Paired => 2 * self.count,
            FourierForm::Phase => self.count,
        }
    }

    /// √(2κ(0)/D).
    fn scale(&self) -> f64 {
        (2.0 * self.mass / self.dim() as f64).sqrt()
    }

    /// Writes the features of one sample for the phases ωᵀx/2π of frequencies from index `start`
    /// on.
    pub(super) fn write<T: Scalar>(&self, phases: &mut [f64], start: usize, features: &mut [T]) {
        let (scale, to) = (T::from_f64(self.scale()), start..start + phases.len());
        if let Some(offsets) = self.offsets {
            f64::axpy(1.0, &offsets[to.clone()], phases);
            T::cos_turns(phases, scale, &mut features[to]);
        } else {
            let (cos, sin) = features.split_at_mut(self.count);
            T::cos_sin_turns(phases, scale, &mut cos[to.clone()], &mut sin[to]);
        }
    }
}

/// Checks that every phase keeps a fractional part ([`tolerance::MAX_TURNS`]), if phases are at
/// most `reach` turns per unit of the largest coordinate.
pub(super) fn check_reach(largest: f64, reach: f64) -> Result<(), kern_core::Error> {
    if largest * reach < tolerance::MAX_TURNS {
        Ok(())
    } else {
        let name = "the greatest coordinate";
        let allowed = "so small that phases are below 2^52 turns";
        Err(kern_core::Error::Parameter { name, given: largest, allowed })
    }
}
