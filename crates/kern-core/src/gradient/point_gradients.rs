//! Gradients of kernels with respect to the points, from which gradients of kernel expansions are
//! formed. Those of radial kernels follow from the derivative in the squared distance.

use crate::closure::{Scaled, Sum};
use crate::kernels::{Exponential, Laplacian, Matern, Matern32, Matern52, RationalQuadratic, Rbf};
use crate::products::matmul;
use crate::simd::dispatched;
use crate::{Kernel, Points, Samples, Scalar, Scratch, Tile, tile};
use faer::{Accum, MatMut, MatRef};

/// A kernel on vectors that is differentiable in its points. At a kink, the derivative is the mean
/// of both sides.
///
/// # Examples
/// ```
/// use kern_core::gradient::PointGradient;
/// use kern_core::{Samples, Scratch, Tile, faer::{Mat, mat}, kernels::Laplacian};
/// let (centre, x) = (Samples::from_rows(&[[0.0, 1.0]])?, Samples::from_rows(&[[2.0, 1.0]])?);
/// // f = 3·exp(−½(|x₀| + |x₁ − 1|)): ∂f/∂x₀ = −½f at x₀ > 0; at the kink of x₁ the mean of both sides, 0.
/// let mut gradient = Mat::zeros(2, 1);
/// let tile = Tile::new(&centre, 0..1, &x, 0..1);
/// let kernel = Laplacian::new(0.5)?;
/// kernel.add_point_gradients(&tile, mat![[3.0]].as_ref(), 0.0, gradient.as_mut(), &mut Scratch::new());
/// assert!((gradient[(0, 0)] + 1.5 * (-1.0_f64).exp()).abs() < 1e-15);
/// assert_eq!(gradient[(1, 0)], 0.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the gradient of `{Self}` in its points is not known",
    note = "`Rbf`, `Exponential`, `Matern32`, `Matern52`, `RationalQuadratic`, `Laplacian`, their sums and multiples have one; of a kernel of your own, implement `PointGradient`, if it is a `RadialProfile` by `add_radial_gradients`"
)]
pub trait PointGradient<T: Scalar>: Kernel<Samples<T>> {
    /// Adds Σᵢ αᵢ·∂K(aᵢ, bⱼ)/∂bⱼ to column j of `out`, summed over the rows i of the tile, for each
    /// column of α; the columns of `out` for the second output follow all those for the first. For
    /// kernels of the Euclidean distance, pairs whose squared distance is at most `smallest` count
    /// as equal points and add nothing.
    ///
    /// # Shapes and units
    /// `alpha` is rows × outputs, `out` dim × (columns · outputs).
    ///
    /// # Panics
    /// If the shapes do not match.
    fn add_point_gradients(
        &self,
        tile: &Tile<'_, Samples<T>>,
        alpha: MatRef<'_, T>,
        smallest: f64,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    );

    /// True if K(Qx, Qy) = K(x, y) for all rotations Q.
    fn is_rotation_invariant(&self) -> bool;
}

/// [`PointGradient::add_point_gradients`] for a kernel of the Euclidean distance: with W_ij =
/// αᵢφ′(‖aᵢ − bⱼ‖²), 2[bⱼ Σᵢ W_ij − Σᵢ W_ij aᵢ], by one matrix product. Use it to implement
/// [`PointGradient`] for a custom [`RadialProfile`].
///
/// # Panics
/// As the method.
pub fn add_radial_gradients<T: Scalar, K: RadialProfile<T> + ?Sized>(
    kernel: &K,
    tile: &Tile<'_, Samples<T>>,
    alpha: MatRef<'_, T>,
    smallest: f64,
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
) {
    let (height, width) = (tile.nrows(), tile.ncols());
    check(tile, alpha, out.as_ref());
    let (smallest, infinite) = (T::from_f64(smallest), T::from_f64(f64::INFINITY));
    scratch.with_matrix(height, width, |mut slopes, scratch| {
        tile::squared_distance(tile, slopes.as_mut(), scratch);
        for column in slopes.as_mut().col_iter_mut() {
            let Some(column) = column.try_as_col_major_mut() else { continue };
            let column = column.as_slice_mut();
            // φ′ is 0 at infinity.
            let equal = column.iter_mut().filter(|square| **square <= smallest);
            equal.for_each(|square| *square = infinite);
            kernel.slopes(column, scratch);
        }
        scratch.with_matrix(height, width, |mut w, _| {
            for (output, alpha) in alpha.col_iter().enumerate() {
                let mut part = out.as_mut().subcols_mut(output * width, width);
                for (j, slopes) in slopes.as_ref().col_iter().enumerate() {
                    let terms = w.as_mut().col_mut(j).iter_mut().zip(slopes.iter());
                    let mut total = T::ZERO;
                    for ((w, &slope), &alpha) in terms.zip(alpha.iter()) {
                        *w = T::from_f64(2.0) * alpha * slope;
                        total += *w;
                    }
                    let point = tile.b().item(tile.cols().start + j);
                    let pairs = part.as_mut().col_mut(j).iter_mut().zip(point);
                    pairs.for_each(|(out, &b)| *out += b * total);
                }
                let a = tile.a().columns(tile.rows());
                matmul(part, Accum::Add, a, w.as_ref(), -T::ONE);
            }
        });
    });
}

macro_rules! radial {
    ($($kernel:ty),*) => {$(
        impl<T: Scalar> PointGradient<T> for $kernel {
            fn add_point_gradients(
                &self,
                tile: &Tile<'_, Samples<T>>,
                alpha: MatRef<'_, T>,
                smallest: f64,
                out: MatMut<'_, T>,
                scratch: &mut Scratch<T>,
            ) {
                add_radial_gradients(self, tile, alpha, smallest, out, scratch);
            }

            fn is_rotation_invariant(&self) -> bool {
                true
            }
        }
    )*};
}

radial!(Rbf, Exponential, Matern32, Matern52, RationalQuadratic);

impl<T: Scalar, K> PointGradient<T> for Scaled<K>
where
    K: PointGradient<T>,
    Self: Kernel<Samples<T>>,
{
    fn add_point_gradients(
        &self,
        tile: &Tile<'_, Samples<T>>,
        alpha: MatRef<'_, T>,
        smallest: f64,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let weight = T::from_f64(self.weight());
        scratch.with_matrix(alpha.nrows(), alpha.ncols(), |mut scaled, scratch| {
            for (to, from) in scaled.as_mut().col_iter_mut().zip(alpha.col_iter()) {
                to.iter_mut().zip(from.iter()).for_each(|(to, &from)| *to = weight * from);
            }
            self.kernel().add_point_gradients(tile, scaled.as_ref(), smallest, out, scratch);
        });
    }

    fn is_rotation_invariant(&self) -> bool {
        self.kernel().is_rotation_invariant()
    }
}

impl<T: Scalar, A, B> PointGradient<T> for Sum<A, B>
where
    A: PointGradient<T>,
    B: PointGradient<T>,
    Self: Kernel<Samples<T>>,
{
    fn add_point_gradients(
        &self,
        tile: &Tile<'_, Samples<T>>,
        alpha: MatRef<'_, T>,
        smallest: f64,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.left().add_point_gradients(tile, alpha, smallest, out.as_mut(), scratch);
        self.right().add_point_gradients(tile, alpha, smallest, out, scratch);
    }

    fn is_rotation_invariant(&self) -> bool {
        self.left().is_rotation_invariant() && self.right().is_rotation_invariant()
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<T: Scalar, K: PointGradient<T> + ?Sized> PointGradient<T> for $pointer {
            fn add_point_gradients(
                &self,
                tile: &Tile<'_, Samples<T>>,
                alpha: MatRef<'_, T>,
                smallest: f64,
                out: MatMut<'_, T>,
                scratch: &mut Scratch<T>,
            ) {
                (**self).add_point_gradients(tile, alpha, smallest, out, scratch);
            }

            fn is_rotation_invariant(&self) -> bool {
                (**self).is_rotation_invariant()
            }
        }
    )*};
}

delegate!(&K, Box<K>);

/// ∂K(a, b)/∂b_k = −γ·sign(b_k − a_k)·K(a, b).
impl<T: Scalar> PointGradient<T> for Laplacian {
    fn add_point_gradients(
        &self,
        tile: &Tile<'_, Samples<T>>,
        alpha: MatRef<'_, T>,
        _: f64,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        check(tile, alpha, out.as_ref());
        let width = tile.ncols();
        let rate = T::from_f64(-self.gamma());
        let (dim, rows) = (tile.a().dim(), tile.rows());
        let centres = &tile.a().as_slice()[rows.start * dim..rows.end * dim];
        scratch.with_matrix(dim + tile.nrows(), 1, |mut memory, scratch| {
            let Some(memory) = memory.as_mut().col_mut(0).try_as_col_major_mut() else { return };
            let (sums, weights) = memory.as_slice_mut().split_at_mut(dim);
            tile.with_block(self, scratch, |values| {
                for (j, values) in values.col_iter().enumerate() {
                    let point = tile.b().item(tile.cols().start + j);
                    for (output, alpha) in alpha.col_iter().enumerate() {
                        let terms = weights.iter_mut().zip(values.iter()).zip(alpha.iter());
                        terms.for_each(|((w, &value), &alpha)| *w = rate * alpha * value);
                        sums.fill(T::ZERO);
                        add_signs(weights, centres, point, sums);
                        let column = out.as_mut().col_mut(output * width + j);
                        column.iter_mut().zip(&*sums).for_each(|(out, &sum)| *out += sum);
                    }
                }
            });
        });
    }

    fn is_rotation_invariant(&self) -> bool {
        false
    }
}

fn check<T: Scalar>(tile: &Tile<'_, Samples<T>>, alpha: MatRef<'_, T>, out: MatRef<'_, T>) {
    let (height, outputs) = alpha.shape();
    let fit = (height, out.ncols()) == (tile.nrows(), tile.ncols() * outputs);
    // tidy: allow(panic) because the public callers carry the `# Panics` section.
    assert!(fit && out.nrows() == tile.a().dim(), "gradients have the shape of the tile");
}

dispatched! {
    /// sums_k += Σᵢ wᵢ·sign(b_k − a_ik).
    fn add_signs<'a, T>(weights: &'a [T], centres: &'a [T], point: &'a [T], sums: &'a mut [T]) -> () {
        for (&w, centre) in weights.iter().zip(centres.chunks_exact(point.len())) {
            for ((sum, &a), &b) in sums.iter_mut().zip(centre).zip(point) {
                let above = if b > a { w } else { T::ZERO };
                let below = if b < a { w } else { T::ZERO };
                *sum += above - below;
            }
        }
    }
}

/// A kernel of the Euclidean distance, K(x, y) = φ(‖x − y‖²), with a known derivative φ′: the
/// gradient of K(·, y) at x is 2φ′(‖x − y‖²)·(x − y).
///
/// # Examples
/// ```
/// use kern_core::gradient::RadialProfile;
/// use kern_core::{Scratch, kernels::Rbf};
/// let mut squares = [0.0, 1.0];
/// (3.0 * Rbf::new(0.5)?).slopes(&mut squares, &mut Scratch::new());
/// assert_eq!(squares[0], -1.5);
/// assert!((squares[1] + 1.5 * (-0.5_f64).exp()).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a kernel of the Euclidean distance",
    note = "`Rbf`, `Exponential`, `Matern32`, `Matern52`, `Matern`, `RationalQuadratic`, their sums and multiples are; of a kernel of your own, implement `RadialProfile`"
)]
pub trait RadialProfile<T: Scalar>: Kernel<Samples<T>> {
    /// d² ← φ′(d²) for each squared distance; 0 where φ is not differentiable, which can happen at
    /// d² = 0: there the gradient of K(·, y) at y is the mean of those around it.
    ///
    /// # Numerics
    /// Relative error of a few ulp, where the parameters and the derivative are normal numbers of
    /// the type.
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>);
}

/// v ← c·v.
fn scale<T: Scalar>(v: &mut [T], c: f64) {
    let c = T::from_f64(c);
    v.iter_mut().for_each(|v| *v *= c);
}

/// φ = exp(−γd²).
impl<T: Scalar> RadialProfile<T> for Rbf {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        T::exp_scaled(squared_distances, T::from_f64(-self.gamma()));
        scale(squared_distances, -self.gamma());
    }
}

/// φ = exp(−γd): φ′ = −γ/(2d)·exp(−γd).
impl<T: Scalar> RadialProfile<T> for Exponential {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        let half = T::from_f64(-0.5 * self.gamma());
        with_copy(squared_distances, scratch, |values, distances| {
            T::sqrt_scaled(distances, T::ONE);
            values.copy_from_slice(distances);
            T::exp_scaled(values, T::from_f64(-self.gamma()));
            for (value, &distance) in values.iter_mut().zip(&*distances) {
                *value = if distance > T::ZERO { half * *value / distance } else { T::ZERO };
            }
        });
    }
}

/// φ = (1 + z)·exp(−z), z = √3·d/ℓ: φ′ = −3/(2ℓ²)·exp(−z).
impl<T: Scalar> RadialProfile<T> for Matern32 {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        let rate = 3.0_f64.sqrt() / self.length_scale();
        T::sqrt_scaled(squared_distances, T::from_f64(rate));
        T::exp_scaled(squared_distances, -T::ONE);
        scale(squared_distances, -0.5 * rate * rate);
    }
}

/// φ = (1 + z + z²/3)·exp(−z), z = √5·d/ℓ: φ′ = −5/(6ℓ²)·(1 + z)·exp(−z).
impl<T: Scalar> RadialProfile<T> for Matern52 {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        let rate = 5.0_f64.sqrt() / self.length_scale();
        with_copy(squared_distances, scratch, |values, arguments| {
            T::sqrt_scaled(arguments, T::from_f64(rate));
            values.copy_from_slice(arguments);
            T::exp_scaled(values, -T::ONE);
            for (value, &z) in values.iter_mut().zip(&*arguments) {
                // z may be infinite where exp(−z) is 0.
                *value = if *value > T::ZERO { (T::ONE + z) * *value } else { T::ZERO };
            }
        });
        scale(squared_distances, -rate * rate / 6.0);
    }
}

/// φ′ = −D/(2d²), D = ∂φ/∂ln ℓ.
impl<T: Scalar> RadialProfile<T> for Matern {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        Matern::slopes(self, squared_distances);
    }
}

/// φ = (1 + s)^−α, s = d²/(2αℓ²): φ′ = −1/(2ℓ²)·(1 + s)^(−α−1).
impl<T: Scalar> RadialProfile<T> for RationalQuadratic {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        let rate = 0.5 / self.length_scale() / self.length_scale();
        T::ln_1p_scaled(squared_distances, T::from_f64(rate / self.alpha()));
        T::exp_scaled(squared_distances, T::from_f64(-self.alpha() - 1.0));
        scale(squared_distances, -rate);
    }
}

impl<T: Scalar, K> RadialProfile<T> for Scaled<K>
where
    K: RadialProfile<T>,
    Self: Kernel<Samples<T>>,
{
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        self.kernel().slopes(squared_distances, scratch);
        scale(squared_distances, self.weight());
    }
}

impl<T: Scalar, A, B> RadialProfile<T> for Sum<A, B>
where
    A: RadialProfile<T>,
    B: RadialProfile<T>,
    Self: Kernel<Samples<T>>,
{
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        let mut others = scratch.take(squared_distances.len());
        others.copy_from_slice(squared_distances);
        self.left().slopes(squared_distances, scratch);
        self.right().slopes(&mut others, scratch);
        squared_distances.iter_mut().zip(&others).for_each(|(sum, &other)| *sum += other);
        scratch.give(others);
    }
}

impl<T: Scalar, K: RadialProfile<T> + ?Sized> RadialProfile<T> for &K {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        (**self).slopes(squared_distances, scratch);
    }
}

impl<T: Scalar, K: RadialProfile<T> + ?Sized> RadialProfile<T> for Box<K> {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        (**self).slopes(squared_distances, scratch);
    }
}

/// Lends the values and a copy of them to `f`.
fn with_copy<T: Scalar>(
    values: &mut [T],
    scratch: &mut Scratch<T>,
    f: impl FnOnce(&mut [T], &mut [T]),
) {
    let mut copy = scratch.take(values.len());
    copy.copy_from_slice(values);
    f(values, &mut copy);
    scratch.give(copy);
}
