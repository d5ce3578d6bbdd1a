//! Bag-of-words and n-gram vectors of texts.

use super::Pipeline;
use crate::{Data, Error, Learner, Run, Targets, Transformer};
use kern_core::{Points, SparseSamples, named, named_parameters};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// Converts texts to sparse vectors of term counts: n-grams of words or of characters.
///
/// # Definition
/// Words are maximal sequences of at least two letters, digits and underscores, in lower case; the
/// words of an n-gram are joined by a blank, as in scikit-learn's `CountVectorizer`. Character
/// n-grams are taken at every position, without changes. The coordinates are the terms that occur
/// in at least [`min_df`](Terms::min_df) training texts, in alphabetical order; other terms
/// are ignored.
///
/// With [`tf_idf`](Terms::tf_idf) a count is multiplied by ln((1 + n)/(1 + n_t)) + 1, where n_t of
/// the n training texts contain the term, and each vector is divided by its norm, as in
/// scikit-learn's `TfidfVectorizer`.
///
/// # Complexity
/// O(characters · log terms).
///
/// # Examples
/// ```
/// use kern_core::{Points, kernels::Linear};
/// use kern_solvers::pipeline::Terms;
/// use kern_solvers::svm::Svc;
/// let texts = vec!["good film", "very good", "bad film", "very bad"];
/// let pipeline = Terms::words().tf_idf(true).then(Svc::on_kernel(Linear).c(100.0));
/// let model = pipeline.fit(&texts, &["+", "+", "-", "-"])?;
/// assert_eq!(model.map().terms(), ["bad", "film", "good", "very"]);
/// assert_eq!(model.predict(&vec!["a good one"])?, ["+"]);
///
/// // Words, and pairs of words: what "not" belongs to.
/// let texts = vec!["not good", "good", "not bad", "bad"];
/// let pipeline = Terms::words().ngram_range(1, 2).then(Svc::on_kernel(Linear).c(100.0));
/// let model = pipeline.fit(&texts, &["-", "+", "+", "-"])?;
/// assert_eq!(model.map().terms(), ["bad", "good", "not", "not bad", "not good"]);
/// assert_eq!(model.predict(&texts)?, ["-", "+", "+", "-"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "TF-IDF")]
#[doc(alias = "TfidfVectorizer")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    sequences: Sequences,
    min_df: usize,
    tf_idf: bool,
}

/// The unit of terms: words or characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sequences {
    of: Unit,
    /// The smallest and the largest number of words or characters in a term.
    shortest: usize,
    longest: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Unit {
    Words,
    Characters,
}

impl Terms {
    /// Words.
    #[must_use]
    pub const fn words() -> Self {
        let sequences = Sequences { of: Unit::Words, shortest: 1, longest: 1 };
        Self { sequences, min_df: 1, tf_idf: false }
    }

    /// Character n-grams of this length.
    #[must_use]
    pub const fn characters(length: usize) -> Self {
        let sequences = Sequences { of: Unit::Characters, shortest: length, longest: length };
        Self { sequences, min_df: 1, tf_idf: false }
    }

    /// Sets the smallest and the largest number of words or characters in a term: `ngram_range(1,
    /// 2)` of words gives unigrams and bigrams. Default: one word, or the given number of
    /// characters.
    #[must_use]
    pub const fn ngram_range(mut self, shortest: usize, longest: usize) -> Self {
        (self.sequences.shortest, self.sequences.longest) = (shortest, longest);
        self
    }

    /// Sets the smallest number of texts that contain a term. Default: 1.
    #[must_use]
    pub const fn min_df(mut self, documents: usize) -> Self {
        self.min_df = documents;
        self
    }

    /// Sets whether counts are weighted by inverse document frequency. Default: false.
    #[must_use]
    pub const fn tf_idf(mut self, tf_idf: bool) -> Self {
        self.tf_idf = tf_idf;
        self
    }

    /// A pipeline of these terms and a learner.
    pub const fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }
}

named_parameters!([] Terms { min_df("min_df", None), tf_idf("tf_idf", None) });

impl Sequences {
    /// The terms of a text, each with its count.
    fn counts(self, text: &str) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        let mut count = |term: String| *counts.entry(term).or_insert(0) += 1;
        match self.of {
            Unit::Words => {
                let words: Vec<String> = text
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .filter(|word| word.chars().nth(1).is_some())
                    .map(str::to_lowercase)
                    .collect();
                for length in self.lengths(words.len()) {
                    words.windows(length).for_each(|words| count(words.join(" ")));
                }
            }
            Unit::Characters => {
                let starts: Vec<usize> =
                    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                for length in self.lengths(starts.len() - 1) {
                    let terms = starts.iter().zip(starts.iter().skip(length));
                    terms.for_each(|(&start, &end)| count(text[start..end].to_string()));
                }
            }
        }
        counts
    }

    /// The possible lengths of terms in a text with this many words or characters.
    fn lengths(self, most: usize) -> RangeInclusive<usize> {
        self.shortest.max(1)..=self.longest.min(most)
    }

    fn check(self) -> Result<(), Error> {
        let Self { shortest, longest, .. } = self;
        Error::check_positive("the length of a term", shortest)?;
        if longest < shortest {
            let (name, allowed) = ("the longest length of a term", "at least the shortest");
            return Err(Error::Count { name, given: longest, allowed });
        }
        Ok(())
    }
}

impl<S, Y> Learner<Vec<S>, Y> for Terms
where
    S: AsRef<str>,
    Vec<S>: Points,
    Y: Targets,
{
    type Model = Vocabulary;

    /// # Errors
    /// [`Error::Count`] for terms of length zero, for a maximum below the minimum, or if no text
    /// contains a term.
    fn learn(&self, data: &Data<'_, Vec<S>, Y>, _: &mut Run<'_>) -> Result<Vocabulary, Error> {
        self.sequences.check()?;
        // The total weight of the texts that contain a term; their number if unweighted.
        let mut texts: BTreeMap<String, f64> = BTreeMap::new();
        for (i, text) in data.points().iter().enumerate().filter(|&(i, _)| data.weight(i) > 0.0) {
            for term in self.sequences.counts(text.as_ref()).into_keys() {
                *texts.entry(term).or_insert(0.0) += data.weight(i);
            }
        }
        let n: f64 = (0..data.len()).map(|i| data.weight(i)).sum();
        let weight = |of: f64| match self.tf_idf {
            true => ((1.0 + n) / (1.0 + of)).ln() + 1.0,
            false => 1.0,
        };
        let kept = texts.into_iter().filter(|&(_, of)| of >= self.min_df as f64);
        let (terms, weights) = kept.map(|(term, of)| (term, weight(of))).unzip();
        Vocabulary::new(Form { sequences: self.sequences, terms, weights, is_unit: self.tf_idf })
    }
}

/// The transformer fitted by [`Terms`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Vocabulary {
    form: Form,
    places: HashMap<String, u32>,
}

/// The serialised form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Form {
    sequences: Sequences,
    terms: Vec<String>,
    weights: Vec<f64>,
    is_unit: bool,
}

named! { [] Vocabulary = "terms"; }

impl From<Vocabulary> for Form {
    fn from(vocabulary: Vocabulary) -> Self {
        vocabulary.form
    }
}

impl TryFrom<Form> for Vocabulary {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self, Error> {
        Self::new(form)
    }
}

impl Vocabulary {
    fn new(form: Form) -> Result<Self, Error> {
        form.sequences.check()?;
        let (name, given) = ("terms", form.terms.len());
        if given == 0 || u32::try_from(given).is_err() {
            return Err(Error::Count { name, given, allowed: "from 1 to 2³² − 1" });
        }
        Error::check_equal("the weights of terms", given, form.weights.len())?;
        if !form.terms.is_sorted_by(|a, b| a < b) {
            return Err(Error::Count { name, given, allowed: "each once, in order" });
        }
        for &weight in &form.weights {
            kern_core::Positive::new("the weight of a term", weight)?;
        }
        let places = form.terms.iter().cloned().zip(0..).collect();
        Ok(Self { form, places })
    }

    /// The terms, in the order of the coordinates.
    #[must_use]
    pub fn terms(&self) -> &[String] {
        &self.form.terms
    }

    /// The entries of a text.
    fn entries(&self, text: &str) -> Vec<(u32, f64)> {
        let known = self.form.sequences.counts(text).into_iter().filter_map(|(term, count)| {
            let place = *self.places.get(&term)?;
            Some((place, f64::from(count) * self.form.weights[place as usize]))
        });
        let mut entries: Vec<(u32, f64)> = known.collect();
        if self.form.is_unit {
            let length = entries.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
            entries.iter_mut().for_each(|(_, value)| *value /= length);
        }
        entries
    }
}

impl<S> Transformer<Vec<S>> for Vocabulary
where
    S: AsRef<str>,
    Vec<S>: Points,
{
    type Output = SparseSamples<f64>;

    fn transform(&self, points: &Vec<S>) -> Result<SparseSamples<f64>, Error> {
        if Points::len(points) == 0 {
            return Err(Error::Empty);
        }
        let rows: Vec<Vec<(u32, f64)>> =
            points.iter().map(|text| self.entries(text.as_ref())).collect();
        Ok(SparseSamples::from_rows(self.terms().len(), &rows)?)
    }
}
