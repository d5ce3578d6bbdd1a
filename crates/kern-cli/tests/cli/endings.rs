//! Trainings that end early, by a signal or by their limit: the best model, or no file.

use super::{Desk, number};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Rows of two classes that overlap: a search over them takes longer than any test.
fn rows(count: u32) -> String {
    let mut text = "x,y,plan,churned\n".to_string();
    for i in 0..count {
        let hash = |k: u32| f64::from(i.wrapping_mul(2_654_435_761).rotate_left(k) >> 12) / 1e6;
        let noise = hash(7) - 0.5;
        let class = if hash(3) + 0.5 * noise > 0.5 { "yes" } else { "no" };
        text += &format!("{},{},{},{class}\n", hash(3), hash(11), ["a", "b"][(i % 2) as usize]);
    }
    text
}

#[test]
fn a_limit_of_time_ends_a_search_with_a_model_that_says_so() {
    let desk = Desk::new();
    desk.write("churn.csv", &rows(4000));
    let start = Instant::now();
    let train = ["train", "churn.csv", "-t", "churned", "--tune", "3", "--time-limit", "6"];
    let output = desk.kern(&[&train[..], &["-o", "m.kern"]].concat());
    let (took, text) = (start.elapsed(), String::from_utf8(output.stderr).unwrap());
    // 20 % and a second, and three for other tests on the same processor.
    assert!(took < Duration::from_millis(11_200), "{took:?}");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("note: the search was ended after"), "{text}");
    let scores = desk.answers(&["evaluate", "m.kern", "churn.csv", "--json"]);
    assert!(number(&scores, "accuracy") > 0.7, "{scores}");
    // Not enough for one candidate.
    desk.write("old.kern", "old");
    let train = ["train", "churn.csv", "-t", "churned", "--tune", "3", "--time-limit", "0"];
    let text = desk.refused(&[&train[..], &["-o", "old.kern"]].concat(), 1);
    assert!(text.contains("before any candidate") && text.contains("hint: "), "{text}");
    assert_eq!(std::fs::read_to_string(desk.path("old.kern")).unwrap(), "old");
}

#[test]
fn a_class_that_is_not_found_is_told() {
    let desk = Desk::new();
    let row = |i: u32| {
        let class = if i.is_multiple_of(50) { "yes" } else { "no" };
        format!("{},{},{class}\n", i * 37 % 101, i * 53 % 103)
    };
    desk.write("rare.csv", &format!("x,y,class\n{}", (0..600).map(row).collect::<String>()));
    let train = |more: &[&str]| {
        let set = ["train", "rare.csv", "-t", "class", "-o", "m.kern"];
        String::from_utf8(desk.kern(&[&set[..], more].concat()).stderr).unwrap()
    };
    let text = train(&[]);
    assert!(text.contains("score: accuracy") && text.contains("`yes`"), "{text}");
    assert!(text.contains("--class-weights balanced"), "{text}");
    assert!(!train(&["--class-weights", "balanced"]).contains("--class-weights"));
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[cfg(unix)]
#[test]
fn one_interrupt_keeps_the_best_candidate_and_two_leave_the_old_file() {
    let desk = Desk::new();
    desk.write("churn.csv", &rows(4000));
    desk.write("twice.kern", "old");
    let train = |model: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_kern"));
        let set = ["train", "churn.csv", "-t", "churned", "--tune", "3", "-o", model];
        program.args(set).current_dir(desk.path("")).stderr(Stdio::piped()).spawn().unwrap()
    };
    let once = train("once.kern");
    std::thread::sleep(Duration::from_secs(6));
    interrupt(&once);
    // `timeout` sends its signal twice at once.
    interrupt(&once);
    let output = once.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    if desk.path("once.kern").exists() {
        assert!(output.status.success() && text.contains("stopped by Ctrl-C"), "{text}");
        let scores = desk.answers(&["evaluate", "once.kern", "churn.csv", "--json"]);
        assert!(number(&scores, "accuracy") > 0.7, "{scores}");
    } else {
        // Another test had the processor, and no candidate was finished; or the two signals were two.
        assert!(!output.status.success(), "{text}");
    }
    let twice = train("twice.kern");
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&twice);
    std::thread::sleep(Duration::from_millis(100));
    let _gone = Command::new("kill").args(["-INT", &twice.id().to_string()]).status();
    let output = twice.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert_eq!(std::fs::read_to_string(desk.path("twice.kern")).unwrap(), "old");
}
