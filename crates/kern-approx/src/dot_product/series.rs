//! The power series of dot-product kernels.

use kern_core::closure::{Exp, Product, Scaled, Sum};
use kern_core::kernels::{Linear, Polynomial};

/// A kernel that is a power series in the inner product: K(x, y) = Σₙ aₙ⟨x, y⟩ⁿ.
///
/// It is Mercer on all spaces exactly if all aₙ ≥ 0 (Schoenberg 1942). Closure rules carry it: sums
/// add coefficients, products convolve them, and exp(K) has a recurrence.
///
/// # Examples
/// ```
/// use kern_approx::DotProduct;
/// use kern_core::{closure::Exp, kernels::{Linear, Polynomial}};
/// assert_eq!(Polynomial::new(2.0, 1.0, 2)?.coefficients(4), [1.0, 4.0, 4.0, 0.0]);
/// assert_eq!(Exp::new(2.0 * Linear).coefficients(4), [1.0, 2.0, 2.0, 4.0 / 3.0]);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a power series in the inner product"
)]
pub trait DotProduct: Send + Sync {
    /// a₀, …, a_{len−1}.
    fn coefficients(&self, len: usize) -> Vec<f64>;

    /// The greatest n with aₙ > 0, or a bound on it; none if there are infinitely many.
    fn degree(&self) -> Option<usize>;
}

impl DotProduct for Linear {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        (0..len).map(|n| if n == 1 { 1.0 } else { 0.0 }).collect()
    }

    fn degree(&self) -> Option<usize> {
        Some(1)
    }
}

impl DotProduct for Polynomial {
    /// (p choose n)·γⁿ·r^(p−n).
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let degree = Polynomial::degree(self) as usize;
        let coefficient = |n: usize| {
            let choose = (0..n).fold(1.0, |c, i| c * (degree - i) as f64 / (i + 1) as f64);
            choose * self.gamma().powf(n as f64) * self.coef0().powf((degree - n) as f64)
        };
        (0..len).map(|n| if n <= degree { coefficient(n) } else { 0.0 }).collect()
    }

    fn degree(&self) -> Option<usize> {
        Some(Polynomial::degree(self) as usize)
    }
}

impl<K: DotProduct> DotProduct for Scaled<K> {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let mut a = self.kernel().coefficients(len);
        a.iter_mut().for_each(|a| *a *= self.weight());
        a
    }

    fn degree(&self) -> Option<usize> {
        self.kernel().degree()
    }
}

impl<A: DotProduct, B: DotProduct> DotProduct for Sum<A, B> {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let (a, b) = (self.left().coefficients(len), self.right().coefficients(len));
        a.iter().zip(&b).map(|(a, b)| a + b).collect()
    }

    fn degree(&self) -> Option<usize> {
        Some(self.left().degree()?.max(self.right().degree()?))
    }
}

impl<A: DotProduct, B: DotProduct> DotProduct for Product<A, B> {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let (a, b) = (self.left().coefficients(len), self.right().coefficients(len));
        (0..len).map(|n| (0..=n).map(|k| a[k] * b[n - k]).sum()).collect()
    }

    fn degree(&self) -> Option<usize> {
        self.left().degree()?.checked_add(self.right().degree()?)
    }
}

impl<K: DotProduct> DotProduct for Exp<K> {
    /// From (exp f)′ = f′·exp f: n·cₙ = Σₖ k·aₖ·c_{n−k}.
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let a = self.kernel().coefficients(len);
        let mut c: Vec<f64> = Vec::with_capacity(len);
        for n in 0..len {
            let sum = (1..=n).map(|k| k as f64 * a[k] * c[n - k]).sum::<f64>();
            c.push(if n == 0 { a[0].exp() } else { sum / n as f64 });
        }
        c
    }

    fn degree(&self) -> Option<usize> {
        None
    }
}

impl<K: DotProduct + ?Sized> DotProduct for &K {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        (**self).coefficients(len)
    }

    fn degree(&self) -> Option<usize> {
        (**self).degree()
    }
}
