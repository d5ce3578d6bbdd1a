//! The program as a whole, on tiny inputs.

use anyhow::Result;
use kern_benches::case::Size;
use kern_benches::child::Child;
use kern_benches::found::Report;
use kern_benches::job::RUN_ONE;
use kern_benches::limits::Limits;
use kern_benches::measure::Alone;
use kern_benches::peers;
use kern_benches::row::{Row, Seconds};
use kern_benches::serve;
use kern_benches::tasks;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

/// The folder of the inputs of these tests.
const INPUTS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/program");

const PATIENCE: Duration = Duration::from_secs(60);

fn bench(arguments: &[&str]) -> Result<Output> {
    Ok(Command::new(env!("CARGO_BIN_EXE_bench")).args(arguments).output()?)
}

#[test]
fn the_list_names_every_task_and_variant() -> Result<()> {
    let output = bench(&["--list"])?;
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout)?;
    for task in tasks::ALL {
        assert!(text.lines().any(|line| line.starts_with(task.name)), "{text}");
        for (variant, dtype) in task.cases {
            let case = format!("    {variant} {dtype}");
            assert!(text.lines().any(|line| line == case), "{case} is not in {text}");
        }
    }
    Ok(())
}

#[test]
fn what_does_not_exist_is_refused() -> Result<()> {
    for arguments in [&["--task", "nothing"][..], &["--threads", "0"]] {
        let output = bench(arguments)?;
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    }
    Ok(())
}

#[test]
fn a_case_is_served_line_by_line() -> Result<()> {
    let case = ["--task", "usgd", "--variant", "cached", "--dtype", "f64"];
    let rest = ["--size", "tiny", "--threads", "1", "--inputs", INPUTS];
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args([&[RUN_ONE][..], &case, &rest].concat());
    let log = Path::new(INPUTS).with_extension("log");
    let mut child = Child::start(&mut command, &log)?;
    child.ready(PATIENCE)?;
    // What peers read is there before the first run.
    let folder = Path::new(INPUTS).join("usgd-cached-f64-tiny");
    for name in ["case.json", "x.npy", "y.npy", "order.npy"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    assert!(child.run(PATIENCE)? > 0.0 && child.run(PATIENCE)? > 0.0);
    let row = child.finish(PATIENCE)?;
    assert_eq!((row.task.as_str(), row.implementation.as_str()), ("usgd", "kern"));
    assert_eq!((row.n, row.d, row.threads, row.seconds.repeats), (64, 2, 1, 1));
    assert_eq!(row.params["gamma"], 100.0);
    assert_eq!(row.peak_rss_mib.is_some(), cfg!(target_os = "linux"));
    Ok(())
}

/// Each repeat of a first fit is a process of the program; the note has the time of a warm one.
#[test]
fn first_fits_are_those_of_other_processes() -> Result<()> {
    let case = ["--task", "first_contact", "--variant", "kmeans,first", "--dtype", "f64"];
    let rest = ["--size", "quick", "--threads", "1", "--inputs", INPUTS];
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args([&[RUN_ONE][..], &case, &rest].concat());
    let mut child = Child::start(&mut command, &Path::new(INPUTS).with_extension("first.log"))?;
    child.ready(PATIENCE)?;
    let seconds = [child.run(PATIENCE)?, child.run(PATIENCE)?];
    assert!(seconds.iter().all(|&seconds| seconds > 0.0));
    let row = child.finish(PATIENCE)?;
    assert_eq!((row.n, row.d, row.seconds.repeats), (150, 4, 1));
    assert!(row.note.contains("warm ") && row.quality["by_warm"] > 0.0, "{row:?}");
    assert!((0.0..1e-4).contains(&row.quality["answer_error"]), "{row:?}");

    let folder = Path::new(INPUTS).join("first_contact-kmeans,first-f64-quick");
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["first-fit", "--model", "nothing", "--inputs"])
        .arg(folder)
        .output()?;
    assert!(!output.status.success() && output.stdout.is_empty());
    Ok(())
}

/// Without an interpreter every peer is named as missing, and the library is measured all the same.
#[test]
fn without_python_the_peers_are_missing() -> Result<()> {
    let json = Path::new(INPUTS).with_extension("json");
    let cache = Path::new(INPUTS).join("without-python");
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["--task", "usgd", "--quick", "--threads", "1", "--peers"])
        .args(["--python", "there-is-no-such-python", "--json"])
        .args([&json, Path::new("--cache"), &cache])
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Report = serde_json::from_slice(&fs::read(json)?)?;
    assert_eq!(report.rows.iter().filter(|row| row.implementation == "kern").count(), 2);
    let expected = peers::ALL.iter().filter(|peer| peer.task == "usgd").count();
    assert_eq!((report.rows.len(), report.missing.len()), (2, expected));
    assert!(report.missing.iter().all(|m| m.reason.contains("there-is-no-such-python")));
    assert!(report.comparisons.iter().all(|comparison| comparison.met.is_none()));
    // The machine was measured in the same run, and every row has its limit.
    assert_eq!(report.machine.limits.iter().map(|l| l.threads).collect::<Vec<_>>(), [1]);
    assert!(report.rows.iter().all(|row| row.limit.as_ref().is_some_and(|l| l.seconds > 0.0)));
    assert!(report.rows.iter().all(|row| row.seconds.times.len() == row.seconds.repeats));
    let command = "cargo xtask bench --quick --peers --task usgd --threads 1";
    assert_eq!(report.provenance.map(|run| run.command).as_deref(), Some(command));
    let text = String::from_utf8(output.stdout)?;
    assert!(text.contains(command), "{text}");
    assert_eq!(text.matches("not measured: ").count(), expected, "{text}");
    Ok(())
}

/// A package that does not install costs its own peers, with the installer's words; one that is
/// installed and does not work is reported with its own.
#[test]
#[cfg(unix)]
fn packages_that_do_not_install_are_missing() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let cache = Path::new(INPUTS).join("broken-packages");
    fs::create_dir_all(&cache)?;
    let (python, json) = (cache.join("python.sh"), cache.join("report.json"));
    // As `python.sh -m venv FOLDER` it makes a copy of itself; that one cannot install numba, and
    // has nothing to run.
    let script = "#!/bin/sh
        case \"$*\" in
          '-m venv '*) mkdir -p \"$3/bin\" && cp \"$0\" \"$3/bin/python\" ;;
          *pip*numba*) echo 'no matching distribution' >&2; exit 1 ;;
          *pip*) ;;
          *) echo 'no module' >&2; exit 1 ;;
        esac";
    fs::write(&python, script.trim_start())?;
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755))?;
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["--task", "usgd", "--quick", "--threads", "1", "--peers", "--python"])
        .args([&python, Path::new("--json"), &json, Path::new("--cache"), &cache])
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Report = serde_json::from_slice(&fs::read(json)?)?;
    assert_eq!((report.rows.len(), report.missing.len()), (2, 4));
    for missing in &report.missing {
        let numba = missing.implementation.starts_with("numba");
        let expected = if numba { "no matching distribution" } else { "no module" };
        assert!(missing.reason.contains(expected), "{missing:?}");
    }
    Ok(())
}

/// A program that does not build costs its own peers, with cargo's words, and not the others'.
#[test]
#[cfg(unix)]
fn programs_that_do_not_build_are_missing() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let cache = Path::new(INPUTS).join("broken-programs");
    fs::create_dir_all(&cache)?;
    let (cargo, json) = (cache.join("cargo.sh"), cache.join("report.json"));
    // It cannot build linfa; for the others it makes programs that have nothing to run.
    let script = "#!/bin/sh
        folder=$(dirname \"$0\")/release
        case \"$*\" in
          *linfa*) echo 'error: linfa is broken' >&2; echo 'cargo gives up' >&2; exit 101 ;;
        esac
        mkdir -p \"$folder\"
        for last do :; done
        printf '#!/bin/sh\\necho no case >&2; exit 1\\n' > \"$folder/$last\"
        chmod +x \"$folder/$last\"";
    fs::write(&cargo, script)?;
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755))?;
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["--task", "svr", "--quick", "--threads", "1", "--peers", "--without", "rustyml"])
        .args(["--python", "there-is-no-such-python", "--cargo"])
        .args([&cargo, Path::new("--json"), &json, Path::new("--cache"), &cache])
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Report = serde_json::from_slice(&fs::read(json)?)?;
    assert_eq!(report.rows.len(), 1);
    let reason = |name: &str| {
        let found = report.missing.iter().find(|missing| missing.implementation.starts_with(name));
        found.map(|missing| missing.reason.as_str()).unwrap_or_default()
    };
    assert!(reason("linfa-svm").starts_with("not built: error: linfa is broken ("), "{report:?}");
    assert!(reason("smartcore").starts_with("no case ("), "{report:?}");
    assert!(reason("scikit-learn").contains("there-is-no-such-python"), "{report:?}");
    Ok(())
}

/// A case that seems slower than in a recorded run is measured again, and is a failure if it is slower each time.
#[test]
fn a_slowdown_is_measured_again() -> Result<()> {
    let cache = Path::new(INPUTS).join("slowdown");
    fs::create_dir_all(&cache)?;
    let (first, then) = (cache.join("first.json"), cache.join("then.json"));
    let measure = |option: &str, file: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command.args(["--task", "usgd", "--quick", "--threads", "1", "--cache"]).arg(&cache);
        command.arg(option).arg(file).output()
    };
    assert!(measure("--json", &first)?.status.success());
    for (factor, succeeds, again) in [(1e3, true, 0), (1e-3, false, 2)] {
        let mut report = Report::read(&first)?;
        for row in &mut report.rows {
            let times: Vec<f64> = row.seconds.times.iter().map(|time| time * factor).collect();
            row.seconds = Seconds::new(&times)?;
        }
        report.write(&then)?;
        let output = measure("--compare", &then)?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.success(), succeeds, "{said}");
        assert_eq!(said.matches("seems slower, measured again: 2").count(), again, "{said}");
    }
    Ok(())
}

/// Tells whether the counted work takes this machine some time, and less than it took: the rates are far above
/// those of any machine.
fn has_a_bound(row: &Row) -> bool {
    const FAST: f64 = 1e6;
    let machine = Limits {
        threads: 1,
        fma_f64: FAST,
        fma_f32: FAST,
        exp_f64: FAST,
        exp_f32: FAST,
        read: FAST,
        triad: FAST,
        fresh: FAST,
        fresh_heap: FAST,
    };
    let bound = row.work.and_then(|work| work.limit(&row.dtype, &machine));
    bound
        .is_some_and(|bound| (0.0..row.seconds.min).contains(&bound.seconds) && bound.seconds > 0.0)
}

/// Every case runs, and its answer is right as far as its figures can tell on a tiny input.
#[test]
fn every_case_gives_a_good_answer() -> Result<()> {
    let mut checked = 0;
    for job in tasks::jobs(&tasks::ALL, Size::Tiny, &[1]) {
        let row = serve::run(&job, Path::new(INPUTS), &mut Alone)?;
        assert!(has_a_bound(&row), "{row:?}");
        for (name, &value) in &row.quality {
            let single = row.dtype == "f32";
            let good = match name.as_str() {
                "max_abs_err" | "rel_err" => {
                    (0.0..if single { 1e-5 } else { 1e-13 }).contains(&value)
                }
                // Relative to the largest prediction; variances are differences of two numbers near 1.
                "prediction_error" => (0.0..if single { 1e-4 } else { 1e-10 }).contains(&value),
                // Relative to an optimum that was computed to more digits.
                "answer_error" => (0.0..1e-3).contains(&value),
                "rel_residual" => (0.0..1e-12).contains(&value),
                "recall" | "agreement" => (1.0..=1.0).contains(&value),
                // A share of right answers, or of variance.
                "test_score" => (0.1..=1.0).contains(&value),
                "kernel_mae" => (0.0..0.2).contains(&value),
                "mae" => (0.0..0.5).contains(&value),
                "predicted_seconds" => (0.0..10.0).contains(&value) && value > 0.0,
                "rel_trace_err" => (0.0..0.9).contains(&value),
                "rank" => (1.0..=20.0).contains(&value),
                "train_rmse" | "test_rmse" => (0.0..2.0).contains(&value),
                "train_loss" => (0.0..std::f64::consts::LN_2).contains(&value),
                "train_accuracy" | "test_accuracy" => (0.7..=1.0).contains(&value),
                // Sums or means of squares and logarithms, on up to some hundred points.
                "objective" | "inertia" => (0.0..1e3).contains(&value),
                "gap" => (0.0..1e-4 * row.quality["objective"]).contains(&value),
                "relative_gap" => (0.0..1e-2).contains(&value),
                // At most C times the number of points and pairs of classes.
                "dual" => (0.0..1e4).contains(&value),
                "support_vectors" => (1.0..=row.n as f64).contains(&value),
                "iterations" | "steps" => (1.0..=100.0).contains(&value),
                // Ratios of times tell nothing on inputs so small.
                "time_by_values" | "slowdown" | "by_warm" => {
                    (0.0..1e4).contains(&value) && value > 0.0
                }
                "evaluations" => (0.1..10.0).contains(&value),
                // Numbers of sparse rows; the variance that components leave.
                "stored" => (1.0..1e6).contains(&value),
                "left" => (0.0..row.n as f64).contains(&value),
                // The logarithm of a likelihood, on up to some hundred points, and how far it and its gradient are from those of
                // a textbook.
                "value" => (-1e4..1e4).contains(&value),
                "value_error" | "gradient_error" => {
                    (0.0..if single { 1e-3 } else { 1e-8 }).contains(&value)
                }
                // Of samples that differ: the least p-value of a thousand permutations.
                "error" => (0.0..if single { 1e-6 } else { 1e-12 }).contains(&value),
                "p_value" => (0.0..0.002).contains(&value) && value > 0.0,
                "statistic" => (0.0..2.0).contains(&value) && value > 0.0,
                "rounds" => (0.0..=10.0).contains(&value),
                // Negative if the process gave memory back in between.
                "grown_mib" => (-100.0..100.0).contains(&value),
                _ => false,
            };
            assert!(good, "{name} = {value} in {row:?}");
            checked += 1;
        }
    }
    assert!(checked >= 30, "{checked}");
    Ok(())
}
