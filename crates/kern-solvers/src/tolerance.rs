//! Every tolerance of this crate, with its derivation.

/// The scale factor of SGD iterates is folded into them when it falls below this. Their product is
/// what counts; the bound keeps both factors far from underflow and costs one pass in 10⁶-fold decay.
pub(crate) const SMALLEST_SCALE: f64 = 1e-6;

/// Default λ of kernel ridge: for kernels with unit diagonal and standardised targets the penalty
/// of a function of norm 1 is then a millionth of the mean squared error of predicting zero.
pub(crate) const DEFAULT_LAMBDA: f64 = 1e-6;
