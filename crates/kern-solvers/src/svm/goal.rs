//! The goal of a machine: classes, values or a region, and the formulation of its problem.

use super::balance::balance;
use super::dual::{Coupling, Dual, Reading, whole};
use crate::{ClassWeights, Error, MultiClass};
use faer::MatRef;
use kern_core::parameters::{Domain, Scale};
use kern_core::{Decay, NonNegative, Positive, Scalar, fields, named_values};
use serde::{Deserialize, Serialize};

/// The trade-off of classification.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Formulation {
    /// A finite penalty.
    C(f64),
    /// An infinite one, which not all file formats have a number for.
    Hard,
    /// A share of support vectors.
    Nu(f64),
}

impl Formulation {
    pub(super) fn of(c: f64) -> Self {
        if c.is_infinite() && c > 0.0 { Self::Hard } else { Self::C(c) }
    }

    /// C; 1 for ν, as in LIBSVM.
    pub(super) fn penalty(self) -> f64 {
        match self {
            Self::C(c) => c,
            Self::Hard => f64::INFINITY,
            Self::Nu(_) => 1.0,
        }
    }

    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Self::C(c) => Positive::new("c", c).map(|_| ())?,
            Self::Hard => (),
            Self::Nu(nu) => Decay::new("nu", nu).map(|_| ())?,
        }
        Ok(())
    }
}

/// The penalties: infinite ones have no number.
const PENALTIES: Domain = Domain::NameOr(&["infinite"], const { &Domain::positive() });

named_values!(@value Formulation { "infinite" => Hard, "nu" => Nu(0.5) } or C(f64) in Domain::positive());
fields!(Formulation {
    Self::Nu(nu) => { "nu": nu in Domain::fraction() }
    penalty => { "c": penalty in PENALTIES }
});

/// The tube of regression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Tube {
    /// Of this half-width.
    Epsilon(f64),
    /// As wide as leaves this share of support vectors.
    Nu(f64),
    /// None: residuals above zero cost this share of their size, those below the rest.
    Quantile(f64),
}

/// The levels of quantiles: 0 and 1 are those of infinity.
const LEVELS: Domain =
    Domain::Real { least: 0.0, greatest: 1.0_f64.next_down(), open: true, scale: Scale::Linear };

impl Tube {
    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Self::Epsilon(epsilon) => NonNegative::new("epsilon", epsilon).map(|_| ())?,
            Self::Nu(nu) => Decay::new("nu", nu).map(|_| ())?,
            Self::Quantile(level) => LEVELS.accept("quantile", &level.into()).map(|_| ())?,
        }
        Ok(())
    }

    /// The bounds l ≤ 0 ≤ u of a coefficient whose point costs `c` per unit of its residual.
    fn bounds(self, c: f64) -> (f64, f64) {
        match self {
            Self::Quantile(level) => ((level - 1.0) * c, level * c),
            _ => (-c, c),
        }
    }
}

fields!(Tube {
    Self::Epsilon(width) => { "epsilon": width in Domain::non_negative() }
    Self::Nu(nu) => { "nu": nu in Domain::fraction() }
    Self::Quantile(level) => { "quantile": level in LEVELS }
});

/// The goal of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal<'t, T> {
    /// Classes, each point's by its number.
    Classes {
        labels: &'t [usize],
        classes: usize,
        multi_class: MultiClass,
        formulation: Formulation,
    },
    /// Values, points × outputs.
    Values { targets: MatRef<'t, T>, c: f64, tube: Tube },
    /// The region of most points.
    Region { nu: f64 },
    /// The smallest ball around most points.
    Ball { nu: f64 },
}

impl<T: Scalar> Goal<'_, T> {
    /// True if a share ν of support vectors of several groups is asked for.
    fn has_nu(&self) -> bool {
        matches!(self, Self::Classes { formulation: Formulation::Nu(_), .. })
            || matches!(self, Self::Values { tube: Tube::Nu(_), .. })
    }

    /// The same goal with another C.
    pub(super) fn with_penalty(self, c: f64) -> Self {
        match self {
            Self::Classes { labels, classes, multi_class, .. } => {
                let formulation = Formulation::of(c);
                Self::Classes { labels, classes, multi_class, formulation }
            }
            Self::Values { targets, tube, .. } => Self::Values { targets, c, tube },
            Self::Region { .. } | Self::Ball { .. } => self,
        }
    }

    /// Refuses what no machine has.
    pub(super) fn check(&self, intercept: bool) -> Result<(), Error> {
        if self.has_nu() && !intercept {
            let (what, instead) = ("nu without an intercept", "use c, or epsilon, or an intercept");
            return Err(Error::Unsupported { what, instead });
        }
        match *self {
            Self::Classes { formulation, multi_class, .. } => {
                if multi_class == MultiClass::Softmax {
                    let what = "a support vector machine with softmax";
                    let instead = "use MultiClass::OneVsOne or MultiClass::OneVsRest";
                    return Err(Error::Unsupported { what, instead });
                }
                formulation.check()
            }
            Self::Values { c, tube, .. } => {
                Positive::new("c", c)?;
                tube.check()
            }
            Self::Region { nu } | Self::Ball { nu } => Ok(Decay::new("nu", nu).map(|_| ())?),
        }
    }

    /// The same goal with another level of its quantile; `self` if it has none.
    pub(super) fn with_level(self, level: f64) -> Self {
        match self {
            Self::Values { targets, c, tube: Tube::Quantile(_) } => {
                Self::Values { targets, c, tube: Tube::Quantile(level) }
            }
            other => other,
        }
    }

    /// Refuses what the descent on features has not.
    pub(super) fn check_features(&self, squared: bool) -> Result<(), Error> {
        if squared && matches!(self, Self::Values { tube: Tube::Quantile(_), .. }) {
            let what = "the squared loss of a quantile";
            return Err(Error::Unsupported { what, instead: "do not use squared" });
        }
        if self.has_nu() {
            let instead = "use c, or epsilon, or a machine on a kernel";
            return Err(Error::Unsupported { what: "nu on features", instead });
        }
        if let Self::Classes { formulation, .. } = self {
            Positive::new("c", formulation.penalty())?;
        }
        Ok(())
    }
}

/// Refuses weights of classes where ν is the share of each.
pub(super) fn check_weights(formulation: Formulation, weights: &ClassWeights) -> Result<(), Error> {
    match (formulation, weights) {
        (Formulation::Nu(_), ClassWeights::Balanced | ClassWeights::Each(_)) => {
            let what = "nu, which fixes the sum of each class, with weights of classes";
            Err(Error::Unsupported { what, instead: "use c" })
        }
        _ => Ok(()),
    }
}

/// C times the weight of a point.
pub(super) fn bound(c: f64, weight: f64) -> Result<f64, Error> {
    let given = c * weight;
    if given.is_infinite() && c.is_finite() {
        return Err(Error::Range { what: "C times the weight of a point", given });
    }
    Ok(given)
}

/// The sum of all bounds, of which a ν-machine takes a share.
fn total<'b>(bounds: impl IntoIterator<Item = &'b f64>) -> Result<f64, Error> {
    let given: f64 = bounds.into_iter().map(|bound| bound.abs()).sum();
    let what = "the sum of C times the weights of the points";
    if given.is_finite() { Ok(given) } else { Err(Error::Range { what, given }) }
}

/// The dual of regression on the rows of these values, which weigh as said.
pub(super) fn regression(
    values: Vec<f64>,
    weights: &[f64],
    (c, tube): (f64, Tube),
    intercept: bool,
) -> Result<Dual, Error> {
    let bounds = weights.iter().map(|&weight| bound(c, weight));
    let bounds = bounds.collect::<Result<Vec<f64>, Error>>()?;
    let n = values.len();
    let epsilon = match tube {
        Tube::Nu(nu) => {
            let share = nu * total(&bounds)?;
            return Ok(doubled(&values, &bounds, share));
        }
        Tube::Epsilon(epsilon) => epsilon,
        Tube::Quantile(_) => 0.0,
    };
    let (lower, upper) = bounds.into_iter().map(|c| tube.bounds(c)).unzip();
    Ok(Dual {
        segments: whole(n),
        linear: values,
        lower,
        upper,
        epsilon,
        coupling: if intercept { Coupling::Sum } else { Coupling::Free },
        reading: Reading::Plain,
        start: vec![0.0; n],
    })
}

/// Two variables per point, one of each sign; each sign has the sum ±νΣC/2.
fn doubled(values: &[f64], bounds: &[f64], share: f64) -> Dual {
    let n = values.len();
    let start = filled(bounds, 0.5 * share);
    let zeros = vec![0.0; n];
    let negative = |of: &[f64]| of.iter().map(|x| -x).collect::<Vec<f64>>();
    Dual {
        segments: vec![0..n, 0..n],
        linear: values.repeat(2),
        lower: [zeros.clone(), negative(bounds)].concat(),
        upper: [bounds.to_vec(), zeros].concat(),
        epsilon: 0.0,
        coupling: Coupling::Groups((0..2 * n).map(|v| v >= n).collect()),
        reading: Reading::Tube,
        start: [start.clone(), negative(&start)].concat(),
    }
}

/// The dual of the region of rows that weigh so much.
pub(super) fn region(weights: &[f64], nu: f64) -> Result<Dual, Error> {
    let n = weights.len();
    Ok(Dual {
        segments: whole(n),
        linear: vec![0.0; n],
        start: filled(weights, nu * total(weights)?),
        lower: vec![0.0; n],
        upper: weights.to_vec(),
        epsilon: 0.0,
        coupling: Coupling::Sum,
        reading: Reading::Plain,
    })
}

/// The dual of the ball around rows that weigh so much, but for its linear term; see [`Dual::enclose`]. No coefficient is
/// more than their sum, so a bound that is more is none: then the ball is hard.
pub(super) fn ball(weights: &[f64], nu: f64) -> Result<Dual, Error> {
    let share = nu * total(weights)?;
    let upper: Vec<f64> = weights.iter().map(|weight| (weight / share).min(1.0)).collect();
    Ok(Dual { start: filled(&upper, 1.0), upper, reading: Reading::Ball, ..region(weights, nu)? })
}

/// The first coefficients at their bounds, as many as sum to `left`.
fn filled(bounds: &[f64], mut left: f64) -> Vec<f64> {
    let fill = |&bound: &f64| {
        let part = left.min(bound);
        left -= part;
        part
    };
    bounds.iter().map(fill).collect()
}

/// Makes the dual of ν of that of C = 1: no linear term, and a sum for each class.
pub(super) fn restrict(dual: &mut Dual, nu: f64) -> Result<(), Error> {
    let total = total(dual.lower.iter().chain(&dual.upper))?;
    let mut left = [0.5 * nu * total; 2];
    for v in 0..dual.len() {
        let positive = usize::from(dual.linear[v] > 0.0);
        let bound = if positive == 1 { dual.upper[v] } else { -dual.lower[v] };
        let part = left[positive].min(bound);
        left[positive] -= part;
        dual.start[v] = if positive == 1 { part } else { -part };
    }
    let short = left[0].max(left[1]);
    if short > f64::EPSILON * total {
        let greatest = nu - 2.0 * short / total;
        return Err(Error::Nu { given: nu, greatest });
    }
    dual.coupling = Coupling::Groups(dual.linear.iter().map(|&y| y > 0.0).collect());
    dual.reading = Reading::Margin;
    dual.linear.fill(0.0);
    Ok(())
}

/// Starts from coefficients of the rows, moved as little as their bounds and the sum, which is zero, ask for. What has a
/// share ν keeps its own start.
pub(super) fn start_at(dual: &mut Dual, beta: impl Fn(usize) -> f64) {
    let mut start: Vec<f64> = dual.rows().into_iter().map(beta).collect();
    match dual.coupling {
        Coupling::Free => {
            let bounds = dual.lower.iter().zip(&dual.upper);
            start.iter_mut().zip(bounds).for_each(|(b, (&l, &u))| *b = b.clamp(l, u));
        }
        Coupling::Sum => balance(&mut start, &dual.lower, &dual.upper, 0.0),
        Coupling::Groups(_) => return,
    }
    dual.start = start;
}
