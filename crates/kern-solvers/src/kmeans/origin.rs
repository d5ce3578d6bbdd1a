//! The feature space seen from one of the points: the same distances, and so the same clusters, from inner products
//! that are as small as these.

use crate::Error;
use crate::model::{Centres, KernelExpansion};
use faer::MatMut;
use kern_core::{Kernel, Mercer, Points, Scalar, Scratch, Tile};
use std::ops::Range;

/// ⟨φ(x) − φ(z), φ(y) − φ(z)⟩ from the differences of points: with D(x, y) = −½‖φ(x) − φ(y)‖² it is D(x, y) − D(x, z) − D(y, z).
pub(super) struct FromOrigin<'a, P> {
    differences: Box<dyn Kernel<P> + 'a>,
    /// z alone.
    origin: P,
}

impl<'a, P: Points> FromOrigin<'a, P> {
    /// The kernel from the first of these points; none if its distances come from its values.
    pub(super) fn new(kernel: &'a dyn Kernel<P>, points: &P) -> Result<Option<Self>, Error> {
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

    /// The centres for distances from differences: ‖μ − φ(z)‖² becomes Σᵢⱼ uᵢuⱼD(xᵢ, xⱼ) of μ = Σᵢ uᵢφ(xᵢ), with Σᵢ uᵢ = 1.
    pub(super) fn centres<K>(
        &self,
        kernel: K,
        centres: Centres<KernelExpansion<P, &Self>>,
    ) -> Centres<KernelExpansion<P, K>> {
        let Centres { decision, masses, mut norms } = centres;
        let points = decision.points();
        let from: Vec<f64> =
            (0..points.len()).map(|i| self.from(points.item(i)).to_f64()).collect();
        for ((column, norm), &mass) in
            decision.coefficients().col_iter().zip(&mut norms).zip(&masses)
        {
            if mass > 0.0 {
                let terms = column.iter().zip(&from).map(|(u, from)| u.to_f64() * from);
                *norm += 2.0 * terms.sum::<f64>();
            }
        }
        Centres { decision: decision.with_kernel(kernel).by_differences(), masses, norms }
    }
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
                // In this order entries are symmetric to the bit.
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
