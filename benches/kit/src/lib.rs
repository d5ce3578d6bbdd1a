//! Common parts of all programs that measure a case, the library's own and those of its peers: the
//! conversation with the runner ([`protocol`]), the clock ([`measure`]), the inputs ([`npy`]), the result
//! ([`row`]), and the definitions by which answers are judged ([`quality`]).
//!
//! Nothing of what is measured is in here, so peers do not wait for the library to be compiled.

pub mod limits;
pub mod measure;
pub mod npy;
pub mod process;
pub mod protocol;
pub mod quality;
pub mod row;
pub mod work;
