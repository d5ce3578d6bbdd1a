//! Probabilities from sigmoids of decision values.

use super::{PlattSigmoid, couple};
use crate::Error;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::zeros;

/// The probabilities of `classes` classes from functions of pairs of them: the sigmoid of a pair gives that of the second. Two
/// classes need no coupling.
pub(crate) fn of_pairs<T: Scalar>(
    values: MatRef<'_, T>,
    sigmoids: &[PlattSigmoid],
    classes: usize,
) -> Result<Mat<T>, Error> {
    let mut p = zeros(values.nrows(), classes)?;
    for i in 0..values.nrows() {
        let second = |k: usize| sigmoids[k].probability(values[(i, k)].to_f64());
        let row = if classes == 2 {
            vec![1.0 - second(0), second(0)]
        } else {
            let mut among = vec![vec![0.0; classes]; classes];
            let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
            for (k, (a, b)) in pairs.enumerate() {
                (among[a][b], among[b][a]) = (1.0 - second(k), second(k));
            }
            couple(&among)
        };
        row.iter().enumerate().for_each(|(c, &v)| p[(i, c)] = T::from_f64(v));
    }
    Ok(p)
}

/// The probabilities of classes from a function of each against the rest: those of its sigmoid, divided by their sum.
pub(crate) fn of_classes<T: Scalar>(
    values: MatRef<'_, T>,
    sigmoids: &[PlattSigmoid],
) -> Result<Mat<T>, Error> {
    let mut p = zeros(values.nrows(), sigmoids.len())?;
    for i in 0..values.nrows() {
        let one = |c: usize| sigmoids[c].probability(values[(i, c)].to_f64());
        let sum: f64 = (0..sigmoids.len()).map(one).sum();
        (0..sigmoids.len()).for_each(|c| p[(i, c)] = T::from_f64(one(c) / sum));
    }
    Ok(p)
}
