//! The kernels of the format.

use super::ModelFileError;
use super::header::Header;
use kern_core::kernels::{Declared, Linear, Polynomial, Rbf, Sigmoid};

/// A kernel that the format has: [`Linear`], [`Polynomial`], [`Rbf`], [`Sigmoid`]. Its parameters have the
/// names that it declares.
///
/// # Examples
/// ```
/// use kern_core::kernels::{Polynomial, Rbf};
/// use kern_solvers::svm::libsvm::FileKernel;
/// assert_eq!((Polynomial::NAME, Rbf::NAME), ("polynomial", "rbf"));
/// ```
pub trait FileKernel: Declared {
    /// Its name in files: by default that in formulas.
    const NAME: &'static str = Self::DECLARATION.name();
}

impl FileKernel for Linear {}
impl FileKernel for Polynomial {
    const NAME: &'static str = "polynomial";
}
impl FileKernel for Rbf {}
impl FileKernel for Sigmoid {}

/// The kernel of a header.
pub(super) fn kernel<K: FileKernel>(header: &Header) -> Result<K, ModelFileError> {
    let given = header.word("kernel_type")?;
    if given != K::NAME {
        return Err(ModelFileError::Kernel { expected: K::NAME, given: given.to_owned() });
    }
    K::from_named(|name| Ok(Some(header.numbers::<f64>(name, 1)?[0].into())))
}
