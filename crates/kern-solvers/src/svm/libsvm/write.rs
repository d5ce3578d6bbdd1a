//! Writing.

use super::header::KINDS;
use super::{FileKernel, LibsvmModel, ModelFileError, pair, votes};
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
        let Self { kind, decision, labels, counts, sigmoids } = self;
        let name = KINDS.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
        writeln!(output, "svm_type {name}\nkernel_type {}", K::NAME)?;
        for parameter in decision.kernel().parameters() {
            let value = parameter.value.as_f64().map(Shortest);
            value.map_or(Ok(()), |value| writeln!(output, "{} {value}", parameter.name))?;
        }
        let total: usize = counts.iter().sum();
        writeln!(output, "nr_class {}\ntotal_sv {total}", labels.len().max(2))?;
        let rho = decision.intercepts().iter().map(|&b| P::Scalar::ZERO - b);
        list(&mut output, "rho", rho)?;
        if votes(*kind) {
            list(&mut output, "label", labels)?;
            if !sigmoids.is_empty() {
                list(&mut output, "probA", sigmoids.iter().map(|s| s.a))?;
                list(&mut output, "probB", sigmoids.iter().map(|s| s.b))?;
            }
            list(&mut output, "nr_sv", counts)?;
        }
        writeln!(output, "SV")?;
        vectors(&mut output, decision, counts)?;
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

/// A line per support vector, class by class.
fn vectors<P: Vectors, K: Kernel<P>>(
    output: &mut impl Write,
    decision: &KernelExpansion<P, K>,
    counts: &[usize],
) -> Result<(), ModelFileError> {
    let (points, beta, classes) = (decision.points(), decision.coefficients(), counts.len());
    let of_class = |(class, &count)| std::iter::repeat_n(class, count);
    for (row, class) in counts.iter().enumerate().flat_map(of_class).enumerate() {
        let others = (0..classes).filter(|&other| classes == 1 || other != class);
        for other in others {
            let column = match classes {
                1 => 0,
                _ => pair(classes, class.min(other), class.max(other)),
            };
            write!(output, "{} ", Shortest(beta[(row, column)]))?;
        }
        for (k, value) in points.coordinates(row).filter(|&(_, value)| value != 0.0) {
            write!(output, "{}:{} ", k + 1, Shortest(P::Scalar::from_f64(value)))?;
        }
        writeln!(output)?;
    }
    Ok(())
}
