//! Real data: the digits, which are part of the project, and MNIST, which is not.

use crate::case::Size;
use crate::data::{Labelled, Stream};
use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use kern_core::Samples;
use kern_data::{Column, Kind, Source, Values};
use rand::seq::SliceRandom;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder of the data.
pub const FOLDER: &str = "KERN_DATA";

/// The variants on data that is not part of the project, with the files.
const FILES: [(&str, &[&str]); 8] = [
    ("mnist4000", &[IMAGES, LABELS]),
    ("heart", &["heart_scale.svm.gz"]),
    ("svmguide1", &["svmguide1_train.svm.gz"]),
    ("letter", &["letter.csv.gz"]),
    ("a9a", &["a9a_train.svm.gz"]),
    ("concrete", &["concrete.csv.gz"]),
    ("spam,hinge", &[MESSAGES]),
    ("spam,squared", &[MESSAGES]),
];

const MESSAGES: &str = "sms_spam.tsv.gz";
const IMAGES: &str = "mnist_train_images.idx3-ubyte.gz";
const LABELS: &str = "mnist_train_labels.idx1-ubyte.gz";

/// The folder of data that is not part of the project: [`FOLDER`], by default `shared/data` beside the
/// workspace.
#[must_use]
pub fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os(FOLDER).map_or_else(beside, PathBuf::from)
}

/// The file that a variant lacks, in words, if it lacks one. Tiny inputs need no files.
#[must_use]
pub fn lacking(variant: &str, size: Size, folder: &Path) -> Option<String> {
    let (_, files) = FILES.iter().find(|(name, _)| *name == variant && size != Size::Tiny)?;
    let file = files.iter().find(|file| !folder.join(file).is_file())?;
    Some(format!("{file} is not in {}; see --data", folder.display()))
}

/// The digits: 1797 images of 8 × 8 pixels, scaled to [0, 1], in ten classes, in random order.
///
/// # Errors
/// If the table does not parse.
pub fn digits() -> Result<Labelled<i64>> {
    let text = include_str!("../../examples/data/digits.csv");
    let row = |line: &str| -> Result<(Vec<f64>, i64)> {
        let (pixels, class) = line.rsplit_once(',').context("a row has columns")?;
        let scaled = |field: &str| Ok(field.parse::<f64>()? / 16.0);
        Ok((pixels.split(',').map(scaled).collect::<Result<_>>()?, class.parse()?))
    };
    let mut rows: Vec<_> = text.lines().skip(1).map(row).collect::<Result<_>>()?;
    rows.shuffle(&mut Stream::SvmOrder.rng());
    let (x, y): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    Ok(Labelled { x: Samples::from_rows(&x)?, y })
}

/// The path of a file that is part of the project, compressed or, without `.gz`, plain; or else of one in the folder.
pub(crate) fn place(folder: &Path, file: &str) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data");
    let own = [file, file.trim_end_matches(".gz")].map(|name| project.join(name));
    own.into_iter().find(|path| path.is_file()).unwrap_or_else(|| folder.join(file))
}

/// At most `most` rows of a table with a column `target`, in random order: numbers that have mean 0 and deviation 1, or the
/// places of the classes among all of them. What is not in the folder is part of the project.
///
/// # Errors
/// If the file cannot be read.
pub fn table(
    folder: &Path,
    file: &str,
    regression: bool,
    most: usize,
) -> Result<(Samples<f64>, Vec<f64>)> {
    let path = place(folder, file);
    let kind = if regression { Kind::Number } else { Kind::Category { levels: Vec::new() } };
    let table = Source::open(path)?.kind("target", kind).read()?;
    let mut order: Vec<usize> = (0..table.len()).collect();
    order.shuffle(&mut Stream::SvmOrder.rng());
    order.truncate(most);
    let (target, points) = table.select(&order)?.split("target")?;
    let columns = points.columns().iter().map(Column::numbers).collect::<Result<Vec<_>, _>>()?;
    let rows = (0..order.len()).flat_map(|i| columns.iter().map(move |column| column[i]));
    let x = Samples::from_row_major(columns.len(), rows.collect())?;
    let y = match &target.values {
        Values::Categories(classes) => {
            classes.codes.iter().flatten().map(|&code| f64::from(code)).collect()
        }
        _ => standardized(target.numbers()?),
    };
    Ok((x, y))
}

fn standardized(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter().map(|v| (v - mean) / deviation).collect()
}

/// `count` images of the training set of MNIST, 28 × 28 pixels scaled to [0, 1], drawn at random.
///
/// # Errors
/// If the files are not there, or are none of that set.
pub fn mnist(folder: &Path, count: usize) -> Result<Labelled<i64>> {
    let (images, labels) = (idx(&folder.join(IMAGES), 16)?, idx(&folder.join(LABELS), 8)?);
    let (pixels, n) = (28 * 28, labels.len());
    ensure!(images.len() == n * pixels && n >= count, "{n} labels, {} pixels", images.len());
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut Stream::SvmOrder.rng());
    order.truncate(count);
    let image = |&i: &usize| images[i * pixels..(i + 1) * pixels].iter();
    let values = order.iter().flat_map(image).map(|&v| f64::from(v) / 255.0).collect();
    let y = order.iter().map(|&i| i64::from(labels[i])).collect();
    Ok(Labelled { x: Samples::from_row_major(pixels, values)?, y })
}

/// The messages of the SMS spam collection in random order, and 1 for spam, -1 for others.
///
/// # Errors
/// If the file is not there, or is none of that kind.
pub fn messages(folder: &Path) -> Result<(Vec<String>, Vec<i64>)> {
    let text = String::from_utf8(idx(&folder.join(MESSAGES), 0)?)?;
    let line = |line: &str| -> Result<(String, i64)> {
        let (label, text) = line.split_once('\t').context("a line has a label and a text")?;
        Ok((text.to_owned(), if label == "spam" { 1 } else { -1 }))
    };
    let mut lines: Vec<_> = text.lines().skip(1).map(line).collect::<Result<_>>()?;
    lines.shuffle(&mut Stream::SvmOrder.rng());
    Ok(lines.into_iter().unzip())
}

/// The bytes after the header of a compressed file.
fn idx(path: &Path, header: usize) -> Result<Vec<u8>> {
    let read = || {
        let mut bytes = Vec::new();
        GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
        anyhow::Ok(bytes.split_off(header.min(bytes.len())))
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kern_core::Points;

    #[test]
    fn the_digits_are_all_there() -> Result<()> {
        let Labelled { x, y } = digits()?;
        assert_eq!((x.len(), x.dim(), y.len()), (1797, 64, 1797));
        assert!(x.as_slice().iter().all(|v| (0.0..=1.0).contains(v)));
        let count = |digit| y.iter().filter(|&&y| y == digit).count();
        let counts: Vec<usize> = (0..10).map(count).collect();
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert!(!y.is_sorted() && y[..20] != (0..20).map(|i| i % 10).collect::<Vec<_>>());
        Ok(())
    }

    #[test]
    fn data_that_is_not_there_is_named() {
        let nowhere = Path::new("nowhere");
        assert_eq!(lacking("digits", Size::Full, nowhere), None);
        assert_eq!(lacking("mnist4000", Size::Tiny, nowhere), None);
        let reason = lacking("mnist4000", Size::Quick, nowhere).unwrap_or_default();
        assert!(reason.contains(IMAGES) && reason.contains("nowhere"), "{reason}");
        assert!(mnist(nowhere, 1).is_err());
    }
}
