//! Averages of iterates.

use crate::Error;
use kern_core::parameters::Domain;
use kern_core::{Positive, named_values};
use serde::{Deserialize, Serialize};

/// The iterates w_t that the model is the average of.
///
/// # References
/// Polyak & Juditsky (1992), *Acceleration of Stochastic Approximation by Averaging*; Rakhlin, Shamir &
/// Sridharan (2012), *Making Gradient Descent Optimal for Strongly Convex Stochastic Optimization*
/// (tails).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Averaging {
    /// None: the model is the last iterate.
    #[default]
    Last,
    /// All of them.
    Uniform,
    /// The last ones, this fraction of the steps, in (0, 1].
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

    /// The first step, from 1 on, that counts of `steps`.
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
