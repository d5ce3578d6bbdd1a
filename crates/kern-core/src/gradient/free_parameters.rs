//! Free parameters: the hyper-parameters that gradients are taken with respect to, by their
//! logarithms.

use crate::Error;
use crate::parameters::{Domain, Parameter, Parameters, Setting};

/// A non-negative hyper-parameter that can be optimised, or one entry of a list of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FreeParameter {
    /// The name: `gamma`, or `gamma[2]` for an entry of a list.
    pub name: String,
    /// The value. A value of 0 stays 0, since its logarithm has no derivative.
    pub value: f64,
    /// The largest allowed value.
    pub largest: f64,
}

/// The free values of a parameter.
fn numbers(parameter: &Parameter) -> &[f64] {
    match (&parameter.value, parameter.domain) {
        // Other bounds mark parameters without known derivatives, such as a Matérn kernel's ν.
        (Setting::Real(value), Domain::Real { smallest: 0.0.., largest: 1.0 | f64::MAX, .. }) => {
            std::slice::from_ref(value)
        }
        (Setting::List(values), Domain::List) => values,
        _ => &[],
    }
}

/// The free parameters, in the order of [`Parameters::parameters`]: real parameters whose domain
/// starts at 0 or above and ends at 1 or is unbounded, and lists of them. Counts, names and flags
/// are not free.
///
/// # Examples
/// ```
/// use kern_core::gradient::free_parameters;
/// use kern_core::kernels::{ArdRbf, Polynomial};
/// let kernel = ArdRbf::new(&[0.5, 2.0])? + Polynomial::new(1.0, 0.0, 2)?;
/// let free = free_parameters(&kernel);
/// let names: Vec<&str> = free.iter().map(|p| p.name.as_str()).collect();
/// assert_eq!(names, ["1.gamma[0]", "1.gamma[1]", "2.gamma", "2.coef0"]);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn free_parameters(of: &(impl Parameters + ?Sized)) -> Vec<FreeParameter> {
    free_among(&of.parameters())
}

/// [`free_parameters`] of a list of parameters.
fn free_among(parameters: &[Parameter]) -> Vec<FreeParameter> {
    let named = |parameter: &Parameter| {
        let single = matches!(parameter.value, Setting::Real(_));
        let largest = match parameter.domain {
            Domain::Real { largest, .. } => largest,
            _ => f64::MAX,
        };
        let number = |(k, &value): (usize, &f64)| {
            let name = match single {
                true => parameter.name.to_string(),
                false => format!("{}[{k}]", parameter.name),
            };
            FreeParameter { name, value, largest }
        };
        numbers(parameter).iter().enumerate().map(number).collect::<Vec<_>>()
    };
    parameters.iter().flat_map(named).collect()
}

/// The number of free parameters.
pub(super) fn count(of: &(impl Parameters + ?Sized)) -> usize {
    of.parameters().iter().map(|parameter| numbers(parameter).len()).sum()
}

/// Sets the free parameters, in their order. If a value is refused, those before it are already
/// set.
///
/// # Errors
/// [`Error::Dimension`] for another number of values; [`Error::Setting`] for a value that is not allowed.
///
/// # Examples
/// ```
/// use kern_core::gradient::set_free_parameters;
/// use kern_core::kernels::Rbf;
/// let mut kernel = 3.0 * Rbf::new(0.5)?;
/// set_free_parameters(&mut kernel, &[2.0, 0.25])?;
/// assert_eq!(kernel, 2.0 * Rbf::new(0.25)?);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn set_free_parameters(
    of: &mut (impl Parameters + ?Sized),
    values: &[f64],
) -> Result<(), Error> {
    let parameters = of.parameters();
    for (parameter, setting) in settings(&parameters, values)? {
        of.set_parameter(&parameter.name, &setting)?;
    }
    Ok(())
}

/// The free parameters with their new settings.
fn settings<'a>(
    parameters: &'a [Parameter],
    values: &[f64],
) -> Result<Vec<(&'a Parameter, Setting)>, Error> {
    let expected = parameters.iter().map(|parameter| numbers(parameter).len()).sum();
    Error::check_dimension("free parameters", expected, values.len())?;
    let mut rest = values;
    let setting = |parameter: &'a Parameter| {
        let (own, others) = rest.split_at(numbers(parameter).len());
        rest = others;
        let setting = match (&parameter.value, own) {
            (_, []) => return None,
            (Setting::List(_), own) => own.to_vec().into(),
            (_, [own, ..]) => (*own).into(),
        };
        Some((parameter, setting))
    };
    Ok(parameters.iter().filter_map(setting).collect())
}
