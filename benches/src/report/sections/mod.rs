//! The sections of a report.

mod cases;
mod curves;
mod growth;
mod headline;
mod kinds;
mod machine;
mod memory;
mod verdicts;

pub use headline::{strips, summary};
pub use kinds::others;
pub use verdicts::{counts, missed};

use super::document::{Block, Document, Section};
use crate::found::Report;
use crate::kind::Kind;

/// The whole report, beside recorded runs. What is missed comes first.
#[must_use]
pub fn document(report: &Report, records: &[Report]) -> Document {
    let mut sections: Vec<Section> = verdicts::section(report).into_iter().collect();
    sections.push(headline::section(report));
    sections.extend(memory::section(report));
    sections.push(kinds::section(report, records));
    sections.push(machine::run(report));
    sections.extend(machine::limits(report));
    sections.extend(verdicts::own(report));
    sections.extend(growth::section(report));
    sections.extend(curves::features(report));
    sections.extend(curves::planner(report));
    sections.extend(cases::sections(report));
    sections.extend(cases::missing(report));
    sections.push(reading());
    let title = format!("Performance of kern on {}", Kind::of(&report.machine).name);
    Document { title, sections }
}

/// The section on how the numbers came about.
fn reading() -> Section {
    const TEXTS: [&str; 8] = [
        "All implementations of a case are processes of their own and read the same files. They take \
         turns, A B A B …, after a warm-up, at least five times (three times if a run takes more than \
         five seconds); the time is the median, and the ratio is that of medians. Only one computes at a \
         time, with the number of threads that is said, and none begins while threads of another still \
         look for work.",
        "A time counts only with its quality. Figures are computed from definitions, in double \
         precision, outside of the time. A peer whose answer is worse than ours by more than the bar of \
         the task is marked worse, and wrong if it is faster besides; it is not compared with. The bar has \
         two sides: where our answer is worse than that of any peer by more than the bar, however slow the \
         peer, the case is not met.",
        "Peers have their best configuration: tolerances are the loosest with which an answer reaches the bar, \
         symmetry is used, and work that NumPy does in one thread is shared out. Where the processor has \
         AVX-512, packages on OpenBLAS run twice, as they come and with OPENBLAS_CORETYPE=SkylakeX, which \
         the name then says; the faster counts.",
        "The bar of every case is 0.5 of the best peer's time, on every kind of processor; on a Zen 5 the \
         lower targets of some cases hold, too. It is the bar of now, whatever was wanted when the report \
         was made. All cases count: one without a peer whose answer is good enough is not met, nor is one \
         that was not measured. Bars of our own are for tasks that have no peer.",
        "A limit is the least time in which this machine could do what nobody can avoid: the slowest of \
         arithmetic, exponentials, memory traffic and the mapping of new memory, each at the rate that was \
         measured in this run, the greater of before and after, as if all others were free. Below each task stands what is counted. “gemm” \
         is a matrix product that was measured beside the task.",
        "The rate of exponentials is that of the library's own exp on numbers in cache, the fastest that we \
         know here. Memory bandwidth is the greatest of the measured ones, where a triad moves four \
         numbers for each element.",
        "Memory (MiB) is the peak resident memory of the process up to the last repeat, inputs and \
         program included. An interpreter with its packages is 30 (NumPy) to 500 (torch) of them.",
        "Notes that other processes used cores come from the system's count of processor time: such rows \
         were measured on a machine that was not quiet.",
    ];
    let blocks = TEXTS.map(|text| Block::Text(text.to_owned())).to_vec();
    Section { title: "How to read this".to_owned(), blocks }
}
