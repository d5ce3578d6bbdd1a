//! Rows of a table: points with components of several kinds.

use serde::{Deserialize, Serialize};

/// Earlier scalar values are control characters, which debuggers do not print.
const FIRST: u32 = '0' as u32;

/// The surrogates, which are not Unicode scalar values.
const SURROGATES: std::ops::Range<u32> = 0xD800..0xE000;

/// A row of a table: its numerical values, its categories and its text.
///
/// A formula on `Vec<Row>` is a kernel on all three: families for vectors act on the numerical
/// values, families for strings on the text, and the kernels that compare letters (`hamming`,
/// `hamming_rbf`, `delta`) on the categories, or on the text if rows have no categories. So
/// `rbf(gamma=0.1) * hamming_rbf(gamma=0.5) + spectrum(k=3)` is a kernel on a table with columns of
/// all kinds.
///
/// Categories are a string with one letter for each column, [`Row::letter`] of the category's
/// index, so kernels that count equal letters count equal columns.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, KernelSpec, Row};
/// let row = |numbers: [f64; 2], category: u32| Row {
///     numbers: numbers.to_vec(),
///     categories: Row::letter(category).into_iter().collect(),
///     text: String::new(),
/// };
/// let rows = vec![row([1.0, 2.0], 0), row([3.0, 1.0], 0), row([3.0, 1.0], 1)];
/// let kernel = "linear * delta".parse::<KernelSpec>()?.build_mercer::<Vec<Row>>()?;
/// assert_eq!(kernel.eval(&rows[0], &rows[1]), 1.0 * 3.0 + 2.0 * 1.0);
/// assert_eq!(kernel.eval(&rows[1], &rows[2]), 0.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The numerical values; the same number in all rows.
    pub numbers: Vec<f64>,
    /// One letter for each categorical column.
    pub categories: String,
    /// The text.
    pub text: String,
}

impl Row {
    /// The letter of the category with this index, if it is less than the number of letters,
    /// 1,112,000.
    #[must_use]
    pub fn letter(category: u32) -> Option<char> {
        let letter = category.checked_add(FIRST)?;
        let beyond = letter.checked_sub(SURROGATES.start).is_some();
        char::from_u32(if beyond { letter.checked_add(SURROGATES.len() as u32)? } else { letter })
    }
}
