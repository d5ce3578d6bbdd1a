//! Fits of principal components: the same in every space.

use super::params::Settings;
use super::{Components, KernelPca};
use crate::estimator::check;
use crate::model::Decision;
use crate::space::Space;
use crate::{Data, Error, Learner, Run, Targets, Transformer};
use faer::MatRef;
use kern_core::{Points, Samples};

/// A space in which principal components are found. Sealed: its methods take types that cannot be named outside.
pub trait ComponentSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<Self::Function>, Error>;

    /// The coefficients that the function has for the points of the fit, if it has: with weights 1 they are z_p(xᵢ)/λ_p.
    #[doc(hidden)]
    #[must_use]
    fn coefficients(_: &Self::Function) -> Option<MatRef<'_, P::Scalar>> {
        None
    }
}

/// Weighted points, and how many components are looked for.
#[derive(Debug)]
pub struct Task<'t, P> {
    pub(super) settings: &'t Settings,
    pub(super) points: &'t P,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// Targets are not looked at.
///
/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, points that the kernel or the map refuses, or a kernel matrix with
/// negative eigenvalues that rounding does not explain;
/// [`Error::Count`] for more components than points or features; [`Error::Empty`]; [`Error::Gram`] beyond the memory of the run or for
/// values that are not finite; [`Error::Unsupported`] for points of which all have the same image; [`Error::NoEigenvalues`].
impl<P: Points, Y: Targets, S: ComponentSpace<P>> Learner<P, Y> for KernelPca<S> {
    type Model = Components<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (settings, weights) = (&self.settings, data.sample_weights());
        let model =
            self.space.components(&Task { settings, points: data.points(), weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}

impl<S> KernelPca<S> {
    /// The model of points, and their components.
    ///
    /// # Errors
    /// As [`learn`](Learner::learn).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Points, Samples, kernels::Rbf};
    /// use kern_solvers::{Transformer, components::KernelPca};
    /// let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [4.0]])?;
    /// let (model, z) = KernelPca::on_kernel(Rbf::new(0.5)?, 2).fit_transform(&x)?;
    /// let again = model.transform(&x)?;
    /// assert!((0..4).all(|i| (0..2).all(|p| f64::abs(z.item(i)[p] - again.item(i)[p]) < 1e-12)));
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn fit_transform<P>(&self, points: &P) -> Result<Fitted<P, S>, Error>
    where
        P: Points,
        S: ComponentSpace<P, Function: Decision<P>>,
    {
        self.learn_transform(&Data::unlabelled(points)?, &mut Run::new())
    }

    /// The model of data, and the components of its points: on a kernel, if they have no weights, from the eigenvectors and
    /// without a kernel value more. They are those of [`transform`](Transformer::transform), up to the residuals divided by √λ_p.
    ///
    /// # Errors
    /// As [`learn`](Learner::learn).
    pub fn learn_transform<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Fitted<P, S>, Error>
    where
        P: Points,
        Y: Targets,
        S: ComponentSpace<P, Function: Decision<P>>,
    {
        let model = self.learn(data, run)?;
        let needed = Transformer::<P>::bytes(&model, data.points());
        run.budget().require("components of the points", needed, "take fewer points")?;
        let known = S::coefficients(model.decision()).filter(|_| data.sample_weights().is_none());
        let components = match known {
            Some(coefficients) => model.of_fit(coefficients)?,
            None => model.transform(data.points())?,
        };
        Ok((model, components))
    }
}

/// A model, and the components of the points that it is of.
pub type Fitted<P, S> = (Components<<S as Space<P>>::Function>, Samples<<P as Points>::Scalar>);

/// The number of eigenvalues that are more than rounding.
///
/// # Errors
/// [`Error::Unsupported`] if none is.
pub(super) fn significant(values: &[f64], rounding: f64) -> Result<usize, Error> {
    let count = values.iter().take_while(|&&v| v > 0.0 && v > rounding).count();
    match count {
        0 => Err(Error::Unsupported {
            what: "principal components of points that all have the same image",
            instead: "give points that differ",
        }),
        count => Ok(count),
    }
}
