//! Centred feature maps.

use faer::MatMut;
use kern_core::{Error, FeatureMap, Finite, Points, Scalar, Scratch};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The centred features ψ(x) − m. Their distances keep digits that those of features far from 0
/// lose.
///
/// # Examples
/// ```
/// use kern_approx::{CentredMap, transform};
/// use kern_core::{Identity, Points, Samples};
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[1.0], [3.0], [8.0]])?;
/// let map = CentredMap::new(Identity::new(1), vec![4.0]);
/// assert_eq!(map.mean(), [4.0]);
/// assert_eq!(transform(&map, &x, &MemoryBudget::mebibytes(1))?.item(2), [4.0]);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CentredMap<M, T> {
    map: M,
    mean: Vec<T>,
}

impl<M, T> CentredMap<M, T> {
    /// Subtracts this mean from the features of `map`.
    #[must_use]
    pub const fn new(map: M, mean: Vec<T>) -> Self {
        Self { map, mean }
    }

    /// The map ψ.
    pub const fn map(&self) -> &M {
        &self.map
    }

    /// The mean m.
    pub fn mean(&self) -> &[T] {
        &self.mean
    }
}

impl<T, P, M> FeatureMap<P> for CentredMap<M, T>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P>,
{
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.map.transform_into(points, range, out.as_mut(), scratch);
        for column in out.col_iter_mut() {
            column.iter_mut().zip(&self.mean).for_each(|(value, &mean)| *value -= mean);
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        Error::check_dimension("the mean of the features", self.map.dim(), self.mean.len())?;
        if let Some(mean) = self.mean.iter().find(|mean| !mean.is_finite_number()) {
            Finite::new("the mean of a feature", mean.to_f64())?;
        }
        self.map.check(points)
    }
}
