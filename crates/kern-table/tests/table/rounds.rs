//! Fits in rounds: the same bits wherever sums are gathered, and what goes wrong on the way.

use super::table;
use kern_data::{Format, Part, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::file::{self, Save};
use kern_table::rounds::{Features, Gamma, Gathered, Job, Order, RoundsFit, Scored, Stage};
use kern_table::{Answers, Error, Method, TableModel, Task, Training};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const MEMORY: MemoryBudget = MemoryBudget::mebibytes(64);

/// Rows with three numbers, a class, a number to be told, and a category, as lines of CSV.
fn lines(rows: std::ops::Range<u32>) -> String {
    let mut text = "x,y,z,side,class,value,weight\n".to_string();
    for i in rows {
        let (x, y) = (f64::from(i * 37 % 101) / 10.0, f64::from(i * 53 % 103) / 10.0);
        let z = f64::from(i * 71 % 97) / 20.0;
        let class = ["a", "b", "c"][usize::from(x > 5.0) + usize::from(x > 5.0 && y > 5.0)];
        let side = ["left", "right", "up"][(i % 3) as usize];
        let value = (x - 5.0).sin() + 0.1 * y * z;
        text += &format!("{x},{y},{z},{side},{class},{value},{}\n", i % 3);
    }
    text
}

/// Files of unequal length.
fn files(folder: &Path) -> Vec<Part> {
    for (k, start, end) in [(0, 0, 150), (1, 150, 151), (2, 151, 330), (3, 330, 400), (4, 400, 600)]
    {
        std::fs::write(folder.join(format!("part-{k}.csv")), lines(start..end)).unwrap();
    }
    Part::list(&[folder], 1000).unwrap()
}

fn rows(range: std::ops::Range<u32>) -> Table {
    Source::new(Format::Csv, lines(range).as_bytes()).read().unwrap()
}

/// Everything that is a sum over rows.
fn orders() -> Vec<(&'static str, Order)> {
    let regress = || Training::new(Task::Regress).target("value").ignore("class").set("alpha", 0.1);
    let classify = || Training::new(Task::Classify).target("class").ignore("value").set("c", 1.0);
    let alone = |task| Training::new(task).ignore("class").ignore("value").ignore("weight");
    let numbers = |training: Training| training.ignore("side").weights("weight");
    let order = |training, features| Order::new(training, features).unwrap();
    vec![
        ("ridge", order(numbers(regress()).kernel("rbf(gamma=0.5)"), Features::Fourier(60))),
        ("ridge of rows", order(regress().weights("weight"), Features::Landmarks(200))),
        (
            "tube",
            order(
                numbers(regress()).method(Method::Svm).set("epsilon", 0.05),
                Features::Landmarks(40),
            ),
        ),
        ("linear", order(numbers(regress()), Features::Columns)),
        ("hinge", order(numbers(classify()), Features::Landmarks(40))),
        ("softmax", order(numbers(classify()).method(Method::Logistic), Features::Landmarks(40))),
        (
            "classes by ridge",
            order(numbers(classify()).method(Method::Ridge), Features::Fourier(60)),
        ),
        (
            "metric",
            order(
                numbers(regress()).kernel("laplacian(gamma=0.3)"),
                Features::Learned { landmarks: 40, rounds: 2 },
            ),
        ),
        ("clusters", order(alone(Task::Cluster(4)).ignore("side"), Features::Landmarks(30))),
        ("components", order(alone(Task::Components(3)).ignore("side"), Features::Fourier(40))),
    ]
}

fn bytes(model: &Arc<TableModel>) -> Vec<u8> {
    file::to_bytes(&**model, file::Encoding::Binary).unwrap()
}

/// Sums of all groups by the tree, each gathered by `gather`.
fn tree(groups: std::ops::Range<usize>, gather: &dyn Fn(usize) -> Gathered) -> Gathered {
    if groups.len() < 2 {
        return gather(groups.start);
    }
    let middle = groups.start + groups.len() / 2;
    let mut sums = tree(groups.start..middle, gather);
    sums.merge(&tree(middle..groups.end, gather)).unwrap();
    sums
}

/// Sums and jobs cross as bytes, groups come in any order and twice, and the driver is read from its checkpoint in every
/// round.
#[test]
fn bits_do_not_depend_on_who_gathers() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    for (name, order) in orders() {
        let mut alone = RoundsFit::start(order.clone(), parts.clone()).unwrap();
        let expected = alone.run(&MEMORY, |_| ControlFlow::Continue(())).unwrap().unwrap();
        let mut fit = RoundsFit::start(order, parts.clone()).unwrap();
        while let Some(job) = fit.job().unwrap() {
            let sent = job.to_bytes().unwrap();
            let gather = |group: usize| {
                let job = Job::from_bytes(&sent).unwrap();
                drop(job.gather((group + 1) % job.groups(), &MEMORY).unwrap());
                let sums = job.gather(group, &MemoryBudget::mebibytes(256)).unwrap();
                Gathered::from_bytes(&sums.to_bytes().unwrap()).unwrap()
            };
            let sums = tree(0..job.groups(), &gather);
            fit = RoundsFit::from_bytes(&fit.to_bytes().unwrap()).unwrap();
            fit.next(sums, &MEMORY).unwrap();
        }
        assert!(matches!(fit.stage(), Stage::Done { rows } if rows == expected.rows()), "{name}");
        // Rows of weight 0 are none.
        assert!((400..=600).contains(&expected.rows()), "{name}");
        assert_eq!(bytes(fit.model().unwrap()), bytes(&expected), "{name}");
        // What the model answers after it was read is what it answered.
        let read = TableModel::from_bytes(&bytes(&expected)).unwrap();
        let new = rows(600..640);
        assert_eq!(read.predict(&new).unwrap(), expected.predict(&new).unwrap(), "{name}");
    }
}

/// Partitions that the caller holds have the same sums as files with the same rows.
#[test]
fn partitions_are_parts() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    let tables: Vec<Table> =
        parts.iter().map(|part| Source::of_part(part).unwrap().read().unwrap()).collect();
    let (_, order) = orders().swap_remove(0);
    let mut of_files = RoundsFit::start(order.clone(), parts).unwrap();
    let expected = of_files.run(&MEMORY, |_| ControlFlow::Continue(())).unwrap().unwrap();
    let mut fit = RoundsFit::start_partitions(order, tables.len(), &tables[0]).unwrap();
    while let Some(job) = fit.job().unwrap() {
        let gather =
            |group: usize| job.gather_tables(group, &tables[job.group(group)], &MEMORY).unwrap();
        let sums = tree(0..job.groups(), &gather);
        fit.next(sums, &MEMORY).unwrap();
    }
    assert_eq!(bytes(fit.model().unwrap()), bytes(&expected));
}

/// γ by scikit-learn's rules, from all rows whatever the parts: 1/(d·v), v the variance of all numbers together, or 1/d.
#[test]
fn gamma_is_that_of_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    let all = rows(0..600);
    let numbers: Vec<f64> = ["x", "y", "z"]
        .iter()
        .flat_map(|name| all.column(name).unwrap().numbers().unwrap().to_vec())
        .collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
    let ignored = ["side", "class", "weight"];
    let training = Training::new(Task::Regress).target("value").kernel("rbf").standardized(false);
    let training = ignored.into_iter().fold(training, Training::ignore);
    for (rule, expected) in [(Gamma::Scale, 1.0 / (3.0 * variance)), (Gamma::Auto, 1.0 / 3.0)] {
        let order = Order::new(training.clone(), Features::Landmarks(20)).unwrap().gamma(rule);
        let mut fit = RoundsFit::start(order, parts.clone()).unwrap();
        let model = fit.run(&MEMORY, |_| ControlFlow::Continue(())).unwrap().unwrap();
        let digits = model.kernel().trim_start_matches("rbf(gamma=").trim_end_matches(')');
        let given: f64 = digits.parse().unwrap();
        assert!((given - expected).abs() < 1e-12 * expected, "{rule:?}: {given}, not {expected}");
    }
}

#[test]
fn models_learn() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    for (name, order) in orders() {
        let mut fit = RoundsFit::start(order, parts.clone()).unwrap();
        let model = fit.run(&MEMORY, |_| ControlFlow::Continue(())).unwrap().unwrap();
        let smallest = match name {
            "linear" => 0.2,
            "ridge of rows" => 0.8,
            "ridge" | "tube" | "metric" => 0.95,
            "clusters" => {
                let Answers::Clusters(found) = model.predict(&rows(0..600)).unwrap() else {
                    panic!("clusters")
                };
                assert!((0..4).all(|c| found.contains(&c)));
                continue;
            }
            "components" => {
                let Answers::Coordinates(found) = model.predict(&rows(0..600)).unwrap() else {
                    panic!("coordinates")
                };
                assert!(found.iter().all(|row| row.len() == 3));
                continue;
            }
            _ => 0.9,
        };
        let mut all = Scored::default();
        for part in &parts {
            all.merge(&model.score_part(part, &MEMORY).unwrap());
        }
        assert_eq!(all.rows(), 600);
        assert!(all.score().unwrap() > smallest, "{name}: {:?}", all.score());
    }
}

/// A fit that is stopped goes on later, also after a damaged file was mended.
#[test]
fn errors_name_the_part_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    let (_, order) = orders().swap_remove(4);
    let run = |fit: &mut RoundsFit| fit.run(&MEMORY, |_| ControlFlow::Continue(()));
    let mut whole = RoundsFit::start(order.clone(), parts.clone()).unwrap();
    let expected = bytes(&run(&mut whole).unwrap().unwrap());
    let mut fit = RoundsFit::start(order.clone(), parts.clone()).unwrap();
    assert!(fit.run(&MEMORY, |_| ControlFlow::Break(())).unwrap().is_none());
    let poisoned = folder.path().join("part-2.csv");
    let good = std::fs::read_to_string(&poisoned).unwrap();
    for (bad, word) in [
        (good.replacen("x,", "w,", 1), "x"),
        (good.replacen("\n", "\nNaN,1,1,up,a,1,1\n", 1), "no value in column `x`"),
        (good.replacen("\n", "\n1,1,1,up,d,1,1\n", 1), "`d`"),
        (good.replacen("\n", "\nword,1,1,up,a,1,1\n", 1), "word"),
        (good.replacen("\n", "\n1,1\n", 1), "2 values"),
    ] {
        std::fs::write(&poisoned, bad).unwrap();
        let error = run(&mut fit).unwrap_err().to_string();
        assert!(error.contains("part-2.csv") && error.contains(word), "{error}");
    }
    std::fs::write(&poisoned, good).unwrap();
    assert_eq!(bytes(&run(&mut fit).unwrap().unwrap()), expected);

    assert!(matches!(RoundsFit::start(order.clone(), Vec::new()), Err(Error::NoParts)));
    let absent = RoundsFit::start(order.clone(), vec![Part::all("absent.csv")]).unwrap_err();
    assert!(absent.to_string().contains("absent.csv"), "{absent}");
    let fit = RoundsFit::start(order.clone(), parts.clone()).unwrap();
    fit.check(&order, &parts).unwrap();
    assert!(matches!(fit.check(&order.clone().fill(true), &parts), Err(Error::OtherFit { .. })));
    assert!(matches!(fit.check(&order, &parts[1..]), Err(Error::OtherFit { .. })));
    let job = fit.job().unwrap().unwrap();
    assert!(matches!(job.gather(9, &MEMORY), Err(Error::Group { given: 9, groups: 5 })));
    let one = job.gather_tables(0, &[], &MEMORY);
    assert!(matches!(one, Err(Error::Partitions { expected: 1, given: 0, .. })));
    let scarce = job.gather(0, &MemoryBudget::bytes(100)).unwrap_err();
    assert!(scarce.to_string().contains("part-0.csv: more than the 25 bytes"), "{scarce}");
}

#[test]
fn sums_of_another_round_or_version_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    let start = |k: usize| RoundsFit::start(orders().swap_remove(k).1, parts.clone()).unwrap();
    let (mut fit, other) = (start(0), start(1));
    let sums = |fit: &RoundsFit| fit.job().unwrap().unwrap().gather(0, &MEMORY).unwrap();
    let mut mine = sums(&fit);
    assert!(matches!(mine.merge(&sums(&other)), Err(Error::OtherRound)));
    assert!(matches!(fit.next(sums(&other), &MEMORY), Err(Error::OtherRound)));
    let old = sums(&fit);
    assert!(matches!(mine.merge(&old), Err(Error::GroupTwice { group: 0 })));
    let first = fit.next(old.clone(), &MEMORY);
    assert!(matches!(first, Err(Error::GroupsMissing { given: 1, groups: 5, first: 1 })));
    let job = fit.job().unwrap().unwrap();
    fit.next(tree(0..5, &|group| job.gather(group, &MEMORY).unwrap()), &MEMORY).unwrap();
    assert!(matches!(fit.next(old, &MEMORY), Err(Error::OtherRound)));

    let written = job.to_bytes().unwrap();
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at = written.windows(version.len()).position(|bytes| bytes == version).unwrap();
    let mut newer = written.clone();
    newer[at] = b'9';
    let end = newer.len() - 4;
    let checksum = crc32fast::hash(&newer[..end]).to_le_bytes();
    newer[end..].copy_from_slice(&checksum);
    let refused = Job::from_bytes(&newer).unwrap_err();
    assert!(
        matches!(&refused, Error::Version { given, .. } if given.starts_with('9')),
        "{refused}"
    );
    assert!(matches!(Job::from_bytes(&written[..50]), Err(Error::File(_))));
    assert!(matches!(Gathered::from_bytes(&written), Err(Error::File(_))));
}

/// Bytes in which some were changed, with the checksum that belongs to them: a mistake that no checksum finds.
fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let (mut bytes, end) = (bytes.to_vec(), bytes.len() - 4);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..1 + seed % 3 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Behind the names and the lengths.
        let at = 64 + (state >> 33) as usize % (end - 64);
        bytes[at] ^= 1 << (state >> 61);
    }
    let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

/// Bytes from elsewhere may have any content: they are refused or used, and nothing panics.
#[test]
fn nothing_that_is_read_panics() {
    let folder = tempfile::tempdir().unwrap();
    let parts = files(folder.path());
    for (name, order) in orders() {
        let mut fit = RoundsFit::start(order, parts.clone()).unwrap();
        let mut round = 0;
        while let Some(job) = fit.job().unwrap() {
            let sums = tree(0..5, &|group| job.gather(group, &MEMORY).unwrap());
            // The first rounds show all kinds of questions.
            let kinds = [fit.to_bytes(), job.to_bytes(), sums.to_bytes()].map(Result::unwrap);
            for seed in 0..if round < 3 { 40 } else { 0 } {
                if let Ok(mut fit) = RoundsFit::from_bytes(&damaged(&kinds[0], seed)) {
                    drop((fit.job(), fit.next(sums.clone(), &MEMORY)));
                }
                if let Ok(job) = Job::from_bytes(&damaged(&kinds[1], seed)) {
                    drop(job.gather(1, &MEMORY));
                }
                if let Ok(mut other) = Gathered::from_bytes(&damaged(&kinds[2], seed)) {
                    let mut good = sums.clone();
                    drop((good.merge(&other), other.merge(&sums)));
                    let mut fit = RoundsFit::from_bytes(&kinds[0]).unwrap();
                    drop(fit.next(other, &MEMORY));
                }
            }
            fit.next(sums, &MEMORY).unwrap();
            round += 1;
        }
        assert!(round >= 2, "{name}");
    }
}

#[test]
fn orders_that_are_no_sums_are_refused() {
    let new = |training: Training| Order::new(training, Features::default()).unwrap_err();
    let classify = || Training::new(Task::Classify).target("class");
    assert!(matches!(new(Training::new(Task::Detect)), Error::NotHere(_)));
    assert!(matches!(new(classify().tune(3)), Error::NotHere(_)));
    assert!(matches!(new(classify().groups("side")), Error::NotHere(_)));
    assert!(matches!(new(classify().method(Method::Neighbors)), Error::Method { .. }));
    assert!(matches!(new(Training::new(Task::Regress)), Error::NoTarget { .. }));
    for (name, value) in [("lambda", 0.0), ("c", -1.0), ("max_rounds", 0.5), ("gamma", 1.0)] {
        assert!(matches!(new(classify().set(name, value)), Error::Setting { .. }), "{name}");
    }
    let mixed = Order::new(classify(), Features::Fourier(10)).unwrap();
    let all = table(0..60);
    let mut fit = RoundsFit::start_partitions(mixed.fill(true), 1, &all).unwrap();
    let job = fit.job().unwrap().unwrap();
    let sums = job.gather_tables(0, std::slice::from_ref(&all), &MEMORY).unwrap();
    assert!(matches!(fit.next(sums, &MEMORY), Err(Error::NotHere(_))));
}
