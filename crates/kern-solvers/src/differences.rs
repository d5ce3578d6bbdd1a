//! Kernels for sums whose coefficients sum to zero, computed from distances.

use crate::Error;
use faer::MatMut;
use kern_core::{Kernel, Mercer, Points, Scalar, Scratch, Tile};
use std::ops::Range;

/// The relative rounding error of squared distances computed from kernel values above which an SVM
/// uses differences of points instead: a hundredth of its tolerance.
const BLURRED: f64 = 1e-5;

/// −½‖φ(x) − φ(y)‖² from the differences of points, or the kernel itself if its family does not
/// support them ([`Kernel::differences`]). Both give the same sums Σᵢⱼ cᵢcⱼK(xᵢ, xⱼ) if Σᵢ cᵢ = 0.
pub(crate) enum ByDifferences<'a, P: Points> {
    Apart(Box<dyn Kernel<P> + 'a>),
    Itself(&'a dyn Kernel<P>),
}

impl<'a, P: Points> ByDifferences<'a, P> {
    pub(crate) fn of(kernel: &'a dyn Kernel<P>) -> Self {
        kernel.differences().map_or(Self::Itself(kernel), Self::Apart)
    }

    pub(crate) fn kernel(&self) -> &(dyn Kernel<P> + 'a) {
        match self {
            Self::Apart(differences) => differences.as_ref(),
            Self::Itself(kernel) => *kernel,
        }
    }

    /// Returns true if distances replace the kernel, so that K(x, x) = 0.
    pub(crate) fn is_apart(&self) -> bool {
        matches!(self, Self::Apart(_))
    }
}

/// The feature space with the origin moved to one of the points, z: the same distances, from inner
/// products of the same magnitude.
///
/// ⟨φ(x) − φ(z), φ(y) − φ(z)⟩ is computed from differences of points: with D(x, y) = −½‖φ(x) −
/// φ(y)‖² it is D(x, y) − D(x, z) − D(y, z).
pub(crate) struct FromOrigin<'a, P> {
    differences: Box<dyn Kernel<P> + 'a>,
    /// The single point z.
    origin: P,
}

impl<'a, P: Points> FromOrigin<'a, P> {
    /// The kernel with the first of these points as origin; `None` if distances can only be
    /// computed from kernel values.
    pub(crate) fn new(kernel: &'a dyn Kernel<P>, points: &P) -> Result<Option<Self>, Error> {
        kernel.check(points)?;
        let Some(differences) = kernel.differences().filter(|_| !points.is_empty()) else {
            return Ok(None);
        };
        Ok(Some(Self { differences, origin: points.select(&[0])? }))
    }

    /// D(x, z).
    fn from(&self, x: &P::Item) -> P::Scalar {
        self.differences.eval(x, self.origin.item(0))
    }

    /// D(x, z) of each point.
    pub(crate) fn distances(&self, points: &P) -> Vec<f64> {
        (0..points.len()).map(|i| self.from(points.item(i)).to_f64()).collect()
    }
}

/// The space with the first of these points as origin, if kernel values are so much larger than
/// distances that their rounding is a considerable fraction of these.
pub(crate) fn from_afar<'a, P: Points>(
    kernel: &'a dyn Kernel<P>,
    points: &P,
) -> Result<Option<FromOrigin<'a, P>>, Error> {
    let from = FromOrigin::new(kernel, points)?;
    let is_far = |from: &FromOrigin<'a, P>| {
        let apart = -2.0 * from.distances(points).iter().sum::<f64>();
        let own = (0..points.len()).map(|i| kernel.diag(points, i).to_f64()).sum::<f64>();
        apart > 0.0 && own * P::Scalar::UNIT_ROUNDOFF > BLURRED * apart
    };
    Ok(from.filter(is_far))
}

impl<P: Points> Kernel<P> for FromOrigin<'_, P> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.differences.eval(x, y) - (self.from(x) + self.from(y))
    }

    fn is_pointwise(&self) -> bool {
        self.differences.is_pointwise()
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.differences.block(tile, out.as_mut(), scratch);
        let from = |points: &P, range: Range<usize>| -> Vec<P::Scalar> {
            range.map(|i| self.from(points.item(i))).collect()
        };
        let (rows, cols) = (from(tile.a(), tile.rows()), from(tile.b(), tile.cols()));
        for (j, &col) in cols.iter().enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                // This order of operations keeps entries symmetric to the bit.
                out[(i, j)] -= row + col;
            }
        }
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        let from = self.from(points.item(i));
        P::Scalar::ZERO - (from + from)
    }
}

impl<P: Points> Mercer<P> for FromOrigin<'_, P> {}
