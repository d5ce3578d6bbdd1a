//! The sections of a report.

mod cases;
mod curves;
mod growth;
mod headline;
mod machine;

pub use headline::{strips, summary};

use super::document::{Block, Document, Section};
use crate::found::Report;

/// The whole report.
#[must_use]
pub fn document(report: &Report) -> Document {
    let mut sections = vec![machine::run(report), headline::section(report)];
    sections.extend(machine::limits(report));
    sections.extend(growth::section(report));
    sections.extend(curves::features(report));
    sections.extend(curves::planner(report));
    sections.extend(cases::sections(report));
    sections.extend(cases::missing(report));
    sections.push(reading());
    Document { title: "Performance of kern".to_owned(), sections }
}

/// The section on how the numbers came about.
fn reading() -> Section {
    const TEXTS: [&str; 6] = [
        "All implementations of a case are processes of their own and read the same files. They take \
         turns, A B A B …, after a warm-up, at least five times (three times if a run takes more than \
         five seconds); the time is the median, and the ratio is that of medians. Only one computes at a \
         time, with the number of threads that is said.",
        "A time counts only with its quality. Figures are computed from definitions, in double \
         precision, outside of the time. A peer whose answer is worse than ours by more than the bar of \
         the task is marked worse, and wrong if it is faster besides; it is not compared with.",
        "A limit is the least time in which this machine could do what nobody can avoid: the slowest of \
         arithmetic, exponentials, memory traffic and the mapping of new memory, each at the rate that was \
         measured in this run, the greater of before and after, as if all others were free. Below each task stands what is counted. “gemm” \
         is a matrix product that was measured beside the task.",
        "The rate of exponentials is that of the library's own exp on numbers in cache, the fastest that we \
         know here. Memory bandwidth is the greatest of the measured ones, where a triad moves four \
         numbers for each element.",
        "Memory (MiB) is the greatest resident memory of the process up to the last repeat, inputs and \
         program included.",
        "Notes that other processes used cores come from the system's count of processor time: such rows \
         were measured on a machine that was not quiet.",
    ];
    let blocks = TEXTS.map(|text| Block::Text(text.to_owned())).to_vec();
    Section { title: "How to read this".to_owned(), blocks }
}
