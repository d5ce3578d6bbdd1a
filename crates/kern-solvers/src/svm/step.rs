//! Exact steps along one coordinate, and along two whose sum is kept.

/// A coordinate, as a step sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate {
    pub(super) beta: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Coordinate {
    /// The way up to its bound, and to the kink of |β|.
    #[inline(always)]
    fn above(self) -> (f64, f64) {
        (self.upper - self.beta, if self.beta < 0.0 { -self.beta } else { f64::INFINITY })
    }

    /// The same downwards.
    #[inline(always)]
    fn below(self) -> (f64, f64) {
        (self.beta - self.lower, if self.beta > 0.0 { self.beta } else { f64::INFINITY })
    }

    /// The coordinate after a step up by t ≥ 0, exactly on its bound if it meets it.
    #[inline(always)]
    pub(super) fn raised(self, t: f64) -> f64 {
        if t >= self.upper - self.beta { self.upper } else { self.beta + t }
    }

    /// The coordinate after a step down by t ≥ 0.
    #[inline(always)]
    pub(super) fn lowered(self, t: f64) -> f64 {
        if t >= self.beta - self.lower { self.lower } else { self.beta - t }
    }
}

/// The best step of β_up + t, β_down − t, t ≥ 0: the objective falls at the rate `slope` at t = 0, its
/// curvature is `curvature` > 0, and its slope jumps by 2ε where one of them passes 0.
#[inline(always)]
pub(super) fn pair(
    up: Coordinate,
    down: Coordinate,
    slope: f64,
    curvature: f64,
    epsilon: f64,
) -> f64 {
    let ((room, first), (below, second)) = (up.above(), down.below());
    let room = room.min(below);
    if epsilon > 0.0 {
        let kinks = [first.min(second), first.max(second)];
        search(kinks, room, slope, curvature, epsilon)
    } else {
        (slope / curvature).min(room)
    }
}

/// The best step of one coordinate alone: up if `rises`, else down.
#[inline(always)]
pub(super) fn single(of: Coordinate, rises: bool, slope: f64, curvature: f64, epsilon: f64) -> f64 {
    let (room, kink) = if rises { of.above() } else { of.below() };
    search([kink, f64::INFINITY], room, slope, curvature, epsilon)
}

/// The minimum of a convex function, quadratic between kinks, over 0 ≤ t ≤ room.
fn search(kinks: [f64; 2], room: f64, mut slope: f64, curvature: f64, epsilon: f64) -> f64 {
    let mut at = 0.0;
    for kink in kinks {
        if kink >= room || at + slope / curvature <= kink {
            break;
        }
        slope -= curvature * (kink - at) + 2.0 * epsilon;
        at = kink;
        if slope <= 0.0 {
            return at;
        }
    }
    (at + slope / curvature).min(room)
}

#[cfg(test)]
mod tests {
    use super::{Coordinate, pair};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_point_of_a_grid_is_better(
            (up, down) in (-2.0..2.0_f64, -2.0..2.0_f64),
            (slope, curvature, epsilon) in (0.01..5.0_f64, 0.1..3.0_f64, 0.0..1.0_f64),
        ) {
            let make = |beta| Coordinate { beta, lower: -2.0, upper: 2.0 };
            // The slope counts the kinks at t = 0, as both start to move.
            let rising = if up >= 0.0 { epsilon } else { -epsilon };
            let falling = if down > 0.0 { -epsilon } else { epsilon };
            let smooth = slope + rising + falling;
            let value = |t: f64| {
                0.5 * curvature * t * t - smooth * t + epsilon * ((up + t).abs() + (down - t).abs())
            };
            let best = pair(make(up), make(down), slope, curvature, epsilon);
            let room = (2.0 - up).min(down + 2.0);
            prop_assert!((0.0..=room).contains(&best));
            for k in 0..=400 {
                let t = room * f64::from(k) / 400.0;
                prop_assert!(value(best) <= value(t) + 1e-12, "t = {t} beats {best}");
            }
        }
    }
}
