//! The meaning of labels: numbers and truth values with several spellings.

use std::collections::HashMap;

/// The truth value of a word, ignoring case.
pub(crate) fn truth(word: &str) -> Option<bool> {
    if word.eq_ignore_ascii_case("true") {
        Some(true)
    } else {
        word.eq_ignore_ascii_case("false").then_some(false)
    }
}

/// The digits and the exponent of a decimal number: a canonical form of all its spellings, exact
/// beyond 2⁵³, too.
pub(crate) fn decimal(word: &str) -> Option<String> {
    let (sign, digits) = match word.as_bytes().first()? {
        b'-' => ("-", &word[1..]),
        b'+' => ("", &word[1..]),
        _ => ("", word),
    };
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_string());
    }
    let zeros = all.len() - all.trim_end_matches('0').len();
    let exponent = i64::from(exponent) + zeros as i64 - part.len() as i64;
    Some(format!("{sign}{significant}e{exponent}"))
}

/// A spelling for each number: the shortest, and among equally short ones the first in alphabetical
/// order.
pub(crate) fn spellings<'w>(words: impl Iterator<Item = &'w str>) -> HashMap<String, &'w str> {
    let mut found: HashMap<String, &str> = HashMap::new();
    for word in words {
        let key = decimal(word).unwrap_or_else(|| word.to_string());
        let known = found.entry(key).or_insert(word);
        if (word.len(), word) < (known.len(), *known) {
            *known = word;
        }
    }
    found
}

/// Classes or categories, looked up by meaning.
///
/// # Examples
/// ```
/// use kern_data::Labels;
/// let levels = ["False", "True"].map(String::from);
/// assert_eq!(Labels::new(&levels).find("true", false), Some(1));
/// let levels = ["007", "010"].map(String::from);
/// assert_eq!(Labels::new(&levels).find("7", true), Some(0));
/// // What is a word, and no number, is found by its letters alone.
/// assert_eq!(Labels::new(&levels).find("7", false), None);
/// ```
#[derive(Clone, Debug)]
pub struct Labels<'l> {
    exact: HashMap<&'l str, usize>,
    /// The indices of false and true, if these are the only labels.
    truths: Option<[Option<usize>; 2]>,
    /// Labels by their digits; `None` for digits that two labels share.
    numbers: HashMap<String, Option<usize>>,
}

impl<'l> Labels<'l> {
    /// An index of the labels.
    #[must_use]
    pub fn new(labels: &'l [String]) -> Self {
        let exact = labels.iter().map(String::as_str).zip(0..).collect();
        let mut numbers = HashMap::new();
        for (place, label) in labels.iter().enumerate() {
            if let Some(key) = decimal(label) {
                numbers.entry(key).and_modify(|place| *place = None).or_insert(Some(place));
            }
        }
        Self { exact, truths: truths(labels), numbers }
    }

    /// The index of the label that means the same as a word: the word itself, the same truth value
    /// in another spelling if the labels are truth values, or the same number if the word is a
    /// number.
    #[must_use]
    pub fn find(&self, word: &str, is_number: bool) -> Option<usize> {
        if let Some(place) = self.exact.get(word) {
            return Some(*place);
        }
        if let Some(truths) = self.truths {
            let number = || match decimal(word).as_deref() {
                Some("0") => Some(false),
                Some("1e0") => Some(true),
                _ => None,
            };
            let truth = truth(word).or_else(number)?;
            return truths[usize::from(truth)];
        }
        self.numbers.get(&decimal(word).filter(|_| is_number)?).copied().flatten()
    }
}

/// The indices of false and true, if there are no other labels and each occurs at most once.
fn truths(labels: &[String]) -> Option<[Option<usize>; 2]> {
    let mut places = [None; 2];
    for (place, label) in labels.iter().enumerate() {
        if places[usize::from(truth(label)?)].replace(place).is_some() {
            return None;
        }
    }
    (!labels.is_empty()).then_some(places)
}

/// Merges labels that mean the same: truth values in several spellings and, if `numbers` is set,
/// equal numbers.
///
/// # Examples
/// ```
/// let labels = |all: &[&str]| all.iter().map(|label| label.to_string()).collect::<Vec<_>>();
/// assert_eq!(kern_data::merged(&labels(&["False", "True", "true"]), false), ["false", "true"]);
/// assert_eq!(kern_data::merged(&labels(&["007", "10", "7"]), true), ["10", "7"]);
/// ```
#[must_use]
pub fn merged(labels: &[String], numbers: bool) -> Vec<String> {
    let mut merged: Vec<String> = match numbers {
        true => {
            spellings(labels.iter().map(String::as_str)).into_values().map(Into::into).collect()
        }
        false if labels.len() > 2 && labels.iter().all(|label| truth(label).is_some()) => {
            labels.iter().map(|label| label.to_lowercase()).collect()
        }
        // Two spellings of one truth value.
        false if truths(labels).is_none() && labels.iter().all(|label| truth(label).is_some()) => {
            labels.iter().map(|label| label.to_lowercase()).collect()
        }
        false => labels.to_vec(),
    };
    merged.sort_unstable();
    merged.dedup();
    merged
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_have_one_decimal_each() {
        for (same, others) in [
            ("7", &["007", "7.0", "+7", "70e-1", "0.7E1"][..]),
            ("0", &["-0", "0.0", "0e5", "00"]),
            ("100000", &["1e5", "1.0e+5"]),
            ("9007199254740993", &["9007199254740993.0"]),
            ("-2.5", &["-2.50", "-25e-1"]),
        ] {
            for other in others {
                assert_eq!(decimal(same), decimal(other), "{same} {other}");
            }
        }
        assert_ne!(decimal("9007199254740993"), decimal("9007199254740992"));
        for word in ["", "-", ".", "1e", "a", "1 2", "0x1", "inf", "1e99999999999"] {
            assert_eq!(decimal(word), None, "{word}");
        }
    }
}
