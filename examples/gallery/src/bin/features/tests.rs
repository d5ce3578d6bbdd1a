//! Errors of feature maps by their definition.

use crate::comparison::{Comparison, MAPS, dims, root_mean_square_difference};
use kern::faer::mat;
use kern::gram::MemoryBudget;
use kern::kernels::Rbf;
use kern::{Kernel, Points, Samples};
use kern_gallery::data;

/// The errors of a map and all its seeds, by the definition.
#[test]
fn comparison_measures_the_error_of_kernel_values() {
    let points = data::digits().unwrap().draw(40, 5).unwrap().points;
    let (kernel, budget) = (Rbf::new(0.1).unwrap(), MemoryBudget::mebibytes(16));
    let mut comparison = Comparison::new(kernel, points.clone(), budget).unwrap();
    for (name, map) in MAPS {
        let outcome = comparison.outcome(map, 16, &[3, 4]).unwrap();
        let errors = [3, 4].map(|seed| {
            let (z, _) = map.features(kernel, &points, (16, seed), &budget).unwrap();
            let pairs = (0..40).flat_map(|i| (0..40).map(move |j| (i, j)));
            let squares = pairs.map(|(i, j)| {
                let value: f64 = z.item(i).iter().zip(z.item(j)).map(|(a, b)| a * b).sum();
                let exact = Kernel::<Samples<f64>>::eval(&kernel, points.item(i), points.item(j));
                (value - exact).powi(2)
            });
            (squares.sum::<f64>() / 1600.0).sqrt()
        });
        assert!((outcome.error - (errors[0] + errors[1]) / 2.0).abs() < 1e-14, "{name}");
        assert!(outcome.seconds > 0.0 && outcome.seconds.is_finite());
    }
    let all = comparison.outcome(MAPS[6].1, 40, &[0]).unwrap();
    assert!(all.error < 1e-12 && all.trace.unwrap().abs() < 1e-12, "every point is a landmark");
    assert!(comparison.outcome(MAPS[0].1, 16, &[]).is_err());
    let little = MemoryBudget::bytes(2 * 40 * 40 * 8 - 1);
    assert!(Comparison::new(kernel, points, little).is_err());
}

#[test]
fn numbers_of_features_double() {
    assert_eq!(dims(15), [0; 0]);
    assert_eq!(dims(16), [16]);
    assert_eq!(dims(100), [16, 32, 64]);
    assert_eq!(dims(usize::MAX).len(), usize::BITS as usize - 4);
}

#[test]
fn root_mean_square_is_over_all_entries() {
    let (a, b) = (mat![[1.0, 2.0], [3.0, 4.0]], mat![[0.0, 2.0], [0.0, 1.0]]);
    let difference = root_mean_square_difference(a.as_ref(), b.as_ref());
    assert!((difference - (19.0_f64 / 4.0).sqrt()).abs() < 1e-15);
}
