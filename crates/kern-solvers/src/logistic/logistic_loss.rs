//! Losses of logistic regression, and their first and second derivatives with respect to f.

use faer::{MatMut, MatRef};
use kern_core::Scalar;
use kern_gram::numerics::sigmoid::{log_sum, sigmoid, softmax, softplus};

/// A weighted negative log-likelihood: Σᵢ βᵢℓᵢ(f(xᵢ)), where f(xᵢ) is row i of a matrix.
pub(super) trait Likelihood<T: Scalar> {
    /// The number of functions.
    fn outputs(&self) -> usize;

    /// Σᵢ βᵢ.
    fn weight(&self) -> f64;

    /// Σᵢ βᵢℓᵢ.
    fn loss(&self, f: MatRef<'_, T>) -> f64;

    /// The probabilities in the derivatives: those of +1, or of every class.
    fn probabilities(&self, f: MatRef<'_, T>, p: MatMut<'_, T>);

    /// g ← the gradient with respect to f.
    fn gradient(&self, f: MatRef<'_, T>, p: MatRef<'_, T>, g: MatMut<'_, T>);

    /// out ← Wv, W the Hessian with respect to f: one block of outputs × outputs per point.
    fn curve(&self, p: MatRef<'_, T>, v: MatRef<'_, T>, out: MatMut<'_, T>);

    /// For each point, the mean eigenvalue of its block, without eigenvalues that are zero for all
    /// f.
    fn mean_curvature(&self, p: MatRef<'_, T>) -> Vec<f64>;
}

/// ln(1 + exp(−yf)).
pub(super) struct Binary<T> {
    /// ±1.
    pub(super) signs: Vec<T>,
    pub(super) weights: Vec<f64>,
}

impl<T: Scalar> Likelihood<T> for Binary<T> {
    fn outputs(&self) -> usize {
        1
    }

    fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    fn loss(&self, f: MatRef<'_, T>) -> f64 {
        let terms = f.col(0).iter().zip(&self.signs).zip(&self.weights);
        terms.map(|((&f, &y), w)| w * softplus(-(y * f).to_f64())).sum()
    }

    fn probabilities(&self, f: MatRef<'_, T>, p: MatMut<'_, T>) {
        let pairs = p.col_mut(0).iter_mut().zip(f.col(0).iter());
        pairs.for_each(|(p, f)| *p = T::from_f64(sigmoid(f.to_f64()).0));
    }

    fn gradient(&self, f: MatRef<'_, T>, _: MatRef<'_, T>, g: MatMut<'_, T>) {
        let terms = f.col(0).iter().zip(&self.signs).zip(&self.weights);
        for (g, ((&f, &y), w)) in g.col_mut(0).iter_mut().zip(terms) {
            let (y, f) = (y.to_f64(), f.to_f64());
            *g = T::from_f64(-w * y * sigmoid(-y * f).0);
        }
    }

    fn curve(&self, p: MatRef<'_, T>, v: MatRef<'_, T>, out: MatMut<'_, T>) {
        let terms = p.col(0).iter().zip(v.col(0).iter()).zip(&self.weights);
        for (out, ((p, v), w)) in out.col_mut(0).iter_mut().zip(terms) {
            *out = T::from_f64(w * p.to_f64() * (1.0 - p.to_f64()) * v.to_f64());
        }
    }

    fn mean_curvature(&self, p: MatRef<'_, T>) -> Vec<f64> {
        let terms = p.col(0).iter().zip(&self.weights);
        terms.map(|(p, w)| w * p.to_f64() * (1.0 - p.to_f64())).collect()
    }
}

/// ln Σ_c exp f_c − f_y.
pub(super) struct Softmax {
    /// y: the class of each point.
    pub(super) classes: Vec<usize>,
    pub(super) weights: Vec<f64>,
    pub(super) outputs: usize,
}

impl<T: Scalar> Likelihood<T> for Softmax {
    fn outputs(&self) -> usize {
        self.outputs
    }

    fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    fn loss(&self, f: MatRef<'_, T>) -> f64 {
        let loss = |i: usize| {
            let (largest, sum) = log_sum(f, i);
            self.weights[i] * (largest - f[(i, self.classes[i])].to_f64() + sum.ln())
        };
        (0..f.nrows()).map(loss).sum()
    }

    fn probabilities(&self, f: MatRef<'_, T>, p: MatMut<'_, T>) {
        softmax(f, p);
    }

    fn gradient(&self, _: MatRef<'_, T>, p: MatRef<'_, T>, mut g: MatMut<'_, T>) {
        for c in 0..self.outputs {
            for (i, w) in self.weights.iter().enumerate() {
                let of_others =
                    || (0..self.outputs).filter(|&k| k != c).map(|k| p[(i, k)].to_f64());
                // p − 1 is the sum of the others: no cancellation where p is nearly 1.
                let difference = if self.classes[i] == c {
                    -of_others().sum::<f64>()
                } else {
                    p[(i, c)].to_f64()
                };
                g[(i, c)] = T::from_f64(w * difference);
            }
        }
    }

    fn curve(&self, p: MatRef<'_, T>, v: MatRef<'_, T>, mut out: MatMut<'_, T>) {
        for (i, w) in self.weights.iter().enumerate() {
            let mean: f64 = (0..self.outputs).map(|c| (p[(i, c)] * v[(i, c)]).to_f64()).sum();
            for c in 0..self.outputs {
                let centred = v[(i, c)].to_f64() - mean;
                out[(i, c)] = T::from_f64(w * p[(i, c)].to_f64() * centred);
            }
        }
    }

    fn mean_curvature(&self, p: MatRef<'_, T>) -> Vec<f64> {
        let trace = |i: usize| -> f64 {
            (0..self.outputs).map(|c| p[(i, c)].to_f64()).map(|p| p * (1.0 - p)).sum()
        };
        let rank = (self.outputs - 1) as f64;
        self.weights.iter().enumerate().map(|(i, w)| w * trace(i) / rank).collect()
    }
}
