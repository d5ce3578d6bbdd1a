//! Shifting and scaling of samples, coordinate by coordinate.

use crate::{Error, Transformer};
use kern_core::memory::Pages;
use kern_core::{Finite, Points, Samples, Scalar, named};
use serde::{Deserialize, Serialize};

/// x ↦ f·(x − s) + o, coordinate by coordinate, as fitted by [`Standardize`](super::Standardize)
/// and [`MinMax`](super::MinMax).
///
/// Computed in double precision and rounded once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Coordinates", into = "Coordinates")]
pub struct Scaling {
    coordinates: Vec<Affine>,
}

/// One coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Affine {
    pub(super) shift: f64,
    pub(super) factor: f64,
    pub(super) offset: f64,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
struct Coordinates(Vec<Affine>);

named! { [] Scaling = "scaling"; }

impl From<Scaling> for Coordinates {
    fn from(scaling: Scaling) -> Self {
        Self(scaling.coordinates)
    }
}

impl TryFrom<Coordinates> for Scaling {
    type Error = Error;

    fn try_from(Coordinates(coordinates): Coordinates) -> Result<Self, Error> {
        Self::new(coordinates)
    }
}

impl Scaling {
    pub(super) fn new(coordinates: Vec<Affine>) -> Result<Self, Error> {
        for Affine { shift, factor, offset } in &coordinates {
            Finite::new("the shift of a coordinate", *shift)?;
            Finite::new("the factor of a coordinate", *factor)?;
            Finite::new("the offset of a coordinate", *offset)?;
        }
        if coordinates.is_empty() {
            let what = "coordinates of a scaling";
            return Err(kern_core::Error::Dimension { what, expected: 1, given: 0 }.into());
        }
        Ok(Self { coordinates })
    }

    /// The dimension d of the samples.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.coordinates.len()
    }

    /// The offset s subtracted from each coordinate.
    #[must_use]
    pub fn shifts(&self) -> Vec<f64> {
        self.coordinates.iter().map(|coordinate| coordinate.shift).collect()
    }

    /// The factor f that multiplies each shifted coordinate.
    #[must_use]
    pub fn factors(&self) -> Vec<f64> {
        self.coordinates.iter().map(|coordinate| coordinate.factor).collect()
    }
}

impl Affine {
    fn at<T: Scalar>(&self, value: T) -> T {
        T::from_f64(self.factor.mul_add(value.to_f64() - self.shift, self.offset))
    }
}

impl<T: Scalar> Transformer<Samples<T>> for Scaling {
    type Output = Samples<T>;

    /// Also returns [`kern_core::Error::NotFinite`] for a coordinate that overflows.
    fn transform(&self, points: &Samples<T>) -> Result<Samples<T>, Error> {
        let dim = self.dim();
        kern_core::Error::check_dimension("features per sample", dim, points.dim())?;
        let mut values = Pages::zeroed(points.len() * dim)?;
        for (i, image) in values.chunks_exact_mut(dim).enumerate() {
            for ((image, value), at) in image.iter_mut().zip(points.item(i)).zip(&self.coordinates)
            {
                *image = at.at(*value);
            }
        }
        Ok(Samples::from_pages(dim, values)?)
    }
}
