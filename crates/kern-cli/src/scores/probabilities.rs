//! Scores of predicted probabilities.

/// Probabilities below this count as this in the logarithmic loss.
const LEAST: f64 = 1e-15;

/// The probability of the true class, for each row; 0 for an unknown class.
fn of_truth(truth: &[String], classes: &[String], rows: &[Vec<f64>]) -> Vec<f64> {
    let place = |truth: &String| classes.iter().position(|class| class == truth);
    let share = |(truth, row): (&String, &Vec<f64>)| place(truth).map_or(0.0, |k| row[k]);
    truth.iter().zip(rows).map(share).collect()
}

/// The logarithmic loss −ln p of each row, where p is the probability of the true class.
pub(crate) fn log_losses(truth: &[String], classes: &[String], rows: &[Vec<f64>]) -> Vec<f64> {
    of_truth(truth, classes, rows).into_iter().map(|p| -p.clamp(LEAST, 1.0).ln()).collect()
}

/// The Brier score: the mean squared distance of the probabilities from the true class.
pub(crate) fn brier(truth: &[String], classes: &[String], rows: &[Vec<f64>]) -> f64 {
    let distance = |(p, row): (f64, &Vec<f64>)| {
        row.iter().map(|share| share * share).sum::<f64>() - 2.0 * p + 1.0
    };
    let distances = of_truth(truth, classes, rows).into_iter().zip(rows).map(distance);
    distances.sum::<f64>() / truth.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_two_classes() {
        let classes = ["a".to_string(), "b".to_string()];
        let rows = [vec![0.75, 0.25], vec![0.5, 0.5]];
        let truth = ["a".to_string(), "c".to_string()];
        assert_eq!(log_losses(&truth, &classes, &rows), [-(0.75_f64.ln()), -(LEAST.ln())]);
        let expected = f64::midpoint(0.125, 1.5);
        assert!((brier(&truth, &classes, &rows) - expected).abs() < 1e-12);
    }
}
