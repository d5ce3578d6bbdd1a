//! Sentences in three languages, told apart by the letters that follow each other.

use anyhow::Result;
use kern::closure::Normalized;
use kern::kernels::Spectrum;
use kern::solvers::{KMeans, KNearest};

/// The kernel: pieces of three letters in common, whatever the length of the sentences.
pub(crate) type SpectrumCosine = Normalized<Spectrum>;

/// The languages, and sentences in each of them.
const LANGUAGES: [(&str, [&str; 12]); 3] = [
    (
        "English",
        [
            "the ship had left the harbour before the storm came",
            "she found the old letters in the drawer of her desk",
            "we should have taken the other road through the hills",
            "they were waiting for the train with their heavy bags",
            "nothing would grow there but some grass and thistles",
            "what he thought about it he never told anyone",
            "the children were throwing stones into the water",
            "this house was built when my grandfather was young",
            "you cannot hear the bells from where we are standing",
            "another winter like that would have been too much",
            "the bread that she bakes is the best in the town",
            "there is something strange about that light over there",
        ],
    ),
    (
        "German",
        [
            "das schiff hatte den hafen schon vor dem sturm verlassen",
            "sie fand die alten briefe in der schublade des schreibtischs",
            "wir hätten doch den anderen weg durch die hügel nehmen sollen",
            "am bahnsteig warteten sie mit ihren schweren koffern",
            "dort wuchs nichts als ein wenig gras und ein paar disteln",
            "was er sich dabei dachte hat er niemandem gesagt",
            "die kinder warfen steine in das wasser und lachten",
            "dieses haus wurde gebaut als mein großvater jung war",
            "von hier aus kann man die glocken nicht hören",
            "noch ein solcher winter wäre einfach zu viel gewesen",
            "das brot das sie backt ist das beste in der ganzen stadt",
            "mit diesem licht dort drüben stimmt irgendetwas nicht",
        ],
    ),
    (
        "Italian",
        [
            "la nave aveva lasciato il porto prima della tempesta",
            "trovò le vecchie lettere nel cassetto della scrivania",
            "avremmo dovuto prendere l'altra strada tra le colline",
            "aspettavano il treno con le loro valigie pesanti",
            "non cresceva niente tranne un po' di erba e qualche cardo",
            "quello che ne pensava non lo disse mai a nessuno",
            "i bambini gettavano sassi nell'acqua e ridevano",
            "questa casa fu costruita quando mio nonno era giovane",
            "dal posto dove siamo non si sentono le campane",
            "un altro inverno come quello sarebbe stato troppo",
            "il pane che prepara lei è il migliore della città",
            "c'è qualcosa di strano in quella luce laggiù",
        ],
    ),
];

/// Of the sentences of a language, so many are for training.
const TRAIN: usize = 8;

/// Sentences and their languages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sentences {
    /// The sentences.
    pub(crate) points: Vec<&'static str>,
    /// Their languages.
    pub(crate) languages: Vec<&'static str>,
}

impl Sentences {
    /// The sentences of all languages with these places.
    fn new(places: std::ops::Range<usize>) -> Self {
        let (mut points, mut languages) = (Vec::new(), Vec::new());
        for (language, sentences) in LANGUAGES {
            points.extend_from_slice(&sentences[places.clone()]);
            languages.resize(points.len(), language);
        }
        Self { points, languages }
    }

    /// All of them.
    #[must_use]
    pub(crate) fn all() -> Self {
        Self::new(0..LANGUAGES[0].1.len())
    }

    /// Eight of each language for training, and four for testing.
    #[must_use]
    pub(crate) fn split() -> (Self, Self) {
        (Self::new(0..TRAIN), Self::new(TRAIN..LANGUAGES[0].1.len()))
    }
}

/// The kernel of the example.
///
/// # Errors
/// None: there are pieces of three letters.
pub(crate) fn kernel() -> Result<SpectrumCosine> {
    Ok(Normalized::new(Spectrum::new(3)?))
}

/// The cluster of each sentence, by a kernel k-means that is told how many languages there are.
///
/// # Errors
/// None in practice: the kernel is finite.
pub(crate) fn cluster(sentences: &Sentences, seed: u64) -> Result<Vec<usize>> {
    let machine = KMeans::on_kernel(kernel()?, LANGUAGES.len()).restarts(20).seed(seed);
    Ok(machine.fit(&sentences.points)?.labels().to_vec())
}

/// The share of test sentences that have the language of most of their five nearest neighbours.
///
/// # Errors
/// None in practice: the kernel is finite.
pub(crate) fn neighbours(train: &Sentences, test: &Sentences) -> Result<f64> {
    let nearest = KNearest::by_similarity(kernel()?).neighbors(5);
    let model = nearest.fit(&train.points, &train.languages)?;
    Ok(model.accuracy(&test.points, &test.languages)?)
}
