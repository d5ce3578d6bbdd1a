//! The bound of Drineas and Mahoney on the Nyström approximation by sampled columns.

use crate::Error;
use kern_core::Positive;

/// The number of columns for which the Nyström approximation of a Gram matrix is nearly as good as
/// its best approximation of a given rank.
///
/// # Definition
/// For G ⪰ 0 with trace T, c columns are drawn with replacement, column i with probability p_i =
/// G_ii/T; column and row of each draw are scaled by 1/√(c·p_i); and G̃_k = C·W_k⁺·Cᵀ. With the
/// best approximation G_k of rank k, for every ε > 0,
///
/// - E‖G − G̃_k‖_F ≤ ‖G − G_k‖_F + εT, if c ≥ 64k/ε⁴;
/// - E‖G − G̃_k‖₂ ≤ ‖G − G_k‖₂ + εT, if c ≥ 4/ε²;
/// - the same without the expectation with a probability of 1 − δ or more, if c is η = 1 + √(8·ln(1/δ)) times as
///   great, squared: 64kη²/ε⁴ and 4η²/ε².
///
/// ε of this type is in units of the trace.
///
/// # Correction of the paper
/// The theorem is printed with p_i = G_ii²/ΣG_jj² and the error ε·ΣG_ii². That is not homogeneous:
/// tG has t times the errors, and t² times that term, so a small t refutes it (tested). Its proof
/// is for X with G = XᵀX and columns of squared length G_ii, and gives the statement above. If all
/// G_ii are 1, the two agree.
///
/// # Proof
/// Let B = XXᵀ, and B̂ = X̂X̂ᵀ for the c scaled columns of X.
/// [`product_error`](Self::product_error) is the square root of E‖B − B̂‖_F² ≤ T²/c, exactly; ‖G −
/// G̃_k‖₂ ≤ ‖G − G_k‖₂ + 2‖B − B̂‖₂; ‖G − G̃_k‖_F² ≤ ‖G − G_k‖_F² + 4√k·‖B² − B̂²‖_F; and ‖B² −
/// B̂²‖_F ≤ 2T·‖B − B̂‖_F. Changing one draw changes ‖B − B̂‖_F by at most 2T/c, which gives η
/// (McDiarmid). The first is an equality, so a bound on ‖B − B̂‖_F cannot be better in general; the
/// others are far from sharp for most matrices.
///
/// # Use for [`Nystrom`](crate::Nystrom)
/// Without a bound on the rank the approximation is the projection onto all columns, and closer to
/// G than all G̃_k in either norm; so is that of more columns. Hence the bound holds for c
/// landmarks drawn uniformly without replacement, if K(x, x) is the same for all points, and for
/// every k at once.
///
/// # References
/// Drineas & Mahoney (2005), *On the Nyström Method for Approximating a Gram Matrix for Improved Kernel-Based
/// Learning*, theorem 3; Drineas, Kannan & Mahoney (2006), *Fast Monte Carlo Algorithms for Matrices I*, lemma 4 and
/// theorem 1, for ‖B − B̂‖_F.
///
/// # Examples
/// ```
/// use kern_approx::bounds::SampledColumns;
/// let spectral = SampledColumns::spectral();
/// assert_eq!(spectral.expected_columns(0.125)?, 256);
/// assert_eq!(spectral.expected_error(256)?, 0.125);
/// let frobenius = SampledColumns::frobenius(4)?;
/// assert_eq!(frobenius.expected_error(256)?, 1.0);
/// // To hold with certainty costs more than to hold on average.
/// assert!(spectral.columns(0.125, 0.01)? > 40 * 256);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct SampledColumns {
    /// The c for ε = 1 in expectation: 64k or 4.
    columns: f64,
    /// The power of 1/ε: 4 or 2.
    power: i32,
}

impl SampledColumns {
    /// The bound in the Frobenius norm, relative to the best approximation of rank k = `rank`.
    ///
    /// # Errors
    /// [`Error::Zero`] if the rank is 0.
    pub fn frobenius(rank: usize) -> Result<Self, Error> {
        match rank {
            0 => Err(Error::Zero { what: "the rank" }),
            rank => Ok(Self { columns: 64.0 * rank as f64, power: 4 }),
        }
    }

    /// The bound in the spectral norm, relative to the best approximation of any rank.
    pub fn spectral() -> Self {
        Self { columns: 4.0, power: 2 }
    }

    /// The ε of c columns in expectation, in units of the trace.
    ///
    /// # Errors
    /// [`Error::Zero`] if c is 0.
    pub fn expected_error(&self, columns: usize) -> Result<f64, Error> {
        self.error_at(columns, 1.0)
    }

    /// The ε that c columns exceed with probability at most `failure`, in units of the trace.
    ///
    /// # Errors
    /// [`Error::Zero`] if c is 0, [`Error::Core`] unless 0 < `failure` ≤ 1.
    pub fn error(&self, columns: usize, failure: f64) -> Result<f64, Error> {
        self.error_at(columns, deviation(failure)?)
    }

    /// The smallest number of columns whose expected error is at most ε, in units of the trace.
    ///
    /// # Errors
    /// [`Error::Core`] unless ε > 0 is finite, [`Error::TooManyColumns`] if there are more than 2⁵².
    pub fn expected_columns(&self, error: f64) -> Result<usize, Error> {
        self.columns_at(error, 1.0)
    }

    /// The smallest number of columns that exceed ε with probability at most `failure`.
    ///
    /// # Errors
    /// As [`expected_columns`](Self::expected_columns), and unless 0 < `failure` ≤ 1.
    pub fn columns(&self, error: f64, failure: f64) -> Result<usize, Error> {
        self.columns_at(error, deviation(failure)?)
    }

    /// √(E‖XXᵀ − X̂X̂ᵀ‖_F²) = √((T² − ‖G‖_F²)/c), exactly, for G = XᵀX with this trace and ‖G‖_F:
    /// the root mean square error that the bounds follow from.
    ///
    /// # Errors
    /// [`Error::Zero`] if c is 0, [`Error::Core`] unless both are finite and > 0.
    ///
    /// # Examples
    /// ```
    /// use kern_approx::bounds::SampledColumns;
    /// // The identity of four points: T = 4, ‖G‖_F² = 4.
    /// let error = SampledColumns::product_error(3, 4.0, 2.0)?;
    /// assert_eq!(error, 2.0);
    /// # Ok::<(), kern_approx::Error>(())
    /// ```
    pub fn product_error(columns: usize, trace: f64, frobenius: f64) -> Result<f64, Error> {
        let c = at_least_one(columns)?;
        let trace = Positive::new("the trace", trace)?.get();
        let frobenius = Positive::new("the Frobenius norm", frobenius)?.get();
        // ‖G‖_F ≤ T; in this order nothing overflows.
        let ratio = f64::min(frobenius / trace, 1.0);
        Ok(trace * ((1.0 - ratio) * (1.0 + ratio) / c).sqrt())
    }

    /// (η²·base/c)^(1/power).
    fn error_at(&self, columns: usize, eta: f64) -> Result<f64, Error> {
        let ratio = self.columns * eta * eta / at_least_one(columns)?;
        Ok(if self.power == 4 { ratio.sqrt().sqrt() } else { ratio.sqrt() })
    }

    fn columns_at(&self, error: f64, eta: f64) -> Result<usize, Error> {
        const MOST: f64 = 4_503_599_627_370_496.0;
        let error = Positive::new("the error", error)?.get();
        let columns = (self.columns * eta * eta / error.powi(self.power)).ceil().max(1.0);
        if columns <= MOST { Ok(columns as usize) } else { Err(Error::TooManyColumns { error }) }
    }
}

fn at_least_one(columns: usize) -> Result<f64, Error> {
    if columns == 0 {
        return Err(Error::Zero { what: "the number of columns" });
    }
    Ok(columns as f64)
}

/// η = 1 + √(8·ln(1/δ)).
fn deviation(failure: f64) -> Result<f64, Error> {
    Ok(1.0 + (8.0 * super::log_inverse(failure)?).sqrt())
}
