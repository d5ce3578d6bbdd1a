//! Kernels at run time: formulas that are parsed, printed, serialised, and built.
//!
//! Formulas have the form that typed kernels print (`grammar`). Their families are those
//! [`kernels`](crate::kernels) on vectors and strings with scalar parameters or lists of scalars,
//! listed in `registry`. Sums and products are flat (`terms`), so formulas may have thousands of
//! kernels.

mod formula_kernel;
mod grammar;
mod kernel_spec;
mod registry;
mod spectral_mixture;
mod terms;

pub use formula_kernel::{FormulaKernel, FormulaSpectrum, MercerFormula};
pub use kernel_spec::KernelSpec;
pub use registry::{FamilyParameter, KernelFamily, SpecPoints};
pub use spectral_mixture::SpectralComponent;
