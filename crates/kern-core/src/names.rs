//! Hints for names that do not exist.

use std::borrow::Cow;

/// Letters of a name of which one may be wrong.
const LETTERS: usize = 3;

/// The end of a message on an unknown name: the nearest known one, and all of them.
pub(crate) fn hint(given: &str, known: &[Cow<'static, str>]) -> String {
    if known.is_empty() {
        return ", there are none".to_string();
    }
    let meant = nearest(given, known).map(|name| format!("; did you mean `{name}`?"));
    format!("{} expected one of {}", meant.unwrap_or_else(|| ",".to_string()), known.join(", "))
}

/// The known name that was meant, if one is near: it ends with the given one behind a point, or few letters differ.
fn nearest<'a>(given: &str, known: &'a [Cow<'static, str>]) -> Option<&'a str> {
    let mut names = known.iter().map(Cow::as_ref);
    let ends = |name: &&str| name.rsplit('.').next() == Some(given);
    if let Some(name) = names.clone().find(ends) {
        return Some(name);
    }
    let given = given.to_lowercase();
    let most = given.chars().count().div_ceil(LETTERS);
    let far = |name: &str| strsim::damerau_levenshtein(&given, name);
    let nearest = names.by_ref().min_by_key(|name| far(name));
    nearest.filter(|name| far(name) <= most && far(name) < name.chars().count())
}
