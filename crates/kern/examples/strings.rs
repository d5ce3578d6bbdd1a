//! Strings without vectors: an SVM on words, by the pieces of up to three letters they share.
//!
//! Run it: `cargo run --release -p kern --example strings`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::prelude::*;
use kern::{closure::Normalized, kernels::Spectrum};

pub(crate) fn main() -> Result<(), kern::Error> {
    let spanish = ["nación", "estación", "canción", "atención"];
    let german = ["Wohnung", "Zeitung", "Rechnung", "Lesung"];
    let words = [spanish, german].concat(); // a `Vec<&str>` is a collection of points
    let languages = [["Spanish"; 4], ["German"; 4]].concat();

    // Normalised: otherwise long words are similar to all others.
    let kernel = Normalized::new(Spectrum::blended(3)?);
    let model = Svc::on_kernel(kernel).fit(&words, &languages)?;
    let query = vec!["revolución"];
    let language = model.predict(&query)?[0];
    println!("{} is {language}: {}", query[0], model.report());
    assert_eq!(language, "Spanish");
    Ok(())
}
