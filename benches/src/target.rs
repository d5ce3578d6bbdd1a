//! The targets of cases: the shares of the best peer's time that they may take.

use crate::kind::Kind;
use crate::tasks::Task;

/// The greatest share of the best peer's time that a case may take, on every kind of processor.
pub const BAR: f64 = 0.5;

/// The target of a case: [`BAR`], or the lower one of the task's own where that holds.
#[must_use]
pub fn target(task: Option<&Task>, variant: &str, kind: &Kind) -> f64 {
    let listed = task.and_then(|task| task.targets.iter().find(|(name, _)| *name == variant));
    let listed = listed.filter(|_| kind.has_lower_targets).map(|&(_, target)| target);
    listed.map_or(BAR, |target| target.min(BAR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::tests::machine;
    use crate::tasks;

    #[test]
    fn no_target_is_above_the_bar() {
        for machine in [machine("AuthenticAMD", 26, 2), machine("GenuineIntel", 6, 143)] {
            let kind = Kind::of(&machine);
            for task in tasks::ALL {
                for (variant, _) in task.cases {
                    assert!(target(Some(task), variant, &kind) <= BAR, "{} {variant}", task.name);
                }
            }
        }
    }
}
