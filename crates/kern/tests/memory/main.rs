//! The memory that the layers allocate, measured: each test runs its work in a process of its own and looks at
//! the peak of the resident memory (on Linux; elsewhere it prints that it is skipped).
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::print_stdout, reason = "a child reports to its parent, a skipped test says so")]

mod learners;
mod support;

use kern::approx::{Nystrom, Selection, transform};
use kern::faer::Mat;
use kern::gram::{
    BlockedGram, CrossGram, DenseGram, GramOperator, LazyGram, MemoryBudget, PackedGram,
    Representation,
};
use kern::kernels::Linear;
use kern::solvers::svm::{OneClass, Svc, Svr};
use kern::solvers::{Data, Error, KNearest, Learner, Ridge, Run, Sgd, Storage};
use kern::{Points, Samples, SparseSamples};
use support::{SLACK, growth, ones, rbf, samples};

/// The bytes that a refused call says it needs.
fn needed(error: &Error) -> u64 {
    match error {
        Error::Gram(kern::gram::Error::Budget { needed, .. }) => *needed,
        other => panic!("{other}"),
    }
}

#[test]
fn a_lazy_product_takes_memory_in_proportion_to_n() {
    let grown = |n| {
        growth("a_lazy_product_takes_memory_in_proportion_to_n", n, |n| {
            let (x, v) = (samples(n, 2), ones(n));
            move || drop(LazyGram::new(&Linear, &x).unwrap().apply(v.as_ref()).unwrap())
        })
    };
    let (Some(few), Some(many)) = (grown(10_000), grown(40_000)) else { return };
    // The product itself, and the rounds of the tournament; n² would be 12 GiB.
    assert!(few <= SLACK && many <= SLACK + 2 * 40_000 * 8, "{few} and {many} bytes");
}

#[test]
fn a_cross_product_takes_a_tile() {
    let grown = growth("a_cross_product_takes_a_tile", 300_000, |n| {
        let (queries, x, v) = (samples(64, 3), samples(n, 3), ones(n));
        move || drop(CrossGram::new(&rbf(), &queries, &x).unwrap().apply(v.as_ref()).unwrap())
    });
    assert!(grown.is_none_or(|grown| grown <= SLACK));
}

#[test]
fn a_dense_matrix_takes_its_own_size() {
    let grown = growth("a_dense_matrix_takes_its_own_size", 4_000, |n| {
        let x = samples(n, 4);
        move || drop(DenseGram::new(&rbf(), &x, &MemoryBudget::bytes(8 * 4_000 * 4_000)).unwrap())
    });
    let size = 8 * 4_000 * 4_000;
    assert!(grown.is_none_or(|grown| (size..=size + SLACK).contains(&grown)), "{grown:?}");
}

#[test]
fn a_packed_matrix_takes_half() {
    let budget = || MemoryBudget::bytes(Representation::Packed.bytes::<f64>(4_000));
    let grown = growth("a_packed_matrix_takes_half", 4_000, |n| {
        let (x, v) = (samples(n, 4), ones(n));
        move || drop(PackedGram::new(&rbf(), &x, &budget()).unwrap().apply(v.as_ref()).unwrap())
    });
    let size = 4 * 4_000 * 4_000;
    let most = budget().as_bytes() + SLACK;
    assert!(grown.is_none_or(|grown| (size..=most).contains(&grown)), "{grown:?}");
}

#[test]
fn a_blocked_matrix_keeps_as_much_as_its_budget_allows() {
    let budget = MemoryBudget::mebibytes(20);
    let grown = growth("a_blocked_matrix_keeps_as_much_as_its_budget_allows", 5_000, |n| {
        let x = samples(n, 4);
        move || {
            let (kernel, mut out) = (rbf(), Mat::zeros(n, 100));
            let gram = BlockedGram::new(&kernel, &x, &budget).unwrap();
            for start in (0..n).step_by(100) {
                let columns: Vec<usize> = (start..start + 100).collect();
                gram.columns_into(&columns, out.as_mut()).unwrap();
            }
        }
    });
    // All columns are 191 MiB.
    assert!(grown.is_none_or(|grown| grown <= budget.as_bytes() + SLACK), "{grown:?}");
}

#[test]
fn filling_given_memory_takes_tiles() {
    let grown = growth("filling_given_memory_takes_tiles", 3_000, |n| {
        let (x, mut out) = (samples(n, 40), Mat::full(n, n, 1.0));
        move || DenseGram::fill(&(rbf() + 0.5 * rbf()), &x, out.as_mut()).unwrap()
    });
    assert!(grown.is_none_or(|grown| grown <= SLACK), "{grown:?}");
}

#[test]
fn the_index_of_sparse_samples_is_bounded_by_their_entries() {
    // Few samples with many features are the worst case for columns with zeros.
    let grown = growth("the_index_of_sparse_samples_is_bounded_by_their_entries", 200_000, |dim| {
        let rows = vec![(0..dim as u32).map(|k| (k, 1.0)).collect::<Vec<_>>(); 5];
        let x = SparseSamples::from_rows(dim, &rows).unwrap();
        move || drop(DenseGram::new(&Linear, &x, &MemoryBudget::mebibytes(1)).unwrap())
    });
    assert!(grown.is_none_or(|grown| grown <= 5 * 200_000 * 64 + SLACK), "{grown:?}");
}

#[test]
fn nystrom_keeps_its_budget() {
    let fit = |x: &Samples<f64>, budget| {
        Nystrom::new(rbf()).landmarks(1_000).rank(100).fit(x, &budget).map_err(Error::from)
    };
    let grown = growth("nystrom_keeps_its_budget", 20_000, |n| {
        let x = samples(n, 5);
        move || {
            let budget = MemoryBudget::bytes(needed(&fit(&x, MemoryBudget::bytes(0)).unwrap_err()));
            let map = fit(&x, budget).unwrap();
            let features = MemoryBudget::bytes(8 * 20_000 * 100);
            drop(transform(&map, &x, &features).unwrap());
        }
    });
    let budget = needed(&fit(&samples(20_000, 5), MemoryBudget::bytes(0)).unwrap_err());
    assert!(budget >= 3 * 8 * 1_000 * 1_000, "{budget}");
    assert!(grown.is_none_or(|grown| grown <= budget + SLACK), "{grown:?} of {budget}");
}

#[test]
fn random_pivots_keep_their_budget() {
    let fit = |x: &Samples<f64>, budget| {
        let params = Nystrom::new(rbf()).landmarks(300).selection(Selection::RandomPivots);
        params.fit_transform(x, &budget).map_err(Error::from)
    };
    let grown = growth("random_pivots_keep_their_budget", 20_000, |n| {
        let x = samples(n, 5);
        move || {
            let budget = needed(&fit(&x, MemoryBudget::bytes(0)).unwrap_err());
            drop(fit(&x, MemoryBudget::bytes(budget)).unwrap());
        }
    });
    let budget = needed(&fit(&samples(20_000, 5), MemoryBudget::bytes(0)).unwrap_err());
    // The features, and little else.
    let features = 8 * 20_000 * 300;
    assert!((features..features * 5 / 4).contains(&budget), "{budget}");
    assert!(grown.is_none_or(|grown| grown <= budget + SLACK), "{grown:?} of {budget}");
}

#[test]
fn ridge_keeps_its_budget() {
    let fit = |x: &Samples<f64>, budget| {
        let data = Data::new(x, &vec![1.0_f64; x.len()])?;
        Ridge::on_kernel(rbf()).learn(&data, &mut Run::new().memory(budget))
    };
    let grown = growth("ridge_keeps_its_budget", 3_000, |n| {
        let x = samples(n, 5);
        move || {
            let budget = needed(&fit(&x, MemoryBudget::bytes(0)).unwrap_err());
            drop(fit(&x, MemoryBudget::bytes(budget)).unwrap());
        }
    });
    let budget = needed(&fit(&samples(3_000, 5), MemoryBudget::bytes(0)).unwrap_err());
    assert!(grown.is_none_or(|grown| grown <= budget + SLACK), "{grown:?} of {budget}");
}

#[test]
fn sgd_on_the_fly_takes_columns_that_do_not_grow() {
    let grown = growth("sgd_on_the_fly_takes_columns_that_do_not_grow", 30_000, |n| {
        let (x, y) = (samples(n, 2), vec![1.0; n]);
        let sgd = Sgd::on_kernel(rbf()).storage(Storage::OnTheFly).iterations(500);
        move || drop(sgd.fit(&x, &y).unwrap())
    });
    // At most 16 MiB of columns are looked ahead at.
    assert!(grown.is_none_or(|grown| grown <= SLACK + (16 << 20)), "{grown:?}");
}

#[test]
fn many_neighbours_of_many_queries_are_not_held_at_once() {
    let grown = growth("many_neighbours_of_many_queries_are_not_held_at_once", 3_000, |n| {
        let (x, y) = (samples(n, 2), vec![1.0_f64; n]);
        let model = KNearest::by_distance(rbf()).neighbors(n).fit(&x, &y).unwrap();
        move || drop(model.predict(&x).unwrap())
    });
    // All of them would be 3000² neighbours of 16 bytes.
    assert!(grown.is_none_or(|grown| grown <= SLACK + 3 * (8 << 20)), "{grown:?}");
}

#[test]
fn as_many_classes_as_points_are_refused_within_a_budget() {
    let (x, budget) = (samples(2_000, 2), MemoryBudget::mebibytes(100));
    let labels: Vec<usize> = (0..x.len()).collect();
    let data = Data::new(&x, &labels).unwrap();
    let ridge = Ridge::on_kernel(rbf()).learn(&data, &mut Run::new().memory(budget)).unwrap_err();
    assert_eq!(needed(&ridge), 4 * 8 * 2_000 * 2_000);
    let sgd = Sgd::on_kernel(rbf()).storage(Storage::OnTheFly);
    let refused = sgd.learn(&data, &mut Run::new().memory(budget));
    assert_eq!(needed(&refused.unwrap_err()), 4 * 8 * 2_000 * 2_000);
}

/// All that a machine takes is in its budget, to 5 %.
fn keeps_within(test: &str, size: usize, fit: impl Fn(&Samples<f64>, MemoryBudget) + Sync) {
    let (budget, fit) = (MemoryBudget::mebibytes(64), &fit);
    let grown = growth(test, size, |n| {
        let x = samples(n, 2);
        move || fit(&x, budget)
    });
    // Half of it at least are columns, so the bound can fail.
    let bytes = budget.as_bytes();
    assert!(grown.is_none_or(|grown| (bytes / 2..=bytes / 20 * 21).contains(&grown)), "{grown:?}");
}

#[test]
fn two_classes_of_support_vectors_keep_their_budget() {
    keeps_within("two_classes_of_support_vectors_keep_their_budget", 60_000, |x, budget| {
        let y: Vec<bool> = (0..x.len()).map(|i| x.item(i)[0] + x.item(i)[1] > 1.0).collect();
        let svc = Svc::on_kernel(rbf()).max_iterations(3_000);
        drop(svc.learn(&Data::new(x, &y).unwrap(), &mut Run::new().memory(budget)).unwrap());
    });
}

#[test]
fn many_classes_of_support_vectors_keep_their_budget() {
    keeps_within("many_classes_of_support_vectors_keep_their_budget", 36_000, |x, budget| {
        let y: Vec<u8> = (0..x.len()).map(|i| (8.0 * x.item(i)[0]) as u8).collect();
        let svc = Svc::on_kernel(rbf()).max_iterations(500);
        drop(svc.learn(&Data::new(x, &y).unwrap(), &mut Run::new().memory(budget)).unwrap());
    });
}

#[test]
fn regression_by_support_vectors_keeps_its_budget() {
    keeps_within("regression_by_support_vectors_keeps_its_budget", 60_000, |x, budget| {
        let y: Vec<f64> = (0..x.len()).map(|i| (9.0 * x.item(i)[0]).sin()).collect();
        let svr = Svr::on_kernel(rbf()).max_iterations(3_000);
        drop(svr.learn(&Data::new(x, &y).unwrap(), &mut Run::new().memory(budget)).unwrap());
    });
}

#[test]
fn variants_of_support_vector_machines_keep_their_budgets() {
    keeps_within("variants_of_support_vector_machines_keep_their_budgets", 40_000, |x, budget| {
        let y: Vec<f64> = (0..x.len()).map(|i| (9.0 * x.item(i)[0]).sin()).collect();
        let svr = Svr::on_kernel(rbf()).nu(0.01).max_iterations(2_000);
        drop(svr.learn(&Data::new(x, &y).unwrap(), &mut Run::new().memory(budget)).unwrap());
        let one = OneClass::on_kernel(rbf()).nu(0.01).max_iterations(2_000);
        let data = Data::unlabelled(x).unwrap();
        drop(one.learn(&data, &mut Run::new().memory(budget)).unwrap());
    });
}

#[test]
fn a_whole_matrix_of_kernel_values_keeps_the_budget() {
    keeps_within("a_whole_matrix_of_kernel_values_keeps_the_budget", 2_300, |x, budget| {
        // Two classes would ask for the columns of support vectors only.
        let y: Vec<u8> = (0..x.len()).map(|i| (3.0 * x.item(i)[0]) as u8).collect();
        let svc = Svc::on_kernel(rbf()).max_iterations(30_000);
        drop(svc.learn(&Data::new(x, &y).unwrap(), &mut Run::new().memory(budget)).unwrap());
    });
}
