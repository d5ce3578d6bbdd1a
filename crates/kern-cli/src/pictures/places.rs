//! Names at the places 0, 1, 2, … of an axis.

/// The longest name on an axis, in characters.
const LONGEST: usize = 20;

/// Largest distance from a place at which its name is shown.
const NEAR: f64 = 0.01;

/// The name at a place of an axis; empty between places.
pub(crate) fn label_of(names: &[String], place: f64) -> String {
    let near = place.round();
    let is_near = near >= 0.0 && (place - near).abs() < NEAR;
    let name = is_near.then(|| names.get(near as usize)).flatten();
    name.cloned().unwrap_or_default()
}

/// A name, with an ellipsis if it is too long for an axis.
pub(crate) fn shortened(name: &str) -> String {
    match name.chars().count() > LONGEST {
        true => name.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}
