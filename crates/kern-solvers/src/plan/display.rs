//! Plans as text.

use super::{Plan, Prediction, Way};
use kern_gram::numerics::units::{Bytes, Seconds};
use std::fmt;

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Prediction {
    /// The terms and their sum.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<31} {:>8} {:>9}", self.way, Seconds(self.seconds()), Bytes(self.bytes))?;
        write!(f, " {} ", if self.fits { ' ' } else { '!' })?;
        for (k, term) in self.terms.iter().enumerate() {
            let plus = if k == 0 { "" } else { " + " };
            write!(f, "{plus}{} {}", term.work.name(), Seconds(term.seconds))?;
        }
        Ok(())
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; memory budget {}", self.task, Bytes(self.budget))?;
        writeln!(f, "  {:<31} {:>8} {:>9}   terms", "way", "time", "memory")?;
        for prediction in &self.predictions {
            let mark = if self.recommended == Some(prediction.way) { '>' } else { ' ' };
            writeln!(f, "{mark} {prediction}")?;
        }
        if self.predictions.iter().any(|prediction| !prediction.fits) {
            writeln!(f, "  (!: more than the memory budget)")?;
        }
        write!(f, "{}", self.reason)
    }
}
