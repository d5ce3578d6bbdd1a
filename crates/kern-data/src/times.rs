//! Dates, times and durations as seconds, whatever their unit in a file.
//!
//! An instant is a number of seconds since 1970-01-01T00:00:00 UTC, a duration a number of seconds.
//! In double precision, neighbouring instants of this century are 0.24 µs apart. Times without a
//! zone are taken as UTC.

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// A unit of time: `seconds/parts` of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    seconds: i128,
    parts: i128,
}

impl Unit {
    pub(crate) const SECOND: Self = Self::of(1, 1);
    #[cfg(feature = "arrow")]
    pub(crate) const MILLISECOND: Self = Self::of(1, 1_000);
    #[cfg(feature = "arrow")]
    pub(crate) const MICROSECOND: Self = Self::of(1, 1_000_000);
    pub(crate) const NANOSECOND: Self = Self::of(1, 1_000_000_000);
    #[cfg(feature = "arrow")]
    pub(crate) const DAY: Self = Self::of(DAY as i128, 1);

    const fn of(seconds: i128, parts: i128) -> Self {
        Self { seconds, parts }
    }

    /// The unit with a NumPy name such as `ns` or `25s`; `None` for months and years, which have no
    /// fixed length.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let digits = name.find(|c: char| !c.is_ascii_digit())?;
        let (count, name) = name.split_at(digits);
        let count: u32 = if count.is_empty() { 1 } else { count.parse().ok()? };
        let (seconds, parts) = match name {
            "W" => (7 * i128::from(DAY), 1),
            "D" => (i128::from(DAY), 1),
            "h" => (3600, 1),
            "m" => (60, 1),
            "s" => (1, 1),
            "ms" => (1, 1_000),
            "us" => (1, 1_000_000),
            "ns" => (1, 1_000_000_000),
            "ps" => (1, 1_000_000_000_000),
            "fs" => (1, 1_000_000_000_000_000),
            "as" => (1, 1_000_000_000_000_000_000),
            _ => return None,
        };
        Some(Self::of(seconds * i128::from(count), parts))
    }

    /// Converts an integer number of units to seconds. Equal times have equal seconds in every
    /// unit: the whole seconds are exact, and the fraction is rounded once.
    pub(crate) fn seconds(self, value: i64) -> f64 {
        let total = i128::from(value) * self.seconds;
        let (whole, rest) = (total.div_euclid(self.parts), total.rem_euclid(self.parts));
        whole as f64 + rest as f64 / self.parts as f64
    }
}

/// The days from 1970-01-01 to a date of the Gregorian calendar. Months count from 0; values beyond
/// 11 continue into later years.
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    // With years that begin in March, the leap day is the last day.
    let months = year * 12 + month - 2;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// The year, month and day of a number of days since 1970-01-01; months count from 1.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + 400 * era, month + 3);
    if month > 12 { (year + 1, month - 12, day) } else { (year, month, day) }
}

/// The seconds of an ISO 8601 date or time, such as `2024-02-29`, `2024-02-29T12:30:00.5Z` or
/// `2024-02-29 12:30+01:00`.
pub(crate) fn instant(text: &str) -> Option<f64> {
    let mut rest = Rest(text.as_bytes());
    let (year, month) = (rest.digits(4)?, rest.after(b"-", 2)?);
    let day = rest.after(b"-", 2)?;
    let days = days(year, month - 1, day);
    if date(days) != (year, month, day) {
        return None;
    }
    if rest.0.is_empty() {
        return Some((days * DAY) as f64);
    }
    let hour = rest.after(b"Tt ", 2)?;
    let minute = rest.after(b":", 2)?;
    let second = if rest.0.first() == Some(&b':') { rest.after(b":", 2)? } else { 0 };
    let nanoseconds = rest.fraction()?;
    let offset = rest.zone()?;
    // The hour 24 and leap seconds belong to the next day and minute.
    if !rest.0.is_empty() || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days * DAY + hour * 3600 + minute * 60 + second - offset;
    Some(Unit::SECOND.seconds(seconds) + Unit::NANOSECOND.seconds(nanoseconds))
}

/// The seconds of a duration: `1 days 02:03:04.5` as written by pandas, `02:03:04`, or
/// `P1DT2H3M4.5S` of ISO 8601.
pub(crate) fn duration(text: &str) -> Option<f64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    match text.strip_prefix('P') {
        Some(rest) => iso_duration(rest).map(|seconds| seconds * f64::from(sign)),
        None => clock_duration(text, i64::from(sign)),
    }
}

/// A number of days and a time of day; the sign applies to the days only.
fn clock_duration(text: &str, sign: i64) -> Option<f64> {
    let (days, time) = match text.split_once(" day") {
        Some((days, rest)) => {
            let rest = rest.strip_prefix('s').unwrap_or(rest);
            (days.parse::<u32>().ok()?, rest.trim_start())
        }
        None => (0, text),
    };
    let has_days = text.contains(" day");
    let (time_sign, time) = match time.strip_prefix(['+', '-']) {
        Some(rest) => (if time.starts_with('-') { -1 } else { 1 }, rest),
        None => (1, time),
    };
    let mut rest = Rest(time.as_bytes());
    let (seconds, nanoseconds) = match (has_days, time.is_empty()) {
        (true, true) => (0, 0),
        _ => {
            let hours = rest.digits(time.find(':')?)?;
            let (minutes, seconds) = (rest.after(b":", 2)?, rest.after(b":", 2)?);
            (hours * 3600 + minutes * 60 + seconds, rest.fraction()?)
        }
    };
    let time_sign = if has_days { time_sign } else { sign };
    let whole = sign * i64::from(days) * DAY + time_sign * seconds;
    let part = Unit::NANOSECOND.seconds(nanoseconds);
    rest.0.is_empty().then(|| Unit::SECOND.seconds(whole) + time_sign as f64 * part)
}

fn iso_duration(text: &str) -> Option<f64> {
    let (mut text, mut in_time, mut total, mut found) = (text, false, 0.0, false);
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix('T').filter(|_| !in_time) {
            (text, in_time) = (rest, true);
            continue;
        }
        // pandas writes a sign for each component: `P-1DT23H`.
        let (sign, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (-1.0, rest),
            None => (1.0, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, rest) = unsigned.split_at(end);
        let number: f64 = number.parse().ok()?;
        let factor = match (rest.as_bytes().first()?, in_time) {
            (b'W', false) => 7.0 * DAY as f64,
            (b'D', false) => DAY as f64,
            (b'H', true) => 3600.0,
            (b'M', true) => 60.0,
            (b'S', true) => 1.0,
            _ => return None,
        };
        total += sign * number * factor;
        (text, found) = (&rest[1..], true);
    }
    found.then_some(total)
}

/// The unparsed rest of a text.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// A number of exactly this many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count).filter(|_| (1..10).contains(&count))?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// One of these separators, followed by digits.
    fn after(&mut self, separators: &[u8], count: usize) -> Option<i64> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| separators.contains(first))?;
        let _ = first;
        self.0 = rest;
        self.digits(count)
    }

    /// The nanoseconds of a fraction of a second, if present; further digits are truncated.
    fn fraction(&mut self) -> Option<i64> {
        let [b'.' | b',', rest @ ..] = self.0 else { return Some(0) };
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digit = |k: usize| if k < count { i64::from(rest[k] - b'0') } else { 0 };
        self.0 = &rest[count..];
        (count > 0).then(|| (0..9).fold(0, |number, k| number * 10 + digit(k)))
    }

    /// The offset of a time zone from UTC in seconds.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.0.first() {
            None => return Some(0),
            Some(b'Z' | b'z') => {
                self.0 = &self.0[1..];
                return Some(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        let hours = self.after(b"+-", 2)?;
        let minutes = match self.0.first() {
            None => 0,
            Some(b':') => self.after(b":", 2)?,
            Some(_) => self.digits(2)?,
        };
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

/// An instant as ISO 8601 text with microseconds; only the date if it is midnight.
pub(crate) fn written(seconds: f64) -> String {
    let (whole, part) = (seconds.floor(), seconds - seconds.floor());
    let micros = (part * 1e6).round() as i64;
    let whole = whole as i64 + micros / 1_000_000;
    let (days, of_day, micros) = (whole.div_euclid(DAY), whole.rem_euclid(DAY), micros % 1_000_000);
    // Clamping keeps the number of days within the range of the calendar arithmetic.
    let (year, month, day) = date(days.clamp(-1_000_000_000_000, 1_000_000_000_000));
    let date = format!("{year:04}-{month:02}-{day:02}");
    let time = format!("T{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    match (of_day, micros) {
        (0, 0) => date,
        (_, 0) => date + &time,
        _ => format!("{date}{time}.{micros:06}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp, reason = "exact values")]

    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (number, day) in [(0, (1970, 1, 1)), (19_782, (2024, 2, 29)), (-719_468, (0, 3, 1))] {
            assert_eq!(date(number), day);
            assert_eq!(days(day.0, day.1 - 1, day.2), number);
        }
        for number in (-800_000..800_000).step_by(17) {
            let (year, month, day) = date(number);
            assert_eq!(days(year, month - 1, day), number);
        }
    }

    #[test]
    fn texts_are_instants() {
        let noon = 1_709_208_000.0;
        for text in [
            "2024-02-29T12:00:00",
            "2024-02-29 12:00",
            "2024-02-29T12:00:00Z",
            "2024-02-29 13:00:00+01:00",
            "2024-02-29T13:30:00.000000+0130",
            "2024-02-29T02:00:00-10",
        ] {
            assert_eq!(instant(text), Some(noon), "{text}");
        }
        assert_eq!(instant("2024-02-29T12:00:00.25"), Some(noon + 0.25));
        assert_eq!(instant("1969-12-31"), Some(-86_400.0));
        for text in ["2024", "2023-02-29", "2024-13-01", "2024-02-29T", "2024-02-29T25:00", "x"] {
            assert_eq!(instant(text), None, "{text}");
        }
        for seconds in [noon, noon + 0.5, -1.5, 0.0] {
            assert_eq!(instant(&written(seconds)), Some(seconds));
        }
    }

    #[test]
    fn texts_are_durations() {
        for (text, seconds) in [
            ("1 days 02:03:04.5", 93_784.5),
            ("-1 days +23:59:59", -1.0),
            ("0 days", 0.0),
            ("1 day", 86_400.0),
            ("-00:00:02", -2.0),
            ("25:00:00", 90_000.0),
            ("P1DT2H3M4.5S", 93_784.5),
            ("-PT1M", -60.0),
        ] {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
        for text in ["", "5", "P", "P1M", "1 days x", "days", "-", "1:2:3"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn units_agree() {
        let value = 1_709_208_000_123_i64;
        let expected = Unit::named("ms").unwrap().seconds(value);
        assert_eq!(Unit::named("us").unwrap().seconds(value * 1000), expected);
        assert_eq!(Unit::NANOSECOND.seconds(value * 1_000_000), expected);
        assert_eq!(Unit::named("25s").unwrap().seconds(2), 50.0);
        assert_eq!(Unit::named("M"), None);
        assert_eq!(Unit::named(""), None);
    }
}
