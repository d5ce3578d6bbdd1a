//! The kernels of the format.

use super::ModelFileError;
use super::header::Header;
use kern_core::kernels::{Linear, Polynomial, Rbf, Sigmoid};

/// A kernel that the format has: [`Linear`], [`Polynomial`], [`Rbf`], [`Sigmoid`].
///
/// # Examples
/// ```
/// use kern_core::kernels::Polynomial;
/// use kern_solvers::svm::libsvm::FileKernel;
/// let lines = Polynomial::new(0.5, 1.0, 3)?.parameters();
/// assert_eq!(lines, [("degree", 3.0), ("gamma", 0.5), ("coef0", 1.0)]);
/// assert_eq!(Polynomial::NAME, "polynomial");
/// # Ok::<(), kern_core::Error>(())
/// ```
pub trait FileKernel: Sized {
    /// Its name in files.
    const NAME: &'static str;

    /// Its parameters, each with its name.
    fn parameters(&self) -> Vec<(&'static str, f64)>;

    /// The kernel with parameters of these names.
    ///
    /// # Errors
    /// [`ModelFileError::Core`] for a parameter that it refuses, and whatever `parameter` returns.
    fn with_parameters(
        parameter: &dyn Fn(&'static str) -> Result<f64, ModelFileError>,
    ) -> Result<Self, ModelFileError>;
}

impl FileKernel for Linear {
    const NAME: &'static str = "linear";

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    fn with_parameters(
        _: &dyn Fn(&'static str) -> Result<f64, ModelFileError>,
    ) -> Result<Self, ModelFileError> {
        Ok(Self)
    }
}

impl FileKernel for Rbf {
    const NAME: &'static str = "rbf";

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("gamma", self.gamma())]
    }

    fn with_parameters(
        parameter: &dyn Fn(&'static str) -> Result<f64, ModelFileError>,
    ) -> Result<Self, ModelFileError> {
        Ok(Self::new(parameter("gamma")?)?)
    }
}

impl FileKernel for Polynomial {
    const NAME: &'static str = "polynomial";

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        let degree = f64::from(self.degree());
        vec![("degree", degree), ("gamma", self.gamma()), ("coef0", self.coef0())]
    }

    fn with_parameters(
        parameter: &dyn Fn(&'static str) -> Result<f64, ModelFileError>,
    ) -> Result<Self, ModelFileError> {
        let degree = parameter("degree")?;
        if !(0.0..=f64::from(u32::MAX)).contains(&degree) || degree.fract() != 0.0 {
            return Err(ModelFileError::Header { name: "degree", expected: "an integer" });
        }
        Ok(Self::new(parameter("gamma")?, parameter("coef0")?, degree as u32)?)
    }
}

impl FileKernel for Sigmoid {
    const NAME: &'static str = "sigmoid";

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("gamma", self.gamma()), ("coef0", self.coef0())]
    }

    fn with_parameters(
        parameter: &dyn Fn(&'static str) -> Result<f64, ModelFileError>,
    ) -> Result<Self, ModelFileError> {
        Ok(Self::new(parameter("gamma")?, parameter("coef0")?)?)
    }
}

/// The kernel of a header.
pub(super) fn kernel<K: FileKernel>(header: &Header) -> Result<K, ModelFileError> {
    let given = header.word("kernel_type")?;
    if given != K::NAME {
        return Err(ModelFileError::Kernel { expected: K::NAME, given: given.to_owned() });
    }
    K::with_parameters(&|name| Ok(header.numbers::<f64>(name, 1)?[0]))
}
