//! Functions with one instance for each scalar type.

use super::Scalar;

/// A function that is generic in the scalar type alone, by its two instances.
///
/// rustc compiles an instance of a generic function in every crate that calls it, so that a generic solver would be emitted
/// again in each library above it and in each user's program. [`compiled_once`](crate::compiled_once) makes a function's
/// body an implementation of this trait: both instances are compiled in the crate of the function, and callers link to them.
///
/// # Examples
/// ```
/// use kern_core::{Scalar, compiled_once};
///
/// /// The sum of squares.
/// #[compiled_once]
/// pub fn sum_of_squares<T: Scalar>(values: &[T]) -> T {
///     values.iter().map(|&v| v * v).sum()
/// }
///
/// assert_eq!(sum_of_squares(&[1.0_f32, 2.0]), 5.0);
/// assert_eq!(sum_of_squares(&[3.0_f64]), 9.0);
/// ```
pub trait Once {
    /// The arguments, as a tuple.
    type Args<'a, 'b: 'a, T: Scalar>;
    /// The result.
    type Output<'a, 'b: 'a, T: Scalar>;

    /// The instance for `f32`.
    fn single<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f32>) -> Self::Output<'a, 'b, f32>;
    /// The instance for `f64`.
    fn double<'a, 'b: 'a>(arguments: Self::Args<'a, 'b, f64>) -> Self::Output<'a, 'b, f64>;
}
