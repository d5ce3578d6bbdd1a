//! Outputs of all kinds of models in a common form: columns of numbers.

use super::Fitted;
use crate::{Answers, Rows};
use faer::{Mat, MatRef};
use kern_gram::numerics::arithmetic::argmax;
use kern_solvers::{Error, model::Vote};
use std::collections::BTreeMap;

/// Probabilities below this count as this, so that their logarithm exists.
const SMALLEST: f64 = 1e-4;

/// The outputs of a model in columns: its value, or a score for each of these classes, of which the
/// largest belongs to the predicted class. Scores are logarithms of probabilities, or decision
/// values.
pub(crate) fn outputs(fitted: &Fitted, rows: &Rows, classes: &[String]) -> Result<Mat<f64>, Error> {
    if classes.is_empty() {
        let mut out = Mat::zeros(rows.len(), 1);
        if let Answers::Numbers(values) = fitted.predict(rows)? {
            values.iter().enumerate().for_each(|(i, &value)| out[(i, 0)] = value);
        }
        return Ok(out);
    }
    let (known, scores) = match fitted.probabilities(rows) {
        Some(found) => {
            let found = found?;
            let score = |i: usize, k: usize| found.rows[i][k].max(SMALLEST).ln();
            let scores = Mat::from_fn(rows.len(), found.classes.len(), score);
            (found.classes, scores)
        }
        None => match fitted.decision_values(rows) {
            Some((known, values, vote)) => {
                let scores = of_functions(values?.as_ref(), known.len(), vote);
                (known.to_vec(), scores)
            }
            None => return Err(Error::Classes),
        },
    };
    Ok(aligned(&known, scores.as_ref(), classes))
}

/// Scores of classes by the functions of a classifier.
fn of_functions(values: MatRef<'_, f64>, classes: usize, vote: Vote) -> Mat<f64> {
    if classes == 2 {
        let score = |i: usize, k: usize| if k == 1 { values[(i, 0)] } else { -values[(i, 0)] };
        return Mat::from_fn(values.nrows(), 2, |i, k| 0.5 * score(i, k));
    }
    match vote {
        // The logarithm of the product of the probabilities of a class in its pairs, if ±f are the
        // logarithms of the odds.
        Vote::Pairs => {
            let logarithm = |f: f64| f.min(0.0) - (-f.abs()).exp().ln_1p();
            let mut scores = Mat::zeros(values.nrows(), classes);
            for i in 0..values.nrows() {
                let mut column = 0;
                for a in 0..classes {
                    for b in a + 1..classes {
                        let f = 2.0 * values[(i, column)];
                        scores[(i, a)] += logarithm(-f);
                        scores[(i, b)] += logarithm(f);
                        column += 1;
                    }
                }
            }
            scores
        }
        _ => values.to_owned(),
    }
}

/// The scores in the columns of all classes. A class that is missing in a part of the rows has a
/// score below the others.
fn aligned(known: &[String], scores: MatRef<'_, f64>, classes: &[String]) -> Mat<f64> {
    /// The score of an unknown class below the smallest one.
    const BELOW: f64 = 1.0;
    let places: BTreeMap<&String, usize> = known.iter().zip(0..).collect();
    let lowest = |i: usize| (0..scores.ncols()).map(|k| scores[(i, k)]).fold(0.0, f64::min);
    Mat::from_fn(scores.nrows(), classes.len(), |i, k| match places.get(&classes[k]) {
        Some(&from) => scores[(i, from)],
        None => lowest(i) - BELOW,
    })
}

/// The column with the largest product of value and factor in a row; the first of equal ones.
/// Without factors, they are 1.
pub(crate) fn largest(values: MatRef<'_, f64>, row: usize, factors: &[f64]) -> usize {
    let value = |k: usize| values[(row, k)] * factors.get(k).copied().unwrap_or(1.0);
    argmax((0..values.ncols()).map(value))
}
