//! Numbers in files: how they are read, and printed so that nothing is lost.

use std::fmt;

/// A label or target of a file: a floating-point number or an integer.
///
/// # Examples
/// ```
/// use kern_core::libsvm::Number;
/// assert_eq!(f64::read("-1.5e3"), Some(-1500.0));
/// // Programs print classes as floating-point numbers, too.
/// assert_eq!((i8::read("+1"), i8::read("2.0"), u8::read("-1")), (Some(1), Some(2), None));
/// assert_eq!((i8::read("0.5"), f64::read("inf"), f32::read("1e39")), (None, None, None));
/// assert_eq!(0.1_f32.print().to_string(), "0.1");
/// ```
pub trait Number: Copy + PartialEq + fmt::Debug {
    /// The name of the type, for messages.
    const NAME: &'static str;

    /// The number that a word stands for, if it is a finite one of this type.
    fn read(word: &str) -> Option<Self>;

    /// The number as it stands in a file.
    fn print(self) -> Shortest<Self>;

    /// Tells whether it is neither NaN nor infinite.
    fn is_finite_number(self) -> bool;
}

/// Prints a number with the fewest digits that tell it from all others of its type.
///
/// # Examples
/// ```
/// use kern_core::libsvm::Shortest;
/// let texts = [0.1, -3.0, 1e300, 1e-7].map(|number: f64| Shortest(number).to_string());
/// assert_eq!(texts, ["0.1", "-3", "1e300", "1e-7"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortest<N>(
    /// The number.
    pub N,
);

/// `{:?}` has an exponent where it is shorter, and a fraction even where it is zero.
impl<N: fmt::Debug> fmt::Display for Shortest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Number for $float {
            const NAME: &'static str = stringify!($float);

            fn read(word: &str) -> Option<Self> {
                word.parse().ok().filter(|number: &Self| number.is_finite())
            }

            fn print(self) -> Shortest<Self> {
                Shortest(self)
            }

            fn is_finite_number(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Number for $integer {
            const NAME: &'static str = stringify!($integer);

            fn read(word: &str) -> Option<Self> {
                word.parse().ok().or_else(|| {
                    // From 2⁵³ on, a floating-point number may stand for its neighbour.
                    let exact = |n: &f64| n.fract() == 0.0 && n.abs() < EXACT;
                    let number = f64::read(word).filter(exact)?;
                    (number as i64).try_into().ok()
                })
            }

            fn print(self) -> Shortest<Self> {
                Shortest(self)
            }

            fn is_finite_number(self) -> bool {
                true
            }
        }
    )*};
}

floats!(f32, f64);
integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
