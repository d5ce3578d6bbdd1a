//! The direction of the outputs in which a mistake moves the functions.

/// The outputs that rise and fall with a mistake: of two classes one output rises or falls, of more that of the right
/// class rises and that of its rival falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    rising: Option<usize>,
    falling: Option<usize>,
}

impl Direction {
    /// For a point of this class, where the functions have the values `f`.
    pub(super) fn new(f: &[f64], class: usize) -> Self {
        if f.len() == 1 {
            let right = class == 1;
            return Self { rising: right.then_some(0), falling: (!right).then_some(0) };
        }
        let mut rival = usize::from(class == 0);
        for c in rival + 1..f.len() {
            if c != class && f[c] > f[rival] {
                rival = c;
            }
        }
        Self { rising: Some(class), falling: Some(rival) }
    }

    /// The direction of a mistake which has left these coefficients.
    pub(super) fn of(coefficients: &[f64]) -> Self {
        let rising = coefficients.iter().position(|&a| a > 0.0);
        Self { rising, falling: coefficients.iter().position(|&a| a < 0.0) }
    }

    /// The margin: the value of what rises, less that of what falls.
    pub(super) fn along(self, f: &[f64]) -> f64 {
        let value = |output: Option<usize>| output.map_or(0.0, |k| f[k]);
        value(self.rising) - value(self.falling)
    }

    /// The outputs and their signs.
    pub(super) fn signs(self) -> impl Iterator<Item = (usize, f64)> {
        let rising = self.rising.into_iter().map(|k| (k, 1.0));
        rising.chain(self.falling.into_iter().map(|k| (k, -1.0)))
    }

    /// The square of its length.
    pub(super) fn squared_length(self) -> f64 {
        f64::from(u8::from(self.rising.is_some()) + u8::from(self.falling.is_some()))
    }
}
