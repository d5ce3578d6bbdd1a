//! The quality of answers, judged by definitions: pointwise kernel evaluations in double precision,
//! on rows that are drawn with a seed. A NaN in an answer stays NaN, and is refused later.

use anyhow::Result;
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

/// The dual objective of support vector classification, ‖β‖₁ − ½ tr βᵀKβ, of signed coefficients:
/// a column for each problem, of which the objectives are summed.
pub fn dual_of_classes<K: Kernel<Samples<f64>>>(
    kernel: &K,
    support: &Samples<f64>,
    beta: MatRef<'_, f64>,
) -> f64 {
    let columns = beta.col_iter().flat_map(|column| column.iter().copied());
    columns.map(f64::abs).sum::<f64>() - 0.5 * squared_norm(kernel, support, beta)
}

/// The dual objective of support vector regression, yᵀβ − ε‖β‖₁ − ½ βᵀKβ, of one column.
pub fn dual_of_values<K: Kernel<Samples<f64>>>(
    kernel: &K,
    (support, y): (&Samples<f64>, &[f64]),
    beta: MatRef<'_, f64>,
    epsilon: f64,
) -> f64 {
    let term = |(&b, &y): (&f64, &f64)| b * y - epsilon * b.abs();
    let linear: f64 = beta.col(0).iter().zip(y).map(term).sum();
    linear - 0.5 * squared_norm(kernel, support, beta)
}

/// The share of true neighbours that were found, over some queries. Sorting all squared distances,
/// of differences, in double precision, finds the true ones.
pub fn recall(
    x: &Samples<f64>,
    (queries, some): (&Samples<f64>, &[usize]),
    k: usize,
    is_found: impl Fn(usize, usize) -> bool,
) -> f64 {
    let hits = |&query: &usize| {
        let distance = |i: usize| -> f64 {
            x.item(i).iter().zip(queries.item(query)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut order: Vec<(f64, usize)> = (0..x.len()).map(|i| (distance(i), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.iter().take(k).filter(|(_, i)| is_found(query, *i)).count()
    };
    some.iter().map(hits).sum::<usize>() as f64 / (k * some.len()) as f64
}

/// The share of answers that are as expected.
#[must_use]
pub fn agreement<Y: PartialEq>(found: &[Y], expected: &[Y]) -> f64 {
    let equal = found.iter().zip(expected).filter(|(found, expected)| found == expected).count();
    equal as f64 / expected.len() as f64
}

/// The same points in double precision (exact).
///
/// # Errors
/// None that can be expected.
pub fn widen<T: Scalar>(x: &Samples<T>) -> Result<Samples<f64>> {
    let values = x.as_slice().iter().map(|v| v.to_f64()).collect();
    Ok(Samples::from_row_major(x.dim(), values)?)
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

    #[test]
    fn dual_objectives_are_those_of_their_definitions() -> Result<()> {
        let x = Samples::from_rows(&[[1.0], [2.0]])?;
        // Two problems: 3 + 1 − ½·(−1)² and 2 − ½·4².
        let v = mat![[-3.0, 0.0], [1.0, 2.0]];
        assert_eq!(dual_of_classes(&Linear, &x, v.as_ref()), 3.5 + (2.0 - 8.0));
        // −3·10 + 1·20 − 0.5·(3 + 1) − ½·(−1)²
        let one = mat![[-3.0], [1.0]];
        let dual = dual_of_values(&Linear, (&x, &[10.0, 20.0]), one.as_ref(), 0.5);
        assert_eq!(dual, -12.5);
        Ok(())
    }

    #[test]
    fn recall_counts_true_neighbors_only() -> Result<()> {
        let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
        let queries = Samples::from_rows(&[[9.0], [0.2]])?;
        let share = |found: [usize; 2]| {
            recall(&x, (&queries, &[1]), 2, |query, i| query == 1 && found.contains(&i))
        };
        assert_eq!([share([0, 1]), share([1, 2]), share([2, 2])], [1.0, 0.5, 0.0]);
        assert_eq!(agreement(&[1, 2, 3, 4], &[1, 2, 0, 4]), 0.75);
        Ok(())
    }
}
