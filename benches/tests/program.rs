//! The program as a whole, on tiny inputs.

use anyhow::Result;
use kern_benches::job::{Job, RUN_ONE};
use kern_benches::row::Row;
use kern_benches::tasks::{self, Size};
use std::process::{Command, Output};

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
fn one_case_in_a_process_of_its_own_prints_one_row() -> Result<()> {
    let case = ["--task", "usgd", "--variant", "cached", "--dtype", "f64"];
    let rest = ["--size", "tiny", "--threads", "1"];
    let output = bench(&[&[RUN_ONE][..], &case, &rest].concat())?;
    let row: Row = serde_json::from_slice(&output.stdout)?;
    assert_eq!((row.task.as_str(), row.implementation.as_str()), ("usgd", "kern"));
    assert_eq!((row.n, row.d, row.threads), (64, 2, 1));
    assert_eq!(row.peak_rss_mib.is_some(), cfg!(target_os = "linux"));
    Ok(())
}

/// Every case runs, and its answer is right as far as its figures can tell on a tiny input.
#[test]
fn every_case_gives_a_good_answer() -> Result<()> {
    let mut checked = 0;
    for job in Job::all(&tasks::ALL, Size::Tiny, &[1]) {
        let row = job.run()?;
        for (name, &value) in &row.quality {
            let single = row.dtype == "f32";
            let good = match name.as_str() {
                "max_abs_err" | "rel_err" => {
                    (0.0..if single { 1e-5 } else { 1e-13 }).contains(&value)
                }
                "rel_residual" => (0.0..1e-12).contains(&value),
                "recall" => (1.0..=1.0).contains(&value),
                "kernel_mae" => (0.0..0.2).contains(&value),
                "rel_trace_err" => (0.0..0.9).contains(&value),
                "rank" => (1.0..=20.0).contains(&value),
                "train_rmse" | "test_rmse" => (0.0..2.0).contains(&value),
                "train_loss" => (0.0..std::f64::consts::LN_2).contains(&value),
                "train_accuracy" => (0.7..=1.0).contains(&value),
                _ => false,
            };
            assert!(good, "{name} = {value} in {row:?}");
            checked += 1;
        }
    }
    assert!(checked >= 30, "{checked}");
    Ok(())
}
