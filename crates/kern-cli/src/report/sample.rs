//! A sample of rows.

/// The multipliers and the increment of the mixing function of SplitMix64 (Steele, Lea & Flood
/// 2014).
const FIRST: u64 = 0xBF58_476D_1CE4_E5B9;
const SECOND: u64 = 0x94D0_49BB_1331_11EB;
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// At most `most` of `of` rows, drawn at random by the seed, in ascending order.
pub(crate) fn sample(of: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..of).collect();
    if of > most {
        let start = mixed(seed);
        rows.sort_by_cached_key(|&row| (mixed(start ^ row as u64), row));
        rows.truncate(most);
        rows.sort_unstable();
    }
    rows
}

const fn mixed(state: u64) -> u64 {
    let state = state.wrapping_add(INCREMENT);
    let state = (state ^ (state >> 30)).wrapping_mul(FIRST);
    let state = (state ^ (state >> 27)).wrapping_mul(SECOND);
    state ^ (state >> 31)
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
