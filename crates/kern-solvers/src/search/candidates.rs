//! The candidates of a search, in their order.

use super::Axis;
use crate::Error;
use kern_core::parameters::Setting;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The greatest number of candidates.
const MOST: usize = 1_000_000;

/// A way to go through the candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Strategy {
    /// All combinations of points.
    #[default]
    Grid,
    /// Draws.
    Random { draws: usize, seed: u64 },
}

/// All candidates, each with a value for every axis. The last axis runs fastest.
pub(super) fn candidates(
    strategy: Strategy,
    axes: &[(String, Axis)],
) -> Result<Vec<Vec<Setting>>, Error> {
    axes.iter().try_for_each(|(_, axis)| axis.check())?;
    match strategy {
        Strategy::Grid => grid(axes),
        Strategy::Random { draws, seed } => {
            check_count(Some(draws))?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut draw = || axes.iter().map(|(_, axis)| axis.draw(&mut rng)).collect();
            Ok((0..draws).map(|_| draw()).collect())
        }
    }
}

fn grid(axes: &[(String, Axis)]) -> Result<Vec<Vec<Setting>>, Error> {
    let points: Vec<Vec<Setting>> =
        axes.iter().map(|(_, axis)| axis.points()).collect::<Result<_, _>>()?;
    check_count(points.iter().try_fold(1_usize, |count, points| count.checked_mul(points.len())))?;
    let mut all = vec![Vec::with_capacity(axes.len())];
    for points in points {
        let longer = |begun: &Vec<Setting>| {
            let begun = begun.clone();
            points.iter().map(move |point| [&begun[..], std::slice::from_ref(point)].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

fn check_count(count: Option<usize>) -> Result<(), Error> {
    match count {
        Some(1..=MOST) => Ok(()),
        _ => {
            let (name, allowed) = ("the number of candidates", "from 1 to 1000000");
            Err(Error::Count { name, given: count.unwrap_or(usize::MAX), allowed })
        }
    }
}
