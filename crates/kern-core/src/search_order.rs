//! The order of kernel values without the values: what a kernel may offer to searches.

use crate::{Order, Points, SinglePrecision};

/// A kernel whose values can be ordered at less than the cost of the values, which makes searches
/// for the largest values or the nearest points fast.
///
/// Returned by [`Kernel::search_order`](crate::Kernel::search_order). Both methods are optional,
/// and neither changes the result of a search: the points found are those that kernel values
/// determine.
///
/// # Examples
/// A kernel that has the order of another, of which it is an increasing function:
/// ```
/// use kern_core::{Kernel, Samples, SearchOrder, SinglePrecision, kernels::Rbf};
///
/// /// exp(−½‖x − y‖²)³.
/// struct Cubed(Rbf);
///
/// impl Kernel<Samples<f64>> for Cubed {
///     fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
///         Kernel::<Samples<f64>>::eval(&self.0, x, y).powi(3)
///     }
///     fn search_order(&self) -> Option<&dyn SearchOrder<Samples<f64>>> {
///         Some(self)
///     }
/// }
/// impl SearchOrder<Samples<f64>> for Cubed {
///     fn single_precision<'a>(&self, points: &'a Samples<f64>) -> Option<SinglePrecision<'a>> {
///         self.0.single_precision(points)
///     }
/// }
///
/// let x = Samples::from_row_major(1, vec![0.0, 0.5, 2.0])?;
/// let kernel = Cubed(Rbf::new(0.5)?);
/// kern_core::contract::verify(&kernel, &x)?;
/// let search = kernel.search_order().ok_or("it has one")?;
/// assert!(search.single_precision(&x).is_some());
/// assert!(search.order(&x, &x).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SearchOrder<P: Points + ?Sized>: Send + Sync {
    /// The ordering of the values between two collections, if it is cheaper than the values, such
    /// as an ordering by distances without their exponential. Default: none.
    ///
    /// [`contract::verify`](crate::contract::verify) checks an override.
    fn order<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Order<P::Scalar> + 'a>> {
        let _ = (a, b);
        None
    }

    /// The points in single precision, if the kernel values are ordered as their inner products or
    /// distances: searches use these first. Default: none.
    ///
    /// [`contract::verify`](crate::contract::verify) checks an override.
    fn single_precision<'a>(&self, points: &'a P) -> Option<SinglePrecision<'a>> {
        let _ = points;
        None
    }
}
