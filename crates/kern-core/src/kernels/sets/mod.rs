//! Kernels on finite sets ([`Set`]) and bags of words ([`Words`]).

mod bag_of_words;
mod intersection;
mod jaccard;
mod normalized_bag_of_words;
mod normalized_intersection;
mod set;
mod word_count;
mod words;

pub use bag_of_words::BagOfWords;
pub use intersection::SetIntersection;
pub use jaccard::Jaccard;
pub use normalized_bag_of_words::NormalizedBagOfWords;
pub use normalized_intersection::NormalizedSetIntersection;
pub use set::Set;
pub use word_count::WordCount;
pub use words::{Words, words};
