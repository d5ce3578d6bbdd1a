//! `learned_kernels`: the study of learned kernels on real sets, and its page.
#![allow(clippy::print_stdout, reason = "the findings are the output")]

use anyhow::{Context, Result};
use clap::Parser;
use kern_benches::peers::python::Recipe;
use kern_benches::quality;
use kern_benches::real;
use kern_benches::records::{self, append};
use kern_benches::study::peer::{self, Peers};
use kern_benches::study::sets::{self, Draw, Set};
use kern_benches::study::{Record, own, page};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Learned kernels beside fixed ones and peers, on real sets, everything tuned on the training points.
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
    /// Take this way only; may be repeated
    #[arg(long = "way", value_name = "WAY")]
    ways: Vec<String>,
    /// Draws of each set
    #[arg(long, default_value_t = 10)]
    draws: u64,
    /// The seed of the first draw
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The most training points of a draw
    #[arg(long, default_value_t = 1000)]
    train: usize,
    /// The most test points of a draw
    #[arg(long, default_value_t = 2000)]
    test: usize,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Without the peers
    #[arg(long)]
    alone: bool,
    /// The Python to make the peers' environment from
    #[arg(long, value_name = "COMMAND", default_value = "python3")]
    python: String,
    /// Keep inputs and the peers' environment here [default: beside this program's build]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// The folder of the sets [default: KERN_DATA, or shared/data beside the workspace]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    arguments.study()?;
    let records: Vec<Record> = records::read(&arguments.records)?;
    page::findings(&records).iter().for_each(|finding| println!("{finding}"));
    if let Some(path) = &arguments.page {
        fs::write(path, page::text(&records, &arguments.provenance()))?;
    }
    Ok(())
}

impl Arguments {
    /// Day, machine and command.
    fn provenance(&self) -> String {
        let Self { draws, train, test, threads, .. } = self;
        let command = "cargo run --release -p kern-benches --bin learned_kernels";
        let page = "-- --records FILE --page docs/learned-kernels.md";
        let sizes = format!("draws: {draws}, at most {train} training and {test} test points");
        records::made(*threads, &format!("{command} {page}"), &sizes)
    }

    fn folder(&self) -> Result<PathBuf> {
        let program = env::current_exe().context("this program does not know its own path")?;
        let beside = program.ancestors().nth(2).context("this program is in no folder")?;
        Ok(self.cache.clone().unwrap_or_else(|| beside.to_owned()))
    }

    fn is_wanted(&self, way: &str) -> bool {
        self.ways.is_empty() || self.ways.iter().any(|wanted| wanted == way)
    }

    fn peers(&self) -> Result<Option<Peers>> {
        if self.alone || !peer::WAYS.iter().any(|(_, way)| self.is_wanted(way)) {
            return Ok(None);
        }
        let folder = self.folder()?;
        let recipe = Recipe {
            interpreter: self.python.clone(),
            folder: folder.join("bench-peers"),
            without: Vec::new(),
        };
        let python = recipe.make(&BTreeSet::from(peer::PACKAGES))?;
        for (package, fault) in python.faults() {
            eprintln!("{package}: {fault}");
        }
        Peers::start(&python, &folder.join("learned-kernels"), self.threads).map(Some)
    }

    /// Does all that is not there yet, draw by draw, so that what is broken off is a study of fewer draws.
    fn study(&self) -> Result<()> {
        let data = self.data.clone().unwrap_or_else(real::folder);
        let wanted = |set: &&Set| self.sets.is_empty() || self.sets.iter().any(|s| s == set.name);
        let all: Vec<(Set, sets::Rows)> = sets::ALL
            .iter()
            .filter(wanted)
            .map(|set| Ok((*set, set.read(&data)?)))
            .collect::<Result<_>>()?;
        let mut peers = self.peers()?;
        for seed in self.seed..self.seed + self.draws {
            for (set, rows) in &all {
                let draw = rows.draw(seed, self.train, self.test)?;
                for way in own::names() {
                    let start = Instant::now();
                    self.once((set.name, seed, way), &draw, || {
                        let answer = own::answer(way, &draw)?;
                        Ok((start.elapsed().as_secs_f64(), answer))
                    })?;
                }
                for (function, way) in peer::WAYS {
                    let Some(peers) = &mut peers else { continue };
                    self.once((set.name, seed, way), &draw, || {
                        peers.answer(function, &draw, seed)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Does one thing, if it is wanted and not there yet.
    fn once(
        &self,
        (set, seed, way): (&str, u64, &str),
        draw: &Draw,
        answer: impl FnOnce() -> Result<(f64, own::Answer)>,
    ) -> Result<()> {
        let known: Vec<Record> = records::read(&self.records)?;
        let is_known = known.iter().any(|record| record.is_of(set, seed, way));
        if is_known || !self.is_wanted(way) {
            return Ok(());
        }
        let (seconds, (predicted, chosen)) = answer().with_context(|| format!("{way} on {set}"))?;
        let rmse = quality::rmse(&predicted, &draw.y_test);
        let (n, tests, d) = (draw.y.len(), draw.y_test.len(), draw.x.dim());
        eprintln!("{set} {seed}: {way} {rmse:.4}, {seconds:.2} s, {chosen}");
        let (set, way) = (set.to_owned(), way.to_owned());
        append(&self.records, &Record { set, seed, way, n, tests, d, rmse, seconds, chosen })
    }
}
