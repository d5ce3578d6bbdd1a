//! Writing.

use super::{FileError, Number, Shortest};
use crate::{Error, Scalar, Vectors};
use std::io::Write;

/// Writes labelled samples, dense or sparse: what is not 0 of each.
///
/// # Errors
/// [`FileError::Core`] for another number of labels than samples, or a label that is not finite;
/// [`FileError::Io`]. Nothing is written if the labels are wrong.
///
/// # Examples
/// ```
/// use kern_core::{Samples, libsvm};
/// let x = Samples::from_rows(&[[0.0_f32, 0.1], [3.0, 0.0]])?;
/// let mut text = Vec::new();
/// libsvm::write(&mut text, &x, &[0.5, -2.0])?;
/// assert_eq!(text, b"0.5 2:0.1\n-2 1:3\n");
/// # Ok::<(), libsvm::FileError>(())
/// ```
pub fn write<P, Y>(mut output: impl Write, points: &P, labels: &[Y]) -> Result<(), FileError>
where
    P: Vectors,
    Y: Number,
{
    let n = points.len();
    if labels.len() != n {
        let what = "labels, one per sample";
        return Err(Error::Dimension { what, expected: n, given: labels.len() }.into());
    }
    if !labels.iter().all(|label| label.is_finite_number()) {
        let allowed = "a finite number";
        return Err(Error::Parameter { name: "every label", given: f64::NAN, allowed }.into());
    }
    for (i, label) in labels.iter().enumerate() {
        write!(output, "{}", label.print())?;
        for (k, value) in points.coordinates(i).filter(|&(_, value)| value != 0.0) {
            // Back in the type of the points, where fewer digits will do.
            write!(output, " {}:{}", k + 1, Shortest(P::Scalar::from_f64(value)))?;
        }
        output.write_all(b"\n")?;
    }
    Ok(output.flush()?)
}
