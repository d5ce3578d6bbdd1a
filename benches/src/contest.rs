//! Implementations of one case take turns, A B A B …, so that a drift of the machine hits all of
//! them. Only one computes at a time.

use crate::child::{Child, Patience};
use crate::measure::{ENOUGH, ENOUGH_ALONE, fastest, gains_from_more, lacks_repeats};
use crate::process;
use crate::row::Row;
use anyhow::{Result, anyhow};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Between the turns of different processes: threads of most libraries look for work for some time before they
/// sleep, and would take a core from whoever is next. OpenBLAS has them do so for 2²⁸ cycles (0.1 s), Intel's
/// `OpenMP` for 0.2 s: after each such pause they are waited for, if they still do.
const SETTLE: Duration = Duration::from_millis(50);

/// The greatest number of pauses: on a machine that is never quiet, the row says so.
const MOST_SETTLES: usize = 10;

/// Cores that may be busy for the machine to be quiet: the system counts in hundredths of a second.
const QUIET: f64 = 0.25;

/// A player is far behind if it takes so many times as long as the first one: its ratio misses no target and meets
/// none by noise, so one repeat is enough.
const FAR: f64 = 4.0;

/// Somebody who takes part.
#[derive(Debug)]
pub struct Entrant {
    /// The command that starts it.
    pub command: Command,
    /// The file for its errors.
    pub log: PathBuf,
}

struct Player {
    child: Result<Child>,
    seconds: Vec<f64>,
}

/// Runs all entrants, and returns their rows in the same order. The first one writes the inputs, so
/// nobody is started before it is ready. The others start together, since reading is not computing.
#[must_use]
pub fn hold(mut entrants: Vec<Entrant>, patience: Patience) -> Vec<Result<Row>> {
    let others = entrants.split_off(entrants.len().min(1));
    let mut players: Vec<Player> = entrants.into_iter().map(Player::start).collect();
    players.iter_mut().for_each(|player| player.get_ready(patience));
    if players.iter().any(|player| player.child.is_err()) {
        let results = players.into_iter().map(|player| player.finish(patience));
        return results.chain(others.iter().map(|_| Err(anyhow!("there are no inputs")))).collect();
    }
    players.extend(others.into_iter().map(Player::start));
    players.iter_mut().skip(1).for_each(|player| player.get_ready(patience));

    let alone = players.len() == 1;
    let enough = if alone { ENOUGH_ALONE } else { ENOUGH };
    loop {
        let leader = players.first().and_then(|player| fastest(&player.seconds));
        let lack: Vec<bool> = players.iter().map(|player| player.lacks_repeats(leader)).collect();
        let more_for_all = !lack.contains(&true);
        if more_for_all && !all_gain_from_more(&players, enough) {
            break;
        }
        for (player, lacks) in players.iter_mut().zip(lack) {
            if more_for_all || lacks {
                if !alone {
                    wait_for_quiet();
                }
                player.run(patience);
            }
        }
    }
    players.into_iter().map(|player| player.finish(patience)).collect()
}

/// Waits until nobody computes any more.
fn wait_for_quiet() {
    thread::sleep(SETTLE);
    for _ in 1..MOST_SETTLES {
        let (before, start) = (process::foreign_seconds(), Instant::now());
        thread::sleep(SETTLE);
        let busy = process::foreign_since(before).unwrap_or(0.0);
        if busy < QUIET * start.elapsed().as_secs_f64() {
            break;
        }
    }
}

fn all_gain_from_more(players: &[Player], enough: f64) -> bool {
    let mut running = players.iter().filter(|player| player.child.is_ok()).peekable();
    running.peek().is_some() && running.all(|player| gains_from_more(&player.seconds, enough))
}

impl Player {
    fn start(mut entrant: Entrant) -> Self {
        let child = Child::start(&mut entrant.command, &entrant.log);
        Self { child, seconds: Vec::new() }
    }

    fn get_ready(&mut self, patience: Patience) {
        self.attempt(|child| child.ready(patience.start));
    }

    fn lacks_repeats(&self, leader: Option<f64>) -> bool {
        let far =
            leader.zip(fastest(&self.seconds)).is_some_and(|(leader, own)| own > FAR * leader);
        self.child.is_ok() && !far && lacks_repeats(&self.seconds)
    }

    fn run(&mut self, patience: Patience) {
        let is_first = self.seconds.is_empty();
        let patience = if is_first { patience.start } else { patience.answer };
        let seconds = self.attempt(|child| child.run(patience));
        self.seconds.extend(seconds);
    }

    /// Does it, unless there was an error before; keeps the error if there is one now.
    fn attempt<T>(&mut self, act: impl FnOnce(&mut Child) -> Result<T>) -> Option<T> {
        match act(self.child.as_mut().ok()?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.child = Err(error);
                None
            }
        }
    }

    fn finish(self, patience: Patience) -> Result<Row> {
        self.child?.finish(patience.answer)
    }
}
