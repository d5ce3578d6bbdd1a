//! The set of part groups covered by sums: none may be missing or counted twice.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Group indices, as sorted, non-adjacent ranges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Groups(Vec<Range<usize>>);

impl Groups {
    pub(super) fn one(group: usize) -> Self {
        Self(std::iter::once(group..group.saturating_add(1)).collect())
    }

    /// The union of two sets of groups.
    ///
    /// # Errors
    /// [`Error::GroupTwice`] if they overlap.
    pub(super) fn with(&self, others: &Self) -> Result<Self, Error> {
        let mut all: Vec<_> = self.0.iter().chain(&others.0).cloned().collect();
        all.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for range in all {
            match joined.last_mut() {
                Some(last) if range.start < last.end => {
                    return Err(Error::GroupTwice { group: range.start });
                }
                Some(last) if range.start == last.end => last.end = range.end,
                _ => joined.push(range),
            }
        }
        Ok(Self(joined))
    }

    /// Checks that these are the groups 0 to `count` − 1.
    ///
    /// # Errors
    /// [`Error::GroupsMissing`] if one is missing.
    pub(super) fn check_all(&self, count: usize) -> Result<(), Error> {
        // The ranges are not adjacent, so the first gap is missing.
        let first = self.0.first().filter(|range| range.start == 0).map_or(0, |range| range.end);
        if first == count {
            return Ok(());
        }
        let given = self.0.iter().map(ExactSizeIterator::len).sum();
        Err(Error::GroupsMissing { given, groups: count, first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_joined_in_any_order() -> Result<(), Error> {
        let four =
            Groups::one(1).with(&Groups::one(3))?.with(&Groups::one(0).with(&Groups::one(2))?)?;
        assert_eq!(four.0.len(), 1);
        four.check_all(4)
    }

    #[test]
    fn a_group_is_missing_or_twice() -> Result<(), Error> {
        let two = Groups::one(0).with(&Groups::one(2))?;
        let missing = two.check_all(3);
        assert!(matches!(missing, Err(Error::GroupsMissing { given: 2, groups: 3, first: 1 })));
        let last = Groups::one(0).check_all(2);
        assert!(matches!(last, Err(Error::GroupsMissing { given: 1, groups: 2, first: 1 })));
        assert!(matches!(two.with(&Groups::one(2)), Err(Error::GroupTwice { group: 2 })));
        Ok(())
    }
}
