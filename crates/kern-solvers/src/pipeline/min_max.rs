//! Scaling of coordinates to a range.

use super::Pipeline;
use super::scaling::{Affine, Scaling};
use crate::{Data, Error, Learner, Run, Targets};
use kern_core::{Finite, Points, Samples, Scalar};
use serde::{Deserialize, Serialize};

/// Samples scaled to a range: a + (b − a)·(x − min)/(max − min), coordinate by coordinate.
///
/// # Definition
/// min and max are taken over the training points of positive weight; other points may lie outside
/// of the range. A constant coordinate becomes a.
///
/// # Complexity
/// O(nd).
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples};
/// use kern_solvers::pipeline::MinMax;
/// use kern_solvers::{Data, Learner, Run, Transformer};
/// let x = Samples::from_rows(&[[10.0], [30.0]])?;
/// let map = MinMax::new().range(-1.0, 1.0)?.learn(&Data::unlabelled(&x)?, &mut Run::new())?;
/// assert_eq!(map.transform(&Samples::from_rows(&[[15.0]])?)?.item(0), [-0.5]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "MinMaxScaler")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(f64, f64)", into = "(f64, f64)")]
pub struct MinMax {
    smallest: f64,
    largest: f64,
}

impl Default for MinMax {
    fn default() -> Self {
        Self::new()
    }
}

impl TryFrom<(f64, f64)> for MinMax {
    type Error = Error;

    fn try_from((smallest, largest): (f64, f64)) -> Result<Self, Error> {
        Self::new().range(smallest, largest)
    }
}

impl From<MinMax> for (f64, f64) {
    fn from(MinMax { smallest, largest }: MinMax) -> Self {
        (smallest, largest)
    }
}

impl MinMax {
    /// The range from 0 to 1.
    #[must_use]
    pub const fn new() -> Self {
        Self { smallest: 0.0, largest: 1.0 }
    }

    /// Another range.
    ///
    /// # Errors
    /// [`Error::Core`] unless both ends are finite and the first is below the second.
    pub fn range(self, smallest: f64, largest: f64) -> Result<Self, Error> {
        Finite::new("the lower end of a range", smallest)?;
        Finite::new("the length of a range", largest - smallest)?;
        if smallest >= largest {
            let (name, allowed) = ("the upper end of a range", "above the lower end");
            return Err(kern_core::Error::Parameter { name, given: largest, allowed }.into());
        }
        Ok(Self { smallest, largest })
    }

    /// A pipeline of this scaler and a learner.
    pub const fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }
}

/// No hyper-parameters: the two ends of the range belong together.
impl kern_core::Parameters for MinMax {}

impl<T: Scalar, Y: Targets> Learner<Samples<T>, Y> for MinMax {
    type Model = Scaling;

    fn learn(&self, data: &Data<'_, Samples<T>, Y>, _: &mut Run<'_>) -> Result<Scaling, Error> {
        let points = data.points();
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); points.dim()];
        for i in (0..data.len()).filter(|&i| data.weight(i) > 0.0) {
            for (range, value) in ranges.iter_mut().zip(points.item(i)) {
                let value = value.to_f64();
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        let coordinate = |(smallest, largest): (f64, f64)| {
            // Halved first, since the difference might overflow.
            let length = 2.0 * (0.5 * largest - 0.5 * smallest);
            let factor = if length > 0.0 { (self.largest - self.smallest) / length } else { 1.0 };
            Affine { shift: smallest, factor, offset: self.smallest }
        };
        Scaling::new(ranges.into_iter().map(coordinate).collect())
    }
}
