//! Averaged SGD: the iterates that are averaged, and their sum by summation by parts.

use crate::Error;
use faer::{Mat, Scale};
use kern_core::parameters::Domain;
use kern_core::{Positive, Scalar, named_values};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// The iterates w_t whose average is the model.
///
/// # References
/// Polyak & Juditsky (1992), *Acceleration of Stochastic Approximation by Averaging*; Rakhlin,
/// Shamir & Sridharan (2012), *Making Gradient Descent Optimal for Strongly Convex Stochastic
/// Optimization* (tails).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Averaging {
    /// No averaging: the model is the last iterate.
    #[default]
    Last,
    /// All iterates (Polyak–Ruppert averaging).
    Uniform,
    /// The last iterates: those of this fraction of the steps, in (0, 1].
    Tail(f64),
}

named_values!(Averaging { "last" => Last, "uniform" => Uniform } or Tail(f64) in Domain::fraction());

impl Averaging {
    pub(super) fn check(self) -> Result<(), Error> {
        if let Self::Tail(fraction) = self {
            Positive::new("the fraction of steps that are averaged", fraction)?;
            if fraction > 1.0 {
                let name = "the fraction of steps that are averaged";
                let (given, allowed) = (fraction, "at most 1");
                return Err(kern_core::Error::Parameter { name, given, allowed }.into());
            }
        }
        Ok(())
    }

    /// The first of `steps` steps, numbered from 1, whose iterate is averaged.
    pub(super) fn first(self, steps: usize) -> usize {
        match self {
            Self::Last => usize::MAX,
            Self::Uniform => 1,
            Self::Tail(fraction) => {
                let tail = (fraction * steps as f64).ceil().max(1.0) as usize;
                steps - tail.min(steps) + 1
            }
        }
    }
}

/// The vector v_t (rows × outputs) of an iterate w_t = s_t·v_t. The scale s_t and the other scalars
/// of a run are in [`gradient_step`](super::gradient_step).
///
/// The sum over iterates is kept by summation by parts: with c_t = s₁ + … + s_t, Σ_{τ≤t} s_τ·v_τ =
/// c_t·v_t − A_t, A_t = Σ_{τ≤t} c_{τ−1}·(v_τ − v_{τ−1}). A step that changes a few entries of v
/// changes only the same entries of A.
#[derive(Clone, Debug)]
pub(super) struct Vector<T: Scalar> {
    pub(super) v: Mat<T>,
    /// A, if iterates are averaged.
    pub(super) parts: Option<Mat<T>>,
    /// Sums of squared gradients, for AdaGrad.
    pub(super) squares: Option<Mat<f64>>,
    saved: Option<(Mat<T>, Option<Mat<T>>)>,
}

impl<T: Scalar> Vector<T> {
    pub(super) fn zero(rows: usize, outputs: usize, averaged: bool) -> Result<Self, Error> {
        let parts = if averaged { Some(zeros(rows, outputs)?) } else { None };
        Ok(Self { v: zeros(rows, outputs)?, parts, squares: None, saved: None })
    }

    /// This vector and `more` rows of zeros below it.
    pub(super) fn extended(&self, more: usize, averaged: bool) -> Result<Self, Error> {
        let (rows, outputs) = self.v.shape();
        let mut longer = Self::zero(rows + more, outputs, averaged)?;
        longer.v.subrows_mut(0, rows).copy_from(&self.v);
        if let (Some(longer), Some(parts)) = (&mut longer.parts, &self.parts) {
            longer.subrows_mut(0, rows).copy_from(parts);
        }
        // Only w-space has squares, and there no rows are added.
        longer.squares.clone_from(&self.squares);
        Ok(longer)
    }

    /// v without a sum of iterates.
    pub(super) fn starting_at(v: Mat<T>) -> Self {
        Self { v, parts: None, squares: None, saved: None }
    }

    /// Returns true if row `i` of v or of A is nonzero.
    pub(super) fn uses(&self, i: usize) -> bool {
        let any = |m: &Mat<T>| m.row(i).iter().any(|&value| value != T::ZERO);
        any(&self.v) || self.parts.as_ref().is_some_and(any)
    }

    /// Selects these rows.
    pub(super) fn selected(&self, rows: &[usize]) -> Result<Self, Error> {
        let select = |m: &Mat<T>| {
            let mut out = zeros(rows.len(), m.ncols())?;
            out.row_iter_mut().zip(rows).for_each(|(mut to, &i)| to.copy_from(m.row(i)));
            Ok::<_, Error>(out)
        };
        let parts = self.parts.as_ref().map(select).transpose()?;
        Ok(Self { v: select(&self.v)?, parts, squares: None, saved: None })
    }

    /// Adds the first rows to the ones after them, row k to row `places[k]`, and returns the
    /// latter.
    pub(super) fn merged(&self, places: &[usize]) -> Self {
        let first = places.len();
        let merge = |m: &Mat<T>| {
            let mut out = m.subrows(first, m.nrows() - first).to_owned();
            for (k, &i) in places.iter().enumerate() {
                let mut row = out.row_mut(i);
                row += m.row(k);
            }
            out
        };
        let parts = self.parts.as_ref().map(merge);
        Self { v: merge(&self.v), parts, squares: None, saved: None }
    }

    /// v ← factor·v; c restarts at 0.
    pub(super) fn fold(&mut self, factor: f64, c: f64) {
        if let Some(parts) = &mut self.parts {
            *parts -= Scale(T::from_f64(c)) * &self.v;
        }
        self.v *= Scale(T::from_f64(factor));
    }

    /// Adds `delta` to one entry of v.
    pub(super) fn add(&mut self, at: (usize, usize), delta: f64, c: f64) {
        self.v[at] += T::from_f64(delta);
        if let Some(parts) = &mut self.parts {
            parts[at] += T::from_f64(c * delta);
        }
    }

    /// v += z·deltas, one column per output.
    pub(super) fn add_multiples(&mut self, z: &[T], deltas: &[f64], c: f64) {
        for (k, &delta) in deltas.iter().enumerate() {
            T::axpy(T::from_f64(delta), z, self.v.col_as_slice_mut(k));
            if let Some(parts) = &mut self.parts {
                T::axpy(T::from_f64(c * delta), z, parts.col_as_slice_mut(k));
            }
        }
    }

    pub(super) fn save(&mut self) {
        self.saved = Some((self.v.clone(), self.parts.clone()));
    }

    pub(super) fn restore(&mut self) {
        if let Some((v, parts)) = self.saved.take() {
            (self.v, self.parts) = (v, parts);
        }
    }

    /// The coefficients of the model after the last fold: the mean of `count` iterates, or the last
    /// iterate.
    pub(super) fn answer(&self, count: f64) -> Mat<T> {
        match &self.parts {
            Some(parts) if count > 0.0 => Scale(T::from_f64(-1.0 / count)) * parts,
            _ => self.v.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Averaging;

    #[test]
    fn tails_have_at_least_one_step_and_at_most_all() {
        assert_eq!(Averaging::Tail(0.5).first(10), 6);
        assert_eq!(Averaging::Tail(1.0).first(10), 1);
        assert_eq!(Averaging::Tail(1e-9).first(10), 10);
        assert_eq!(Averaging::Uniform.first(10), 1);
    }
}
