//! The choice among predictions, and the reason for it.

use super::display::{Bytes, Seconds};
use super::{Prediction, Task, Way};
use kern_gram::MemoryBudget;

/// The fastest way that fits and gives the answer that is asked for, and why.
pub(super) fn recommend(
    task: &Task,
    budget: &MemoryBudget,
    predictions: &[Prediction],
) -> (Option<Way>, String) {
    let open = |p: &&Prediction| task.approximation_welcome || p.way.is_exact();
    let Some(best) = fastest(predictions.iter().filter(open).filter(|p| p.fits)) else {
        return (None, nothing_fits(budget, predictions.iter().filter(open)));
    };
    let mut sentences = vec![because(best)];
    let others = predictions.iter().filter(|p| p.way != best.way);
    let next = fastest(others.clone().filter(open).filter(|p| p.fits));
    sentences.extend(next.map(|next| {
        format!("The next, {}, is predicted to take {}.", next.way, Seconds(next.seconds()))
    }));
    for faster in others.filter(|p| p.seconds() < best.seconds()) {
        let (way, seconds) = (faster.way, Seconds(faster.seconds()));
        let obstacle = if faster.fits {
            "but gives another answer, and approximation is not said to be welcome".to_owned()
        } else {
            format!("but needs {} of the {} allowed", Bytes(faster.bytes), Bytes(budget.as_bytes()))
        };
        sentences.push(format!("{} would take {seconds}, {obstacle}.", capitalized(way.name())));
    }
    (Some(best.way), sentences.join(" "))
}

/// The first one of the fastest.
fn fastest<'a>(predictions: impl Iterator<Item = &'a Prediction>) -> Option<&'a Prediction> {
    predictions.min_by(|a, b| a.seconds().total_cmp(&b.seconds()))
}

/// Its time and the greatest part of it.
fn because(best: &Prediction) -> String {
    let greatest = best.terms.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let part = greatest.map_or_else(String::new, |term| {
        format!(", of which {} are {}", Seconds(term.seconds), term.work.name())
    });
    let (name, seconds) = (capitalized(best.way.name()), Seconds(best.seconds()));
    format!("{name}: the fastest that fits, predicted to take {seconds}{part}.")
}

fn nothing_fits<'a>(budget: &MemoryBudget, open: impl Iterator<Item = &'a Prediction>) -> String {
    let allowed = Bytes(budget.as_bytes());
    match open.min_by_key(|p| p.bytes) {
        Some(least) => format!(
            "No way fits: the least memory is that of {}, {}, and {allowed} are allowed.",
            least.way,
            Bytes(least.bytes)
        ),
        None => "There is no way.".to_owned(),
    }
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
