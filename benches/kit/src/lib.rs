//! What every program that measures a case needs, the library's own and those of its peers: what it
//! is told and says ([`protocol`]), its clock ([`measure`]), its inputs ([`npy`]), its result
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
