//! The parameters that are numbers with a logarithm.

use crate::Error;
use crate::parameters::{Domain, Parameter, Parameters, Setting};

/// A hyper-parameter, or one number of a list, that is at least 0 and may be moved.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeParameter {
    /// `gamma`; of a list `gamma[2]`.
    pub name: String,
    /// The value; one that is 0 stays 0, for its logarithm has no derivative.
    pub value: f64,
    /// The greatest value that it may have.
    pub greatest: f64,
}

/// The numbers of a parameter that are free.
fn numbers(parameter: &Parameter) -> &[f64] {
    match (&parameter.value, parameter.domain) {
        // A bound other than these is that of a number whose derivatives are not known, such as a Matérn kernel's ν.
        (Setting::Real(value), Domain::Real { least: 0.0.., greatest: 1.0 | f64::MAX, .. }) => {
            std::slice::from_ref(value)
        }
        (Setting::List(values), Domain::List) => values,
        _ => &[],
    }
}

/// The free parameters, in the order of [`Parameters::parameters`]: numbers whose domain has no negative ones and ends at 1 or
/// nowhere, and lists of them; no counts, names and flags.
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

/// [`free_parameters`] of something that has these parameters.
fn free_among(parameters: &[Parameter]) -> Vec<FreeParameter> {
    let named = |parameter: &Parameter| {
        let single = matches!(parameter.value, Setting::Real(_));
        let greatest = match parameter.domain {
            Domain::Real { greatest, .. } => greatest,
            _ => f64::MAX,
        };
        let number = |(k, &value): (usize, &f64)| {
            let name = match single {
                true => parameter.name.to_string(),
                false => format!("{}[{k}]", parameter.name),
            };
            FreeParameter { name, value, greatest }
        };
        numbers(parameter).iter().enumerate().map(number).collect::<Vec<_>>()
    };
    parameters.iter().flat_map(named).collect()
}

/// The number of free parameters.
pub(super) fn count(of: &(impl Parameters + ?Sized)) -> usize {
    of.parameters().iter().map(|parameter| numbers(parameter).len()).sum()
}

/// Gives the free parameters these values, in their order. If one cannot have its value, those before it have theirs.
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
    if values.len() != expected {
        return Err(Error::Dimension { what: "free parameters", expected, given: values.len() });
    }
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
