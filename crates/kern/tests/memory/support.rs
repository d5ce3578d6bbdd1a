//! The growth of a process, measured by itself in a child.

use kern::Samples;
use kern::faer::Mat;
use kern::kernels::Rbf;
use rayon::ThreadPoolBuilder;
use std::process::{Command, exit};
use std::{env, fs};

/// Tells a child the size of its problem.
const CHILD: &str = "KERN_MEMORY_TEST_SIZE";

/// Marks what the child reports.
const REPORT: &str = "peak grew by ";

/// Not counted by a budget: tiles and packed operands of two threads, their stacks, the allocator.
pub(crate) const SLACK: u64 = 8 << 20;

/// By how many bytes the peak of memory grows during the work that `prepare` returns, in a process
/// that does nothing else; None where the system does not tell. `test` is the name of the calling
/// test, which the child runs again.
pub(crate) fn growth<W: FnOnce() + Send>(
    test: &str,
    size: usize,
    prepare: impl Fn(usize) -> W,
) -> Option<u64> {
    if let Ok(size) = env::var(CHILD) {
        let work = prepare(size.parse().unwrap());
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // Forgets the peak so far (Linux, proc(5)).
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = peak().unwrap();
        pool.install(work);
        println!("{REPORT}{}", peak().unwrap() - before);
        exit(0);
    }
    if peak().is_none() {
        println!("skipped: {test} needs /proc/self/status");
        return None;
    }
    let mut child = Command::new(env::current_exe().unwrap());
    let output = child.args([test, "--exact", "--nocapture"]).env(CHILD, size.to_string());
    let output = output.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report = text.lines().find_map(|line| Some(line.split_once(REPORT)?.1.parse()));
    let grown = report.unwrap_or_else(|| panic!("the child of {test} says: {text}")).unwrap();
    println!("{test}, size {size}: {:.1} MiB", grown as f64 / f64::from(1 << 20));
    Some(grown)
}

/// The peak of the resident memory of this process, in bytes.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

pub(crate) fn samples(n: usize, dim: usize) -> Samples<f64> {
    let values = (0..n * dim).map(|k| ((k * 7919) % 10_007) as f64 / 10_007.0).collect();
    Samples::from_row_major(dim, values).unwrap()
}

pub(crate) fn ones(n: usize) -> Mat<f64> {
    Mat::full(n, 1, 1.0)
}

pub(crate) fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}
