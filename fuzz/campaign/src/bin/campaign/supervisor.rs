//! The parent: starts children, reads their lines, and ends them in time.

use crate::message::Message;
use crate::report::Report;
use anyhow::{Context, Result};
use kern_campaign::{Body, Finding};
use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A case that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(20);

/// The bytes of a child's last words that are reported.
const LAST_WORDS: usize = 400;

/// The end of the cases of a body: so many, or so much time.
pub(crate) struct End {
    pub(crate) cases: Option<u64>,
    pub(crate) time: Duration,
}

/// Runs the cases of a body.
pub(crate) fn run(
    body: &'static Body,
    (seed, first): (u64, u64),
    end: &End,
    report: &mut Report,
) -> Result<()> {
    let begin = Instant::now();
    let mut next = first;
    loop {
        let mut children = Watch { body, begin, end, first, next, report: &mut *report };
        if children.run(seed)? {
            report.time(body, begin.elapsed());
            return Ok(());
        }
        next = report.last(body).map_or(next, |last| last + 1).max(next + 1);
    }
}

/// One child.
struct Watch<'r> {
    body: &'static Body,
    begin: Instant,
    end: &'r End,
    first: u64,
    next: u64,
    report: &'r mut Report,
}

impl Watch<'_> {
    /// True if all is done; false if the child has ended in a case.
    fn run(&mut self, seed: u64) -> Result<bool> {
        let program = env::current_exe().context("the path of this program")?;
        let mut child = Command::new(program)
            .args(["--worker", "--body", self.body.name])
            .args(["--seed", &seed.to_string(), "--first", &self.next.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a child")?;
        let output = child.stdout.take().context("the output of a child")?;
        let (send, lines) = channel();
        // It ends with the output of the child.
        let reader = thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            let mut messages = lines.filter_map(|line| Message::read(&line));
            messages.try_for_each(|message| send.send(message))
        });
        let done = self.listen(&lines, &mut child);
        // It may have ended by itself.
        drop(child.kill());
        let status = child.wait()?;
        drop(lines);
        drop(reader.join());
        if done == Ended::Itself {
            self.died(&mut child, &status.to_string());
        }
        Ok(done == Ended::Done)
    }

    fn listen(&mut self, lines: &Receiver<Message>, _: &mut Child) -> Ended {
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(Message::Begin(index)) => {
                    if self.is_done(index) {
                        return Ended::Done;
                    }
                    self.report.begin(self.body, index);
                }
                Ok(Message::End { answered }) => self.report.end(self.body, answered),
                Ok(Message::Found(finding)) => self.report.find(self.body, finding),
                Err(RecvTimeoutError::Timeout) => {
                    let detail = format!("more than {} s", PATIENCE.as_secs());
                    let finding = Finding { kind: "hang".into(), place: String::new(), detail };
                    self.report.find(self.body, finding);
                    return Ended::Hung;
                }
                Err(RecvTimeoutError::Disconnected) => return Ended::Itself,
            }
        }
    }

    fn is_done(&self, index: u64) -> bool {
        match self.end.cases {
            Some(cases) => index >= self.first.saturating_add(cases),
            None => self.begin.elapsed() >= self.end.time,
        }
    }

    /// A child that ended by itself: its case is a finding.
    fn died(&mut self, child: &mut Child, status: &str) {
        let mut words = String::new();
        if let Some(mut errors) = child.stderr.take() {
            drop(errors.read_to_string(&mut words));
        }
        let place = place(&words);
        let words: String = words.trim().chars().take(LAST_WORDS).collect();
        let detail = format!("{status}: {words}");
        let finding = Finding { kind: "end of the process".into(), place, detail };
        self.report.find(self.body, finding);
    }
}

/// The first function of the library in a backtrace, or the first line without its numbers.
fn place(words: &str) -> String {
    let is_ours = |line: &&str| line.contains("kern_") && !line.contains("kern_campaign");
    let line = words.lines().find(is_ours).or_else(|| words.lines().next()).unwrap_or_default();
    let text = line.split_once(": ").map_or(line, |(_, name)| name);
    text.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// The end of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Done,
    Hung,
    Itself,
}
