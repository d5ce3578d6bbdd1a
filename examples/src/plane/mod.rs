//! Two classes in the plane, and what machines and perceptrons make of them.

mod picture;

pub use picture::{Panel, draw};

use anyhow::Result;
use kern::kernels::Rbf;
use kern::solvers::{Classifier, KernelExpansion, Perceptron, Svc};
use kern::{Points, Samples};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The model of two classes in the plane.
pub type Model = Classifier<KernelExpansion<Samples<f64>, Rbf>, bool>;

/// Half the width of the strip along the border that has no points.
const STRIP: f64 = 0.012;
/// The centre and the radius of an island of one class in the other.
const ISLAND: ([f64; 2], f64) = ([0.28, 0.2], 0.12);

/// The distance, more or less, from the border of the classes: positive above a wave, and on an island below it.
fn above([x, y]: [f64; 2]) -> f64 {
    let wave = y - 0.55 - 0.2 * (3.0 * std::f64::consts::PI * x).sin();
    let ([u, v], radius) = ISLAND;
    wave.max(radius - (x - u).hypot(y - v))
}

/// So many points of the unit square, none of them at the border, and their classes.
///
/// # Errors
/// None that can occur with some points.
pub fn observe(count: usize, seed: u64) -> Result<(Samples<f64>, Vec<bool>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::with_capacity(count);
    while rows.len() < count {
        let row: [f64; 2] = [rng.random(), rng.random()];
        if above(row).abs() >= STRIP {
            rows.push(row);
        }
    }
    let classes = rows.iter().map(|&row| above(row) > 0.0).collect();
    Ok((Samples::from_rows(&rows)?, classes))
}

/// The support vector machine of this γ and C.
///
/// # Errors
/// If the parameters are none, or the points have one class.
pub fn machine(gamma: f64, c: f64, (x, y): (&Samples<f64>, &[bool])) -> Result<Model> {
    Ok(Svc::on_kernel(Rbf::new(gamma)?).c(c).fit(x, y)?)
}

/// A perceptron on its way: after so many mistakes, and so many visits.
#[derive(Debug)]
pub struct Step {
    /// Mistakes so far.
    pub mistakes: usize,
    /// Points visited so far.
    pub visits: usize,
    /// The function that they led to.
    pub model: Model,
}

/// A perceptron that visits point after point until a pass is without mistakes, at most `passes` times: the steps after the numbers of
/// mistakes that are asked for, and the last.
///
/// # Errors
/// If there are no points.
pub fn mistake_by_mistake(
    gamma: f64,
    (x, y): (&Samples<f64>, &[bool]),
    (shown, passes): (&[usize], usize),
) -> Result<Vec<Step>> {
    let mut stream = Perceptron::on_kernel(Rbf::new(gamma)?).online(&[false, true])?;
    let (mut steps, mut mistakes, mut visits) = (Vec::new(), 0, 0);
    for _ in 0..passes {
        let before = mistakes;
        for (i, &class) in y.iter().enumerate() {
            let wrong = stream.update(&x.select(&[i])?, &[class])?;
            (mistakes, visits) = (mistakes + wrong, visits + 1);
            if wrong > 0 && shown.contains(&mistakes) {
                steps.push(Step { mistakes, visits, model: stream.model()? });
            }
        }
        if mistakes == before {
            break;
        }
    }
    steps.push(Step { mistakes, visits, model: stream.model()? });
    Ok(steps)
}
