//! Files of all formats: what is read, what is refused, and what is hostile.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "numbers are read exactly")]

#[cfg(feature = "parquet")]
mod arrow;
mod dress;
mod hostile;
mod parts;
mod reading;
#[cfg(feature = "parquet")]
mod row_groups;
mod rows;
#[cfg(feature = "parquet")]
mod times;
