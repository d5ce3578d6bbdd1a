//! A kernel of your own on a type of your own: one method, checked on points, used with an SVM.
//!
//! Run it: `cargo run --release -p kern --example own_kernel`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::prelude::*;
use std::error::Error;

/// The opening hours of a shop.
#[derive(Clone)]
struct Hours {
    from: f64,
    to: f64,
}

/// The number of hours in which both shops are open.
#[derive(Clone, Copy)]
struct Overlap;

impl Kernel<Vec<Hours>> for Overlap {
    fn eval(&self, x: &Hours, y: &Hours) -> f64 {
        (x.to.min(y.to) - x.from.max(y.from)).max(0.0)
    }
}

/// Positive semi-definite: it is ∫ 1ₓ(t)·1ᵧ(t) dt, an inner product of indicator functions.
impl Mercer<Vec<Hours>> for Overlap {}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let hours = [(6.0, 12.0), (7.0, 13.0), (17.0, 23.0), (18.0, 24.0)];
    let shops: Vec<Hours> = hours.map(|(from, to)| Hours { from, to }).to_vec();
    kern::contract::verify_mercer(&Overlap, &shops)?; // tries to refute both impls

    let model = Svc::on_kernel(Overlap).fit(&shops, &["bakery", "bakery", "bar", "bar"])?;
    let kinds = model.predict(&vec![Hours { from: 8.0, to: 11.0 }])?;
    println!("open from 8 to 11: {}", kinds[0]);
    assert_eq!(kinds, ["bakery"]);
    Ok(())
}
