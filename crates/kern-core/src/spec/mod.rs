//! Kernels at run time: a formula that is read, printed, stored, and built.
//!
//! The formulas are those that typed kernels print (`grammar`), and the families those of
//! [`kernels`](crate::kernels) on vectors and strings that are given by numbers; `registry` lists them. Sums
//! and products are flat (`terms`), so a formula of thousands of kernels is as good as one of two.

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
