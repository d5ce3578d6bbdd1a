//! Kernels from formulas.

use super::family::{Family, Kind, Parameter, Value};
use super::{KernelSpec, Node};
use crate::closure::{AssumeMercer, Exp, Normalized, Power, Product, Scaled, Sum};
use crate::kernels::{
    ArdRbf, BagOfWords, Cauchy, ChiSquared, Cosine, Delta, ExpChiSquared, Exponential, Hamming,
    HammingRbf, Hellinger, Intersection, Laplacian, Linear, Matern32, Matern52,
    NormalizedBagOfWords, Polynomial, RationalQuadratic, Rbf, Sigmoid, Spectrum, Subsequence,
    WeightedDegree, WordCount,
};
use crate::{Error, Kernel, Mercer, Points, Samples, Scalar, SparseSamples};

/// Points on which formulas can be built: [`Samples`], [`SparseSamples`] and `Vec<String>`. Sealed.
pub trait SpecPoints: Points + Sized + sealed::Base {}
impl<P: Points + sealed::Base> SpecPoints for P {}

mod sealed {
    use super::{Built, Error, Family, Value};
    use crate::Points;

    /// The kernels of all families on one kind of points.
    pub trait Base: Points + Sized {
        #[doc(hidden)]
        fn base(family: &Family, values: &[Value]) -> Result<Built<Self>, Error>;
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

/// The kernel of a family on dense or sparse vectors: the one list of constructors.
macro_rules! vector_kernel {
    ($family:expr, $values:expr) => {{
        if let ("ard_rbf", [Value::List(gamma)]) = ($family.name, $values) {
            return Ok(Built::Mercer(Box::new(ArdRbf::new(gamma)?)));
        }
        let kernel: Box<dyn Mercer<Self>> =
            match ($family.name, numbers($family, $values)?.as_slice()) {
                ("linear", []) => Box::new(Linear),
                ("poly", &[degree, gamma, coef0]) => {
                    Box::new(Polynomial::new(gamma, coef0, whole("degree", degree)?)?)
                }
                ("rbf", &[gamma]) => Box::new(Rbf::new(gamma)?),
                ("laplacian", &[gamma]) => Box::new(Laplacian::new(gamma)?),
                ("exponential", &[gamma]) => Box::new(Exponential::new(gamma)?),
                ("matern32", &[length_scale]) => Box::new(Matern32::new(length_scale)?),
                ("matern52", &[length_scale]) => Box::new(Matern52::new(length_scale)?),
                ("rational_quadratic", &[alpha, length_scale]) => {
                    Box::new(RationalQuadratic::new(alpha, length_scale)?)
                }
                ("cauchy", &[gamma]) => Box::new(Cauchy::new(gamma)?),
                ("ard_rbf", &[gamma]) => Box::new(ArdRbf::new(&[gamma])?),
                ("cosine", []) => Box::new(Cosine),
                ("chi2", []) => Box::new(ChiSquared),
                ("exp_chi2", &[gamma]) => Box::new(ExpChiSquared::new(gamma)?),
                ("intersection", []) => Box::new(Intersection),
                ("hellinger", []) => Box::new(Hellinger),
                ("delta", []) => Box::new(Delta),
                ("sigmoid", &[gamma, coef0]) => {
                    return Ok(Built::Plain(Box::new(Sigmoid::new(gamma, coef0)?)));
                }
                _ => return Err(Error::OtherPoints { family: $family.name }),
            };
        Ok(Built::Mercer(kernel))
    }};
}

impl KernelSpec {
    /// The kernel of this formula.
    ///
    /// # Errors
    /// [`Error::OtherPoints`] if a family is for other points than these.
    pub fn build<P: SpecPoints + 'static>(&self) -> Result<Box<dyn Kernel<P>>, Error> {
        plain(&self.node)
    }

    /// The kernel of this formula, for solvers that need a Mercer kernel.
    ///
    /// # Errors
    /// [`Error::NotMercer`] if a part is not, and is not inside `assume_mercer(…)`;
    /// [`Error::OtherPoints`] if a family is for other points than these.
    pub fn build_mercer<P: SpecPoints + 'static>(&self) -> Result<Box<dyn Mercer<P>>, Error> {
        mercer(&self.node)
    }
}

fn plain<P: SpecPoints + 'static>(node: &Node) -> Result<Box<dyn Kernel<P>>, Error> {
    Ok(match node {
        Node::Base(family, values) => match P::base(family, values)? {
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
        Node::Base(family, values) => match P::base(family, values)? {
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
pub(super) fn check(family: &Family, values: &[Value]) -> Result<(), Error> {
    match family.points {
        Kind::Vectors => <Samples<f64> as sealed::Base>::base(family, values).map(|_| ()),
        Kind::Text => <Vec<String> as sealed::Base>::base(family, values).map(|_| ()),
    }
}

impl<T: Scalar> sealed::Base for Samples<T> {
    fn base(family: &Family, values: &[Value]) -> Result<Built<Self>, Error> {
        vector_kernel!(family, values)
    }
}

impl<T: Scalar> sealed::Base for SparseSamples<T> {
    fn base(family: &Family, values: &[Value]) -> Result<Built<Self>, Error> {
        vector_kernel!(family, values)
    }
}

impl sealed::Base for Vec<String> {
    fn base(family: &Family, values: &[Value]) -> Result<Built<Self>, Error> {
        let kernel: Box<dyn Mercer<Self>> = match (family.name, numbers(family, values)?.as_slice())
        {
            ("spectrum", &[k]) => Box::new(Spectrum::new(count("k", k)?)?),
            ("blended_spectrum", &[k]) => Box::new(Spectrum::blended(count("k", k)?)?),
            ("subsequence", &[p, lambda]) => Box::new(Subsequence::new(count("p", p)?, lambda)?),
            ("subsequence_by_gaps", &[p, lambda]) => {
                Box::new(Subsequence::by_gaps(count("p", p)?, lambda)?)
            }
            ("hamming", []) => Box::new(Hamming),
            ("hamming_rbf", &[gamma]) => Box::new(HammingRbf::new(gamma)?),
            ("weighted_degree", &[d]) => Box::new(WeightedDegree::new(count("d", d)?)?),
            ("bag_of_words", []) => Box::new(BagOfWords),
            ("normalized_bag_of_words", []) => Box::new(NormalizedBagOfWords),
            ("word_count", []) => Box::new(WordCount),
            ("delta", []) => Box::new(Delta),
            _ => return Err(Error::OtherPoints { family: family.name }),
        };
        Ok(Built::Mercer(kernel))
    }
}

/// The values of a family that has numbers only.
fn numbers(family: &Family, values: &[Value]) -> Result<Vec<f64>, Error> {
    let number = |(value, parameter): (&Value, &Parameter)| match value {
        Value::Number(number) => Ok(*number),
        Value::List(list) => {
            Err(Error::Dimension { what: parameter.name, expected: 1, given: list.len() })
        }
    };
    values.iter().zip(family.parameters).map(number).collect()
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

fn count(name: &'static str, given: f64) -> Result<usize, Error> {
    Ok(whole(name, given)? as usize)
}
