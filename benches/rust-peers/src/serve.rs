//! Serves one peer of a task to the runner.

use crate::case::{Case, Description, Judged};
use anyhow::{Context, Result, ensure};
use kern_bench_kit::protocol::Led;
use std::env;
use std::io;
use std::panic;
use std::path::Path;

/// A way to do a task: its name, that of the function, and the function.
pub type Peer = (&'static str, &'static str, fn(&mut Case<'_>) -> Result<Judged>);

/// The versions that this program was built with.
const LOCK: &str = include_str!("../Cargo.lock");

/// Serves the peer that the arguments name, of those that there are.
///
/// # Errors
/// If there is no such peer or case, or the work fails.
pub fn serve(peers: &[Peer]) -> Result<()> {
    // The runner reports the last line; of a panic that is its message then.
    panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [task, function, package, folder] = arguments.as_slice() else {
        anyhow::bail!("call me with a task, a function, a package and a folder");
    };
    let found = peers.iter().find(|(t, f, _)| t == task && f == function);
    let (_, _, run) = found.with_context(|| format!("there is no peer {task} {function}"))?;
    let (folder, implementation) = (Path::new(folder), format!("{package} {}", version(package)?));
    let description = Description::read(folder)?;
    ensure!(description.task == *task, "the case in {} is not of {task}", folder.display());
    rayon::ThreadPoolBuilder::new().num_threads(description.threads).build_global()?;
    let mut pace = Led::new(io::stdin().lock(), io::stdout().lock());
    let judged = run(&mut Case::new(folder, &description, &mut pace))?;
    pace.finish(judged.into_row(implementation, description, folder)?)
}

fn version(package: &str) -> Result<&'static str> {
    let name = format!("name = \"{package}\"\nversion = \"");
    let after = LOCK.split_once(&name).map(|(_, after)| after);
    let version = after.and_then(|after| after.split('"').next());
    version.with_context(|| format!("`{package}` is not in Cargo.lock"))
}
