//! Reading is hostile territory: files of every kind, changed at random, are errors or models that answer. Nothing panics, and
//! nothing asks for much more memory than the file has bytes.
//!
//! `KERN_MUTATIONS=100000 cargo test --release -p kern-solvers-laws --test hostile -- --nocapture` changes each file so many times, and
//! prints what was seen.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

mod containers;
mod kinds;
mod models;
mod mutate;
mod sizes;

use models::File;
use mutate::mutated;
use peak_alloc::PeakAlloc;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{env, io};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole process, so one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Changes of each file, if the environment does not say.
const MUTATIONS: u64 = 100;

/// The memory that a file may ask for, per byte of it.
const PER_BYTE: usize = 10;

/// And beyond: serde's first mebibyte of a list, of which there may be some inside of each other, the tiles of threads, tables.
const BEYOND: usize = 16 << 20;

/// The time that a file of some kilobytes may take.
const SLOW: Duration = Duration::from_secs(20);

/// Observations of a file and all its changes.
#[derive(Debug, Default)]
struct Seen {
    read: u64,
    /// The greatest growth of memory, and the length of the file that caused it.
    most: (usize, usize),
    slowest: Duration,
}

#[test]
fn changed_files_are_errors_or_answer() {
    let _alone = ALONE.lock();
    let count = env::var("KERN_MUTATIONS").ok().map_or(MUTATIONS, |n| n.parse().unwrap());
    let only = env::var("KERN_MUTATED").unwrap_or_default();
    for kind in models::kinds().iter().filter(|kind| kind.name.contains(&only)) {
        for file in &kind.files {
            let whole = format!("{} in {}", kind.name, file.format);
            assert!((file.read)(&file.bytes), "{whole} does not come back");
            let seen = changed(&whole, file, count);
            report(&whole, file, count, &seen);
        }
    }
}

fn changed(name: &str, file: &File, count: u64) -> Seen {
    let mut seen = Seen::default();
    for seed in 0..count {
        let bytes = mutated(&file.bytes, seed, file.text);
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let read = catch_unwind(AssertUnwindSafe(|| (file.read)(&bytes)));
        let (seconds, grown) = (start.elapsed(), MEMORY.peak_usage().saturating_sub(before));
        let Ok(read) = read else { panic!("{name} panics, changed by seed {seed}") };
        let allowed = PER_BYTE * bytes.len() + BEYOND;
        assert!(grown <= allowed, "{name} takes {grown} bytes, changed by seed {seed}");
        assert!(seconds < SLOW, "{name} takes {seconds:?}, changed by seed {seed}");
        seen.read += u64::from(read);
        seen.most = seen.most.max((grown, bytes.len()));
        seen.slowest = seen.slowest.max(seconds);
    }
    seen
}

/// A line for those who look (`--nocapture`).
fn report(name: &str, file: &File, count: u64, seen: &Seen) {
    use io::Write;
    let Seen { read, most: (grown, len), slowest } = seen;
    let line = format!(
        "{name}: {} bytes, {count} changes, {read} still read; at most {grown} bytes of memory for a file of {len}, {slowest:.1?}",
        file.bytes.len()
    );
    #[expect(clippy::explicit_write, reason = "past the capture of what tests print")]
    writeln!(io::stdout(), "{line}").unwrap();
}
