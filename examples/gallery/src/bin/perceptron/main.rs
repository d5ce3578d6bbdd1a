//! A kernel perceptron, mistake by mistake: numbers, the bound on mistakes, and a picture of the function on its way.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::{Context, Result};
use clap::Parser;
use kern::kernels::Rbf;
use kern::solvers::{Classifier, Details, KernelExpansion, Perceptron, Svc};
use kern::{Points, Samples};
use kern_gallery::plane::{Panel, cells, draw, observe};
use std::path::PathBuf;

/// Points that were not learned from.
const TESTS: usize = 5000;

/// Learns two classes in the plane from mistakes.
#[derive(Parser)]
struct Arguments {
    /// Points to learn from.
    #[arg(long, default_value_t = 850)]
    points: usize,
    /// γ of the kernel.
    #[arg(long, default_value_t = 100.0)]
    gamma: f64,
    /// Numbers of mistakes after which the function is shown; the end is, too.
    #[arg(long, value_delimiter = ',', default_value = "2,10,50")]
    after: Vec<usize>,
    /// The most passes over the points.
    #[arg(long, default_value_t = 100)]
    passes: usize,
    /// The seed of the points.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file for the picture.
    #[arg(long, default_value = "perceptron.svg")]
    picture: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { points, gamma, after, passes, seed, picture } = Arguments::parse();
    let (x, y) = observe(points, seed)?;
    let (x_test, y_test) = observe(TESTS, seed + 1)?;
    let steps = mistake_by_mistake(gamma, (&x, &y), (&after, passes))?;

    println!("{points} points, gamma = {gamma}\n");
    println!("{:>9}{:>8}{:>17}{:>9}", "mistakes", "visits", "support vectors", "test");
    let (cells, mut panels) = (cells()?, Vec::new());
    for step in &steps {
        let test = step.model.accuracy(&x_test, &y_test)?;
        let vectors = step.model.decision().points();
        let support = vectors.len();
        println!("{:>9}{:>8}{support:>17}{test:>9.4}", step.mistakes, step.visits);
        let title = format!("{} mistakes in {} visits", step.mistakes, step.visits);
        let values = step.model.decision_values(&cells)?.col(0).iter().copied().collect();
        let seen = step.visits.min(points);
        panels.push(Panel { title, values, vectors, seen });
    }

    // Novikoff: no more than R²‖f*‖² for any f* with y·f*(x) ≥ 1; the least such norm is that of the machine with hard margins.
    let last = steps.last().context("there is always a last step")?;
    let Details::Perceptron(details) = &last.model.report().details else { unreachable!() };
    let hard = Svc::on_kernel(Rbf::new(gamma)?).c(f64::INFINITY).intercept(false).fit(&x, &y)?;
    let coefficients = hard.decision().coefficients();
    let squared_norm: f64 = coefficients.col(0).iter().map(|alpha| alpha.abs()).sum();
    let bound = details.squared_radius * squared_norm;
    println!("\n{} mistakes; the bound of Novikoff is {bound:.0}", last.mistakes);
    draw(&picture, &panels, (&x, &y))?;
    println!("picture: {}", picture.display());
    Ok(())
}

/// The model of two classes in the plane.
type Model = Classifier<KernelExpansion<Samples<f64>, Rbf>, bool>;

/// A perceptron on its way: after so many mistakes, and so many visits.
struct Step {
    /// Mistakes so far.
    mistakes: usize,
    /// Points visited so far.
    visits: usize,
    /// The function that they led to.
    model: Model,
}

/// A perceptron that visits point after point until a pass is without mistakes, at most `passes` times: the steps after the numbers of
/// mistakes that are asked for, and the last.
fn mistake_by_mistake(
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
