//! The programs in `examples` run, and what they assert holds. Their `main` is visible in the crate
//! so that it can be called here.

use std::error::Error;

#[path = "../examples/cancel.rs"]
mod cancel;
#[path = "../examples/cross_validation.rs"]
mod cross_validation;
#[path = "../examples/gaussian_process.rs"]
mod gaussian_process;
#[path = "../examples/k_means.rs"]
mod k_means;
#[path = "../examples/own_kernel.rs"]
mod own_kernel;
#[path = "../examples/own_points.rs"]
mod own_points;
#[path = "../examples/pipeline.rs"]
mod pipeline;
#[path = "../examples/save_and_load.rs"]
mod save_and_load;
#[path = "../examples/search.rs"]
mod search;
#[path = "../examples/strings.rs"]
mod strings;

#[test]
fn cancel() -> Result<(), Box<dyn Error>> {
    Ok(cancel::main()?)
}

#[test]
fn cross_validation() -> Result<(), Box<dyn Error>> {
    Ok(cross_validation::main()?)
}

#[test]
fn gaussian_process() -> Result<(), Box<dyn Error>> {
    Ok(gaussian_process::main()?)
}

#[test]
fn k_means() -> Result<(), Box<dyn Error>> {
    Ok(k_means::main()?)
}

#[test]
fn own_kernel() -> Result<(), Box<dyn Error>> {
    own_kernel::main()
}

#[test]
fn own_points() -> Result<(), Box<dyn Error>> {
    Ok(own_points::main()?)
}

#[test]
fn pipeline() -> Result<(), Box<dyn Error>> {
    Ok(pipeline::main()?)
}

#[test]
fn save_and_load() -> Result<(), Box<dyn Error>> {
    save_and_load::main()
}

#[test]
fn search() -> Result<(), Box<dyn Error>> {
    search::main()
}

#[test]
fn strings() -> Result<(), Box<dyn Error>> {
    Ok(strings::main()?)
}
