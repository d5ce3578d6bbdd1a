//! Thinning a block of proposals so that what stands is distributed as if drawn one by one.

use faer::Mat;
use kern_core::Scalar;
use kern_core::rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The proposals that stand.
pub(super) struct Thinned {
    /// Their positions among the proposals.
    pub(super) accepted: Vec<usize>,
    /// The Cholesky factor of the residual between them, lower triangular.
    pub(super) lower: Mat<f64>,
}

/// Goes through proposals that were drawn with the probabilities of `residual`'s diagonal, and accepts
/// each with the probability to which its residual has fallen by those accepted before, relative to
/// what it was drawn with; at most `most`, and none that is left with `floor` or less.
///
/// O(b·a²) for a of b proposals: the factor grows by the row of the proposal in turn, and what is left
/// of it is its diagonal entry less the squares of that row.
pub(super) fn thin(
    residual: &Mat<f64>,
    (floor, most): (f64, usize),
    rng: &mut ChaCha8Rng,
) -> Thinned {
    let mut accepted: Vec<usize> = Vec::new();
    // Row i of the factor has i + 1 entries.
    let mut factor: Vec<Vec<f64>> = Vec::new();
    for b in 0..residual.ncols() {
        let coin = rng.random::<f64>();
        if accepted.len() == most {
            break;
        }
        let column = residual.col_as_slice(b);
        let mut row: Vec<f64> = Vec::with_capacity(accepted.len() + 1);
        for (&a, known) in accepted.iter().zip(&factor) {
            let value = column[a] - f64::dot(&known[..row.len()], &row);
            row.push(value / known[row.len()]);
        }
        let left = column[b] - f64::dot(&row, &row);
        if left > floor && coin * column[b] < left {
            row.push(left.sqrt());
            factor.push(row);
            accepted.push(b);
        }
    }
    let size = accepted.len();
    let lower = Mat::from_fn(size, size, |i, j| if j <= i { factor[i][j] } else { 0.0 });
    Thinned { accepted, lower }
}
