//! The gap-weighted subsequence kernel on strings.

use super::letters::{at_least_one, impl_letter_kernel, letters};
use crate::kernels::declaration::declared;
use crate::kernels::dual_numbers::{Dual, Number};
use crate::parameters::{Domain, Setting};
use crate::{Decay, Error};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;

/// The gap-weighted subsequence kernel: common subsequences of p letters, weighted down by their
/// gaps.
///
/// # Definition
/// φ_u(x) = Σ λ^{l(i)} over all index tuples i₁ < … < i_p at which x spells u, where l(i) = i_p −
/// i₁ + 1 is the length that they span in x and λ ∈ (0, 1]. Then K(x, y) = Σ_u φ_u(x)·φ_u(y) over
/// all strings u of p letters. A string of fewer than p letters has no features.
///
/// Every term contains λ²ᵖ for the letters themselves. [`Subsequence::by_gaps`] is the kernel
/// without that factor, in which only *skipped* letters are weighted by λ. After normalisation
/// ([`Normalized`](crate::closure::Normalized)) the two are the same.
///
/// # Numerics
/// The recursion uses gap weights without subtractions, so the value by gaps has a small relative
/// error for every λ and does not underflow for long strings. λ²ᵖ is multiplied at the end; where
/// it underflows (λ = 0.1, p > 161), use the kernel by gaps. With λ near 1 and p beyond 100, values
/// (about n²ᵖ/p!²) may overflow, which a Gram matrix reports as an error.
///
/// # Complexity
/// O(p·|x|·|y|) time and p·max(|x|, |y|) floats of memory.
///
/// # References
/// Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins (2002), *Text classification using string
/// kernels*, definition 1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::Subsequence};
/// let (p, lambda) = (2, 0.5_f64);
/// let k = Subsequence::new(p, lambda)?;
/// let value = |x, y| Kernel::<Vec<&str>>::eval(&k, x, y);
/// assert_eq!(value(&"cat", &"car"), lambda.powi(4)); // ca
/// assert_eq!(value(&"cat", &"cat"), 2.0 * lambda.powi(4) + lambda.powi(6)); // ca, at, c-t
/// assert_eq!(k.to_string(), "subsequence(p=2, lambda=0.5)");
/// assert!(Subsequence::new(2, 1.5).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "SSK")]
#[doc(alias = "string subsequence kernel")]
#[doc(alias = "string kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subsequence {
    p: NonZeroUsize,
    lambda: Decay,
    by_gaps: bool,
}

declared! {
    Subsequence = "subsequence", [];
    p: Domain::count(1);
    lambda: Domain::fraction();
    by_gaps: Domain::Flag, Setting::Flag(false);
    => if by_gaps { Self::by_gaps(p, lambda) } else { Self::new(p, lambda) }
}

impl Subsequence {
    /// The kernel of subsequences of p letters, weighted by λ to the power of the length that they
    /// span.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless p ≥ 1 and 0 < λ ≤ 1.
    pub fn new(p: usize, lambda: f64) -> Result<Self, Error> {
        Ok(Self { p: at_least_one("p", p)?, lambda: Decay::new("lambda", lambda)?, by_gaps: false })
    }

    /// The kernel of subsequences of p letters, weighted by λ to the power of the number of skipped
    /// letters: λ⁻²ᵖ times [`Subsequence::new`].
    ///
    /// # Errors
    /// [`Error::Parameter`] unless p ≥ 1 and 0 < λ ≤ 1.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Kernel, kernels::Subsequence};
    /// let k = Subsequence::by_gaps(2, 0.5)?;
    /// assert_eq!(Kernel::<Vec<&str>>::eval(&k, &"cat", &"cat"), 2.0 + 0.25);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn by_gaps(p: usize, lambda: f64) -> Result<Self, Error> {
        Ok(Self { by_gaps: true, ..Self::new(p, lambda)? })
    }

    /// The number of letters, p.
    #[must_use]
    pub fn p(&self) -> usize {
        self.p.get()
    }

    /// The decay factor λ.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda.get()
    }

    /// Whether only skipped letters are weighted.
    #[must_use]
    pub fn is_by_gaps(&self) -> bool {
        self.by_gaps
    }

    fn value(&self, x: &[char], y: &[char]) -> f64 {
        let letters = if self.by_gaps { 1.0 } else { self.lambda().powf(2.0 * self.p() as f64) };
        // The longer string in the inner loop, and a fixed order of additions for both orders of
        // the arguments.
        let (outer, inner) = if (x.len(), x) <= (y.len(), y) { (x, y) } else { (y, x) };
        letters * gap_weighted(self.p(), self.lambda(), outer, inner)
    }

    /// ∂K(x, y)/∂ln λ.
    pub(crate) fn slope(&self, x: &str, y: &str) -> f64 {
        let decay = Dual::parameter(self.lambda());
        let found = gap_weighted(self.p(), decay, &letters(x), &letters(y));
        if self.by_gaps {
            return found.slope;
        }
        let length = 2.0 * self.p() as f64;
        self.lambda().powf(length) * (found.slope + length * found.value)
    }
}

/// Σ λ^(gaps in s + gaps in t) over all pairs of equal subsequences of p letters.
///
/// A_q(i, j) is the sum over subsequences of q letters that end in s_i = t_j, and S_q(i, j) = Σ_{i'
/// ≤ i, j' ≤ j} λ^{(i − i') + (j − j')}·A_q(i', j'). Then A_{q+1}(i, j) = \[s_i = t_j\]·S_q(i − 1,
/// j − 1). S is stored for one i; its sum over i' is a recursion from row to row, its sum over j' a
/// recursion along the row.
fn gap_weighted<N: Number>(p: usize, decay: N, s: &[char], t: &[char]) -> N {
    let (zero, one) = (N::from(0.0), N::from(1.0));
    if s.len().min(t.len()) < p {
        return zero;
    }
    let width = t.len();
    let mut sums = vec![zero; (p - 1) * width];
    let mut total = zero;
    for &letter in s {
        // In descending order, so that S_q still belongs to the previous row when A_{q+1} uses it.
        for q in (0..p).rev() {
            let (below, here) = sums.split_at_mut(q * width);
            let below = &below[q.saturating_sub(1) * width..];
            let ending = |j: usize| match (q, j) {
                _ if t[j] != letter => zero,
                (0, _) => one,
                (_, 0) => zero,
                _ => below[j - 1],
            };
            if q + 1 == p {
                total = total + (0..width).map(ending).fold(zero, |sum, term| sum + term);
                continue;
            }
            let mut along = zero;
            for (j, sum) in here[..width].iter_mut().enumerate() {
                along = decay * along + ending(j);
                *sum = decay * *sum + along;
            }
        }
    }
    total
}

impl_letter_kernel!(Subsequence);
