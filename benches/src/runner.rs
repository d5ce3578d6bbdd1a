//! The run of a program: the limits of the machine, all jobs one after the other, saved as they come, and
//! the limits again.

use crate::case::Size;
use crate::child::Patience;
use crate::compare::Comparison;
use crate::contest::{self, Entrant};
use crate::found::{Missing, Report};
use crate::growth;
use crate::job::Job;
use crate::kind::Kind;
use crate::limits::Limits;
use crate::machine::Machine;
use crate::peers::{self, CORE_TYPE, Environment, Peer, Recipes};
use crate::progress::Progress;
use crate::provenance::Provenance;
use crate::real;
use crate::report::number::seconds;
use crate::row::Row;
use crate::slowdown::Case;
use crate::tasks;
use crate::work::GEMM;
use anyhow::{Context, Error, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The plan of a run: the jobs, and the place of the results.
#[derive(Debug)]
pub struct Plan {
    /// The cases.
    pub jobs: Vec<Job>,
    /// Recipes for the environments of the peers, if they are to be run.
    pub peers: Option<Recipes>,
    /// The folder of the inputs.
    pub inputs: PathBuf,
    /// The folder of real data that is not part of the project.
    pub data: PathBuf,
    /// The file to write after each job.
    pub json: Option<PathBuf>,
    /// The origin of the run.
    pub provenance: Provenance,
    /// A run that was broken off, to go on with: its cases are not measured again.
    pub earlier: Option<Report>,
}

impl Plan {
    /// Runs all jobs. One that fails does not stop the others. Returns the report, and how many failed;
    /// a peer that is missing is reported, and is no failure.
    ///
    /// # Errors
    /// If the machine cannot be measured, or something cannot be written.
    pub fn run(&self) -> Result<(Report, usize)> {
        let mut report = self.begin()?;
        self.save(&report)?;
        let threads: BTreeSet<usize> = self.jobs.iter().map(|job| job.threads).collect();
        let jobs: Vec<&Job> = self.jobs.iter().filter(|job| !has(&report, job)).collect();
        let mut progress = Progress::new(2 * threads.len() + jobs.len())?;
        let is_quick = self.jobs.iter().all(|job| job.size != Size::Full);
        for &threads in &threads {
            progress.begin(&format!("limits of the machine, threads: {threads}"));
            let limits = Limits::of_a_child(threads, is_quick)?;
            match report.machine.limits.iter_mut().find(|known| known.threads == threads) {
                Some(known) => *known = known.greater(&limits),
                None => report.machine.limits.push(limits),
            }
            progress.end();
        }
        let failures = self.run_jobs(&jobs, &mut report, &mut progress)?;
        for limits in &mut report.machine.limits {
            progress.begin(&format!("limits of the machine again, threads: {}", limits.threads));
            *limits = limits.greater(&Limits::of_a_child(limits.threads, is_quick)?);
            progress.end();
        }
        give_limits(&mut report);
        report.rows.extend(growth::exponents(&report.rows));
        self.save(&report)?;
        progress.finish();
        Ok((report, failures))
    }

    /// The report to add to: an empty one, or that of the run to go on with.
    fn begin(&self) -> Result<Report> {
        let (machine, now) = (Machine::this(), &self.provenance);
        let Some(earlier) = &self.earlier else {
            return Ok(Report::new(machine, Some(now.clone())));
        };
        let then =
            earlier.provenance.as_ref().context("the run to go on with has no provenance")?;
        ensure!(
            (&then.command, &then.size) == (&now.command, &now.size),
            "the run to go on with was `{}` ({}), and this is `{}` ({})",
            then.command,
            then.size,
            now.command,
            now.size
        );
        ensure!(
            earlier.machine.name() == machine.name(),
            "the run to go on with was made on another machine ({}, {} cores)",
            earlier.machine.cpu,
            earlier.machine.cores
        );
        let commit = match then.commit.ends_with(&now.commit) {
            true => then.commit.clone(),
            false => format!("{}, then {}", then.commit, now.commit),
        };
        let provenance = Some(Provenance { commit, ..then.clone() });
        Ok(Report { provenance, ..earlier.clone() })
    }

    /// Runs all jobs without a report: what was measured.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn rows(&self) -> Result<Vec<Row>> {
        let mut report = Report::new(Machine::this(), None);
        let mut progress = Progress::new(self.jobs.len())?;
        self.run_jobs(&self.jobs.iter().collect::<Vec<_>>(), &mut report, &mut progress)?;
        progress.finish();
        Ok(report.rows)
    }

    /// Runs jobs, and saves what is found after each. Returns how many failed.
    fn run_jobs(
        &self,
        jobs: &[&Job],
        report: &mut Report,
        progress: &mut Progress,
    ) -> Result<usize> {
        let peers: Vec<&Peer> = jobs.iter().copied().flat_map(peers::of).collect();
        let environment = self.peers.as_ref().map(|recipes| recipes.make(&peers));
        let mut failures = 0;
        for job in jobs {
            progress.begin(job);
            match self.run_job(job, environment.as_ref(), report) {
                Ok(said) => progress.say(&said),
                Err(error) => {
                    progress.say(&format!("failed: {error:#}"));
                    failures += 1;
                }
            }
            progress.end();
            give_limits(report);
            // After each job, so that an interrupted run leaves what it has found.
            self.save(report)?;
        }
        Ok(failures)
    }

    fn save(&self, report: &Report) -> Result<()> {
        self.json.as_ref().map_or(Ok(()), |path| report.write(path))
    }

    /// Runs one job, adds what it finds to the report, and says it in a line.
    fn run_job(
        &self,
        job: &Job,
        environment: Option<&Environment>,
        report: &mut Report,
    ) -> Result<String> {
        if let Some(reason) = real::lacking(&job.variant, job.size, &self.data) {
            let missing = Missing { implementation: "kern".to_owned(), ..of(job, reason) };
            let said = missing.to_string();
            report.missing.push(missing);
            return Ok(said);
        }
        let folder = job.folder(&self.inputs);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut missing = Vec::new();
        let mut running = Vec::new();
        let mut command = job.command(&self.inputs)?;
        command.env(real::FOLDER, &self.data);
        let kern = Entrant { command, log: folder.join("kern.log") };
        let mut entrants = vec![kern];
        let commands = environment
            .into_iter()
            .flat_map(|environment| peers::of(job).map(move |peer| (environment, peer)));
        for (environment, peer) in commands {
            let ways =
                if peer.runs_twice(&report.machine) { &Way::BOTH[..] } else { &Way::BOTH[..1] };
            for &way in ways {
                match environment.command(peer, job, &folder) {
                    // Said once.
                    Err(error) if way == Way::AsIs => missing.push(lacking(job, peer, &error)),
                    Err(_) => {}
                    Ok(mut command) => {
                        way.set(&mut command);
                        running.push((peer, way));
                        let file = format!("{}-{}{}.log", peer.package, peer.function, way.mark());
                        entrants.push(Entrant { command, log: folder.join(file) });
                    }
                }
            }
        }
        let mut results = contest::hold(entrants, Patience::default()).into_iter();
        let kern = results.next().context("nobody took part")?;
        let mut rows = Vec::new();
        for ((peer, way), result) in running.into_iter().zip(results) {
            match result {
                Ok(row) => rows.push(named(row, peer, way)),
                Err(error) if way == Way::AsIs => missing.push(lacking(job, peer, &error)),
                Err(_) => {}
            }
        }
        publish(job, kern, rows, missing, report)
    }
}

fn lacking(job: &Job, peer: &Peer, reason: &Error) -> Missing {
    Missing { implementation: peer.name(), ..of(job, format!("{reason:#}")) }
}

/// Nobody's yet.
fn of(job: &Job, reason: String) -> Missing {
    Missing {
        task: job.task.clone(),
        implementation: String::new(),
        variant: job.variant.clone(),
        dtype: job.dtype.to_string(),
        threads: job.threads,
        reason,
    }
}

/// A peer says its package and version; how it did the task is ours to say.
fn named(row: Row, peer: &Peer, way: Way) -> Row {
    let implementation = format!("{}, {}{}", row.implementation, peer.about, way.mark());
    Row { implementation, ..row }
}

/// The environment in which a peer's process is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As a user would.
    AsIs,
    /// With the kernels of [`CORE_TYPE`].
    Chosen,
}

impl Way {
    const BOTH: [Self; 2] = [Self::AsIs, Self::Chosen];

    fn set(self, command: &mut Command) {
        if self == Self::Chosen {
            command.env(CORE_TYPE.0, CORE_TYPE.1);
        }
    }

    /// The words for it in a name.
    fn mark(self) -> String {
        match self {
            Self::AsIs => String::new(),
            Self::Chosen => format!(", {}={}", CORE_TYPE.0, CORE_TYPE.1),
        }
    }
}

/// Gives all rows of a case the limit of the case: the one that was measured beside the work, or the
/// counted work at the rates of the machine, as they are known now.
fn give_limits(report: &mut Report) {
    let of_case = |kern: &Row| {
        let is_measured = kern.limit.as_ref().is_some_and(|limit| limit.name == GEMM);
        if is_measured {
            return kern.limit.clone();
        }
        let limits = report.machine.limits.iter().find(|limits| limits.threads == kern.threads)?;
        kern.work?.limit(&kern.dtype, limits)
    };
    let is_case = |a: &Row, b: &Row| {
        (&a.task, &a.variant, &a.dtype, a.threads) == (&b.task, &b.variant, &b.dtype, b.threads)
    };
    let ours: Vec<Row> = report.rows.iter().filter(|row| row.is_kern()).cloned().collect();
    let limit = |row: &Row| of_case(ours.iter().find(|kern| is_case(kern, row))?);
    let limits: Vec<_> = report.rows.iter().map(limit).collect();
    for (row, limit) in report.rows.iter_mut().zip(limits) {
        row.limit = limit;
    }
}

/// Adds what one job found to the report, and says it in a line.
fn publish(
    job: &Job,
    kern: Result<Row>,
    mut peers: Vec<Row>,
    missing: Vec<Missing>,
    report: &mut Report,
) -> Result<String> {
    let comparison = match &kern {
        Ok(kern) if !peers.is_empty() || !missing.is_empty() => {
            let (task, kind) = (tasks::find(&job.task)?, Kind::of(&report.machine));
            Some(Comparison::of(task, kern, &mut peers, missing.len(), &kind))
        }
        _ => None,
    };
    let compared = comparison.as_ref().map(|comparison| format!("; {comparison}"));
    report.missing.extend(missing);
    report.comparisons.extend(comparison);
    let said = kern.map(|kern| {
        let median = seconds(kern.seconds.median);
        let said = format!("    {median}{}", compared.unwrap_or_default());
        report.rows.push(kern);
        said
    });
    report.rows.extend(peers);
    said
}

/// Tells whether a report has a job.
fn has(report: &Report, job: &Job) -> bool {
    report.rows.iter().any(|row| Case::of(row).is_of(job))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Dtype;
    use crate::row::{Figures, Params, Seconds};
    use crate::work::{Limit, Work};

    fn row(work: Option<Work>, limit: Option<Limit>) -> Row {
        let seconds = Seconds { median: 1.0, min: 1.0, max: 1.0, repeats: 1, times: vec![] };
        Row {
            task: "task".into(),
            implementation: "kern".into(),
            variant: "variant".into(),
            dtype: "f64".into(),
            n: 1,
            d: 1,
            threads: 2,
            params: Params::new(),
            seconds,
            quality: Figures::new(),
            peak_rss_mib: None,
            limit,
            work,
            note: String::new(),
        }
    }

    fn machine(threads: usize) -> Machine {
        let rates = (1.0, 1.0);
        let (fma_f64, exp_f64) = rates;
        let limits = Limits {
            threads,
            fma_f64,
            fma_f32: 2.0,
            exp_f64,
            exp_f32: 2.0,
            read: 1.0,
            triad: 1.0,
            fresh: 1.0,
            fresh_heap: 1.0,
        };
        Machine { limits: vec![limits], ..Machine::this() }
    }

    fn given(threads: usize, rows: Vec<Row>) -> Vec<Option<Limit>> {
        let mut report = Report::new(machine(threads), None);
        report.rows = rows;
        give_limits(&mut report);
        // Once more changes nothing.
        let once = report.clone();
        give_limits(&mut report);
        assert_eq!(report, once);
        report.rows.into_iter().map(|row| row.limit).collect()
    }

    #[test]
    fn all_rows_of_a_case_have_one_limit() {
        let work = Some(Work::default().flops(2e9));
        let peer = Row { implementation: "a".into(), ..row(None, None) };
        let other = Row { variant: "other".into(), ..peer.clone() };
        let limits = given(2, vec![row(work, None), peer, other]);
        let counted = Some(Limit { name: "fma".into(), seconds: 2.0 });
        assert_eq!(limits, [counted.clone(), counted, None]);
    }

    #[test]
    fn a_run_goes_on_with_what_is_not_measured_yet() {
        let mut report = Report::new(machine(2), None);
        report.rows = vec![row(None, None)];
        let job = |variant: &str| Job {
            task: "task".into(),
            variant: variant.into(),
            dtype: Dtype::F64,
            size: Size::Tiny,
            threads: 2,
        };
        assert!(has(&report, &job("variant")));
        assert!(!has(&report, &job("other")));
        assert!(!has(&report, &Job { threads: 1, ..job("variant") }));
    }

    #[test]
    fn what_was_measured_comes_first_and_other_threads_tell_nothing() {
        let work = Some(Work::default().flops(2e9));
        let gemm = Some(Limit { name: GEMM.into(), seconds: 9.0 });
        let peer = Row { implementation: "a".into(), ..row(None, None) };
        assert_eq!(given(2, vec![row(work, gemm.clone()), peer]), [gemm.clone(), gemm]);
        assert_eq!(given(1, vec![row(work, None)]), [None]);
    }
}
