//! A model in a file, loaded again bit by bit; damage and another type are errors.
//!
//! Run it: `cargo run --release -p kern --example save_and_load`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use kern::file;
use kern::kernels::Laplacian;
use kern::prelude::*;
use kern::solvers::{KernelExpansion, Regressor};
use std::{env, error::Error, fs, process};

/// The type of a model of ridge regression on a kernel, which loading needs.
type Saved<K> = Regressor<KernelExpansion<Samples<f64>, K>>;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let x = Samples::from_row_major(1, (0..20).map(f64::from).collect())?;
    let y: Vec<f64> = (0..20).map(|i| (0.3 * f64::from(i)).sin()).collect();
    let model = Ridge::on_kernel(Rbf::new(0.1)?).lambda(1e-3).fit(&x, &y)?;

    let path = env::temp_dir().join(format!("kern-save-and-load-{}.kern", process::id()));
    model.save(&path)?; // readable JSON if the name ends in .json
    let read = Saved::<Rbf>::load(&path)?;
    let mut bytes = fs::read(&path)?;
    fs::remove_file(&path)?;
    println!("{} bytes, read as it was written: {}", bytes.len(), read.report());
    assert_eq!(read.predict(&x)?, model.predict(&x)?); // every bit

    // Names of kernels are in the file, so that another type is an error.
    let wrong = Saved::<Laplacian>::from_bytes(&bytes).err().ok_or("was read")?;
    println!("as another type: {wrong}");
    assert!(matches!(wrong, file::Error::Model { .. }));

    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let damaged = Saved::<Rbf>::from_bytes(&bytes).err().ok_or("was read")?;
    println!("with one bit flipped: {damaged}");
    assert!(matches!(damaged, file::Error::Checksum { .. }));
    Ok(())
}
