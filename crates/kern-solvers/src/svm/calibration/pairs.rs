//! Probabilities from the functions of pairs of classes.

use super::super::Decomposition;
use super::{PlattSigmoid, couple};
use crate::Error;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::zeros;

/// The probability of each class: the sigmoid of a pair gives that of the second. Two classes need no coupling.
pub(in crate::svm) fn of_pairs<T: Scalar>(
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
            for (k, (a, b)) in Decomposition::pairs(classes).enumerate() {
                (among[a][b], among[b][a]) = (1.0 - second(k), second(k));
            }
            couple(&among)
        };
        row.iter().enumerate().for_each(|(c, &v)| p[(i, c)] = T::from_f64(v));
    }
    Ok(p)
}
