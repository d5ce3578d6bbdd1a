//! The runner's side of the protocol, with shell scripts as programs.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_benches::child::Patience;
use kern_benches::contest::{self, Entrant};
use kern_benches::protocol::Answer;
use kern_benches::row::{Figures, Params, Row, Seconds};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PATIENCE: Patience =
    Patience { start: Duration::from_secs(20), answer: Duration::from_millis(500) };

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn entrant(name: &str, script: &str) -> Entrant {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Entrant { command, log: path(name).with_extension("log") }
}

/// Ready at once; then `run` for each request to run, and a row in the end.
fn program(name: &str, run: &str) -> Entrant {
    program_with(&row(name), run)
}

fn program_with(row: &Row, run: &str) -> Entrant {
    let name = &row.implementation;
    let row = serde_json::to_string(&Answer::Row(Box::new(row.clone()))).unwrap();
    let script = format!(
        "echo '{{\"ready\": true}}'
         while read -r line; do
           case $line in
             run) {run} ;;
             finish) echo '{row}'; exit ;;
           esac
         done"
    );
    entrant(name, &script)
}

fn row(name: &str) -> Row {
    Row {
        task: "task".into(),
        implementation: name.into(),
        variant: "variant".into(),
        dtype: "f64".into(),
        n: 1,
        d: 1,
        threads: 1,
        params: Params::new(),
        seconds: Seconds { median: 1.0, min: 1.0, max: 1.0, repeats: 5, times: vec![] },
        quality: Figures::from([("error".to_owned(), 0.0)]),
        peak_rss_mib: None,
        limit: None,
        work: None,
        note: String::new(),
    }
}

fn answer(seconds: f64) -> String {
    format!("echo '{{\"seconds\": {seconds}}}'")
}

#[test]
fn programs_take_turns() {
    let turns = path("turns");
    let _ = fs::remove_file(&turns);
    let logged = |name: &str, seconds| {
        program(name, &format!("echo {name} >> '{}'; {}", turns.display(), answer(seconds)))
    };
    // C takes over 5 s by its own account, and is asked for 3 repeats instead of 5; D, which takes more than four times as
    // long as the first, for one.
    let entrants = vec![logged("A", 2.0), logged("B", 2.0), logged("C", 6.0), logged("D", 9.0)];
    let results = contest::hold(entrants, PATIENCE);
    let names: Vec<String> = results.into_iter().map(|row| row.unwrap().implementation).collect();
    assert_eq!(names, ["A", "B", "C", "D"]);
    let order = fs::read_to_string(&turns).unwrap();
    let order: String = order.split_whitespace().collect();
    assert_eq!(order, "ABCDABCDABCABCABAB");
}

#[test]
fn a_turn_begins_when_others_are_quiet() {
    let log = path("quiet");
    let _ = fs::remove_file(&log);
    // Nanoseconds before a quarter of a second of work that goes on after the answer.
    let now = format!("date +%s%N >> '{}'", log.display());
    let busy = "timeout 0.25 sh -c 'while :; do :; done' > /dev/null";
    let spinning = program("A", &format!("{now}; {busy} & {}", answer(0.5)));
    let next = program("B", &format!("{now}; {}", answer(0.5)));
    assert!(contest::hold(vec![spinning, next], PATIENCE).iter().all(Result::is_ok));
    let times = fs::read_to_string(&log).unwrap();
    let times: Vec<u64> = times.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(times.len(), 12);
    assert!(times.chunks(2).all(|turns| turns[1] - turns[0] >= 250_000_000), "{times:?}");
}

#[test]
fn short_programs_have_more_turns() {
    let turns = path("short");
    let run = |seconds| format!("echo 1 >> '{}'; {}", turns.display(), answer(seconds));
    let count = |programs| {
        let _ = fs::remove_file(&turns);
        assert!(contest::hold(programs, PATIENCE).iter().all(Result::is_ok));
        fs::read_to_string(&turns).unwrap().lines().count()
    };
    let short = |name, seconds| program(name, &run(seconds));
    // A warm-up, and repeats: 0.5 s each of two programs, 5 s of one that nobody waits for.
    assert_eq!(count(vec![short("A", 0.0625), short("B", 0.0625)]), 2 * 9);
    assert_eq!(count(vec![short("alone", 0.25)]), 21);
}

#[test]
fn who_fails_is_reported_and_does_not_stop_the_others() {
    let fine = answer(0.5);
    let entrants = vec![
        program("first", &fine),
        entrant("absent", "echo 'Traceback' >&2; echo 'no such module' >&2; exit 1"),
        program("crashing", "kill -9 $$"),
        // `exec`, so that ending the program ends the sleep.
        program("silent", &format!("if [ $again ]; then exec sleep 60; fi; again=1; {fine}")),
        program("babbling", "echo hello"),
        program("unclear", "echo '{\"seconds\": null}'"),
        Entrant { command: Command::new("there-is-no-such-program"), log: path("none.log") },
        program("last", &fine),
    ];
    let results = contest::hold(entrants, PATIENCE);
    let messages: Vec<String> = results
        .into_iter()
        .map(|result| result.map_or_else(|error| format!("{error:#}"), |row| row.implementation))
        .collect();
    let expected = [
        "first",
        "no such module (exit status: 1)",
        "signal: 9",
        "no answer within",
        "not an answer: hello",
        "not an answer",
        "cannot start",
        "last",
    ];
    assert_eq!(messages.len(), expected.len());
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "`{expected}` is not in `{message}`");
    }
}

#[test]
fn nobody_starts_without_inputs() {
    let started = path("started");
    let _ = fs::remove_file(&started);
    let entrants = vec![
        entrant("first", "exit 3"),
        entrant("second", &format!("touch '{}'", started.display())),
    ];
    let results = contest::hold(entrants, PATIENCE);
    assert!(results.iter().all(Result::is_err) && results.len() == 2);
    assert!(!started.exists());
}

#[test]
fn a_row_without_figures_is_refused() {
    let row = Row { quality: Figures::new(), ..row("bad") };
    let results = contest::hold(vec![program_with(&row, &answer(0.5))], PATIENCE);
    assert!(results[0].as_ref().unwrap_err().to_string().contains("no quality figure"));
}
