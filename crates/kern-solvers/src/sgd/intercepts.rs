//! Intercepts: an unpenalised constant of each output.

/// The intercept b of each output. It takes the same steps as w: b ← b − α_t·(mean of βℓ').
///
/// # References
/// Shalev-Shwartz, Singer, Srebro & Cotter (2011), *Pegasos*, section 6, the second way to a bias.
#[derive(Clone, Debug)]
pub(super) struct Intercepts {
    b: Vec<f64>,
    /// The sum over the averaged iterates.
    sum: Vec<f64>,
    /// Sums of squared gradients, for AdaGrad.
    squares: Vec<f64>,
    /// The deferred step; for AdaGrad the negative gradient.
    step: Vec<f64>,
}

impl Intercepts {
    pub(super) fn zero(outputs: usize) -> Self {
        let zeros = vec![0.0; outputs];
        Self { b: zeros.clone(), sum: zeros.clone(), squares: zeros.clone(), step: zeros }
    }

    /// Adds the intercepts to margins, which are stored sample by sample.
    pub(super) fn shift(&self, margins: &mut [f64]) {
        for margins in margins.chunks_exact_mut(self.b.len()) {
            margins.iter_mut().zip(&self.b).for_each(|(margin, b)| *margin += b);
        }
    }

    /// Adds the steps of some samples, in this unit, to the deferred step.
    pub(super) fn defer(&mut self, deltas: &[f64], unit: f64) {
        for deltas in deltas.chunks_exact(self.b.len()) {
            self.step.iter_mut().zip(deltas).for_each(|(step, delta)| *step += unit * delta);
        }
    }

    /// Makes the deferred step.
    pub(super) fn advance(&mut self) {
        let steps = self.step.iter_mut().zip(&mut self.b);
        steps.for_each(|(step, b)| *b += std::mem::take(step));
    }

    /// Makes an AdaGrad step.
    pub(super) fn adapt(&mut self, alpha: f64) {
        let each = self.step.iter_mut().zip(&mut self.squares).zip(&mut self.b);
        for ((step, square), b) in each {
            let descent = std::mem::take(step);
            *square += descent * descent;
            *b += if *square > 0.0 { alpha / square.sqrt() * descent } else { 0.0 };
        }
    }

    /// Adds the intercepts to the average.
    pub(super) fn count(&mut self) {
        self.sum.iter_mut().zip(&self.b).for_each(|(sum, b)| *sum += b);
    }

    /// The mean over `count` iterates, or the last intercepts.
    pub(super) fn answer(self, count: f64) -> Vec<f64> {
        if count > 0.0 { self.sum.iter().map(|sum| sum / count).collect() } else { self.b }
    }
}
