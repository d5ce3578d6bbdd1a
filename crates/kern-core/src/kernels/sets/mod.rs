//! Kernels on finite sets ([`Set`]) and bags of words ([`Words`]).

mod bag_of_words;
mod jaccard;
mod set;
mod set_intersection;

pub use bag_of_words::{BagOfWords, NormalizedBagOfWords, WordCount, Words, words};
pub use jaccard::Jaccard;
pub use set::Set;
pub use set_intersection::{NormalizedSetIntersection, SetIntersection};
