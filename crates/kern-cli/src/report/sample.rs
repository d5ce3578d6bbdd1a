//! A sample of rows.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// At most `most` of `of` rows, drawn at random by the seed, in ascending order.
pub(crate) fn sample(of: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..of).collect();
    if of > most {
        rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        rows.truncate(most);
        rows.sort_unstable();
    }
    rows
}

/// The values of these rows.
pub(crate) fn at<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| values[row].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_once_and_by_the_seed() {
        let (some, others) = (sample(1000, 100, 1), sample(1000, 100, 2));
        assert!(some.len() == 100 && some.is_sorted() && some.windows(2).all(|w| w[0] < w[1]));
        assert_ne!(some, others);
        let low = some.iter().filter(|row| **row < 500).count();
        assert!((30..70).contains(&low), "{low}");
        assert_eq!(sample(3, 100, 1), [0, 1, 2]);
    }
}
