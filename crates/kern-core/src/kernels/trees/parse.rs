//! Trees from bracket notation.

use super::Tree;
use std::str::FromStr;

/// A fault in a tree in bracket notation. Positions are bytes from the start of the text.
///
/// # Examples
/// ```
/// use kern_core::kernels::{ParseTreeError, Tree};
/// let error = "(S (NP cat)".parse::<Tree>().unwrap_err();
/// assert_eq!(error, ParseTreeError::Unclosed { at: 0 });
/// assert_eq!(error.to_string(), "the bracket at byte 0 is not closed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTreeError {
    /// There is no tree.
    #[error("there is no tree in the text")]
    Empty,
    /// A bracket is opened and no label follows.
    #[error("a label is expected at byte {at}, after the bracket")]
    NoLabel {
        /// The position where the label should be.
        at: usize,
    },
    /// A bracket is opened and not closed.
    #[error("the bracket at byte {at} is not closed")]
    Unclosed {
        /// The position of the bracket; of several the innermost.
        at: usize,
    },
    /// A bracket is closed that is not open.
    #[error("the bracket at byte {at} closes nothing")]
    Unopened {
        /// The position of the bracket.
        at: usize,
    },
    /// The tree is complete, and something follows.
    #[error("the tree ends before byte {at}, where something follows")]
    Trailing {
        /// The position where it starts.
        at: usize,
    },
}

/// Splits a text into brackets and labels, with their positions.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text[at..].trim_start();
        let start = text.len() - rest.len();
        let ends_label = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        let length = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest.find(ends_label).unwrap_or(rest.len()),
        };
        at = start + length;
        Some((start, &text[start..at]))
    })
}

impl FromStr for Tree {
    type Err = ParseTreeError;

    /// Reads `label` or `(label tree tree …)`, separated by white space. `(label)` is `label`.
    fn from_str(text: &str) -> Result<Self, ParseTreeError> {
        let (mut labels, mut children) = (Vec::new(), Vec::new());
        // Open brackets: where they are, and their node.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut tokens = tokens(text);
        while let Some((at, token)) = tokens.next() {
            if token == ")" {
                open.pop().ok_or(ParseTreeError::Unopened { at })?;
                continue;
            }
            match open.last() {
                Some(&(_, parent)) => children[parent] += 1,
                None if labels.is_empty() => {}
                None => return Err(ParseTreeError::Trailing { at }),
            }
            let mut label = token;
            if token == "(" {
                open.push((at, labels.len()));
                let (place, next) = tokens.next().ok_or(ParseTreeError::Unclosed { at })?;
                if matches!(next, "(" | ")") {
                    return Err(ParseTreeError::NoLabel { at: place });
                }
                label = next;
            }
            labels.push(label.to_string());
            children.push(0);
        }
        match open.last() {
            Some(&(at, _)) => Err(ParseTreeError::Unclosed { at }),
            // The counts describe one tree, unless there is none.
            None => Self::from_preorder(labels, &children).map_err(|_| ParseTreeError::Empty),
        }
    }
}
