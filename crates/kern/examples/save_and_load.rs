//! A model to bytes and back, by any format of serde; here JSON, by `serde_json` with its feature
//! `float_roundtrip`.
//!
//! Run it: `cargo run --release -p kern --example save_and_load`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::kernels::Laplacian;
use kern::prelude::*;
use kern::solvers::{KernelExpansion, Regressor};
use std::{env, error::Error, fs, process};

/// The type of a model of ridge regression on a kernel, which reading needs.
type Saved<K> = Regressor<KernelExpansion<Samples<f64>, K>>;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let x = Samples::from_row_major(1, (0..20).map(f64::from).collect())?;
    let y: Vec<f64> = (0..20).map(|i| (0.3 * f64::from(i)).sin()).collect();
    let model: Saved<Rbf> = Ridge::on_kernel(Rbf::new(0.1)?).lambda(1e-3).fit(&x, &y)?;

    let path = env::temp_dir().join(format!("kern-save-and-load-{}.json", process::id()));
    fs::write(&path, serde_json::to_vec(&model)?)?;
    let bytes = fs::read(&path)?;
    fs::remove_file(&path)?;

    let read: Saved<Rbf> = serde_json::from_slice(&bytes)?;
    println!("{} bytes, read as it was written: {}", bytes.len(), read.report());
    assert_eq!(read.predict(&x)?, model.predict(&x)?); // every bit

    // Names of kernels are in the file, so that another type is an error.
    let wrong = serde_json::from_slice::<Saved<Laplacian>>(&bytes).err().ok_or("was read")?;
    println!("as another type: {wrong}");
    assert!(wrong.to_string().contains("`rbf`"));
    Ok(())
}
