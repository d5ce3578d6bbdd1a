//! The features of the polynomial kernel: weighted monomials.

use super::{Explicit, FeatureMap, check_features};
use crate::kernels::Polynomial;
use crate::points::check_dim;
use crate::{Error, Points, Samples, Scalar, Scratch};
use faer::MatMut;
use std::ops::Range;

/// All monomials of a polynomial kernel, weighted so that their inner product is the kernel.
///
/// # Definition
/// (γxᵀy + r)^p = Σ_{k₁+…+k_d ≤ p} w_k·x^k·y^k with w_k = p!/(k₁!…k_d!·q!)·γ^{p−q}·r^q and
/// q = p − Σkⱼ; the features are √w_k·x^k. If r = 0 only those with q = 0 are left.
///
/// # Complexity
/// D = (d + p choose p) features, or (d + p − 1 choose p) if r = 0; two flops each per sample.
///
/// # Examples
/// ```
/// use kern_core::{Explicit, FeatureMap, Samples, kernels::Polynomial};
/// let x = Samples::from_rows(&[[1.0, 2.0, 3.0]])?;
/// let map = Polynomial::new(1.0, 1.0, 2)?.feature_map(&x)?;
/// assert_eq!(FeatureMap::<Samples<f64>>::dim(&map), 10);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Monomials {
    dim: usize,
    /// Each monomial as an earlier monomial times a coordinate; the first is the constant 1.
    steps: Vec<(usize, usize)>,
    /// The weighted monomials that are features: index of the monomial, and √w.
    features: Vec<(usize, f64)>,
}

impl Monomials {
    /// The monomials of (gamma·xᵀy + coef0)^degree on R^`dim`.
    ///
    /// # Errors
    /// [`Error::TooManyFeatures`].
    pub fn new(kernel: &Polynomial, dim: usize) -> Result<Self, Error> {
        check_features(binomial(dim + kernel.degree() as usize, kernel.degree() as usize))?;
        let mut all = vec![Monomial { last: 0, exponents: Vec::new() }];
        let mut steps = Vec::new();
        let mut level = 0..1;
        // Each monomial of the next degree once: multiplied only by coordinates not before its last
        // one.
        for _ in 0..kernel.degree() {
            let start = all.len();
            for parent in level {
                for coordinate in all[parent].last..dim {
                    steps.push((parent, coordinate));
                    let next = all[parent].times(coordinate);
                    all.push(next);
                }
            }
            level = start..all.len();
        }
        let weighted = all.iter().enumerate().map(|(i, m)| (i, m.root_weight(kernel)));
        let features = weighted.filter(|f| f.1 > 0.0).collect();
        Ok(Self { dim, steps, features })
    }
}

/// A monomial x_{c₁}^{k₁}·x_{c₂}^{k₂}·…, with the coordinates ascending.
struct Monomial {
    last: usize,
    exponents: Vec<u32>,
}

impl Monomial {
    fn times(&self, coordinate: usize) -> Self {
        let mut exponents = self.exponents.clone();
        match exponents.last_mut() {
            Some(k) if self.last == coordinate => *k += 1,
            _ => exponents.push(1),
        }
        Self { last: coordinate, exponents }
    }

    /// √(p!/(∏kⱼ!·q!)·γ^{p−q}·r^q).
    fn root_weight(&self, kernel: &Polynomial) -> f64 {
        let total: u32 = self.exponents.iter().sum();
        let rest = kernel.degree() - total;
        let mut weight = kernel.gamma().powi(total as i32) * kernel.coef0().powi(rest as i32);
        // The multinomial coefficient as a product of binomials, each a product of ratios.
        let mut used = 0;
        for &k in self.exponents.iter().chain([&rest]) {
            for i in 1..=k {
                used += 1;
                weight *= f64::from(used) / f64::from(i);
            }
        }
        weight.sqrt()
    }
}

/// n choose k, or None if it exceeds `usize`.
fn binomial(n: usize, k: usize) -> Option<usize> {
    (0..k.min(n - k)).try_fold(1_usize, |c, i| Some(c.checked_mul(n - i)? / (i + 1)))
}

impl<T: Scalar> FeatureMap<Samples<T>> for Monomials {
    fn dim(&self) -> usize {
        self.features.len()
    }

    fn transform_into(
        &self,
        points: &Samples<T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let mut all = scratch.take(self.steps.len() + 1);
        for (c, i) in range.enumerate() {
            let x = points.item(i);
            all[0] = T::ONE;
            for (k, &(parent, coordinate)) in self.steps.iter().enumerate() {
                all[k + 1] = all[parent] * x[coordinate];
            }
            for (k, &(monomial, root_weight)) in self.features.iter().enumerate() {
                out[(k, c)] = T::from_f64(root_weight) * all[monomial];
            }
        }
        scratch.give(all);
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        check_dim(self.dim, points.dim())
    }
}

impl<T: Scalar> Explicit<Samples<T>> for Polynomial {
    type Map = Monomials;

    fn feature_map(&self, points: &Samples<T>) -> Result<Monomials, Error> {
        Monomials::new(self, points.dim())
    }
}
