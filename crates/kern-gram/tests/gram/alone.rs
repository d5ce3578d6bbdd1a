//! A row of a product has the same bits alone as among others.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use kern_core::kernels::{Laplacian, Linear, Polynomial, Rbf};
use kern_core::{Kernel, Points, Samples, Scalar, faer::Mat};
use kern_gram::CrossGram;

fn points<T: Scalar>(n: usize, dim: usize) -> Samples<T> {
    let value = |k: usize| T::from_f64(((k * 7919 + 13) % 10_007) as f64 / 997.0 + 30.0);
    Samples::from_row_major(dim, (0..n * dim).map(value).collect()).unwrap()
}

fn check<T: Scalar>(kernel: &dyn Kernel<Samples<T>>) {
    for (n, dim) in [(1, 1), (7, 3), (130, 5), (700, 2), (300, 150)] {
        let (x, queries) = (points::<T>(n, dim), points::<T>(37, dim));
        for outputs in [1, 2, 3, 5, 40] {
            let v = Mat::from_fn(n, outputs, |i, j| {
                T::from_f64(((i * 31 + j * 17) % 23) as f64 - 11.0)
            });
            let product = |queries: &Samples<T>| {
                CrossGram::new(kernel, queries, &x).unwrap().apply(v.as_ref()).unwrap()
            };
            let all = product(&queries);
            for size in [1, 2, 3] {
                for start in [0, 5, 34] {
                    let rows: Vec<usize> = (start..start + size).collect();
                    let some = product(&queries.select(&rows).unwrap());
                    assert_eq!(some, all.subrows(start, size), "{n} {dim} {outputs} {size}");
                }
            }
        }
    }
}

#[test]
fn rows_have_the_same_bits_alone() {
    check::<f64>(&Linear);
    check::<f32>(&Linear);
    check::<f64>(&Rbf::new(0.01).unwrap());
    check::<f32>(&Rbf::new(0.01).unwrap());
    check::<f64>(&Polynomial::new(0.1, 1.0, 3).unwrap());
    check::<f32>(&Laplacian::new(0.01).unwrap());
}
