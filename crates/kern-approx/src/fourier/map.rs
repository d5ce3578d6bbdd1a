//! The feature map of drawn frequencies.
//!
//! Notation: m frequencies ω, kept in turns ω/2π; d the dimension of the samples.

use super::FourierForm;
use crate::{Error, tolerance};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use kern_core::{FeatureMap, NonNegative, Samples, Scalar, Scratch, tile::for_each_column};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Frequencies × samples of a panel of phases: 256 × 64 doubles are 128 KiB, which stay in the
/// second-level cache between the matrix product and the cosines.
const PANEL: (usize, usize) = (256, 64);

/// A random Fourier feature map; see [`RandomFourier`](crate::RandomFourier) for the definition.
///
/// One value serves f32 and f64 samples.
///
/// # Complexity
/// d·m multiplications, m cosines (and sines) per point; a panel of 128 KiB of temporary memory.
///
/// # Numerics
/// Phases are computed and reduced to one turn in double precision, cosine and sine then in the
/// type of the samples. For a heavy-tailed spectrum such as the Laplacian's this is a necessity:
/// among 10⁴ frequencies of a Cauchy distribution some exceed 10³·γ, and a phase of 10⁶ has an
/// error of 0.06 in single precision. So f32 features differ from the f64 features of the same
/// points by a few round-offs, and f64 features have an absolute error of (d + 2)·u·Σⱼ|ω_j·x_j| + 3u
/// before scaling. Data that is far from the origin costs digits; move it (the kernel does not
/// see the difference).
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
    /// m × d: ω/2π, one frequency per row, so that a product with few samples runs down columns.
    #[serde(with = "kern_core::serde_mat")]
    turns: Mat<f64>,
    /// The phases b/2π; none in the paired form.
    offsets: Option<Vec<f64>>,
    /// κ(0).
    mass: f64,
}

/// What is read from a file, before it is checked.
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
    /// From finite frequencies (in turns, at least one) and as many phases, or none.
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
        match self.form() {
            FourierForm::Paired => 2 * self.turns.nrows(),
            FourierForm::Phase => self.turns.nrows(),
        }
    }

    /// The dimension of the samples, d.
    #[must_use]
    pub fn input_dim(&self) -> usize {
        self.turns.ncols()
    }

    /// Paired or with random phases.
    #[must_use]
    pub fn form(&self) -> FourierForm {
        if self.offsets.is_some() { FourierForm::Phase } else { FourierForm::Paired }
    }

    /// The frequencies in turns, ω/2π: an m × d matrix, one frequency per row.
    #[must_use]
    pub fn turns(&self) -> MatRef<'_, f64> {
        self.turns.as_ref()
    }

    /// √(2κ(0)/D).
    fn scale(&self) -> f64 {
        (2.0 * self.mass / self.dim() as f64).sqrt()
    }

    /// The greatest Σⱼ|ω_j| in turns: a bound on the phase per unit of the greatest coordinate.
    fn reach(&self) -> f64 {
        self.turns.row_iter().map(|w| w.norm_l1()).fold(0.0, f64::max)
    }

    /// Cosines (and sines) of one column of a panel, into the features of one sample. `start` is
    /// the index of its first frequency.
    fn finish<T: Scalar>(&self, phases: &mut [f64], start: usize, features: &mut [T]) {
        let (scale, to) = (T::from_f64(self.scale()), start..start + phases.len());
        if let Some(offsets) = &self.offsets {
            f64::axpy(1.0, &offsets[to.clone()], phases);
            T::cos_turns(phases, scale, &mut features[to]);
        } else {
            let (cos, sin) = features.split_at_mut(self.turns.nrows());
            T::cos_turns(phases, scale, &mut cos[to.clone()]);
            T::sin_turns(phases, scale, &mut sin[to]);
        }
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
        let m = self.turns.nrows();
        let mut panel = vec![0.0; PANEL.0.min(m) * PANEL.1.min(range.len())];
        for samples in cuts(range.len(), PANEL.1) {
            let x = widened(points, range.start + samples.start..range.start + samples.end);
            let x = MatRef::from_column_major_slice(&x, points.dim(), samples.len());
            let mut out = out.as_mut().subcols_mut(samples.start, samples.len());
            for chunk in cuts(m, PANEL.0) {
                let (rows, cols) = (chunk.len(), samples.len());
                let panel = &mut panel[..rows * cols];
                let product = MatMut::from_column_major_slice_mut(panel, rows, cols);
                let omega = self.turns.as_ref().subrows(chunk.start, rows);
                matmul(product, Accum::Replace, omega, x, 1.0, Par::Seq);
                for_each_column(out.as_mut(), scratch, |j, features| {
                    self.finish(&mut panel[j * rows..(j + 1) * rows], chunk.start, features);
                });
            }
        }
    }

    /// The dimension is right, and every phase keeps a fractional part
    /// ([`tolerance::MAX_TURNS`]).
    fn check(&self, points: &Samples<T>) -> Result<(), kern_core::Error> {
        let (expected, given) = (self.input_dim(), points.dim());
        if expected != given {
            let what = "features per sample";
            return Err(kern_core::Error::Dimension { what, expected, given });
        }
        let greatest = points.as_slice().iter().map(|v| v.to_f64().abs()).fold(0.0, f64::max);
        if greatest * self.reach() < tolerance::MAX_TURNS {
            Ok(())
        } else {
            let name = "the greatest coordinate";
            let allowed = "so small that phases are below 2^52 turns";
            Err(kern_core::Error::Parameter { name, given: greatest, allowed })
        }
    }
}

/// The coordinates of a range of samples in double precision, sample after sample.
fn widened<T: Scalar>(points: &Samples<T>, range: Range<usize>) -> Vec<f64> {
    let dim = points.dim();
    let values = &points.as_slice()[range.start * dim..range.end * dim];
    values.iter().map(|v| v.to_f64()).collect()
}

/// The ranges that cut 0..n into pieces of at most `size`.
fn cuts(n: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(size).map(move |start| start..n.min(start + size))
}
