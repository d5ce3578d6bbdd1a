//! Writing.

use super::header::KINDS;
use super::{FileKernel, LibsvmModel, ModelFileError, votes};
use crate::model::KernelExpansion;
use kern_core::libsvm::Shortest;
use kern_core::{Kernel, Scalar, Vectors};
use std::io::Write;

impl<P: Vectors, K: Kernel<P> + FileKernel> LibsvmModel<P, K> {
    /// Writes the model.
    ///
    /// # Errors
    /// [`ModelFileError::Io`].
    pub fn write(&self, mut output: impl Write) -> Result<(), ModelFileError> {
        let Self { kind, parts, intercepts, labels, sigmoids } = self;
        let name = KINDS.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
        writeln!(output, "svm_type {name}\nkernel_type {}", K::NAME)?;
        for parameter in self.kernel().parameters() {
            let value = parameter.value.as_f64().map(Shortest);
            value.map_or(Ok(()), |value| writeln!(output, "{} {value}", parameter.name))?;
        }
        let total = self.support_vectors();
        writeln!(output, "nr_class {}\ntotal_sv {total}", labels.len().max(2))?;
        let rho = intercepts.iter().map(|&b| P::Scalar::ZERO - b);
        list(&mut output, "rho", rho)?;
        if votes(*kind) {
            list(&mut output, "label", labels)?;
            if !sigmoids.is_empty() {
                list(&mut output, "probA", sigmoids.iter().map(|s| s.a))?;
                list(&mut output, "probB", sigmoids.iter().map(|s| s.b))?;
            }
            list(&mut output, "nr_sv", parts.iter().map(|part| part.points().len()))?;
        }
        writeln!(output, "SV")?;
        parts.iter().try_for_each(|part| vectors(&mut output, part))?;
        Ok(output.flush()?)
    }
}

fn list<N: std::fmt::Debug>(
    output: &mut impl Write,
    name: &str,
    numbers: impl IntoIterator<Item = N>,
) -> Result<(), ModelFileError> {
    write!(output, "{name}")?;
    for number in numbers {
        write!(output, " {}", Shortest(number))?;
    }
    Ok(writeln!(output)?)
}

/// A line per support vector.
fn vectors<P: Vectors, K: Kernel<P>>(
    output: &mut impl Write,
    part: &KernelExpansion<P, K>,
) -> Result<(), ModelFileError> {
    for (i, row) in part.coefficients().row_iter().enumerate() {
        row.iter().try_for_each(|&coefficient| write!(output, "{} ", Shortest(coefficient)))?;
        for (k, value) in part.points().coordinates(i).filter(|&(_, value)| value != 0.0) {
            write!(output, "{}:{} ", k + 1, Shortest(P::Scalar::from_f64(value)))?;
        }
        writeln!(output)?;
    }
    Ok(())
}
