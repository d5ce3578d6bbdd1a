//! Splits of data into training and test points.

use crate::{Data, Error, Targets};
use kern_core::Points;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One split of the data: training and test indices, both in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The training indices.
    pub train: Vec<usize>,
    /// The test indices.
    pub test: Vec<usize>,
}

/// A rule that divides data into folds.
///
/// Data with groups is split by [`Split::groups`] only; the other rules would separate groups and
/// return an error. Points of weight 0 do not affect the folds of the others: they are tested on,
/// but never trained on (in time series they are left out).
///
/// # Examples
/// ```
/// use kern_solvers::{Data, validation::Split};
/// let (x, y) = (vec![(); 6], ["a", "a", "b", "b", "b", "b"]);
/// let data = Data::new(&x, &y)?;
/// let folds = Split::stratified(2).folds(&data)?;
/// assert_eq!(folds[0].test, [0, 2, 3]);
/// assert_eq!(folds[1].test, [1, 4, 5]);
/// assert_eq!(Split::time_series(2).folds(&data)?[1].train, [0, 1, 2, 3]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    rule: Rule,
    folds: usize,
    shuffle: Option<u64>,
    /// Set if classes with fewer points than folds are allowed.
    rare: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Rule {
    KFold,
    Stratified,
    Groups,
    LeaveOneOut,
    TimeSeries,
}

impl Split {
    const fn of(rule: Rule, folds: usize) -> Self {
        Self { rule, folds, shuffle: None, rare: false }
    }

    /// k folds of consecutive points, whose sizes differ by at most one; each is tested once.
    #[must_use]
    pub const fn k_fold(folds: usize) -> Self {
        Self::of(Rule::KFold, folds)
    }

    /// k stratified folds, which preserve the proportion of each class within one point.
    #[must_use]
    pub const fn stratified(folds: usize) -> Self {
        Self::of(Rule::Stratified, folds)
    }

    /// k folds of whole groups: the largest groups first, each assigned to the fold with the fewest
    /// points.
    #[must_use]
    pub const fn groups(folds: usize) -> Self {
        Self::of(Rule::Groups, folds)
    }

    /// Leave-one-out: as many folds as points.
    #[must_use]
    pub const fn leave_one_out() -> Self {
        Self::of(Rule::LeaveOneOut, 0)
    }

    /// k time series splits in the order of the points: part i + 1 of k + 1 is tested after
    /// training on all preceding parts.
    #[must_use]
    pub const fn time_series(folds: usize) -> Self {
        Self::of(Rule::TimeSeries, folds)
    }

    /// Shuffles the points with this seed; leave-one-out and time series splits are not affected.
    #[must_use]
    pub const fn shuffle(mut self, seed: u64) -> Self {
        self.shuffle = Some(seed);
        self
    }

    /// Allows classes with fewer points than there are stratified folds: each of their points is
    /// tested in another fold, but the only point of a class is always trained on. By default such
    /// a class is an error.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::{Data, validation::Split};
    /// let (x, y) = (vec![(); 5], ["a", "a", "b", "b", "c"]);
    /// let folds = Split::stratified(2).allow_rare_classes().folds(&Data::new(&x, &y)?)?;
    /// assert!(folds.iter().all(|fold| fold.train.contains(&4)));
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[must_use]
    pub const fn allow_rare_classes(mut self) -> Self {
        self.rare = true;
        self
    }

    /// The folds of data.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two folds (one, for time series), or more than there are
    /// points or groups; [`Error::RareClass`] for more folds than points of a class;
    /// [`Error::Split`] for stratified folds of targets without classes, for group folds without
    /// groups, or for other folds of data with groups.
    pub fn folds<P: Points, Y: Targets>(&self, data: &Data<'_, P, Y>) -> Result<Vec<Fold>, Error> {
        match (self.rule, data.group_ids()) {
            (Rule::Groups, None) => {
                return Err(Error::Split { rule: "groups", reason: "the data has none" });
            }
            (Rule::Groups, Some(_)) | (_, None) => {}
            (_, Some(_)) => {
                let reason = "the data has groups, which only Split::groups keeps together";
                return Err(Error::Split { rule: self.name(), reason });
            }
        }
        let (used, unused): (Vec<usize>, Vec<usize>) =
            (0..data.len()).partition(|&i| data.weight(i) > 0.0);
        let of_used = |all: &[usize]| -> Vec<usize> { used.iter().map(|&i| all[i]).collect() };
        let groups = of_used(data.group_ids().unwrap_or(&vec![0; data.len()]));
        let strata = data.targets().strata().map(|strata| of_used(&strata));
        let mut folds = self.divide(used.len(), &groups, strata.as_deref())?;
        if unused.is_empty() {
            return Ok(folds);
        }
        for index in folds.iter_mut().flat_map(|fold| fold.train.iter_mut().chain(&mut fold.test)) {
            *index = used[*index];
        }
        if self.rule != Rule::TimeSeries {
            let count = folds.len();
            unused.iter().enumerate().for_each(|(rank, &i)| folds[rank % count].test.push(i));
            folds.iter_mut().for_each(|fold| fold.test.sort_unstable());
        }
        Ok(folds)
    }

    /// The folds of n points.
    fn divide(
        &self,
        n: usize,
        groups: &[usize],
        strata: Option<&[usize]>,
    ) -> Result<Vec<Fold>, Error> {
        match self.rule {
            Rule::LeaveOneOut => {
                self.check(n, 2, n)?;
                Ok(parts(&(0..n).collect::<Vec<_>>(), n))
            }
            Rule::TimeSeries => self.time(n),
            Rule::KFold => {
                self.check(self.folds, 2, n)?;
                Ok(parts(&self.consecutive(n), self.folds))
            }
            Rule::Stratified => {
                let reason = "the targets have no classes";
                let error = Error::Split { rule: "stratified", reason };
                Ok(parts(&self.by_class(strata.ok_or(error)?)?, self.folds))
            }
            Rule::Groups => Ok(parts(&self.by_group(groups)?, self.folds)),
        }
    }

    const fn name(&self) -> &'static str {
        match self.rule {
            Rule::KFold => "k-fold",
            Rule::Stratified => "stratified",
            Rule::Groups => "groups",
            Rule::LeaveOneOut => "leave-one-out",
            Rule::TimeSeries => "time series",
        }
    }

    fn check(&self, given: usize, smallest: usize, most: usize) -> Result<(), Error> {
        if (smallest..=most).contains(&given) {
            return Ok(());
        }
        let allowed = "at least 2 (1 for time series) and at most the number of points or groups";
        Err(Error::Count { name: "the number of folds", given, allowed })
    }

    /// The indices, shuffled if requested.
    fn order(&self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        if let Some(seed) = self.shuffle {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        order
    }

    /// The fold of each point.
    fn consecutive(&self, n: usize) -> Vec<usize> {
        let mut part = vec![0; n];
        for (rank, i) in self.order(n).into_iter().enumerate() {
            part[i] = part_of(rank, n, self.folds);
        }
        part
    }

    fn by_class(&self, strata: &[usize]) -> Result<Vec<usize>, Error> {
        let mut members = BTreeMap::<usize, Vec<usize>>::new();
        for i in self.order(strata.len()) {
            members.entry(strata[i]).or_default().push(i);
        }
        self.check(self.folds, 2, strata.len())?;
        let rare = members.iter().find(|(_, class)| class.len() < self.folds);
        if let (false, Some((&class, points))) = (self.rare, rare) {
            return Err(Error::RareClass { class, points: points.len(), folds: self.folds });
        }
        let (mut part, mut sizes) = (vec![0; strata.len()], vec![0_usize; self.folds]);
        for class in members.values() {
            if let (true, [only]) = (self.rare, &**class) {
                part[*only] = ALWAYS_LEARNED;
                continue;
            }
            // Folds with the fewest points so far get the extra points.
            let mut order: Vec<usize> = (0..self.folds).collect();
            order.sort_by_key(|&k| sizes[k]);
            for (rank, &i) in class.iter().enumerate() {
                part[i] = order[part_of(rank, class.len(), self.folds)];
                sizes[part[i]] += 1;
            }
        }
        Ok(part)
    }

    fn by_group(&self, groups: &[usize]) -> Result<Vec<usize>, Error> {
        let mut members = BTreeMap::<usize, Vec<usize>>::new();
        groups.iter().enumerate().for_each(|(i, &g)| members.entry(g).or_default().push(i));
        self.check(self.folds, 2, members.len())?;
        let mut sorted: Vec<Vec<usize>> = members.into_values().collect();
        if let Some(seed) = self.shuffle {
            sorted.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        sorted.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let (mut part, mut sizes) = (vec![0; groups.len()], vec![0_usize; self.folds]);
        for group in sorted {
            let smallest = (0..self.folds).min_by_key(|&k| sizes[k]).unwrap_or(0);
            sizes[smallest] += group.len();
            group.into_iter().for_each(|i| part[i] = smallest);
        }
        Ok(part)
    }

    fn time(&self, n: usize) -> Result<Vec<Fold>, Error> {
        self.check(self.folds, 1, n.saturating_sub(1))?;
        let bounds = |k: usize| (0..n).filter(move |&i| part_of(i, n, self.folds + 1) == k);
        let fold = |k: usize| {
            let test: Vec<usize> = bounds(k).collect();
            Fold { train: (0..test[0]).collect(), test }
        };
        Ok((1..=self.folds).map(fold).collect())
    }
}

/// The fold of the point with this rank among n, in k folds whose sizes differ by at most one, the
/// larger ones first.
fn part_of(rank: usize, n: usize, k: usize) -> usize {
    let (size, larger) = (n / k, n % k);
    let within = larger * (size + 1);
    if rank < within { rank / (size + 1) } else { larger + (rank - within) / size.max(1) }
}

/// The fold of points that are never tested.
const ALWAYS_LEARNED: usize = usize::MAX;

/// The training and test indices of each fold.
fn parts(part: &[usize], folds: usize) -> Vec<Fold> {
    let among = |k: usize, inside: bool| {
        let chosen = part.iter().enumerate().filter(move |(_, p)| (**p == k) == inside);
        chosen.map(|(i, _)| i).collect()
    };
    (0..folds).map(|k| Fold { train: among(k, false), test: among(k, true) }).collect()
}
