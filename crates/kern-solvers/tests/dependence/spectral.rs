//! Spectral clusters: against scikit-learn and NumPy on real data, by their definition in every space.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::data::{labelled, normal};
use crate::real::{claim, numbers};
use kern_approx::Nystrom;
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::{Explicit, Kernel, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::model::{Decision, KernelExpansion};
use kern_solvers::spectral_clustering::{SpectralClustering, SpectralClusters};
use kern_solvers::{Data, Error, Learner, Progress, Run, Status};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// The expected clusters of a set.
struct Expected {
    name: &'static str,
    /// Of scikit-learn.
    labels: &'static str,
    eigenvalues: &'static [f64],
    /// By rows of length 1, with the diagonal.
    unit_rows: &'static str,
    with_loops: &'static [f64],
    /// ‖Pz‖² and the first of Pz for the projection P onto the eigenvectors and z = sin(1), sin(2), …
    projection: (f64, [f64; 3]),
}

/// scikit-learn 1.9.1, numpy 2.4.6; standardised columns of iris (k = 3, g = 0.25) and wine (k = 3, g = 1/13), and 600 rows of
/// digits/16 (k = 10, g = 0.5):
///
/// ```python
/// SpectralClustering(k, gamma=g, random_state=0, n_init=100).fit(X).labels_
/// A = np.exp(-g * ((X[:, None] - X[None]) ** 2).sum(-1)); K = A.copy(); np.fill_diagonal(A, 0)
/// for M in (A, K):  # eigenvalues, with_loops
///     d = M.sum(0); w, V = np.linalg.eigh(M / np.sqrt(np.outer(d, d))); V = V[:, -k:]
/// E = V / np.linalg.norm(V, axis=1)[:, None]; KMeans(k, n_init=100, random_state=0).fit(E).labels_
/// p = V @ (V.T @ np.sin(np.arange(len(X)) + 1.0)); p @ p; p[:3]
/// ```
const EXPECTED: [Expected; 3] = [
    Expected {
        name: "iris",
        labels: "0000000000000000000000000000000000000000020000000011122212222222212222122221112222222112222222222222\
         12111121111112211112121211211111122111211121112112",
        eigenvalues: &[0.9999999999999999, 0.8012128761532564, 0.3565917373215118],
        unit_rows: "2222222222222222222222222222222222222222202222222211100010100000010000100001110000000110000000000000\
         10111101111110111110101011011111100111111101110111",
        with_loops: &[0.9999999999999992, 0.8057065419174098, 0.3725995802496076],
        projection: (
            0.0879135628191925,
            [-0.012145428446662106, 0.008069438086319776, -0.0006853572700411623],
        ),
    },
    Expected {
        name: "wine",
        labels: "2222222222222222222222222222222222222202222222222222222222200000000000000200000000010000000000020000\
         000000000000000000000000000000111111111111111111111111111111111111111111111111",
        eigenvalues: &[1.0000000000000002, 0.5801255983355804, 0.38082625007664594],
        unit_rows: "2222222222222222222222222222222222222222222222222222222222211111111111111211111111101111111111121111\
         111111111111111111111111111111000000000000000000000000000000000000000000000000",
        with_loops: &[1.0000000000000002, 0.5916053118283466, 0.39772075412573915],
        projection: (
            0.012268607270425723,
            [0.014786949470681833, 0.006907004911809502, 0.01142409697632309],
        ),
    },
    Expected {
        name: "digits",
        labels: "9004843104976482310497648231049422329404087114279900100970344144833380729440009971346018347440100840\
         8924343712881600021448008490409764823104976482310497648231049422329404087114279966106976344144833304\
         7294240699713467147447130847892434371208160662280084904090648431049064823101906484310494443494040801\
         1440996614697634414483338404914606990134601834044013084089443430128816066414284084904497648435049764\
         8235049764843544944444940408751447996654696634454483338474944606990534601834744743484789443407528856\
         4602544800049040964484310496648431049664843104904434940408611443996610696634414483338434944606996134",
        eigenvalues: &[
            0.9999999999999997,
            0.700135483486259,
            0.6607371493585589,
            0.6223603879124128,
            0.5872081135814303,
            0.5153379746614997,
            0.49829605915348363,
            0.4704779717354582,
            0.44060972099220747,
            0.37215003950421305,
        ],
        unit_rows: "1002524602173259460217325946021299491292057662971100600170422622544456791290001176423765427220600520\
         5199424769556300096295005210201732594602173259460217325946021299491202057662971133603173422622544402\
         7912930311764237627227640527519842476905630339950052102010325246081032594606103259469212924212020506\
         6290113362317342262254445809169303110642306542028064052051224840695563033268952058108217325948021732\
         5948021732594812122942120205788297113382313342282254445272129303117842378542722784252751924207897583\
         0309829500521020133259460213326246021333524602109242120205366224113360313342262254445249122303113643",
        with_loops: &[
            0.9999999999999997,
            0.7153019709964547,
            0.6789993860276597,
            0.6430376899096688,
            0.6159598745091358,
            0.5417297447637106,
            0.5343468125607036,
            0.5056700169533128,
            0.485970747177634,
            0.4122048763596274,
        ],
        projection: (
            2.0163320447143103,
            [-0.04601410890514048, 0.09809234134085544, 0.13849414503176077],
        ),
    },
];

fn input(name: &str) -> (Samples<f64>, Rbf, usize) {
    let rbf = |gamma| Rbf::new(gamma).unwrap();
    match name {
        "iris" => (labelled("iris").unwrap().0, rbf(0.25), 3),
        "wine" => (labelled("wine").unwrap().0, rbf(1.0 / 13.0), 3),
        _ => {
            let rows: Vec<Vec<f64>> = numbers("digits").unwrap().into_iter().take(600).collect();
            let rows = rows.iter().map(|row| row[..64].iter().map(|v| v / 16.0).collect());
            (Samples::from_rows(&rows.collect::<Vec<Vec<f64>>>()).unwrap(), rbf(0.5), 10)
        }
    }
}

/// Tells whether two divisions are the same but for names.
fn same(a: &[usize], b: &[usize]) -> bool {
    let mut names = std::collections::BTreeMap::new();
    let mut back = std::collections::BTreeMap::new();
    let mut pairs = a.iter().zip(b);
    a.len() == b.len()
        && pairs.all(|(a, b)| names.entry(a).or_insert(b) == &b && back.entry(b).or_insert(a) == &a)
}

fn parsed(labels: &str) -> Vec<usize> {
    labels.bytes().map(|b| usize::from(b - b'0')).collect()
}

fn close(found: &[f64], expected: &[f64], accuracy: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < accuracy, "{found:?} {expected:?}");
    }
}

#[test]
fn clusters_are_those_of_scikit_learn() {
    for expected in EXPECTED {
        let (x, kernel, k) = input(expected.name);
        let learner = SpectralClustering::on_kernel(kernel, k).restarts(100);
        let theirs = learner.clone().loops(false).normalize(false).fit(&x).unwrap();
        let equal = same(theirs.labels(), &parsed(expected.labels));
        let what = "spectral clusters of scikit-learn";
        claim(
            equal,
            expected.name,
            what,
            format_args!("{} rows in the same {k} clusters", x.len()),
        );
        close(theirs.eigenvalues(), expected.eigenvalues, 1e-11);
        let model = learner.clone().fit(&x).unwrap();
        assert!(same(model.labels(), &parsed(expected.unit_rows)), "{}", expected.name);
        close(model.eigenvalues(), expected.with_loops, 1e-11);
        assert_eq!(model.report().status, Status::Converged);
        assert_eq!(model.predict(&x).unwrap(), model.labels());

        // Eigenvectors: rows of the embedding times √d.
        let plain = learner.normalize(false).restarts(1).fit(&x).unwrap();
        let rows = plain.embed(&x).unwrap();
        let values = plain.decision().decide(&x).unwrap();
        let root = |i: usize| values[(i, k)].sqrt();
        let vector =
            |p: usize| (0..x.len()).map(|i| rows.item(i)[p] * root(i)).collect::<Vec<f64>>();
        let mut projected = vec![0.0; x.len()];
        for p in 0..k {
            let along: f64 =
                vector(p).iter().enumerate().map(|(i, v)| v * (i as f64 + 1.0).sin()).sum();
            projected.iter_mut().zip(vector(p)).for_each(|(sum, v)| *sum += along * v);
        }
        let (square, first) = expected.projection;
        close(&projected[..3], &first, 1e-9);
        close(&[projected.iter().map(|v| v * v).sum()], &[square], 1e-9);
    }
}

/// Points of three discs, in turns.
fn discs(n: usize) -> Samples<f64> {
    let at = |i: usize| {
        let (turn, wave) = (2.1 * (i % 3) as f64, i as f64);
        [1.4 * turn.cos() + 0.4 * (1.3 * wave).sin(), 1.4 * turn.sin() + 0.4 * (2.9 * wave).sin()]
    };
    Samples::from_rows(&(0..n).map(at).collect::<Vec<_>>()).unwrap()
}

/// The normalised cut by its definition.
fn cut<K: Kernel<Samples<f64>>>(
    kernel: &K,
    x: &Samples<f64>,
    labels: &[usize],
    weights: &[f64],
) -> f64 {
    let (mut within, mut volumes) = ([0.0; 8], [0.0; 8]);
    for i in 0..x.len() {
        for j in 0..x.len() {
            let value = weights[i] * weights[j] * kernel.eval(x.item(i), x.item(j));
            volumes[labels[i]] += value;
            if labels[i] == labels[j] {
                within[labels[i]] += value;
            }
        }
    }
    (0..8).filter(|&c| volumes[c] > 0.0).map(|c| 1.0 - within[c] / volumes[c]).sum()
}

#[test]
fn the_objective_is_the_cut_and_the_gap_bounds_it() {
    let x = discs(60);
    let kernel = Rbf::new(1.0).unwrap();
    let model = SpectralClustering::on_kernel(kernel, 3).fit(&x).unwrap();
    let expected: Vec<usize> = (0..60).map(|i| i % 3).collect();
    assert!(same(model.labels(), &expected));
    assert_eq!(model.sizes(), [20; 3]);
    let value = cut(&kernel, &x, model.labels(), &[1.0; 60]);
    assert!((model.report().objective - value).abs() < 1e-12);
    let bound = 3.0 - model.eigenvalues().iter().sum::<f64>();
    let gap = model.report().gap.unwrap();
    assert!((value - gap - bound).abs() < 1e-12 && bound > 0.0);
    // All divisions of seven points: none is below the bound.
    let few = normal(&mut ChaCha8Rng::seed_from_u64(1), 7, 2, 0.0);
    let model = SpectralClustering::on_kernel(kernel, 2).fit(&few).unwrap();
    let bound = model.report().objective - model.report().gap.unwrap();
    let division = |split: u32| (0..7).map(|i| (split >> i & 1) as usize).collect::<Vec<_>>();
    let cuts = (1..127).map(|split| cut(&kernel, &few, &division(split), &[1.0; 7]));
    let least = cuts.fold(f64::INFINITY, f64::min);
    assert!(bound <= least + 1e-12 && least <= model.report().objective + 1e-12);
}

#[test]
fn weights_are_repeated_points() {
    let x = discs(48);
    let weights: Vec<f64> = (0..48).map(|i| [1.0, 2.0, 0.0, 1.0, 1.0][i % 5]).collect();
    let repeated: Vec<usize> =
        (0..48).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let kernel = Rbf::new(1.0).unwrap();
    let learner = SpectralClustering::on_kernel(kernel, 3);
    let data = Data::unlabelled(&x).unwrap().weights(&weights).unwrap();
    let weighted = learner.learn(&data, &mut Run::new()).unwrap();
    let whole = learner.fit(&x.select(&repeated).unwrap()).unwrap();
    close(weighted.eigenvalues(), whole.eigenvalues(), 1e-12);
    assert!((weighted.report().objective - whole.report().objective).abs() < 1e-12);
    let value = cut(&kernel, &x, weighted.labels(), &weights);
    assert!((weighted.report().objective - value).abs() < 1e-12);
    // Points of weight zero have the cluster of their disc.
    assert!(same(weighted.labels(), &(0..48).map(|i| i % 3).collect::<Vec<_>>()));
}

#[test]
fn other_spaces_have_the_same_clusters() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let parts = [0.0, 2.5].map(|centre| normal(&mut rng, 40, 2, centre));
    let rows: Vec<Vec<f64>> =
        (0..80).map(|i| parts[i / 40].item(i % 40).iter().map(|v| 0.3 * v).collect()).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
    let weights: Vec<f64> = (0..80).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
    let data = Data::unlabelled(&x).unwrap().weights(&weights).unwrap();
    let on_kernel = SpectralClustering::on_kernel(kernel, 2);
    let exact = on_kernel.learn(&data, &mut Run::new()).unwrap();
    let map = kernel.feature_map(&x).unwrap();
    let features = SpectralClustering::on_features(map, 2).learn(&data, &mut Run::new()).unwrap();
    let nystrom = Nystrom::new(kernel).landmarks(20);
    let landmarks = SpectralClustering::on_landmarks(nystrom, 2);
    let landmarks = landmarks.learn(&data, &mut Run::new()).unwrap();
    close(exact.eigenvalues(), features.eigenvalues(), 1e-12);
    close(exact.eigenvalues(), landmarks.eigenvalues(), 1e-10);
    assert!(same(exact.labels(), features.labels()) && same(exact.labels(), landmarks.labels()));
    for report in [features.report(), landmarks.report()] {
        assert!((report.objective - exact.report().objective).abs() < 1e-9);
    }
    let queries = normal(&mut rng, 30, 2, 0.5);
    assert!(same(&exact.predict(&queries).unwrap(), &features.predict(&queries).unwrap()));
    let (a, b) = (exact.embed(&queries).unwrap(), features.embed(&queries).unwrap());
    for i in 0..30 {
        // Up to the signs of eigenvectors.
        let pairs = a.item(i).iter().zip(b.item(i));
        assert!(pairs.clone().all(|(a, b)| (a.abs() - b.abs()).abs() < 1e-9), "{i}");
    }
}

#[test]
fn a_krylov_space_finds_what_all_eigenvectors_do() {
    let x = discs(420);
    let learner = SpectralClustering::on_kernel(Rbf::new(1.0).unwrap(), 3).restarts(1);
    let stored = learner.fit(&x).unwrap();
    assert!(stored.report().iterations > 1);
    assert!(stored.residuals().iter().all(|r| *r < 1e-9));
    assert!(same(stored.labels(), &(0..420).map(|i| i % 3).collect::<Vec<_>>()));
    let data = Data::unlabelled(&x).unwrap();
    let mut small = Run::new().memory(MemoryBudget::bytes(1_600_000));
    let lazy = learner.learn(&data, &mut small).unwrap();
    close(lazy.eigenvalues(), stored.eigenvalues(), 1e-10);
    assert_eq!(lazy.labels(), stored.labels());
    let all =
        SpectralClustering::on_landmarks(Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(420), 3);
    close(all.restarts(1).fit(&x).unwrap().eigenvalues(), stored.eigenvalues(), 1e-8);
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let model = learner.learn(&data, &mut Run::new().observer(&mut stop)).unwrap();
    assert_eq!((model.report().status, model.report().gap), (Status::Stopped, None));
    let few = learner.max_iterations(1).fit(&x).unwrap();
    assert_eq!(few.report().status, Status::IterationsDone);
}

#[test]
fn files_keep_clusters() {
    type Model = SpectralClusters<KernelExpansion<Samples<f64>, Rbf>>;
    let x = discs(30);
    let model: Model = SpectralClustering::on_kernel(Rbf::new(1.0).unwrap(), 3).fit(&x).unwrap();
    let bytes = postcard::to_stdvec(&model).unwrap();
    let read: Model = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, model);
    let text = serde_json::to_string(&model).unwrap();
    assert!(text.starts_with("{\"format\":[3,\"spectral_clusters\"]"), "{}", &text[..60]);
    let label = text.find("\"labels\":[").unwrap() + 10;
    let broken = format!("{}9{}", &text[..label], &text[label + 1..]);
    assert!(serde_json::from_str::<Model>(&broken).is_err());
    let broken = text.replace("\"eigenvalues\":[", "\"eigenvalues\":[1.0,");
    assert!(serde_json::from_str::<Model>(&broken).is_err());
    // A point that is like none has a cluster all the same.
    let far = Samples::from_rows(&[[1e3, 0.0]]).unwrap();
    assert_eq!(model.embed(&far).unwrap().item(0), [0.0; 3]);
    assert!(model.predict(&far).unwrap()[0] < 3);
}

#[test]
fn what_has_no_clusters_is_refused() {
    let x = discs(12);
    let learner = |k| SpectralClustering::on_kernel(Rbf::new(1.0).unwrap(), k);
    assert!(matches!(learner(13).fit(&x), Err(Error::Count { given: 13, .. })));
    assert!(matches!(learner(0).fit(&x), Err(Error::Count { given: 0, .. })));
    assert!(matches!(learner(2).restarts(0).fit(&x), Err(Error::Count { given: 0, .. })));
    assert!(matches!(learner(2).tolerance(0.0).fit(&x), Err(Error::Core(_))));
    assert_eq!(learner(1).fit(&x.select(&[]).unwrap()).map(|_| ()), Err(Error::Empty));
    // Degrees of a linear kernel around its mean add up to nothing.
    let centred = Samples::from_rows(&[[-1.0], [1.0], [-2.0], [2.0]]).unwrap();
    let linear = SpectralClustering::on_kernel(Linear, 2).fit(&centred);
    assert!(matches!(linear, Err(Error::Isolated { .. })), "{linear:?}");
    let map = kern_core::Identity::new(1);
    let linear = SpectralClustering::on_features(map, 1).fit(&centred);
    assert!(matches!(linear, Err(Error::Isolated { .. })), "{linear:?}");
    let narrow = SpectralClustering::on_kernel(Rbf::new(1e6).unwrap(), 2).loops(false).fit(&x);
    assert!(matches!(narrow, Err(Error::Isolated { point: 0, others: 11 })), "{narrow:?}");
    let one = Samples::from_rows(&[[0.0], [0.5], [1e3], [1.0]]).unwrap();
    let alone = SpectralClustering::on_kernel(Rbf::new(1.0).unwrap(), 2).loops(false).fit(&one);
    let message = alone.unwrap_err().to_string();
    assert!(message.starts_with("the kernel values of point 2 do not add up"), "{message}");
    let mut small = Run::new().memory(MemoryBudget::bytes(500));
    let data = Data::unlabelled(&x).unwrap();
    assert!(matches!(learner(2).learn(&data, &mut small), Err(Error::Gram(_))));
    // Fewer eigenvalues than clusters are no error.
    let positive = Samples::from_rows(&[[1.0], [1.1], [5.0]]).unwrap();
    let model = SpectralClustering::on_kernel(Linear, 2).normalize(false).fit(&positive).unwrap();
    assert_eq!(model.eigenvalues().len(), 1);
}
