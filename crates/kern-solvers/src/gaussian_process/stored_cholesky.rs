//! Serialisable Cholesky factors: the lower triangle, row by row.

use crate::Error;
use faer::MatMut;
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_gram::numerics::cholesky::Cholesky;
use serde::{Deserialize, Serialize};

/// A serialisable Cholesky factor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Triangle<T>", try_from = "Triangle<T>", bound = "")]
pub(super) struct Factor<T: Scalar>(Cholesky<T>);

/// The serialised lower triangle, row by row.
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "T: Scalar")]
struct Triangle<T>(Vec<T>);

impl<T: Scalar> Factor<T> {
    pub(super) const fn new(factor: Cholesky<T>) -> Self {
        Self(factor)
    }

    /// Converts a factor from double precision to the precision of the points.
    pub(super) fn narrowed(factor: &Cholesky<f64>) -> Result<Self, Error> {
        let n = factor.size();
        let (wide, mut lower) = (factor.lower(), LargeMat::zeros(n, n)?);
        let mut out = lower.as_mut();
        for j in 0..n {
            (j..n).for_each(|i| out[(i, j)] = T::from_f64(wide[(i, j)]));
        }
        Ok(Self(Cholesky::of_lower(lower)))
    }

    pub(super) fn size(&self) -> usize {
        self.0.size()
    }

    /// V ← L⁻¹V.
    pub(super) fn half_solve_in_place(&self, v: MatMut<'_, T>) {
        self.0.half_solve_in_place(v);
    }

    fn rows(&self) -> impl Iterator<Item = T> {
        let lower = self.0.lower();
        (0..lower.nrows()).flat_map(move |i| (0..=i).map(move |j| lower[(i, j)]))
    }
}

impl<T: Scalar> PartialEq for Factor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.size() == other.size() && self.rows().eq(other.rows())
    }
}

impl<T: Scalar> From<Factor<T>> for Triangle<T> {
    fn from(factor: Factor<T>) -> Self {
        Self(factor.rows().collect())
    }
}

impl<T: Scalar> TryFrom<Triangle<T>> for Factor<T> {
    type Error = Error;

    fn try_from(Triangle(values): Triangle<T>) -> Result<Self, Error> {
        // There are n(n + 1)/2 values.
        let n = ((2.0 * values.len() as f64 + 0.25).sqrt() - 0.5).round() as usize;
        if n.saturating_mul(n + 1) / 2 != values.len() {
            let (name, given) = ("the number of entries of a factor", values.len());
            return Err(Error::Count { name, given, allowed: "1 + 2 + … + n" });
        }
        let mut lower = LargeMat::zeros(n, n)?;
        let mut out = lower.as_mut();
        let mut rest = values.iter();
        for i in 0..n {
            for (j, &value) in rest.by_ref().take(i + 1).enumerate() {
                let allowed = value.is_finite_number() && (j < i || value > T::ZERO);
                if !allowed {
                    return Err(Error::Range {
                        what: "an entry of a factor",
                        given: value.to_f64(),
                    });
                }
                out[(i, j)] = value;
            }
        }
        Ok(Self(Cholesky::of_lower(lower)))
    }
}
