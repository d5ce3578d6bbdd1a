//! Pixels that tell digits apart, and those that do not.

use crate::learned;
use kern_gallery::data;

/// The metric tells which pixels matter: before there is a round all pixels matter alike; after two, those that are the same in
/// nearly all images do not.
#[test]
fn pixels_that_say_nothing_are_not_looked_at() {
    let (train, test) = data::digits().unwrap().split(0.2, 0).unwrap();
    let rounds = learned::rounds(2, (&train, &test)).unwrap();
    assert!(rounds[0].pixels().iter().all(|&value| (value - 1.0).abs() < 1e-12));
    let last = rounds[2].pixels();
    assert!(last.iter().copied().fold(0.0, f64::max) >= 1.0);
    let deviation = |k: usize| {
        let values: Vec<f64> =
            train.points.as_slice().iter().skip(k).step_by(64).copied().collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64
    };
    for k in (0..64).filter(|&k| deviation(k) < 1e-4) {
        assert!(last[k] < 0.1, "{k}: {}", last[k]);
    }
    let pairs = learned::pairs(1, (&train, &test)).unwrap();
    assert!(pairs.iter().all(|pair| pair.round.accuracy > 0.95));
}
