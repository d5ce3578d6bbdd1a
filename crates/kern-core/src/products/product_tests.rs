//! Products of all shapes have, to the bit, the sums of chains that define them.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::{
    FewVectors, add_mirrored, cholesky, inner_products, inverse_columns, matmul, matmul_lower,
    solve_lower, solve_upper,
};
use crate::Scalar;
use faer::{Accum, Mat, MatRef};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random<T: Scalar>(rng: &mut ChaCha8Rng, m: usize, n: usize) -> Mat<T> {
    Mat::from_fn(m, n, |_, _| T::from_f64(rng.random_range(-1.0..1.0)))
}

/// An entry of a product by its definition.
fn chain<T: Scalar>(
    start: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    (i, j): (usize, usize),
    alpha: T,
) -> T {
    let all: Vec<usize> = (0..a.ncols()).collect();
    all.chunks(256).fold(start, |sum, some| {
        sum + some.iter().fold(T::ZERO, |sum, &k| a[(i, k)].fma(alpha * b[(k, j)], sum))
    })
}

/// Shapes around those of the register blocks, and with more coordinates than a cache block.
const SHAPES: [[usize; 3]; 12] = [
    [1, 1, 1],
    [1, 7, 3],
    [5, 1, 300],
    [5, 2, 9],
    [3, 4, 0],
    [16, 12, 8],
    [17, 13, 257],
    [31, 29, 31],
    [64, 24, 256],
    [70, 65, 513],
    [300, 520, 20],
    [2, 90, 40],
];

fn check<T: Scalar>() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for [m, n, k] in SHAPES {
        let (a, b) = (random::<T>(&mut rng, m, k), random::<T>(&mut rng, k, n));
        let (a_t, b_t) = (a.transpose().to_owned(), b.transpose().to_owned());
        let old = random::<T>(&mut rng, m, n);
        for (accum, alpha) in [(Accum::Replace, 1.0), (Accum::Add, -1.0)] {
            let alpha = T::from_f64(alpha);
            let start = |i, j| if let Accum::Add = accum { old[(i, j)] } else { T::ZERO };
            let expected = Mat::from_fn(m, n, |i, j| {
                chain(start(i, j), a.as_ref(), b.as_ref(), (i, j), alpha)
            });
            for a in [a.as_ref(), a_t.transpose()] {
                for b in [b.as_ref(), b_t.transpose()] {
                    let mut out = old.clone();
                    matmul(out.as_mut(), accum, a, b, alpha);
                    assert_eq!(out, expected, "{m} {n} {k}");
                    let mut lying = old.transpose().to_owned();
                    matmul(lying.as_mut().transpose_mut(), accum, a, b, alpha);
                    assert_eq!(lying.transpose(), expected, "{m} {n} {k}, row by row");
                    let mut apart = Mat::zeros(2 * m, 2 * n);
                    let mut part = apart.as_mut().submatrix_mut(m, n, m, n);
                    part.copy_from(&old);
                    matmul(part, accum, a, b, alpha);
                    assert_eq!(apart.submatrix(m, n, m, n), expected, "{m} {n} {k}, a part");
                }
            }
        }
    }
}

#[test]
fn entries_are_chains_whatever_the_shape() {
    check::<f32>();
    check::<f64>();
}

#[test]
fn a_triangle_is_that_of_the_product_and_leaves_the_rest() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (n, k) in [(1, 3), (64, 10), (65, 5), (200, 300)] {
        let (a, b) = (random::<f64>(&mut rng, n, k), random::<f64>(&mut rng, k, n));
        let old = random::<f64>(&mut rng, n, n);
        for accum in [Accum::Replace, Accum::Add] {
            let (mut whole, mut lower) = (old.clone(), old.clone());
            matmul(whole.as_mut(), accum, a.as_ref(), b.as_ref(), -1.0);
            matmul_lower(lower.as_mut(), accum, a.as_ref(), b.as_ref(), -1.0);
            for j in 0..n {
                for i in 0..n {
                    let expected = if i < j { old[(i, j)] } else { whole[(i, j)] };
                    assert_eq!(lower[(i, j)].to_bits(), expected.to_bits(), "{n} {k} {i} {j}");
                }
            }
        }
    }
}

/// A lower triangle with a strong diagonal, and NaN above it.
fn triangle(rng: &mut ChaCha8Rng, n: usize) -> Mat<f64> {
    let small = 1.0 / (n as f64).sqrt();
    Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => f64::NAN,
        std::cmp::Ordering::Equal => rng.random_range(1.0..2.0),
        std::cmp::Ordering::Greater => small * rng.random_range(-1.0..1.0),
    })
}

#[test]
fn triangular_systems_are_solved_for_any_number_of_columns() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for n in [0, 1, 5, 63, 64, 65, 200] {
        let lower = triangle(&mut rng, n);
        for columns in [1, 2, 3, 40] {
            let x = random::<f64>(&mut rng, n, columns);
            let row =
                |i: usize, k: usize| -> f64 { (0..=i).map(|j| lower[(i, j)] * x[(j, k)]).sum() };
            let col =
                |i: usize, k: usize| -> f64 { (i..n).map(|j| lower[(j, i)] * x[(j, k)]).sum() };
            let near = |found: MatRef<'_, f64>| (found - &x).norm_max() < 1e-13;
            let mut b = Mat::from_fn(n, columns, row);
            let mut lying = b.transpose().to_owned();
            solve_lower(lower.as_ref(), b.as_mut());
            assert!(near(b.as_ref()), "{n} {columns}");
            solve_lower(lower.as_ref(), lying.as_mut().transpose_mut());
            assert_eq!(lying.transpose(), b, "one chain, {n} {columns}");
            let mut b = Mat::from_fn(n, columns, col);
            solve_upper(lower.as_ref(), b.as_mut());
            assert!(near(b.as_ref()), "transposed, {n} {columns}");
        }
    }
}

/// An unknown of a small system is one chain, whatever the rows that are solved together.
#[test]
fn small_systems_are_solved_by_chains() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for n in [1, 5, 6, 7, 12, 41, 64] {
        let lower = triangle(&mut rng, n);
        let b = random::<f64>(&mut rng, n, 5);
        let (mut found, mut x) = (b.clone(), b);
        solve_lower(lower.as_ref(), found.as_mut());
        for (i, k) in (0..n).flat_map(|i| (0..5).map(move |k| (i, k))) {
            let sum = (0..i).fold(x[(i, k)], |sum, j| (-lower[(i, j)]).mul_add(x[(j, k)], sum));
            x[(i, k)] = sum * (1.0 / lower[(i, i)]);
        }
        assert_eq!(found, x, "{n}");
    }
}

/// Parts of the inverse are columns of the whole one, which solves systems.
#[test]
fn columns_of_inverses_do_not_depend_on_their_neighbours() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for (n, width) in [(1, 1), (64, 64), (65, 64), (200, 1), (200, 130), (300, 300), (600, 400)] {
        let lower = triangle(&mut rng, n);
        let part = |range: std::ops::Range<usize>| {
            let mut out = random::<f64>(&mut rng.clone(), n, range.len());
            inverse_columns(lower.as_ref(), width, range, out.as_mut());
            out
        };
        let whole = part(0..width);
        let mut solved = Mat::from_fn(n, width, |i, j| f64::from(u8::from(i == j)));
        solve_lower(lower.as_ref(), solved.as_mut());
        assert!((&whole - &solved).norm_max() < 1e-13, "{n} {width}");
        let cuts = [0, width / 5, width / 3, width / 3, width - width / 4, width];
        for range in cuts.windows(2).map(|cut| cut[0]..cut[1]) {
            let columns = whole.subcols(range.start, range.len());
            assert_eq!(part(range.clone()), columns, "{n} {width} {range:?}");
        }
    }
}

#[test]
fn factors_multiply_to_the_matrix_and_bad_pivots_are_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for n in [1, 63, 64, 65, 150, 300] {
        let lower = triangle(&mut rng, n);
        let entry =
            |i: usize, j: usize| -> f64 { (0..=j).map(|k| lower[(i, k)] * lower[(j, k)]).sum() };
        let mut a = Mat::from_fn(n, n, |i, j| if i < j { f64::NAN } else { entry(i, j) });
        cholesky(a.as_mut()).unwrap();
        for j in 0..n {
            (j..n).for_each(|i| assert!((a[(i, j)] - lower[(i, j)]).abs() < 1e-12, "{n} {i} {j}"));
        }
        let bad = n - 1;
        let mut a = Mat::from_fn(n, n, |i, j| if i < j { f64::NAN } else { entry(i, j) });
        a[(bad, bad)] = -1.0;
        assert_eq!(cholesky(a.as_mut()), Err(bad));
    }
}

#[test]
fn inner_products_are_products_with_the_transpose() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for columns in [1, 2, 3, 9] {
        let (z, w) = (random::<f64>(&mut rng, 100, 7), random::<f64>(&mut rng, 100, columns));
        let old = random::<f64>(&mut rng, 7, columns);
        for accum in [Accum::Replace, Accum::Add] {
            let (mut product, mut dots) = (old.clone(), old.clone());
            matmul(product.as_mut(), accum, z.transpose(), w.as_ref(), -1.0);
            inner_products(dots.as_mut(), accum, z.as_ref(), w.as_ref(), -1.0);
            assert!((product - dots).norm_max() < 1e-13);
        }
    }
}

/// Products with few vectors across the lanes have the bits of ordinary products.
fn assert_few<T: Scalar>(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (k, m) in [(1, 1), (7, 9), (255, 3), (257, 40), (2100, 17)] {
        for n in [3, 5, 8, 9, 17, 32] {
            let (z, w) = (random::<T>(&mut rng, k, m), random::<T>(&mut rng, k, n));
            let (rows, old) = (z.transpose().to_owned(), random::<T>(&mut rng, m, n));
            for (accum, alpha) in
                [(Accum::Replace, T::ONE), (Accum::Add, T::ONE), (Accum::Add, -T::ONE)]
            {
                let (mut across, mut along) = (old.clone(), old.clone());
                matmul(across.as_mut(), accum, z.transpose(), w.as_ref(), alpha);
                matmul(along.as_mut(), accum, rows.as_ref(), w.as_ref(), alpha);
                assert_eq!(across, along, "{k} {m} {n}");
            }
        }
    }
}

#[test]
fn few_vectors_have_the_bits_of_many() {
    assert_few::<f64>(8);
    assert_few::<f32>(9);
}

/// A tile and its mirror image in one pass: the bits are those of two products.
fn assert_mirrored<T: Scalar>(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (m, k) in [(1, 1), (1, 9), (7, 9), (255, 3), (256, 256), (300, 517)] {
        for n in [5, 8, 9, 16, 17, 32] {
            let (a, rows) = (random::<T>(&mut rng, m, k), random::<T>(&mut rng, k, m));
            let (v, u) = (random::<T>(&mut rng, k, n), random::<T>(&mut rng, m, n));
            let (few_v, few_u) =
                (FewVectors::of(v.as_ref()).unwrap(), FewVectors::of(u.as_ref()).unwrap());
            let old = (random::<T>(&mut rng, m, n), random::<T>(&mut rng, k, n));
            for a in [a.as_ref(), rows.transpose()] {
                let (mut low, mut high) = old.clone();
                matmul(low.as_mut(), Accum::Add, a, v.as_ref(), T::ONE);
                matmul(high.as_mut(), Accum::Add, a.transpose(), u.as_ref(), T::ONE);
                for both in [true, false] {
                    let mut few_low = FewVectors::of(old.0.as_ref()).unwrap();
                    let mut few_high = FewVectors::of(old.1.as_ref()).unwrap();
                    let (v, u) = (few_v.rows(0..k), few_u.rows(0..m));
                    add_mirrored(a, v, u, few_low.all_mut(), both.then(|| few_high.all_mut()));
                    let (mut found_low, mut found_high) = old.clone();
                    few_low.copy_into(found_low.as_mut());
                    few_high.copy_into(found_high.as_mut());
                    assert_eq!(found_low, low, "{m} {k} {n}");
                    assert_eq!(&found_high, if both { &high } else { &old.1 }, "{m} {k} {n}");
                }
            }
        }
    }
}

#[test]
fn a_tile_and_its_mirror_image_have_the_bits_of_two_products() {
    assert_mirrored::<f64>(10);
    assert_mirrored::<f32>(11);
}
