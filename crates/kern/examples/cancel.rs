//! Four ways to end a fit: an observer, a deadline, a limit of the predicted time, and giving it up.
//!
//! Run it: `cargo run --release -p kern --example cancel`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::gram::interruptible;
use kern::prelude::*;
use kern::solvers::{Progress, Status};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub(crate) fn main() -> Result<(), kern::Error> {
    let x = Samples::from_row_major(1, (0..4000).map(|i| f64::from(i) / 100.0).collect())?;
    let y: Vec<bool> = (0..4000).map(|i| (f64::from(i) / 100.0).sin() > 0.0).collect();
    let all = Data::new(&x, &y)?;
    let few = all.select(&(0..40).map(|i| 100 * i).collect::<Vec<usize>>())?;
    let sgd = Sgd::on_kernel(Rbf::new(1.0)?).epochs(1_000_000);

    // Called once an epoch here. After `Break`, the model is the one reached so far.
    let mut watch = |p: &Progress| {
        println!("step {} of {}: loss {:.3}", p.iteration, p.total, p.loss);
        if p.iteration < 200 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let model = sgd.learn(&few, &mut Run::new().observer(&mut watch))?;
    assert_eq!((model.report().status, model.report().iterations), (Status::Stopped, 200));

    let deadline = Instant::now() + Duration::from_millis(50);
    let model = sgd.learn(&few, &mut Run::new().deadline(deadline))?;
    assert_eq!(model.report().status, Status::Stopped);

    // A limit refuses a fit that would take longer, before it begins.
    let mut run = Run::new().time_limit(Duration::from_micros(1));
    let refused = Ridge::on_kernel(Rbf::new(1.0)?).learn(&all, &mut run).err();
    assert!(matches!(refused, Some(kern::Error::TooLong { .. })));

    // Another thread or a signal would set a flag; there is no model then.
    let given_up = interruptible(move || Instant::now() > deadline, || sgd.fit(&x, &y)).err();
    assert!(matches!(given_up, Some(kern::gram::Error::Interrupted)));
    Ok(())
}
