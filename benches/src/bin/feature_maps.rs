//! `feature_maps`: the comparison of feature maps at equal cost, and its page.

use anyhow::Result;
use clap::Parser;
use kern_benches::maps::ways::{GAUSSIAN, POLYNOMIAL};
use kern_benches::maps::{Record, page, sets, trial};
use kern_benches::real;
use kern_benches::records;
use std::fs;
use std::path::PathBuf;

/// Random features and landmarks at equal cost, on real sets.
#[derive(Debug, Parser)]
struct Arguments {
    /// Keep the records here, a line each; what is there is not done again
    #[arg(long, value_name = "FILE")]
    records: PathBuf,
    /// Write the page here
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Take this set only; may be repeated
    #[arg(long = "set", value_name = "SET")]
    sets: Vec<String>,
    /// Numbers of features
    #[arg(long, value_delimiter = ',', default_values_t = [64, 128, 256, 512, 1024])]
    dims: Vec<usize>,
    /// Seeds of each map
    #[arg(long, default_value_t = 2)]
    seeds: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The folder of the sets [default: KERN_DATA, or shared/data beside the workspace]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    arguments.compare()?;
    if let Some(path) = &arguments.page {
        let provenance = arguments.provenance();
        fs::write(path, page::text(&records::read(&arguments.records)?, &provenance))?;
    }
    Ok(())
}

impl Arguments {
    /// Day, machine and command.
    fn provenance(&self) -> String {
        let command = "cargo run --release -p kern-benches --bin feature_maps";
        let page = "-- --records FILE --page docs/feature-maps.md";
        let Self { seeds, threads, .. } = self;
        records::made(
            *threads,
            &format!("{command} {page}"),
            &format!("seeds of each map: {seeds}"),
        )
    }

    /// Does all that is not there yet.
    fn compare(&self) -> Result<()> {
        let data = self.data.clone().unwrap_or_else(real::folder);
        let is_wanted = |set: &&str| self.sets.is_empty() || self.sets.iter().any(|s| s == *set);
        for set in sets::ALL.into_iter().filter(is_wanted) {
            let known: Vec<Record> = records::read(&self.records)?;
            let missing: Vec<(&str, usize, u64)> = self
                .trials()
                .filter(|&(way, dim, seed)| {
                    !known.iter().any(|record| record.is_of((set, way), (dim, seed)))
                })
                .collect();
            if missing.is_empty() {
                continue;
            }
            let task = sets::read(set, &data)?;
            let kernels = trial::kernels(&task)?;
            // The first of all pays for fresh memory, and does not count.
            let (way, dim, seed) = missing[0];
            drop(trial::measure((set, &task), (way, &kernels), (dim, seed)));
            for (way, dim, seed) in missing {
                // Sobol's sequence, for one, has no more than 256 coordinates.
                let found = trial::measure((set, &task), (way, &kernels), (dim, seed));
                let record = match found {
                    Ok(record) => record,
                    Err(error) => {
                        eprintln!("{set}: {way}, {dim} features: {error:#}");
                        continue;
                    }
                };
                let Record { kernel_error, test_error, lambda, .. } = record;
                eprintln!(
                    "{set}: {way}, {dim} features: {:.2} s, kernel {kernel_error:.4}, test {test_error:.4}, lambda {lambda:.0e}",
                    record.seconds()
                );
                records::append(&self.records, &record)?;
            }
        }
        Ok(())
    }

    fn trials(&self) -> impl Iterator<Item = (&'static str, usize, u64)> + '_ {
        let ways = || GAUSSIAN.into_iter().chain(POLYNOMIAL);
        let sized = |seed: u64| self.dims.iter().map(move |&dim| (seed, dim));
        let all = (0..self.seeds).flat_map(sized);
        all.flat_map(move |(seed, dim)| ways().map(move |way| (way, dim, seed)))
    }
}
