//! Support vector machines on every kind of points, in both precisions, however the kernel matrix is kept: the
//! same optimum, to what the duality gap allows; weights that repeat points.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::ptr_arg, reason = "a collection of points is a vector, not a slice")]

use super::problem::{Evidence, N, data, rbf, two, weighted, within};
use kern_core::closure::Normalized;
use kern_core::kernels::{
    Graph, Jaccard, Rbf, Spectrum, Subsequence, SubsetTree, Tree, WeisfeilerLehman,
};
use kern_core::{Mercer, Points, Samples, SparseSamples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Classifier, KernelExpansion, NoveltyDetector, Regressor};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{Report, Target, Values};

/// Function values and reports of all machines.
struct All {
    values: Vec<(&'static str, Vec<f64>, Report)>,
}

/// All machines with C = 1, converged to `tolerance`; targets are ±1 and the labels where they are positive.
fn all<P, K>(points: &P, kernel: &K, labels: &[bool], tolerance: f64, budget: MemoryBudget) -> All
where
    P: Points,
    K: Mercer<P>,
    P::Scalar: Target<Targets = Values<P::Scalar>>,
{
    use kern_core::Scalar;
    let wave = |i: usize| if labels[i] { 1.0 } else { -1.0 } + 0.4 * (i as f64).sin();
    let targets: Vec<P::Scalar> = (0..labels.len()).map(|i| P::Scalar::from_f64(wave(i))).collect();
    let doubles = |f: &[P::Scalar]| f.iter().map(|f| f.to_f64()).collect::<Vec<f64>>();
    let with = (budget, None);
    let svc = Svc::on_kernel(kernel).violation(tolerance);
    let nu = within(&svc.clone().nu(0.3), (points, labels), with).unwrap();
    let svc = within(&svc, (points, labels), with).unwrap();
    let svr = Svr::on_kernel(kernel).violation(tolerance);
    let nu_svr = within(&svr.clone().nu(0.5), (points, &targets), with).unwrap();
    let svr = within(&svr, (points, &targets), with).unwrap();
    let one =
        within(&OneClass::on_kernel(kernel).violation(tolerance), (points, ()), with).unwrap();
    let of = |f: kern_core::faer::Mat<P::Scalar>| doubles(f.col_as_slice(0));
    let values = vec![
        ("C-SVC", of(svc.decision_values(points).unwrap()), svc.report().clone()),
        ("nu-SVC", of(nu.decision_values(points).unwrap()), nu.report().clone()),
        ("SVR", doubles(&svr.predict(points).unwrap()), svr.report().clone()),
        ("nu-SVR", doubles(&nu_svr.predict(points).unwrap()), nu_svr.report().clone()),
        ("one class", of(one.decision_values(points).unwrap()), one.report().clone()),
    ];
    for (name, _, report) in &values {
        assert!(report.status.has_converged(), "{name}: {report}");
    }
    All { values }
}

impl All {
    /// The same optimum: dual objectives as far apart as the gaps at most, functions by `apart`, plus, of the objectives
    /// relative to themselves, `rounding`.
    fn assert_same(&self, other: &Self, what: &str, apart: f64, rounding: f64) {
        for ((name, f, a), (_, g, b)) in self.values.iter().zip(&other.values) {
            let difference = (a.dual() - b.dual()).abs();
            let most = a.gap().max(b.gap()) + rounding * (1.0 + a.dual().abs());
            assert!(difference <= most, "{what}, {name}: {a}; {b}");
            let worst = f.iter().zip(g).map(|(f, g)| (f - g).abs()).fold(0.0, f64::max);
            assert!(worst <= apart, "{what}, {name}: functions differ by {worst}");
        }
    }
}

fn whole() -> MemoryBudget {
    MemoryBudget::mebibytes(64)
}

/// The memory of `bytes` per point beside ten columns and their block.
fn few(n: usize, bytes: usize) -> MemoryBudget {
    MemoryBudget::bytes((n * (bytes + 16 * 10)) as u64)
}

#[test]
fn sparse_samples_equal_dense_ones() {
    let (x, y) = two();
    // Zeros among the coordinates, or there is nothing sparse.
    let rows: Vec<Vec<f64>> = (0..N)
        .map(|i| (0..6).map(|k| if (i + k) % 3 == 0 { x.item(i)[k % 2] } else { 0.0 }).collect())
        .collect();
    let dense = Samples::from_rows(&rows).unwrap();
    let sparse = SparseSamples::from_dense(&dense).unwrap();
    let expected = all(&dense, &rbf(), &y, 1e-9, whole());
    for budget in [whole(), few(N, 512)] {
        all(&sparse, &rbf(), &y, 1e-9, budget).assert_same(&expected, "sparse", 1e-7, 1e-12);
    }
}

#[test]
fn single_precision_and_double_agree_within_their_gaps() {
    let (x, y) = two();
    let rows: Vec<[f32; 2]> = (0..N).map(|i| [x.item(i)[0] as f32, x.item(i)[1] as f32]).collect();
    let single = Samples::from_rows(&rows).unwrap();
    let back: Vec<[f64; 2]> = rows.iter().map(|r| r.map(f64::from)).collect();
    let double = Samples::from_rows(&back).unwrap();
    let expected = all(&double, &rbf(), &y, 1e-6, whole());
    for budget in [whole(), few(N, 512)] {
        // A kernel value is off by some 1e-7, and the objective by half of β'β of these.
        all(&single, &rbf(), &y, 1e-5, budget).assert_same(&expected, "f32", 1e-3, 1e-5);
    }
}

#[test]
fn the_matrix_may_be_whole_or_in_columns() {
    let (x, y) = two();
    let expected = all(&x, &rbf(), &y, 1e-9, whole());
    for bytes in [512, 640] {
        all(&x, &rbf(), &y, 1e-9, few(N, bytes)).assert_same(&expected, "columns", 1e-7, 1e-12);
    }
}

/// Any collection: the same in columns, and as many of the labels learned as said.
fn learns<P: Points<Scalar = f64>>(points: &P, kernel: &impl Mercer<P>, y: &[bool], hits: usize) {
    let expected = all(points, kernel, y, 1e-9, whole());
    all(points, kernel, y, 1e-9, few(y.len(), 512)).assert_same(&expected, "columns", 1e-6, 1e-11);
    let (name, f, _) = &expected.values[0];
    let learned = f.iter().zip(y).filter(|(f, y)| (**f > 0.0) == **y).count();
    assert!(learned >= hits, "{name}: {learned} of {}", y.len());
}

const MESSAGES: [(&str, bool); 16] = [
    ("WINNER! claim your free prize now, call 0900 123", true),
    ("Free entry: win cash, text WIN to 80086", true),
    ("You have won a free holiday, claim it now!", true),
    ("URGENT! your prize of 1000 waits, call now", true),
    ("Free ringtone, text TONE to 8007 now", true),
    ("claim your cash prize: text CLAIM to 80082", true),
    ("Call 0900 777 now to win a free phone", true),
    ("Your free credit waits, text YES to claim", true),
    ("are you coming home for dinner tonight?", false),
    ("sorry, I am late, the train was slow", false),
    ("see you at the station at five", false),
    ("can you bring some milk on the way home?", false),
    ("happy birthday! see you on sunday", false),
    ("the meeting was moved to the afternoon", false),
    ("I will be home soon, do not wait for dinner", false),
    ("thanks for the lovely evening yesterday", false),
];

#[test]
fn messages_are_told_apart_by_their_letters() {
    let texts: Vec<&str> = MESSAGES.iter().map(|(text, _)| *text).collect();
    let y = MESSAGES.map(|(_, spam)| spam);
    learns(&texts, &Normalized::new(Spectrum::new(3).unwrap()), &y, 16);
    learns(&texts, &Normalized::new(Subsequence::new(2, 0.5).unwrap()), &y, 14);
    let svc = Svc::on_kernel(Normalized::new(Spectrum::new(3).unwrap())).fit(&texts, &y).unwrap();
    let new = vec!["text WIN now to claim a free prize", "are you home on sunday afternoon?"];
    assert_eq!(svc.predict(&new).unwrap(), [true, false]);
}

#[test]
fn sets_trees_and_graphs() {
    let y: Vec<bool> = (0..24).map(|i| i % 2 == 0).collect();
    let sets: Vec<Vec<u32>> = (0..24)
        .map(|i| (0..6).map(|k| if i % 2 == 0 { i + 2 * k } else { 3 * i + 5 * k + 1 }).collect())
        .collect();
    learns(&sets, &Jaccard, &y, 20);
    let words = ["cat", "dog", "bird", "fish"];
    let tree = |i: usize| -> Tree {
        let (a, b) = (words[i % 4], words[i / 4 % 4]);
        let text = match i % 2 {
            0 => format!("(S (NP {a}) (VP (V sees) (NP {b})))"),
            _ => format!("(S (VP (V see) (NP {a})) (PP (P with) (NP {b})))"),
        };
        text.parse().unwrap()
    };
    let trees: Vec<Tree> = (0..24).map(tree).collect();
    learns(&trees, &Normalized::new(SubsetTree::new(0.5).unwrap()), &y, 24);
    let graph = |i: usize| {
        let nodes = 4 + i / 2 % 5;
        // Rings and stars.
        let edges: Vec<(usize, usize)> = match i % 2 {
            0 => (0..nodes).map(|k| (k, (k + 1) % nodes)).collect(),
            _ => (1..nodes).map(|k| (0, k)).collect(),
        };
        Graph::new(vec![1; nodes], &edges).unwrap()
    };
    let graphs: Vec<Graph> = (0..24).map(graph).collect();
    learns(&graphs, &Normalized::new(WeisfeilerLehman::new(2).unwrap()), &y, 24);
}

#[test]
fn integer_weights_repeat_points_in_every_machine() {
    let (x, values) = data();
    let y: Vec<bool> = values.iter().map(|&v| v > 0.0).collect();
    let weights: Vec<f64> = (0..N).map(|i| (i % 4) as f64).collect();
    let rows: Vec<usize> = (0..N).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    let points = x.select(&rows).unwrap();
    let labels: Vec<bool> = rows.iter().map(|&i| y[i]).collect();
    let targets: Vec<f64> = rows.iter().map(|&i| values[i]).collect();
    let same = |what: &str, a: (Report, Vec<f64>), b: (Report, Vec<f64>)| {
        let apart = (a.0.dual() - b.0.dual()).abs();
        assert!(
            apart <= a.0.gap().max(b.0.gap()) + 1e-9 * b.0.dual().abs(),
            "{what}: {}, {}",
            a.0,
            b.0
        );
        let worst = a.1.iter().zip(&b.1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-5, "{what}: {worst}");
    };
    let svr = || Svr::on_kernel(rbf()).c(2.0).nu(0.3).violation(1e-9);
    let a = weighted(&svr(), (&x, &values), &weights).unwrap();
    let b = svr().fit(&points, &targets).unwrap();
    let width = |report: &Report| report.details().widths[0];
    assert!((width(a.report()) - width(b.report())).abs() < 1e-6);
    let of = |m: &Regressor<KernelExpansion<_, Rbf>>| (m.report().clone(), m.predict(&x).unwrap());
    same("nu-SVR", of(&a), of(&b));
    let svr = || Svr::on_kernel(rbf()).violation(1e-9);
    let a = weighted(&svr(), (&x, &values), &weights).unwrap();
    same("SVR", of(&a), of(&svr().fit(&points, &targets).unwrap()));
    let one = || OneClass::on_kernel(rbf()).nu(0.3).violation(1e-9);
    let a = weighted(&one(), (&x, ()), &weights).unwrap();
    let b = one().fit(&points).unwrap();
    let of = |m: &NoveltyDetector<KernelExpansion<_, Rbf>>| {
        (m.report().clone(), m.decision_values(&x).unwrap().col_as_slice(0).to_vec())
    };
    same("one class", of(&a), of(&b));
    assert!(a.report().details().support.iter().all(|i| i % 4 > 0));
    let svc = || Svc::on_kernel(rbf()).nu(0.4).violation(1e-9);
    let a = weighted(&svc(), (&x, &y), &weights).unwrap();
    let b = svc().fit(&points, &labels).unwrap();
    let of = |m: &Classifier<KernelExpansion<_, Rbf>, bool>| {
        (m.report().clone(), m.decision_values(&x).unwrap().col_as_slice(0).to_vec())
    };
    same("nu-SVC", of(&a), of(&b));
}
