//! Predictions of all kinds of models in a common form: columns of numbers.

use super::Fitted;
use crate::{Answers, Rows};
use faer::{Mat, MatRef};
use std::collections::BTreeMap;

/// The predictions of a model in columns: the value, or the probability of each of these classes; 1
/// for the predicted class if the model has no probabilities.
pub(crate) fn predicted(
    fitted: &Fitted,
    rows: &Rows,
    classes: &[String],
) -> Result<Mat<f64>, kern_solvers::Error> {
    let places: BTreeMap<&String, usize> = classes.iter().zip(0..).collect();
    let mut out = Mat::zeros(rows.len(), classes.len().max(1));
    if let Some(found) = fitted.probabilities(rows) {
        let found = found?;
        // A class may be missing in a part of the rows.
        let known = found.classes.iter().map(|class| places.get(class));
        for (from, to) in known.enumerate() {
            let Some(&to) = to else { continue };
            found.rows.iter().enumerate().for_each(|(i, row)| out[(i, to)] = row[from]);
        }
        return Ok(out);
    }
    match fitted.predict(rows)? {
        Answers::Classes(labels) => {
            for (i, label) in labels.iter().enumerate() {
                if let Some(&to) = places.get(label) {
                    out[(i, to)] = 1.0;
                }
            }
        }
        Answers::Numbers(values) => {
            values.iter().enumerate().for_each(|(i, &value)| out[(i, 0)] = value);
        }
        _ => {}
    }
    Ok(out)
}

/// The column with the largest value of a row; the first of equal ones.
pub(crate) fn argmax(values: MatRef<'_, f64>, row: usize) -> usize {
    let larger = |best: usize, k: usize| match values[(row, k)] > values[(row, best)] {
        true => k,
        false => best,
    };
    (0..values.ncols()).fold(0, larger)
}
