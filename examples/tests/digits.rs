//! The program runs and keeps what it promises.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use std::process::{Command, Output};

fn digits(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_digits")).args(arguments).output().unwrap()
}

/// The lines of a run, the head among them.
fn lines(arguments: &[&str]) -> Vec<String> {
    let output = digits(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn accuracy(line: &str) -> f64 {
    line.split_whitespace().last().unwrap().parse().unwrap()
}

#[test]
fn digits_reaches_the_promised_accuracies() {
    let lines = lines(&[]);
    assert_eq!(lines[0], "digits: 1257 images for training, 540 for testing");
    assert_eq!(lines[2..].len(), 5, "{lines:?}");
    for (k, line) in lines[2..].iter().enumerate() {
        assert!(accuracy(line) >= if k == 0 { 0.98 } else { 0.94 }, "{line}");
    }
}

#[test]
fn options_are_heeded() {
    let accuracies = |arguments: &[&str]| -> Vec<f64> {
        lines(arguments)[2..].iter().map(|line| accuracy(line)).collect()
    };
    let given = accuracies(&["--gamma", "0.01", "--seed", "1"]);
    assert!(given.iter().all(|&accuracy| accuracy >= 0.9), "{given:?}");
    assert_ne!(given, accuracies(&["--seed", "1"]));
    assert_ne!(given, accuracies(&["--gamma", "0.01"]));
}

#[test]
fn other_arguments_are_refused() {
    for arguments in [&["--help"][..], &["--seed"], &["--seed", "-1"], &["--bins", "3"]] {
        let output = digits(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(message, "usage: digits [--seed NUMBER] [--gamma NUMBER]\n");
    }
    let output = digits(&["--gamma", "-1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: "));
}
