//! The loss of all outputs of a point together, and its gradient.

use super::Loss;

/// The loss of a point with all its outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    /// The sum of a loss over the outputs.
    Separate(Loss),
    /// Softmax; targets are +1 for the class of the point and −1 for the others.
    Softmax,
}

impl Objective {
    /// The loss at outputs `m` with targets `y`.
    pub(super) fn value(self, m: &[f64], y: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Separate(loss) => m.iter().zip(y).map(|(&m, y)| loss.value(m, y)).sum(),
            Self::Softmax => {
                let (top, total) = partition(m);
                let at: f64 = m.iter().zip(y).filter(|(_, y)| *y > 0.0).map(|(m, _)| m).sum();
                total.ln() - (at - top)
            }
        }
    }

    /// The derivatives by the outputs.
    pub(super) fn gradient(self, m: &[f64], y: impl Iterator<Item = f64>, out: &mut [f64]) {
        match self {
            Self::Separate(loss) => {
                for ((out, &m), y) in out.iter_mut().zip(m).zip(y) {
                    *out = loss.derivative(m, y);
                }
            }
            Self::Softmax => {
                let (top, total) = partition(m);
                for ((out, &m), y) in out.iter_mut().zip(m).zip(y) {
                    let indicator = if y > 0.0 { 1.0 } else { 0.0 };
                    *out = (m - top).exp() / total - indicator;
                }
            }
        }
    }
}

/// max m and Σₖ exp(mₖ − max m), which neither overflows nor vanishes.
fn partition(m: &[f64]) -> (f64, f64) {
    let top = m.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (top, m.iter().map(|m| (m - top).exp()).sum())
}

#[cfg(test)]
mod tests {
    use super::Objective;

    #[test]
    fn softmax_has_the_gradient_of_its_value_and_is_stable_far_out() {
        let y = [-1.0, 1.0, -1.0];
        let h = 1e-6;
        for m in [[0.3, -0.7, 1.1], [2.0, 2.0, 2.0], [-4.0, 3.0, 0.0]] {
            let mut gradient = [0.0; 3];
            Objective::Softmax.gradient(&m, y.into_iter(), &mut gradient);
            for k in 0..3 {
                let at = |shift: f64| {
                    let mut m = m;
                    m[k] += shift;
                    Objective::Softmax.value(&m, y.into_iter())
                };
                assert!(((at(h) - at(-h)) / (2.0 * h) - gradient[k]).abs() < 1e-8);
            }
            assert!(gradient.iter().sum::<f64>().abs() < 1e-15);
        }
        let mut gradient = [0.0; 3];
        let far = [1000.0, -1000.0, 0.0];
        Objective::Softmax.gradient(&far, y.into_iter(), &mut gradient);
        assert!((Objective::Softmax.value(&far, y.into_iter()) - 2000.0).abs() < 1e-9);
        assert!((gradient[0] - 1.0).abs() < 1e-15 && (gradient[1] + 1.0).abs() < 1e-15);
    }
}
