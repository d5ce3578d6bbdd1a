//! Every tolerance of this crate, with its derivation.

/// The scale factor of SGD iterates is folded into them when it falls below this. Their product is
/// what counts; the bound keeps both factors far from underflow and costs one pass in 10⁶-fold decay.
pub(crate) const SMALLEST_SCALE: f64 = 1e-6;

/// Default λ of kernel ridge: for kernels with unit diagonal and standardised targets the penalty
/// of a function of norm 1 is then a millionth of the mean squared error of predicting zero.
pub(crate) const DEFAULT_LAMBDA: f64 = 1e-6;

/// Default fraction of points that early stopping holds out: the habit of the field.
pub(crate) const HELD_OUT: f64 = 0.1;

/// Default relative decrease of the held-out loss that counts as progress: of a tenth of the points
/// the loss is not known better than that below n = 10⁷.
pub(crate) const PROGRESS: f64 = 1e-3;
