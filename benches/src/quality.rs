//! How good an answer is, judged by definitions: pointwise kernel evaluations in double precision,
//! on rows that are drawn with a seed. A NaN in an answer stays NaN, and is refused later.

use kern_core::faer::MatRef;
use kern_core::{Kernel, Points, Samples, Scalar};
use rayon::prelude::*;

/// The greatest of some magnitudes; NaN if one is.
pub fn worst(magnitudes: impl IntoIterator<Item = f64>) -> f64 {
    let greater = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
    magnitudes.into_iter().fold(0.0, greater)
}

/// The greatest |gram_ij − K(x_i, x_j)| over all j and the i of `rows`.
pub fn gram_error<T: Scalar, K: Kernel<Samples<f64>>>(
    kernel: &K,
    (x, rows): (&Samples<f64>, &[usize]),
    gram: MatRef<'_, T>,
) -> f64 {
    let error = |&i: &usize| {
        let exact = |j| kernel.eval(x.item(i), x.item(j));
        worst((0..x.len()).map(|j| (gram[(i, j)].to_f64() - exact(j)).abs()))
    };
    let errors: Vec<f64> = rows.par_iter().map(error).collect();
    worst(errors)
}

/// Σⱼ K(q_i, x_j)·v_jr for the queries i of `rows`: one vector over r for each.
pub fn expansion<K: Kernel<Samples<f64>>>(
    kernel: &K,
    (queries, rows): (&Samples<f64>, &[usize]),
    x: &Samples<f64>,
    v: MatRef<'_, f64>,
) -> Vec<Vec<f64>> {
    let value = |&i: &usize| {
        let mut sums = vec![0.0; v.ncols()];
        for j in 0..x.len() {
            let k = kernel.eval(queries.item(i), x.item(j));
            sums.iter_mut().enumerate().for_each(|(r, sum)| *sum += k * v[(j, r)]);
        }
        sums
    };
    rows.par_iter().map(value).collect()
}

/// Σ_r v_rᵀKv_r over the columns of `v`, for the kernel values of the points with each other.
pub fn squared_norm<K: Kernel<Samples<f64>>>(
    kernel: &K,
    x: &Samples<f64>,
    v: MatRef<'_, f64>,
) -> f64 {
    let all: Vec<usize> = (0..x.len()).collect();
    let values = expansion(kernel, (x, &all), x, v);
    let row = |(i, values): (usize, &Vec<f64>)| -> f64 {
        values.iter().enumerate().map(|(r, value)| value * v[(i, r)]).sum()
    };
    values.iter().enumerate().map(row).sum()
}

/// √(Σ (aᵢ − bᵢ)² / n).
#[must_use]
pub fn rmse(a: &[f64], b: &[f64]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    (sum / a.len() as f64).sqrt()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these results are exact")]
mod tests {
    use super::*;
    use anyhow::Result;
    use kern_core::faer::mat;
    use kern_core::kernels::Linear;

    #[test]
    fn nan_is_never_hidden() {
        assert!(worst([1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(worst([1.0, 3.0, 2.0]), 3.0);
    }

    #[test]
    fn errors_of_a_gram_matrix_are_found() -> Result<()> {
        let x = Samples::from_rows(&[[1.0], [2.0]])?;
        let gram = mat![[1.0_f32, 2.0], [2.0, 4.5]];
        assert_eq!(gram_error(&Linear, (&x, &[0, 1]), gram.as_ref()), 0.5);
        Ok(())
    }

    #[test]
    fn an_expansion_is_a_product() -> Result<()> {
        let x = Samples::from_rows(&[[1.0], [2.0]])?;
        let v = mat![[1.0, 0.0], [1.0, 10.0]];
        assert_eq!(expansion(&Linear, (&x, &[1]), &x, v.as_ref()), [vec![6.0, 40.0]]);
        // (1 + 2)² + 20²
        assert_eq!(squared_norm(&Linear, &x, v.as_ref()), 409.0);
        assert_eq!(rmse(&[1.0, 2.0], &[1.0, 4.0]), 2.0_f64.sqrt());
        Ok(())
    }
}
