//! Kernels from formulas.

use super::family::Family;
use super::{KernelSpec, Node};
use crate::closure::{AssumeMercer, Exp, Normalized, Power, Product, Scaled, Sum};
use crate::kernels::{Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use crate::{Error, Kernel, Mercer, Points, Samples, Scalar};

/// Points on which formulas can be built: dense and sparse vectors. Sealed.
pub trait SpecPoints: Points + Sized + sealed::Base {}
impl<P: Points + sealed::Base> SpecPoints for P {}

mod sealed {
    use super::{Built, Error};
    use crate::Points;

    /// The kernels of all families on one kind of points.
    pub trait Base: Points + Sized {
        #[doc(hidden)]
        fn base(name: &str, values: &[f64]) -> Result<Built<Self>, Error>;
    }
}

/// A boxed kernel, with the mark if it has it.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "never leaves the crate")]
pub enum Built<P: Points> {
    /// Known to be Mercer.
    Mercer(Box<dyn Mercer<P>>),
    /// Not known to be.
    Plain(Box<dyn Kernel<P>>),
}

impl KernelSpec {
    /// The kernel of this formula.
    ///
    /// # Errors
    /// None for a formula that was read; the signature leaves room for families on other points.
    pub fn build<P: SpecPoints + 'static>(&self) -> Result<Box<dyn Kernel<P>>, Error> {
        plain(&self.node)
    }

    /// The kernel of this formula, for solvers that need a Mercer kernel.
    ///
    /// # Errors
    /// [`Error::NotMercer`] if a part is not, and is not inside `assume_mercer(…)`.
    pub fn build_mercer<P: SpecPoints + 'static>(&self) -> Result<Box<dyn Mercer<P>>, Error> {
        mercer(&self.node)
    }
}

fn plain<P: SpecPoints + 'static>(node: &Node) -> Result<Box<dyn Kernel<P>>, Error> {
    Ok(match node {
        Node::Base(family, values) => match P::base(family.name, values)? {
            Built::Mercer(kernel) => Box::new(kernel),
            Built::Plain(kernel) => kernel,
        },
        Node::Scaled(weight, kernel) => Box::new(Scaled::new(*weight, plain(kernel)?)?),
        Node::Sum(parts) => fold(parts, plain, |a, b| Box::new(Sum::new(a, b)))?,
        Node::Product(parts) => fold(parts, plain, |a, b| Box::new(Product::new(a, b)))?,
        Node::Power(kernel, exponent) => Box::new(Power::new(plain(kernel)?, *exponent)),
        Node::Exp(kernel) => Box::new(Exp::new(plain(kernel)?)),
        Node::Normalized(kernel) => Box::new(Normalized::new(plain(kernel)?)),
        Node::AssumeMercer(kernel) => plain(kernel)?,
    })
}

fn mercer<P: SpecPoints + 'static>(node: &Node) -> Result<Box<dyn Mercer<P>>, Error> {
    Ok(match node {
        Node::Base(family, values) => match P::base(family.name, values)? {
            Built::Mercer(kernel) => kernel,
            Built::Plain(_) => return Err(Error::NotMercer { family: family.name }),
        },
        Node::Scaled(weight, kernel) => Box::new(Scaled::new(*weight, mercer(kernel)?)?),
        Node::Sum(parts) => fold(parts, mercer, |a, b| Box::new(Sum::new(a, b)))?,
        Node::Product(parts) => fold(parts, mercer, |a, b| Box::new(Product::new(a, b)))?,
        Node::Power(kernel, exponent) => Box::new(Power::new(mercer(kernel)?, *exponent)),
        Node::Exp(kernel) => Box::new(Exp::new(mercer(kernel)?)),
        Node::Normalized(kernel) => Box::new(Normalized::new(mercer(kernel)?)),
        Node::AssumeMercer(kernel) => Box::new(AssumeMercer(plain(kernel)?)),
    })
}

/// Combines two or more parts from left to right.
fn fold<K>(
    parts: &[Node],
    build: impl Fn(&Node) -> Result<K, Error>,
    combine: impl Fn(K, K) -> K,
) -> Result<K, Error> {
    let mut kernels = parts.iter().map(build);
    let first = kernels.next().unwrap_or(Err(Error::Syntax { position: 0 }))?;
    kernels.try_fold(first, |sum, next| Ok(combine(sum, next?)))
}

/// Whether the values lie in the domain of the family.
pub(super) fn check(family: &Family, values: &[f64]) -> Result<(), Error> {
    <Samples<f64> as sealed::Base>::base(family.name, values).map(|_| ())
}

impl<T: Scalar> sealed::Base for Samples<T> {
    fn base(name: &str, values: &[f64]) -> Result<Built<Self>, Error> {
        vector_kernel(name, values)
    }
}

/// A kernel on vectors by its family's name and values. The one list of constructors.
fn vector_kernel<P>(name: &str, values: &[f64]) -> Result<Built<P>, Error>
where
    P: Points,
    Linear: Mercer<P>,
    Polynomial: Mercer<P>,
    Sigmoid: Kernel<P>,
    Rbf: Mercer<P>,
    Laplacian: Mercer<P>,
{
    let mercer: Box<dyn Mercer<P>> = match (name, values) {
        ("linear", []) => Box::new(Linear),
        ("poly", &[degree, gamma, coef0]) => {
            Box::new(Polynomial::new(gamma, coef0, whole("degree", degree)?)?)
        }
        ("sigmoid", &[gamma, coef0]) => {
            return Ok(Built::Plain(Box::new(Sigmoid::new(gamma, coef0)?)));
        }
        ("rbf", &[gamma]) => Box::new(Rbf::new(gamma)?),
        ("laplacian", &[gamma]) => Box::new(Laplacian::new(gamma)?),
        _ => {
            let given = name.to_string();
            return Err(Error::UnknownName {
                what: "kernel on these points",
                given,
                known: vec![],
            });
        }
    };
    Ok(Built::Mercer(mercer))
}

/// A whole number in the range of u32.
fn whole(name: &'static str, given: f64) -> Result<u32, Error> {
    let valid = given >= 0.0 && given <= f64::from(u32::MAX) && given.fract().abs() <= 0.0;
    if valid {
        Ok(given as u32)
    } else {
        Err(Error::Parameter { name, given, allowed: "a whole number >= 0" })
    }
}
