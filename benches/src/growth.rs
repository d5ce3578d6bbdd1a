//! Growth of time and memory with n: exponents fitted to rows of one task.

use crate::row::{Figures, Row};

/// The figure of memory that the inputs and the work took, without what the process had before.
pub const GROWN: &str = "grown_mib";

/// The figure of the exponent of time.
pub const TIME_EXPONENT: &str = "time_exponent";

/// The figure of the exponent of memory.
pub const MEMORY_EXPONENT: &str = "memory_exponent";

/// The variant of a row of exponents.
pub const VARIANT: &str = "exponent";

/// For each task, number type and number of threads whose rows have the figure [`GROWN`]: a row
/// with the exponents of median time and of that memory in n. Its n and its times are those of the
/// greatest n.
#[must_use]
pub fn exponents(rows: &[Row]) -> Vec<Row> {
    let key = |row: &Row| (row.task.clone(), row.dtype.clone(), row.threads);
    let growing: Vec<&Row> = rows.iter().filter(|row| row.quality.contains_key(GROWN)).collect();
    let mut keys: Vec<_> = growing.iter().map(|row| key(row)).collect();
    keys.sort();
    keys.dedup();
    let groups = keys.iter().map(|k| growing.iter().filter(|row| key(row) == *k));
    groups.filter_map(|group| fitted(&group.copied().collect::<Vec<_>>())).collect()
}

fn fitted(rows: &[&Row]) -> Option<Row> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.n);
    let (first, last) = (rows.first()?, rows.last()?);
    let times: Vec<_> = rows.iter().map(|row| (row.n as f64, row.seconds.median)).collect();
    // Buffers of fixed size are in every row, and cancel in differences. These grow with the same
    // exponent as long as n does by equal factors.
    let added = |pair: &[&Row]| (pair[1].n as f64, pair[1].quality[GROWN] - pair[0].quality[GROWN]);
    let memory: Vec<_> = rows.windows(2).map(added).collect();
    let memory = log_log_slope(&memory);
    let mut quality = Figures::from([(TIME_EXPONENT.to_owned(), log_log_slope(&times)?)]);
    quality.extend(memory.map(|slope| (MEMORY_EXPONENT.to_owned(), slope)));
    // What is kept where it fits, and computed where it does not, takes less memory for more points.
    let no_power = if memory.is_none() { "; memory is no power of n" } else { "" };
    Some(Row {
        variant: VARIANT.to_owned(),
        quality,
        note: format!("fitted to {} rows, n from {} to {}{no_power}", rows.len(), first.n, last.n),
        ..(*last).clone()
    })
}

/// The slope of the least-squares line through (ln n, ln v); none without two different n, or if a
/// value is not positive.
fn log_log_slope(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, v)| (n.ln(), v.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    let slope = covariance / variance;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Params, Seconds};

    fn row(n: usize, median: f64, grown: f64) -> Row {
        Row {
            task: "growth".into(),
            implementation: "kern".into(),
            variant: format!("n={n}"),
            dtype: "f64".into(),
            n,
            d: 1,
            threads: 2,
            params: Params::new(),
            seconds: Seconds { median, min: median, max: median, repeats: 5, times: vec![] },
            quality: Figures::from([(GROWN.to_owned(), grown)]),
            peak_rss_mib: None,
            limit: None,
            work: None,
            note: String::new(),
        }
    }

    #[test]
    fn exponents_of_powers_are_found() {
        let power = |n: usize| row(n, 3e-6 * (n as f64).powi(2), 7.0 + 0.5 * n as f64);
        let found = exponents(&[power(1000), power(10), power(100)]);
        assert_eq!(found.len(), 1);
        assert!((found[0].quality["time_exponent"] - 2.0).abs() < 1e-12);
        assert!((found[0].quality["memory_exponent"] - 1.0).abs() < 1e-12);
        assert_eq!((found[0].n, found[0].variant.as_str()), (1000, VARIANT));
    }

    #[test]
    fn numbers_of_threads_are_not_mixed() {
        let more = |n| Row { threads: 4, ..row(n, n as f64, 1.0) };
        let found = exponents(&[row(10, 1.0, 1.0), row(20, 1.0, 1.0), more(10), more(20)]);
        let slopes: Vec<f64> = found.iter().map(|row| row.quality["time_exponent"]).collect();
        assert_eq!(slopes.len(), 2);
        assert!(slopes[0].abs() < 1e-12 && (slopes[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_fitted_to_one_size_or_to_other_tasks() {
        assert!(exponents(&[row(10, 1.0, 1.0), row(10, 1.0, 1.0)]).is_empty());
        let other = |n| Row { quality: Figures::new(), ..row(n, 1.0, 1.0) };
        assert!(exponents(&[other(10), other(20)]).is_empty());
        // Memory that does not grow visibly leaves the exponent of time alone.
        let found = exponents(&[row(10, 1.0, 1.0), row(20, 2.0, 1.0), row(40, 4.0, 2.0)]);
        assert!(!found[0].quality.contains_key("memory_exponent"));
        assert!(found[0].note.ends_with("memory is no power of n"));
    }
}
