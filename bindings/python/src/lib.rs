//! The native part of the Python package `kernrs`.
//!
//! The Python side defines names, conventions and checks of scikit-learn; all computation is here:
//! points, without a copy where their layout allows it (`points`), learners by name (`learners`),
//! their models (`fitted`, `model`), feature maps (`maps`), kernels (`kernels`) and tables
//! (`table`).

mod arrays;
mod bounds;
mod dependence;
mod derived;
mod error;
mod fitted;
mod gradient;
mod intervals;
mod kernels;
mod learners;
mod maps;
mod model;
mod order;
mod points;
mod rounds;
mod run;
mod table;

use pyo3::prelude::*;

/// The native part of kernrs.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<points::Points>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<maps::Map>()?;
    module.add_class::<kernels::LazyGram>()?;
    module.add_class::<table::TableModel>()?;
    module.add_class::<rounds::Rounds>()?;
    module.add_class::<rounds::Task>()?;
    module.add_function(wrap_pyfunction!(rounds::gather, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::gather_partitions, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::merge, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::list_parts, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::describe_part, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::predict_part, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::score_part, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::total_score, module)?)?;
    module.add_function(wrap_pyfunction!(rounds::rounds_cost, module)?)?;
    module.add_function(wrap_pyfunction!(model::fit, module)?)?;
    module.add_function(wrap_pyfunction!(model::open, module)?)?;
    module.add_function(wrap_pyfunction!(model::parameters, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::formula, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::families, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::gram, module)?)?;
    module.add_function(wrap_pyfunction!(maps::nystroem, module)?)?;
    module.add_function(wrap_pyfunction!(maps::random_fourier, module)?)?;
    module.add_class::<bounds::Bound>()?;
    module.add_function(wrap_pyfunction!(bounds::choose_features, module)?)?;
    module.add_function(wrap_pyfunction!(dependence::median_gamma, module)?)?;
    module.add_function(wrap_pyfunction!(dependence::mmd_test, module)?)?;
    module.add_function(wrap_pyfunction!(dependence::hsic_test, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::leave_one_out, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::left_out_errors, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::jackknife_plus, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::conformal_widths, module)?)?;
    module.add_function(wrap_pyfunction!(maps::polynomial_sketch, module)?)?;
    module.add_function(wrap_pyfunction!(maps::additive, module)?)?;
    module.add_function(wrap_pyfunction!(table::train, module)?)?;
    module.add_function(wrap_pyfunction!(table::plan, module)?)?;
    module.add_function(wrap_pyfunction!(table::suggested_task, module)?)?;
    module.add_function(wrap_pyfunction!(run::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(run::after_fork, module)?)?;
    Ok(())
}
