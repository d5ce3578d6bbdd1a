//! Seeded inputs. The same seed gives the same points on every machine; an f32 point is the
//! rounded f64 point.
//!
//! All draws are from ChaCha8, row by row. Distributions and parameters are those of the peers'
//! generators, except where a function says otherwise; the numbers themselves are not theirs.

use anyhow::Result;
use kern_core::faer::Mat;
use kern_core::{Points, Samples, Scalar};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// One stream of numbers per task, so that no two tasks see the same ones.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub enum Stream {
    /// Points of the Gram matrix tasks.
    Gram = 1,
    /// Points of `lazy_matvec`.
    Lazy = 2,
    /// Right-hand sides of `lazy_matvec`.
    LazyRightSides = 102,
    /// Points of `rff`.
    Rff = 3,
    /// Points of `nystroem`.
    Nystroem = 4,
    /// Points and targets of `krr_direct`.
    Krr = 5,
    /// Points and targets of `krr_large`.
    KrrLarge = 7,
    /// Points and classes of `klr`.
    Klr = 6,
    /// Points and classes of `svm` and `svm_predict`.
    Svm = 8,
    /// The order of real data in them.
    SvmOrder = 108,
    /// Points and targets of `svr`.
    Svr = 9,
    /// Points and queries of `knn`.
    Knn = 10,
    /// Points of `kernel_pca`.
    KernelPca = 17,
    /// Points of `mmd`.
    Mmd = 18,
    /// Points of `kernel_kmeans`.
    KernelKMeans = 11,
    /// The labels that it starts from.
    KernelKMeansLabels = 111,
    /// Points of `usgd`.
    Usgd = 12,
    /// The sequence of samples of `usgd`.
    UsgdOrder = 112,
    /// Points and classes of `planner`.
    Planner = 13,
    /// Texts of `linear_text`.
    Text = 14,
    /// Points of the growth tasks.
    Growth = 20,
    /// Columns and right-hand sides of `growth_lazy`.
    GrowthColumns = 120,
    /// Points and targets of `growth_krr`.
    GrowthKrr = 21,
    /// Points and classes of `growth_svm`.
    GrowthSvm = 22,
    /// Points of `dear_kernel`.
    Dear = 23,
    /// The waves of its kernel.
    DearWaves = 123,
    /// Its strings.
    DearStrings = 223,
    /// Points of `vector_state`.
    VectorState = 24,
    /// Points and targets of `gp_likelihood`.
    Gp = 25,
    /// Points and targets of `rfm`.
    Rfm = 26,
    /// Points, targets and strings of `one_query`.
    OneQuery = 27,
    /// The classes of its points.
    OneQueryLabels = 127,
    /// Rows and entries that quality is checked on.
    Check = 1000,
}

impl Stream {
    /// Its generator, at the beginning.
    #[must_use]
    pub fn rng(self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self as u64)
    }
}

/// `n` points of R^`d` from the standard normal distribution.
///
/// # Errors
/// If `d` is 0.
pub fn normal<T: Scalar>(stream: Stream, n: usize, d: usize) -> Result<Samples<T>> {
    let mut rng = stream.rng();
    let values = (0..n * d).map(|_| T::from_f64(rng.sample(StandardNormal))).collect();
    Ok(Samples::from_row_major(d, values)?)
}

/// An `n` × `columns` matrix from the standard normal distribution. Fewer columns are the first of
/// more.
#[must_use]
pub fn normal_matrix<T: Scalar>(stream: Stream, n: usize, columns: usize) -> Mat<T> {
    let mut rng = stream.rng();
    let mut out = Mat::zeros(n, columns);
    for j in 0..columns {
        for i in 0..n {
            out[(i, j)] = T::from_f64(rng.sample(StandardNormal));
        }
    }
    out
}

/// Points near a subspace of dimension 6 of R^`d`: x = Wᵀz/√6 + 0.1·ε with z, ε and W standard
/// normal.
///
/// # Errors
/// If `d` is 0.
pub fn near_subspace<T: Scalar>(stream: Stream, n: usize, d: usize) -> Result<Samples<T>> {
    const RANK: usize = 6;
    let mut rng = stream.rng();
    let w: Vec<f64> = (0..RANK * d).map(|_| rng.sample(StandardNormal)).collect();
    let scale = 1.0 / (RANK as f64).sqrt();
    let mut values = Vec::with_capacity(n * d);
    for _ in 0..n {
        let z: [f64; RANK] = std::array::from_fn(|_| rng.sample(StandardNormal));
        for k in 0..d {
            let x: f64 = z.iter().enumerate().map(|(r, z)| z * w[r * d + k]).sum();
            let noise: f64 = rng.sample(StandardNormal);
            values.push(T::from_f64(x * scale + 0.1 * noise));
        }
    }
    Ok(Samples::from_row_major(d, values)?)
}

/// Points of Gaussian clusters of deviation 3, in turns, around centres that are uniform in \[−10, 10\]^`d`; then columns
/// have mean 0 and deviation 1.
///
/// # Errors
/// If `d` is 0.
pub fn blobs<T: Scalar>(stream: Stream, n: usize, d: usize, clusters: usize) -> Result<Samples<T>> {
    let mut rng = stream.rng();
    let centres: Vec<f64> = (0..clusters * d).map(|_| rng.random_range(-10.0..10.0)).collect();
    let coordinate = |place: usize| {
        let noise: f64 = rng.sample(StandardNormal);
        centres[place / d % clusters * d + place % d] + 3.0 * noise
    };
    let mut values: Vec<f64> = (0..n * d).map(coordinate).collect();
    standardize(&mut values, d, n);
    Ok(Samples::from_row_major(d, values.into_iter().map(T::from_f64).collect())?)
}

/// Points with targets.
#[derive(Clone, Debug)]
pub struct Labelled<Y> {
    /// The points.
    pub x: Samples<f64>,
    /// One target for each.
    pub y: Vec<Y>,
}

/// Regression data: standard normal x in R^`d`, unit directions w₁, w₂, w₃, pₖ = wₖᵀx, and
/// y = tanh 2p₁ + ½ sin 2p₂ + ½ p₁ cos p₃ + 0.3·ε.
///
/// # Errors
/// If `d` is 0.
pub fn regression(stream: Stream, n: usize, d: usize) -> Result<Labelled<f64>> {
    let mut rng = stream.rng();
    let mut direction = || -> Vec<f64> {
        let w: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
        let norm = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        w.iter().map(|w| w / norm).collect()
    };
    let w = [direction(), direction(), direction()];
    let (mut values, mut y) = (Vec::with_capacity(n * d), Vec::with_capacity(n));
    for _ in 0..n {
        let x: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
        let p = w.each_ref().map(|w| w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>());
        let f = (2.0 * p[0]).tanh() + 0.5 * (2.0 * p[1]).sin() + 0.5 * p[2].cos() * p[0];
        let noise: f64 = rng.sample(StandardNormal);
        y.push(f + 0.3 * noise);
        values.extend(x);
    }
    Ok(Labelled { x: Samples::from_row_major(d, values)?, y })
}

/// The notebook's two classes: uniform points of the unit square; −1 for two eyes and a smile.
/// (The peers' generator for this task draws a chessboard instead; the work is the same.)
///
/// # Errors
/// None that can be expected.
pub fn face(stream: Stream, n: usize) -> Result<Labelled<i8>> {
    let mut rng = stream.rng();
    let values: Vec<f64> = (0..2 * n).map(|_| rng.random()).collect();
    let y = values.as_chunks::<2>().0.iter().map(|&x| face_label(x)).collect();
    Ok(Labelled { x: Samples::from_row_major(2, values)?, y })
}

/// The regression problem of Friedman (1991), eq. 61: x uniform in [0, 1]¹⁰ and
/// y = 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ + ε with ε standard normal; x is returned as
/// (x − ½)√12, and y minus its mean over its standard deviation, both over the first `train` points.
///
/// # Errors
/// None that can be expected.
pub fn friedman(stream: Stream, n: usize, train: usize) -> Result<Labelled<f64>> {
    const DIM: usize = 10;
    let mut rng = stream.rng();
    let (mut values, mut y) = (Vec::with_capacity(n * DIM), Vec::with_capacity(n));
    for _ in 0..n {
        let x: [f64; DIM] = std::array::from_fn(|_| rng.random());
        let noise: f64 = rng.sample(StandardNormal);
        let wave = 10.0 * (std::f64::consts::PI * x[0] * x[1]).sin();
        y.push(wave + 20.0 * (x[2] - 0.5).powi(2) + 10.0 * x[3] + 5.0 * x[4] + noise);
        values.extend(x.map(|x| (x - 0.5) * 12.0_f64.sqrt()));
    }
    standardize(&mut y, 1, train);
    Ok(Labelled { x: Samples::from_row_major(DIM, values)?, y })
}

/// Every column of rows of length `dim` minus its mean, over its standard deviation, both over the
/// first `train` rows.
pub(crate) fn standardize(values: &mut [f64], dim: usize, train: usize) {
    for k in 0..dim {
        let column = || values.iter().skip(k).step_by(dim).take(train);
        let mean = column().sum::<f64>() / train as f64;
        let deviation = column().map(|v| (v - mean).powi(2)).sum::<f64>() / train as f64;
        let deviation = deviation.sqrt();
        values.iter_mut().skip(k).step_by(dim).for_each(|v| *v = (*v - mean) / deviation);
    }
}

/// `length` indices below `n`, drawn uniformly.
#[must_use]
pub fn sequence(stream: Stream, n: usize, length: usize) -> Vec<i64> {
    let mut rng = stream.rng();
    (0..length).map(|_| rng.random_range(0..n) as i64).collect()
}

fn face_label([a, b]: [f64; 2]) -> i8 {
    let distance = |p: f64, q: f64| (a - p).hypot(b - q);
    let eye = distance(0.25, 0.75) <= 0.15 || distance(0.75, 0.75) <= 0.15;
    let smile = b < 0.4 && distance(0.5, 0.6) < 0.5 && distance(0.5, 0.55) > 0.3;
    if eye || smile { -1 } else { 1 }
}

/// At most `count` different indices below `n`, in ascending order; all of them if there are no
/// more.
#[must_use]
pub fn some_indices(n: usize, count: usize) -> Vec<usize> {
    if n <= count {
        return (0..n).collect();
    }
    let mut rng = Stream::Check.rng();
    let mut indices: Vec<usize> = (0..count).map(|_| rng.random_range(0..n)).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// The first `n` points, and the others.
///
/// # Errors
/// If there are fewer than `n`.
pub fn split<T: Scalar>(x: &Samples<T>, n: usize) -> Result<(Samples<T>, Samples<T>)> {
    let (head, tail): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..x.len()).collect());
    Ok((x.select(&head)?, x.select(&tail)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f32_points_are_the_rounded_f64_points() -> Result<()> {
        let (wide, narrow) =
            (normal::<f64>(Stream::Gram, 5, 3)?, normal::<f32>(Stream::Gram, 5, 3)?);
        let rounded = wide.as_slice().iter().map(|&v| v as f32);
        assert!(rounded.eq(narrow.as_slice().iter().copied()));
        Ok(())
    }

    #[test]
    fn the_face_has_the_share_of_classes_that_its_areas_say() -> Result<()> {
        // The specification has 0.69 to 0.74 of the points in the greater class at n = 1024. Here
        // the standard error is 0.0045.
        let labels = face(Stream::Usgd, 10_000)?.y;
        let share = labels.iter().filter(|&&y| y == 1).count() as f64 / labels.len() as f64;
        assert!((0.69..0.74).contains(&share), "{share}");
        assert_eq!([[0.25, 0.75], [0.5, 0.15], [0.5, 0.5]].map(face_label), [-1, -1, 1]);
        Ok(())
    }

    #[test]
    fn indices_are_distinct_and_in_range() {
        assert_eq!(some_indices(4, 10), [0, 1, 2, 3]);
        let some = some_indices(1000, 10);
        assert!(
            some.len() >= 8 && some.is_sorted_by(|a, b| a < b) && some.iter().all(|&i| i < 1000)
        );
    }
}
