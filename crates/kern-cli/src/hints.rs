//! Hints that follow error messages.

use kern_data::Error as DataError;
use kern_table::{Error, file};

/// A hint for an error, if there is one.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let data = error.chain().find_map(|cause| cause.downcast_ref::<DataError>());
    let table = error.chain().find_map(|cause| cause.downcast_ref::<Error>());
    let data = data.or(match table {
        Some(Error::Data(data)) => Some(data),
        _ => None,
    });
    if let Some(data) = data {
        return of_data(data);
    }
    if let Some(table) = table {
        return of_table(table);
    }
    error.chain().find_map(|cause| cause.downcast_ref::<file::Error>()).and_then(of_file)
}

fn of_data(error: &DataError) -> Option<&'static str> {
    match error {
        DataError::UnknownFormat { .. } => Some("say it: --format csv"),
        DataError::TooLarge { .. } => Some("kern train --stream reads a file in batches"),
        DataError::Missing { .. } => {
            Some("rows without a target cannot be learned from: take them out")
        }
        DataError::Value { .. } => Some(
            "--number COLUMN treats such values as missing; in training, --text COLUMN or --category COLUMN read them as words",
        ),
        DataError::Kind { .. } => Some(
            "the columns must have the kinds that the model has learned from; a model of an earlier version has numbers for \
             dates and times: train it again",
        ),
        _ => None,
    }
}

fn of_table(error: &Error) -> Option<&'static str> {
    match error {
        Error::NoTarget { .. } => Some("--target COLUMN"),
        Error::Core(kern_core::Error::UnknownName { what: "kernel", .. }) => {
            Some("kern kernels lists the kernels and their parameters")
        }
        Error::Core(kern_core::Error::NotMercer { .. }) => Some(
            "assume_mercer(…) around a kernel says that it is positive semi-definite on this data",
        ),
        Error::Solvers(kern_solvers::Error::TooLong { .. }) => Some(
            "--landmarks 1000 is an approximation that takes less; a longer --time-limit, or none, allows more",
        ),
        Error::Solvers(kern_solvers::Error::NoCandidate { .. }) => {
            Some("--time-limit SECONDS, --tune 2, --halving or --landmarks NUMBER")
        }
        Error::NothingReached { .. } => {
            Some("--time-limit SECONDS allows more, --landmarks 1000 takes less")
        }
        Error::NewClass { .. } => Some("--batch ROWS"),
        _ => None,
    }
}

fn of_file(error: &file::Error) -> Option<&'static str> {
    match error {
        file::Error::NoModel => {
            Some("kern train writes models; the order of arguments is MODEL FILE")
        }
        _ => None,
    }
}
