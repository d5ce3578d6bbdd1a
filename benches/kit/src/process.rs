//! Facts about this process, where the system tells them (Linux).

use std::fs;

/// Forgets the greatest resident memory so far: what made the inputs is not what is measured. Where
/// that is not possible, the figure is too high, never too low.
pub fn reset_peak_rss() {
    const PEAK: &str = "5";
    let _ = fs::write("/proc/self/clear_refs", PEAK);
}

/// The greatest resident memory that this process has had since it was reset.
#[must_use]
pub fn peak_rss_mib() -> Option<f64> {
    mebibytes("VmHWM:", &fs::read_to_string("/proc/self/status").ok()?)
}

/// The resident memory of this process.
#[must_use]
pub fn rss_mib() -> Option<f64> {
    mebibytes("VmRSS:", &fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM:   123456 kB`, in MiB.
fn mebibytes(name: &str, status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// Processor time of all other processes since the system started, without that of children that
/// have ended.
#[must_use]
pub fn foreign_seconds() -> Option<f64> {
    /// The unit of both files, the same on all platforms of Linux.
    const TICKS_PER_SECOND: f64 = 100.0;
    let all = ticks_of_all(&fs::read_to_string("/proc/stat").ok()?)?;
    let own = ticks_of_one(&fs::read_to_string("/proc/self/stat").ok()?)?;
    Some((all - own) / TICKS_PER_SECOND)
}

/// Processor time of all other processes since it was so much.
#[must_use]
pub fn foreign_since(before: Option<f64>) -> Option<f64> {
    foreign_seconds().zip(before).map(|(after, before)| after - before)
}

/// `cpu  user nice system idle iowait irq softirq steal …`: the sum without idle and iowait.
fn ticks_of_all(stat: &str) -> Option<f64> {
    let ticks = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8);
    let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(ticks.iter().sum::<f64>() - ticks.get(3)? - ticks.get(4)?)
}

/// `pid (name) state …`: fields 14 and 15 are user and system time, 16 and 17 those of children
/// that have ended. The name may hold anything.
fn ticks_of_one(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some(next()? + next()? + next()? + next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_mib() {
        let status = "Name:\tbench\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(mebibytes("VmHWM:", status), Some(2.0));
        assert_eq!(mebibytes("VmHWM:", "Name:\tbench\n"), None);
        assert_eq!(foreign_seconds().is_some(), cfg!(target_os = "linux"));
        assert_eq!(peak_rss_mib().is_some(), cfg!(target_os = "linux"));
        assert_eq!(rss_mib().is_some(), cfg!(target_os = "linux"));
    }

    #[test]
    fn processor_time_is_read_without_idle_time() {
        let stat = "cpu  10 20 30 4000 500 6 7 8 90 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(ticks_of_all(stat), Some(81.0));
        let stat = "12 (a) b) R 1 1 1 0 -1 4194304 100 0 0 0 250 50 7 3 20 0 1";
        assert_eq!(ticks_of_one(stat), Some(310.0));
        assert!(ticks_of_all("").is_none() && ticks_of_one("12 (a) R 1").is_none());
    }
}
