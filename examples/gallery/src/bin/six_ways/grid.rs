//! The settings that are compared.

use crate::problem::Family;

/// A grid of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    /// 120 of them, with n up to 20 000 and D up to 3003.
    Full,
    /// 24, with n up to 2000.
    Quick,
    /// Two tiny ones, to see that the program works.
    Tiny,
}

/// n, d, the kernel with its features, and T.
pub(crate) type Sizes = (usize, usize, Family, usize);

/// All settings of a grid.
#[must_use]
pub(crate) fn settings(grid: Grid) -> Vec<Sizes> {
    use Family::{Polynomial, Rbf};
    /// Dimensions and kernels; the comments are D.
    const FAMILIES: [(usize, Family); 10] = [
        (2, Polynomial(3, 8)),     // 10
        (2, Polynomial(12, 64)),   // 91
        (8, Polynomial(2, 32)),    // 45
        (8, Polynomial(4, 128)),   // 495
        (8, Polynomial(6, 512)),   // 3003
        (16, Polynomial(3, 256)),  // 969
        (64, Polynomial(2, 1024)), // 2145
        (2, Rbf(100)),
        (16, Rbf(512)),
        (64, Rbf(2000)),
    ];
    let (points, per_point, families): (&[usize], &[(usize, usize)], &[_]) = match grid {
        Grid::Full => (&[500, 2000, 6000, 20_000], &[(1, 2), (3, 1), (20, 1)], &FAMILIES),
        Grid::Quick => {
            (&[500, 2000], &[(1, 2), (3, 1), (20, 1)], &[1, 3, 6, 8].map(|k| FAMILIES[k]))
        }
        Grid::Tiny => (&[100], &[(1, 1)], &[0, 7].map(|k| FAMILIES[k])),
    };
    let mut all = Vec::new();
    for &n in points {
        for &(dim, family) in families {
            all.extend(per_point.iter().map(|(times, over)| (n, dim, family, n * times / over)));
        }
    }
    all
}
